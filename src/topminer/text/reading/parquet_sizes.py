"""How much memory the columns of a Parquet file take, read from its headers before anything is decoded.

A few bytes can declare two gigabytes, or two billion rows, and a library that allocates as much may end the
process. So the headers are read first, in Thrift's compact encoding: the metadata at the file's end, and the
header of every page of the wanted columns. Both must agree on the number of rows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

from topminer.text.reading.stream import MAX_RECORD_BYTES
from topminer.text.reading.thrift import CompactReader

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

RUN_BYTES = 512 << 20
BYTES_A_VALUE = 16  # the memory that Polars uses for each value beside its text
HEADER_BYTES, MAX_HEADER_BYTES = 1 << 12, 1 << 20
MAX_METADATA_BYTES = 16 << 20

Fields = dict[int, Any]


class TooLong(ValueError):
    """A value is longer than the limit; the message names its column."""


class RowRun(NamedTuple):
    """Rows that can be decoded by themselves: a row group, or some pages of a large one."""

    start: int  # the first row, from 0
    stop: int  # the row after the last
    n_bytes: int  # memory of the wanted columns when decoded


class Leaf(NamedTuple):
    """Values that are stored together: a column, or a part of a nested column."""

    column: str
    is_column: bool  # whether it is a whole column, with one value per row


class Sizes(NamedTuple):
    """The memory of a leaf in one row group when it is decoded."""

    pages: list[tuple[int, int]]  # of each page the number of values and of bytes
    dictionary: int  # bytes
    is_column: bool

    @property
    def total(self) -> int:
        """Bytes of all pages and the dictionary."""
        return self.dictionary + sum(n_bytes for _, n_bytes in self.pages)


def row_runs(path: Path, columns: Sequence[str], rows: tuple[int, int]) -> Iterator[RowRun]:
    """Yield the runs of rows of the row groups that have some of the rows from rows[0] up to rows[1].

    Raises ValueError if the headers contradict each other.
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
                sizes = [_sizes(file, places[i], leaves[i], stop - start) for i in wanted]
                yield from _cut(start, stop, sizes)


def check_metadata(path: Path) -> None:
    """Raise ValueError if the metadata of a file contradict each other, or point outside the file."""
    for _ in row_runs(path, (), (0, 0)):
        pass


def _cut(start: int, stop: int, sizes: list[Sizes]) -> Iterator[RowRun]:
    """Split a large row group between pages of its largest column."""
    total = sum(each.total for each in sizes) + BYTES_A_VALUE * (stop - start)
    largest = max(sizes, key=lambda each: each.total, default=None)
    if total <= RUN_BYTES or largest is None or not largest.is_column:
        yield RowRun(start, stop, total)
        return
    fixed = total - sum(n_bytes for _, n_bytes in largest.pages)
    end, n_bytes = start, 0
    for n_values, n_page in largest.pages:
        if n_bytes and n_bytes + n_page > RUN_BYTES:
            yield RowRun(start, end, fixed + n_bytes)
            start, n_bytes = end, 0
        end, n_bytes = end + n_values, n_bytes + n_page
    yield RowRun(start, stop, fixed + n_bytes)


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
    try:
        return CompactReader(file.read(n_bytes)).struct()
    except EOFError:
        raise ValueError("metadata that are cut off") from None


def _leaves(schema: list[Fields]) -> list[Leaf]:
    """Return the leaves of all columns, in the order of the chunks of a row group."""
    leaves: list[Leaf] = []
    column = ""
    n_open: list[int] = []  # of each incomplete group: how many children are missing
    for element in schema:
        n_children = _count(element, N_CHILDREN) if N_CHILDREN in _of_kind(element, dict) else 0
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


def _sizes(file: IO[bytes], place: _Place, leaf: Leaf, n_rows: int) -> Sizes:
    """Return the sizes of a leaf's pages in one row group."""
    start, end = place.start, place.end
    pages: list[tuple[int, int]] = []
    n_values = dictionary = 0
    while start < end and not (leaf.is_column and n_values >= n_rows):
        page, n_header = _page(file, start, end)
        start += n_header + _count(page, COMPRESSED_PAGE_BYTES)
        n_bytes = _count(page, PAGE_BYTES)
        if DICTIONARY_PAGE in page:
            n = _values_of(page[DICTIONARY_PAGE], ENCODING)
            dictionary += n_bytes + BYTES_A_VALUE * n
        elif DATA_PAGE_V2 in page or DATA_PAGE in page:
            is_v2 = DATA_PAGE_V2 in page
            n = _values_of(page[DATA_PAGE_V2 if is_v2 else DATA_PAGE], ENCODING_V2 if is_v2 else ENCODING)
            pages.append((n, n_bytes + BYTES_A_VALUE * n))
            n_values += n
        else:
            continue
        if n_bytes > (MAX_RECORD_BYTES + BYTES_A_VALUE) * (n + 1):
            raise TooLong(f"column {leaf.column!r}")
    is_whole = n_values == place.n_values and start <= end
    if not is_whole or n_values < n_rows or (leaf.is_column and n_values > n_rows):
        raise ValueError(f"{n_values} values of column {leaf.column!r} for {n_rows} rows")
    return Sizes(pages, dictionary, leaf.is_column)


def _values_of(page: Fields, encoding: int) -> int:
    """Return the number of values of a page; raise ValueError if its encoding is unknown."""
    if _count(page, encoding) not in KNOWN_ENCODINGS:
        raise ValueError(f"unknown encoding {page[encoding]}")
    return _count(page, N_VALUES)


def _page(file: IO[bytes], start: int, end: int) -> tuple[Fields, int]:
    """Return the header of the page at byte ``start``, and its length."""
    for size in (HEADER_BYTES, MAX_HEADER_BYTES):
        file.seek(start)
        reader = CompactReader(file.read(min(size, end - start)))
        try:
            return reader.struct(), reader.at
        except EOFError:
            continue
    raise ValueError("a page header that is cut off, or too long")


def _count(fields: Any, number: int) -> int:
    """Return a field that must be a number from 0 on."""
    value = _of_kind(fields, dict).get(number)
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} where a size or a count belongs")
    return value


def _of_kind(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{type(value).__name__} where {kind.__name__} belongs")
    return value
