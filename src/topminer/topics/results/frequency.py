"""Topical frequency: how many instances of each phrase type have each topic, averaged over samples.

The paper counts the last sweep alone. One unlucky sweep then reorders the list, so we average over several
well-spaced samples, and keep how far they lie apart::

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

from topminer.jit import kernel


class TopicalFrequency(NamedTuple):
    """Averaged topical frequency of the pairs seen in some sample, sorted by type, then topic."""

    types: NDArray[np.int32]
    topics: NDArray[np.int32]
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]  # standard deviation over the samples; 0 for a single one
    n_samples: int

    def totals(self, n_types: int | None = None) -> NDArray[np.float64]:
        """Instances of each type, in all topics (of types 0 to the last one seen, or ``n_types``)."""
        return self._summed(self.types, n_types)

    def sizes(self, n_topics: int | None = None) -> NDArray[np.float64]:
        """Instances in each topic, of all types."""
        return self._summed(self.topics, n_topics)

    def _summed(self, groups: NDArray[np.int32], n_groups: int | None) -> NDArray[np.float64]:
        # A mean is a whole number over n_samples: summed as whole numbers, equal totals are equal bytes.
        counts = np.rint(self.mean * self.n_samples)
        return np.bincount(groups, counts, n_groups or 0).astype(np.float64) / max(self.n_samples, 1)

    def relabelled(self, order: ArrayLike) -> TopicalFrequency:
        """The same with other topic numbers: new topic i is old topic ``order[i]``."""
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


def count(
    type_ids: NDArray[Any], clique_topics: NDArray[Any], n_topics: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Topical frequency of one sample: types, topics and counts, sorted by type, then topic.

    Cliques of type -1 (a word never seen when the corpus was mined) are left out.

    >>> types, topics, counts = count(np.array([7, 2, 7, -1, 7]), np.array([3, 0, 0, 0, 3]), 4)
    >>> types.tolist(), topics.tolist(), counts.tolist()
    ([2, 7, 7], [0, 0, 3], [1, 1, 2])
    """
    if type_ids.shape != clique_topics.shape:
        raise ValueError(f"{type_ids.size} cliques, but {clique_topics.size} topics")
    known = type_ids >= 0
    if not known.all():
        type_ids, clique_topics = type_ids[known], clique_topics[known]
    if clique_topics.size and not 0 <= clique_topics.min() <= clique_topics.max() < n_topics:
        raise ValueError(f"topics must lie in 0 to {n_topics - 1}")
    n_types = int(type_ids.max()) + 1 if type_ids.size else 0
    # One compiled version whatever the sampler stores its topics in.
    return _count(type_ids.astype(np.int32, copy=False), clique_topics.astype(np.int32), n_types, n_topics)


class Pairs(NamedTuple):
    """Topical frequency of one sample: keys are type * topics + topic, ascending."""

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]


def joined(pieces: list[Pairs]) -> Pairs:
    """The pairs of several sets of instances together."""
    if len(pieces) == 1:
        return pieces[0]
    keys, which = np.unique(np.concatenate([piece.keys for piece in pieces]), return_inverse=True)
    counts = np.zeros(keys.size, np.int64)
    np.add.at(counts, which, np.concatenate([piece.counts for piece in pieces]))
    return Pairs(keys, counts)


class Average:
    """Averages topical frequency over samples.

    Parameters
    ----------
    n_topics : int
        Topics are numbered from 0 to ``n_topics - 1``.
    """

    def __init__(self, n_topics: int) -> None:
        self.n_topics = n_topics
        self.n_samples = 0
        self._keys = np.empty(0, np.int64)  # type * n_topics + topic, sorted
        self._sums = np.empty(0, np.int64)
        self._squares = np.empty(0, np.int64)

    def add(self, type_ids: NDArray[Any], clique_topics: NDArray[Any]) -> None:
        """Add a sample: the topic of each clique."""
        types, topics, counts = count(type_ids, clique_topics, self.n_topics)
        self.add_pairs(Pairs(types * np.int64(self.n_topics) + topics, counts))

    def add_pairs(self, pairs: Pairs) -> None:
        """Add a sample: how many instances of each type have each topic."""
        self._keys, self._sums, self._squares = _merge(self._keys, self._sums, self._squares, *pairs)
        self.n_samples += 1

    def state(self) -> dict[str, NDArray[np.int64]]:
        """What was added so far, to go on from."""
        return {"keys": self._keys, "sums": self._sums, "squares": self._squares}

    def restore(self, state: Mapping[str, NDArray[np.int64]], n_samples: int) -> None:
        """Go on from a :meth:`state` after ``n_samples`` samples."""
        self._keys, self._sums, self._squares = state["keys"], state["sums"], state["squares"]
        self.n_samples = n_samples

    def result(self) -> TopicalFrequency:
        """What was added so far."""
        return averaged(self._keys, self._sums, self._squares, self.n_topics, self.n_samples)


