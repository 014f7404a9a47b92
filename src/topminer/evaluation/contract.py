"""What a measure is asked, and what it answers: ``measure(topics, context)`` gives a :class:`Score`.

The context holds everything that a number depends on beside the topics. `evaluate`, `compare` and `tune` make
it with the same defaults, so "NPMI" means the same in all three: over whole documents, without smoothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from topminer.methods.contract import RankedTopic, Stems
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus

if TYPE_CHECKING:
    from topminer.evaluation.gold import Gold


class Score(NamedTuple):
    """A measure of each topic, and the mean of those that have a value; None: it is not defined."""

    mean: float | None
    topics: tuple[float | None, ...] = ()

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Score:
        """Return the score of topics with these values."""
        topics = tuple(values)
        return cls(mean(topics), topics)

    @property
    def n(self) -> int:
        """How many topics have a value."""
        return sum(value is not None for value in self.topics)


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there.

    >>> mean([1.0, None, 2.0]), mean([None])
    (1.5, None)
    """
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


@dataclass(frozen=True)
class Context:
    """What all measures of one method's topics share."""

    corpus: Corpus  # where the topics were found
    n_top: int = 10  # words and phrases of a topic that are looked at
    window: int | None = None  # NPMI counts windows of so many kept tokens; None: documents
    smoothing: float = 0.0  # added to the probability of a pair, see occurrences.npmi_of_counts
    contiguous: bool = True  # whether the method's phrases are words side by side, in that order
    as_sets: bool = False  # coherence counts a phrase wherever all its words are
    reference: Corpus | None = None  # where co-occurrence is counted; None: in the corpus itself
    golds: Sequence[Gold] = ()  # lists of good phrases
    keyphrases: Sequence[frozenset[Stems]] | None = None  # of each document: one more list
    progress: Progress = silent


class Measure(NamedTuple):
    """A number that says how good topics are, without anybody's judgement."""

    name: str
    title: str
    better: int  # 1: higher is better, -1: lower is better
    score: Callable[[Sequence[RankedTopic], Context], Score]

    def __call__(self, topics: Sequence[RankedTopic], context: Context) -> Score:
        """Measure topics."""
        return self.score(topics, context)
