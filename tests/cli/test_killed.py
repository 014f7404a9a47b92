"""Processes that are killed or told to stop at moments that are known, and `topminer resume`."""

import hashlib
import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from runs import QUICK, model_files, write_corpus
from stops import ended, is_stopped, stopping

from topminer.cli import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

# The chain is kept after every sweep.
RUN = [*QUICK, "--sweeps", "6", "--shards", "2", "--checkpoint-every", "0"]
N_RESUMED = 12
PLAN, CHAIN = "checkpoint/plan.json", "checkpoint/chain.json"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> tuple[Path, dict[str, bytes]]:
    """A corpus, and its model."""
    folder = tmp_path_factory.mktemp("undisturbed")
    corpus = write_corpus(folder / "titles.txt")
    assert main(["run", str(corpus), *RUN, "--output", str(folder / "model"), "--quiet"]) == 0
    return corpus, model_files(folder / "model")


def assert_resumed(directory: Path, expected: dict[str, bytes]) -> None:
    assert main(["resume", str(directory), "--quiet"]) == 0
    assert model_files(directory) == expected
    assert len(list(directory.iterdir())) == 3


def digest(directory: Path) -> str:
    """The same for the same files with the same content."""
    files = sorted((path.name, path.read_bytes()) for path in directory.rglob("*") if path.is_file())
    return hashlib.sha256(repr(files).encode()).hexdigest()


def test_killed_at_any_moment(undisturbed, tmp_path: Path) -> None:
    """What a killed run leaves on disk is what lies there between two changes that the run makes."""
    corpus, expected = undisturbed
    lefts: dict[str, Path] = {}
    directory = tmp_path / "model"
    with stopping("always", directory, PLAN, "run", corpus, *RUN, "--output", directory) as process:
        while is_stopped(process):
            left = tmp_path / str(len(lefts))
            shutil.copytree(directory, left)
            if lefts.setdefault(digest(left), left) is not left:
                shutil.rmtree(left)
            process.send_signal(signal.SIGCONT)
        assert ended(process)[0] == 0
    assert model_files(directory) == expected
    early = [left for left in lefts.values() if not (left / CHAIN).exists()]
    late = [left for left in lefts.values() if (left / CHAIN).exists()]
    assert len(early) > 10 and len(late) > 50
    for left in late[:: len(late) // N_RESUMED] + early[:: len(early) // 4]:
        assert_resumed(left, expected)


@pytest.mark.parametrize("file", [PLAN, CHAIN])
def test_killed(undisturbed, tmp_path: Path, file: str) -> None:
    corpus, expected = undisturbed
    directory = tmp_path / "model"
    with stopping("once", directory, file, "run", corpus, *RUN, "--output", directory) as process:
        assert is_stopped(process)
        process.kill()
        assert ended(process)[0] == -signal.SIGKILL
    assert (directory / CHAIN).exists() == (file == CHAIN)
    assert_resumed(directory, expected)


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_process_told_to_stop(undisturbed, tmp_path: Path, capsys, signum: int, code: int) -> None:
    corpus, expected = undisturbed
    directory = tmp_path / "a model"
    run = ["run", str(corpus), *RUN, "--output", str(directory)]
    with stopping("once", directory, CHAIN, *run) as process:
        assert is_stopped(process)
        assert main([*run, "--overwrite"]) == 2
        working = f"another topminer run (process {process.pid}) is working here"
        assert capsys.readouterr() == ("", f"topminer: error: {directory}: {working}\n")
        process.send_signal(signum)
        process.send_signal(signal.SIGCONT)
        ended_with, out, err = ended(process)
    assert (ended_with, out) == (code, "")
    assert f"Unfinished. Go on with: topminer resume '{directory}'\n" in err
    kept = json.loads((directory / CHAIN).read_text(encoding="utf-8"))
    assert 1 <= kept["facts"]["sweep"] < 6
    assert main(["resume", str(directory), "--quiet", "--threads", "1"]) == 0
    assert model_files(directory) == expected
