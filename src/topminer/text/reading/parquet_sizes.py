"""How much memory the columns of a Parquet file take, read from its headers before anything is decoded.

A few bytes can announce two gigabytes, or two billion rows, and a library that believes them may end the
process. So the headers are read here first, in Thrift's compact encoding: the metadata at the file's end, and
the header of every page of the wanted columns. Both must agree on the number of rows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

MAGIC = b"PAR1"

# The fields used here, by the numbers they have in parquet.thrift.
SCHEMA, FILE_ROWS, ROW_GROUPS = 2, 3, 4
NAME, N_CHILDREN = 4, 5
CHUNKS, GROUP_ROWS = 1, 3
FILE_PATH, CHUNK = 1, 3
PATH, CHUNK_VALUES, CHUNK_BYTES, DATA_OFFSET, DICTIONARY_OFFSET = 3, 5, 7, 9, 11
PAGE_BYTES, COMPRESSED_PAGE_BYTES, DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = 2, 3, 5, 7, 8
N_VALUES = 1
ENCODING, ENCODING_V2 = 2, 4
KNOWN_ENCODINGS = (0, 2, 3, 4, 5, 6, 7, 8, 9)

BYTES_A_VALUE = 16  # what Polars holds of each value beside its text
DEEPEST = 32
HEADER_BYTES, MAX_HEADER_BYTES = 1 << 12, 1 << 20
MAX_METADATA_BYTES = 16 << 20

Fields = dict[int, Any]


class RowGroup(NamedTuple):
    """Rows that are stored, and decoded, together."""

    start: int  # the first row, from 0
    stop: int  # the row behind the last
    n_bytes: int  # what the wanted columns take when decoded


class Leaf(NamedTuple):
    """Values that are stored together: a column, or a part of one that is nested."""

    column: str
    is_column: bool  # there is then one value a row


def row_groups(path: Path, columns: Sequence[str], rows: tuple[int, int]) -> Iterator[RowGroup]:
    """Yield the size of each row group that has some of the rows.

    Parameters
    ----------
    path : Path
        A Parquet file.
    columns : sequence of str
        The columns to be read.
    rows : (int, int)
        The first row to be read, from 0, and the one behind the last.

    Raises
    ------
    ValueError
        If the headers contradict each other; the message says how.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        metadata = _metadata(file, size)
        groups = _of_kind(metadata.get(ROW_GROUPS), list)
        leaves = _leaves(_of_kind(metadata.get(SCHEMA), list))
        wanted = [i for i, leaf in enumerate(leaves) if leaf.column in columns]
        ends = list(accumulate((_count(group, GROUP_ROWS) for group in groups), initial=0))
        if ends[-1] != _count(metadata, FILE_ROWS):
            raise ValueError(f"{_count(metadata, FILE_ROWS)} rows, but {ends[-1]} in its row groups")
        for group, (start, stop) in zip(groups, pairwise(ends), strict=True):
            chunks = _of_kind(group.get(CHUNKS), list)
            if len(chunks) != len(leaves):
                raise ValueError(f"{len(chunks)} columns in a row group, {len(leaves)} in the schema")
            places = [_place(chunk, leaf, size) for chunk, leaf in zip(chunks, leaves, strict=True)]
            if start < rows[1] and stop > rows[0]:
                sizes = (_chunk_bytes(file, places[i], leaves[i], stop - start) for i in wanted)
                yield RowGroup(start, stop, sum(sizes, BYTES_A_VALUE * (stop - start)))


def check_metadata(path: Path) -> None:
    """Raise ValueError where the metadata of a file contradict each other, or name places that it lacks."""
    for _ in row_groups(path, (), (0, 0)):
        pass


def _metadata(file: IO[bytes], size: int) -> Fields:
    """Read the metadata at the end of the file."""
    file.seek(max(size - 8, 0))
    end = file.read(8)
    if size < 12 or end[4:] != MAGIC:
        raise ValueError("no Parquet metadata at its end")
    (n_bytes,) = struct.unpack("<I", end[:4])
    if n_bytes > min(size - 12, MAX_METADATA_BYTES):
        raise ValueError(f"metadata of {n_bytes} bytes in a file of {size}")
    file.seek(size - 8 - n_bytes)
    return _parsed(file.read(n_bytes))


def _leaves(schema: list[Fields]) -> list[Leaf]:
    """List what the columns' values are stored as, in the order of the chunks of a row group."""
    leaves: list[Leaf] = []
    column = ""
    n_open: list[int] = []  # of each group that is not complete: how many children are missing
    for element in schema:
        n_children = _of_kind(element, dict).get(N_CHILDREN) or 0
        if len(n_open) == 1:
            column = _of_kind(element.get(NAME), bytes).decode(errors="replace")
        if not n_children and n_open:
            leaves.append(Leaf(column, len(n_open) == 1))
        if n_open:
            n_open[-1] -= 1
        if n_children:
            n_open.append(n_children)
        while n_open and n_open[-1] <= 0:
            n_open.pop()
    return leaves


