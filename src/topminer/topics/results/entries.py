"""Entries: what a list of phrases shows, and all it is ranked by; one phrase type, or several variants.

Ties and background are views of a model: they change what is shown together and where, never a count. An
entry's topical frequency is the sum of its forms', and it is shown as the most frequent of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.phrases.table import extended_supports, ids_of_types, quality_of_types
from topminer.topics.results import ranking
from topminer.topics.results.background import Background, background
from topminer.topics.results.document_frequency import DocumentFrequency, document_frequency
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.results.variants import HYPHENS, tied

Order = Literal["best", "frequency", "kert", "relevance"]
ORDERS: tuple[str, ...] = get_args(Order)
RELEVANCE = 0.6  # λ


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of a model."""

    model: Fitted
    entry_of: NDArray[np.int64]  # the entry of each phrase type
    frequency: TopicalFrequency  # of entries, where it has types
    form_start: NDArray[np.int64]  # (entries + 1,)
    forms: NDArray[np.int64]  # the types of entry i from form_start[i] on, the most frequent first
    is_tied: bool = True  # whether variants are one entry

    @classmethod
    def of(cls, model: Fitted, *, tie: bool = True) -> Entries:
        """Return the entries of a model; without ``tie`` each phrase type is one."""
        partition, frequency = model.partition_, model.lda_.frequency_
        types = np.arange(partition.n_types)
        if not tie:
            return cls(model, types, frequency, np.arange(types.size + 1), types, tie)
        entry_of = tied(partition)
        forms = np.lexsort((types, -partition.instances(), entry_of))
        form_start = np.searchsorted(entry_of[forms], np.arange(entry_of.max(initial=-1) + 2))
        return cls(model, entry_of, _summed(frequency, entry_of), form_start, forms, tie)

    def __len__(self) -> int:
        return self.form_start.size - 1

    @property
    def _partition(self) -> Partition:
        return self.model.partition_

    @cached_property
    def first_forms(self) -> NDArray[np.int64]:
        """The most frequent type of each entry: what it is shown as."""
        return self.forms[self.form_start[:-1]]

    @cached_property
    def surfaces(self) -> list[str]:
        """How each *type* is shown, single words included."""
        return self._partition.type_surfaces()

    def text(self, entry: int) -> str:
        """Return how an entry is shown."""
        return self.surfaces[int(self.first_forms[entry])]

    @cached_property
    def totals(self) -> NDArray[np.float64]:
        """Instances of each entry, in all topics."""
        return self.frequency.totals(len(self))

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """Instances in each topic."""
        return self.frequency.sizes(self.model.lda_.topic_weight_.size)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Words of each entry as it is shown.

        A word with a hyphen counts as two words if it is tied to a form of two words: *cross-lingual* is a
        phrase, and *newsgroup* is a word, also if *news group* is a form of it.
        """
        of_types = np.diff(self._partition.type_start)
        shown = of_types[self.first_forms]
        longest = np.maximum.reduceat(of_types[self.forms], self.form_start[:-1])
        joined = np.flatnonzero((shown == 1) & (longest > 1))
        hyphens = [HYPHENS.search(self.text(entry)) is not None for entry in joined.tolist()]
        shown[joined] += np.array(hyphens, np.bool_)
        return shown

    @cached_property
    def shown_words(self) -> NDArray[np.int64]:
        """Words of each entry as it is shown, stop words included; one in scripts without blanks."""
        return np.array([self.text(entry).count(" ") + 1 for entry in range(len(self))], np.int64)

    @cached_property
    def background(self) -> Background:
        """The test of each entry."""
        return background(self._partition, self.model.lda_, self.entry_of)

    @cached_property
    def is_background(self) -> NDArray[np.bool_]:
        """Whether each entry is declared background. This is known of a stored model without its documents.

        Such a model has a stand-in for its partition, which knows the phrase types in question.
        """
        stored = getattr(self._partition, "background_types", None)
        if stored is None:
            return self.background.declared
        declared = np.zeros(len(self), np.bool_)
        types = stored(self.is_tied)
        declared[self.entry_of[types[types < self.entry_of.size]]] = True
        return declared

    @property
    def background_words(self) -> NDArray[np.bool_]:
        """Whether each word of the vocabulary is background, as an entry of its own."""
        return self.is_background[self.entry_of[: self._partition.corpus.n_stems]]

    @property
    def background_types(self) -> NDArray[np.int64]:
        """The phrase types of background entries."""
        return np.flatnonzero(self.is_background[self.entry_of])

    @cached_property
    def document_frequency(self) -> DocumentFrequency:
        """Documents of the entries of several words. They are known of a stored model without documents."""
        several, frequency = self.lengths > 1, self.frequency
        stored = getattr(self._partition, "document_frequency", None)
        if stored is not None:
            found: DocumentFrequency = stored(
                self.is_tied, int(several.sum()), int(several[frequency.types].sum())
            )
            return found
        return document_frequency(self._partition, self.model.lda_, self.entry_of, several, frequency)

    @cached_property
    def documents(self) -> NDArray[np.float64]:
        """Documents with each entry; of a single word, its instances."""
        found = self.totals.astype(np.float64)
        found[self.lengths > 1] = self.document_frequency.documents
        return found

    @cached_property
    def in_topic(self) -> NDArray[np.float64]:
        """Documents of the topic with the entry, in the order of ``frequency``; of a word, its instances."""
        found = self.frequency.mean.astype(np.float64)
        found[(self.lengths > 1)[self.frequency.types]] = self.document_frequency.in_topic
        return found

    # ------------------------------------------------------------ measures of the form that is shown

    @cached_property
    def _phrase_ids(self) -> NDArray[np.int64]:
        """The mined phrase that the shown form of each entry is; -1: none, or a tied word."""
        if self.model.miner_ is None:
            return np.full(len(self), -1)
        ids = ids_of_types(self.model.miner_.fitted, self._partition)[self.first_forms]
        return np.where(self.model.miner_.mined.support[ids] > 0, ids, -1)

    @cached_property
    def quality(self) -> NDArray[np.float64]:
        """The quality of each entry; NaN: a single word, or a phrase that was not judged."""
        if self.model.miner_ is None:
            return np.full(len(self), np.nan)
        return quality_of_types(self.model.miner_.fitted, self._partition)[self.first_forms]

    @cached_property
    def completeness(self) -> NDArray[np.float64]:
        """Share of the occurrences of each entry outside its most frequent extension."""
        if self.model.miner_ is None:
            return np.ones(len(self))
        mined, ids = self.model.miner_.mined, self._phrase_ids
        share = ranking.completeness(mined.support[ids], extended_supports(mined)[ids])
        return np.where(ids >= 0, share, 1.0)

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether each entry is more than a piece of other phrases: pieces have no KERT score."""
        return self.completeness > ranking.GAMMA

    @cached_property
    def concordance(self) -> NDArray[np.float64]:
        """How much more often the words of each entry meet than if they were independent."""
        partition, ids = self._partition, self._phrase_ids
        counts, supports = partition.corpus.vocabulary["count"].to_numpy(), partition.instances()
        n_tokens = int(supports @ np.diff(partition.type_start))
        if self.model.miner_ is not None:
            known = ids >= 0
            supports[self.first_forms[known]] = self.model.miner_.mined.support[ids[known]]
        scores = ranking.concordance(supports, counts[partition.type_stems], partition.type_start, n_tokens)
        return scores[self.first_forms]

    # --------------------------------------------------------------------------------------- orders

    def scores(self, order: str, lam: float = RELEVANCE) -> NDArray[np.float64]:
        """Return the score of each entry in each topic it stands in, in the order of ``frequency``."""
        frequency = self.frequency
        if order == "frequency":
            return frequency.mean
        if order == "best":
            return self._best
        popularity = ranking.popularity(frequency.mean, self.sizes[frequency.topics])
        if order == "kert":
            concordance, completeness = self.concordance[frequency.types], self.completeness[frequency.types]
            return ranking.kert(popularity, self.purity, concordance, completeness)
        if order == "relevance":
            overall = ranking.popularity(self.totals, self.sizes.sum())
            return ranking.relevance(popularity, overall[frequency.types], lam)
        raise InputError(f"the order must be one of {', '.join(ORDERS)}, not {order!r}")

    @cached_property
    def _best(self) -> NDArray[np.float64]:
        types, topics = self.frequency[:2]
        shares = self.model.lda_.topic_weight_[topics]
        stop_words = np.maximum(self.shown_words - self.lengths, 0)
        return ranking.best(
            self.in_topic, self.documents[types], shares, self.quality[types], stop_words[types]
        )

    @property
    def _shares(self) -> NDArray[np.float64]:
        """The share of each topic in all instances."""
        return ranking.popularity(self.sizes, self.sizes.sum())

    @cached_property
    def is_typical(self) -> NDArray[np.bool_]:
        """Whether each entry is typical of each topic it stands in, in the order of ``frequency``."""
        frequency = self.frequency
        totals = self.totals[frequency.types]
        is_typical = ranking.is_typical(frequency.mean, totals, self._shares[frequency.topics])
        return is_typical & (self.in_topic >= ranking.LEAST_DOCUMENTS)

    @cached_property
    def purity(self) -> NDArray[np.float64]:
        """KERT's purity of each entry in each topic it stands in."""
        together = ranking.together(self.sizes)
        return ranking.purity(self.frequency.types, self.frequency.topics, self.frequency.mean, together)

    @cached_property
    def places(self) -> list[NDArray[np.int64]]:
        """Where the entries of each topic stand in ``frequency``."""
        return ranking.places_by_topic(self.frequency.topics, self.sizes.size)

    def ranked(
        self,
        scores: NDArray[np.float64],
        topic: int,
        n: int,
        eligible: NDArray[np.bool_],
        within: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """Return the places in ``frequency`` of a topic's eligible entries, best first.

        ``eligible`` is by entry, ``within`` by place.
        """
        return ranking.by_score(
            self.frequency,
            scores,
            topic,
            n,
            eligible=eligible,
            within=within,
            totals=self.totals,
            places=self.places[topic],
        )


def _summed(frequency: TopicalFrequency, entry_of: NDArray[np.int64]) -> TopicalFrequency:
    """Return the topical frequency of entries: the sum over their forms, as if these varied independently."""
    n_topics = int(frequency.topics.max(initial=0)) + 1
    keys = entry_of[frequency.types] * n_topics + frequency.topics
    distinct, place = np.unique(keys, return_inverse=True)
    n = max(frequency.n_samples, 1)
    counts = np.bincount(place, np.rint(frequency.mean * n), distinct.size)
    return TopicalFrequency(
        (distinct // n_topics).astype(np.int32),
        (distinct % n_topics).astype(np.int32),
        counts / n,
        np.sqrt(np.bincount(place, frequency.spread**2, distinct.size)),
        frequency.n_samples,
    )
