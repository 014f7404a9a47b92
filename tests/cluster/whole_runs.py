"""What tests of whole runs on clusters share: a corpus in several files, and what a run wrote."""

import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

PHRASES = [
    "support vector machine",
    "random field",
    "query log",
    "matrix of pixels",
    "data mining",
    "a b a b",
]
WORDS = [f"word{i}" for i in range(120)]


def write_corpus(folder: Path, n_documents: int = 400, n_files: int = 5) -> Path:
    """A folder of .jsonl files with some phrases in it; a document is empty now and then."""
    random = Random(7)
    folder.mkdir()
    for part in range(n_files):
        with (folder / f"part-{part}.jsonl").open("w") as file:
            for _ in range(n_documents // n_files):
                pieces = random.choices([*PHRASES, *WORDS[:40], *WORDS], k=random.randrange(0, 40))
                text = " ".join(piece + random.choice(["", "", "", ","]) for piece in pieces) or "?"
                file.write(json.dumps({"text": text, "year": random.randrange(1990, 2020)}) + "\n")
    return folder


def settings(**more: Any) -> dict[str, Any]:
    """Parameters of a model that is soon made."""
    return {
        "n_topics": 5,
        "n_sweeps": 40,
        "optimize_interval": 10,
        "burn_in": 10,
        "n_shards": 4,
        "random_state": 1,
        **more,
    }


def hashes(directory: Path) -> dict[str, str]:
    """Every file of a model, but what tells of its run."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name not in {"run.json", "report.html"}
    }
