"""Numbers to small numbers: the n-th distinct key that comes along gets number n."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import kernel

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio
_U32 = np.uint64(32)
_FREE = -1


@kernel
def _number(
    keys: Int64s, i: int, slots: Int64s, number: Int32s, distinct: Int64s, n: int, out: Int32s
) -> tuple[int, int]:
    """Number the keys from the ``i``-th on, until a new one finds no room.

    Returns how many keys the table holds then, and how many have a number.
    """
    while i < keys.size:
        h = np.uint64(keys[i]) * _MULTIPLIER
        at = np.int64((h ^ (h >> _U32)) & np.uint64(slots.size - 1))
        while slots[at] != keys[i] and slots[at] != _FREE:
            at = (at + 1) & (slots.size - 1)
        if slots[at] == _FREE:
            if n == distinct.size:
                break
            slots[at], number[at], distinct[n] = keys[i], n, keys[i]
            n += 1
        out[i] = number[at]
        i += 1
    return n, i


class Numbering:
    """Distinct keys, none of them negative, in an open-addressing table.

    >>> numbering, numbers = Numbering(n_expected=3), np.empty(4, np.int32)
    >>> numbering.add(np.array([70, 80, 70, 90]), out=numbers)
    >>> numbers, numbering.keys
    (array([0, 1, 0, 2], dtype=int32), array([70, 80, 90]))
    """

    def __init__(self, n_expected: int) -> None:
        self.keys = np.empty(0, np.int64)  # in the order of their numbers
        self._resize(1 << max(10, n_expected.bit_length()))

    def _resize(self, n_slots: int) -> None:
        keys = self.keys
        self._slots, self._number = np.full(n_slots, _FREE, np.int64), np.empty(n_slots, np.int32)
        self._distinct = np.empty(n_slots // 2, np.int64)
        self.keys = self._distinct[:0]
        self.add(keys, np.empty(keys.size, np.int32))

    def add(self, keys: Int64s, out: Int32s) -> None:
        """Write the number of each key to ``out``."""
        done = 0
        while True:
            n, done = _number(keys, done, self._slots, self._number, self._distinct, self.keys.size, out)
            self.keys = self._distinct[:n]
            if done == keys.size:
                return
            self._resize(2 * self._slots.size)
