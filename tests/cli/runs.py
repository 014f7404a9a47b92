"""What the tests of runs share: a small corpus, and all that is a model in a directory."""

import random
from pathlib import Path

GROUPS = (
    ["support vector machines", "kernel methods", "text classification", "large margin"],
    ["frequent pattern mining", "data streams", "association rules", "query processing"],
)
QUICK = ["--topics", "3", "--sweeps", "20", "--no-report"]


def texts(n: int = 300) -> list[str]:
    """Titles of two kinds, always the same."""
    choice = random.Random(7).choice
    return [f"{choice(group)}: {choice(group)}, {choice(group)}" for _ in range(n // 2) for group in GROUPS]


def write_corpus(path: Path, n: int = 300) -> Path:
    path.write_text("\n".join(texts(n)) + "\n", encoding="utf-8")
    return path


def model_files(directory: Path) -> dict[str, bytes]:
    """Every file of a model, by its name; run.json and names.json are none."""
    beside = {"run.json", "names.json"}
    paths = (path for path in directory.rglob("*") if path.is_file() and path.name not in beside)
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


def all_files(directory: Path) -> dict[str, bytes]:
    """Every file in a directory."""
    return {str(path): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}
