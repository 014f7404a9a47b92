"""Minka's fixed point: the priors α (one per topic) and β that make the counts most likely.

With ψ(x + n) - ψ(x) written as rise(x, n), a step is::

    α_k ← α_k Σ_d rise(α_k, N_dk) / Σ_d rise(Σα, N_d)
    β   ← β Σ_wk rise(β, N_wk) / (V Σ_k rise(Vβ, N_k))

This is LDA's step. PhraseLDA's likelihood also has a normaliser C, because all words of a phrase have one
topic, and C depends on α. Leaving C out is the approximation that the paper accepts (section 5.3).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topminer.jit import bare_kernel, part
from topminer.topics.model.histograms import Histograms, count

# A step never lowers the likelihood, but the maximum may be at 0 or at infinity. An unused topic would get
# α_k = 0 and could never be drawn again. With the lower bound, a thousand such topics together weigh at most
# a tenth of a token in each document. If all documents have the same mixture of topics, or all topics the
# same words, priors would grow without limit. At the upper bounds a prior outweighs the tokens of most
# documents, or most words of a topic. What a step maximises has one peak in each α_k, so a step that stops
# at a bound still raises the likelihood. All bounds lie within the allowed priors (_parameters.py), where
# float32 is accurate enough to draw topics.
LEAST_ALPHA, MOST_ALPHA = 1e-4, 100.0
LEAST_BETA, MOST_BETA = 0.01, 10.0  # a smaller β fits the documents themselves, and predicts others worse
# From scratch, priors converge in 20 to 200 steps, most slowly with few topics in long documents. Each fit
# starts from the one before, a few sweeps ago: 20 steps and 200 lead to the same likelihood and perplexity
# (benchmarks/schedules.py).
N_STEPS = 20

_LARGE = 10.0  # from here on the asymptotic series of ψ is exact to the last digits
_FEW = 8  # fewer terms are added up faster than the series is computed


def optimize(
    histograms: Histograms, alpha: NDArray[np.float64], beta: float, n_steps: int = N_STEPS
) -> tuple[NDArray[np.float64], float]:
    """Take ``n_steps`` steps from ``alpha`` (topics,) and ``beta``, all > 0. Without tokens they stay."""
    topic_start = np.searchsorted(histograms.topic, np.arange(alpha.size + 1))
    word_topic, n_k, n_words = histograms.word_topic, count(histograms.n_k), histograms.n_words
    alpha, betas = np.array(alpha, np.float64), np.array([beta], np.float64)  # the kernel steps in place
    if histograms.doc_length.n.size:
        bounds = LEAST_ALPHA, MOST_ALPHA
        _step(alpha, topic_start, *histograms.doc_topic, *histograms.doc_length, 1, *bounds, n_steps)
        bounds = LEAST_BETA, MOST_BETA
        _step(betas, np.array([0, word_topic.n.size]), *word_topic, *n_k, n_words, *bounds, n_steps)
    return alpha, float(betas[0])


@bare_kernel
def _step(
    prior: NDArray[np.float64],
    start: NDArray[np.int64],
    n: NDArray[np.int64],
    times: NDArray[np.int64],
    sum_n: NDArray[np.int64],
    sum_times: NDArray[np.int64],
    copies: int,
    least: float,
    most: float,
    n_steps: int,
) -> None:
    """Take ``n_steps`` steps of the priors of a Dirichlet distribution.

    Prior i has the counts ``n[start[i]:start[i + 1]]``, and ``sum_n`` are the counts of all priors together.
    There are ``copies`` of each prior, which share its counts: β is the same for all words.
    """
    for _ in range(n_steps):
        total = 0.0
        for i in range(prior.size):
            total += prior[i]
        expected = copies * _total_rise(copies * total, sum_n, sum_times)
        for i in range(prior.size):
            first, last = start[i], start[i + 1]
            new = prior[i] * (_total_rise(prior[i], n[first:last], times[first:last]) / expected)
            new = least if new < least else new
            prior[i] = most if new > most else new


@part
def _total_rise(x: float, n: NDArray[np.int64], times: NDArray[np.int64]) -> float:
    """Return Σ times rise(x, n) for ascending n: each sum continues the one before."""
    total, risen, before = 0.0, 0.0, 0
    for i in range(n.size):
        risen += rise(x + before, n[i] - before)
        before = n[i]
        total += times[i] * risen
    return total


@bare_kernel
def rise(x: float, n: int) -> float:
    """Return ψ(x + n) - ψ(x) for x > 0 and n ≥ 0, without a difference of large numbers.

    It is 1/x + 1/(x + 1) + … with n terms. Once x is large, the rest follows from the asymptotic series
    ψ(x) = ln x - 1/2x - 1/12x² + …, with the logarithms and the halves combined.
    """
    total = 0.0
    while n > 0 and (x < _LARGE or n < _FEW):
        total += 1.0 / x
        x += 1.0
        n -= 1
    if n == 0:
        return total
    y = x + n
    tail = 0.0  # Σ B_2i / (2i x^2i), the terms of the series of -ψ(x) after the first two, less those of y
    for end in (y, x):
        s = 1.0 / (end * end)
        series = s * (1 / 252 - s * (1 / 240 - s * (1 / 132 - s * (691 / 32760 - s / 12))))
        tail = s * (1 / 12 - s * (1 / 120 - series)) - tail
    return total + (math.log1p(n / x) + 0.5 * (n / x) / y + tail)
