"""IntegerTable: distinct int64 keys, numbered by first occurrence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.containers.hashing import mix
from topminer.jit import bare_kernel

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

_FREE = -1


@bare_kernel
def _add(
    keys: Int64s, i: int, slots: Int64s, id_of_slot: Int32s, distinct: Int64s, n: int, out: Int32s
) -> tuple[int, int]:
    """Write the ids of the keys from the ``i``-th on, until a new key finds the table full.

    Returns how many keys the table holds then, and how many of the given keys have an id.
    """
    while i < keys.size:
        at = np.int64(mix(np.uint64(keys[i])) & np.uint64(slots.size - 1))
        while slots[at] != keys[i] and slots[at] != _FREE:
            at = (at + 1) & (slots.size - 1)
        if slots[at] == _FREE:
            if n == distinct.size:
                break
            slots[at], id_of_slot[at], distinct[n] = keys[i], n, keys[i]
            n += 1
        out[i] = id_of_slot[at]
        i += 1
    return n, i


class IntegerTable:
    """Distinct keys, none of them negative, in an open-addressing table; ``keys[i]`` is the key with id i.

    >>> table, ids = IntegerTable(n_expected=3), np.empty(4, np.int32)
    >>> table.add(np.array([70, 80, 70, 90]), out=ids)
    >>> ids, table.keys
    (array([0, 1, 0, 2], dtype=int32), array([70, 80, 90]))
    """

    def __init__(self, n_expected: int) -> None:
        self.keys = np.empty(0, np.int64)
        self._resize(1 << max(10, n_expected.bit_length()))

    def _resize(self, n_slots: int) -> None:
        keys = self.keys
        self._slots, self._id_of_slot = np.full(n_slots, _FREE, np.int64), np.empty(n_slots, np.int32)
        self._distinct = np.empty(n_slots // 2, np.int64)
        self.keys = self._distinct[:0]
        self.add(keys, np.empty(keys.size, np.int32))

    def add(self, keys: Int64s, out: Int32s) -> None:
        """Add keys, and write the id of each to ``out``."""
        done = 0
        while True:
            n, done = _add(keys, done, self._slots, self._id_of_slot, self._distinct, self.keys.size, out)
            self.keys = self._distinct[:n]
            if done == keys.size:
                return
            self._resize(2 * self._slots.size)
