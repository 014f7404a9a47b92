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
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.results.variants import tied

Order = Literal["frequency", "kert", "relevance"]
ORDERS: tuple[str, ...] = get_args(Order)
RELEVANCE = 0.6  # λ


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of a model.

    Attributes
    ----------
    entry_of : int64 array (types,)
        The entry of each phrase type of the partition.
    frequency : TopicalFrequency
        Of entries, where it has types.
    form_start, forms : int64 arrays (entries + 1,), (types,)
        The types of entry i are ``forms[form_start[i]:form_start[i + 1]]``, the most frequent first.
    is_tied : bool
        Whether variants are one entry.
    """

    model: Fitted
    entry_of: NDArray[np.int64]
    frequency: TopicalFrequency
    form_start: NDArray[np.int64]
    forms: NDArray[np.int64]
    is_tied: bool = True

    @classmethod
    def of(cls, model: Fitted, *, tie: bool = True) -> Entries:
        """The entries of a model; without ``tie`` each phrase type is one."""
        partition = model.partition_
        entry_of = tied(partition) if tie else np.arange(partition.n_types)
        instances = partition.instances()
        forms = np.lexsort((np.arange(entry_of.size), -instances, entry_of))
        n_entries = int(entry_of.max(initial=-1)) + 1
        form_start = np.searchsorted(entry_of[forms], np.arange(n_entries + 1))
        frequency = model.lda_.frequency_
        summed = _summed(frequency, entry_of) if tie else frequency
        return cls(model, entry_of, summed, form_start, forms, tie)

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
        """How an entry is shown."""
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
        """Words of the longest form: an entry is of several words if one of its forms is."""
        return np.maximum.reduceat(np.diff(self._partition.type_start)[self.forms], self.form_start[:-1])

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
    def background_types(self) -> NDArray[np.int64]:
        """The phrase types of background entries."""
        return np.flatnonzero(self.is_background[self.entry_of])

    @cached_property
    def _phrase_ids(self) -> NDArray[np.int64]:
        """The mined phrase that the shown form of each entry is; -1: none, or a tied word."""
        if self.model.miner_ is None:
            return np.full(len(self), -1)
        ids = ids_of_types(self.model.miner_.fitted, self._partition)[self.first_forms]
        return np.where(self.model.miner_.mined.support[ids] > 0, ids, -1)

    @cached_property
    def quality(self) -> NDArray[np.float64]:
        """The quality of each entry's shown form; NaN: a single word, or a phrase that was not judged."""
        if self.model.miner_ is None:
            return np.full(len(self), np.nan)
        return quality_of_types(self.model.miner_.fitted, self._partition)[self.first_forms]

    @cached_property
    def completeness(self) -> NDArray[np.float64]:
        """Share of the occurrences of each entry's shown form outside its most frequent extension."""
        if self.model.miner_ is None:
            return np.ones(len(self))
        mined, ids = self.model.miner_.mined, self._phrase_ids
        share = ranking.completeness(mined.support[ids], extended_supports(mined)[ids])
        return np.where(ids >= 0, share, 1.0)

    @cached_property
    def concordance(self) -> NDArray[np.float64]:
        """How much more often the words of each entry's shown form meet than if they were independent."""
        partition, ids = self._partition, self._phrase_ids
        counts, supports = partition.corpus.vocabulary["count"].to_numpy(), partition.instances()
        if self.model.miner_ is not None:
            known = ids >= 0
            supports[self.first_forms[known]] = self.model.miner_.mined.support[ids[known]]
        n_tokens = int(partition.instances() @ np.diff(partition.type_start))
        scores = ranking.concordance(supports, counts[partition.type_stems], partition.type_start, n_tokens)
        return scores[self.first_forms]

    def scores(self, order: str, weight: float = RELEVANCE) -> NDArray[np.float64]:
        """Of each entry in each topic that it stands in: ``frequency`` has them in the same order."""
        frequency = self.frequency
        match order:
            case "frequency":
                return frequency.mean
            case "kert":
                return ranking.kert(
                    ranking.popularity(frequency.mean, self.sizes[frequency.topics]),
                    self.purity,
                    self.concordance[frequency.types],
                    self.completeness[frequency.types],
                )
            case "relevance":
                inside = ranking.popularity(frequency.mean, self.sizes[frequency.topics])
                overall = ranking.popularity(self.totals, self.sizes.sum())
                return ranking.relevance(inside, overall[frequency.types], weight)
        raise InputError(f"the order must be one of {', '.join(ORDERS)}, not {order!r}")

    @cached_property
    def purity(self) -> NDArray[np.float64]:
        """KERT's purity of each entry in each topic that it stands in."""
        frequency = self.frequency
        together = ranking.together(self.sizes)
        return ranking.purity(frequency.types, frequency.topics, frequency.mean, together)

    @cached_property
    def places(self) -> list[NDArray[np.int64]]:
        """Where the entries of each topic stand in ``frequency``."""
        topics = self.frequency.topics
        starts = np.searchsorted(np.sort(topics), np.arange(1, self.sizes.size))
        return np.split(np.argsort(topics, kind="stable"), starts)

    def ranked(
        self, scores: NDArray[np.float64], topic: int, n: int, eligible: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Places in ``frequency`` of a topic's eligible entries, best first."""
        return ranking.by_score(
            self.frequency,
            scores,
            topic,
            n,
            eligible=eligible,
            totals=self.totals,
            places=self.places[topic],
        )


def _summed(frequency: TopicalFrequency, entry_of: NDArray[np.int64]) -> TopicalFrequency:
    """Topical frequency of entries: the sum over their forms, which are taken to vary independently."""
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
