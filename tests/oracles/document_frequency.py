"""Documents of a phrase in topics, from the definition: plain loops over documents and their words."""

from collections import Counter
from typing import NamedTuple


class Instance(NamedTuple):
    """A phrase instance of a document."""

    entry: int
    topic: int
    n_words: int


def in_topic(documents: list[list[Instance]], entry: int, k: int) -> float:
    """The documents with an entry that are the topic's; the entry counts as five words in each."""
    found = 0.0
    for document in documents:
        own = Counter(each.topic for each in document if each.entry == entry)
        if own:
            rest: Counter[int] = Counter()
            for each in document:
                rest[each.topic] += each.n_words if each.entry != entry else 0
            found += (rest[k] + 5 * own[k] / own.total()) / (rest.total() + 5)
    return found


def n_documents(documents: list[list[Instance]], entry: int) -> int:
    return sum(any(each.entry == entry for each in document) for document in documents)
