"""Ways to damage what is stored, made from its declaration."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from topminer import Partition, ToPMine
from topminer.store import Stored
from topminer.store.facts import Sizes
from topminer.store.schema import Array, Range, Table

N_SWEEPS, STOPPED = 30, 25  # samples are taken after sweeps 20 and 30
TOPICS = (3, 40, 300)  # one number for each way to sample


class Checkpointed(NamedTuple):
    """A chain that was stopped."""

    partition: Partition
    state: Stored


def small_model(n_topics: int) -> ToPMine:
    """Return a model that fits in a moment, with two shards and phrases of the user's own."""
    return ToPMine(
        n_topics,
        n_sweeps=N_SWEEPS,
        optimize_interval=5,
        burn_in=5,
        min_support=3,
        n_shards=2,
        random_state=3,
        n_threads=1,
        always=["large margin text"],
        never=["data streams"],
    )


def other_types(values: np.ndarray) -> Iterator[tuple[str, Any]]:
    """The same numbers, as far as possible, in another type or shape."""
    for dtype in ("<f2", "<c16", ">i4", ">f8", "<i2", "<u8", "S8", "<U8", "?"):
        if np.dtype(dtype) != values.dtype:
            with np.errstate(all="ignore"):
                yield f"type {dtype}", values.astype(dtype)
    yield "fields", np.zeros(values.size, [("a", values.dtype)])
    yield "objects", values.astype(object)
    yield "raw bytes", values.view(f"V{values.itemsize}")
    yield "two dimensions", values.reshape(-1, 1)
    yield "no dimension", np.zeros((), values.dtype)


def other_lengths(values: np.ndarray) -> Iterator[tuple[str, Any]]:
    yield "longer", np.append(values, values[-1:])
    yield "shorter", values[:-1]
    yield "empty", values[:0]


def outside(allowed: Range, sizes: Sizes, is_float: bool, widest: float) -> Iterator[float]:
    """Values that are not allowed."""
    if allowed.low is not None:
        yield from (
            allowed.low / 2 if is_float and allowed.low > 0 else allowed.low - max(1, abs(allowed.low)),
            -widest,
        )
    if allowed.high is not None:
        yield from (2 * allowed.high, widest)
    if allowed.below is not None:
        yield from (sizes[allowed.below], widest)
    if is_float:
        yield math.nan
        yield from () if allowed.infinite else (math.inf, -math.inf)


def other_values(values: np.ndarray, declared: Array, sizes: Sizes) -> Iterator[tuple[str, Any]]:
    is_float = values.dtype.kind == "f"
    info = None if is_float else np.iinfo(values.dtype)
    widest = 1e300 if info is None else info.max
    for value in outside(declared.values, sizes, is_float, widest):
        if info is not None and not info.min <= value <= info.max:
            continue
        for place in {0, values.size // 2, values.size - 1}:
            changed = values.copy()
            changed[place] = value
            yield f"{value} at {place}", changed
    if declared.order:
        yield "backwards", values[::-1].copy()
        yield "two exchanged", np.concatenate((values[:1], values[-1:], values[2:-1], values[1:2]))
    if declared.ends:
        yield "a later start", np.concatenate((values[:1] + 1, values[1:]))
        yield "another end", np.concatenate((values[:-1], values[-1:] + 1))


def other_columns(table: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    yield "a column too many", table.with_columns(more=pl.lit(1))
    yield "another order", table.select(reversed(table.columns)).with_columns(more=pl.lit(1))
    yield "no columns", table.select()
    for name, dtype in table.schema.items():
        yield f"no {name}", table.drop(name).with_columns(x=pl.lit(1))
        yield f"{name} renamed", table.rename({name: name + "x"})
        other = pl.Int16 if dtype.is_numeric() or dtype == pl.String else pl.Datetime("ms")
        yield f"{name} of another type", table.with_columns(pl.lit(None, other).alias(name))
        yield f"{name} as lists", table.with_columns(pl.concat_list(name).alias(name))


def other_rows(table: pl.DataFrame, declared: Table, sizes: Sizes) -> Iterator[tuple[str, pl.DataFrame]]:
    """Tables with values that are not allowed."""
    for name, dtype in table.schema.items():
        column, row = declared.columns[name], pl.int_range(pl.len()) == table.height // 2
        values: list[Any] = [] if column.nulls else [None]
        if dtype.is_integer():
            widest = 2**31 - 1 if dtype == pl.Int32 else 2**63 - 1
            values += outside(column.values, sizes, False, widest)
        elif dtype.is_float():
            values += outside(column.values, sizes, True, 1e300)
        for value in values:
            changed = pl.when(row).then(pl.lit(value, dtype)).otherwise(pl.col(name)).alias(name)
            yield f"{name} with {value}", table.with_columns(changed)
