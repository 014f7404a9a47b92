"""What each threshold gives: how many phrases, how much of the text is inside them, what comes and goes.

A higher threshold only ever cuts: each phrase stays whole or falls apart. So going up, phrases are *lost*
when their last instance falls apart, and *gained* when a shorter one is left over for the first time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.strings import StringTable
from topminer.phrases.partition import Partition
from topminer.text.surface import phrase_surfaces

N_EXAMPLES = 5


@dataclass(frozen=True)
class Extent:
    """How far the phrases of several words go in a partition."""

    n_types: int
    n_instances: int
    coverage: float  # the share of the kept tokens that are inside one
    mean_length: float  # of an instance, in words; 0 if there is none


@dataclass(frozen=True)
class Example:
    """A phrase type: how it is shown, and how many instances it has."""

    phrase: str
    instances: int


@dataclass(frozen=True)
class SweepStep(Extent):
    """The partition at one threshold, and what makes it different from the one before."""

    threshold: float
    n_gained: int  # types that the step before did not have
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
    """Cut a partition again at each threshold, and compare each cut with the one before.

    Parameters
    ----------
    partition : Partition
        Made by a miner for the lowest of the thresholds: below what it was mined for, phrases are missing.
    thresholds : iterable of float
        In the order of the steps, usually from low to high.
    n_examples : int
        The most phrases to name as gained and as lost at a step.

    Returns
    -------
    list of SweepStep
        Nothing is gained or lost at the first.
    """
    types = StringTable()
    steps: list[SweepStep] = []
    before: _Cut | None = None
    for threshold in thresholds:
        cut = _Cut.make(partition.at(threshold), types)
        gained = cut.lacking_in(before or cut)
        lost = before.lacking_in(cut) if before else gained[:0]
        steps.append(
            SweepStep(
                **vars(extent(cut.partition)),
                threshold=float(threshold),
                n_gained=gained.size,
                n_lost=lost.size,
                gained=cut.examples(gained[:n_examples]),
                lost=before.examples(lost[:n_examples]) if before else (),
            )
        )
        before = cut
    return steps


class _Cut(NamedTuple):
    """A partition, with numbers for its types that mean the same in every partition of a sweep."""

    partition: Partition
    numbers: NDArray[np.int32]  # by type of several words
    instances: NDArray[np.int64]  # the same

    @classmethod
    def make(cls, partition: Partition, types: StringTable) -> _Cut:
        n_stems = partition.corpus.n_stems
        start = 4 * partition.type_start[n_stems:]
        # A type is a string of bytes, read eight at a time.
        stems = np.append(partition.type_stems, np.zeros(4 + partition.type_stems.size % 2, np.int32))
        numbers = types.add(stems.view(np.uint64), start[:-1], start[1:])
        return cls(partition, numbers, partition.instances()[n_stems:])

    def lacking_in(self, other: _Cut) -> NDArray[np.int64]:
        """Types that ``other`` does not have; the most frequent first, then by first occurrence."""
        own = np.flatnonzero(np.isin(self.numbers, other.numbers, invert=True))
        return own[np.argsort(-self.instances[own], kind="stable")]

    def examples(self, types: NDArray[np.int64]) -> tuple[Example, ...]:
        """Show a few of the types; the surfaces of all would be far more work."""
        partition, by_id = self.partition, np.sort(types)
        ids = partition.type_ids - partition.corpus.n_stems
        cliques = np.flatnonzero(np.isin(ids, by_id))
        first = partition.clique_start[cliques]
        length = partition.clique_start[cliques + 1] - first
        kinds = np.searchsorted(by_id, ids[cliques])
        surfaces = phrase_surfaces(partition.corpus, first, length, kinds, types.size)
        shown = zip(np.searchsorted(by_id, types), self.instances[types], strict=True)
        return tuple(Example(surfaces[kind], int(n)) for kind, n in shown)
