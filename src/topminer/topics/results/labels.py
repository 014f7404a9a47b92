"""Names of topics: each is called after a phrase of its own, until the user calls it something else.

The names of a stored model are kept beside it in ``names.json``, because finding them reads all documents.

The phrase is the most relevant one that is no background phrase, has most of its instances in the topic, and
names no other topic. A topic without such a phrase is called after its foremost words; and where those do not
tell it from another, after its number as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain, count
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer import store
from topminer.errors import InputError
from topminer.topics.results.entries import Entries
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.own_labels import model_in
from topminer.topics.results.ranking import top_words

FILE = "names.json"
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
    name = ", ".join(words[i] for i in top_words(topic_word[topic], N_WORDS).tolist())
    yield name
    for number in count(topic):
        yield f"{name} ({number})"


def labels_of(automatic: list[str], own: Mapping[int, str]) -> list[str]:
    """The user's own labels where there are any, automatic ones elsewhere."""
    return [own.get(topic, name) for topic, name in enumerate(automatic)]


def keep_names(directory: Path, names: list[str]) -> None:
    """Keep the automatic names of a stored model beside it, if the directory can be written to."""
    with suppress(InputError):
        store.write_json(directory / FILE, {"model": model_in(directory)[0], "names": names})


def kept_names(directory: Path) -> list[str] | None:
    """Return the names that were kept for the model in ``directory``; None if there are none."""
    model, n_topics = model_in(directory)
    content = store.read_json(directory / FILE)
    names = content.get("names") if content.get("model") == model else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return names if n_topics in (None, len(names)) else None
