"""Directories of arrays and tables, as they are written: nothing half, nothing mixed up."""

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import permutations
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import polars as pl
import pytest
from directories import bytes_of, data_folder, manifest, names_in
from polars.testing import assert_frame_equal
from small_thing import ARRAYS, FACTS, TABLES, THING, kind, n_stored, write
from stored_things import declared

from topminer import InputError, store
from topminer.store import Reader, Stored, Writer
from topminer.store import writer as writing
from topminer.store.facts import Int, Record
from topminer.store.schema import Array, Column, Format, Section, Table
from topminer.store.unfinished import remove

PART = 4
NUMBERS = np.arange(10, dtype=np.int32)
WORDS = pl.DataFrame({"word": [None, *(f"word {i}" for i in range(8))], "n": range(9)})


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "PART_SIZE", PART)
    monkeypatch.setattr(writing, "PART_ROWS", PART)


# --------------------------------------------------------------------------------- there and back


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    write(tmp_path / "new" / "folder")
    stored = store.read(tmp_path / "new" / "folder", THING)
    assert stored.facts == FACTS
    assert set(stored.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert stored.arrays[name].dtype == array.dtype
        assert stored.arrays[name].tolist() == array.tolist()
    assert set(stored.tables) == set(TABLES)
    for name, table in TABLES.items():
        assert_frame_equal(stored.tables[name], table)


def test_a_directory_is_a_manifest_and_one_folder(tmp_path: Path) -> None:
    write(tmp_path)
    assert names_in(tmp_path) == {"thing.json", manifest(tmp_path)["data"]}
    assert {path.suffix for path in data_folder(tmp_path).iterdir()} == {".npy", ".parquet"}


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, [(0, 0)]), (1, [(0, 1)]), (4, [(0, 4)]), (5, [(0, 4), (4, 5)]), (8, [(0, 4), (4, 8)])],
)
def test_bounds(size: int, expected: list[tuple[int, int]]) -> None:
    assert store.bounds(size, PART) == expected


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 8, 9])
def test_what_is_large_is_stored_in_parts(tmp_path: Path, size: int) -> None:
    array, table = np.arange(size, dtype=np.uint16), WORDS.head(size)
    form = declared("thing", (), {"x": array}, {"t": table})
    store.write(tmp_path, form, Stored({}, {"x": array}, {"t": table}), overwrite=False)
    numbers = range(max(1, -(-size // PART)))
    expected = {f"x.{number:04}.npy" for number in numbers} | {f"t.{number:04}.parquet" for number in numbers}
    assert names_in(data_folder(tmp_path)) == expected
    assert store.read(tmp_path, form).arrays["x"].tolist() == array.tolist()
    assert_frame_equal(store.read(tmp_path, form).tables["t"], table)


def test_two_kinds_in_one_directory(tmp_path: Path) -> None:
    write(tmp_path, 1)
    write(tmp_path, 2, form=kind("other"))
    write(tmp_path, 3, overwrite=True)
    assert n_stored(tmp_path) == 3
    assert n_stored(tmp_path, kind("other")) == 2


def test_a_kind_whose_name_starts_like_another(tmp_path: Path) -> None:
    """Guards against cleaning up by ``thing-*``, which is also the start of ``thing-two-...``."""
    write(tmp_path, 2, form=kind("thing-two"))
    write(tmp_path, 1)
    assert n_stored(tmp_path, kind("thing-two")) == 2


def test_other_files_stay_where_they_are(tmp_path: Path) -> None:
    """Guards against taking a user's folder for data of ours, because its name starts alike."""
    for name in ("thing-2020", "thing-raw", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.txt").write_text("mine")
    write(tmp_path, 1)
    write(tmp_path, 2, overwrite=True)
    for name in ("thing-2020", "thing-raw", "notes"):
        assert (tmp_path / name / "mine.txt").read_text() == "mine"


def test_the_same_is_stored_as_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a")
    write(tmp_path / "b")
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


# ------------------------------------------------------------------------------------ part by part, linked


@pytest.fixture
def in_parts(tmp_path: Path, small_parts: None) -> Path:
    tables = {"words": WORDS, "none": TABLES["none"]}
    arrays = {"numbers": NUMBERS, "empty": np.zeros(0)}
    store.write(tmp_path / "stored", PARTS, Stored({"n": 1}, arrays, tables), overwrite=False)
    return tmp_path / "stored"


PARTS = declared(
    "thing", ("n",), {"numbers": NUMBERS, "empty": np.zeros(0)}, {"words": WORDS, "none": TABLES["none"]}
)
OTHER = declared("other", ("n",), {"a-numbers": NUMBERS}, {"a-words": WORDS})


def test_parts_by_hand_are_the_same_bytes(tmp_path: Path, in_parts: Path) -> None:
    with Writer(tmp_path / "by hand", PARTS, overwrite=False) as writer:
        for name, start, stop in reversed(store.part_files("numbers", 10, "npy")):
            writer.files[name] = store.write_array(writer.folder / name, NUMBERS[start:stop])
        for name, start, stop in store.part_files("words", 9, "parquet"):
            piece = pl.concat([WORDS[start : start + 1], WORDS[start + 1 : stop]])
            writer.files[name] = store.write_table(writer.folder / name, piece)
        writer.write({"empty": np.zeros(0)}, {"none": TABLES["none"]})
        writer.finish({"n": 1})
    assert bytes_of(tmp_path / "by hand") == bytes_of(in_parts)


def test_what_is_not_finished_is_removed(in_parts: Path) -> None:
    before = bytes_of(in_parts)
    with Writer(in_parts, PARTS, overwrite=True) as writer:
        writer.write({"numbers": NUMBERS}, {})
        assert writer.folder.is_dir()
    with pytest.raises(ZeroDivisionError), Writer(in_parts, PARTS, overwrite=True) as writer:
        writer.write({"numbers": NUMBERS}, {})
        1 / 0  # noqa: B018
    assert bytes_of(in_parts) == before
    assert len(names_in(in_parts)) == 2


@pytest.fixture
def other(tmp_path: Path, small_parts: None) -> Path:
    """The bytes that linking should give."""
    stored = Stored({"n": 2}, {"a-numbers": NUMBERS}, {"a-words": WORDS})
    store.write(tmp_path / "other", OTHER, stored, overwrite=False)
    return tmp_path / "other"


def link(source: Path, target: Path) -> None:
    with Writer(target, OTHER, overwrite=False) as writer:
        writer.link(Reader(source, PARTS), {"numbers": "a-numbers", "words": "a-words"})
        writer.finish({"n": 2})


def test_links_to_what_another_thing_has(tmp_path: Path, in_parts: Path, other: Path) -> None:
    link(in_parts, tmp_path / "linked")
    assert bytes_of(tmp_path / "linked") == bytes_of(other)
    for path in (tmp_path / "linked").rglob("a-*"):
        assert path.samefile(data_folder(in_parts) / path.name.removeprefix("a-"))


def test_copies_where_there_are_no_links(
    tmp_path: Path, in_parts: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    link(in_parts, tmp_path / "copied")
    assert bytes_of(tmp_path / "copied") == bytes_of(other)
    assert {path.stat().st_nlink for path in (tmp_path / "copied").rglob("a-*")} == {1}


def test_a_linked_file_is_never_written_to(tmp_path: Path, in_parts: Path) -> None:
    before = bytes_of(in_parts)
    form = declared("new", (), {"numbers": NUMBERS}, {"words": WORDS})
    with Writer(tmp_path / "new", form, overwrite=False) as writer:
        writer.link(Reader(in_parts, PARTS), {"numbers": "numbers", "words": "words"})
        writer.write({"numbers": NUMBERS + 1}, {"words": WORDS.reverse()})
        writer.finish({})
    assert bytes_of(in_parts) == before
    assert store.read(tmp_path / "new", form).arrays["numbers"].tolist() == (NUMBERS + 1).tolist()


def test_a_link_to_what_is_missing(tmp_path: Path, in_parts: Path) -> None:
    reader = Reader(in_parts, PARTS)
    (data_folder(in_parts) / "numbers.0001.npy").unlink()
    with (
        pytest.raises(InputError, match="cannot write the other: No such file"),
        Writer(tmp_path / "linked", OTHER, overwrite=False) as writer,
    ):
        writer.link(reader, {"numbers": "a-numbers"})


# -------------------------------------------------------------------------------------- replacing


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    write(tmp_path, 1)
    before = bytes_of(tmp_path)
    with pytest.raises(InputError, match=r"holds a thing already; overwrite=True \(--overwrite\)"):
        write(tmp_path, 2)
    assert bytes_of(tmp_path) == before


def test_the_old_data_are_gone_once_replaced(tmp_path: Path) -> None:
    write(tmp_path, 1)
    old = data_folder(tmp_path)
    write(tmp_path, 2, overwrite=True)
    assert n_stored(tmp_path) == 2
    assert not old.exists()
    assert names_in(tmp_path) == {"thing.json", data_folder(tmp_path).name}


def test_the_same_again_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path)
    before = bytes_of(tmp_path)
    write(tmp_path, overwrite=True)
    assert bytes_of(tmp_path) == before


def test_writing_again_mends_what_was_damaged(tmp_path: Path) -> None:
    """Guards against trusting a folder because its name says what it should hold."""
    write(tmp_path)
    victim = data_folder(tmp_path) / "ids.0000.npy"
    victim.write_bytes(victim.read_bytes()[:-1] + b"!")
    write(tmp_path, overwrite=True)
    assert n_stored(tmp_path) == 3


class Crash(BaseException):
    """Something no code of ours catches, as a signal would be."""


def crash(*_: Any, **__: Any) -> None:
    raise Crash


@pytest.mark.parametrize("where", ["replace", "fsync", "data", "rename", "manifest"])
@pytest.mark.parametrize("kind", [Crash, OSError])
@pytest.mark.parametrize("n", [2, 1], ids=["another", "the same"])
def test_a_crash_leaves_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, kind: type[BaseException], n: int
) -> None:
    """Wherever it comes, and also while the same is written again: the data in use must not be touched."""
    write(tmp_path, 1)

    def fail(*_: Any, **__: Any) -> None:
        raise kind(28, "No space left on device")

    with monkeypatch.context() as patch:
        if where == "data":
            patch.setattr(pl.DataFrame, "write_parquet", fail)
        elif where == "manifest":
            patch.setattr(Path, "write_text", fail)
        else:
            patch.setattr(os, where, fail)
        stopped = pytest.raises((InputError, Crash), match="No space left")
        with stopped if n == 2 else suppress(InputError, Crash):
            write(tmp_path, n, overwrite=True)
    assert n_stored(tmp_path) == 1
    write(tmp_path, 3, overwrite=True)
    assert n_stored(tmp_path) == 3
    assert names_in(tmp_path) == {"thing.json", data_folder(tmp_path).name}


def test_a_crash_while_cleaning_up_leaves_the_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, 1)
    removed = shutil.rmtree

    def fail_on_old(path: Path, *args: Any, **kwargs: Any) -> None:
        if Path(path).name.startswith("thing-"):
            raise Crash
        removed(path, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", fail_on_old)
        with pytest.raises(Crash):
            write(tmp_path, 2, overwrite=True)
    assert n_stored(tmp_path) == 2
    write(tmp_path, 3, overwrite=True)
    assert names_in(tmp_path) == {"thing.json", data_folder(tmp_path).name}


def test_the_first_write_that_crashes_leaves_nothing_that_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", crash)
        with pytest.raises(Crash):
            write(tmp_path)
    with pytest.raises(InputError, match="no thing here"):
        n_stored(tmp_path)


def full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("old", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("fail", [full, interrupted])
@pytest.mark.parametrize(
    ("owner", "what"), [(np, "save"), (pl.DataFrame, "write_parquet"), (os, "fsync"), (os, "replace")]
)
def test_a_write_that_fails_leaves_nothing_unfinished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, what: str, fail: Any, old: bool
) -> None:
    if old:
        write(tmp_path, 1)
    before = bytes_of(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(owner, what, fail)
        with pytest.raises((InputError, KeyboardInterrupt)) as raised:
            write(tmp_path, 2, overwrite=True)
    if fail is full:
        assert str(raised.value) == f"{tmp_path}: cannot write the thing: No space left on device"
    assert not [path.name for path in tmp_path.iterdir() if "unfinished" in path.name]
    assert {**bytes_of(tmp_path), **before} == bytes_of(tmp_path)
    assert not old or n_stored(tmp_path) == 1


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
TOO_LARGE = """
import resource, sys
from pathlib import Path
import numpy as np, polars as pl
from stored_things import declared
from topminer import store
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
values = np.random.default_rng(0).random(int(sys.argv[2]))
arrays, tables = ({}, {"t": pl.DataFrame({"x": values})}) if sys.argv[3] == "table" else ({"x": values}, {})
try:
    form = declared("thing", (), arrays, tables)
    store.write(Path(sys.argv[1]), form, store.Stored({}, arrays, tables), overwrite=True)
except store.InputError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("what", ["array", "table"])
@pytest.mark.parametrize("size", [700, 100_000])
def test_a_disk_that_takes_only_the_beginning_of_a_file(tmp_path: Path, what: str, size: int) -> None:
    """Guards against np.save, which may cut a file short and say nothing, and Polars' own kind of error."""
    write(tmp_path, 1)
    before = bytes_of(tmp_path)
    command = [sys.executable, "-c", TOO_LARGE, str(tmp_path), str(size), what]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert run.stdout == f"{tmp_path}: cannot write the thing: File too large\n"
    assert bytes_of(tmp_path) == before


def test_an_error_of_polars_that_is_no_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise pl.exceptions.ComputeError("cannot write such a thing")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", fail)
    with pytest.raises(pl.exceptions.ComputeError, match="such a thing"):
        write(tmp_path)
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------- where it cannot be


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(InputError, match="is a file; expected a directory to write a thing to"):
        write(file)
    assert file.read_text() == "mine"


def test_below_a_file_there_is_no_room(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write the thing: Not a directory"):
        write(tmp_path / "file" / "folder")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc, where nobody may write")
def test_where_nobody_may_write() -> None:
    with pytest.raises(InputError, match="/proc/self/here: cannot write the thing: "):
        write(Path("/proc/self/here"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot write the thing: Permission denied"):
        write(tmp_path)


def test_facts_that_are_no_json_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        store.write(tmp_path, THING, Stored({**FACTS, "n": object()}, ARRAYS, TABLES), overwrite=False)
    with pytest.raises(InputError, match="no thing here"):
        n_stored(tmp_path)


def test_objects_are_not_stored(tmp_path: Path) -> None:
    arrays = {**ARRAYS, "ids": np.array([object()])}
    with pytest.raises(ValueError, match="allow_pickle"):
        store.write(tmp_path, THING, Stored(FACTS, arrays, TABLES), overwrite=False)
    with pytest.raises(InputError, match="no thing here"):
        n_stored(tmp_path)


# ------------------------------------------------------------------------------- what is not as declared

DECLARED = Format(
    "thing",
    {
        "": Section(
            Record({"n": Int(equals="items")}),
            {"items": Array("<i4", "items"), "starts": Array("<i8", "items+1")},
            {"names": Table("items", {"name": Column(pl.String)})},
        )
    },
)
GOOD = Stored(
    {"n": 2},
    {"items": np.zeros(2, np.int32), "starts": np.zeros(3, np.int64)},
    {"names": pl.DataFrame({"name": ["a", "b"]})},
)
UNLIKE: dict[str, tuple[dict[str, Any], str]] = {
    "a fact of another type": ({"facts": {"n": 2.0}}, "n: found 2.0; expected the number of items"),
    "a fact that does not fit": ({"facts": {"n": 3}}, "n: found 3; expected 2, the number of items"),
    "a fact too many": ({"facts": {"n": 2, "m": 1}}, "found an unknown field 'm'"),
    "no fact": ({"facts": {}}, "n is missing"),
    "another type": ({"items": np.zeros(2, np.int64)}, "items is of type int64; expected <i4"),
    "two dimensions": ({"items": np.zeros((2, 1), np.int32)}, "items has 2 dimensions; expected 1"),
    "another length": ({"starts": np.zeros(2, np.int64)}, r"starts has 2 entries; expected 3 \(items\+1\)"),
    "no array": ({"items": None}, "items is missing"),
    "an array too many": ({"more": np.zeros(2)}, "more is no part of a thing"),
    "other columns": (
        {"names": pl.DataFrame({"nom": ["a", "b"]})},
        "names has the columns nom; expected name",
    ),
    "a column of another type": (
        {"names": pl.DataFrame({"name": [1, 2]})},
        "name is of type Int64; expected",
    ),
    "other rows": ({"names": pl.DataFrame({"name": ["a"]})}, r"names has 1 entries; expected 2 \(items\)"),
}


@pytest.mark.parametrize(("changed", "message"), UNLIKE.values(), ids=UNLIKE)
def test_what_is_not_as_declared_is_not_written(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    changed = dict(changed)
    facts = changed.pop("facts", GOOD.facts)
    tables = {name: changed.pop(name, table) for name, table in GOOD.tables.items()}
    arrays = {name: each for name, each in {**GOOD.arrays, **changed}.items() if each is not None}
    store.write(tmp_path, DECLARED, GOOD, overwrite=False)
    before = bytes_of(tmp_path)
    with pytest.raises(ValueError, match=message):
        store.write(tmp_path, DECLARED, Stored(facts, arrays, tables), overwrite=True)
    assert bytes_of(tmp_path) == before
    assert len(names_in(tmp_path)) == 2


# ---------------------------------------------------------------------------------- several writers at once

# Every way in which two writers' steps can fall between each other.
ORDERS = sorted(set(permutations("aaaabbbb")))


class Steps:
    """A writer that does one thing at a time."""

    def __init__(self, directory: Path, n: int) -> None:
        self.n, self._stack = n, ExitStack()
        self._steps = iter((self._enter, self._write, self._finish, self._stack.close))
        self._directory = directory

    def go_on(self) -> None:
        next(self._steps)()

    def _enter(self) -> None:
        self.writer = self._stack.enter_context(Writer(self._directory, THING, overwrite=True))

    def _write(self) -> None:
        self.writer.write(ARRAYS, TABLES)

    def _finish(self) -> None:
        self.writer.finish({**FACTS, "n": self.n})


@pytest.mark.parametrize("same", [False, True], ids=["different things", "the same thing"])
def test_two_writers_whose_steps_fall_between_each_other(tmp_path: Path, same: bool) -> None:
    for number, order in enumerate(ORDERS):
        directory = tmp_path / str(number)
        writers = {"a": Steps(directory, 1), "b": Steps(directory, 1 if same else 2)}
        finished, taken = 0, dict.fromkeys("ab", 0)
        for name in order:
            writers[name].go_on()
            taken[name] += 1
            if taken[name] == 3:
                finished = writers[name].n
            if finished:
                assert n_stored(directory) == finished, order
        assert names_in(directory) == {"thing.json", data_folder(directory).name}, order


def test_only_one_writer_may_make_a_new_thing(tmp_path: Path) -> None:
    with Writer(tmp_path, THING, overwrite=False) as late:
        late.write(ARRAYS, TABLES)
        write(tmp_path, 1)
        with pytest.raises(InputError, match="holds a thing already"):
            late.finish({**FACTS, "n": 2})
    assert n_stored(tmp_path) == 1
    assert len(names_in(tmp_path)) == 2


def test_many_threads_write_to_one_place(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def work(n: int) -> None:
        try:
            for _ in range(5):
                write(tmp_path, n, overwrite=True)
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=work, args=(n,)) for n in (1, 1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert n_stored(tmp_path) in (1, 2, 3)
    assert len(names_in(tmp_path)) == 2


PROCESS = """
import sys, time
from pathlib import Path
from small_thing import ARRAYS, FACTS, TABLES, THING
from topminer.store import Writer
with Writer(Path(sys.argv[1]), THING, overwrite=True) as writer:
    writer.write(ARRAYS, TABLES)
    print("written", flush=True)
    sys.stdin.readline()
    writer.finish({**FACTS, "n": int(sys.argv[2])})
"""


@contextmanager
def another_process(directory: Path, n: int) -> Iterator["subprocess.Popen[str]"]:
    """A process that has written everything, and finishes when it is told to."""
    tests = os.pathsep.join(str(folder) for folder in Path(__file__).parents[:2])
    process = subprocess.Popen(
        [sys.executable, "-c", PROCESS, str(directory), str(n)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": tests},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_process_that_writes_to_the_same_place(tmp_path: Path) -> None:
    with another_process(tmp_path, 7) as process:
        write(tmp_path, 1)
        assert n_stored(tmp_path) == 1
        unfinished = [name for name in names_in(tmp_path) if "unfinished" in name]
        assert len(unfinished) == 1  # the other one's, which is at work
        process.communicate("go on\n")
        assert process.returncode == 0
    assert n_stored(tmp_path) == 7
    assert names_in(tmp_path) == {"thing.json", data_folder(tmp_path).name}


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    with another_process(tmp_path, 7) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    (tmp_path / ".unfinished-0123456789abcdef").write_text("{")
    assert len(names_in(tmp_path)) == 2
    write(tmp_path, 1)
    assert n_stored(tmp_path) == 1
    assert names_in(tmp_path) == {"thing.json", data_folder(tmp_path).name}


def test_what_another_kind_is_writing_is_left_alone(tmp_path: Path) -> None:
    with Writer(tmp_path, kind("thing-two"), overwrite=True) as other:
        other.write(ARRAYS, TABLES)
        write(tmp_path, 1)
        other.finish({**FACTS, "n": 2})
    assert n_stored(tmp_path) == 1
    assert n_stored(tmp_path, kind("thing-two")) == 2
    assert len(names_in(tmp_path)) == 4


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is stored all the same; what may belong to another writer is left alone."""

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    with Writer(tmp_path, THING, overwrite=True) as slow:
        slow.write(ARRAYS, TABLES)
        write(tmp_path, 1)
        assert n_stored(tmp_path) == 1
        slow.finish({**FACTS, "n": 2})
    assert n_stored(tmp_path) == 2
    assert len(names_in(tmp_path)) == 2


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_pipe_in_place_of_old_data_is_removed_and_never_opened(tmp_path: Path) -> None:
    """Guards against a writer that waits for ever for somebody to write to the pipe."""
    os.mkfifo(tmp_path / "thing-0123456789abcdef")
    remove(tmp_path / "thing-0123456789abcdef")
    assert not list(tmp_path.iterdir())
