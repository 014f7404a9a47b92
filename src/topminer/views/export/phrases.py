"""Topical frequency: how often each phrase type stands in each topic, single words included."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.phrases.partition import stems_as_text
from topminer.phrases.table import quality_of_types
from topminer.topics.results.fitted import Fitted

PAIRS = 1 << 17  # of a phrase type and a topic: the most of a batch


def phrase_topics(model: Fitted) -> Iterator[pl.DataFrame]:
    """Pairs of a phrase type and a topic in which it was seen, by type.

    Columns: phrase (its surface), stems (joined by a blank), length in words, topic, frequency (instances,
    averaged over samples), spread (their standard deviation) and quality (null: a word, or not judged).
    """
    partition, frequency = model.partition_, model.lda_.frequency_
    surfaces = pl.Series(partition.type_surfaces(), dtype=pl.String)
    lengths = np.diff(partition.type_start)
    quality = pl.Series(_qualities(model)).fill_nan(None)
    for first in range(0, frequency.types.size, PAIRS):
        here = slice(first, first + PAIRS)
        types = frequency.types[here]
        yield pl.DataFrame(
            {
                "phrase": surfaces.gather(types),
                "stems": stems_as_text(partition, types),
                "length": lengths[types],
                "topic": frequency.topics[here],
                "frequency": frequency.mean[here],
                "spread": frequency.spread[here],
                "quality": quality.gather(types),
            }
        )


def _qualities(model: Fitted) -> NDArray[np.float64]:
    if model.miner_ is None:
        return np.full(model.partition_.n_types, np.nan)
    return quality_of_types(model.miner_.fitted, model.partition_)
