"""Names of topics from their definition: plain loops over documents."""

import math
from typing import NamedTuple

CLAUSE = {
    *("a", "an", "the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their")
}
CLAUSE |= {
    *("i", "you", "he", "she", "it", "we", "they", "is", "are", "was", "were", "be", "been", "to", "not")
}


class Document(NamedTuple):
    """What a document holds, and the share of each topic in it."""

    entries: set[int]
    words: set[int]
    shares: list[float]


class Phrase(NamedTuple):
    """A phrase that may name a topic; candidates come in the best order."""

    entry: int
    text: str
    quality: float


def can_name(text: str, quality: float) -> bool:
    """Two to four words as shown (a hyphen makes two of one), of quality, and no clause."""
    words = text.split()
    good = math.isnan(quality) or quality >= 1
    return good and len(words) <= 4 and not CLAUSE & {word.lower() for word in words[1:-1]}


def coverage(documents: list[Document], k: int, *, entry: int | None = None, word: int | None = None):
    """Σ θ_dk over the documents with an entry or a word, by that over all documents."""
    having = [each for each in documents if entry in each.entries or word in each.words]
    whole = sum(each.shares[k] for each in documents)
    return sum(each.shares[k] for each in having) / whole if whole else 0.0


def name(
    documents: list[Document], k: int, candidates: list[Phrase], words: list[int], taken: set[str]
) -> str | None:
    """The phrase that names topic k, given its foremost words but background; None: none qualifies."""
    n_topics = len(documents[0].shares)
    total = sum(sum(each.shares) for each in documents)
    share = sum(each.shares[k] for each in documents) / total
    enough = 0.1 * max((coverage(documents, k, word=word) for word in words), default=0.0)
    found = []
    for entry, text, quality in candidates[:50]:
        covers = [coverage(documents, topic, entry=entry) for topic in range(n_topics)]
        having = [each for each in documents if entry in each.entries]
        # Not covered less than any other topic; of topics covered alike, the first.
        if len(having) < 5 or covers[k] < enough or not covers[k] or covers.index(max(covers)) != k:
            continue
        purity = sum(each.shares[k] for each in having) / len(having)
        value = math.log(covers[k]) + 0.5 * math.log(purity / share)
        value += 0.3 * (0.0 if math.isnan(quality) else quality)
        if text.casefold() not in taken:
            found.append((-round(value, 6), text))
    best = min(found, default=(0.0, None))[0]
    return next((text for value, text in found if value == best), None)
