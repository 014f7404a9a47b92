"""Every command that reads `-`, where nothing can be read there: one clear line and exit code 2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from models import stored

COMMANDS = {
    "run": ["run", "-", "--topics", "2", "--sweeps", "2", "--output", "DIR/new"],
    "inspect": ["inspect", "-"],
    "phrases": ["phrases", "-"],
    "tune": ["tune", "-", "--topics", "2", "--sweeps", "2", "--output", "DIR/tuned"],
    "compare": ["compare", "-", "--topics", "2", "--sweeps", "2", "--output", "DIR/compared"],
    "infer": ["infer", "DIR/model", "-", "--output", "DIR/new.csv"],
    "explain a text": ["explain", "DIR/model", "-"],
    "explain with a corpus": ["explain", "-", "a text"],
}
pytestmark = pytest.mark.skipif(os.name != "posix", reason="standard input of POSIX")


def given(command: str, folder: Path) -> list[str]:
    places = {"DIR/model": str(stored())}
    return [places.get(each, each.replace("DIR", str(folder))) for each in COMMANDS[command]]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_one(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, topminer) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # as Python does where it is closed from the start
    error = topminer(*given(command, tmp_path), code=2)[1].splitlines()[-1]
    assert error == "topminer: error: standard input is closed; expected a file or a pipe"
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("command", [each for each in COMMANDS if each != "explain a text"])
def test_a_terminal(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, topminer) -> None:
    master, terminal = os.openpty()
    with open(master, "rb"), open(terminal) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        errors = topminer(*given(command, tmp_path), code=2)[1]
    assert "topminer: error: standard input is a terminal; expected a file" in errors


def inspect(**stdin: object) -> tuple[int, str]:
    command = [sys.executable, "-m", "topminer", "inspect", "-"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, **stdin)  # type: ignore[call-overload]
    return run.returncode, run.stderr


def test_a_process_without_one() -> None:
    told = "topminer: error: standard input is closed; expected a file or a pipe\n"
    assert inspect(preexec_fn=lambda: os.close(0)) == (2, told)


def test_a_process_whose_standard_input_can_only_be_written(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as file:
        told = "topminer: error: standard input: cannot be read (Bad file descriptor)\n"
        assert inspect(stdin=file) == (2, told)
