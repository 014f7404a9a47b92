"""Comma- or tab-separated values to rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import tee
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from topminer.errors import InputError
from topminer.text.reading.columns import Choose, Rows, place
from topminer.text.reading.fields import FINE, RAGGED, START, UNCLOSED, find_fields, last_record_end
from topminer.text.reading.stream import SAMPLE_BYTES, blocks, without

NUMBER = r"^\s*[-+]?[0-9][0-9.,]*\s*$"


class Layout(NamedTuple):
    """What is the same for every block of a table."""

    name: str
    separator: int
    n_columns: int


class RecordEnd:
    """Cuts blocks of records, whose quoted fields may hold line ends."""

    def __init__(self, separator: int) -> None:
        self._separator = separator
        self._state = START

    def __call__(self, piece: bytes) -> int:
        """Say where the last record ends in the next piece."""
        data = np.frombuffer(piece, np.uint8)
        end, self._state = last_record_end(data, self._separator, self._state)
        return int(end)


def delimited_rows(
    pieces: Iterator[bytes], name: str, separator: int, size: int, choose: Choose
) -> Iterator[Rows]:
    """Read records in blocks of about ``size`` bytes; the first one names the columns."""
    pieces, ahead = tee(pieces)
    head = next(blocks(ahead, SAMPLE_BYTES, RecordEnd(separator), name), b"")
    del ahead  # or tee would keep every piece
    layout = _layout(head, name, separator)
    if layout.n_columns == 0:
        return
    first, lines = _fields(head, layout, range(layout.n_columns), first_line=1)
    header = [str(column[0]).strip() for column in first]
    sample = [column[1:].alias(title) for column, title in zip(first, header, strict=True)]
    columns = choose(header, lambda: sample)
    wanted = {role: header.index(column) for role, column in columns.by_role().items()}
    taken = sorted(set(wanted.values()))  # one column may have several roles
    _check_text(sample[wanted["text"]], name)

    n_rows, n_lines, body = 0, head.count(b"\n"), b""
    if lines.size > 1:
        n_lines = int(lines[1]) - 1
        body = head.split(b"\n", n_lines)[-1]
    behind = without(pieces, len(head) - len(body))
    for block in blocks(behind, size, RecordEnd(separator), name, n_lines + 1):
        fields, lines = _fields(block, layout, taken, n_lines + 1)
        series = {role: fields[taken.index(column)] for role, column in wanted.items()}
        numbers = pl.int_range(n_rows + 1, n_rows + 1 + lines.size, eager=True)
        yield Rows(series, numbers, partial(place, name, "line", pl.Series(lines)))
        n_rows += lines.size
        n_lines += block.count(b"\n")


def _layout(head: bytes, name: str, separator: int) -> Layout:
    """Count the fields of the first record; 0 where there is none."""
    # With no column expected, any record is ragged, and so the first one tells how many fields it has.
    layout = Layout(name, separator, 0)
    problem, line, n_fields = _scan(head, layout, [])[2]
    if problem not in (FINE, RAGGED):
        raise _malformed(layout, problem, 1 + line, n_fields)
    return layout._replace(n_columns=n_fields)


def _fields(
    block: bytes, layout: Layout, wanted: Sequence[int], first_line: int
) -> tuple[list[pl.Series], npt.NDArray[np.int64]]:
    """Take the wanted columns out of a block, and tell the line on which each record begins."""
    spans, lines, (problem, line, n_fields) = _scan(block, layout, wanted)
    if problem != FINE:
        raise _malformed(layout, problem, first_line + line, n_fields)
    whole = pl.lit(pl.Series([block]))  # as a Series, it is not copied
    raw = whole.bin.slice(pl.col("start"), pl.col("length")).cast(pl.String)
    unquoted = raw.str.strip_prefix('"').str.strip_suffix('"').str.replace_all('""', '"', literal=True)
    field = pl.when(raw.str.starts_with('"')).then(unquoted).otherwise(raw).alias("field")
    series = [
        pl.DataFrame({"start": starts, "length": lengths}).select(field)["field"] for starts, lengths in spans
    ]
    return series, lines + first_line


def _scan(
    block: bytes, layout: Layout, wanted: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], tuple[int, int, int]]:
    """Find the wanted fields, the records' lines, and the first problem (what, line, fields)."""
    slot_of = np.full(layout.n_columns, -1)
    slot_of[list(wanted)] = np.arange(len(wanted))
    n_lines = block.count(b"\n") + 1
    spans = np.empty((len(wanted), 2, n_lines), np.int64)
    lines = np.empty(n_lines, np.int64)
    n_records, *problem = find_fields(np.frombuffer(block, np.uint8), layout.separator, slot_of, spans, lines)
    return spans[:, :, :n_records], lines[:n_records], (problem[0], problem[1], problem[2])


def _malformed(layout: Layout, problem: int, line: int, n_fields: int) -> InputError:
    """Say what is wrong with a record."""
    place = f"{layout.name}, line {line}"
    if problem == RAGGED:
        return InputError(f"{place}: found {n_fields} fields, expected {layout.n_columns} as in the header")
    if problem == UNCLOSED:
        return InputError(f"{place}: the quote that opens here is never closed")
    return InputError(
        f"{place}: text behind a closing quote; expected the next field (inside quotes, a quote is doubled)"
    )


def _check_text(values: pl.Series, name: str) -> None:
    """Refuse a text column of nothing but numbers."""
    values = values.filter(values.str.strip_chars() != "")
    if not values.is_empty() and values.str.contains(NUMBER).all():
        raise InputError(f"{name}: column {values.name!r} holds numbers ({values[0]}), expected texts")
