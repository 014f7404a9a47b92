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

from topminer.jit import kernel, part
from topminer.topics.model.histograms import Histograms, count

# A step never lowers the likelihood, but the maximum may be at 0 or at infinity. An unused topic would get
# α_k = 0 and could never be drawn again. With the lower bound, a thousand such topics together weigh at most
# a tenth of a token in each document. If all documents have the same mixture of topics, or all topics the
# same words, priors would grow without limit. At the upper bounds a prior outweighs the tokens of most
# documents, or most words of a topic. What a step maximises has one peak in each α_k, so a step that stops
# at a bound still raises the likelihood. All bounds lie within the allowed priors (_parameters.py), where
# float32 is accurate enough to draw topics.
LEAST_ALPHA, MOST_ALPHA = 1e-4, 100.0
LEAST_BETA, MOST_BETA = 1e-4, 10.0
# Priors converge in 20 to 200 steps, most slowly with few topics in long documents. A step takes 5 ns for
# each entry of the histograms, so that 200 steps take less time than a sweep.
N_STEPS = 200

_LARGE = 10.0  # from here on the asymptotic series of ψ is exact to the last digits
_FEW = 8  # fewer terms are added up faster than the series is computed


def optimize(
    histograms: Histograms, alpha: NDArray[np.float64], beta: float, n_steps: int = N_STEPS
) -> tuple[NDArray[np.float64], float]:
    """Take ``n_steps`` steps from ``alpha`` (topics,) and ``beta``, all > 0. Without tokens they stay."""
    topic_start = np.searchsorted(histograms.topic, np.arange(alpha.size + 1))
    alpha = np.array(alpha, np.float64)  # a copy: the kernel steps in place
    _step_alpha(alpha, topic_start, *histograms.doc_topic, *histograms.doc_length, n_steps)
    n_k = count(histograms.n_k)
    return alpha, _step_beta(float(beta), histograms.n_words, *histograms.word_topic, *n_k, n_steps)


@kernel
def _step_alpha(
    alpha: NDArray[np.float64],
    topic_start: NDArray[np.int64],
    n: NDArray[np.int64],
    times: NDArray[np.int64],
    length: NDArray[np.int64],
    length_times: NDArray[np.int64],
    n_steps: int,
) -> None:
    if length.size == 0:
        return
    for _ in range(n_steps):
        total = 0.0
        for k in range(alpha.size):
            total += alpha[k]
        expected = _total_rise(total, length, length_times)
        for k in range(alpha.size):
            first, last = topic_start[k], topic_start[k + 1]
            ratio = _total_rise(alpha[k], n[first:last], times[first:last]) / expected
            alpha[k] = min(max(alpha[k] * ratio, LEAST_ALPHA), MOST_ALPHA)


@kernel
def _step_beta(
    beta: float,
    n_words: int,
    n: NDArray[np.int64],
    times: NDArray[np.int64],
    topic_n: NDArray[np.int64],
    topic_times: NDArray[np.int64],
    n_steps: int,
) -> float:
    if topic_n.size == 0:
        return beta
    for _ in range(n_steps):
        expected = n_words * _total_rise(n_words * beta, topic_n, topic_times)
        ratio = _total_rise(beta, n, times) / expected
        beta = min(max(beta * ratio, LEAST_BETA), MOST_BETA)
    return beta


@part
def _total_rise(x: float, n: NDArray[np.int64], times: NDArray[np.int64]) -> float:
    """Return Σ times rise(x, n) for ascending n: each sum continues the one before."""
    total, risen, before = 0.0, 0.0, 0
    for i in range(n.size):
        risen += rise(x + before, n[i] - before)
        before = n[i]
        total += times[i] * risen
    return total


@kernel
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
    return total + (math.log1p(n / x) + 0.5 * (n / x) / y + (_tail(x) - _tail(y)))


@part
def _tail(x: float) -> float:
    """Return Σ B_2i / (2i x^2i), the terms of the series of -ψ(x) after the first two."""
    s = 1.0 / (x * x)
    return s * (
        1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132 - s * (691 / 32760 - s / 12)))))
    )
