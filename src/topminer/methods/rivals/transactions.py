"""What each topic has of each document: the transactions that KERT mines, and the usual order of their words.

Tokens with the topics that LDA gave them::

    document 0   mining:0 frequent:0 patterns:0 of:1 graphs:1 patterns:0
    topic 0 {mining frequent patterns}    topic 1 {of graphs}
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import starts_of
from topminer.jit import bare_kernel
from topminer.methods.contract import Stems

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]


class Index(NamedTuple):
    """Transactions of each word, in ascending order."""

    start: Int64s
    tids: Int32s


class Transactions(NamedTuple):
    """Sets of words, topic by topic, and in a topic document by document; none is empty."""

    start: Int64s  # first word of each, and the end
    words: Int32s  # by first appearance in the document
    topic: Int32s

    def word_counts(self, n_topics: int, n_stems: int) -> Int64s:
        """How many transactions of each topic have each word, (topics, words)."""
        cell = np.repeat(self.topic.astype(np.int64) * n_stems, np.diff(self.start)) + self.words
        return np.bincount(cell, minlength=n_topics * n_stems).reshape(n_topics, n_stems)

    def by_word(self, n_stems: int) -> Index:
        """Which transactions have each word."""
        tids = np.repeat(np.arange(self.topic.size, dtype=np.int32), np.diff(self.start))
        start = np.concatenate(([0], np.cumsum(np.bincount(self.words, minlength=n_stems))))
        return Index(start, tids[np.argsort(self.words, kind="stable")])


def gather(
    stem_ids: Int32s, doc_start: Int64s, topics: Int32s, n_topics: int, n_stems: int
) -> tuple[Transactions, Floats]:
    """What each topic has of each document, and the sizes (topics, topics) of topics and of pairs of them.

    ``topics`` has one for each token. N_k is on the diagonal, N_kk' beside it.
    """
    both, (token, document) = np.zeros((n_topics, n_topics)), np.empty((2, topics.size), np.int64)
    place = starts_of(np.bincount(topics, minlength=n_topics))
    met, met_in = np.full((2, n_topics), -1)
    _sort_by_topic(doc_start, topics, place, met, met_in, token, document, both)
    start, (words, topic) = np.empty(topics.size + 1, np.int64), np.empty((2, topics.size), np.int32)
    seen_in = np.zeros(n_stems, np.int64)
    n, n_words = _gather(stem_ids, topics, token, document, seen_in, start, words, topic)
    sizes = both.diagonal()
    found = Transactions(start[: n + 1].copy(), words[:n_words].copy(), topic[:n].copy())
    return found, sizes[:, None] + sizes - np.maximum(both, both.T)


@bare_kernel
def _sort_by_topic(
    doc_start: Int64s,
    topics: Int32s,
    place: Int64s,
    met: Int64s,
    met_in: Int64s,
    token: Int64s,
    document: Int64s,
    both: Floats,
) -> None:
    """Write the tokens of each topic and their documents, topic k from ``place[k]`` on.

    Count in ``both`` the documents that each pair of topics shares, those of the higher one in its row.
    """
    for d in range(doc_start.size - 1):
        n_met = 0
        for i in range(doc_start[d], doc_start[d + 1]):
            k = topics[i]
            token[place[k]], document[place[k]] = i, d
            place[k] += 1
            if met_in[k] != d:
                met_in[k], met[n_met] = d, k
                n_met += 1
                for i_met in range(n_met):
                    other = met[i_met]
                    if k > other:
                        both[k, other] += 1.0
                    else:
                        both[other, k] += 1.0


@bare_kernel
def _gather(
    stem_ids: Int32s,
    topics: Int32s,
    token: Int64s,
    document: Int64s,
    seen_in: Int64s,
    start: Int64s,
    words: Int32s,
    topic: Int32s,
) -> tuple[int, int]:
    """Write the transactions; how many they are, and their words.

    ``seen_in`` is the last transaction that each word was seen in, counted from 1.
    """
    n, n_words = 0, 0
    for j in range(topics.size):
        k, word = topics[token[j]], stem_ids[token[j]]
        if j == 0 or topic[n - 1] != k or document[j - 1] != document[j]:
            start[n], topic[n] = n_words, k
            n += 1
        if seen_in[word] != n:
            seen_in[word], words[n_words] = n, word
            n_words += 1
    start[n] = n_words
    return n, n_words


def in_usual_order(
    patterns: list[list[tuple[float, int, Stems]]], transactions: Transactions, index: Index, n_topics: int
) -> list[list[tuple[Stems, float]]]:
    """Patterns with their scores, their words in the order that most documents of the topic have.

    Where two orders are equally frequent, it is the one that was there first.
    """
    listed = [stems for each in patterns for _, _, stems in each]
    start = np.cumsum([0, *map(len, listed)])
    words = np.array([stem for stems in listed for stem in stems], np.int32)
    topic = np.repeat(np.arange(n_topics), [len(each) for each in patterns])
    bounds = np.searchsorted(transactions.topic, np.arange(n_topics + 1))
    shown = words.copy()
    n_orders, n_words = np.diff(index.start)[words].max(initial=0), np.diff(start).max(initial=0)
    in_pattern = np.zeros(index.start.size - 1, np.bool_)
    orders, times = np.empty((n_orders, n_words), np.int32), np.empty(n_orders, np.int64)
    _usual_order(transactions, index, bounds, start, words, topic, in_pattern, orders, times, shown)
    place, stems_shown = iter(start.tolist()), shown.tolist()
    return [
        [(tuple(stems_shown[(at := next(place)) : at + len(stems)]), -score) for score, _, stems in each]
        for each in patterns
    ]


@bare_kernel
def _first_from(tids: Int32s, first: int, last: int, least: np.int64) -> int:
    """Where from ``first`` to ``last`` the ascending numbers reach ``least``."""
    while first < last:
        middle = (first + last) // 2
        if tids[middle] < least:
            first = middle + 1
        else:
            last = middle
    return first


@bare_kernel
def _same_order(orders: Int32s, a: np.int64, b: np.int64, n: np.int64) -> bool:
    m = 0
    while m < n and orders[a, m] == orders[b, m]:
        m += 1
    return m == n


@bare_kernel
def _usual_order(
    transactions: Transactions,
    index: Index,
    bounds: Int64s,
    start: Int64s,
    words: Int32s,
    topic: Int64s,
    in_pattern: NDArray[np.bool_],
    orders: Int32s,
    times: Int64s,
    shown: Int32s,
) -> None:
    """Write the words of each pattern in their usual order.

    For the pattern at hand, ``in_pattern`` marks its words; ``orders`` and ``times`` are the orders that were
    met, and how often.
    """
    tids = index.tids
    for i in range(topic.size):
        n_words = start[i + 1] - start[i]
        first, last = 0, tids.size
        for j in range(start[i], start[i + 1]):  # its transactions are the shortest list to look through
            in_pattern[words[j]] = True
            begin, end = index.start[words[j]], index.start[words[j] + 1]
            begin = _first_from(tids, begin, end, bounds[topic[i]])
            end = _first_from(tids, begin, end, bounds[topic[i] + 1])
            if j == start[i] or end - begin < last - first:
                first, last = begin, end
        n, most = np.int64(0), 0
        for t in range(first, last):
            m = 0
            for p in range(transactions.start[tids[t]], transactions.start[tids[t] + 1]):
                if in_pattern[transactions.words[p]]:
                    orders[n, m] = transactions.words[p]
                    m += 1
            if m < n_words:
                continue
            same = np.int64(0)
            while not _same_order(orders, same, n, n_words):
                same += 1
            if same == n:
                times[n] = 0
                n += 1
            times[same] += 1
        for j in range(1, n):
            most = j if times[j] > times[most] else most
        for j in range(n_words):
            shown[start[i] + j] = orders[most, j]
            in_pattern[words[start[i] + j]] = False
