"""Stored things, read no further than asked, and nothing of them taken on trust."""

import os
import pickle
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from directories import checksum_of, data_folder, forge, rewrite, with_right_checksum
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from small_thing import FACTS, LARGE, NUMBERS, PARTS, THING, WORDS, n_stored, write
from stored_things import declared

from topminer import InputError, store
from topminer.store import Reader, Stored, contents
from topminer.store import reader as reading
from topminer.store import writer as writing
from topminer.store.facts import Record
from topminer.store.schema import Array, Column, Format, Range, Relation, Section, Table


@pytest.fixture
def directory(tmp_path: Path, small_parts: None) -> Path:
    """Numbers in three parts, words likewise."""
    store.write(tmp_path / "stored", PARTS, LARGE, overwrite=False)
    return tmp_path / "stored"


def refused(directory: Path, form: Format, message: str) -> None:
    with pytest.raises(InputError, match=message):
        store.read(directory, form)


# ------------------------------------------------------------------------------------------- read


def test_what_there_is(directory: Path) -> None:
    reader = Reader(directory, PARTS)
    assert reader.facts == {"n": 1}
    assert reader.lengths() == {"numbers": 10, "empty": 0}
    assert reader.tables == ["words", "none"]
    assert_frame_equal(reader.table("words"), WORDS)
    some = reader.stored(["numbers", "words"])
    assert some.arrays["numbers"].tolist() == NUMBERS.tolist() and list(some.arrays) == ["numbers"]
    assert_frame_equal(some.tables["words"], WORDS)


