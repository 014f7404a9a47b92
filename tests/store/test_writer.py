"""Directories of arrays and tables, as they are written: nothing half, nothing mixed up."""

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import permutations
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import polars as pl
import pytest
from directories import bytes_of, data_folder, names_in
from polars.testing import assert_frame_equal
from small_thing import ARRAYS, FACTS, LARGE, NUMBERS, PARTS, TABLES, THING, WORDS, kind, n_stored, write
from stored_things import declared

from topminer import InputError, store
from topminer.store import Reader, Stored, Writer
from topminer.store.facts import Int, Record
from topminer.store.schema import Array, Column, Format, Section, Table
from topminer.store.unfinished import remove


def assert_whole(directory: Path, n: int) -> None:
    """One thing is there, complete, and nothing else."""
    assert n_stored(directory) == n
    assert names_in(directory) == {"thing.json", data_folder(directory).name}


# --------------------------------------------------------------------------------- there and back


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "folder"
    write(directory)
    stored = store.read(directory, THING)
    assert stored.facts == FACTS
    assert (set(stored.arrays), set(stored.tables)) == (set(ARRAYS), set(TABLES))
    for name, array in ARRAYS.items():
        assert stored.arrays[name].dtype == array.dtype
        assert stored.arrays[name].tolist() == array.tolist()
    for name, table in TABLES.items():
        assert_frame_equal(stored.tables[name], table)
    assert_whole(directory, 3)
    assert {path.suffix for path in data_folder(directory).iterdir()} == {".npy", ".parquet"}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 8, 9])
