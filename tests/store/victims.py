"""Stored things to be damaged, and damage made from their declarations."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from damage import changed_at, other_columns, other_heights, other_lengths, other_types
from directories import data_folder, forge, rewrite

from topminer import InputError
from topminer.store import Reader
from topminer.store.facts import Fact, Flag, Float, Int, ListOf, Names, OneOf, Record, Sizes, Text
from topminer.store.schema import Array, Format, Range, Table

# Of the chains that are damaged:
N_SWEEPS, STOPPED = 340, 250  # history is recorded every 50 sweeps; the first sample is that of sweep 250
TOPICS = (3, 40, 300)  # one number for each way to sample


class Victim:
    """A stored thing that is damaged again and again, and is whole in between."""

    def __init__(self, directory: Path, form: Format, use: Callable[[Path], object]) -> None:
        self.directory, self.form, self.use = directory, form, use
        self.reader = Reader(directory, form)
        self.sizes = self.reader._contents.sizes

    @contextmanager
    def damaged(
        self, parts: dict[str, Any], change: Callable[[dict[str, Any]], Any] | None = None
    ) -> Iterator[None]:
        """Give it other arrays and tables, and change its manifest, for a while."""
        kind = self.form.kind
        folder = data_folder(self.directory, kind)
        paths = [path for name in parts for path in folder.glob(f"{name}.*")]
        before = {path: path.read_bytes() for path in (self.directory / f"{kind}.json", *paths)}
        forge(self.directory, kind, **parts)
        if change is not None:
            rewrite(self.directory, change, kind)
        try:
            yield
        finally:
            for path, content in before.items():
                path.write_bytes(content)

    def refused(
        self, parts: dict[str, Any] | None = None, change: Callable[[dict[str, Any]], Any] | None = None
    ) -> str:
        """What is said of it with this damage."""
        with self.damaged(parts or {}, change), pytest.raises(InputError) as raised:
            self.use(self.directory)
        assert "\n" not in str(raised.value)
        return str(raised.value)


class Damage(NamedTuple):
    """A part with content that the declaration forbids."""

    name: str
    what: str
    value: Any
    said: str  # what the message must contain


# Nothing declares how many rows these tables have.
MAY_BE_SHORTER = ("topics-history", "topics-tried", "certainty-history", "history")
MAY_BE_LONGER = (
    *("corpus-surfaces", "corpus-gaps", "surfaces", "gaps", "certainty-chains"),
    *MAY_BE_SHORTER,
)


def damages(reader: Reader) -> Iterator[Damage]:
    """Everything that the declarations of arrays and tables forbid, one change at a time."""
    sizes = reader._contents.sizes
    for name, declared in reader._contents.arrays.items():
        array, said = reader.array(name), f"{name}.0000.npy: damaged: "
        for what, values in (*other_types(array, 6), *_other_values(array, declared, sizes)):
            if what.startswith("type ") and values.dtype.str in declared.dtype.split("|"):
                continue
            yield Damage(name, what, values, said)
        for what, values in other_lengths(array):
            yield Damage(name, what, values, "")
    for name, declared in reader._contents.tables.items():
        table, said = reader.table(name), f"{name}.0000.parquet: damaged: "
        for what, changed in (*other_columns(table), *_other_rows(table, declared, sizes)):
            yield Damage(name, what, changed, said)
        for what, changed in other_heights(table):
            if name not in (MAY_BE_LONGER if what == "longer" else MAY_BE_SHORTER):
                yield Damage(name, what, changed, "")


def _outside(allowed: Range, sizes: Sizes, is_float: bool, widest: float) -> Iterator[float]:
    """Values that are not allowed."""
    if allowed.low is not None:
        lower = allowed.low / 2 if is_float and allowed.low > 0 else allowed.low - max(1, abs(allowed.low))
        yield from (lower, -widest)
    if allowed.high is not None:
        yield from (2 * allowed.high, widest)
    if allowed.below is not None:
        yield from (sizes[allowed.below], widest)
    if is_float:
        yield math.nan
        yield from () if allowed.infinite else (math.inf, -math.inf)


def _other_values(values: np.ndarray, declared: Array, sizes: Sizes) -> Iterator[tuple[str, Any]]:
    if not values.size:
        return
    is_float = values.dtype.kind == "f"
    info = None if is_float else np.iinfo(values.dtype)
    places = cycle((0, values.size // 2, values.size - 1))
    for value in _outside(declared.values, sizes, is_float, 1e300 if info is None else info.max):
        if info is None or info.min <= value <= info.max:
            place = next(places)
            yield f"{value} at {place}", changed_at(values, place, value)
    if declared.order:
        yield "backwards", values[::-1].copy()
        yield "two exchanged", changed_at(values, [1, -1], values[[-1, 1]])
    if declared.ends:
        yield "a later start", changed_at(values, 0, values[0] + 1)
        yield "another end", changed_at(values, -1, values[-1] + 1)


def _other_rows(table: pl.DataFrame, declared: Table, sizes: Sizes) -> Iterator[tuple[str, pl.DataFrame]]:
    for name, dtype in table.schema.items():
        column, row = declared.columns[name], pl.int_range(pl.len()) == table.height // 2
        values: list[Any] = [] if column.nulls else [None]
        if dtype.is_integer():
            widest = 2**31 - 1 if dtype == pl.Int32 else 2**63 - 1
            values += _outside(column.values, sizes, False, widest)
        elif dtype.is_float():
            values += _outside(column.values, sizes, True, 1e300)
        for value in values:
            changed = pl.when(row).then(pl.lit(value, dtype)).otherwise(pl.col(name)).alias(name)
            yield f"{name} with {value}", table.with_columns(changed)


# ---------------------------------------------------------------------------------------------------- facts


def facts_of(form: Format) -> dict[tuple[str, ...], Fact]:
    """Every fact of a stored thing, by the names on the way to it."""
    sections = {name: section.facts for name, section in form.sections.items()}
    return dict(_facts_in(sections[""] if "" in sections else Record({**sections, **form.facts})))


def _facts_in(record: Record, *path: str) -> Iterator[tuple[tuple[str, ...], Fact]]:
    for name, fact in record.fields.items():
        yield (*path, name), fact
        if isinstance(fact, Record):
            yield from _facts_in(fact, *path, name)


def others_than(fact: Fact) -> Iterator[Any]:
    """Values that a fact must not have."""
    yield from (10**400, math.nan, -math.inf, [[]])
    if "each a whole number" not in str(fact):
        yield {"x": 1}
    if "text" not in str(fact):  # which may be any text: whoever reads it by rules checks the rules
        yield "\0?"
    if not isinstance(fact, OneOf):
        yield None
    if isinstance(fact, Int):
        yield from (fact.low - 1, fact.high + 1, 1.0, True, "1")
    if isinstance(fact, Float):
        yield from (fact.low - 1, True, "1", *(() if fact.infinite else (math.inf,)))
    if isinstance(fact, Flag):
        yield from (0, 1, "true")
    if isinstance(fact, Text):
        yield from (1, ["x"], *(("",) if fact.choices else ()))
    if isinstance(fact, ListOf):
        yield from ("x", {}, [None], [[-1]], [[2**40]])
    if isinstance(fact, Names):
        yield from ([], {"x": None})
