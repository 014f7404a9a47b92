"""Phrases as the paper has them (section 4, with the errata), slowly: tuples, dictionaries and plain loops.

A document is a list of chunks, a chunk a list of stems, a phrase a tuple of them. A boundary is the number
of the token behind it, counted from the start of the document.
"""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

Document = list[list[int]]
Phrase = tuple[int, ...]
Score = Callable[[int, int, int], float]


class Merge(NamedTuple):
    boundary: int
    left: Phrase
    right: Phrase
    score: float


def count(documents: list[Document], max_length: int) -> Counter[Phrase]:
    """Every contiguous sequence of up to ``max_length`` stems, in the order of first occurrence."""
    found: Counter[Phrase] = Counter()
    for length in range(1, max_length + 1):
        for chunk in (chunk for document in documents for chunk in document):
            for i in range(len(chunk) - length + 1):
                found[tuple(chunk[i : i + length])] += 1
    return found


def frequent(documents: list[Document], min_support: int, max_length: int) -> dict[Phrase, int]:
    """What Algorithm 1 returns."""
    return {phrase: n for phrase, n in count(documents, max_length).items() if n >= min_support}


def known(documents: list[Document], min_support: int, max_length: int) -> dict[Phrase, int]:
    """Frequent phrases, and all single words."""
    return {
        phrase: n
        for phrase, n in count(documents, max_length).items()
        if n >= min_support or len(phrase) == 1
    }


def paper_score(n_tokens: int) -> Score:
    """Equation 1."""
    return lambda f1, f2, f12: (f12 - f1 * f2 / n_tokens) / math.sqrt(f12)


def all_merges(
    document: Document,
    support: dict[Phrase, int],
    score: Score,
    forbidden: Collection[Phrase] = (),
    glued: Collection[int] = (),
) -> Iterator[Merge]:
    """Algorithm 2 to the very end: look at all neighbours in the document, merge the best two, repeat."""
    chunks = _units(document, glued)
    while True:
        candidates = []
        for units in chunks:
            for i in range(len(units) - 1):
                (_, left), (boundary, right) = units[i : i + 2]
                if left + right in support and left + right not in forbidden:
                    value = score(support[left], support[right], support[left + right])
                    candidates.append((-value, boundary, left, right, units, i))
        if not candidates:
            return
        value, boundary, left, right, units, i = min(candidates, key=lambda candidate: candidate[:2])
        units[i : i + 2] = [(units[i][0], left + right)]
        yield Merge(boundary, left, right, -value)


def _units(document: Document, glued: Collection[int]) -> list[list[tuple[int, Phrase]]]:
    """Where each unit of each chunk starts, and its words."""
    chunks = []
    token = 0
    for chunk in document:
        units: list[tuple[int, Phrase]] = []
        for i, stem in enumerate(chunk):
            if i > 0 and token in glued:
                units[-1] = (units[-1][0], (*units[-1][1], stem))
            else:
                units.append((token, (stem,)))
            token += 1
        chunks.append(units)
    return chunks


def partition(document: Document, support: dict[Phrase, int], score: Score, threshold: float) -> list[Phrase]:
    """Algorithm 2 as printed: a heap, stopped by the threshold. Fast enough for thousands of tokens."""
    words = [stem for chunk in document for stem in chunk]
    chunk_of = [number for number, chunk in enumerate(document) for _ in chunk]
    right_of = [*range(1, len(words)), None]  # next unit, by first token
    left_of = [None, *range(len(words) - 1)]
    unit = [(word,) for word in words]
    heap: list[tuple[float, int, Phrase, Phrase]] = []

    def push(at: int | None) -> None:
        right = None if at is None else right_of[at]
        if at is not None and right is not None and chunk_of[at] == chunk_of[right]:
            together = unit[at] + unit[right]
            if together in support:
                value = score(support[unit[at]], support[unit[right]], support[together])
                heapq.heappush(heap, (-value, at, unit[at], unit[right]))

    for i in range(len(words)):
        push(i)
    while heap:
        value, at, left, right = heapq.heappop(heap)
        after = right_of[at] if unit[at] else None
        if after is None or (unit[at], unit[after]) != (left, right):
            continue  # one of the two has been merged since
        if -value < threshold:
            break
        unit[at], unit[after] = left + right, ()
        right_of[at] = right_of[after]
        if right_of[at] is not None:
            left_of[right_of[at]] = at
        push(left_of[at])
        push(at)
    return [phrase for phrase in unit if phrase]
