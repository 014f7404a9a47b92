"""ToPMine as one of the methods compared: phrases mined, documents cut, PhraseLDA, ranked by frequency.

It comes twice: with the defaults of this package, and as the paper has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from topminer.methods.contract import N_PHRASES, MethodResult, RankedTopic, Stems, check, ranked_topics
from topminer.methods.lda import sampled
from topminer.methods.stopwatch import Stopwatch
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.results.ranking import by_frequency, of_length

PAPER_MINING: Mapping[str, Any] = {"significance": 4.0, "quality": None, "evidence": None, "ties": None}


@dataclass(frozen=True)
class DefaultToPMine:
    """ToPMine with the defaults of this package: phrases are judged, repetitions count once."""

    n_sweeps: int = 1000
    n_threads: int | None = None
    mining: Mapping[str, Any] = field(default_factory=dict)  # parameters of PhraseMiner

    name: ClassVar[str] = "topmine"
    title: ClassVar[str] = "ToPMine"

    def miner(self) -> PhraseMiner:
        """Return the miner of phrases."""
        return PhraseMiner(**self.mining, n_threads=self.n_threads)

    def fit(
        self, corpus: Corpus, n_topics: int, seed: int = 0, *, stopwatch: Stopwatch | None = None
    ) -> MethodResult:
        """Find ``n_topics`` topics; the same seed gives the same ones."""
        check(corpus, n_topics, seed)
        stopwatch = stopwatch or Stopwatch()
        with stopwatch.stage("mining phrases"):
            partition = self.miner().fit_transform(corpus, progress=stopwatch.progress)
        lda = sampled(partition, n_topics, seed, self.n_sweeps, stopwatch, self.n_threads)
        with stopwatch.stage("ranking"):
            topics = topics_of(lda, partition)
        return MethodResult(self.name, topics, tuple(stopwatch.stages))


class PaperToPMine(DefaultToPMine):
    """ToPMine to the letter of the paper: equation 1 at threshold 4 alone decides what a phrase is.

    Of ``mining`` the support, the longest phrase and the user's own phrases are used.
    """

    name: ClassVar[str] = "paper"
    title: ClassVar[str] = "ToPMine (paper)"

    def miner(self) -> PhraseMiner:
        """Return the miner of phrases."""
        return PhraseMiner(**{**self.mining, **PAPER_MINING}, n_threads=self.n_threads)


def topics_of(lda: PhraseLDA, partition: Partition, n_phrases: int = N_PHRASES) -> tuple[RankedTopic, ...]:
    """Return the topics of a model with their phrases of several words by topical frequency."""
    frequency, long = lda.frequency_, of_length(partition.type_start)
    totals = frequency.totals(partition.n_types)
    ranked = [
        _phrases(partition, frequency, by_frequency(frequency, k, n_phrases, eligible=long, totals=totals))
        for k in range(lda.topic_weight_.size)
    ]
    return ranked_topics(partition.corpus, lda.topic_word_, ranked)


def _phrases(
    partition: Partition, frequency: TopicalFrequency, entries: NDArray[np.int64]
) -> list[tuple[Stems, float]]:
    bounds = partition.type_start
    types = frequency.types[entries]
    starts, stops = bounds[types].tolist(), bounds[types + 1].tolist()
    return [
        (tuple(partition.type_stems[start:stop].tolist()), score)
        for start, stop, score in zip(starts, stops, frequency.mean[entries].tolist(), strict=True)
    ]
