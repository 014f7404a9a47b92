"""Topical frequency: how often each phrase type stands in each topic, single words included."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.phrases.partition import Partition
from topminer.views.fitted import Fitted

PAIRS = 1 << 17  # of a phrase type and a topic: the most of a batch


def phrase_topics(model: Fitted) -> Iterator[pl.DataFrame]:
    """Pairs of a phrase type and a topic in which it was seen, by type.

    Columns: phrase (its surface), stems (joined by a blank), length in words, topic, frequency (instances,
    averaged over samples) and spread (their standard deviation).
    """
    partition, frequency = model.partition_, model.lda_.frequency_
    surfaces = pl.Series(partition.type_surfaces(), dtype=pl.String)
    stems = partition.corpus.vocabulary["stem"].to_list()
    lengths = np.diff(partition.type_start)
    for first in range(0, frequency.types.size, PAIRS):
        here = slice(first, first + PAIRS)
        types = frequency.types[here]
        yield pl.DataFrame(
            {
                "phrase": surfaces.gather(types),
                "stems": _stems_of(partition, types, stems),
                "length": lengths[types],
                "topic": frequency.topics[here],
                "frequency": frequency.mean[here],
                "spread": frequency.spread[here],
            }
        )


def _stems_of(partition: Partition, types: NDArray[np.int32], stems: list[str]) -> pl.Series:
    distinct, which = np.unique(types, return_inverse=True)
    bounds = zip(partition.type_start[distinct], partition.type_start[distinct + 1], strict=True)
    names = [" ".join(stems[i] for i in partition.type_stems[start:stop].tolist()) for start, stop in bounds]
    return pl.Series(names, dtype=pl.String).gather(which)
