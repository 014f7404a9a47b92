"""What each topic has of each document: the transactions that KERT mines, and the usual order of their words.

Tokens with the topics that LDA gave them::

    document 0   mining:0 frequent:0 patterns:0 of:1 graphs:1 patterns:0
    topic 0 {mining frequent patterns}    topic 1 {of graphs}
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import kernel
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
    start, words, topic, both = _gather(stem_ids, doc_start, topics, n_topics, n_stems)
    sizes = both.diagonal()
    return Transactions(start, words, topic), sizes[:, None] + sizes - np.maximum(both, both.T)


@kernel
def _gather(
    stem_ids: Int32s, doc_start: Int64s, topics: Int32s, n_topics: int, n_stems: int
) -> tuple[Int64s, Int32s, Int32s, Floats]:
    """Transactions, and the documents that each pair of topics shares, those of the higher one in its row."""
    place = np.zeros(n_topics + 1, np.int64)
    for i in range(topics.size):
        place[topics[i] + 1] += 1
    for k in range(n_topics):
        place[k + 1] += place[k]
    token, document = np.empty(topics.size, np.int64), np.empty(topics.size, np.int64)
    met, met_in = np.empty(n_topics, np.int64), np.full(n_topics, -1, np.int64)
    both = np.zeros((n_topics, n_topics))
    for d in range(doc_start.size - 1):
        n_met = 0
        for i in range(doc_start[d], doc_start[d + 1]):
            k = topics[i]
            token[place[k]], document[place[k]] = i, d
            place[k] += 1
            if met_in[k] != d:
                met_in[k], met[n_met] = d, k
                n_met += 1
                for other in met[:n_met]:
                    both[max(k, other), min(k, other)] += 1.0
    start, words = np.empty(topics.size + 1, np.int64), np.empty(topics.size, np.int32)
    topic = np.empty(topics.size, np.int32)
    seen_in = np.zeros(n_stems, np.int64)  # the last transaction a word was seen in, counted from 1
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
    return start[: n + 1].copy(), words[:n_words].copy(), topic[:n].copy(), both


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
    shown = _usual_order(transactions, index, bounds, start, words, topic).tolist()
    place = iter(start.tolist())
    return [
        [(tuple(shown[(at := next(place)) : at + len(stems)]), -score) for score, _, stems in each]
        for each in patterns
    ]


@kernel
def _usual_order(
    transactions: Transactions, index: Index, bounds: Int64s, start: Int64s, words: Int32s, topic: Int64s
) -> Int32s:
    shown = words.copy()
    in_pattern = np.zeros(index.start.size - 1, np.bool_)
    for i in range(topic.size):
        pattern = words[start[i] : start[i + 1]]
        rarest = index.tids[:0]
        for j in range(pattern.size):  # its transactions are the shortest list to look through
            in_pattern[pattern[j]] = True
            tids = index.tids[index.start[pattern[j]] : index.start[pattern[j] + 1]]
            first, last = np.searchsorted(tids, bounds[topic[i]]), np.searchsorted(tids, bounds[topic[i] + 1])
            if j == 0 or last - first < rarest.size:
                rarest = tids[first:last]
        orders, times = np.empty((rarest.size, pattern.size), np.int32), np.zeros(rarest.size, np.int64)
        n, most = 0, 0
        for t in rarest:
            m = 0
            for p in range(transactions.start[t], transactions.start[t + 1]):
                if in_pattern[transactions.words[p]]:
                    orders[n, m] = transactions.words[p]
                    m += 1
            if m < pattern.size:
                continue
            same = 0
            while np.any(orders[same] != orders[n]):
                same += 1
            times[same] += 1
            n += same == n
        for j in range(1, n):
            most = j if times[j] > times[most] else most
        shown[start[i] : start[i + 1]] = orders[most]
        for word in pattern:
            in_pattern[word] = False
    return shown
