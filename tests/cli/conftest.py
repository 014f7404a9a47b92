"""What tests of several commands share: a corpus, a model of it, and a way to run commands."""

from collections.abc import Callable
from pathlib import Path

import pytest
from runs import QUICK, write_corpus

from topminer.cli import main


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "titles.txt")


@pytest.fixture(scope="session")
def titles_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that ``topminer run`` has written; no test changes it."""
    folder = tmp_path_factory.mktemp("titles")
    corpus = write_corpus(folder / "titles.txt")
    assert main(["run", str(corpus), *QUICK, "--output", str(folder / "model"), "--quiet"]) == 0
    return folder / "model"


@pytest.fixture
def topminer(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[str, str]]:
    """Run a command, and return what it wrote to standard output and to standard error."""

    def run(*arguments: object, code: int = 0) -> tuple[str, str]:
        assert main([*map(str, arguments)]) == code
        out, err = capsys.readouterr()
        return out, err.replace("Compiling kernels (first run only) …\n", "")  # with an empty cache

    return run
