"""Comma- or tab-separated values to rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from topminer.errors import InputError
from topminer.text.reading.columns import Choose, Rows, place
from topminer.text.reading.fields import FINE, RAGGED, UNCLOSED, find_fields
from topminer.text.reading.stream import MAX_RECORD_BYTES, SAMPLE_BYTES, too_long

NUMBER = r"^\s*[-+]?[0-9][0-9.,]*\s*$"


def delimited_rows(
    pieces: Iterator[bytes], name: str, separator: int, size: int, choose: Choose
) -> Iterator[Rows]:
    """Read records in blocks of about ``size`` bytes; the first record names the columns."""
    table = _Table(pieces, name, separator)
    header = table.read_header()
    if not header:
        return
    first = table.find(SAMPLE_BYTES, range(len(header))).records.fields()
    sample = [column.alias(title) for column, title in zip(first, header, strict=True)]
    columns = choose(header, lambda: sample)
    wanted = {role: header.index(column) for role, column in columns.by_role().items()}
    taken = sorted(set(wanted.values()))  # one column may have several roles
    _check_text(sample[wanted["text"]], name)

    n_rows = 0
    while (records := table.find(size, taken).records).block:
        fields, lines = records.fields(), records.lines
        series = {role: fields[taken.index(column)] for role, column in wanted.items()}
        numbers = pl.int_range(n_rows + 1, n_rows + 1 + lines.size, eager=True)
        yield Rows(series, numbers, partial(place, name, "line", pl.Series(lines)))
        n_rows += lines.size
        table.skip(len(records.block))


class _Records(NamedTuple):
    """A block of whole records, and where its wanted fields are."""

    block: bytes
    spans: npt.NDArray[np.int64]
    lines: npt.NDArray[np.int64]  # on which each record begins

    def fields(self) -> list[pl.Series]:
        """Return the wanted columns, without quotes."""
        whole = pl.lit(pl.Series([self.block]))  # as a Series, it is not copied
        raw = whole.bin.slice(pl.col("start"), pl.col("length")).cast(pl.String)
        unquoted = raw.str.strip_prefix('"').str.strip_suffix('"').str.replace_all('""', '"', literal=True)
        field = pl.when(raw.str.starts_with('"')).then(unquoted).otherwise(raw).alias("field")
        return [
            pl.DataFrame({"start": starts, "length": lengths}).select(field)["field"]
            for starts, lengths in self.spans
        ]


class _Found(NamedTuple):
    end: int  # of the last whole record
    records: _Records  # none at the table's end
    n_fields: int  # of a first record that is ragged


class _Table:
    """The records of a table, found block by block."""

    def __init__(self, pieces: Iterator[bytes], name: str, separator: int) -> None:
        self._pieces = pieces
        self._name = name
        self._separator = separator
        self._data = b""  # what was read last; the bytes before `_at` are done
        self._at = 0
        self._all_read = False
        self._line = 1  # of the byte at `_at`
        self._n_columns = 0

    def read_header(self) -> list[str]:
        """Read the names of the columns from the first record; return an empty list if there is no record."""
        # With no columns expected, the first record is ragged, and its number of fields is returned.
        end, _, n_fields = self.find(SAMPLE_BYTES, ())
        self._n_columns = n_fields
        if not n_fields:
            return []
        header = self.find(end, range(n_fields)).records
        self.skip(end)
        return [str(column[0]).strip() for column in header.fields()]

    def skip(self, n_bytes: int) -> None:
        """Go on with the bytes after the next ``n_bytes``."""
        self._line += self._data.count(b"\n", self._at, self._at + n_bytes)
        self._at += n_bytes

    def find(self, size: int, wanted: Sequence[int]) -> _Found:
        """Find the wanted columns of the next whole records, of about ``size`` bytes."""
        slot_of = np.full(self._n_columns, -1)
        slot_of[list(wanted)] = np.arange(len(wanted))
        while True:
            self._fill(size)
            data = np.frombuffer(self._data, np.uint8)[self._at : self._at + size]
            is_last = self._all_read and self._at + size >= len(self._data)
            n_lines = self._data.count(b"\n", self._at, self._at + size) + 1
            spans = np.empty((len(wanted), 2, n_lines), np.int64)
            lines = np.empty(n_lines, np.int64)
            n_records, end, problem, line, n_fields = find_fields(
                data, is_last, self._separator, slot_of, spans, lines
            )
            if problem != FINE and not (problem == RAGGED and self._n_columns == 0):
                raise self._malformed(problem, self._line + line, n_fields)
            if end or is_last:
                block = data[:end].tobytes()
                records = _Records(block, spans[:, :, :n_records], self._line + lines[:n_records])
                return _Found(end, records, n_fields)
            if size > MAX_RECORD_BYTES:
                raise too_long(f"{self._name}, line {self._line}", "a record")
            size = min(2 * size, MAX_RECORD_BYTES + 1)

    def _fill(self, size: int) -> None:
        """Read until there are ``size`` bytes from ``_at`` on, or to the table's end."""
        n_bytes = len(self._data) - self._at
        if n_bytes >= size or self._all_read:
            return
        parts = [self._data[self._at :]]
        while n_bytes < size and not self._all_read:
            piece = next(self._pieces, None)
            self._all_read = piece is None
            parts.append(piece or b"")
            n_bytes += len(parts[-1])
        self._data, self._at = b"".join(parts), 0

    def _malformed(self, problem: int, line: int, n_fields: int) -> InputError:
        """Return the error of a record that is not as expected."""
        where = f"{self._name}, line {line}"
        if problem == RAGGED:
            expected = f"expected {self._n_columns} as in the header"
            return InputError(f"{where}: found {n_fields} fields, {expected}")
        if problem == UNCLOSED:
            return InputError(f"{where}: the quote that opens here is never closed")
        return InputError(
            f"{where}: text after a closing quote; expected the next field "
            "(inside quotes, a quote is doubled)"
        )


def _check_text(values: pl.Series, name: str) -> None:
    """Raise an error if a text column holds nothing but numbers."""
    values = values.filter(values.str.strip_chars() != "")
    if not values.is_empty() and values.str.contains(NUMBER).all():
        raise InputError(f"{name}: column {values.name!r} holds numbers ({values[0]}), expected texts")
