"""Stored things written part by part, and read no further than asked."""

import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from stored_things import bytes_of, data_folder, manifest, rewrite

from topminer import InputError, store
from topminer.store import Opened, Unfinished

PART = 4
NUMBERS = np.arange(10, dtype=np.int32)
WORDS = pl.DataFrame({"word": [None, *(f"word {i}" for i in range(8))], "n": range(9)})
ARRAYS, TABLES = {"numbers": NUMBERS, "empty": np.zeros(0)}, {"words": WORDS, "none": pl.DataFrame({"x": []})}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PART_SIZE", PART)
    monkeypatch.setattr(store, "PART_ROWS", PART)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    store.write(tmp_path / "stored", "thing", {"n": 1}, ARRAYS, TABLES, overwrite=False)
    return tmp_path / "stored"


# ----------------------------------------------------------------------------------------- written


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, [(0, 0)]), (1, [(0, 1)]), (4, [(0, 4)]), (5, [(0, 4), (4, 5)]), (8, [(0, 4), (4, 8)])],
)
def test_bounds(size: int, expected: list[tuple[int, int]]) -> None:
    assert store.bounds(size, PART) == expected


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 8, 9])
def test_large_tables_are_stored_in_parts(tmp_path: Path, size: int) -> None:
    table = WORDS.head(size)
    store.write(tmp_path, "thing", {}, {}, {"t": table}, overwrite=False)
    n_parts = max(1, -(-size // PART))
    expected = [f"t.{number:04}.parquet" for number in range(n_parts)]
    assert sorted(path.name for path in data_folder(tmp_path).iterdir()) == expected
    assert_frame_equal(store.read(tmp_path, "thing").tables["t"], table)


def test_parts_by_hand_are_the_same_bytes(tmp_path: Path, directory: Path) -> None:
    with Unfinished(tmp_path / "by hand", "thing", overwrite=False) as unfinished:
        files = unfinished.files
        for name, start, stop in reversed(store.part_files("numbers", 10, "npy")):
            files[name] = store.write_array(unfinished.folder / name, NUMBERS[start:stop])
        for name, start, stop in store.part_files("words", 9, "parquet"):
            piece = pl.concat([WORDS[start : start + 1], WORDS[start + 1 : stop]])
            files[name] = store.write_table(unfinished.folder / name, piece)
        unfinished.write({"empty": np.zeros(0)}, {"none": TABLES["none"]})
        unfinished.finish({"n": 1})
    assert bytes_of(tmp_path / "by hand") == bytes_of(directory)


def test_what_is_not_finished_is_removed(directory: Path) -> None:
    before = bytes_of(directory)
    with Unfinished(directory, "thing", overwrite=True) as unfinished:
        unfinished.write({"numbers": NUMBERS}, {})
        assert unfinished.folder.is_dir()
    with pytest.raises(ZeroDivisionError), Unfinished(directory, "thing", overwrite=True) as unfinished:
        unfinished.write({"numbers": NUMBERS}, {})
        1 / 0  # noqa: B018
    assert bytes_of(directory) == before
    assert len(list(directory.iterdir())) == 2


def test_what_a_crash_left_is_no_part_of_it(tmp_path: Path) -> None:
    left = tmp_path / ".thing-unfinished"
    left.mkdir()
    (left / "numbers.0007.npy").touch()
    store.write(tmp_path, "thing", {}, {"numbers": NUMBERS}, {}, overwrite=False)
    assert len(list(data_folder(tmp_path).iterdir())) == 3


def test_a_thing_that_is_there_already(directory: Path) -> None:
    with pytest.raises(InputError, match="holds a thing already"):
        Unfinished(directory, "thing", overwrite=False)


# ----------------------------------------------------------------------------------------- linked


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The bytes that linking should give."""
    arrays, tables = {"a-numbers": NUMBERS}, {"a-words": WORDS}
    store.write(tmp_path / "other", "other", {"n": 2}, arrays, tables, overwrite=False)
    return tmp_path / "other"


def link(source: Path, target: Path) -> None:
    with Unfinished(target, "other", overwrite=False) as unfinished:
        unfinished.link(Opened(source, "thing"), {"numbers": "a-numbers", "words": "a-words"})
        unfinished.finish({"n": 2})


def test_links_to_what_another_thing_has(tmp_path: Path, directory: Path, other: Path) -> None:
    link(directory, tmp_path / "linked")
    assert bytes_of(tmp_path / "linked") == bytes_of(other)
    for path in (tmp_path / "linked").rglob("a-*"):
        assert path.samefile(data_folder(directory) / path.name.removeprefix("a-"))


def test_copies_where_there_are_no_links(
    tmp_path: Path, directory: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    link(directory, tmp_path / "copied")
    assert bytes_of(tmp_path / "copied") == bytes_of(other)
    assert {path.stat().st_nlink for path in (tmp_path / "copied").rglob("a-*")} == {1}


def test_a_linked_file_is_never_written_to(tmp_path: Path, directory: Path) -> None:
    before = bytes_of(directory)
    with Unfinished(tmp_path / "new", "thing", overwrite=False) as unfinished:
        unfinished.link(Opened(directory, "thing"), {"numbers": "numbers", "words": "words"})
        unfinished.write({"numbers": NUMBERS + 1}, {"words": WORDS.reverse()})
        unfinished.finish({})
    assert bytes_of(directory) == before
    assert store.read(tmp_path / "new", "thing").arrays["numbers"].tolist() == (NUMBERS + 1).tolist()


def test_a_link_to_what_is_missing(tmp_path: Path, directory: Path) -> None:
    (data_folder(directory) / "numbers.0001.npy").unlink()
    with pytest.raises(InputError, match="cannot write the other: No such file"):
        link(directory, tmp_path / "linked")


# ------------------------------------------------------------------------- tables in one file: format 1


def as_format_1(directory: Path) -> None:
    """Make of a stored thing what an older topminer would have written."""
    folder, tables = data_folder(directory), store.read(directory, "thing").tables
    files = {name: known for name, known in manifest(directory)["files"].items() if name.endswith("npy")}
    for name, table in tables.items():
        for path in folder.glob(f"{name}.*.parquet"):
            path.unlink()
        table.write_parquet(folder / f"{name}.parquet")
        files[f"{name}.parquet"] = hashlib.sha256((folder / f"{name}.parquet").read_bytes()).hexdigest()
    rewrite(directory, lambda content: content.update(format=1, files=files))


def test_tables_in_one_file_are_still_read(directory: Path) -> None:
    as_format_1(directory)
    stored = store.read(directory, "thing")
    assert stored.arrays["numbers"].tolist() == NUMBERS.tolist()
    for name, table in TABLES.items():
        assert_frame_equal(stored.tables[name], table)


def test_tables_in_one_file_are_linked_in_parts(tmp_path: Path, directory: Path, other: Path) -> None:
    as_format_1(directory)
    link(directory, tmp_path / "linked")
    assert bytes_of(tmp_path / "linked") == bytes_of(other)


# ------------------------------------------------------------------------------------------- read


def test_what_there_is(directory: Path) -> None:
    opened = Opened(directory, "thing")
    assert opened.facts == {"n": 1}
    assert opened.lengths() == {"numbers": 10, "empty": 0}
    assert opened.tables == ["none", "words"]
    assert_frame_equal(opened.table("words"), WORDS)
    stored = opened.stored(lambda name: name in ("numbers", "none"))
    assert (list(stored.arrays), list(stored.tables)) == (["numbers"], ["none"])


@pytest.fixture(scope="module")
def many_sizes(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Arrays of 0 to 20 numbers, named by their size."""
    folder = tmp_path_factory.mktemp("slices")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "PART_SIZE", PART)
        arrays = {str(size): np.arange(size) / 2 for size in range(21)}
        store.write(folder, "thing", {}, arrays, {}, overwrite=False)
    return Opened(folder, "thing")


@given(st.integers(0, 20), st.integers(-25, 25), st.none() | st.integers(-25, 25))
def test_any_slice(many_sizes: Opened, size: int, start: int, stop: int | None) -> None:
    array, found = np.arange(size) / 2, many_sizes.array(str(size), start, stop)
    assert (found.tolist(), found.dtype) == (array[start:stop].tolist(), array.dtype)
    assert not isinstance(found, np.memmap)


def test_arrays_of_two_dimensions(tmp_path: Path) -> None:
    table = np.arange(22).reshape(11, 2)
    store.write(tmp_path, "thing", {}, {"x": table, "turned": table.T}, {}, overwrite=False)
    opened = Opened(tmp_path, "thing")
    assert opened.array("x").tolist() == table.tolist()
    assert opened.array("x", 3, 9).tolist() == table[3:9].tolist()
    assert opened.array("turned").tolist() == table.T.tolist()


def test_only_what_is_needed_is_looked_at(directory: Path) -> None:
    folder = data_folder(directory)
    for name in ("numbers.0000.npy", "words.0001.parquet"):
        content = bytearray((folder / name).read_bytes())
        content[-1] ^= 1
        (folder / name).write_bytes(content)
    opened = Opened(directory, "thing")
    assert opened.array("numbers", 4).tolist() == [4, 5, 6, 7, 8, 9]
    for look in (lambda: opened.array("numbers", 3, 5), lambda: opened.table("words")):
        with pytest.raises(InputError, match=r"0\.npy: not what was written|1\.parquet: not what was writ"):
            look()


def test_each_process_checks_each_file_once(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    known = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in directory.rglob("*.*.*")}
    monkeypatch.setattr(
        "topminer._opened.checksum", lambda path: looked_at.append(path.name) or known[path.name]
    )
    opened = Opened(directory, "thing")
    opened.array("numbers", 5, 6)
    opened.array("numbers", 6, 9)
    opened.table("none")
    opened.table("none")
    assert looked_at == ["numbers.0001.npy", "numbers.0002.npy", "none.0000.parquet"]
    sent = pickle.loads(pickle.dumps(opened))
    assert sent.array("numbers", 5, 7).tolist() == [5, 6]
    assert looked_at[3:] == ["numbers.0001.npy"]


@pytest.mark.parametrize("name", ["numbers.0001.npy", "numbers.0002.npy", "words.0002.parquet"])
def test_a_missing_part(directory: Path, name: str) -> None:
    (data_folder(directory) / name).unlink()
    with pytest.raises(InputError, match=f"{name}: missing; the thing is damaged"):
        store.read(directory, "thing")


@pytest.mark.parametrize(
    "names",
    [
        ["numbers.0000.npy", "numbers.0002.npy"],
        ["numbers.0001.npy"],
        ["numbers.0000.npy", "numbers.0000.parquet"],
        ["numbers.0000.parquet", "numbers.parquet"],
        ["numbers.npy"],
        ["numbers.0000.txt"],
        ["numbers.one.npy"],
        [".npy"],
    ],
)
def test_names_that_do_not_fit(directory: Path, names: list[str]) -> None:
    rewrite(directory, lambda content: content.update(files=dict.fromkeys(names, "0")))
    with pytest.raises(InputError, match=r"thing\.json: damaged: "):
        Opened(directory, "thing")


def test_more_parts_than_four_digits_tell(directory: Path) -> None:
    """Guards against an order by name, in which part 10000 follows part 1000."""
    names = [f"x.{number:04}.npy" for number in range(10_002)]
    rewrite(directory, lambda content: content.update(files=dict.fromkeys(sorted(names), "0")))
    assert [path.name for path, _ in Opened(directory, "thing").parts("x")] == names


@pytest.mark.parametrize(
    "strange",
    [
        np.arange(4, dtype=np.int64),
        np.zeros((4, 2), np.int32),
        np.int32(3),
        np.array([None] * 4),
        "longer",
        "shorter",
        "nothing",
    ],
    ids=str,
)
def test_parts_that_are_not_of_the_array(directory: Path, strange: Any) -> None:
    """The checksums are right: a stranger made them."""
    path = data_folder(directory) / "numbers.0001.npy"
    content = path.read_bytes()
    if isinstance(strange, str):
        path.write_bytes({"longer": content + b"more", "shorter": content[:-1], "nothing": b""}[strange])
    else:
        np.save(path, strange, allow_pickle=True)
    known = hashlib.sha256(path.read_bytes()).hexdigest()
    rewrite(directory, lambda content: content["files"].update({path.name: known}))
    for look in (lambda opened: opened.array("numbers", 5, 6), lambda opened: opened.lengths()):
        with pytest.raises(InputError, match=r"0001\.npy: not an array or table that topminer wrote"):
            look(Opened(directory, "thing"))


def test_tables_whose_parts_have_other_columns(directory: Path) -> None:
    path = data_folder(directory) / "words.0001.parquet"
    WORDS.rename({"n": "m"}).write_parquet(path)
    known = hashlib.sha256(path.read_bytes()).hexdigest()
    rewrite(directory, lambda content: content["files"].update({path.name: known}))
    with pytest.raises(InputError, match="not an array or table that topminer wrote"):
        store.read(directory, "thing")
