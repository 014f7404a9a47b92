"""The words that a topic's list shows.

With n = n_wk tokens of word w in topic k, e the number expected if all topics used the word alike (the word's
probability in the corpus times the tokens of the topic), and φ the word's probability in the topic::

    lift    (n + 5) / (e + 5)
    best    log φ  +  log lift

The five tokens on both sides keep the lift of rare words small: it is mostly chance. Background words are
hidden, but for those that a topic has made its own: their lift there is 4 or more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.topics.model.phraselda import topics_in
from topminer.topics.results.entries import RELEVANCE, Entries
from topminer.topics.results.ranking import N_LIKELY, foremost, relevance, top_words

WordOrder = Literal["best", "relevance", "probability"]
WORD_ORDERS: tuple[str, ...] = get_args(WordOrder)
ADDED = 5.0  # tokens
OWN = 4.0  # lift of background words that are shown all the same


class LikelyWords(NamedTuple):
    """The thousand most likely words of a topic, the most likely first: rarer ones are in it by chance."""

    ids: NDArray[np.int64]
    in_topic: NDArray[np.float64]  # φ of the topic
    overall: NDArray[np.float64]  # the probability in the corpus
    lift: NDArray[np.float64]

    @classmethod
    def of(cls, row: NDArray[np.float64], overall: NDArray[np.float64], n_tokens: float) -> LikelyWords:
        """Return the likely words of a topic of ``n_tokens``, given its φ and that of the corpus."""
        ids = top_words(row, N_LIKELY)
        in_topic, in_all = row[ids], overall[ids]
        return cls(ids, in_topic, in_all, (in_topic * n_tokens + ADDED) / (in_all * n_tokens + ADDED))

    def scores(self, order: str, lam: float = RELEVANCE) -> NDArray[np.float64]:
        """Return the score of each word."""
        if order == "best":
            return np.round(np.log(self.in_topic) + np.log(self.lift), 9)
        if order == "probability":
            return self.in_topic
        if order == "relevance":
            return relevance(self.in_topic, self.overall, lam)
        raise InputError(f"the order of words must be one of {', '.join(WORD_ORDERS)}, not {order!r}")

    def hidden(self, background: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which words a list leaves out, given which of the vocabulary are background."""
        hidden: NDArray[np.bool_] = background[self.ids] & (self.lift < OWN)
        return hidden


@dataclass(frozen=True, eq=False)
class WordLists:
    """The words of a model's topics, in all orders."""

    entries: Entries
    is_background: NDArray[np.bool_]  # of topics
    overall: NDArray[np.float64]  # the probability of each word in the corpus

    def likely(self, topic: int) -> LikelyWords:
        """Return the likely words of a topic."""
        topics = topics_in(self.entries.model.lda_)
        return LikelyWords.of(topics.word_probabilities(topic), self.overall, float(topics.n_k[topic]))

    def first(
        self, topic: int, n: int, order: str = "best", lam: float = RELEVANCE, *, background: bool = False
    ) -> NDArray[np.int64]:
        """Return the first ``n`` words of a topic; of a background topic, the most likely."""
        likely = self.likely(topic)
        if self.is_background[topic]:
            return likely.ids[:n]
        scores = likely.scores(order, lam)
        kept = np.arange(scores.size)
        if not background:
            shown = np.flatnonzero(~likely.hidden(self.entries.background_words))
            kept = shown if shown.size else kept
        return likely.ids[kept[foremost(scores[kept], n)]]
