"""Names of topics: each is called after a phrase of its own, until the user calls it something else.

The phrase is the most relevant one that is no background phrase, has most of its instances in the topic, and
names no other topic. A topic without such a phrase is called after its foremost words; if another topic has
that name already, the topic's number is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, count

from topminer.topics.model.phraselda import topics_in
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
    """Return :func:`automatic_labels` of a model whose entries are known."""
    eligible = entries.lengths > 1
    if eligible.any():
        eligible &= ~entries.is_background
    scores = entries.scores("relevance")
    names: dict[str, str] = {}  # by the name in lower case
    for topic in range(entries.sizes.size):
        places = entries.ranked(scores, topic, N_CANDIDATES, eligible)
        texts = chain(_phrases(entries, places.tolist()), _in_words(entries.model, topic))
        name = next(text for text in texts if text.casefold() not in names)
        names[name.casefold()] = name
    return list(names.values())


def _phrases(entries: Entries, places: list[int]) -> Iterator[str]:
    """Yield phrases that have most of their instances in the topic."""
    for place in places:
        entry = entries.frequency.types[place]
        if entries.frequency.mean[place] >= MOST * entries.totals[entry]:
            yield entries.text(entry)


def _in_words(model: Fitted, topic: int) -> Iterator[str]:
    foremost = top_words(topics_in(model.lda_).word_probabilities(topic), N_WORDS)
    name = ", ".join(model.corpus_.vocabulary["surface"].gather(foremost))
    yield name
    for number in count(topic):
        yield f"{name} ({number})"


def labels_of(automatic: list[str], own: Mapping[int, str]) -> list[str]:
    """Return the user's own labels where there are any, automatic ones elsewhere."""
    return [own.get(topic, name) for topic, name in enumerate(automatic)]
