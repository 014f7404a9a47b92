"""Scores: how much more often two phrases occur side by side than by chance, and the support that takes.

If words were drawn independently, the phrase P1 P2 would be expected ``f(P1) f(P2) / L`` times in ``L``
tokens.

Equation 1 of the paper measures the excess in standard deviations, and estimates the variance by the observed
count::

    f(P1) = 100, f(P2) = 50, L = 10,000, f(P1 P2) = 25:    (25 - 0.5) / sqrt(25) = 4.9

The exact tail is -log10 of the probability of the observed count or more. It is more accurate for small
counts: here P(X ≥ 25) is 1.2e-33, and the score 32.9. X is Poisson, not binomial: with L places and a small
probability at each place the two agree, and the paper makes the same approximation when it takes the mean for
the variance.

Equation 1 is less than the square root of the observed count. So a threshold of 4 needs at least 17
occurrences, and every smaller minimum support gives the same partition.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import number
from topminer.errors import InputError
from topminer.jit import kernel

LEAST = 3  # support: a sequence that occurs twice may be one text and its quotation
SHARE = 1e-6  # of the kept tokens, which "auto" asks for at least; docs/phrases.md has the evidence
_MAX_THRESHOLD = 1e9  # its square is more than any corpus has tokens
_EQUATION_1, _TAIL = 0, 1
_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


class Scorer(NamedTuple):
    """A score for two neighbouring phrases."""

    name: str
    code: int  # selects the branch of `significance`
    least_support: Callable[[float], int]  # the smallest support with which a phrase can reach a threshold


def _support_for_equation_1(threshold: float) -> int:
    """Return the smallest count whose square root is more than the threshold.

    >>> [_support_for_equation_1(threshold) for threshold in (4.0, 2.0, 0.0)]
    [17, 5, 3]
    """
    return max(LEAST, math.floor(min(threshold, _MAX_THRESHOLD) ** 2) + 1)


def _support_for_tail(threshold: float) -> int:
    """Return the least support: the tail of a rare phrase can have any value."""
    return LEAST


PAPER = Scorer("paper", _EQUATION_1, _support_for_equation_1)
TAIL = Scorer("tail", _TAIL, _support_for_tail)
SCORERS = {scorer.name: scorer for scorer in (PAPER, TAIL)}


def resolve_support(min_support: int | float | str, n_tokens: int, threshold: float, scorer: Scorer) -> int:
    """Return what the parameter ``min_support`` means for a corpus of ``n_tokens`` kept tokens."""
    if min_support == "auto":
        support = max(scorer.least_support(threshold), math.ceil(n_tokens * SHARE))
    else:
        support = number_or_share(min_support, n_tokens)
    return min(support, n_tokens + 1)


def number_or_share(min_support: int | float | str, n: int) -> int:
    """Return a support that is given as a number or as a share of ``n``."""
    if isinstance(min_support, bool) or not isinstance(min_support, Real):
        raise InputError(f"min_support must be a number, a share or 'auto', not {min_support!r}")
    if 0 < min_support < 1:
        return max(1, math.ceil(float(min_support) * n))
    if not 1 <= min_support < math.inf or min_support != int(min_support):
        raise InputError(
            "min_support must be a whole number from 1 on, a share between 0 and 1, or 'auto', "
            f"not {min_support}"
        )
    return int(min_support)


def check_threshold(threshold: float) -> float:
    """Return a threshold if it is a number from 0 on; infinity keeps every word apart."""
    return number("significance", threshold, 0, math.inf)


@kernel
def significance(f1: int, f2: int, f12: int, n_tokens: int, code: int) -> float:
    """Score two phrases with supports ``f1`` and ``f2`` whose concatenation has support ``f12``."""
    expected = (float(f1) * float(f2)) / float(n_tokens)
    if code == _EQUATION_1:
        return (float(f12) - expected) / math.sqrt(float(f12))
    return poisson_tail(f12, expected)


@kernel
def significances(
    f1: NDArray[np.int64], f2: NDArray[np.int64], f12: NDArray[np.int64], n_tokens: int, code: int
) -> NDArray[np.float64]:
    """Score many pairs."""
    scores = np.empty(f12.size)
    for i in range(f12.size):
        scores[i] = significance(f1[i], f2[i], f12[i], n_tokens, code)
    return scores


@kernel
def poisson_tail(n: int, mean: float) -> float:
    """Return -log10 P(X ≥ n) for a Poisson variable X, where n ≥ 1 and the mean is positive.

    P(X ≥ n) is n P(X = n) times the integral of exp(n u - mean (e^u - 1)) over negative u; P(X < n) is the
    same over positive u. On the side away from the mean the integrand is monotone. The integral of that side
    is computed by Gauss's rule up to where the exponent is -36; the rest is below rounding. The cost does not
    depend on the counts.
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
    """Return log P(X = n) without differences of large numbers (Loader 2000)."""
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
