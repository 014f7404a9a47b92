"""Commands below limits on address space and data, as real processes: done, or refused with numbers."""

import json
import re
import shutil
from pathlib import Path

import pytest
from models import stored
from numba.core import config
from runs import write_corpus
from torture.memory import KINDS, complaint_about, run_limited

pytestmark = pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="needs Linux's /proc")

MB = 10**6
TOO_LITTLE = [64 * MB, 200 * MB, 500 * MB, 900 * MB]  # for libraries, on any machine
ENOUGH = 6_000 * MB  # for libraries and little data
ON_TWO = ["--threads", "2"]  # however many cores there are


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "titles.txt")


@pytest.fixture(scope="module")
def model(corpus: Path) -> Path:
    return Path(shutil.copytree(stored(), corpus.with_name("model")))


def ended(arguments: list[object], n_bytes: int, kind: str = "address space") -> tuple[int, str]:
    """The exit code below a limit, and what was printed; any other ending than 0 and 2 fails."""
    ending = run_limited([*map(str, arguments), *ON_TWO], KINDS[kind], n_bytes)
    assert complaint_about(ending) is None
    return ending.code, ending.printed


@pytest.mark.parametrize(
    ("command", "n_bytes"),
    [*(("inspect", n_bytes) for n_bytes in TOO_LITTLE), ("phrases", TOO_LITTLE[-1]), ("run", TOO_LITTLE[-1])],
)
def test_libraries_that_do_not_fit_are_one_line(
    corpus: Path, tmp_path: Path, command: str, n_bytes: int
) -> None:
    more = ["--topics", 3, "--output", tmp_path / "model"] if command == "run" else []
    code, printed = ended([command, corpus, *more], n_bytes)
    assert code == 2
    assert len(printed.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_too_little_data(corpus: Path) -> None:
    code, printed = ended(["inspect", corpus], 300 * MB, "data")
    assert code == 2
    assert "needs at least 640 MB of data (ulimit -d) on 2 threads, the limit is 300 MB" in printed


@pytest.mark.parametrize("command", ["topics", "report", "infer"])
def test_a_model_is_not_loaded_where_libraries_do_not_fit(
    model: Path, corpus: Path, tmp_path: Path, command: str
) -> None:
    more = [corpus, "--output", tmp_path / "new.csv"] if command == "infer" else []
    assert ended([command, model, *more], 500 * MB)[0] == 2


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="too slow in plain Python")
def test_below_a_wide_limit_all_is_done_but_charts(corpus: Path, model: Path, tmp_path: Path) -> None:
    run = ["run", corpus, "--topics", 3, "--sweeps", 5, "--output", tmp_path / "model"]
    code, printed = ended(run, ENOUGH)
    assert code == 2
    assert "drawing charts needs about 69.3 GB of address space (ulimit -v)" in printed
    assert "(--no-report)" in printed
    assert list(tmp_path.iterdir()) == []  # nothing was begun
    assert ended([*run, "--no-report"], ENOUGH)[0] == 0
    assert ended(["report", model], ENOUGH)[0] == 2
    assert not (model / "report.html").exists()
    code, printed = ended(["topics", model, "--format", "json"], ENOUGH)
    assert code == 0
    assert len(json.loads(printed)["topics"]) == 4


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="too slow in plain Python")
def test_documents_that_do_not_fit_are_refused_while_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(f"{'zq xv kj ' * 1000}\n" * 13_000)  # 120 MB, 39 million words
    code, printed = ended(["inspect", path, "--language", "none"], 1_180 * MB)
    assert code == 2
    assert re.search(r"reading needs about .* are free: fewer documents, or shorter ones", printed)
