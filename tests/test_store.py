"""Directories of arrays and tables: nothing half-written, nothing taken on trust."""

import errno
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from stored_things import bytes_of, data_folder, manifest, rewrite

from topminer import InputError, store
from topminer.store import Stored

FACTS: dict[str, Any] = {"name": "näme", "n": 3, "nested": {"list": [1, None, "x"]}}
ARRAYS = {
    "ids": np.arange(10, dtype=np.int32),
    "starts": np.array([0, 5, 10], np.int64),
    "empty": np.zeros(0),
}
TABLES = {"words": pl.DataFrame({"word": ["a", "é", None], "n": [1, 2, 3]}), "none": pl.DataFrame({"x": []})}


def write(directory: Path, n: int = 3, *, overwrite: bool = False, kind: str = "thing") -> None:
    store.write(directory, kind, {**FACTS, "n": n}, ARRAYS, TABLES, overwrite=overwrite)


def n_stored(directory: Path) -> int:
    return int(store.read(directory, "thing").facts["n"])


# --------------------------------------------------------------------------------- there and back


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    write(tmp_path / "new" / "folder")
    stored = store.read(tmp_path / "new" / "folder", "thing")
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
    assert {path.name for path in tmp_path.iterdir()} == {"thing.json", manifest(tmp_path)["data"]}
    assert {path.suffix for path in data_folder(tmp_path).iterdir()} == {".npy", ".parquet"}


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 8, 9])
def test_large_arrays_are_stored_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(store, "PART_SIZE", 4)
    array = np.arange(size, dtype=np.uint16)
    store.write(tmp_path, "thing", {}, {"x": array}, {}, overwrite=False)
    assert len(list(data_folder(tmp_path).iterdir())) == max(1, -(-size // 4))
    assert store.read(tmp_path, "thing").arrays["x"].tolist() == array.tolist()


def test_two_kinds_in_one_directory(tmp_path: Path) -> None:
    write(tmp_path, 1)
    write(tmp_path, 2, kind="other")
    write(tmp_path, 3, overwrite=True)
    assert n_stored(tmp_path) == 3
    assert store.read(tmp_path, "other").facts["n"] == 2


def test_a_kind_whose_name_starts_like_another(tmp_path: Path) -> None:
    """Guards against cleaning up by ``thing-*``, which is also the start of ``thing-two-...``."""
    write(tmp_path, 2, kind="thing-two")
    write(tmp_path, 1)
    assert store.read(tmp_path, "thing-two").facts["n"] == 2


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


def table_bytes(directory: Path, table: pl.DataFrame) -> dict[str, bytes]:
    store.write(directory, "thing", {}, {}, {"t": table}, overwrite=False)
    return bytes_of(directory)


def test_a_table_made_of_many_pieces(tmp_path: Path) -> None:
    n = 3 * store.ROW_GROUP_SIZE // 2
    numbers = np.arange(n)
    whole = pl.DataFrame({"n": numbers, "word": [f"a word of the vocabulary, {i % 9999}" for i in range(n)]})
    chunks = pl.concat([whole[i : i + 7777] for i in range(0, n, 7777)], rechunk=False)
    grown = pl.concat([whole, whole.with_columns(pl.col("word") + "!")]).filter(pl.int_range(pl.len()) < n)
    assert (whole.n_chunks(), chunks.n_chunks()) == (1, -(-n // 7777))
    expected = table_bytes(tmp_path / "whole", whole)
    for name, table in {"chunks": chunks, "grown": grown, "sorted": whole.sort("n")}.items():
        assert table_bytes(tmp_path / name, table) == expected, name
    [file] = data_folder(tmp_path / "chunks").iterdir()
    assert_frame_equal(pl.read_parquet(file), whole)


def test_the_rows_of_a_table_are_cut_where_we_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against bounds that a version of Polars, or the chunks of a table, decide."""
    given: list[tuple[int, dict[str, Any]]] = []
    monkeypatch.setattr(
        pl.DataFrame,
        "write_parquet",
        lambda table, path, **options: given.append((table.n_chunks(), options)) or path.touch(),
    )
    half = pl.DataFrame({"x": [1]})
    store.write(tmp_path, "thing", {}, {}, {"t": pl.concat([half, half], rechunk=False)}, overwrite=False)
    options = {"compression": "zstd", "compression_level": 3, "statistics": True, "row_group_size": 1 << 17}
    assert given == [(1, options)]


@pytest.mark.parametrize(
    "same",
    [np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2], lambda x: x[::-1].copy()[::-1]],
    ids=["by columns", "every other", "backwards"],
)
def test_an_array_however_it_lies_in_memory(tmp_path: Path, same: Callable[[Any], Any]) -> None:
    array = np.arange(12).reshape(3, 4)
    for name, each in {"a": array, "b": same(array)}.items():
        store.write(tmp_path / name, "thing", {}, {"x": each}, {}, overwrite=False)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")
    assert store.read(tmp_path / "b", "thing").arrays["x"].tolist() == array.tolist()


# ------------------------------------------------------------------------------ several things as one


def test_several_things_as_one_and_back(tmp_path: Path) -> None:
    corpus = Stored(FACTS, ARRAYS, TABLES)
    topics = Stored({"n": 2}, {"ids": np.array([7]), "corpus-ids": np.array([8])}, {})
    one = store.merged({"corpus": corpus, "topics": topics, "nothing": Stored({}, {}, {})})
    assert one.facts == {"corpus": FACTS, "topics": {"n": 2}, "nothing": {}}
    assert {"corpus-ids", "topics-ids", "topics-corpus-ids"} < set(one.arrays)
    assert set(one.tables) == {"corpus-words", "corpus-none"}
    store.write(tmp_path, "thing", one.facts, one.arrays, one.tables, overwrite=False)
    assert "corpus-ids.0000.npy" in {path.name for path in data_folder(tmp_path).iterdir()}
    back = store.read(tmp_path, "thing")
    for name, each in {"corpus": corpus, "topics": topics, "nothing": Stored({}, {}, {})}.items():
        got = store.part(back, name)
        assert got.facts == each.facts
        assert {key: array.tolist() for key, array in got.arrays.items()} == {
            key: array.tolist() for key, array in each.arrays.items()
        }
        assert set(got.tables) == set(each.tables)
    assert_frame_equal(store.part(back, "corpus").tables["words"], TABLES["words"])


def test_parts_of_parts() -> None:
    inner = store.merged({"b": Stored({"n": 1}, {"x": np.arange(2)}, {})})
    got = store.part(store.part(store.merged({"a": inner, "b": inner}), "a"), "b")
    assert got.facts == {"n": 1}
    assert set(got.arrays) == {"x"}


def test_a_part_that_is_missing() -> None:
    one = store.merged({"topics": Stored({}, {}, {}), "corpus": Stored({}, {}, {})})
    with pytest.raises(InputError, match=r"there is no phrases in what was stored; found: corpus, topics$"):
        store.part(one, "phrases")
    with pytest.raises(InputError, match="there is no corpus in what was stored; found: no parts"):
        store.part(Stored({"corpus": 3}, {"corpus-x": np.arange(2)}, {}), "corpus")


@pytest.mark.parametrize("name", ["", "a-b", "a.b", "a/b", "a b"])
def test_a_part_whose_name_would_not_come_back(name: str) -> None:
    with pytest.raises(ValueError, match="a part's name is letters, digits and underscores"):
        store.merged({name: Stored({}, {}, {})})


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
    assert {path.name for path in tmp_path.iterdir()} == {"thing.json", data_folder(tmp_path).name}


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
            patch.setattr(store, "write_atomically", fail)
        else:
            patch.setattr(os, where, fail)
        stopped = pytest.raises((InputError, Crash), match="No space left")
        with stopped if n == 2 else suppress(InputError, Crash):
            write(tmp_path, n, overwrite=True)
    assert n_stored(tmp_path) == 1
    write(tmp_path, 3, overwrite=True)
    assert n_stored(tmp_path) == 3
    assert {path.name for path in tmp_path.iterdir()} == {"thing.json", data_folder(tmp_path).name}


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
    assert {path.name for path in tmp_path.iterdir()} == {"thing.json", data_folder(tmp_path).name}


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


TOO_LARGE = """
import resource, sys
from pathlib import Path
import numpy as np, polars as pl
from topminer import store
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
values = np.random.default_rng(0).random(int(sys.argv[2]))
arrays, tables = ({}, {"t": pl.DataFrame({"x": values})}) if sys.argv[3] == "table" else ({"x": values}, {})
try:
    store.write(Path(sys.argv[1]), "thing", {}, arrays, tables, overwrite=True)
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
    run = subprocess.run(command, capture_output=True, text=True, check=True)
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
        store.write(tmp_path, "thing", {"x": object()}, ARRAYS, TABLES, overwrite=False)
    with pytest.raises(InputError, match="no thing here"):
        n_stored(tmp_path)


def test_objects_are_not_stored(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="allow_pickle"):
        store.write(tmp_path, "thing", {}, {"x": np.array([object()])}, {}, overwrite=False)
    with pytest.raises(InputError, match="no thing here"):
        n_stored(tmp_path)


# ----------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize("directory", ["", "nowhere", "file"])
def test_nothing_there(tmp_path: Path, directory: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"no thing here \(there is no thing\.json\)|Not a directory"):
        store.read(tmp_path / directory, "thing")


@pytest.mark.parametrize("content", ["", "{", "nonsense", "\x00\x01", '{"kind": "thing", }'])
def test_a_manifest_that_is_not_json(tmp_path: Path, content: str) -> None:
    (tmp_path / "thing.json").write_text(content)
    with pytest.raises(InputError, match=r"thing\.json: damaged: not JSON"):
        store.read(tmp_path, "thing")


def test_a_manifest_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "thing.json").write_bytes(b'"\xff"')
    with pytest.raises(InputError, match=r"thing\.json: damaged"):
        store.read(tmp_path, "thing")


def test_a_manifest_nested_too_deep(tmp_path: Path) -> None:
    (tmp_path / "thing.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"thing\.json: damaged"):
        store.read(tmp_path, "thing")


def test_a_manifest_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "thing.json").mkdir()
    with pytest.raises(InputError, match=r"thing\.json: Is a directory"):
        store.read(tmp_path, "thing")


@pytest.mark.parametrize("content", ["[]", "1", "null", '"thing"', "{}", '{"kind": "other"}'])
def test_a_manifest_of_something_else(tmp_path: Path, content: str) -> None:
    (tmp_path / "thing.json").write_text(content)
    with pytest.raises(InputError, match="not written by topminer: expected the manifest of a thing"):
        store.read(tmp_path, "thing")


@pytest.mark.parametrize("number", [store.FORMAT + 1, 99, None, "1", 1.5])
def test_a_format_from_the_future(tmp_path: Path, number: Any) -> None:
    write(tmp_path)
    rewrite(tmp_path, lambda content: content.update(format=number))
    with pytest.raises(InputError, match=f"format {number}; this topminer reads up to {store.FORMAT}"):
        store.read(tmp_path, "thing")


@pytest.mark.parametrize("where", [0, 50, -1])
@pytest.mark.parametrize("name", ["ids.0000.npy", "words.0000.parquet"])
def test_one_changed_byte(tmp_path: Path, name: str, where: int) -> None:
    write(tmp_path)
    victim = data_folder(tmp_path) / name
    content = bytearray(victim.read_bytes())
    content[where] ^= 1
    victim.write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}: not what was written \(checksum differs\)"):
        store.read(tmp_path, "thing")


@pytest.mark.parametrize("name", ["ids.0000.npy", "words.0000.parquet"])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    write(tmp_path)
    (data_folder(tmp_path) / name).unlink()
    with pytest.raises(InputError, match=f"{name}: missing; the thing is damaged"):
        store.read(tmp_path, "thing")


def test_a_missing_folder(tmp_path: Path) -> None:
    write(tmp_path)
    shutil.rmtree(data_folder(tmp_path))
    with pytest.raises(InputError, match="missing; the thing is damaged"):
        store.read(tmp_path, "thing")


def escape(directory: Path) -> tuple[str, str]:
    """A file outside the directory, and its checksum."""
    outside = directory.parent / "outside.npy"
    np.save(outside, np.arange(3))
    return outside.name, hashlib.sha256(outside.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content, name, checksum: content.update(data="..", files={name: checksum}),
        lambda content, name, checksum: content.update(data="../..", files={name: checksum}),
        lambda content, name, checksum: content.update(files={f"../../{name}": checksum}),
        lambda content, name, checksum: content.update(files={f"/etc/{name}": checksum}),
        lambda content, name, checksum: content.update(data="/etc"),
        lambda content, name, checksum: content.update(data="."),
        lambda content, name, checksum: content.update(data=""),
        lambda content, name, checksum: content.update(data=None),
        lambda content, name, checksum: content.update(files=[name]),
        lambda content, name, checksum: content.update(files=None),
        lambda content, name, checksum: content.pop("data"),
        lambda content, name, checksum: content.pop("files"),
    ],
    ids=[
        "..",
        "../..",
        "../../file",
        "/etc/file",
        "/etc",
        ".",
        "empty",
        "null",
        "list",
        "no list",
        "no data",
        "no files",
    ],
)
def test_a_manifest_that_names_files_elsewhere(tmp_path: Path, spoil: Callable[..., Any]) -> None:
    directory = tmp_path / "stored"
    write(directory)
    outside = escape(directory)
    rewrite(directory, lambda content: spoil(content, *outside))
    with pytest.raises(InputError, match=r"damaged"):
        store.read(directory, "thing")


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
    checksum = hashlib.sha256(victim.read_bytes()).hexdigest()
    rewrite(tmp_path, lambda content: content["files"].update({name: checksum}))
    with pytest.raises(InputError, match="thing"):
        store.read(tmp_path, "thing")
    assert not (tmp_path / "trapped").exists()


def test_a_manifest_without_facts(tmp_path: Path) -> None:
    write(tmp_path)
    rewrite(tmp_path, lambda content: content.pop("facts"))
    with pytest.raises(InputError, match=r"thing\.json: damaged"):
        store.read(tmp_path, "thing")
