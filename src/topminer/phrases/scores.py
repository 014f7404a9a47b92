"""Scores: how much more often two phrases occur side by side than by chance, and the support that takes.

If words were drawn independently, the phrase P1 P2 would be expected ``f(P1) f(P2) / L`` times in ``L``
tokens. Equation 1 of the paper measures the excess in standard deviations, and estimates the variance by the
observed count::

    f(P1) = 100, f(P2) = 50, L = 10,000, f(P1 P2) = 25:    (25 - 0.5) / sqrt(25) = 4.9

Equation 1 is less than the square root of the observed count. So a threshold of 4 needs at least 17
occurrences, a threshold of 2 at least 5, and every smaller minimum support gives the same partition.
"""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import is_auto, number
from topminer.errors import InputError
from topminer.jit import bare_kernel

LEAST = 3  # support: a sequence that occurs twice may be one text and its quotation
SHARE = 2e-7  # of the kept tokens, which "auto" asks for at least; docs/phrases.md has the evidence
_MAX_THRESHOLD = 1e9  # its square is more than any corpus has tokens


def least_support(threshold: float) -> int:
    """Return the smallest support with which a phrase can reach a threshold.

    >>> [least_support(threshold) for threshold in (4.0, 2.0, 0.0)]
    [17, 5, 3]
    """
    return max(LEAST, math.floor(min(threshold, _MAX_THRESHOLD) ** 2) + 1)


def resolve_support(min_support: int | float | str, n_tokens: int, threshold: float) -> int:
    """Return what the parameter ``min_support`` means for a corpus of ``n_tokens`` kept tokens."""
    if is_auto(min_support):
        support = max(least_support(threshold), math.ceil(n_tokens * SHARE))
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


@bare_kernel
def significance(f1: int, f2: int, f12: int, n_tokens: int) -> float:
    """Score two phrases of evidence ``f1`` and ``f2`` whose concatenation has evidence ``f12``."""
    expected = (float(f1) * float(f2)) / float(n_tokens)
    return (float(f12) - expected) / math.sqrt(float(f12))


def significances(
    f1: NDArray[np.int64], f2: NDArray[np.int64], f12: NDArray[np.int64], n_tokens: int
) -> NDArray[np.float64]:
    """Score many pairs, by the same operations in the same order."""
    expected = (f1.astype(np.float64) * f2) / float(n_tokens)
    scores: NDArray[np.float64] = (f12 - expected) / np.sqrt(f12)
    return scores
