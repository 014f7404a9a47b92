"""Topical n-grams (Wang, McCallum, Wei 2007) from the definition, slowly: lists and plain loops.

A document is a list of chunks, a chunk a list of word ids. All tokens, in order, make one list; ``topics``
and ``flags`` have one entry for each. Priors are (α, β, γ, δ), each a symmetric one.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

Chunk = list[int]
Document = list[Chunk]
Assigned = tuple[tuple[int, ...], tuple[int, ...]]  # topics, flags
Priors = tuple[float, float, float, float]


class Token(NamedTuple):
    """A token, and its place."""

    word: int
    document: int
    before: int | None  # the number of the token before it in its chunk
    next: int | None


def tokens_of(documents: list[Document]) -> list[Token]:
    tokens: list[Token] = []
    for d, document in enumerate(documents):
        for chunk in document:
            for j, word in enumerate(chunk):
                i = len(tokens)
                tokens.append(Token(word, d, i - 1 if j > 0 else None, i + 1 if j + 1 < len(chunk) else None))
    return tokens


def _urns(draws: Iterable[tuple[object, int]], prior: float, n_values: int) -> float:
    """ln P of draws from Dirichlet-multinomial urns: which urn, which value."""
    by_urn: dict[object, Counter[int]] = {}
    for urn, value in draws:
        by_urn.setdefault(urn, Counter())[value] += 1
    total = 0.0
    for values in by_urn.values():
        n = sum(values.values())
        total += math.lgamma(n_values * prior) - math.lgamma(n_values * prior + n)
        total += sum(math.lgamma(prior + count) - math.lgamma(prior) for count in values.values())
    return total


def joint(
    documents: list[Document], assigned: Assigned, priors: Priors, n_topics: int, n_words: int
) -> float:
    """ln P(words, topics, flags), all else integrated out."""
    alpha, beta, gamma, delta = priors
    tokens = tokens_of(documents)
    topics, flags = assigned
    in_document = [(token.document, z) for token, z in zip(tokens, topics, strict=True)]
    flag, alone, paired = [], [], []
    for token, z, x in zip(tokens, topics, flags, strict=True):
        if token.before is not None:
            word_before = tokens[token.before].word
            flag.append(((topics[token.before], word_before), x))
        if x:
            paired.append(((z, word_before), token.word))
        else:
            alone.append((z, token.word))
    return (
        _urns(in_document, alpha, n_topics)
        + _urns(flag, gamma, 2)
        + _urns(alone, beta, n_words)
        + _urns(paired, delta, n_words)
    )


def with_token(assigned: Assigned, i: int, topic: int, flag: int) -> Assigned:
    topics, flags = assigned
    return (*topics[:i], topic, *topics[i + 1 :]), (*flags[:i], flag, *flags[i + 1 :])


def conditional(
    documents: list[Document], assigned: Assigned, i: int, priors: Priors, n_topics: int, n_words: int
) -> list[list[float]]:
    """P(topic, flag of token ``i``) given all others, [flag][topic]: every one is tried in the joint."""
    token = tokens_of(documents)[i]
    logs = {
        (x, z): joint(documents, with_token(assigned, i, z, x), priors, n_topics, n_words)
        for x in ((0, 1) if token.before is not None else (0,))
        for z in range(n_topics)
    }
    return _normalised(logs, n_topics)


def _normalised(logs: dict[tuple[int, int], float], n_topics: int) -> list[list[float]]:
    largest = max(logs.values())
    weights = {state: math.exp(value - largest) for state, value in logs.items()}
    total = sum(weights.values())
    return [[weights.get((x, z), 0.0) / total for z in range(n_topics)] for x in (0, 1)]


def states(documents: list[Document], n_topics: int) -> Iterator[Assigned]:
    """All topics and flags there can be."""
    tokens = tokens_of(documents)
    choices = [(0,) if token.before is None else (0, 1) for token in tokens]
    for topics in itertools.product(range(n_topics), repeat=len(tokens)):
        for flags in itertools.product(*choices):
            yield topics, flags


def posterior(
    documents: list[Document], priors: Priors, n_topics: int, n_words: int
) -> dict[Assigned, float]:
    """P(topics, flags | words) of all of them."""
    logs = {
        state: joint(documents, state, priors, n_topics, n_words) for state in states(documents, n_topics)
    }
    largest = max(logs.values())
    total = sum(math.exp(value - largest) for value in logs.values())
    return {state: math.exp(value - largest) / total for state, value in logs.items()}


class Counts(NamedTuple):
    """What a sampler keeps; what is missing is 0."""

    alone: Counter[tuple[int, int]]  # (word, topic) of tokens with flag 0
    flags: Counter[tuple[int, int, int]]  # (word before, its topic, flag)
    paired: Counter[tuple[int, int, int]]  # (word before, word, topic) of tokens with flag 1


def counts(documents: list[Document], topics: Sequence[int], flags: Sequence[int]) -> Counts:
    found = Counts(Counter(), Counter(), Counter())
    tokens = tokens_of(documents)
    for token, z, x in zip(tokens, topics, flags, strict=True):
        if token.before is not None:
            found.flags[tokens[token.before].word, topics[token.before], x] += 1
        if x:
            assert token.before is not None
            found.paired[tokens[token.before].word, token.word, z] += 1
        else:
            found.alone[token.word, z] += 1
    return found


def phrases(
    documents: list[Document], topics: Sequence[int], flags: Sequence[int]
) -> Counter[tuple[tuple[int, ...], int]]:
    """How often each phrase of several words has each topic: a run of flags 1 and the token before it."""
    found: Counter[tuple[tuple[int, ...], int]] = Counter()
    tokens = tokens_of(documents)
    i = 0
    while i < len(tokens):
        j = i + 1
        while j < len(tokens) and flags[j]:
            j += 1
        if j > i + 1:
            found[tuple(token.word for token in tokens[i:j]), topics[j - 1]] += 1
        i = j
    return found
