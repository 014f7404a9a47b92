"""A model as it is shown: everything that tables, charts, pages and exports tell comes from here.

A :class:`Summary` computes what it is asked for when it is first asked, and keeps it. A :class:`Listing` says
which words and phrases a topic is shown with.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from functools import cache, cached_property
from types import MappingProxyType

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from topminer.phrases.miner import PhraseMiner, lowered
from topminer.phrases.partition import Partition
from topminer.topics.model.phraselda import topics_in
from topminer.topics.results.concentration import concentration
from topminer.topics.results.entries import RELEVANCE, Entries, Order
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.labels import labels_of, names_of
from topminer.topics.results.listing import Listing
from topminer.topics.results.periods import Periods, period_sizes, periods, phrase_trend, topic_trend
from topminer.topics.results.ranking import foremost, places_by_topic
from topminer.topics.results.similarity import similarities
from topminer.topics.results.topic import Topic, TopicPhrase, TopicWord
from topminer.topics.results.words import WordLists

LOWEST = 1.0  # threshold at which documents can be cut
CELLS = 1 << 22  # of documents and topics held at a time


class Summary:
    """What is shown of a fitted model, computed once.

    Parameters
    ----------
    model : ToPMine
        Fitted.
    labels : mapping of int to str
        Your own names of topics, by number.

    Examples
    --------
    >>> from topminer import Summary, ToPMine
    >>> texts = ["Frequent pattern mining.", "Neural networks."] * 50
    >>> summary = Summary(ToPMine(2, n_sweeps=50, random_state=0).fit(texts), labels={0: "One"})
    >>> summary.topic_info()["label"][0]
    'One'
    """

    def __init__(self, model: Fitted, *, labels: Mapping[int, str] = MappingProxyType({})) -> None:
        self.model, self.own_labels = model, labels
        self._entries = cache(lambda tie: Entries.of(model, tie=tie))
        self._lower: PhraseMiner | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, model: Fitted | Summary) -> Summary:
        """Return the summary of a model, or a summary as it is."""
        return model if isinstance(model, Summary) else cls(model)

    # ----------------------------------------------------------------- topics

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return int(self.model.lda_.topic_weight_.size)

    @property
    def entries(self) -> Entries:
        """What lists of phrases show, variants tied."""
        return self.entries_of(tie=True)

    def entries_of(self, *, tie: bool) -> Entries:
        """Return what lists of phrases show, with variants tied or apart."""
        return self._entries(tie)

    def topics(self, listing: Listing | None = None) -> list[Topic]:
        """Return topics with the words and phrases of a listing, by default the model's usual.

        They are ordered by weight. Background topics are the last, unless the listing shows background.
        """
        listing = Listing.usual(self.model) if listing is None else listing
        weights = self.model.lda_.topic_weight_.tolist()
        words, phrases, is_background = self._words(listing), self._phrases(listing), self.is_background
        topics = [
            Topic(k, weight, words[k], phrases[k], bool(is_background[k])) for k, weight in enumerate(weights)
        ]
        return topics if listing.background else sorted(topics, key=lambda topic: topic.background)

    @cached_property
    def is_background(self) -> NDArray[np.bool_]:
        """Which topics are background topics: in most documents, at an even share."""
        stored = getattr(self.model.partition_, "background_topics", None)
        if stored is None:
            return concentration(self.model.lda_).is_background
        declared = np.zeros(self.n_topics, np.bool_)
        declared[stored()] = True
        return declared

    def _words(self, listing: Listing) -> list[tuple[TopicWord, ...]]:
        """Return the words of each topic."""
        topics, shown = topics_in(self.model.lda_), self.model.corpus_.vocabulary["surface"]
        words = []
        for k, chosen in enumerate(self.words(listing)):
            p = topics.word_probabilities(k)  # a row at a time: the whole table may be large
            pairs = zip(shown.gather(chosen), p[chosen].tolist(), strict=True)
            words.append(tuple(TopicWord(*pair) for pair in pairs))
        return words

    def words(self, listing: Listing) -> list[NDArray[np.int64]]:
        """Return the numbers of the words of each topic's list."""
        n, order, lam, background = listing.n_words, listing.order_of_words, listing.lam, listing.background
        if n == 0:
            return [np.zeros(0, np.int64)] * self.n_topics
        return [self.word_lists.first(k, n, order, lam, background=background) for k in range(self.n_topics)]

    @cached_property
    def word_lists(self) -> WordLists:
        """The words of topics in all orders."""
        return WordLists(self.entries, self.is_background, self.word_probabilities)

    @cached_property
    def word_probabilities(self) -> NDArray[np.float64]:
        """The probability of each word in the corpus."""
        topics, weights = topics_in(self.model.lda_), self.model.lda_.topic_weight_.tolist()
        overall = np.zeros(self.model.corpus_.n_stems)
        for k, weight in enumerate(weights):
            overall += weight * topics.word_probabilities(k)
        return overall

    def _phrases(self, listing: Listing) -> list[tuple[TopicPhrase, ...]]:
        entries = self.entries_of(tie=listing.tie)
        types, mean = entries.frequency.types, entries.frequency.mean
        return [
            tuple(
                TopicPhrase(entries.text(entry), n)
                for entry, n in zip(types[here], mean[here].tolist(), strict=True)
            )
            for here in self.places(listing)
        ]

    def places(self, listing: Listing) -> list[NDArray[np.int64]]:
        """Return where the phrases of each topic's list stand in the frequency of :meth:`entries_of`."""
        entries = self.entries_of(tie=listing.tie)
        eligible = entries.lengths > 1
        if listing.n_phrases == 0 or not eligible.any():
            return [np.zeros(0, np.int64)] * self.n_topics
        if listing.longest is not None:
            eligible &= entries.shown_words <= listing.longest
        if listing.order == "kert":
            eligible &= entries.is_complete
        topical = eligible if listing.background else eligible & ~entries.is_background
        scores = entries.scores(listing.order, listing.lam)
        within = entries.is_typical if listing.typical else None
        return [
            entries.ranked(scores, k, listing.n_phrases, eligible if is_background else topical, within)
            for k, is_background in enumerate(self.is_background.tolist())
        ]

    @cached_property
    def topic_word(self) -> NDArray[np.float64]:
        """φ, (topics, words)."""
        return self.model.lda_.topic_word_

    @cached_property
    def names(self) -> list[str]:
        """The automatic label of each topic."""
        return names_of(self.entries, self.is_background, self.word_probabilities)

    @property
    def labels(self) -> list[str]:
        """The label of each topic: yours, or the automatic one."""
        return labels_of(self.names, self.own_labels)

    def relabelled(self, labels: Mapping[int, str]) -> Summary:
        """Return the same with other labels of your own; what has been computed is shared."""
        other = copy(self)
        other.own_labels = labels
        return other

    @cached_property
    def similarity(self) -> NDArray[np.float64]:
        """How similar each two topics are, (topics, topics)."""
        return similarities(self.topic_word)

    # -------------------------------------------------------------- documents

    @cached_property
    def periods(self) -> Periods | None:
        """Periods of the documents' times; None: they have none."""
        return periods(self.model.corpus_.times)

    @cached_property
    def period_sizes(self) -> NDArray[np.int64] | None:
        """Phrase instances in each period, single words included."""
        return None if self.periods is None else period_sizes(self.model, self.periods)

    @cached_property
    def shares(self) -> NDArray[np.float64] | None:
        """Share of each topic in each period, (topics, periods)."""
        return None if self.periods is None else topic_trend(self.model, self.periods)

    def entry_trends(self, entries: NDArray[np.integer]) -> NDArray[np.int64] | None:
        """Return the instances of some entries in each period, (entries, periods)."""
        if self.periods is None:
            return None
        row_of_entry = np.full(len(self.entries), -1)
        row_of_entry[entries] = np.arange(entries.size)
        row_of = row_of_entry[self.entries.entry_of]
        return phrase_trend(self.model, self.periods, row_of, entries.size)

    def representative(self, topic: int, n: int | None = None) -> NDArray[np.int64]:
        """Return rows of documents that have a topic, the most representative first."""
        documents, scores = self._by_topic[topic]
        return documents[foremost(scores, scores.size if n is None else n)]

    @cached_property
    def _by_topic(self) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Documents that have each topic, and how well each represents it.

        A document is scored by the share of the topic, as if it were longer by a document of mean length
        with the usual topics: one of three words has a single topic easily, and represents little.
        """
        lda = self.model.lda_
        documents, topics, tokens = lda.document_topics()
        lengths = np.bincount(documents, tokens)
        usual = float(lengths[lengths > 0].mean()) if lengths.any() else 1.0
        scores = (tokens + usual * lda.topic_weight_[topics]) / (lengths[documents] + usual)
        by_topic = places_by_topic(topics, self.n_topics)
        return [(documents[places], scores[places]) for places in by_topic]

    @property
    def lowest(self) -> float:
        """The lowest threshold that documents can be cut at; with single words only, any."""
        miner = self.model.miner_
        return 0.0 if miner is None else min(miner.settings.threshold, LOWEST)

    @property
    def highest(self) -> float:
        """A threshold that no phrase of the documents reaches, but for those that are always whole."""
        strength = self.model.partition_.strength
        if strength is None:
            return math.inf
        return float(np.ceil(strength[np.isfinite(strength)].max(initial=10.0)))

    def segments(self, rows: ArrayLike, *, lowest: float | None = None) -> Partition:
        """Return documents with their phrase instances.

        With ``lowest``, which is :attr:`lowest`, strengths also tell of phrases that are too rare for the
        model's threshold, so the documents can be cut at any threshold from it on.
        """
        chosen = self.model.partition_[np.asarray(rows, np.int64)]
        return chosen if lowest is None else self.finer(chosen)

    def finer(self, partition: Partition) -> Partition:
        """Return the same phrase instances, with strengths down to the lowest threshold."""
        miner = self.model.miner_
        if miner is None or not len(partition):
            return partition
        with self._lock:
            if self._lower is None:  # mined when first needed
                self._lower = lowered(miner, self.lowest)
        return replace(partition, strength=self._lower.transform(partition.corpus).strength)

    # ------------------------------------------------------------------ frames

    def topic_info(self) -> pl.DataFrame:
        """Return a row for each topic: topic, label, weight, instances, words and phrases (lists)."""
        topics = sorted(self.topics(), key=lambda topic: topic.id)
        return pl.DataFrame(
            {
                "topic": [topic.id for topic in topics],
                "label": self.labels,
                "weight": [topic.weight for topic in topics],
                "instances": self.entries.sizes,
                "words": [[word.word for word in topic.words] for topic in topics],
                "phrases": [[phrase.phrase for phrase in topic.phrases] for topic in topics],
            },
            schema_overrides={"words": pl.List(pl.String), "phrases": pl.List(pl.String)},
        )

    def document_info(self) -> pl.DataFrame:
        """Return a row for each document: id, time if there is one, its largest topic, label and share."""
        corpus, n_rows = self.model.corpus_, max(1, CELLS // self.n_topics)
        topics, shares = np.empty(len(corpus), np.int64), np.empty(len(corpus))
        for first in range(0, len(corpus), n_rows):
            table = self.model.lda_.shares(first, min(first + n_rows, len(corpus)))
            topics[first : first + n_rows] = table.argmax(axis=1)
            shares[first : first + n_rows] = table.max(axis=1)
        known = {"id": corpus.ids} | ({} if corpus.times is None else {"time": corpus.times})
        labels = pl.Series(self.labels, dtype=pl.String).gather(topics)
        return pl.DataFrame({**known, "topic": topics, "label": labels, "share": shares})

    def phrase_info(self) -> pl.DataFrame:
        """Return a row for each phrase of several words, variants tied, the most frequent first.

        Columns: phrase, length, frequency (instances in all topics), topic (the one with most of them),
        in_topic (how many), background, quality (null: not judged).
        """
        entries = self.entries
        frequency = entries.frequency
        order = np.lexsort((-frequency.mean, frequency.types))
        _, first = np.unique(frequency.types[order], return_index=True)
        best = np.full(len(entries), -1)
        best[frequency.types[order[first]]] = order[first]
        chosen = np.flatnonzero((entries.lengths > 1) & (best >= 0))
        chosen = chosen[np.argsort(-entries.totals[chosen], kind="stable")]
        return pl.DataFrame(
            {
                "phrase": pl.Series([entries.text(entry) for entry in chosen.tolist()], dtype=pl.String),
                "length": entries.lengths[chosen],
                "frequency": entries.totals[chosen],
                "topic": frequency.topics[best[chosen]],
                "in_topic": frequency.mean[best[chosen]],
                "background": entries.is_background[chosen],
                "quality": pl.Series(entries.quality[chosen]).fill_nan(None),
            }
        )


def ranked_topics(
    model: Fitted,
    n_words: int = 10,
    n_phrases: int = 10,
    *,
    order: Order = "best",
    lam: float = RELEVANCE,
    weight: float | None = None,
    tie: bool = True,
    background: bool = False,
) -> list[Topic]:
    """Return topics with the words and phrases of a :class:`topminer.Listing`.

    ``weight`` is the old name of ``lam``.
    """
    lam = lam if weight is None else weight
    return Summary(model).topics(Listing(n_words, n_phrases, order, lam, tie, background))
