"""PD-LDA by brute force: every way to cut a tiny corpus, every topic, and every number of tables."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple


class Priors(NamedTuple):
    alpha: float
    continues: float
    starts: float
    discount: tuple[float, ...]
    strength: tuple[float, ...]


Phrase = tuple[int, int, int]  # first token, end, topic


def rising(x: float, n: int, step: float = 1.0) -> float:
    """x (x + step) (x + 2 step) ..., n factors."""
    return math.prod(x + i * step for i in range(n))


@cache
def stirling(n: int, t: int, a: float) -> float:
    """The seatings of n customers at t tables, each weighted by (1 - a)(2 - a)... for each table."""
    if n == 0 or t == 0:
        return float(n == t)
    return stirling(n - 1, t - 1, a) + (n - 1 - t * a) * stirling(n - 1, t, a)


def cuts(chunk: Sequence[int], max_length: int) -> Iterator[list[tuple[int, int]]]:
    """Every way to cut tokens into phrases."""
    n = len(chunk)
    for flags in product((False, True), repeat=n - 1):
        starts = [0, *(i + 1 for i in range(n - 1) if flags[i]), n]
        phrases = [(starts[i], starts[i + 1]) for i in range(len(starts) - 1)]
        if all(b - a <= max_length for a, b in phrases):
            yield phrases


def words_likelihood(contexts: list[tuple[tuple[int, ...], int]], n_words: int, priors: Priors) -> float:
    """Probability of words in contexts (topic, word before, word before that, ...), summed over tables."""
    restaurants: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for context, word in contexts:
        restaurants[context][word] += 1
    return _deepest(dict(restaurants), n_words, priors)


def _deepest(restaurants: dict[tuple[int, ...], Counter[int]], n_words: int, priors: Priors) -> float:
    """Sum over the tables of the deepest restaurant, customers of its parent, then over the rest."""
    if not restaurants:
        return 1.0
    context = max(restaurants, key=lambda c: (len(c), c))
    customers = restaurants[context]
    rest = {c: n for c, n in restaurants.items() if c != context}
    a, b = priors.discount[len(context)], priors.strength[len(context)]
    words = sorted(customers)
    total = 0.0
    for tables in product(*(range(1, customers[w] + 1) for w in words)):
        p = rising(b, sum(tables), a) / rising(b, sum(customers.values()))
        for w, t in zip(words, tables, strict=True):
            p *= stirling(customers[w], t, a)
        if context:
            above = {c: Counter(n) for c, n in rest.items()}
            above.setdefault(context[:-1], Counter()).update(dict(zip(words, tables, strict=True)))
            total += p * _deepest(above, n_words, priors)
        else:
            total += p * (1 / n_words) ** sum(tables)
    return total


def joint(
    documents: Sequence[Sequence[Sequence[int]]],
    phrases: Sequence[Sequence[Sequence[Phrase]]],
    n_topics: int,
    n_words: int,
    max_length: int,
    priors: Priors,
) -> float:
    """Probability of chunks of documents and of their phrases with topics."""
    coins: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    contexts = []
    p = 1.0
    for chunks, cut in zip(documents, phrases, strict=True):
        held: Counter[int] = Counter()
        for chunk, parts in zip(chunks, cut, strict=True):
            for number, (start, stop, topic) in enumerate(parts):
                held[topic] += 1
                if number > 0:
                    before, _, its_topic = parts[number - 1]
                    if start - before < max_length:
                        coins[its_topic, chunk[start - 1]][1] += 1
                for j in range(start, stop):
                    contexts.append(((topic, *reversed(chunk[start:j])), chunk[j]))
                    if j > start:
                        coins[topic, chunk[j - 1]][0] += 1
        for n in held.values():
            p *= rising(priors.alpha, n)
        p /= rising(n_topics * priors.alpha, sum(held.values()))
    for n_continues, n_starts in coins.values():
        p *= rising(priors.continues, n_continues) * rising(priors.starts, n_starts)
        p /= rising(priors.continues + priors.starts, n_continues + n_starts)
    return p * words_likelihood(contexts, n_words, priors)


def posterior(
    documents: Sequence[Sequence[Sequence[int]]],
    n_topics: int,
    n_words: int,
    max_length: int,
    priors: Priors,
) -> dict[tuple[tuple[int, int], ...], float]:
    """Probability of each (starts, topic) of all tokens, one behind the other."""
    chunks = [chunk for document in documents for chunk in document]
    found = {}
    for cut in product(*(cuts(chunk, max_length) for chunk in chunks)):
        for topics in product(range(n_topics), repeat=sum(map(len, cut))):
            topic_of = iter(topics)
            with_topics = iter([[(a, b, next(topic_of)) for a, b in parts] for parts in cut])
            phrases = [[next(with_topics) for _ in document] for document in documents]
            state = tuple(
                (int(j == a), k)
                for document in phrases
                for parts in document
                for a, b, k in parts
                for j in range(a, b)
            )
            found[state] = joint(documents, phrases, n_topics, n_words, max_length, priors)
    total = sum(found.values())
    return {state: p / total for state, p in found.items()}


def recount(
    documents: Sequence[Sequence[Sequence[int]]], flags: Sequence[int], topics: Sequence[int], max_length: int
) -> tuple[Counter[tuple[tuple[int, ...], int]], Counter[tuple[int, int, int]]]:
    """Tokens by (context, word), and coins by (topic, word before, whether a phrase starts)."""
    tokens: Counter[tuple[tuple[int, ...], int]] = Counter()
    coins: Counter[tuple[int, int, int]] = Counter()
    at = 0
    for chunk in (chunk for document in documents for chunk in document):
        phrase: list[int] = []
        for number, word in enumerate(chunk):
            if number > 0 and len(phrase) < max_length:
                coins[topics[at - 1], chunk[number - 1], int(flags[at])] += 1
            if flags[at]:
                phrase = []
            tokens[(topics[at], *reversed(phrase)), word] += 1
            phrase.append(word)
            at += 1
    return tokens, coins