class _Place(NamedTuple):
    """Where the values of a leaf are in one row group."""

    start: int
    end: int
    n_values: int


def _place(described: Fields, leaf: Leaf, size: int) -> _Place:
    """Find the pages of a leaf; ``size`` is that of the file."""
    if _of_kind(described, dict).get(FILE_PATH):
        raise ValueError("columns in other files")
    chunk = _of_kind(described.get(CHUNK), dict)
    if _of_kind(chunk.get(PATH), list)[:1] != [leaf.column.encode()]:
        raise ValueError(f"no values of column {leaf.column!r} where the schema has them")
    start = data_start = _count(chunk, DATA_OFFSET)
    if chunk.get(DICTIONARY_OFFSET) is not None:
        start = _count(chunk, DICTIONARY_OFFSET)
    end = start + _count(chunk, CHUNK_BYTES)
    if max(data_start, end) > size:
        raise ValueError(f"values of column {leaf.column!r} behind its end")
    return _Place(start, end, _count(chunk, CHUNK_VALUES))


def _chunk_bytes(file: IO[bytes], place: _Place, leaf: Leaf, n_rows: int) -> int:
    """Sum up what the pages of a leaf take in one row group."""
    start, end = place.start, place.end
    n_bytes = n_values = 0
    while start < end and not (leaf.is_column and n_values >= n_rows):
        page, n_header = _page(file, start, end)
        start += n_header + _count(page, COMPRESSED_PAGE_BYTES)
        n_bytes += _count(page, PAGE_BYTES)
        if DICTIONARY_PAGE in page:
            n_bytes += BYTES_A_VALUE * _values_of(page[DICTIONARY_PAGE], ENCODING)
        elif DATA_PAGE_V2 in page:
            n_values += _values_of(page[DATA_PAGE_V2], ENCODING_V2)
        elif DATA_PAGE in page:
            n_values += _values_of(page[DATA_PAGE], ENCODING)
    is_whole = n_values == place.n_values and start <= end
    if not is_whole or n_values < n_rows or (leaf.is_column and n_values > n_rows):
        raise ValueError(f"{n_values} values of column {leaf.column!r} for {n_rows} rows")
    return n_bytes + BYTES_A_VALUE * n_values


def _values_of(page: Fields, encoding: int) -> int:
    """Count the values of a page whose encoding is known."""
    if _count(page, encoding) not in KNOWN_ENCODINGS:
        raise ValueError(f"unknown encoding {page[encoding]}")
    return _count(page, N_VALUES)


def _page(file: IO[bytes], start: int, end: int) -> tuple[Fields, int]:
    """Read the header of the page at byte ``start``, and tell how long it is."""
    for size in (HEADER_BYTES, MAX_HEADER_BYTES):
        file.seek(start)
        reader = _Compact(file.read(min(size, end - start)))
        try:
            return reader.struct(), reader.at
        except EOFError:
            continue
    raise ValueError("a page header that is cut off, or too long")


def _parsed(data: bytes) -> Fields:
    try:
        return _Compact(data).struct()
    except EOFError:
        raise ValueError("metadata that are cut off") from None


def _count(fields: Any, number: int) -> int:
    """Give a field that must be a number from 0 on."""
    value = _of_kind(fields, dict).get(number)
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} where a size or a count belongs")
    return value


def _of_kind(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{type(value).__name__} where {kind.__name__} belongs")
    return value


class _Compact:
    """Reads Thrift's compact encoding; raises EOFError where the data end too early."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._depth = 0
        self.at = 0

    def struct(self) -> Fields:
        """Read a structure: its values by the numbers of their fields."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError("metadata that are nested too deeply")
        fields: Fields = {}
        number = 0
        while head := self._byte():
            delta, kind = head >> 4, head & 15
            number = number + delta if delta else self._integer()
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        self._depth -= 1
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            return self._list()
        if kind == 12:
            return self.struct()
        if kind in (1, 2, 3):
            return self._byte()
        if kind == 7:
            return self._bytes(8)
        raise ValueError(f"a value of unknown kind {kind}")

    def _list(self) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._varint()
        self._depth += 1
        if self._depth > DEEPEST:
            raise ValueError("metadata that are nested too deeply")
        values = [self._value(kind) for _ in range(size)]
        self._depth -= 1
        return values

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _bytes(self, n: int) -> bytes:
        data = self._data[self.at : self.at + n]
        if len(data) < n:
            raise EOFError
        self.at += n
        return data

    def _byte(self) -> int:
        if self.at >= len(self._data):
            raise EOFError
        self.at += 1
        return self._data[self.at - 1]
