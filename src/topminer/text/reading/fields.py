"""Where records and fields of delimited text begin and end (RFC 4180), byte by byte.

A field that begins with a quote ends with one, and a quote inside it is doubled; between these quotes,
separators and line ends are text. A quote in a field that does not begin with one is an ordinary character.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topminer.jit import bare_kernel

QUOTE, NEWLINE, RETURN = ord('"'), ord("\n"), ord("\r")

# Where the scan is: at the start of a field, in a plain one, in a quoted one, after a quote in a quoted one.
START, PLAIN, QUOTED, CLOSED = range(4)

# What can be wrong with a record.
FINE, RAGGED, UNCLOSED, AFTER_QUOTE = range(4)


@bare_kernel
def find_fields(
    data: npt.NDArray[np.uint8],
    is_last: bool,
    separator: int,
    slot_of: npt.NDArray[np.int64],
    spans: npt.NDArray[np.int64],
    lines: npt.NDArray[np.int64],
) -> tuple[int, int, int, int, int]:
    """Find the wanted fields of every whole record in ``data``, which begins with a record.

    If the table ends with ``data`` (``is_last``), a line end is assumed after the last byte. Blank lines are
    not records. ``slot_of[column]`` is where in ``spans`` a column goes, -1 if it is not wanted. Written are
    ``spans`` (slots, 2, records): start and length of each wanted field, outer quotes included; and
    ``lines``: where each record begins, counted from 0.

    Returns how many records were found up to the first problem, where the last whole record ends (0: there is
    none), the problem, its line, and how many fields a ragged record has.
    """
    size, n_columns = data.size, slot_of.size
    n_records = end = line = record_line = quote_line = column = start = 0
    state = START
    for i in range(size + is_last):
        byte = data[i] if i < size else NEWLINE
        if state == QUOTED:
            if byte == QUOTE:
                state = CLOSED
            elif byte == NEWLINE:
                line += 1
            continue
        if state == CLOSED and byte != separator and byte != NEWLINE:
            if byte == QUOTE:
                state = QUOTED
            elif byte != RETURN or (i + 1 < size and data[i + 1] != NEWLINE):
                return n_records, end, AFTER_QUOTE, line, 0
            continue
        if byte != separator and byte != NEWLINE:
            if state == START:
                state = PLAIN
                if byte == QUOTE:
                    state = QUOTED
                    quote_line = line
            continue
        stop = i
        if byte == NEWLINE and i > start and data[i - 1] == RETURN:
            stop -= 1
        if column < n_columns and slot_of[column] >= 0:
            spans[slot_of[column], 0, n_records] = start
            spans[slot_of[column], 1, n_records] = stop - start
        column += 1
        if byte == NEWLINE:
            end = i + 1 if i < size else size
            if column > 1 or stop > start:
                if column != n_columns:
                    return n_records, end, RAGGED, record_line, column
                lines[n_records] = record_line
                n_records += 1
            line += 1
            record_line = line
            column = 0
        start = i + 1
        state = START
    if is_last and state == QUOTED:
        return n_records, end, UNCLOSED, quote_line, 0
    return n_records, end, FINE, 0, 0
