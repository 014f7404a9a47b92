"""Histograms of counts: how often each count occurs.

Priors and likelihood are sums, over documents and over (word, topic) cells, of functions of one count. Most
counts are small and occur many times, so each is kept once, with the number of times::

    N_dk of topic 0 in five documents: 1 3 0 1 1    →    n = 1 3, times = 3 1

Zeros are left out: they add nothing to the sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_SMALL = 256  # smaller counts are counted in bins, the few others by sorting
_SLICE = 1 << 18  # counts that are looked at together: bounds the memory
_COUNT_BITS = 40  # of a key (topic, count): enough for a trillion tokens and eight million topics


class Counts(NamedTuple):
    """A sparse histogram: ``n`` are the distinct counts > 0, ascending, ``times`` how often each occurs."""

    n: NDArray[np.int64]
    times: NDArray[np.int64]


class Histograms(NamedTuple):
    """Histograms of all counts of a chain. Those of ``doc_topic`` ascend within each topic."""

    topic: NDArray[np.int32]  # of each entry of doc_topic, ascending
    doc_topic: Counts  # of n_dk
    doc_length: Counts  # tokens of documents
    word_topic: Counts  # of n_wk
    n_k: NDArray[np.int64]  # one per topic
    n_words: int  # V, words without a token included


def count(values: NDArray[np.integer[Any]]) -> Counts:
    """Count how often each value > 0 occurs in an array of integers ≥ 0, of any shape.

    >>> count(np.array([1, 3, 0, 1, 1]))
    Counts(n=array([1, 3]), times=array([3, 1]))
    """
    return count_by_topic(np.zeros(1, np.int32), values.reshape(-1))[1]


def count_by_topic(
    topics: NDArray[np.integer[Any]], counts: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int32], Counts]:
    """Count how often each count > 0 occurs with each topic, for ``Histograms.topic`` and ``doc_topic``.

    ``topics`` has one topic for each of ``counts``, or one for all of them.
    """
    n_topics = int(topics.max(initial=-1)) + 1
    times, large = np.zeros(n_topics * _SMALL, np.int64), [np.zeros(0, np.int64)]
    for start in range(0, counts.size, _SLICE):
        n = counts[start : start + _SLICE].astype(np.int64)
        topic = (topics if topics.size == 1 else topics[start : start + _SLICE]).astype(np.int64)
        is_small = n < _SMALL
        times += np.bincount((topic * _SMALL + n)[is_small], minlength=times.size)
        large.append(_keys(topic, n)[~is_small])
    times[::_SMALL] = 0
    found = np.flatnonzero(times)
    large_keys, large_times = np.unique(np.concatenate(large), return_counts=True)
    keys = np.append(_keys(found // _SMALL, found % _SMALL), large_keys)
    order = np.argsort(keys)
    return _unpacked(keys[order], np.append(times[found], large_times)[order])


def add(a: Histograms, b: Histograms) -> Histograms:
    """Add the histograms of two parts with the same topics and vocabulary.

    No document and no (word, topic) cell may be in both: its two counts would have to be added first.
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
        a.n_k + b.n_k,
        a.n_words,
    )


def _added(a: Counts, b: Counts) -> Counts:
    return Counts(*_merged(np.append(a.n, b.n), np.append(a.times, b.times)))


def _merged(keys: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, sorted, and the sum of the times of each."""
    distinct, key_of = np.unique(keys, return_inverse=True)
    total = np.zeros(distinct.size, np.int64)
    np.add.at(total, key_of, times)
    return distinct, total


def _keys(topic: NDArray[np.integer[Any]], n: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    return (topic.astype(np.int64) << _COUNT_BITS) | n.astype(np.int64)


def _unpacked(keys: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[NDArray[np.int32], Counts]:
    return (keys >> _COUNT_BITS).astype(np.int32), Counts(keys & ((1 << _COUNT_BITS) - 1), times)
