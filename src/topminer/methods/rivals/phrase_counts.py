"""The phrases that a sampler has cut a text into, counted by topic and ranked by topical frequency.

For TNG and PD-LDA, whose phrases change with every sweep.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from topminer.containers.strings import SPARE, StringTable
from topminer.methods.contract import N_PHRASES, Stems
from topminer.topics.results.frequency import Average
from topminer.topics.results.ranking import by_frequency


class PhraseCounts:
    """How often each phrase of several words has each topic, averaged over samples."""

    def __init__(self, stem_ids: NDArray[np.int32], n_topics: int) -> None:
        # A phrase is a run of stems, and a run of stems is a string of bytes.
        self._stems = np.append(stem_ids, np.zeros(SPARE // 4 + stem_ids.size % 2, np.int32)).view(np.uint64)
        self._types = StringTable()
        self._average = Average(n_topics)

    @property
    def n_samples(self) -> int:
        """How many samples were counted."""
        return self._average.n_samples

    def add(self, first: NDArray[np.bool_], topics: NDArray[np.integer]) -> None:
        """Count the phrases there are now: which tokens are the first of one, and the topics of tokens.

        The topic of a phrase is that of its last token.
        """
        bounds = np.append(np.flatnonzero(first), first.size)
        long = np.flatnonzero(np.diff(bounds) > 1)
        start, stop = bounds[long], bounds[long + 1]
        self._average.add(self._types.add(self._stems, 4 * start, 4 * stop), topics[stop - 1])

    def ranked(self, order: NDArray[np.int64]) -> list[list[tuple[Stems, float]]]:
        """Of each topic in this order, the most frequent phrases.

        Equal ones: the one that is more frequent in all topics, then the one of lower stem ids.
        """
        bounds, stems = self._types.bounds // 4, self._types.words.view(np.int32)
        found = [tuple(stems[start:stop].tolist()) for start, stop in pairwise(bounds.tolist())]
        phrases = sorted(found)
        place = {phrase: i for i, phrase in enumerate(phrases)}
        places = np.fromiter(map(place.__getitem__, found), np.int32, len(found))
        frequency = self._average.result().relabelled(order)
        frequency = frequency._replace(types=places[frequency.types])
        totals = frequency.totals(len(found))
        ranked = []
        for topic in range(order.size):
            best = by_frequency(frequency, topic, N_PHRASES, totals=totals)
            entries = zip(frequency.types[best].tolist(), frequency.mean[best].tolist(), strict=True)
            ranked.append([(phrases[i], score) for i, score in entries])
        return ranked
