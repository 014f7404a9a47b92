"""What a declaration of stored data consists of, and how data are checked against it.

Every fact, array and table that topminer stores is declared once, in formats.py. The same declaration is used
when data are written, when they are read, and for the page of the documentation that describes the format.

The length of an array or a table is given as a size: the name of a number (``"tokens"``), one more than it
(``"documents+1"``), or a product (``"stems*topics"``). A size is bound when it is first met and compared from
then on, so two arrays of different lengths cannot both be "tokens" long.

Checks raise ValueError with what was found and what was expected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.store.facts import Fact, Record, Sizes

Declared = TypeVar("Declared")


@dataclass(frozen=True)
class Range:
    """The numbers that a value may be: from ``low``, up to ``high``, and below a size."""

    low: float | None = None
    high: float | None = None
    below: str | None = None
    infinite: bool = False  # whether ±inf are allowed; NaN never is

    def check(self, values: NDArray[Any], sizes: Sizes, what: str) -> None:
        """Raise ValueError if any value lies outside."""
        if values.size == 0 or values.dtype.kind not in "iuf":
            return
        low, high = values.min(), values.max()  # NaN if any value is
        limits = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        if not (low >= limits[0] and high <= limits[1]):
            raise ValueError(f"{what} has values from {low} to {high}; expected {self}")
        if self.below is not None and high >= sizes[self.below]:
            raise ValueError(f"{what} has the value {high}; expected less than {sizes[self.below]:,}")
        if values.dtype.kind == "f" and not self.infinite and not np.isfinite((low, high)).all():
            raise ValueError(f"{what} has values from {low} to {high}; expected finite ones")

    def __str__(self) -> str:
        said = [] if self.low is None else [f"from {self.low:g}"]
        said += [] if self.high is None else [f"to {self.high:g}"]
        said += [] if self.below is None else [f"below {self.below}"]
        return " ".join(said) or "any"


@dataclass(frozen=True)
class Array:
    """An array of one dimension."""

    dtype: str  # as NumPy spells it, byte order included; several are separated by "|"
    length: str  # a size
    values: Range = Range()
    order: str = ""  # "ascending": values must ascend; "strict": and no two are equal
    ends: str | None = None  # offsets: they start at 0 and end at this size
    documents: bool = False  # whether it describes the model's own documents, which new ones do not need

    def check_type(self, dtype: np.dtype[Any], shape: tuple[int, ...], what: str) -> None:
        """Raise ValueError unless type and dimensions are as declared."""
        if dtype.hasobject or dtype.names is not None or dtype.str not in self.dtype.split("|"):
            raise ValueError(f"{what} is of type {dtype}; expected {self.dtype}")
        if len(shape) != 1:
            raise ValueError(f"{what} has {len(shape)} dimensions; expected 1")

    def check(
        self,
        values: NDArray[Any],
        sizes: Sizes,
        what: str,
        *,
        before: Any = None,
        is_first: bool = True,
        is_last: bool = True,
    ) -> None:
        """Raise ValueError unless one part's values are as declared; ``before`` is the value before them."""
        self.values.check(values, sizes, what)
        if self.order and values.size:
            tail = values[1:] > values[:-1] if self.order == "strict" else values[1:] >= values[:-1]
            joined = before is None or (values[0] > before if self.order == "strict" else values[0] >= before)
            if not (joined and tail.all()):
                raise ValueError(f"{what} does not ascend")
        if self.ends is not None and values.size:
            if is_first and values[0] != 0:
                raise ValueError(f"{what} starts at {values[0]:,}; expected 0")
            if is_last and values[-1] != sizes[self.ends]:
                raise ValueError(
                    f"{what} ends at {values[-1]:,}; expected {sizes[self.ends]:,} ({self.ends})"
                )


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    dtype: pl.DataType | type[pl.DataType]
    values: Range = Range()  # of numbers, and of times, which are microseconds since 1970
    nulls: bool = False  # whether rows may be without a value
    filled: bool = False  # whether empty strings are refused
    may_lack: bool = False  # whether a table may do without the column


