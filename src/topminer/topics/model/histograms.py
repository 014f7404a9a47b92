"""How often each count occurs: all that priors and likelihood need to know of the assignments.

Both are sums over documents and over (word, topic) cells of functions of one count. Most counts are small
and occur again and again, so they are told once, with the number of times::

    N_dk of topic 0 in five documents: 1 3 0 1 1    →    n = 1 3, times = 3 1

Zeros are left out: they add nothing to any of the sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import kernel

_SMALL = 256  # counts below are told by bins that stay in the cache, the few others by sorting
_COUNT_BITS = 40  # of a key (topic, count): a trillion tokens, eight million topics


class Counts(NamedTuple):
    """A sparse histogram: ``n`` are the distinct counts > 0, ascending, ``times`` how often each occurs."""

    n: NDArray[np.int64]
    times: NDArray[np.int64]


class Histograms(NamedTuple):
    """The counts of all assignments. Those of ``doc_topic`` ascend within each topic."""

    topic: NDArray[np.int32]  # of each entry of doc_topic, ascending
    doc_topic: Counts  # N_dk over documents
    doc_length: Counts  # N_d
    word_topic: Counts  # N_wk over all (word, topic) cells
    topic_tokens: NDArray[np.int64]  # N_k, one per topic
    n_words: int  # V, words without a token included


def count(values: NDArray[np.integer[Any]]) -> Counts:
    """How often each value > 0 occurs in an array of integers ≥ 0, of any shape.

    >>> count(np.array([1, 3, 0, 1, 1]))
    Counts(n=array([1, 3]), times=array([3, 1]))
    """
    return count_by_topic(np.zeros(1, np.int32), values.reshape(-1))[1]


def count_by_topic(
    topics: NDArray[np.integer[Any]], counts: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int32], Counts]:
    """How often each count > 0 occurs with each topic, for ``Histograms.topic`` and ``doc_topic``.

    ``topics`` are as many as ``counts``, or one for all of them.
    """
    n_topics = int(topics.max(initial=-1)) + 1
    bins = np.zeros((n_topics, _SMALL), np.int64)
    n_large = _count_small(topics, counts, bins)
    topic, n = np.nonzero(bins)
    keys, times = _keys(topic, n), bins[topic, n]
    if n_large:
        large = np.flatnonzero(counts >= _SMALL)
        large_topics = topics if topics.size == 1 else topics[large]
        large_keys, large_times = np.unique(_keys(large_topics, counts[large]), return_counts=True)
        keys, times = _merged(np.append(keys, large_keys), np.append(times, large_times))
    return _unpacked(keys, times)


def add(a: Histograms, b: Histograms) -> Histograms:
    """The histograms of two parts with the same topics and vocabulary.

    No document and no (word, topic) cell may stand in both: its two counts would have to be added up first.
    """
    topic, doc_topic = _unpacked(
        *_merged(
            np.append(_keys(a.topic, a.doc_topic.n), _keys(b.topic, b.doc_topic.n)),
            np.append(a.doc_topic.times, b.doc_topic.times),
        )
    )
    return Histograms(
        topic,
        doc_topic,
        _added(a.doc_length, b.doc_length),
        _added(a.word_topic, b.word_topic),
        a.topic_tokens + b.topic_tokens,
        a.n_words,
    )


def _added(a: Counts, b: Counts) -> Counts:
    return Counts(*_merged(np.append(a.n, b.n), np.append(a.times, b.times)))


def _merged(keys: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keys sorted, each once, with their times added up."""
    distinct, key_of = np.unique(keys, return_inverse=True)
    total = np.zeros(distinct.size, np.int64)
    np.add.at(total, key_of, times)
    return distinct, total


def _keys(topic: NDArray[np.integer[Any]], n: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    return (topic.astype(np.int64) << _COUNT_BITS) | n.astype(np.int64)


def _unpacked(keys: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[NDArray[np.int32], Counts]:
    return (keys >> _COUNT_BITS).astype(np.int32), Counts(keys & ((1 << _COUNT_BITS) - 1), times)


@kernel
def _count_small(
    topics: NDArray[np.integer[Any]], counts: NDArray[np.integer[Any]], bins: NDArray[np.int64]
) -> int:
    """Count small counts into ``bins[topic, count]``; how many are not small."""
    n_large = 0
    step = 0 if topics.size == 1 else 1
    for i in range(counts.size):
        n = counts[i]
        if n >= _SMALL:
            n_large += 1
        elif n > 0:
            bins[topics[i * step], n] += 1
    return n_large
