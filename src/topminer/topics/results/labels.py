"""Names of topics: each is called after a phrase of its own, until the user calls it something else.

The phrase is the most relevant one that is no background phrase, has most of its instances in the topic, and
names no other topic. A topic without such a phrase is called after its foremost words; and where those do not
tell it from another, after its number as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, count

import polars as pl

from topminer.topics.model.phraselda import PhraseLDA, topics_in
from topminer.topics.results.entries import Entries
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.ranking import top_words

N_WORDS = 3
N_CANDIDATES = 100
MOST = 0.5  # of its instances


def automatic_labels(model: Fitted) -> list[str]:
    """Return a name for each topic."""
    return names_of(Entries.of(model))


def names_of(entries: Entries) -> list[str]:
    """Return the same, where the entries are known already."""
    lda, frequency = entries.model.lda_, entries.frequency
    eligible = entries.lengths > 1
    if eligible.any():
        eligible &= ~entries.is_background
    scores, words = entries.scores("relevance"), entries.model.corpus_.vocabulary["surface"]
    taken: set[str] = set()
    names = []
    for topic in range(lda.topic_weight_.size):
        found = entries.ranked(scores, topic, N_CANDIDATES, eligible).tolist()
        own = (
            entries.text(frequency.types[i])
            for i in found
            if frequency.mean[i] >= MOST * entries.totals[frequency.types[i]]
        )
        name = next(text for text in chain(own, _in_words(lda, words, topic)) if text.casefold() not in taken)
        taken.add(name.casefold())
        names.append(name)
    return names


def _in_words(lda: PhraseLDA, words: pl.Series, topic: int) -> Iterator[str]:
    foremost = top_words(topics_in(lda).word_probabilities(topic), N_WORDS)
    name = ", ".join(words.gather(foremost))
    yield name
    for number in count(topic):
        yield f"{name} ({number})"


def labels_of(automatic: list[str], own: Mapping[int, str]) -> list[str]:
    """The user's own labels where there are any, automatic ones elsewhere."""
    return [own.get(topic, name) for topic, name in enumerate(automatic)]
