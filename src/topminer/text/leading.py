"""Stop words that belong to the word behind them: *in situ*, *a priori*, *ad hoc*, *de Bruijn*.

The kept tokens of *in situ hybridization* are *situ hybridization*. The stop word is shown again where it
belongs to the word, which is so if

- it is one of LEADS, with which Latin and Romance expressions start;
- nine of ten of the word's tokens have it directly before them, and at least LEAST do;
- one of ten of these has another stop word before it: *of in situ*, but hardly *as in Taiwan*. Before *a*,
  which is an article in English, this must be a determiner: *the a priori*, but not *of a mixture*.

Tokens that open a chunk do not count, since the text before a chunk is not known. No stop word is shown
behind a phrase: such words belong to what follows (*a variety of*, *cope with*).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.mapped import unload
from topminer.containers.strings import SPARE, Strings, StringTable

LEADS = ("a", "ad", "de", "ex", "in", "inter", "per", "pro")
LEAST = 5
_PIECE = 1 << 18  # tokens that are looked at at a time, at least
_LAST_WORD = r"(?:^| )(\pL+) $"
_TWO_WORDS = r"(?:^| )(?:\pL+ (?:\pL{2,}|[^\PLa])|(?:an?|the|any|no|some) a) $"
_AFTER_ANOTHER = 16  # added to the number of a lead that has another stop word before it


@cache
def lead_ids() -> dict[str, int]:
    """Return the number of each lead, from 1 on."""
    return {lead: number for number, lead in enumerate(LEADS, 1)}


class Leading(NamedTuple):
    """Of each gap: which lead its last word is (0: none), and whether another word stands before it."""

    word: NDArray[np.int32]
    follows: NDArray[np.bool_]

    @classmethod
    def of(cls, gaps: pl.Series) -> Leading:
        """Look at the gaps of a corpus."""
        last = gaps.str.to_lowercase().str.extract(_LAST_WORD, 1)
        word = last.replace_strict(lead_ids(), default=0, return_dtype=pl.Int32)
        return cls(word.fill_null(0).to_numpy(), gaps.str.contains(_TWO_WORDS).to_numpy())


def leads_of(
    leading: Leading,
    stem_ids: NDArray[np.int32],
    gap_ids: NDArray[np.int32],
    chunk_start: NDArray[np.int64],
) -> tuple[Strings, NDArray[np.int64]]:
    """Count what stands before words: byte strings of a stem and a lead, and how often each occurs."""
    table, counts = StringTable(), np.zeros(0, np.int64)
    start, stop = 0, 0
    while stop < stem_ids.size:
        start, stop = stop, stop + max(_PIECE, len(table))
        stems, gaps = stem_ids[start:stop], gap_ids[start:stop]
        is_inside = stems >= 0
        first, last = np.searchsorted(chunk_start[:-1], [start, stop])
        is_inside[chunk_start[first:last] - start] = False
        stems, gaps = stems[is_inside], gaps[is_inside]
        word = leading.word[gaps]
        pairs = np.zeros((stems.size + SPARE // 8, 2), np.int32)
        pairs[: stems.size, 0] = stems
        pairs[: stems.size, 1] = word + _AFTER_ANOTHER * (leading.follows[gaps] & (word > 0))
        starts = 8 * np.arange(stems.size)
        counts = table.count(pairs.reshape(-1).view(np.uint64), starts, starts + 8, counts)
        unload(stem_ids, gap_ids, chunk_start)
    return table.since(), counts


def bound_words(pairs: Strings, counts: NDArray[np.int64]) -> dict[int, str]:
    """Return the stop word that belongs to each of some stems, given the counts of :func:`leads_of`."""
    if not counts.size:
        return {}
    base = pairs.bounds[0] // 8
    stem, code = pairs.words.view(np.int32).reshape(-1, 2)[base : base + counts.size].T
    n_inside = np.bincount(stem, counts)
    follows, lead = code // _AFTER_ANOTHER, code % _AFTER_ANOTHER
    bound: dict[int, str] = {}
    for number, text in enumerate(LEADS, 1):
        here = lead == number
        n = np.bincount(stem[here], counts[here], n_inside.size)
        n_follows = np.bincount(stem[here], (counts * follows)[here], n_inside.size)
        is_bound = (n >= LEAST) & (10 * n >= 9 * n_inside) & (10 * n_follows >= n)
        bound |= dict.fromkeys(np.flatnonzero(is_bound).tolist(), text)
    return bound
