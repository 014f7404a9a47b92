"""Which columns of a table are its documents' texts, ids and times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from topminer.errors import InputError

# A column of names or labels has fewer words than this on average, a column of texts has more.
MIN_WORDS_OF_TEXT = 3


class Columns(NamedTuple):
    """The column of each role; None where there is none."""

    text: str | None = None
    id: str | None = None
    time: str | None = None

    def by_role(self) -> dict[str, str]:
        """Return the columns that there are, by role."""
        return {role: column for role, column in self._asdict().items() if column is not None}


class Rows(NamedTuple):
    """The records of a block, as they are in the file: nothing is checked or left out yet."""

    columns: dict[str, pl.Series]  # by role; strings, but times may be dates or date-times
    numbers: pl.Series  # the id of a record that has none: its line or row, or its file
    place: Callable[[int], str] = str  # where record i is, for messages


# Returns the first values of the columns that hold strings.
Sample = Callable[[], Sequence[pl.Series]]

# Called with a table's columns, returns which of them to read.
Choose = Callable[[Sequence[str], Sample], Columns]


def place(name: str, unit: str, numbers: Sequence[int] | pl.Series, i: int) -> str:
    """Return the place of record ``i`` for messages: file, and line or row."""
    return f"{name}, {unit} {numbers[i]}"


def slice_bounds(texts: pl.Series, size: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of slices of about ``size`` bytes, of at least one text each."""
    if texts.is_empty():
        return
    if texts.estimated_size() <= size:
        yield 0, len(texts)
        return
    ends = np.cumsum(texts.str.len_bytes().fill_null(0).to_numpy(), dtype=np.int64)
    n_slices = max(1, round(int(ends[-1]) / size))
    bounds = np.searchsorted(ends, ends[-1] / n_slices * np.arange(1, n_slices), side="left") + 1
    yield from pairwise(np.unique([0, *bounds, len(texts)]).tolist())


def choose(asked: Columns, names: Sequence[str], sample: Sample, source: str) -> Columns:
    """Choose the columns to read of a table with columns ``names``; ``source`` names it in messages.

    Without a name, the text is the column called "text", else the only one that looks like texts, for which a
    sample is taken; the id is the column called "id", if there is one.
    """
    check(asked, names, source)
    text = asked.text
    if text is None:
        text = "text" if "text" in names else _text_like(names, sample(), source)
    named = "id" if "id" in names and text != "id" else None
    chosen = Columns(text, named if asked.id is None else asked.id, asked.time)
    check(chosen, names, source)
    return chosen


def check(columns: Columns, names: Sequence[str], source: str) -> None:
    """Raise an error unless a table has each of the columns exactly once."""
    for name in columns.by_role().values():
        if name not in names:
            raise InputError(f"{source}: no column {name!r}; its columns are {_listed(names)}")
        if names.count(name) > 1:
            raise InputError(f"{source}: {names.count(name)} columns are called {name!r}")


def _text_like(names: Sequence[str], sample: Sequence[pl.Series], source: str) -> str:
    """Guess the text column: the only one whose values have several words."""
    likely = [column.name for column in sample if _words(column) >= MIN_WORDS_OF_TEXT]
    if len(likely) == 1:
        return likely[0]
    which = f"several columns may hold the texts: {_listed(likely)}"
    none = f"none of the columns is called 'text' or looks like texts: {_listed(names)}"
    raise InputError(f"{source}: {which if likely else none}; name the text column (--text-column)")


def _words(column: pl.Series) -> float:
    """Return the mean number of words of the values that are not blank."""
    n_words = column.str.count_matches(r"\S+")
    n_words = n_words.filter(n_words > 0)
    return float(n_words.sum()) / max(n_words.len(), 1)


def _listed(names: Sequence[str]) -> str:
    """Return names, quoted, for a message."""
    return ", ".join(map(repr, names)) or "none"