def test_what_is_large_is_stored_in_parts(tmp_path: Path, size: int) -> None:
    array, table = np.arange(size, dtype=np.uint16), WORDS.head(size)
    form = declared("thing", (), {"x": array}, {"t": table})
    store.write(tmp_path, form, Stored({}, {"x": array}, {"t": table}), overwrite=False)
    numbers = range(max(1, -(-size // 4)))
    expected = {f"x.{number:04}.npy" for number in numbers} | {f"t.{number:04}.parquet" for number in numbers}
    assert names_in(data_folder(tmp_path)) == expected
    assert store.read(tmp_path, form).arrays["x"].tolist() == array.tolist()
    assert_frame_equal(store.read(tmp_path, form).tables["t"], table)


@pytest.mark.parametrize("other", ["other", "thing-two"])
def test_two_kinds_in_one_directory(tmp_path: Path, other: str) -> None:
    """Guards against cleaning up by ``thing-*``, which is also the start of ``thing-two-...``."""
    write(tmp_path, 1)
    with Writer(tmp_path, kind(other), overwrite=True) as slow:
        slow.write(ARRAYS, TABLES)
        write(tmp_path, 3, overwrite=True)
        slow.finish({**FACTS, "n": 2})
    assert (n_stored(tmp_path), n_stored(tmp_path, kind(other))) == (3, 2)
    assert len(names_in(tmp_path)) == 4


def test_other_files_stay_where_they_are(tmp_path: Path) -> None:
    """Guards against taking a user's folder for data of ours, because its name starts alike."""
    for name in ("thing-2020", "thing-raw", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.txt").write_text("mine")
    write(tmp_path, 1)
    write(tmp_path, 2, overwrite=True)
    for name in ("thing-2020", "thing-raw", "notes"):
        assert (tmp_path / name / "mine.txt").read_text() == "mine"


# ------------------------------------------------------------------------------------ part by part, linked


@pytest.fixture
def in_parts(tmp_path: Path, small_parts: None) -> Path:
    store.write(tmp_path / "stored", PARTS, LARGE, overwrite=False)
    return tmp_path / "stored"


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


@pytest.mark.parametrize("links", [True, False])
def test_what_another_thing_has_is_linked_or_copied(
    tmp_path: Path, in_parts: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    form = declared("other", ("n",), {"a-numbers": NUMBERS}, {"a-words": WORDS})
    stored = Stored({"n": 2}, {"a-numbers": NUMBERS}, {"a-words": WORDS})
    store.write(tmp_path / "other", form, stored, overwrite=False)
    if not links:
        monkeypatch.setattr(os, "link", refuse)
    with Writer(tmp_path / "linked", form, overwrite=False) as writer:
        writer.link(Reader(in_parts, PARTS), {"numbers": "a-numbers", "words": "a-words"})
        writer.finish({"n": 2})
    assert bytes_of(tmp_path / "linked") == bytes_of(tmp_path / "other")
    for path in (tmp_path / "linked").rglob("a-*"):
        assert path.samefile(data_folder(in_parts) / path.name.removeprefix("a-")) == links


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
        pytest.raises(InputError, match="cannot write the thing: No such file"),
        Writer(tmp_path / "linked", PARTS, overwrite=False) as writer,
    ):
        writer.link(reader, {"numbers": "numbers"})


# -------------------------------------------------------------------------------------- replacing


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    write(tmp_path, 1)
    before = bytes_of(tmp_path)
    with pytest.raises(InputError, match=r"holds a thing already; overwrite=True \(--overwrite\)"):
        write(tmp_path, 2)
    write(tmp_path, 1, overwrite=True)  # the same again
    assert bytes_of(tmp_path) == before
    write(tmp_path, 2, overwrite=True)
    assert_whole(tmp_path, 2)


def test_writing_again_mends_what_was_damaged(tmp_path: Path) -> None:
    """Guards against trusting a folder because its name says what it should hold."""
    write(tmp_path)
    victim = data_folder(tmp_path) / "ids.0000.npy"
    victim.write_bytes(victim.read_bytes()[:-1] + b"!")
    write(tmp_path, overwrite=True)
    assert n_stored(tmp_path) == 3


class Crash(BaseException):
    """Something no code of ours catches, as a signal would be."""


def full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def crash(*_: Any, **__: Any) -> None:
    raise Crash("No space left")


STEPS = {
    "arrays": (np, "save"),
    "tables": (pl.DataFrame, "write_parquet"),
    "the manifest": (Path, "write_text"),
    "fsync": (os, "fsync"),
    "rename": (os, "rename"),
    "replace": (os, "replace"),
}


@pytest.mark.parametrize(("owner", "what"), STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("fail", [full, crash])
@pytest.mark.parametrize("before", [0, 1, 2], ids=["nothing", "another", "the same"])
def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, what: str, fail: Any, before: int
) -> None:
    """Wherever it comes, and also while the same is written again: the data in use must not be touched."""
    if before:
        write(tmp_path, before)
    with monkeypatch.context() as patch:
        patch.setattr(owner, what, fail)
        line = f"^{tmp_path}: cannot write the thing: No space left on device$"
        stopped = pytest.raises((InputError, Crash), match=line if fail is full else "No space left")
        with suppress(InputError, Crash) if before == 2 else stopped:
            write(tmp_path, 2, overwrite=True)
    assert not [name for name in names_in(tmp_path) if "unfinished" in name]
    if before:
        assert n_stored(tmp_path) == before
    else:
        with pytest.raises(InputError, match="no thing here"):
            n_stored(tmp_path)
    write(tmp_path, 3, overwrite=True)
    assert_whole(tmp_path, 3)


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
    assert_whole(tmp_path, 3)


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file of this process may grow beyond 5,000 bytes."""
    resource = pytest.importorskip("resource", reason="needs a limit on the size of files")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("size", [700, 100_000])
@pytest.mark.parametrize("table", [False, True])
def test_a_disk_that_takes_only_the_beginning_of_a_file(tmp_path: Path, size: int, table: bool) -> None:
    """Guards against np.save, which may cut a file short and say nothing, and Polars' own kind of error."""
    write(tmp_path, 1)
    before = bytes_of(tmp_path)
    values = np.random.default_rng(0).random(size)
    arrays, tables = ({}, {"t": pl.DataFrame({"x": values})}) if table else ({"x": values}, {})
    with pytest.raises(InputError, match=f"^{tmp_path}: cannot write the thing: File too large$"):
        store.write(
            tmp_path, declared("thing", (), arrays, tables), Stored({}, arrays, tables), overwrite=True
        )
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
    with pytest.raises(InputError, match="cannot write the thing: Not a directory"):
        write(file / "folder")
    assert file.read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc, where nobody may write")
def test_where_nobody_may_write() -> None:
    with pytest.raises(InputError, match="/proc/self/here: cannot write the thing: "):
        write(Path("/proc/self/here"))


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
NAMED, NUMBERED, ONE = (
    {"names": pl.DataFrame(each)} for each in ({"nom": ["a", "b"]}, {"name": [1, 2]}, {"name": ["a"]})
)
UNLIKE: dict[str, tuple[dict[str, Any], str]] = {
    "a fact of another type": ({"facts": {"n": 2.0}}, "n: found 2.0; expected the number of items"),
    "a fact that does not fit": ({"facts": {"n": 3}}, "n: found 3; expected 2, the number of items"),
    "a fact too many": ({"facts": {"n": 2, "m": 1}}, "found an unknown field 'm'"),
    "no JSON": ({"facts": {"n": object()}}, "not JSON serializable"),
    "objects": ({"items": np.array([object()])}, "allow_pickle"),
    "another type": ({"items": np.zeros(2, np.int64)}, "items is of type int64; expected <i4"),
    "two dimensions": ({"items": np.zeros((2, 1), np.int32)}, "items has 2 dimensions; expected 1"),
    "another length": ({"starts": np.zeros(2, np.int64)}, r"starts has 2 entries; expected 3 \(items\+1\)"),
    "no array": ({"items": None}, "items is missing"),
    "an array too many": ({"more": np.zeros(2)}, "more is no part of a thing"),
    "other columns": (NAMED, "names has the columns nom; expected name"),
    "a column of another type": (NUMBERED, "name is of type Int64; expected"),
    "other rows": (ONE, r"names has 1 entries; expected 2 \(items\)"),
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
    with pytest.raises((ValueError, TypeError), match=message):
        store.write(tmp_path, DECLARED, Stored(facts, arrays, tables), overwrite=True)
    assert bytes_of(tmp_path) == before
    assert len(names_in(tmp_path)) == 2


# ---------------------------------------------------------------------------------- several writers at once

# Every way in which two writers' steps can fall between each other.
ORDERS = sorted(set(permutations("aaaabbbb")))


def steps(directory: Path, n: int) -> Iterator[None]:
    """A writer that does one thing at a time."""
    with ExitStack() as stack:
        writer = stack.enter_context(Writer(directory, THING, overwrite=True))
        yield
        writer.write(ARRAYS, TABLES)
        yield
        writer.finish({**FACTS, "n": n})
        yield
    yield


@pytest.mark.parametrize("n", [2, 1], ids=["different things", "the same thing"])
def test_two_writers_whose_steps_fall_between_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # it only matters when the machine stops
    for number, order in enumerate(ORDERS):
        directory = tmp_path / str(number)
        writers = {"a": steps(directory, 1), "b": steps(directory, n)}
        finished, taken = 0, dict.fromkeys("ab", 0)
        for name in order:
            next(writers[name])
            taken[name] += 1
            if taken[name] == 3:
                finished = {"a": 1, "b": n}[name]
            if finished:
                assert n_stored(directory) == finished, order
        assert_whole(directory, finished)


def test_only_one_writer_may_make_a_new_thing(tmp_path: Path) -> None:
    with Writer(tmp_path, THING, overwrite=False) as late:
        late.write(ARRAYS, TABLES)
        write(tmp_path, 1)
        with pytest.raises(InputError, match="holds a thing already"):
            late.finish({**FACTS, "n": 2})
    assert_whole(tmp_path, 1)


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


# Write to one place, finish when told to, and write to another place.
PROCESS = """
import sys
from pathlib import Path
from small_thing import ARRAYS, FACTS, TABLES, THING
from topminer.store import Writer
for directory in sys.argv[1:]:
    with Writer(Path(directory), THING, overwrite=True) as writer:
        writer.write(ARRAYS, TABLES)
        print("written", flush=True)
        sys.stdin.readline()
        writer.finish({**FACTS, "n": 7})
"""


def test_another_process_that_writes_to_the_same_place_and_is_killed(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    paths = [*map(str, Path(__file__).parents[:2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-c", PROCESS, str(one), str(other)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            assert process.stdout.readline() == "written\n"
            write(one, 1)
            assert n_stored(one) == 1
            unfinished = [name for name in names_in(one) if "unfinished" in name]
            assert len(unfinished) == 1  # the other one's, which is at work
            process.stdin.write("go on\n")
            process.stdin.flush()
            assert process.stdout.readline() == "written\n"
        finally:
            process.send_signal(signal.SIGKILL)
    assert_whole(one, 7)
    (other / ".unfinished-0123456789abcdef").write_text("{")
    assert len(names_in(other)) == 2
    write(other, 1)
    assert_whole(other, 1)


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
    assert_whole(tmp_path, 2)


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_pipe_in_place_of_old_data_is_removed_and_never_opened(tmp_path: Path) -> None:
    """Guards against a writer that waits for ever for somebody to write to the pipe."""
    os.mkfifo(tmp_path / "thing-0123456789abcdef")
    remove(tmp_path / "thing-0123456789abcdef")
    assert not list(tmp_path.iterdir())


# ----------------------------------------------------------------------------------- several things as one


def test_several_things_as_one_and_back(tmp_path: Path) -> None:
    parts = {
        "corpus": Stored(FACTS, ARRAYS, TABLES),
        "topics": Stored({"n": 2}, {"ids": np.array([7]), "corpus-ids": np.array([8])}, {}),
        "nothing": Stored({}, {}, {}),
    }
    one = store.merged(parts)
    assert one.facts == {"corpus": FACTS, "topics": {"n": 2}, "nothing": {}}
    form = declared("thing", one.facts, one.arrays, one.tables)
    store.write(tmp_path, form, one, overwrite=False)
    assert {"corpus-ids.0000.npy", "topics-corpus-ids.0000.npy"} < names_in(data_folder(tmp_path))
    back = store.read(tmp_path, form)
    for name, each in parts.items():
        got = store.part(back, name)
        assert got.facts == each.facts
        assert (set(got.arrays), set(got.tables)) == (set(each.arrays), set(each.tables))
        for key, array in each.arrays.items():
            assert got.arrays[key].tolist() == array.tolist()
        for key, table in each.tables.items():
            assert_frame_equal(got.tables[key], table)


def test_a_part_that_is_missing() -> None:
    one = store.merged({"topics": Stored({}, {}, {}), "corpus": Stored({}, {}, {})})
    with pytest.raises(InputError, match=r"there is no phrases in what was stored; found: corpus, topics$"):
        store.part(one, "phrases")
    with pytest.raises(InputError, match="there is no corpus in what was stored; found: no parts"):
        store.part(Stored({"corpus": 3}, {"corpus-x": np.arange(2)}, {}), "corpus")
