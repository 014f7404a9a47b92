"""Which of several ways to write a word or a phrase is shown: first its spelling, then its case.

The spelling is the most frequent one, whatever its case. Of its case variants the one with the fewest
capitals is shown, among those that are common. A variant is common if its share of the spelling's occurrences
is at least 0.4 times the share in lower case that the median word of the corpus has. In running text nearly
all occurrences of the median word are in lower case, so the share must be about 0.4, and *iPod* or *English*
stay as they are. In titles the median word has a quarter or so, and one *data* among ten is enough::

    learning 10, Learning 30, LEARNING 2, learned 5   →   learning
    New York 99, new york 1                           →   New York
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.strings import Strings, StringTable

_OF_MEDIAN = 0.4  # of the median word's share in lower case: from this on a variant is common
_CAPITALS = r"[\p{Lu}\p{Lt}]"


class Variants(NamedTuple):
    """Ways to write some things: a row for each."""

    of: NDArray[np.integer]  # the thing that is written
    spelling: NDArray[np.integer]  # the same for rows that differ by case alone
    capitals: NDArray[np.int64]
    counts: NDArray[np.int64]


class Spellings(NamedTuple):
    """The spelling of each of some texts, regardless of case, and how many capitals each has."""

    ids: NDArray[np.int32]
    capitals: NDArray[np.int64]

    @classmethod
    def of(cls, texts: pl.Series) -> Spellings:
        """Number the spellings of texts by first occurrence."""
        ids = StringTable().add_strings(Strings.from_series(texts.str.to_lowercase()))
        return cls(ids, texts.str.count_matches(_CAPITALS).cast(pl.Int64).to_numpy())


class Cases:
    """How the words of a corpus are written, given its distinct surfaces and their counts."""

    def __init__(self, surfaces: pl.Series, counts: NDArray[np.int64]) -> None:
        self._surfaces, self._counts = surfaces, counts
        self.spelling, self.capitals = Spellings.of(surfaces)
        self.least = _common_share(self.spelling, self.capitals, counts)

    def chosen(self, stem_of: NDArray[np.integer], n_stems: int) -> NDArray[np.int64]:
        """Return the surface that is shown for each of ``n_stems`` stems, given the stem of each surface."""
        variants = Variants(stem_of, self.spelling, self.capitals, self._counts)
        return choose(variants, n_stems, self.least, self._surfaces.__getitem__)

    @cached_property
    def usual(self) -> NDArray[np.int64]:
        """The surface that shows the usual case of each spelling."""
        return self.chosen(self.spelling, int(self.spelling.max(initial=-1)) + 1)


def _common_share(
    spelling: NDArray[np.int32], capitals: NDArray[np.int64], count: NDArray[np.int64]
) -> float:
    """Return which share of its occurrences makes a case variant common."""
    total = np.bincount(spelling, count)
    lower = np.bincount(spelling, np.where(capitals == 0, count, 0), total.size)
    seen = np.flatnonzero(lower)
    if not seen.size:
        return 1.0
    share = lower[seen] / total[seen]
    order = np.argsort(share, kind="stable")
    upto = np.cumsum(total[seen][order])
    median = int(np.searchsorted(upto, upto[-1] / 2))
    return float(share[order][median]) * _OF_MEDIAN


def choose(variants: Variants, n: int, least: float, text_of: Callable[[int], str]) -> NDArray[np.int64]:
    """Return the row of ``variants`` that shows each of ``n`` things; -1 for a thing without one.

    Equally good rows are told apart by count, then by the code points of their texts.
    """
    of, spelling, capitals, count = variants
    n_spellings = int(spelling.max(initial=-1)) + 1
    # Two things may share a spelling, as two stems may where the stemmer looks at case.
    spelling = np.unique(of.astype(np.int64) * n_spellings + spelling, return_inverse=True)[1]
    total = np.bincount(spelling, count).astype(np.int64)
    most, best = np.zeros(total.size, np.int64), np.zeros(n, np.int64)
    np.maximum.at(most, spelling, count)
    np.maximum.at(best, of, total[spelling])
    is_common = (count >= least * total[spelling]) | (count == most[spelling])
    rows = np.flatnonzero((total[spelling] == best[of]) & is_common)
    rows = rows[np.lexsort((-count[rows], capitals[rows], of[rows]))]
    chosen = np.full(n, -1, np.int64)
    things, first = np.unique(of[rows], return_index=True)
    chosen[things] = rows[first]
    winner = chosen[of[rows]]
    is_tied = (rows != winner) & (capitals[rows] == capitals[winner]) & (count[rows] == count[winner])
    for row in rows[is_tied].tolist():
        if text_of(row) < text_of(int(chosen[of[row]])):
            chosen[of[row]] = row
    return chosen
