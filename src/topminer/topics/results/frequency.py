"""Topical frequency: how many instances of each phrase type have each topic, averaged over samples.

The paper counts the topics of the last sweep. One unlucky sweep then reorders the list, so we average over
several samples with some sweeps between them, and keep their standard deviation, the spread::

    sample 1: type 7 has topics 0, 0, 3    sample 2: type 7 has topics 0, 3, 3
    (7, 0): mean 1.5, spread 0.5           (7, 3): mean 1.5, spread 0.5

Only pairs seen in some sample are kept. Sums and sums of squares stay integers until the end, so the result
does not depend on the order of the samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class TopicalFrequency(NamedTuple):
    """Averaged topical frequency of the pairs seen in some sample, sorted by type, then topic."""

    types: NDArray[np.int32]
    topics: NDArray[np.int32]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]  # standard deviation over the samples; 0 for a single one
    n_samples: int

    def totals(self, n_types: int | None = None) -> NDArray[np.float64]:
        """Return the instances of each type in all topics; by default, of types up to the last one seen."""
        return self._summed(self.types, n_types)

    def sizes(self, n_topics: int | None = None) -> NDArray[np.float64]:
        """Return the instances of all types in each topic."""
        return self._summed(self.topics, n_topics)

    def _summed(self, groups: NDArray[np.int32], n_groups: int | None) -> NDArray[np.float64]:
        # A mean is an integer divided by n_samples. Integers are summed, so that equal totals are equal
        # bytes.
        counts = np.rint(self.mean * self.n_samples)
        return np.bincount(groups, counts, n_groups or 0).astype(np.float64) / max(self.n_samples, 1)

    def relabelled(self, order: ArrayLike) -> TopicalFrequency:
        """Return the same with other topic numbers: new topic i is old topic ``order[i]``."""
        old = np.asarray(order, np.int64)
        if not np.array_equal(np.sort(old), np.arange(old.size)) or np.any(self.topics >= old.size):
            raise ValueError(f"order must name each topic once, not {order!r}")
        new = np.empty(old.size, np.int32)
        new[old] = np.arange(old.size)
        topics = new[self.topics]
        entries = np.argsort(self.types * np.int64(old.size) + topics)
        return TopicalFrequency(
            self.types, topics[entries], self.mean[entries], self.spread[entries], self.n_samples
        )


class Pairs(NamedTuple):
    """Topical frequency of one sample: keys are type * topics + topic, ascending."""

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]


def count_keys(keys: NDArray[np.int64]) -> Pairs:
    """Count how often each key occurs. ``keys`` is sorted in place."""
    keys.sort()
    start = np.flatnonzero(np.append(keys[:1] >= 0, keys[1:] != keys[:-1]))
    return Pairs(keys[start], np.diff(start, append=keys.size))


def joined(pieces: list[Pairs]) -> Pairs:
    """Return the pairs of several sets of instances together."""
    if len(pieces) == 1:
        return pieces[0]
    keys, which = np.unique(np.concatenate([piece.keys for piece in pieces]), return_inverse=True)
    counts = np.zeros(keys.size, np.int64)
    np.add.at(counts, which, np.concatenate([piece.counts for piece in pieces]))
    return Pairs(keys, counts)


class Average:
    """Averages topical frequency over samples."""

    def __init__(self, n_topics: int) -> None:
        self.n_topics = n_topics
        self.n_samples = 0
        self._keys = np.empty(0, np.int64)  # type * n_topics + topic, sorted
        self._sums = np.empty(0, np.int64)
        self._squares = np.empty(0, np.int64)

    def add(self, type_ids: NDArray[Any], clique_topics: NDArray[Any]) -> None:
        """Add a sample: the topic of each clique. Cliques of type -1, words never seen, are left out."""
        known = type_ids >= 0
        self.add_pairs(count_keys(type_ids[known] * np.int64(self.n_topics) + clique_topics[known]))

    def add_pairs(self, pairs: Pairs) -> None:
        """Add a sample: how many instances of each type have each topic."""
        place = np.searchsorted(self._keys, pairs.keys)
        is_new = np.append(self._keys, -1)[place] != pairs.keys
        place = place[is_new]
        self._keys = np.insert(self._keys, place, pairs.keys[is_new])
        self._sums, self._squares = np.insert(self._sums, place, 0), np.insert(self._squares, place, 0)
        entry = np.searchsorted(self._keys, pairs.keys)
        self._sums[entry] += pairs.counts
        self._squares[entry] += pairs.counts**2
        self.n_samples += 1

    def state(self) -> dict[str, NDArray[np.int64]]:
        """Return what was added so far, to go on from."""
        return {"keys": self._keys, "sums": self._sums, "squares": self._squares}

    def restore(self, state: Mapping[str, NDArray[np.int64]], n_samples: int) -> None:
        """Go on from a :meth:`state` after ``n_samples`` samples."""
        self._keys, self._sums, self._squares = state["keys"], state["sums"], state["squares"]
        self.n_samples = n_samples

    def result(self) -> TopicalFrequency:
        """Return the average of what was added so far."""
        keys, sums, n = self._keys, self._sums, max(self.n_samples, 1)
        # Integers, so that the spread of equal counts is exactly 0. A product that overflows wraps around;
        # the difference is still right if it fits: if n times the spread is below 3e9.
        squared = n * self._squares - sums * sums
        types, topics = (keys // self.n_topics).astype(np.int32), (keys % self.n_topics).astype(np.int32)
        return TopicalFrequency(types, topics, sums / n, np.sqrt(squared) / n, self.n_samples)
