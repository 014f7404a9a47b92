"""Single files: equal contents are equal bytes, and nothing but an ordinary file is read."""

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from topminer import InputError
from topminer.store import ROW_GROUP_SIZE, files, read_json, write_array, write_json, write_table

# -------------------------------------------------------------------------------------------- written


def table_bytes(path: Path, table: pl.DataFrame) -> bytes:
    write_table(path, table)
    return path.read_bytes()


def test_a_table_made_of_many_pieces(tmp_path: Path) -> None:
    n = 3 * ROW_GROUP_SIZE // 2
    numbers = np.arange(n)
    whole = pl.DataFrame({"n": numbers, "word": [f"a word of the vocabulary, {i % 9999}" for i in range(n)]})
    chunks = pl.concat([whole[i : i + 7777] for i in range(0, n, 7777)], rechunk=False)
    grown = pl.concat([whole, whole.with_columns(pl.col("word") + "!")]).filter(pl.int_range(pl.len()) < n)
    assert (whole.n_chunks(), chunks.n_chunks()) == (1, -(-n // 7777))
    expected = table_bytes(tmp_path / "whole", whole)
    for name, table in {"chunks": chunks, "grown": grown, "sorted": whole.sort("n")}.items():
        assert table_bytes(tmp_path / name, table) == expected, name
    assert_frame_equal(files.read_table(tmp_path / "chunks"), whole)


def test_the_rows_of_a_table_are_cut_where_we_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against bounds that a version of Polars, or the chunks of a table, decide."""
    given: list[tuple[int, dict[str, Any]]] = []
    monkeypatch.setattr(
        pl.DataFrame,
        "write_parquet",
        lambda table, path, **options: given.append((table.n_chunks(), options)) or path.touch(),
    )
    half = pl.DataFrame({"x": [1]})
    write_table(tmp_path / "t", pl.concat([half, half], rechunk=False))
    options = {"compression": "zstd", "compression_level": 3, "statistics": True, "row_group_size": 1 << 17}
    assert given == [(1, options)]


@pytest.mark.parametrize(
    "same",
    [lambda x: np.repeat(x, 2)[::2], lambda x: x[::-1].copy()[::-1], lambda x: np.tile(x[:, None], 3)[:, 1]],
    ids=["every other", "backwards", "a column"],
)
def test_an_array_however_it_lies_in_memory(tmp_path: Path, same: Callable[[Any], Any]) -> None:
    array = np.arange(12)
    assert write_array(tmp_path / "a", array) == write_array(tmp_path / "b", same(array))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert np.load(tmp_path / "b").tolist() == array.tolist()


@pytest.mark.parametrize(
    "write",
    [lambda path: write_array(path, np.arange(3)), lambda path: write_table(path, pl.DataFrame({"x": [1]}))],
)
def test_a_link_is_replaced_and_what_it_points_to_stays(tmp_path: Path, write: Callable[[Path], str]) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    write(tmp_path / "link")
    assert (tmp_path / "mine").read_text() == "mine"
    assert not (tmp_path / "link").is_symlink()


class Crash(BaseException):
    """Something no code of ours catches, as a signal would be."""


@pytest.mark.parametrize("what", ["fsync", "replace"])
def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    def crash(*_: Any) -> None:
        raise Crash

    files.write_atomically(tmp_path / "x", "old")
    with monkeypatch.context() as patch:
        patch.setattr(os, what, crash)
        with pytest.raises(Crash):
            files.write_atomically(tmp_path / "x", "new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"x": "old"}


def test_json_there_and_back(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"b": [1, None], "a": "é"})
    assert read_json(tmp_path / "x.json") == {"a": "é", "b": [1, None]}
    assert (tmp_path / "x.json").read_text().startswith('{\n "a"')
    with pytest.raises(InputError, match=r"x\.json: cannot be written"):
        (tmp_path / "folder" / "x.json").mkdir(parents=True)
        write_json(tmp_path / "folder" / "x.json", {})


# ----------------------------------------------------------------------------------------------- read


@pytest.mark.parametrize("content", ["", "{", "[]", "1", '"x"', "[" * 100_000])
def test_json_that_nothing_depends_on(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content)
    assert read_json(tmp_path / "x.json") == read_json(tmp_path / "nowhere.json") == {}


def test_json_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_JSON", 1 << 20)
    path = tmp_path / "x.json"
    path.write_text(json.dumps(["x" * ((1 << 20) - 4)]))
    assert len(files.parse_json(path)) == 1
    path.write_text(json.dumps(["x" * ((1 << 20) - 3)]))
    with pytest.raises(ValueError, match="longer than 1 MiB"):
        files.parse_json(path)


def test_json_in_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.json")
    assert read_json(tmp_path / "x.json") == {}


def npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    length = struct.pack("<H" if version[0] == 1 else "<I", len(header))
    return b"\x93NUMPY" + version + length + header.encode("latin-1") + data


def described(descr: str = "'<i4'", order: str = "False", shape: str = "(2,)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}  \n"


def test_headers_that_numpy_writes(tmp_path: Path) -> None:
    arrays = [
        np.zeros(shape, dtype)
        for shape in [(), (0,), (3,), (2, 5), (0, 7)]
        for dtype in ("<i4", ">f8", "?", "<U3", "S2")
    ]
    for array in arrays:
        np.save(tmp_path / "x.npy", array)
        assert files.header_of(tmp_path / "x.npy") == (array.shape, array.dtype)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        b"\x93NUMPY\x01\x00",
        b"PK\x03\x04 a zip file",
        npy(described(), b"1234567"),
        npy(described(), b"123456789"),
        npy(described(shape="(-1,)"), b""),
        npy(described(shape="(True,)"), b"1234"),
        npy(described(shape=f"({2**70},)"), b"12345678"),
        npy(described(shape=f"({'9' * 5000},)"), b"12345678"),
        npy(described(), b"12345678", b"\x02\x00"),
        *(
            npy(described(kind), b"12345678")
            for kind in ("[('a', '<i4')]", "'i4,,i4'", "'(2,'", "'M8[us]'", "'<i3'", "None")
        ),
        *map(npy, ("-" * 9000 + "1", "(" * 5000, "{[]: 1}", "{1: 2, 'a': 3}", "__import__('os').abort()")),
    ],
    ids=lambda content: ascii(content[10:40]),
)
def test_headers_that_numpy_does_not_write(tmp_path: Path, content: bytes) -> None:
    """Guards against NumPy's own parser, which raises MemoryError, SyntaxError, TypeError and more."""
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(
        ValueError, match=r"not an array that topminer wrote|not what its header says|does not know"
    ):
        files.header_of(tmp_path / "x.npy")


@pytest.mark.parametrize("name", ["a[1].parquet", "a*b.parquet", "{x}.parquet", "~", "a?.parquet", "s3:x"])
def test_names_that_polars_might_expand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    table = pl.DataFrame({"x": [1, 2]})
    write_table(tmp_path / name, table)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert files.shape_of_table(tmp_path / name) == (table.schema, 2)
    assert_frame_equal(files.read_table(tmp_path / name), table)


def test_a_folder_whose_name_looks_like_a_column(tmp_path: Path) -> None:
    """Guards against Hive's partitions: ``n=3/table.parquet`` would get a column ``n``."""
    (tmp_path / "n=3").mkdir()
    write_table(tmp_path / "n=3" / "t.parquet", pl.DataFrame({"x": [1]}))
    assert files.read_table(tmp_path / "n=3" / "t.parquet").columns == ["x"]
