"""Orders, from the definitions alone: KERT (SDM 2014), relevance (Sievert and Shirley 2014), and the best.

A phrase is a tuple of stems; chunks are lists of stems, and no phrase leaves its chunk. ``counts[k]`` is how
often a phrase occurs in topic k, ``sizes[k]`` how much there is in topic k. All is counted anew for each.
"""

import math
from collections.abc import Sequence

Stems = tuple[str, ...]


def support(chunks: list[list[str]], phrase: Stems) -> int:
    n = len(phrase)
    return sum(tuple(chunk[i : i + n]) == phrase for chunk in chunks for i in range(len(chunk) - n + 1))


def extensions(chunks: list[list[str]], phrase: Stems) -> set[Stems]:
    """Phrases of one more word at either end."""
    n = len(phrase) + 1
    longer = {tuple(chunk[i : i + n]) for chunk in chunks for i in range(len(chunk) - n + 1)}
    return {each for each in longer if phrase in (each[1:], each[:-1])}


def completeness(chunks: list[list[str]], phrase: Stems, min_support: int) -> float:
    found = [support(chunks, each) for each in extensions(chunks, phrase)]
    return 1 - max((n for n in found if n >= min_support), default=0) / support(chunks, phrase)


def concordance(chunks: list[list[str]], phrase: Stems) -> float:
    n_tokens = sum(map(len, chunks))
    alone = [math.log2(support(chunks, (word,)) / n_tokens) for word in phrase]
    return math.log2(support(chunks, phrase) / n_tokens) - sum(alone)


def purity(counts: Sequence[float], sizes: Sequence[float], k: int) -> float:
    mixed = [
        (counts[k] + counts[other]) / (sizes[k] + sizes[other])
        for other in range(len(sizes))
        if other != k and sizes[other] > 0
    ]
    return math.log2(counts[k] / sizes[k]) - math.log2(max(mixed)) if mixed else 0.0


def kert(popularity: float, purity: float, concordance: float, completeness: float) -> float:
    return popularity * (purity + concordance) / 2 if completeness > 0.5 else 0.0


def relevance(counts: Sequence[float], sizes: Sequence[float], k: int, weight: float) -> float:
    inside, overall = counts[k] / sizes[k], sum(counts) / sum(sizes)
    return weight * math.log(inside) + (1 - weight) * math.log(inside / overall)


def best(in_topic: float, documents: int, share: float, quality: float, stop_words: int) -> float:
    """How common a phrase is in the topic's documents, how good, and how many more these are than usual."""
    e = max(in_topic, 0.001)
    lift = math.log((e + share) / ((documents + 1) * share))
    good = 1.05 * (1.0 if math.isnan(quality) else quality) - 0.5 * stop_words
    return math.log(e) - 1 / math.sqrt(e) + good + 0.8 * lift


def is_typical(counts: Sequence[float], sizes: Sequence[float], k: int) -> bool:
    """At least two instances, and two standard deviations more than if topics were drawn at random."""
    share = sizes[k] / sum(sizes)
    mean, deviation = sum(counts) * share, math.sqrt(sum(counts) * share * (1 - share))
    return counts[k] >= 2 and counts[k] >= mean + 2 * deviation - 1e-9


def lift_of_word(in_topic: float, overall: float, n_tokens: int) -> float:
    """How many more tokens of a word a topic has than expected, with five added on both sides."""
    return (in_topic * n_tokens + 5) / (overall * n_tokens + 5)


def best_words(
    phi: Sequence[float], overall: Sequence[float], n_tokens: int, background: set[int]
) -> list[int]:
    """All words of a topic, by probability and lift; background words only if their lift is at least 4."""
    lifts = [lift_of_word(here, all, n_tokens) for here, all in zip(phi, overall, strict=True)]
    shown = [word for word in range(len(phi)) if word not in background or lifts[word] >= 4]
    scores = {word: round(math.log(phi[word]) + math.log(lifts[word]), 9) for word in shown}
    return sorted(shown or range(len(phi)), key=lambda word: (-scores.get(word, 0.0), -phi[word], word))
