"""What processes send each other, and what becomes of it where it arrives.

Arrays that come from another process are read-only, and kernels are compiled for others: so they are copied.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from topminer.jit import kernel
from topminer.jit.lanes import aligned
from topminer.topics.sampler.shard import Changes

Value = TypeVar("Value")


def own(value: Value) -> Value:
    """A value whose arrays may be changed, and are such as kernels were compiled for: copies, if need be."""
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(own, value))
    return value


def lanes(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Likewise, where full lanes are read from it."""
    if rows.flags.writeable:
        return rows
    copy = aligned(rows.size, np.int32)
    copy[:] = rows
    return copy


def packed(change: Changes) -> Changes:
    """The same changes in fewer bytes, where their numbers are small."""
    _, cells, by = change
    if cells.max(initial=0) < 2**32:
        cells = cells.astype(np.uint32)
    if np.abs(by).max(initial=0) < 2**15:
        by = by.astype(np.int16)
    return change._replace(cells=cells, by=by)


def add(table: NDArray[np.int32], change: Changes) -> None:
    """Make everybody's changes in the rows that all share."""
    cells, by = change.cells.astype(np.int64, copy=False), change.by.astype(np.int32, copy=False)
    _add(table, own(cells), own(by))


@kernel
def _add(table: NDArray[np.int32], cells: NDArray[np.int64], by: NDArray[np.int32]) -> None:
    for i in range(cells.size):
        table[cells[i]] += by[i]
