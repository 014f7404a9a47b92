"""Near-duplicate documents: those that share at least nine of ten of their shingles with an earlier one.

A shingle is three consecutive kept tokens, as stems. Two documents with the sets of shingles A and B are near
duplicates if |A ∩ B| ≥ 0.9 · |A ∪ B|. Most documents of most corpora have none, and are ruled out quickly:
nine of ten of a document's shingles would have to occur in other documents too. The others are compared by
prefix filtering (Chaudhuri and others, 2006): if the shingles of both are sorted, the rarest first, and the
last nine tenths are left out, two near duplicates still share one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges, starts_of

LENGTH = 3  # tokens of a shingle
LEAST_TOKENS = 5  # of a document: shorter ones may well be the same by chance
MOST_COMPARED = 32  # documents that have the same rare shingle; it bounds the time where all are alike
BLOCK = 1 << 20  # tokens that are hashed at a time
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)  # odd


def duplicates_of(stem_ids: NDArray[np.int32], doc_start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each document, the earlier one of which it is a near duplicate; -1: there is none.

    An earlier document that is itself a near duplicate is not compared with.
    """
    shingles = _Shingles(stem_ids, doc_start)
    suspects = _may_be_duplicates(shingles)
    if not suspects.size:
        return np.full(doc_start.size - 1, -1, np.int64)
    hashes = shingles.of(suspects)[1]
    sets = [np.unique(each) for each in np.split(hashes, np.cumsum(shingles.n_of[suspects])[:-1])]
    found = np.fromiter(_originals(sets), np.int64, len(sets))
    original = np.full(doc_start.size - 1, -1, np.int64)
    original[suspects[found >= 0]] = suspects[found[found >= 0]]
    return original


class _Shingles:
    """The shingles of documents, as hashes, by the places of their first tokens."""

    def __init__(self, stem_ids: NDArray[np.int32], doc_start: NDArray[np.int64]) -> None:
        self._stem_ids, self.doc_start, self.n_tokens = stem_ids, doc_start, stem_ids.size
        lengths = np.diff(doc_start)
        self.n_of = np.where(lengths >= LEAST_TOKENS, lengths - (LENGTH - 1), 0)

    def of(self, documents: slice | NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Return the places and hashes of the shingles of some documents, one after the other."""
        starts = self.doc_start[:-1][documents]
        places = ranges(starts, starts + self.n_of[documents])
        hashes = np.zeros(places.size, np.uint64)
        for i, factor in enumerate(_FACTORS):
            hashes ^= hashes >> np.uint64(29)
            hashes += self._stem_ids[places + i].astype(np.uint64)
            hashes *= factor
        return places, hashes ^ (hashes >> np.uint64(32))

    def blocks(self, n_cells: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], slice]]:
        """Yield places, cells and documents, some documents at a time."""
        wanted = np.arange(BLOCK, self.n_tokens + BLOCK, BLOCK)
        ends = np.minimum(self.doc_start.searchsorted(wanted), self.n_of.size)
        for first, stop in pairwise([0, *np.unique(ends).tolist()]):
            documents = slice(first, stop)
            places, hashes = self.of(documents)
            yield places, (hashes & np.uint64(n_cells - 1)).astype(np.int64), documents


def _may_be_duplicates(shingles: _Shingles) -> NDArray[np.int64]:
    """Return the documents of which at least nine of ten shingles may occur in other documents.

    Shingles are told apart by cells of a table only. So a document may be returned that shares nothing, but
    none is missed.
    """
    n_of = shingles.n_of
    n_cells = 1 << int(4 * n_of.sum()).bit_length()
    is_large = shingles.n_tokens > np.iinfo(np.int32).max
    last: NDArray[Any] = np.empty(n_cells, np.int64 if is_large else np.int32)
    for places, cells, _ in shingles.blocks(n_cells):
        last[cells] = places  # of all places with the same cell, the last one remains
    is_shared = np.zeros(n_cells, np.bool_)
    for _, cells, documents in shingles.blocks(n_cells):
        ends = np.repeat(shingles.doc_start[1:][documents], n_of[documents])
        is_shared[cells[last[cells] >= ends]] = True
    n_alone = [np.zeros(0, np.int64)]
    for places, cells, documents in shingles.blocks(n_cells):
        # A cell that is not shared is counted once in its document, however often it occurs there.
        is_alone = ~is_shared[cells] & (last[cells] == places)
        n_alone.append(np.diff(starts_of(is_alone)[starts_of(n_of[documents])]))
    return np.flatnonzero((10 * np.concatenate(n_alone) <= n_of) & (n_of > 0))


def _originals(sets: list[NDArray[np.uint64]]) -> Iterator[int]:
    """Yield, for each set of shingles, an earlier one that is nearly the same and has no original itself."""
    frequency = Counter(np.concatenate([np.zeros(0, np.uint64), *sets]).tolist())
    same: dict[bytes, int] = {}  # equal sets: the first of them, or its original
    with_shingle: dict[int, list[int]] = {}
    for number, shingles in enumerate(sets):
        key = shingles.tobytes()
        if key not in same:
            rarest = sorted(shingles.tolist(), key=lambda each: (frequency[each], each))
            rarest = rarest[: len(rarest) // 10 + 1]
            met = Counter(other for each in rarest for other in with_shingle.get(each, ()))
            similar = (other for other, _ in met.most_common() if _are_similar(shingles, sets[other]))
            original = next(similar, -1)
            same[key] = number if original < 0 else original
            yield original
            if original < 0:
                for each in rarest:
                    listed = with_shingle.setdefault(each, [])
                    if len(listed) < MOST_COMPARED:
                        listed.append(number)
        else:
            yield same[key]


def _are_similar(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> bool:
    """Return whether |a ∩ b| ≥ 0.9 · |a ∪ b|, for sorted arrays of distinct hashes."""
    if 10 * min(a.size, b.size) < 9 * max(a.size, b.size):
        return False
    n_common = np.intersect1d(a, b, assume_unique=True).size
    return bool(10 * n_common >= 9 * (a.size + b.size - n_common))
