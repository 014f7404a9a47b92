"""What a user's runs were started with is known to that user alone."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from topminer.run import places
from topminer.run.places import Places, forget, recall, remember


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "topminer" / "runs"


SOME = Places("/data/päpers.txt", "10.0.0.7:6379")


@pytest.mark.parametrize(
    "given", [SOME, Places("/a"), Places(ray_address="auto"), Places("-"), Places("\udcff")]
)
def test_what_was_recorded_is_recalled(records: Path, given: Places) -> None:
    kept, gone = remember(given), remember(SOME)
    assert len(kept) == len(gone) == 32
    forget(gone)
    forget(gone)
    assert (recall(kept), recall(gone)) == (given, Places())
    assert [path.name for path in records.iterdir()] == [f"{kept}.json"]
    if sys.platform != "win32":
        assert stat.S_IMODE(records.stat().st_mode) == 0o700  # nobody else may look


def test_a_run_of_somebody_else_is_not_known(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = remember(SOME)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert recall(run_id) == Places()
    forget(run_id)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert recall(run_id) == SOME


@pytest.mark.parametrize(
    "run_id",
    ["", "x", "../../secret", "0" * 31, "0" * 33, "G" * 32, "0" * 32 + "\n", None, 5, ["0" * 32], "٠" * 32],
)
def test_ids_that_are_none(records: Path, run_id: object) -> None:
    """Guards against a run id that leads out of the folder."""
    remember(SOME)
    (records.parents[1] / "secret.json").write_text(json.dumps({"corpus": "/etc/passwd"}))
    assert recall(run_id) == Places()
    forget(run_id)
    assert (records.parents[1] / "secret.json").exists()
    assert len(list(records.iterdir())) == 1


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"corpus": 5, "ray_address": ["x"]}', '{"other": "x"}']
)
def test_a_record_that_is_damaged(records: Path, content: str) -> None:
    run_id = remember(SOME)
    (records / f"{run_id}.json").write_text(content)
    assert recall(run_id) == Places()


def test_the_oldest_records_are_removed(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "MAX_RECORDS", 3)
    ids = []
    for age in (50, 40, 30, 20, 10):
        ids.append(remember(SOME))
        os.utime(records / f"{ids[-1]}.json", (1_000_000 - age, 1_000_000 - age))
    last = remember(SOME)
    assert [recall(each) == SOME for each in (*ids, last)] == [False, False, False, True, True, True]
    assert len(list(records.iterdir())) == 3


@pytest.mark.parametrize("home", [None, "file"])
def test_where_nothing_can_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str | None
) -> None:
    """No home at all, or a file where the folder should be: not even root can write there."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    (tmp_path / "file").write_text("mine")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    if home is not None:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / home))
    run_id = remember(SOME)
    assert len(run_id) == 32
    assert recall(run_id) == Places()
    forget(run_id)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="has another folder")
@pytest.mark.parametrize("state", ["", "relative/path"])
def test_without_a_state_directory_it_is_in_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", state)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert recall(remember(SOME)) == SOME
    assert len(list((tmp_path / ".local" / "state" / "topminer" / "runs").iterdir())) == 1


def test_the_tests_have_a_state_directory_of_their_own(state_directory: Path) -> None:
    run_id = remember(SOME)
    assert (state_directory / "topminer" / "runs" / f"{run_id}.json").exists()
    forget(run_id)
