"""Lines of JSON objects to rows.

A kernel reads blocks in which nothing is unusual (:mod:`.json_strings`), which is quickest. Polars parses all
other blocks. But it turns any value into a string, leaves out blank lines, and refuses NaN and half
surrogate pairs, both of which Python's json module writes. A block that may contain any of these is parsed
line by line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from math import isinf
from typing import Any

import numpy as np
import polars as pl

from topminer.containers.strings import Strings, strings_of
from topminer.errors import InputError
from topminer.text.reading.columns import Choose, Rows, place
from topminer.text.reading.json_strings import UNUSUAL, read_lines
from topminer.text.reading.stream import SAMPLE_BYTES, blocks

# Half a surrogate pair, which is not a character. Escaped backslashes and whole pairs match as group 1.
HALF_PAIR = re.compile(
    r"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


def json_rows(pieces: Iterator[bytes], name: str, size: int, choose: Choose) -> Iterator[Rows]:
    """Read lines in blocks of about ``size`` bytes; a key that a line lacks is null."""
    read: list[bytes] = []  # while the sample is taken

    def reading() -> Iterator[bytes]:
        for piece in pieces:
            read.append(piece)
            yield piece

    head = next(blocks(reading(), SAMPLE_BYTES, name), b"")
    sample = [row for _, row in _objects(head, name, 1)]
    keys = list(dict.fromkeys(key for row in sample for key in row))
    if not keys:
        return
    columns = choose(keys, lambda: _strings(sample, keys)).by_role()

    usual, not_text = _UsualLines(columns), _other_than_text(columns["text"])
    line = 1
    for block in blocks(chain(_drained(read), pieces), size, name):
        series = usual.read(block)
        if series is not None:
            n_lines = len(series["text"])
            numbers = pl.int_range(line, line + n_lines, eager=True)
        else:
            n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
            numbers = pl.int_range(line, line + n_lines, eager=True)
            frame = None if not_text.search(block) else _parsed(block, columns)
            if frame is None or frame.height != n_lines or _any_nul(frame):
                frame, numbers = _parsed_slowly(block, columns, name, line)
            series = {role: frame[column] for role, column in columns.items()}
        yield Rows(series, numbers, partial(place, name, "line", numbers))
        line += n_lines


def _drained(pieces: list[bytes]) -> Iterator[bytes]:
    """Yield pieces and forget each."""
    pieces.reverse()
    while pieces:
        yield pieces.pop()


class _UsualLines:
    """Reads blocks in which nothing is unusual."""

    def __init__(self, columns: dict[str, str]) -> None:
        self._columns = columns
        self._names = list(dict.fromkeys(columns.values()))  # one column may have several roles
        keys = strings_of([name.encode() for name in self._names])
        self._keys = keys.words.view(np.uint8), keys.bounds
        self._out = np.empty(0, np.uint64)
        self._ends = np.empty((len(self._names), 0), np.int64)

    def read(self, block: bytes) -> dict[str, pl.Series] | None:
        """Return the columns by role, with empty strings for null; None if anything is unusual."""
        if not block.endswith(b"\n"):
            block += b"\n"
        n_bytes = (len(self._names) + 1) * len(block)
        if self._out.nbytes < n_bytes:
            self._out = np.empty(n_bytes // 8 + 1, np.uint64)
            self._ends = np.empty((len(self._names), len(block) // 3 + 2), np.int64)
        words, data = np.frombuffer(block, np.uint64, len(block) // 8), np.frombuffer(block, np.uint8)
        n_lines = read_lines(data, words, *self._keys, self._out.view(np.uint8), self._ends)
        if n_lines == UNUSUAL:
            return None
        values = (Strings(self._out, ends[: n_lines + 1]).to_series() for ends in self._ends)
        series = dict(zip(self._names, values, strict=True))
        return {role: series[column] for role, column in self._columns.items()}


def _other_than_text(column: str) -> re.Pattern[bytes]:
    """Return a pattern that matches the column's key before a value that is neither a string nor null."""
    spellings = {json.dumps(column), json.dumps(column, ensure_ascii=False)}
    keys = "|".join(map(re.escape, sorted(spellings)))
    return re.compile(rf'(?:{keys})\s*:\s*[^"n\s]'.encode())


def _parsed(block: bytes, columns: dict[str, str]) -> pl.DataFrame | None:
    """Parse the needed columns as strings; return None if Polars refuses the block."""
    try:
        return pl.read_ndjson(block, schema={column: pl.String for column in columns.values()})
    except pl.exceptions.PolarsError:
        return None


def _any_nul(frame: pl.DataFrame) -> bool:
    """Return whether a value contains NUL, which Polars also writes for half a surrogate pair."""
    return any(column.str.contains("\0", literal=True).any() for column in frame)


def _parsed_slowly(
    block: bytes, columns: dict[str, str], name: str, line: int
) -> tuple[pl.DataFrame, pl.Series]:
    """Parse a block line by line; return its rows, made by Polars as always, and the line of each."""
    numbers, rows = [], []
    for number, row in _objects(block, name, line):
        text = row.get(columns["text"])
        if not isinstance(text, str | None):
            raise InputError(
                f"{name}, line {number}: {columns['text']!r} holds {_described(text)}, expected a string"
            )
        numbers.append(number)
        rows.append(json.dumps({column: row.get(column) for column in columns.values()}))
    frame = _parsed("\n".join(rows).encode(), columns)
    assert frame is not None
    return frame, pl.Series(numbers, dtype=pl.Int64)


def _objects(block: bytes, name: str, line: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of every line that is not blank."""
    repaired = HALF_PAIR.sub(lambda found: found[1] or r"\ufffd", block.decode())
    for number, text in enumerate(repaired.split("\n"), line):
        if not text.strip():
            continue
        try:
            row = json.loads(
                text, object_pairs_hook=_object, parse_constant=lambda _: None, parse_float=_number
            )
        except (ValueError, RecursionError) as error:
            why = str(error).replace("line 1 ", "")  # the parser counts every line as the first
            raise InputError(
                f"{name}, line {number}: not valid JSON ({why}); expected one object a line"
            ) from None
        if not isinstance(row, dict):
            raise InputError(f"{name}, line {number}: found {_described(row)}, expected a JSON object")
        yield number, row


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object as Polars does: of equal keys, the first counts."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        made.setdefault(key, value)
    return made


def _number(digits: str) -> float | None:
    """Read a number; a number beyond the range of floats is null, as for Polars."""
    return None if isinf(value := float(digits)) else value


def _described(value: object) -> str:
    """Return the kind of a JSON value and the value, for a message."""
    kinds = {bool: "a truth value", int: "a number", float: "a number", str: "a string", list: "a list"}
    kind = kinds.get(type(value), "an object" if isinstance(value, dict) else "a value")
    shown = json.dumps(value)
    return f"{kind} ({shown if len(shown) <= 40 else shown[:37] + '...'})"


def _strings(rows: list[dict[str, Any]], keys: list[str]) -> list[pl.Series]:
    """Return the columns that hold only strings and nulls."""
    columns = {key: [row.get(key) for row in rows] for key in keys}
    return [
        pl.Series(key, values, dtype=pl.String)
        for key, values in columns.items()
        if all(isinstance(value, str | None) for value in values)
    ]