@dataclass(frozen=True)
class Table:
    """A table with declared columns, in this order."""

    rows: str
    columns: Mapping[str, Column]
    may_lack: bool = False
    documents: bool = False

    def check_type(self, found: Mapping[str, pl.DataType], what: str) -> None:
        """Raise ValueError unless the columns and their types are as declared."""
        wanted = {name: each for name, each in self.columns.items() if name in found or not each.may_lack}
        if list(found) != list(wanted):
            raise ValueError(f"{what} has the columns {', '.join(found)}; expected {', '.join(wanted)}")
        for name, column in wanted.items():
            if found[name] != column.dtype:
                raise ValueError(f"{what}: {name} is of type {found[name]}; expected {column.dtype}")

    def check(self, table: pl.DataFrame, sizes: Sizes, what: str) -> None:
        """Raise ValueError unless the values are as declared."""
        for name in table.columns:
            column, values = self.columns[name], table[name]
            if values.null_count() and not column.nulls:
                raise ValueError(f"{what}: {name} has rows without a value")
            if values.dtype.is_numeric() or values.dtype.is_temporal():
                numbers = values.drop_nulls().to_physical().to_numpy()
                column.values.check(numbers, sizes, f"{what}: {name}")
            elif column.filled and (values == "").any():
                raise ValueError(f"{what}: {name} has empty strings")


@dataclass(frozen=True)
class Relation:
    """What must hold between several parts: ``holds`` is given the arrays and tables ``of`` these names."""

    says: str
    of: tuple[str, ...]
    holds: Callable[..., bool]


# ------------------------------------------------------------------------------------- sections and formats


@dataclass(frozen=True)
class Section:
    """Facts, arrays and tables that belong together; ``may_lack``: a stored thing may do without it."""

    facts: Record = field(default_factory=lambda: Record({}))
    arrays: Mapping[str, Array] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    may_lack: bool = False


@dataclass(frozen=True)
class Format:
    """All that a stored thing of one kind consists of.

    Arrays are stored as ``<section>-<array>``, facts under the section's name. A thing that has one section,
    named "", stores both without that name.
    """

    kind: str  # its manifest is <kind>.json
    sections: Mapping[str, Section]
    facts: Mapping[str, Fact] = field(default_factory=dict)  # beside those of the sections
    relations: tuple[Relation, ...] = ()  # between sections

    def present(self, facts: Mapping[str, Any]) -> dict[str, Section]:
        """The sections that a thing with these facts has."""
        return {name: each for name, each in self.sections.items() if not each.may_lack or name in facts}

    def check_facts(self, facts: Mapping[str, Any], sizes: Sizes) -> None:
        """Raise ValueError unless all facts are as declared."""
        present = self.present(facts)
        if "" in present:
            present[""].facts.check(facts, sizes)
            return
        fields = {name: section.facts for name, section in present.items()}
        Record({**fields, **self.facts}).check(facts, sizes)

    def arrays(self, facts: Mapping[str, Any]) -> dict[str, Array]:
        """Every array, by the name it is stored under."""
        return _named({name: each.arrays for name, each in self.present(facts).items()})

    def tables(self, facts: Mapping[str, Any]) -> dict[str, Table]:
        """Every table, likewise."""
        return _named({name: each.tables for name, each in self.present(facts).items()})

    def all_relations(self) -> list[Relation]:
        """Those within sections and those between them, by the names that parts are stored under."""
        found = list(self.relations)
        for s, section in self.sections.items():
            for each in section.relations:
                of = tuple(stored_name(s, name) for name in each.of)
                found.append(Relation(each.says, of, each.holds))
        return found


def stored_name(section: str, name: str) -> str:
    """The name under which a section's array or table is stored."""
    return f"{section}-{name}" if section else name


def _named(sections: Mapping[str, Mapping[str, Declared]]) -> dict[str, Declared]:
    """Arrays or tables of several sections, by the names they are stored under."""
    return {
        stored_name(s, name): each for s, of_section in sections.items() for name, each in of_section.items()
    }
