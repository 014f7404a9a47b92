"""The hierarchical Dirichlet process of PhraseLDA, slowly: distributions of tables, and sums over all states.

A state is the topic of every clique. The joint of the words, the states and what stands above them is::

    p(γ) p(α) p(Ψ | γ) Π_d [Γ(α) / Γ(α + N_d) Π_k Γ(αΨ_k + N_dk) / Γ(αΨ_k)] · (the part of the words)

It is not normalised: summed over all words and states it does not give 1, because the words of a clique have
one topic. Integrals over α, γ and, for two topics, Ψ are sums over grids of logarithms, on which such smooth
functions are integrated to many digits.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, logsumexp

from oracles.topics import Document

SHAPE, RATE = 1.0, 0.1  # of the Gamma priors of α and γ
STEP = 0.2
CONCENTRATION = np.arange(-25.0, 7.0, STEP)  # the logarithms of α and γ
# The logit of Ψ_1, if there are two topics. If γ is small, it is far from 0: hence steps that grow.
LOGIT_STEP = 0.05
LOGIT = np.sinh(np.arange(-14.0, 14.0, LOGIT_STEP))

Floats = NDArray[np.float64]


@cache
def stirling(n: int) -> tuple[int, ...]:
    """The unsigned Stirling numbers of the first kind |s(n, 0)|, …, |s(n, n)|: x (x + 1) … (x + n - 1)."""
    row = [1]
    for i in range(n):
        row = [i * (row[m] if m < len(row) else 0) + (row[m - 1] if m else 0) for m in range(len(row) + 1)]
    return tuple(row)


def tables(counts: Sequence[int], x: float) -> Floats:
    """How likely each number of tables is, in restaurants with these numbers of guests together."""
    total = np.ones(1)
    for n in counts:
        each = np.array([s * x**m for m, s in enumerate(stirling(n))])
        total = np.convolve(total, each / each.sum())
    return total


def log_prior(log_x: Floats) -> Floats:
    """The logarithm of the prior of α or γ, as a density of its logarithm."""
    return SHAPE * log_x - RATE * np.exp(log_x) + SHAPE * math.log(RATE) - math.lgamma(SHAPE)


def shaped_states(n_cliques: int, n_topics: int) -> NDArray[np.int64]:
    """All states, (states, cliques)."""
    return np.array(list(itertools.product(range(n_topics), repeat=n_cliques)))


def tokens_by_document(
    documents: list[Document], states: NDArray[np.int64], n_topics: int
) -> NDArray[np.int64]:
    """The tokens of topics in documents, (states, documents, topics)."""
    counts = np.zeros((len(states), len(documents), n_topics), np.int64)
    places = [(d, len(clique)) for d, document in enumerate(documents) for clique in document]
    for i, (d, n) in enumerate(places):
        np.add.at(counts, (np.arange(len(states)), d, states[:, i]), n)
    return counts


def two_topics(counts: NDArray[np.int64]) -> Floats:
    """The logarithm of the documents' part of a joint of two topics, on the grid of Ψ and α, with its steps.

    γ is integrated out. ``counts`` are the tokens of one state, (documents, 2).
    """
    gamma, x = np.exp(CONCENTRATION)[:, None], LOGIT[None, :]
    log_1, log_2 = -np.logaddexp(0, -x), -np.logaddexp(0, x)
    # The density of the logit: one more factor Ψ_1 Ψ_2 than that of Ψ_1.
    of_weight = gammaln(gamma) - 2 * gammaln(gamma / 2) + gamma / 2 * (log_1 + log_2)
    of_weight = logsumexp(of_weight + log_prior(CONCENTRATION)[:, None], axis=0)
    alpha = np.exp(CONCENTRATION)[None, :]
    psi = np.stack([expit(LOGIT), expit(-LOGIT)])[:, :, None]
    of_weight += np.log(np.cosh(np.arcsinh(LOGIT)) * LOGIT_STEP * STEP)
    total = of_weight[:, None] + log_prior(CONCENTRATION)[None, :] + math.log(STEP)
    for row in counts:
        for k, n in enumerate(row.tolist()):
            if n:
                total = total + CONCENTRATION[None, :] + (log_1, log_2)[k].T
            for j in range(1, n):
                total = total + np.log(alpha * psi[k] + j)
        for j in range(int(row.sum())):
            total = total - np.log(alpha + j)
    return total


def documents_part(counts: NDArray[np.int64]) -> float:
    """The logarithm of the documents' part of a joint, with Ψ, α and γ integrated out; any number of topics.

    With x = αΨ_k, the product x (x + 1) … of N_dk factors is Σ_m |s(N_dk, m)| x^m. Dirichlet's formula
    integrates Ψ out of such terms. m is a number of tables.
    """
    n_topics = counts.shape[1]
    alpha, gamma = np.exp(CONCENTRATION), np.exp(CONCENTRATION)
    of_topic = []
    for k in range(n_topics):
        total = np.ones(1)
        for n in counts[:, k].tolist():
            total = np.convolve(total, np.array(stirling(n), float))
        of_topic.append(total)
    by_tables = Counter[
        tuple[int, ...]
    ]()  # coefficients by the tables of all topics; their order is no matter
    for m in itertools.product(*(range(each.size) for each in of_topic)):
        coefficient = math.prod(float(each[i]) for each, i in zip(of_topic, m, strict=True))
        if coefficient:
            by_tables[tuple(sorted(m))] += coefficient
    lengths = counts.sum(axis=1).tolist()
    of_lengths = sum(np.log(alpha + j) for n in lengths for j in range(n)) * np.ones_like(alpha)
    terms = []
    for m, coefficient in by_tables.items():
        n = sum(m)
        of_gamma = gammaln(gamma) - gammaln(gamma + n) + log_prior(CONCENTRATION)
        of_gamma += sum(gammaln(i + gamma / n_topics) - gammaln(gamma / n_topics) for i in m)
        of_alpha = n * np.log(alpha) - of_lengths + log_prior(CONCENTRATION)
        terms.append(math.log(coefficient) + logsumexp(of_gamma) + logsumexp(of_alpha))
    return float(logsumexp(terms)) + 2 * math.log(STEP)