@pytest.fixture(scope="module")
def many_sizes(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Arrays of 0 to 20 numbers, named by their size."""
    folder = tmp_path_factory.mktemp("slices")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "PART_SIZE", 4)
        arrays = {str(size): np.arange(size) / 2 for size in range(21)}
        form = declared("thing", (), arrays)
        store.write(folder, form, Stored({}, arrays, {}), overwrite=False)
    return Reader(folder, form)


@given(st.integers(0, 20), st.integers(-25, 25), st.none() | st.integers(-25, 25))
def test_any_slice(many_sizes: Reader, size: int, start: int, stop: int | None) -> None:
    array, found = np.arange(size) / 2, many_sizes.array(str(size), start, stop)
    assert (found.tolist(), found.dtype) == (array[start:stop].tolist(), array.dtype)
    assert not isinstance(found, np.memmap)


def test_only_what_is_needed_is_looked_at(directory: Path) -> None:
    folder = data_folder(directory)
    for name in ("numbers.0000.npy", "words.0001.parquet"):
        content = bytearray((folder / name).read_bytes())
        content[-1 if name.endswith("npy") else 20] ^= 1
        (folder / name).write_bytes(content)
    reader = Reader(directory, PARTS)
    assert reader.array("numbers", 4).tolist() == [4, 5, 6, 7, 8, 9]
    for look in (lambda: reader.array("numbers", 3, 5), lambda: reader.table("words")):
        with pytest.raises(InputError, match=r"(0\.npy|1\.parquet): damaged: not what was written"):
            look()


def test_each_process_checks_each_file_once(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    checksum = reading.checksum

    def watched(file: Any) -> str:
        looked_at.append(Path(os.readlink(f"/proc/self/fd/{file.fileno()}")).name)
        return checksum(file)

    monkeypatch.setattr(reading, "checksum", watched)
    reader = Reader(directory, PARTS)
    reader.array("numbers", 5, 6)
    reader.array("numbers", 6, 9)
    reader.table("none")
    reader.table("none")
    assert looked_at == ["numbers.0001.npy", "numbers.0002.npy", "none.0000.parquet"]
    sent = pickle.loads(pickle.dumps(reader))
    assert sent.array("numbers", 5, 7).tolist() == [5, 6]
    assert looked_at[3:] == ["numbers.0001.npy"]


@pytest.mark.parametrize("name", ["numbers.0001.npy", "numbers.0002.npy", "words.0002.parquet", ""])
def test_a_missing_part(directory: Path, name: str) -> None:
    """Or the whole folder."""
    if name:
        (data_folder(directory) / name).unlink()
    else:
        shutil.rmtree(data_folder(directory))
    refused(directory, PARTS, f"{name}: missing; the thing is damaged")


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
    refused(directory, PARTS, r"thing\.json: damaged: ")


def test_more_parts_than_four_digits_tell() -> None:
    """Guards against an order by name, in which part 10000 follows part 1000."""
    names = [f"words.{number:04}.npy" for number in range(10_002)]
    assert contents._by_name(sorted(names)) == {"words": names}


@pytest.mark.parametrize(
    ("strange", "message"),
    [
        (np.arange(4, dtype=np.int64), "numbers is of type int64; expected <i4"),
        (np.zeros((4, 2), np.int32), "numbers has 2 dimensions; expected 1"),
        (np.int32(3), "numbers has 0 dimensions; expected 1"),
        (np.array([None] * 4), "the file's length is not what its header says"),
        (np.zeros(0, np.int32), "numbers has a part without values"),
        ("longer", "the file's length is not what its header says"),
        ("shorter", "the file's length is not what its header says"),
        ("nothing", "not an array that topminer wrote"),
    ],
    ids=lambda value: str(value)[:30],
)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_parts_that_are_not_of_the_array(directory: Path, strange: Any, message: str, number: int) -> None:
    """The checksums are right: a stranger made them."""
    path = data_folder(directory) / f"numbers.{number:04}.npy"
    content = path.read_bytes()
    if isinstance(strange, str):
        path.write_bytes({"longer": content + b"more", "shorter": content[:-1], "nothing": b""}[strange])
    else:
        np.save(path, strange, allow_pickle=True)
    with_right_checksum(path)
    # Of several types, the first is taken for the right one.
    refused(directory, PARTS, f"{message}|numbers is of several types")


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (WORDS.rename({"n": "m"}), "words has the columns word, m; expected word, n"),
        (WORDS.with_columns(pl.col("n").cast(pl.Int32)), "words: n is of type Int32; expected Int64"),
        *((content, "not a table that topminer wrote") for content in (b"", b"PAR1" * 5, b"\0" * 1000)),
    ],
)
def test_parts_that_are_not_of_the_table(directory: Path, new: pl.DataFrame | bytes, message: str) -> None:
    path = data_folder(directory) / "words.0001.parquet"
    if isinstance(new, bytes):
        path.write_bytes(new)
    else:
        new.write_parquet(path)
    with_right_checksum(path)
    refused(directory, PARTS, rf"words\.0001\.parquet: damaged: {message}")


# --------------------------------------------------------------------------------------- values are checked


def numbers_fit(names: pl.DataFrame, rising: np.ndarray) -> bool:
    return bool(names["n"].sum() == rising.size)


CHECKED = Format(
    "thing",
    {
        "": Section(
            Record({}),
            {
                "starts": Array("<i8", "items+1", order="ascending", ends="tokens"),
                "rising": Array("<i8", "rising", order="strict"),
                "ids": Array("<i4", "tokens", Range(low=0, below="items")),
            },
            {"names": Table("items", {"name": Column(pl.String), "n": Column(pl.Int64, Range(low=0))})},
            (Relation("every item has its number", ("names", "rising"), numbers_fit),),
        )
    },
)
GOOD = Stored(
    {},
    {
        "starts": np.array([0, 0, 1, 3, 3, 5, 6, 6, 7]),
        "rising": np.arange(9),
        "ids": np.array([0, 1, 2, 3, 4, 5, 7], np.int32),
    },
    {"names": pl.DataFrame({"name": list("abcdefgh"), "n": [1, 1, 1, 1, 1, 1, 1, 2]})},
)


@pytest.fixture
def checked(tmp_path: Path, small_parts: None) -> Path:
    store.write(tmp_path, CHECKED, GOOD, overwrite=False)
    store.read(tmp_path, CHECKED)
    return tmp_path


NAMES = GOOD.tables["names"][4:]
BAD: dict[str, tuple[str, Any, str]] = {
    "a value too low": ("ids.0001", [4, -1, 7], "ids has values from -1 to 7; expected from 0 below items"),
    "a value too high": ("ids.0001", [4, 5, 8], "ids has the value 8; expected less than 8"),
    "no order within a part": ("starts.0001", [3, 6, 5, 6], "starts does not ascend"),
    "no order between parts": ("starts.0001", [2, 5, 6, 6], "starts does not ascend"),
    "no strict order between parts": ("rising.0001", [3, 5, 6, 7], "rising does not ascend"),
    "another start": ("starts.0000", [1, 1, 1, 3], "starts starts at 1; expected 0"),
    "another end": ("starts.0002", [8], r"starts ends at 8; expected 7 \(tokens\)"),
    "a row too low": ("names.0001", NAMES.with_columns(n=-pl.col("n")), "names: n has values from -2 to -1"),
    "no number": ("names.0001", NAMES.with_columns(n=pl.lit(None, pl.Int64)), "names: n has rows without"),
}


@pytest.mark.parametrize(("part", "values", "message"), BAD.values(), ids=BAD)
def test_values_that_are_not_as_declared(checked: Path, part: str, values: Any, message: str) -> None:
    name = part.partition(".")[0]
    [path] = data_folder(checked).glob(f"{part}.*")
    if name == "names":
        values.write_parquet(path)
    else:
        np.save(path, np.array(values, np.load(path).dtype))
    with_right_checksum(path)
    reader = Reader(checked, CHECKED)
    for read in (*[reader.table if name == "names" else reader.array] * 2, lambda _: reader.stored()):
        with pytest.raises(InputError, match=rf"{path.name}: damaged: {message}"):
            read(name)  # also when it is asked for again


def test_a_part_without_values_hides_nothing(checked: Path) -> None:
    """Guards against an empty last part, of which nothing can be compared with where offsets should end."""
    for number, values in ((2, [99]), (3, [])):
        path = data_folder(checked) / f"starts.{number:04}.npy"
        np.save(path, np.array(values, np.int64))
        with_right_checksum(path)
    refused(checked, CHECKED, r"starts\.0003\.npy: damaged: starts has a part without values")


def test_a_relation_that_does_not_hold(checked: Path) -> None:
    forge(checked, "thing", names=GOOD.tables["names"].with_columns(n=pl.lit(1, pl.Int64)))
    for names in (None, ["rising"]):
        with pytest.raises(
            InputError, match=r"thing\.json: damaged: names, rising: expected that every item"
        ):
            Reader(checked, CHECKED).stored(names)
    assert Reader(checked, CHECKED).stored(["ids"]).arrays["ids"].size == 7


SUMS = Format(
    "sums",
    {
        "": Section(
            arrays={
                "totals": Array("<i8", "items"),
                "items": Array("<i8", "documents", documents=True),
                "counts": Array("<i8", "documents", documents=True),
            },
            relations=(
                Relation(
                    "counts add up to the totals",
                    ("totals", "items", "counts"),
                    lambda totals, items, counts: np.array_equal(np.bincount(items, counts), totals),
                ),
            ),
        )
    },
)


def test_a_part_of_documents_is_compared_with_others_when_it_is_read(tmp_path: Path) -> None:
    arrays = {"totals": np.array([3, 4]), "items": np.array([0, 1, 0]), "counts": np.array([1, 4, 1])}
    store.write(tmp_path, SUMS, Stored({}, arrays, {}), overwrite=False)
    reader = Reader(tmp_path, SUMS)
    assert reader.stored(["totals"]).arrays["totals"].tolist() == [3, 4]  # documents are not needed for this
    for read_first in ("items", "counts"):
        with pytest.raises(InputError, match="expected that counts add up to the totals"):
            reader.stored([read_first])


def test_another_process_checks_values_for_itself(checked: Path) -> None:
    reader = Reader(checked, CHECKED)
    reader.stored()
    np.save(data_folder(checked) / "ids.0001.npy", np.array([4, 5, 8], np.int32))
    sent = pickle.loads(pickle.dumps(reader))
    with pytest.raises(InputError, match="checksum differs"):
        sent.array("ids")


# ----------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize("directory", ["", "nowhere", "file"])
def test_nothing_there(tmp_path: Path, directory: str) -> None:
    (tmp_path / "file").touch()
    refused(tmp_path / directory, THING, r"no thing here \(there is no thing\.json\)|Not a directory")


FOREIGN = "not written by topminer: expected the manifest of a thing"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        *((text, "damaged: not JSON") for text in (b"", b"{", b"\0\1", b'{"kind": "thing", }', b'"\xff"')),
        (b"[" * 100_000, "damaged: not JSON"),
        *((text, FOREIGN) for text in (b"[]", b"1", b"null", b'"thing"', b"{}", b'{"kind": "other"}')),
    ],
    ids=lambda each: str(each)[:20],
)
def test_a_manifest_that_is_none(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "thing.json").write_bytes(content)
    refused(tmp_path, THING, rf"thing\.json: {message}")


def test_a_manifest_that_is_too_long(tmp_path: Path) -> None:
    write(tmp_path)
    with (tmp_path / "thing.json").open("r+b") as file:
        file.truncate((64 << 20) + 1)  # zeros that take no room
    refused(tmp_path, THING, r"thing\.json: damaged: longer than 64 MiB")


NEWER, OLDER = "a newer topminer wrote it", "make it anew"


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        *((number, NEWER) for number in (store.FORMAT + 1, 99, 10**30)),
        *((number, OLDER) for number in (1, 2, None, "3", float(store.FORMAT), True)),
    ],
)
def test_another_format(tmp_path: Path, number: Any, hint: str) -> None:
    write(tmp_path)
    rewrite(tmp_path, lambda content: content.update(format=number))
    refused(tmp_path, THING, f"format {str(number)[:20]}; this topminer reads format {store.FORMAT}: {hint}")


@pytest.mark.parametrize("where", [0, 50, -1])
@pytest.mark.parametrize("name", ["ids.0000.npy", "words.0000.parquet"])
def test_one_changed_byte(tmp_path: Path, name: str, where: int) -> None:
    write(tmp_path)
    victim = data_folder(tmp_path) / name
    content = bytearray(victim.read_bytes())
    content[where] ^= 1
    victim.write_bytes(content)
    refused(tmp_path, THING, rf"{name}: damaged: ")


OUTSIDE = "outside.npy"
SPOILED: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "..": lambda content, known: content.update(data="..", files={OUTSIDE: known}),
    "../..": lambda content, known: content.update(data="../..", files={OUTSIDE: known}),
    "../../file": lambda content, known: content.update(files={f"../../{OUTSIDE}": known}),
    "/etc/file": lambda content, known: content.update(files={f"/etc/{OUTSIDE}": known}),
    "list": lambda content, known: content.update(files=[OUTSIDE]),
    "no list": lambda content, known: content.update(files=None),
    **{
        f"data {data!r:.9}": lambda content, known, data=data: content.update(data=data)
        for data in ("/etc", ".", "", None, "a\0b", "\ud800", "x" * 5000)
    },
    **{
        f"no {name}": lambda content, known, name=name: content.pop(name)
        for name in ("data", "files", "facts")
    },
    "NUL in a file": lambda content, known: content["files"].update({"ids\0.0000.npy": known}),
    "a number for a checksum": lambda content, known: content["files"].update({"ids.0000.npy": 7}),
    "a field too many": lambda content, known: content.update(more=1),
    **{
        f"facts {facts!r:.9}": lambda content, known, facts=facts: content.update(facts=facts)
        for facts in ({}, {**FACTS, "more": 1}, [], None, "facts")
    },
    **{
        f"without {name}": lambda content, known, name=name: content["files"].pop(name)
        for name in ("ids.0000.npy", "starts.0000.npy", "words.0000.parquet")
    },
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_manifest_that_is_spoiled(tmp_path: Path, spoil: Callable[[dict[str, Any], str], Any]) -> None:
    """It names files elsewhere, for instance, which are there and have the right checksum."""
    write(tmp_path / "stored")
    np.save(tmp_path / OUTSIDE, np.arange(3))
    rewrite(tmp_path / "stored", lambda content: spoil(content, checksum_of(tmp_path / OUTSIDE)))
    refused(tmp_path / "stored", THING, r"damaged|File name too long")


class Trap:
    """Loading a pickle of it would make a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self.folder),))


