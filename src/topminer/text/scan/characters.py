"""Characters of UTF-8 text, for kernels: code points, their widths and their classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined, part
from topminer.text.scan.classes import LINE_END, Classes


@inlined
def char_at(data: NDArray[np.uint8], i: Int) -> tuple[Int, Int]:
    """Return the code point at byte ``i`` and the number of its bytes."""
    b = np.int64(data[i])
    if b < 0x80:
        return b, 1
    if b < 0xE0:
        return (b & 31) << 6 | np.int64(data[i + 1]) & 63, 2
    if b < 0xF0:
        return (b & 15) << 12 | (np.int64(data[i + 1]) & 63) << 6 | np.int64(data[i + 2]) & 63, 3
    high = (b & 7) << 18 | (np.int64(data[i + 1]) & 63) << 12
    return high | (np.int64(data[i + 2]) & 63) << 6 | np.int64(data[i + 3]) & 63, 4


@part
def class_at(data: NDArray[np.uint8], i: Int, end: Int, table: Classes) -> Int:
    """Return the class of the character at byte ``i``. After the document's end it is that of a line end."""
    if i >= end:
        return LINE_END
    return np.int64(table.of_char[char_at(data, i)[0]])


@part
def n_continuations(data: NDArray[np.uint8], start: Int, stop: Int) -> Int:
    """Count the bytes that are not the first of their character."""
    n = 0
    for i in range(start, stop):
        n += data[i] & 0xC0 == 0x80
    return n
