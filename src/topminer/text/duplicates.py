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

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges

LENGTH = 3  # tokens of a shingle
LEAST_TOKENS = 5  # of a document: shorter ones may well be the same by chance
MOST_COMPARED = 32  # documents that have the same rare shingle; it bounds the time where all are alike
BLOCK = 1 << 17  # tokens that are hashed at a time
PARTS = 4  # of the shingles, which are compared one part after the other
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)  # odd


def duplicates_of(stem_ids: NDArray[np.int32], doc_start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each document, the earlier one of which it is a near duplicate; -1: there is none.

    An earlier document that is itself a near duplicate is not compared with.
    """
    shingles = _Shingles(stem_ids, doc_start)
    suspects = _may_be_duplicates(shingles)
    if not suspects.size:
        return np.full(doc_start.size - 1, -1, np.int64)
    hashes = shingles.of(suspects)
    sets = [np.unique(each) for each in np.split(hashes, np.cumsum(shingles.n_of[suspects])[:-1])]
    found = np.fromiter(_originals(sets), np.int64, len(sets))
    original = np.full(doc_start.size - 1, -1, np.int64)
    original[suspects[found >= 0]] = suspects[found[found >= 0]]
    return original


class _Shingles:
    """The shingles of documents, as hashes."""

    def __init__(self, stem_ids: NDArray[np.int32], doc_start: NDArray[np.int64]) -> None:
        self._stem_ids, self.doc_start, self.n_tokens = stem_ids, doc_start, stem_ids.size
        lengths = np.diff(doc_start)
        self.n_of = np.where(lengths >= LEAST_TOKENS, lengths - (LENGTH - 1), 0)

    def of(self, documents: slice | NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the hashes of the shingles of some documents, one after the other."""
        starts = self.doc_start[:-1][documents]
        places = ranges(starts, starts + self.n_of[documents])
        hashes = np.zeros(places.size, np.uint64)
        for i, factor in enumerate(_FACTORS):
            hashes ^= hashes >> np.uint64(29)
            hashes += self._stem_ids[places + i].astype(np.uint64)
            hashes *= factor
        return hashes ^ (hashes >> np.uint64(32))

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        """Yield the documents and the hashes of all shingles, some documents at a time."""
        wanted = np.arange(BLOCK, self.n_tokens + BLOCK, BLOCK)
        ends = np.minimum(self.doc_start.searchsorted(wanted), self.n_of.size)
        for first, stop in pairwise([0, *np.unique(ends).tolist()]):
            documents = slice(first, stop)
            yield np.repeat(np.arange(first, stop), self.n_of[documents]), self.of(documents)


def _may_be_duplicates(shingles: _Shingles) -> NDArray[np.int64]:
    """Return the documents of which at least nine of ten shingles may occur in other documents.

    Shingles are told apart by cells only, a few bits of their hashes. So a document may be returned that
    shares nothing, but none is missed. A cell that no other document has counts once.
    """
    n_of = shingles.n_of
    n_cells = 1 << int(4 * n_of.sum()).bit_length()
    n_bits = np.uint64(n_of.size.bit_length())
    n_alone = np.zeros(n_of.size, np.int64)
    for part in range(PARTS):  # a part of the cells at a time, to need less memory
        keys = [np.zeros(0, np.uint64)]
        for documents, hashes in shingles.blocks():
            cells = hashes & np.uint64(n_cells - 1)
            chosen = np.flatnonzero(cells % np.uint64(PARTS) == part)
            keys.append(cells[chosen] << n_bits | documents[chosen].astype(np.uint64))
        pairs = np.concatenate(keys)  # of a cell and a document
        del keys
        pairs.sort()
        pairs = pairs[_differ(pairs)[:-1]]
        changes = _differ(pairs >> n_bits)
        alone = pairs[changes[:-1] & changes[1:]] & ((np.uint64(1) << n_bits) - np.uint64(1))
        n_alone += np.bincount(alone.astype(np.int64), minlength=n_of.size)
    return np.flatnonzero((10 * n_alone <= n_of) & (n_of > 0))


def _differ(values: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return whether each value differs from the one before it; also for what follows the last one."""
    differ = np.ones(values.size + 1, np.bool_)
    np.not_equal(values[1:], values[:-1], out=differ[1:-1])
    return differ


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
