"""A few trials of each part of ``make torture``, and tests of what the parts are built on."""

import hashlib
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from torture.content_damage import npy
from torture.forge import read_manifest, replace_file, stored_files, write_manifest
from torture.parts import Order, part_modules, run_in_process
from torture.processes import Ending, in_child
from torture.results import Row, as_markdown
from torture.trials import Trials

from topminer.errors import InputError

TESTS = Path(__file__).parent

# Since Python 3.12 a fork of a process with threads warns; these children touch nothing that threads hold.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


# Those of a group run in one process, which has the models and kernels of all. The last one uses threads.
GROUPS = [
    ["inputs", "bombs", "stored_arrays", "stored_facts", "odd_files", "two_saves", "parameters"],
    ["kills", "memory", "explorer"],
]


@pytest.mark.parametrize("modules", GROUPS, ids=" ".join)
def test_a_few_trials_of_each_part_hold(modules: list[str], tmp_path: Path) -> None:
    rows = run_in_process(Order(modules, str(tmp_path)), timeout=1800)
    assert not [failure for row in rows for failure in row.failures]
    assert len(rows) == len(modules)
    assert all(row.held == row.tried > 0 for row in rows)


def test_each_part_is_tried() -> None:
    assert sorted(part_modules()) == sorted(module for modules in GROUPS for module in modules)


def test_each_part_is_described() -> None:
    page = (TESTS.parent / "docs" / "reliability.md").read_text(encoding="utf-8")
    described = {line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")}
    assert set(part_modules()) <= {name.replace(" ", "_") for name in described}


# ------------------------------------------------------------------------------------------------ children


def _refuse() -> None:
    raise InputError("no\nsuch file")


def _crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _break() -> None:
    raise KeyError("x")


def _hang() -> None:
    time.sleep(100)


def _print_two_errors() -> int:
    print("topminer: error: one\ntopminer: error: two")
    return 2


def test_a_child_that_does_its_work_or_refuses_it_is_fine() -> None:
    assert in_child(print, "done") == Ending(0, "done\n")
    assert in_child(print, "done").complaint is None
    refused = in_child(_refuse)
    assert refused == Ending(2, "topminer: error: no such file\n")
    assert refused.complaint is None


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (_crash, "killed by SIGSEGV"),
        (_break, "KeyError: 'x'"),
        (_print_two_errors, "without one clear line"),
        (lambda: 3, "exit code 3"),
        (lambda: print("thread '<unnamed>' panicked at src/x.rs"), "panicked"),
    ],
)
def test_a_child_that_ends_badly_is_found_out(work, said: str) -> None:
    assert said in str(in_child(work).complaint)


def test_a_child_that_hangs_is_killed() -> None:
    ending = in_child(_hang, seconds=0.2)
    assert ending.hung
    assert "did not end" in str(ending.complaint)


def test_work_that_may_take_long_may_be_interrupted() -> None:
    def wait() -> int:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
            _hang()
        except KeyboardInterrupt:
            return 130
        return 0

    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # the child is ready before it hears of it
    try:
        assert in_child(wait, interrupt_after=0.1).complaint is None
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    assert "exit code 130" in str(in_child(lambda: 130).complaint)


def test_a_child_may_not_take_all_memory() -> None:
    ending = in_child(lambda: len(bytearray(1 << 30)) and 0, memory=1 << 29)
    assert "MemoryError" in str(ending.complaint)


# -------------------------------------------------------------------------------------------------- trials


def test_one_trial_alone_is_the_one_of_the_whole_run(tmp_path: Path) -> None:
    drawn = [chance.random() for chance in Trials("part", 5, 60, 7, tmp_path)]
    alone = Trials("part", 1, 60, 7, tmp_path, first=3)
    assert [chance.random() for chance in alone] == [drawn[3]]
    assert len(set(drawn)) == 5


def test_a_failure_says_how_to_repeat_it(tmp_path: Path) -> None:
    trials = Trials("two words", 3, 60, 7, tmp_path)
    for _ in trials:
        if trials.number == 1:
            trials.failed("once")
            trials.failed("twice")
    assert trials.failed_trials == {1}
    assert trials.failures[0] == "--part 'two words' --seed 7 --trial 1: once"


def test_one_trial_is_made_when_no_time_is_left(tmp_path: Path) -> None:
    assert len(list(Trials("part", 5, 0, 7, tmp_path))) == 1


def test_the_table_adds_up() -> None:
    rows = [Row("a", 10, 1, 2.0), Row("b", 5, 0, 3.0, "a note")]
    text = as_markdown(rows, {"seed": 0})
    assert "| b | 5 | 5 | 0 | 3 | a note |" in text and "| together | 15 | 14 | 1 | 5 |  |" in text


# ------------------------------------------------------------------------------------------------- forging


def test_a_forged_array_has_the_checksum_that_its_manifest_tells(tmp_path: Path) -> None:
    (tmp_path / "thing-0").mkdir()
    old, new = npy(np.arange(3)), npy(np.arange(4))
    (tmp_path / "thing-0" / "a.0000.npy").write_bytes(old)
    files = {"a.0000.npy": hashlib.sha256(old).hexdigest()}
    manifest = tmp_path / "thing.json"
    write_manifest(manifest, {"data": "thing-0", "files": files, "facts": {}, "format": 2})
    before = read_manifest(manifest)
    (file,) = stored_files(tmp_path)
    replace_file(file, new)
    after = read_manifest(manifest)
    assert file.path.read_bytes() == new
    assert after["files"] == {"a.0000.npy": hashlib.sha256(new).hexdigest()}
    assert after["data"] != before["data"]
    assert not (tmp_path / before["data"]).exists()
