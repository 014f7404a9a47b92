"""Files and folders that are being written: nobody else's, and gone when their writers are."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from directories import names_in

from topminer.store.unfinished import NAME, locked_if_possible, remove_abandoned, replacing, unfinished


class Crash(BaseException):
    """Something no code of ours catches, as a signal would be."""


@pytest.mark.parametrize("folder", [False, True])
def test_what_gets_no_other_name_is_removed(tmp_path: Path, folder: bool) -> None:
    with unfinished(tmp_path, folder=folder) as path:
        assert NAME.fullmatch(path.name)
        assert path.is_dir() == folder
        if folder:
            (path / "part").write_text("x")
    with pytest.raises(Crash), unfinished(tmp_path, folder=folder):
        raise Crash
    with unfinished(tmp_path, folder=folder) as path:
        path.rename(tmp_path / "done")
    assert names_in(tmp_path) == {"done"}


def test_a_file_is_replaced_when_all_is_written(tmp_path: Path) -> None:
    """Also if it is a link: what the link points to stays."""
    (tmp_path / "mine").write_text("old")
    (tmp_path / "x").symlink_to("mine")
    with replacing(tmp_path / "x") as new:
        new.write_text("new")
        assert (tmp_path / "x").read_text() == "old"
    assert ((tmp_path / "x").read_text(), (tmp_path / "mine").read_text()) == ("new", "old")
    with pytest.raises(Crash), replacing(tmp_path / "x") as new:
        new.write_text("newer")
        raise Crash
    assert (tmp_path / "x").read_text() == "new"
    assert names_in(tmp_path) == {"x", "mine"}


def test_what_nobody_holds_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".unfinished-0123456789abcdef").mkdir()
    (tmp_path / ".unfinished-0123456789abcdef" / "part").touch()
    (tmp_path / ".unfinished-fedcba9876543210").touch()
    others = {".unfinished-notes", ".unfinished-0123", "unfinished-0123456789abcdef", "mine"}
    for name in others:
        (tmp_path / name).touch()
    with unfinished(tmp_path, folder=True) as folder, unfinished(tmp_path, folder=False) as file:
        remove_abandoned(tmp_path)
        assert folder.is_dir() and file.is_file()  # somebody is writing there
    assert names_in(tmp_path) == others


def test_links_that_look_like_ours_lead_nowhere(tmp_path: Path) -> None:
    """Guards against removing what a link in a stranger's directory points to."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / ".unfinished-0123456789abcdef").symlink_to(tmp_path / "mine")
    os.mkfifo(tmp_path / "model" / ".unfinished-fedcba9876543210")
    remove_abandoned(tmp_path / "model")
    assert (tmp_path / "mine" / "thesis.tex").exists()
    assert names_in(tmp_path / "model") == set()


HOLD = """
import sys
from pathlib import Path
from topminer.store.unfinished import unfinished
with unfinished(Path(sys.argv[1]), folder=True) as folder:
    print(folder.name, flush=True)
    sys.stdin.readline()
"""


def test_what_a_killed_process_held(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        remove_abandoned(tmp_path)
        assert names_in(tmp_path) == {name}
        process.send_signal(signal.SIGKILL)
        process.wait()
    remove_abandoned(tmp_path)
    assert names_in(tmp_path) == set()


def test_where_there_are_no_locks_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", fail)
    with unfinished(tmp_path, folder=True) as folder:
        remove_abandoned(tmp_path)
        assert folder.is_dir()
    assert names_in(tmp_path) == set()


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    with locked_if_possible(tmp_path) as first, locked_if_possible(tmp_path, wait=False) as second:
        assert first and not second
    with locked_if_possible(tmp_path, wait=False) as held:
        assert held
    with locked_if_possible(tmp_path / "nowhere", wait=False) as held:
        assert not held
