"""Equation 1: how much more often two phrases stand side by side than chance would have it.

If words were drawn one by one, the phrase P1 P2 would be expected ``f(P1) f(P2) / L`` times in ``L`` tokens.

The paper's score is the surplus in standard deviations, with the observed count for the variance::

    f(P1) = 100, f(P2) = 50, L = 10,000, f(P1 P2) = 25:    (25 - 0.5) / sqrt(25) = 4.9

The exact tail is -log10 of the probability to see so many or more, a fairer judge of small counts: here
P(X ≥ 25) is 1.2e-33, and the score 32.9. X is Poisson, not binomial: over L places with so small a chance at
each the two agree, as the paper too assumes when it takes the mean for the variance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from topminer.jit import kernel

PAPER, TAIL = 0, 1  # the scorers
_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


@kernel
def significance(f1: int, f2: int, f12: int, n_tokens: int, scorer: int) -> float:
    """Score two phrases that occur ``f1`` and ``f2`` times, and ``f12`` times one behind the other."""
    expected = (float(f1) * float(f2)) / float(n_tokens)
    if scorer == PAPER:
        return (float(f12) - expected) / math.sqrt(float(f12))
    return poisson_tail(f12, expected)


@kernel
def poisson_tail(n: int, mean: float) -> float:
    """-log10 P(X ≥ n) for a Poisson variable X, where n ≥ 1 and the mean is positive.

    P(X ≥ n) is n P(X = n) times the integral of exp(n u - mean (e^u - 1)) over negative u, and P(X < n) the
    same over positive u. On the side away from the mean the integrand only falls, so we take that one, by
    Gauss's rule, up to where the exponent is -36 and the rest below rounding. However large the counts, the
    cost is the same.
    """
    sign = -1.0 if n > mean else 1.0
    gap = abs(n - mean)
    reach = 72.0 / (gap + math.sqrt(gap * gap + 72.0 * mean))
    for _ in range(6):  # Newton's steps
        u = sign * reach
        reach += (36.0 + n * u - mean * math.expm1(u)) / abs(n - mean * math.exp(u))
    area = 0.0
    for i in range(_NODES.size):
        u = 0.5 * sign * reach * (1.0 + _NODES[i])
        area += 0.5 * reach * _WEIGHTS[i] * math.exp(n * u - mean * math.expm1(u))
    log_part = _log_poisson(n, mean) + math.log(n * area)
    return -(log_part if sign < 0.0 else math.log1p(-math.exp(log_part))) / math.log(10.0)


@kernel
def _log_poisson(n: int, mean: float) -> float:
    """Log of the probability of exactly n, without differences of large numbers (Loader 2000)."""
    if n < 50:
        return n * math.log(mean) - mean - math.lgamma(n + 1.0)
    k = float(n)
    ratio = mean / k
    if 0.5 < ratio < 2.0:
        off = (mean - k) / k
        deviance = off - math.log1p(off)
    else:
        deviance = ratio - 1.0 - math.log(ratio)
    stirling = (1.0 - (1.0 / 30.0 - 1.0 / (105.0 * k * k)) / (k * k)) / (12.0 * k)
    return -k * deviance - stirling - _HALF_LOG_2PI - 0.5 * math.log(k)


@kernel
def significances(
    f1: NDArray[np.int64], f2: NDArray[np.int64], f12: NDArray[np.int64], n_tokens: int, scorer: int
) -> NDArray[np.float64]:
    """Score many pairs."""
    scores = np.empty(f12.size)
    for i in range(f12.size):
        scores[i] = significance(f1[i], f2[i], f12[i], n_tokens, scorer)
    return scores
