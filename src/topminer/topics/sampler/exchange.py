"""What processes send each other.

Arrays from another process are read-only, and kernels are compiled for writable arrays, so they are copied.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from topminer.jit.lanes import aligned

Value = TypeVar("Value")


class Changes(NamedTuple):
    """What a block changed in what all blocks share."""

    n_k: NDArray[np.int64]
    cells: NDArray[Any]  # of the shared rows
    by: NDArray[Any]  # how much each cell changed


def own(value: Value) -> Value:
    """Return a value with writable arrays; read-only arrays are copied."""
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(own, value))
    return value


def own_rows(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return writable rows; a copy of read-only rows starts at a cache line."""
    if rows.flags.writeable:
        return rows
    copy = aligned(rows.size, np.int32)
    copy[:] = rows
    return copy


def narrowed(change: Changes) -> Changes:
    """Return the same changes in smaller types where their numbers are small."""
    _, cells, by = change
    if cells.max(initial=0) < 2**32:
        cells = cells.astype(np.uint32)
    if np.abs(by).max(initial=0) < 2**15:
        by = by.astype(np.int16)
    return change._replace(cells=cells, by=by)


def add(table: NDArray[np.int32], change: Changes) -> None:
    """Add the changes of a block to the shared rows."""
    cells, by = change.cells.astype(np.int64, copy=False), change.by.astype(np.int32, copy=False)
    np.add.at(table, cells, by)  # fast if no type has to be converted
