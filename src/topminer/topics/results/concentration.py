"""How unevenly documents share their tokens among topics, and the topics that no document can do without.

Draw two tokens of one document. If the topic of the first says nothing about that of the second, every
document has the topic at the same share. The *concentration* of topic k is the intraclass correlation of
"this token has topic k" within documents, with n_dk of the n_d tokens of document d::

    w = mean of n_dk / n_d        m = mean of n_dk (n_dk - 1) / n_d (n_d - 1)        over documents d
    concentration = (m - w²) / (w - w²)        0: the same share everywhere; 1: all of a document, or nothing

Pairs of tokens make it independent of the lengths of documents, which shares alone are not: a title of five
words has no topic at a share of 3 %.

A *background topic* ("people, work, time, told" in news) is in most documents, and is shown to be even: its
concentration, its standard error taken into account, is at most 0.15, and at most half of that of all topics
together. (In film reviews all documents have nearly the same topics, so evenness says little there.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.topics.model.phraselda import PhraseLDA

EVEN, OF_ALL = 0.15, 0.5  # a background topic has at most this concentration, and this part of that of all,
MOST = 0.5  # and is in at least this share of the documents
ONE_SIDED = 1.645  # standard errors: a level of 5 %


class Concentration(NamedTuple):
    """The concentration of each topic, its standard error, and the share of documents that have the topic."""

    value: NDArray[np.float64]
    error: NDArray[np.float64]
    present: NDArray[np.float64]
    of_all: float  # that of all topics together

    @property
    def is_background(self) -> NDArray[np.bool_]:
        """Which topics are background topics; with a single topic, none."""
        even = self.value + ONE_SIDED * self.error <= min(EVEN, OF_ALL * self.of_all)
        found: NDArray[np.bool_] = even & (self.present >= MOST) & (self.value.size > 1)
        return found


def concentration(lda: PhraseLDA) -> Concentration:
    """Return how concentrated the topics of a model are, over its documents of two or more tokens."""
    n_topics = lda.topic_weight_.size
    documents, topics, tokens = lda.document_topics()
    length = np.bincount(documents, tokens)[documents] if documents.size else np.zeros(0)
    enough = length > 1
    topic, n_dk, n_d = topics[enough], tokens[enough].astype(np.float64), length[enough]
    n_documents = np.unique(documents[enough]).size
    if n_documents == 0:
        one = np.ones(n_topics)
        return Concentration(one, one, one, 1.0)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(topic, values, n_topics) / n_documents

    share, pair = n_dk / n_d, n_dk * (n_dk - 1) / (n_d * (n_d - 1))
    w, m = mean(share), mean(pair)
    variance = w - w * w
    varies = variance > 0
    value = np.divide(m - w * w, variance, out=np.ones(n_topics), where=varies)
    # The delta method: the value changes with m and w as this combination of pair and share does.
    slope = 2 * w + value * (1 - 2 * w)
    combined = pair - slope[topic] * share
    spread = np.sqrt(np.maximum(mean(combined**2) - mean(combined) ** 2, 0.0) / n_documents)
    error = np.divide(spread, variance, out=np.zeros(n_topics), where=varies)
    of_all = float((m - w * w).sum() / variance.sum()) if varies.any() else 1.0
    return Concentration(value, error, mean(np.ones(n_dk.size)), of_all)
