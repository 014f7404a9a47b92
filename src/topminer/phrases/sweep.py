"""A sweep over thresholds: how many phrases each gives, how much text they cover, which are gained and lost.

A higher threshold only removes merges: each instance stays whole or is split. So from one threshold to a
higher one a phrase is *lost* when its last instance is split, and *gained* when a part of a longer phrase is
left for the first time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.strings import StringTable
from topminer.phrases.partition import Partition, several_words, surfaces_of

N_EXAMPLES = 5


@dataclass(frozen=True)
class Extent:
    """How much of a partition its phrases of several words are."""

    n_types: int
    n_instances: int
    coverage: float  # the share of the kept tokens inside such a phrase
    mean_length: float  # of an instance, in words; 0 without instances


@dataclass(frozen=True)
class Example:
    """A phrase type: how it is shown, and how many instances it has."""

    phrase: str
    instances: int


@dataclass(frozen=True)
class SweepStep(Extent):
    """The partition at one threshold, compared with that of the step before."""

    threshold: float
    n_gained: int  # types that the step before does not have
    n_lost: int  # types that only the step before had
    gained: tuple[Example, ...]  # the most frequent of them
    lost: tuple[Example, ...]


def extent(partition: Partition) -> Extent:
    """Measure a partition.

    >>> from topminer.text.corpus import Corpus
    >>> extent(Partition.of_words(Corpus.from_texts(["frequent pattern mining"])))
    Extent(n_types=0, n_instances=0, coverage=0.0, mean_length=0.0)
    """
    lengths = np.diff(partition.clique_start)
    lengths = lengths[lengths > 1]
    n_inside = int(lengths.sum())
    return Extent(
        n_types=int(np.count_nonzero(partition.instances()[partition.corpus.n_stems :])),
        n_instances=lengths.size,
        coverage=n_inside / partition.corpus.n_tokens if n_inside else 0.0,
        mean_length=n_inside / lengths.size if n_inside else 0.0,
    )


def threshold_sweep(
    partition: Partition, thresholds: Iterable[float], n_examples: int = N_EXAMPLES
) -> list[SweepStep]:
    """Segment at each of several thresholds, and compare each partition with the one before.

    The partition must be from a miner for the lowest threshold; at a lower one, phrases are missing. The
    first step has nothing gained or lost; the others name up to ``n_examples`` of each.
    """
    types = StringTable()
    steps: list[SweepStep] = []
    before: _Types | None = None
    for threshold in thresholds:
        here = _Types.make(partition.at(threshold), types)
        gained = here.lacking_in(before or here)
        lost = before.lacking_in(here) if before else gained[:0]
        steps.append(
            SweepStep(
                **vars(extent(here.partition)),
                threshold=float(threshold),
                n_gained=gained.size,
                n_lost=lost.size,
                gained=here.examples(gained[:n_examples]),
                lost=before.examples(lost[:n_examples]) if before else (),
            )
        )
        before = here
    return steps


class _Types(NamedTuple):
    """The types of several words of a partition, numbered alike in every partition of a sweep."""

    partition: Partition
    numbers: NDArray[np.int32]  # by type, counted from corpus.n_stems on
    instances: NDArray[np.int64]  # likewise

    @classmethod
    def make(cls, partition: Partition, types: StringTable) -> _Types:
        numbers = several_words(partition.type_stems, partition.type_start, types).numbers
        return cls(partition, numbers, partition.instances()[partition.corpus.n_stems :])

    def lacking_in(self, other: _Types) -> NDArray[np.int64]:
        """Return the types that ``other`` lacks, the most frequent first, then by first occurrence."""
        own = np.flatnonzero(np.isin(self.numbers, other.numbers, invert=True))
        return own[np.argsort(-self.instances[own], kind="stable")]

    def examples(self, types: NDArray[np.int64]) -> tuple[Example, ...]:
        """Return a few types as examples."""
        surfaces = surfaces_of(self.partition, self.partition.corpus.n_stems + types)
        pairs = zip(surfaces, self.instances[types].tolist(), strict=True)
        return tuple(Example(surface, n) for surface, n in pairs)
