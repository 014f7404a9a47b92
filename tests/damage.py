"""Arrays and tables that are not as declared, whatever the declaration: for the store and for torture."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

TYPES = ("<f2", "<c16", ">i4", "<u8", "<U8", "?", ">f8", "<f4", "<i2", "<i4", "<i8", "<u2", "S8", "M8[s]")


def other_types(values: np.ndarray, n_types: int = len(TYPES)) -> Iterator[tuple[str, np.ndarray]]:
    """The same numbers, as far as possible, in some other types, and in other shapes."""
    for dtype in TYPES[:n_types]:
        if np.dtype(dtype) != values.dtype:
            with np.errstate(all="ignore"):
                yield f"type {dtype}", values.astype(dtype)
    yield "fields", np.zeros(values.size, [("a", values.dtype)])
    yield "objects", values.astype(object)
    yield "raw bytes", values.view(f"V{values.itemsize}")
    yield "nothing in each value", np.zeros(values.size, "V0")
    yield "two dimensions", values.reshape(-1, 1)
    yield "many dimensions", values[(None,) * 31]
    yield "no dimension", np.zeros((), values.dtype)


def other_lengths(values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """More values, or fewer."""
    some = values if values.size else np.zeros(1, values.dtype)
    yield "longer", np.append(some, some[-1:])
    yield "twice", np.concatenate((some, some))
    if values.size:
        yield "shorter", values[:-1]
        yield "first one missing", values[1:]
        yield "empty", values[:0]


def other_columns(table: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The same rows with other columns, or columns of other types."""
    yield "a column too many", table.with_columns(more=pl.lit(1))
    yield "another order", table.select(reversed(table.columns)).with_columns(more=pl.lit(1))
    yield "no columns", table.select()
    for name, dtype in table.schema.items():
        yield f"no {name}", table.drop(name).with_columns(x=pl.lit(1))
        yield f"{name} renamed", table.rename({name: name + "x"})
        other = pl.Int16 if dtype.is_numeric() or dtype == pl.String else pl.Datetime("ms")
        yield f"{name} of another type", table.with_columns(pl.lit(None, other).alias(name))
        yield f"{name} as lists", table.with_columns(pl.concat_list(name).alias(name))


def other_heights(table: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """More rows, or fewer."""
    yield "longer", pl.concat([table, table.tail(1)])
    yield "shorter", table.head(table.height - 1)
    yield "empty", table.clear()


def changed_at(array: np.ndarray, place: Any, value: Any) -> np.ndarray:
    """Return a copy with other values in some places."""
    changed = array.copy()
    changed[place] = value
    return changed
