"""Names of topics: each is called after a phrase of its own, until the user calls it something else.

The phrase is the most relevant one that is no background phrase, has most of its instances in the topic, and
names no other topic. A topic without such a phrase is called after its foremost words; and where those do not
tell it from another, after its number as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, count

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.topics.results.ranking import top_words
from topminer.views.entries import Entries
from topminer.views.fitted import Fitted

N_WORDS = 3
N_CANDIDATES = 100
MOST = 0.5  # of its instances


def automatic_labels(model: Fitted) -> list[str]:
    """A name for each topic."""
    return names_of(Entries.of(model), model.lda_.topic_word_)


def names_of(entries: Entries, topic_word: NDArray[np.float64]) -> list[str]:
    """The same, where the entries and φ are known already."""
    lda, frequency = entries.model.lda_, entries.frequency
    scores, eligible = entries.scores("relevance"), (entries.lengths > 1) & ~entries.background.declared
    words = entries.model.corpus_.vocabulary["surface"]
    taken: set[str] = set()
    names = []
    for topic in range(lda.topic_weight_.size):
        found = entries.ranked(scores, topic, N_CANDIDATES, eligible).tolist()
        own = (
            entries.text(frequency.types[i])
            for i in found
            if frequency.mean[i] >= MOST * entries.totals[frequency.types[i]]
        )
        possible = chain(own, _in_words(words, topic_word, topic))
        name = next(text for text in possible if text.casefold() not in taken)
        taken.add(name.casefold())
        names.append(name)
    return names


def _in_words(words: pl.Series, topic_word: NDArray[np.float64], topic: int) -> Iterator[str]:
    name = ", ".join(words[i] for i in top_words(topic_word, topic, N_WORDS).tolist())
    yield name
    for number in count(topic):
        yield f"{name} ({number})"


def labels_of(automatic: list[str], own: Mapping[int, str]) -> list[str]:
    """The user's own labels where there are any, automatic ones elsewhere."""
    return [own.get(topic, name) for topic, name in enumerate(automatic)]