@pytest.mark.parametrize("name", ["ids.0000.npy", "words.0000.parquet", "ids.0000.txt"])
def test_files_that_are_not_what_their_names_say(tmp_path: Path, name: str) -> None:
    """The checksums are right: a stranger made them."""
    write(tmp_path)
    victim = data_folder(tmp_path) / name
    with victim.open("wb") as file:
        np.save(file, np.array([Trap(tmp_path / "trapped")], object), allow_pickle=True)
    with_right_checksum(victim)
    refused(tmp_path, THING, "thing")
    assert not (tmp_path / "trapped").exists()


def test_a_file_that_nobody_declared(tmp_path: Path) -> None:
    """In the manifest it is refused; in the folder it is of no interest."""
    write(tmp_path)
    stray = data_folder(tmp_path) / "more.0000.npy"
    np.save(stray, np.arange(3))
    (tmp_path / "notes.txt").write_text("mine")
    assert n_stored(tmp_path) == 3
    with_right_checksum(stray)
    refused(tmp_path, THING, r"thing\.json: damaged: more is no part of a thing")


def test_an_array_in_place_of_a_table(tmp_path: Path) -> None:
    write(tmp_path)
    folder = data_folder(tmp_path)
    shutil.copyfile(folder / "ids.0000.npy", folder / "words.0000.npy")
    rewrite(tmp_path, lambda content: content["files"].pop("words.0000.parquet"))
    with_right_checksum(folder / "words.0000.npy")
    refused(tmp_path, THING, r"words\.0000\.npy is of the wrong kind; expected \.parquet")


def link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


STRANGE: dict[str, Callable[[Path], Any]] = {
    "a pipe": os.mkfifo,
    "a link to a pipe": link_to_pipe,
    "endless zeros": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link to itself": lambda path: path.symlink_to(path.name),
}


@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and links")
@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("name", ["thing.json", "ids.0000.npy", "words.0000.parquet"])
def test_what_is_no_ordinary_file(tmp_path: Path, make: Callable[[Path], Any], name: str) -> None:
    write(tmp_path)
    path = tmp_path / name if name == "thing.json" else data_folder(tmp_path) / name
    path.unlink()
    make(path)
    refused(tmp_path, THING, rf"{name}: (is not an ord|missing|Too many)|there is no thing\.json")


def test_links_to_ordinary_files_are_read(tmp_path: Path) -> None:
    write(tmp_path / "stored")
    (tmp_path / "linked").mkdir()
    for path in (tmp_path / "stored").iterdir():
        (tmp_path / "linked" / path.name).symlink_to(path)
    assert n_stored(tmp_path / "linked") == 3
