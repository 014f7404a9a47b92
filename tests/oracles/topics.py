"""PhraseLDA as the paper has it (section 5 and its appendix, with the errata), slowly: lists and plain loops.

A document is a list of cliques, a clique a tuple of word ids. ``topics`` has the topic of every clique in the
same shape. ``alpha`` has one number per topic, ``beta`` is the same for all words. ``d`` and ``g`` say which
document and which of its cliques.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scipy.special import digamma

Clique = tuple[int, ...]
Document = list[Clique]
Topics = list[list[int]]


class Tables(NamedTuple):
    """The counts of the paper's table of notations; what is missing is 0."""

    in_document: Counter[tuple[int, int]]  # N_dk by (d, k)
    of_word: Counter[tuple[int, int]]  # N_xk by (x, k)
    of_topic: Counter[int]  # N_k
    lengths: list[int]  # N_d


def tables(documents: list[Document], topics: Topics) -> Tables:
    counts = Tables(Counter(), Counter(), Counter(), [])
    for d, document in enumerate(documents):
        counts.lengths.append(sum(map(len, document)))
        for clique, k in zip(document, topics[d], strict=True):
            for word in clique:
                counts.in_document[d, k] += 1
                counts.of_word[word, k] += 1
                counts.of_topic[k] += 1
    return counts


def joint(
    documents: list[Document], topics: Topics, alpha: Sequence[float], beta: float, n_words: int
) -> float:
    """ln P(Z, W): the first display of the appendix, with the constants it leaves out."""
    counts = tables(documents, topics)
    total = 0.0
    for d, length in enumerate(counts.lengths):
        total += math.lgamma(sum(alpha)) - math.lgamma(sum(alpha) + length)
        for k, alpha_k in enumerate(alpha):
            total += math.lgamma(alpha_k + counts.in_document[d, k]) - math.lgamma(alpha_k)
    for k in range(len(alpha)):
        total += math.lgamma(n_words * beta) - math.lgamma(n_words * beta + counts.of_topic[k])
        for x in range(n_words):
            total += math.lgamma(beta + counts.of_word[x, k]) - math.lgamma(beta)
    return total


def conditional(
    documents: list[Document],
    topics: Topics,
    d: int,
    g: int,
    alpha: Sequence[float],
    beta: float,
    n_words: int,
) -> list[float]:
    """How likely each topic of one clique is, all others given: try each, and ask the joint."""
    tried = [_with(topics, d, g, k) for k in range(len(alpha))]
    return _shares([joint(documents, topics, alpha, beta, n_words) for topics in tried])


def equation_7(
    documents: list[Document],
    topics: Topics,
    d: int,
    g: int,
    alpha: Sequence[float],
    beta: float,
    n_words: int,
    corrected: bool = True,
) -> list[float]:
    """The same by equation 7; as printed, it forgets that a word may stand twice in a clique."""
    others = [list(document) for document in documents]
    clique = others[d].pop(g)
    other_topics = [list(ks) for ks in topics]
    other_topics[d].pop(g)
    counts = tables(others, other_topics)
    weights = []
    for k, alpha_k in enumerate(alpha):
        weight = 1.0
        for j, word in enumerate(clique):  # j counts from 0, the paper's from 1
            copies = clique[:j].count(word) if corrected else 0
            weight *= alpha_k + counts.in_document[d, k] + j
            weight *= beta + counts.of_word[word, k] + copies
            weight /= n_words * beta + counts.of_topic[k] + j
        weights.append(weight)
    return [weight / sum(weights) for weight in weights]


def posterior(
    documents: list[Document], n_topics: int, alpha: Sequence[float], beta: float, n_words: int
) -> dict[tuple[int, ...], float]:
    """P(Z | W) of every Z there is, a Z being the topics of all cliques in a row."""
    n_cliques = sum(map(len, documents))
    every = list(itertools.product(range(n_topics), repeat=n_cliques))
    logs = [joint(documents, shaped(topics, documents), alpha, beta, n_words) for topics in every]
    return dict(zip(every, _shares(logs), strict=True))


def shaped(topics: Sequence[int], documents: list[Document]) -> Topics:
    """A row of topics, cut into documents."""
    row: Iterator[int] = iter(topics)
    return [list(itertools.islice(row, len(document))) for document in documents]


def minka(
    documents: list[Document], topics: Topics, alpha: Sequence[float], beta: float, n_words: int
) -> tuple[list[float], float]:
    """One step of the fixed point of Minka (2000), section 3, for α and, with topics as documents, for β."""
    counts = tables(documents, topics)
    n_topics, all_alpha, all_beta = len(alpha), sum(alpha), n_words * beta

    def rise(x: float, n: int) -> float:
        return float(digamma(x + n) - digamma(x))

    new_alpha = []
    for k in range(n_topics):
        found = sum(rise(alpha[k], counts.in_document[d, k]) for d in range(len(documents)))
        expected = sum(rise(all_alpha, counts.lengths[d]) for d in range(len(documents)))
        new_alpha.append(alpha[k] * found / expected)
    found = sum(rise(beta, counts.of_word[x, k]) for x in range(n_words) for k in range(n_topics))
    expected = n_words * sum(rise(all_beta, counts.of_topic[k]) for k in range(n_topics))
    return new_alpha, beta * found / expected


def completion_perplexity(
    theta: Sequence[Sequence[float]], phi: Sequence[Sequence[float]], scored: Sequence[Sequence[int]]
) -> float:
    """Perplexity per word of each document's ``scored`` words; ``theta[d][k]``, ``phi[k][word]``."""
    logs = [
        math.log(sum(share * phi[k][word] for k, share in enumerate(theta[d])))
        for d, words in enumerate(scored)
        for word in words
    ]
    return math.exp(-math.fsum(logs) / len(logs))


def _with(topics: Topics, d: int, g: int, k: int) -> Topics:
    changed = [list(ks) for ks in topics]
    changed[d][g] = k
    return changed


def _shares(logs: list[float]) -> list[float]:
    highest = max(logs)
    weights = [math.exp(log - highest) for log in logs]
    return [weight / math.fsum(weights) for weight in weights]
