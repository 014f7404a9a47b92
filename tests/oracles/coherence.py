"""Coherence from the definitions: every window is cut out and looked at.

A document is a list of chunks, a chunk a list of words, a phrase a tuple of words.
"""

import math
from itertools import combinations

Document = list[list[str]]
Phrase = tuple[str, ...]
Unit = list[tuple[str, int]]  # words, each with the number of its chunk


def units(documents: list[Document], window: int | None) -> list[Unit]:
    """Whole documents, or windows of so many words; a document shorter than that is one window."""
    found = []
    for document in documents:
        words = [(word, i) for i, chunk in enumerate(document) for word in chunk]
        if window is None or len(words) <= window:
            found.append(words)
        else:
            found.extend(words[i : i + window] for i in range(len(words) - window + 1))
    return found


def holds(unit: Unit, phrase: Phrase, contiguous: bool) -> bool:
    if not contiguous:
        return bool(phrase) and set(phrase) <= {word for word, _ in unit}
    pieces = [unit[i : i + len(phrase)] for i in range(len(unit) - len(phrase) + 1)]
    return any(
        tuple(word for word, _ in piece) == phrase and len({chunk for _, chunk in piece}) == 1
        for piece in pieces
    )


def count(where: list[Unit], contiguous: bool, *phrases: Phrase) -> int:
    return sum(all(holds(unit, phrase, contiguous) for phrase in phrases) for unit in where)


def npmi(where: list[Unit], contiguous: bool, a: Phrase, b: Phrase, eps: float) -> float:
    n_a, n_b = count(where, contiguous, a), count(where, contiguous, b)
    both = count(where, contiguous, a, b) / len(where) + eps
    if n_a == 0 or n_b == 0 or both == 0:
        return -1.0
    if both == 1:
        return 0.0
    value = math.log(both * len(where) ** 2 / (n_a * n_b)) / -math.log(both)
    return max(-1.0, min(1.0, value))


def nested(a: Phrase, b: Phrase, contiguous: bool) -> bool:
    """Whether one of the two contains the other."""
    if not contiguous:
        return set(a) <= set(b) or set(b) <= set(a)
    short, long = sorted((a, b), key=len)
    return any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))


def mean_npmi(where: list[Unit], contiguous: bool, topic: list[Phrase], eps: float) -> float | None:
    pairs = [(a, b) for a, b in combinations(dict.fromkeys(topic), 2) if not nested(a, b, contiguous)]
    values = [npmi(where, contiguous, a, b, eps) for a, b in pairs]
    return sum(values) / len(values) if values else None


def c_v(where: list[Unit], contiguous: bool, topic: list[Phrase], eps: float) -> float | None:
    """The mean likeness of each phrase to those that neither contain it nor are contained in it."""
    distinct = list(dict.fromkeys(topic))

    def vector(phrase: Phrase, others: list[Phrase]) -> list[float]:
        return [
            npmi(where, contiguous, phrase, other, eps)
            if count(where, contiguous, phrase) and count(where, contiguous, other)
            else 0.0
            for other in others
        ]

    cosines = []
    for phrase in distinct:
        others = [other for other in distinct if other == phrase or not nested(phrase, other, contiguous)]
        if len(others) > 1:
            total = [sum(column) for column in zip(*(vector(each, others) for each in others), strict=True)]
            cosines.append(cosine(vector(phrase, others), total))
    return sum(cosines) / len(cosines) if cosines else None


def cosine(a: list[float], b: list[float]) -> float:
    size = math.hypot(*a) * math.hypot(*b)
    # Values that cancel out leave rounding.
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size > 1e-9 else 0.0
