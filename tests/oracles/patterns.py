"""KERT from its definitions alone: every subset of every transaction, and each measure counted anew.

A document is a list of (word, topic). Transactions of a topic are the sets of words it has of documents.
"""

import math
from collections import Counter
from itertools import combinations

Document = list[tuple[int, int]]
Pattern = tuple[int, ...]


def transactions(documents: list[Document], topic: int) -> list[set[int]]:
    found = [{word for word, k in document if k == topic} for document in documents]
    return [each for each in found if each]


def count(sets: list[set[int]], pattern: Pattern) -> int:
    return sum(each.issuperset(pattern) for each in sets)


def frequent(sets: list[set[int]], min_support: int, max_length: int | None) -> dict[Pattern, int]:
    """Every set of words, in ascending order, that enough transactions have."""
    counts: Counter[Pattern] = Counter()
    for each in sets:
        for n in range(1, min(len(each), max_length or len(each)) + 1):
            counts.update(combinations(sorted(each), n))
    return {pattern: n for pattern, n in counts.items() if n >= min_support}


def extended(sets: list[set[int]], pattern: Pattern) -> int:
    others = set().union(*sets) - set(pattern)
    return max((count(sets, (*pattern, word)) for word in others), default=0)


def n_documents(documents: list[Document], topics: set[int]) -> int:
    return sum(any(k in topics for _, k in document) for document in documents)


def score(documents: list[Document], n_topics: int, topic: int, pattern: Pattern, omega: float) -> float:
    """Popularity times purity and concordance."""
    sets = transactions(documents, topic)
    share = count(sets, pattern) / len(sets)
    mixed = [
        (count(sets, pattern) + count(transactions(documents, other), pattern))
        / n_documents(documents, {topic, other})
        for other in range(n_topics)
        if other != topic and transactions(documents, other)
    ]
    purity = math.log2(share) - math.log2(max(mixed)) if mixed else 0.0
    alone = sum(math.log2(count(sets, (word,)) / len(sets)) for word in pattern)
    return share * ((1 - omega) * purity + omega * (math.log2(share) - alone))


def ranked(
    documents: list[Document],
    n_topics: int,
    topic: int,
    min_support: int,
    max_length: int | None,
    gamma: float,
    omega: float,
) -> dict[Pattern, float]:
    """The complete patterns of several words of a topic, and their scores."""
    sets = transactions(documents, topic)
    return {
        pattern: score(documents, n_topics, topic, pattern, omega)
        for pattern, n in frequent(sets, min_support, max_length).items()
        if len(pattern) > 1 and extended(sets, pattern) < (1 - gamma) * n
    }


def orders(documents: list[Document], topic: int, pattern: Pattern) -> Counter[Pattern]:
    """In which orders the words of a pattern first appear in the documents that have it."""
    found: Counter[Pattern] = Counter()
    for document in documents:
        of_topic = [word for word, k in document if k == topic]
        if set(of_topic).issuperset(pattern):
            found[tuple(sorted(pattern, key=of_topic.index))] += 1
    return found