def averaged(
    keys: NDArray[np.int64],
    sums: NDArray[np.int64],
    squares: NDArray[np.int64],
    n_topics: int,
    n_samples: int,
) -> TopicalFrequency:
    """Mean and spread of counts that were summed up over samples, and so were their squares."""
    n = max(n_samples, 1)
    # Integers, so that equal counts have a spread of 0. A product that overflows wraps around, and the
    # difference is right all the same as long as it fits: n times the spread below 3e9.
    squared = n * squares - sums * sums
    types, topics = (keys // n_topics).astype(np.int32), (keys % n_topics).astype(np.int32)
    return TopicalFrequency(types, topics, sums / n, np.sqrt(squared) / n, n_samples)


@kernel
def _count(
    type_ids: NDArray[np.int32], clique_topics: NDArray[np.int32], n_types: int, n_topics: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Sort by topic, then stably by type, both by counting; then measure the runs."""
    n = type_ids.size
    topic_end = np.zeros(n_topics + 1, np.int64)
    type_end = np.zeros(n_types + 1, np.int64)
    for i in range(n):
        topic_end[clique_topics[i] + 1] += 1
        type_end[type_ids[i] + 1] += 1
    topic_end = np.cumsum(topic_end)
    type_end = np.cumsum(type_end)

    by_topic = np.empty(n, np.int32)
    for i in range(n):
        k = clique_topics[i]
        by_topic[topic_end[k]] = type_ids[i]
        topic_end[k] += 1
    by_type = np.empty(n, np.int32)
    first = 0
    for k in range(n_topics):
        for i in range(first, topic_end[k]):
            t = by_topic[i]
            by_type[type_end[t]] = k
            type_end[t] += 1
        first = topic_end[k]

    n_pairs = 0
    first = 0
    for t in range(n_types):
        for i in range(first, type_end[t]):
            n_pairs += i == first or by_type[i] != by_type[i - 1]
        first = type_end[t]
    types = np.empty(n_pairs, np.int32)
    topics = np.empty(n_pairs, np.int32)
    counts = np.zeros(n_pairs, np.int64)
    pair = -1
    first = 0
    for t in range(n_types):
        for i in range(first, type_end[t]):
            if i == first or by_type[i] != by_type[i - 1]:
                pair += 1
                types[pair] = t
                topics[pair] = by_type[i]
            counts[pair] += 1
        first = type_end[t]
    return types, topics, counts


@kernel
def _merge(
    keys: NDArray[np.int64],
    sums: NDArray[np.int64],
    squares: NDArray[np.int64],
    new_keys: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Add one sample's counts to the sums; both go by ascending keys.

    Which of the two comes next is a coin toss, so the loop computes where it could jump.
    """
    n, n_new = keys.size, new_keys.size
    size = i = j = 0
    while i < n and j < n_new:
        old, new = keys[i], new_keys[j]
        i += old <= new
        j += new <= old
        size += 1
    size += n - i + n_new - j
    all_keys = np.empty(size, np.int64)
    all_sums = np.empty(size, np.int64)
    all_squares = np.empty(size, np.int64)
    entry = i = j = 0
    while i < n and j < n_new:
        old, new = keys[i], new_keys[j]
        from_old, from_new = int(old <= new), int(new <= old)
        added = from_new * counts[j]
        all_keys[entry] = min(old, new)
        all_sums[entry] = from_old * sums[i] + added
        all_squares[entry] = from_old * squares[i] + added * added
        i += from_old
        j += from_new
        entry += 1
    all_keys[entry : entry + n - i] = keys[i:]
    all_sums[entry : entry + n - i] = sums[i:]
    all_squares[entry : entry + n - i] = squares[i:]
    all_keys[entry : entry + n_new - j] = new_keys[j:]
    all_sums[entry : entry + n_new - j] = counts[j:]
    all_squares[entry : entry + n_new - j] = counts[j:] * counts[j:]
    return all_keys, all_sums, all_squares
