"""The minimum support: a number, a share of the corpus, or found by rule."""

from __future__ import annotations

import math
from numbers import Real

from topminer._parameters import number
from topminer.errors import InputError
from topminer.phrases.significance import PAPER, TAIL

SCORERS = {"paper": PAPER, "tail": TAIL}
SCORER_NAMES = {number: name for name, number in SCORERS.items()}
LEAST = 3  # a sequence seen twice may be one text quoted
_BEYOND_ALL_COUNTS = 1e9  # as a threshold: its square is more than any corpus has tokens
SHARE = 1e-6  # of the kept tokens: see docs/phrases.md for the evidence


def support_for(threshold: float, scorer: int = PAPER) -> int:
    """The smallest support with which a phrase can reach ``threshold``.

    The paper's score is less than the square root of the phrase's support, so a threshold of 4 needs at least
    17 occurrences, and every smaller minimum support gives the same partition.

    >>> support_for(4.0), support_for(2.0), support_for(0.0)
    (17, 5, 3)
    """
    if scorer != PAPER:
        return LEAST
    return max(LEAST, math.floor(min(threshold, _BEYOND_ALL_COUNTS) ** 2) + 1)


def resolve_support(min_support: int | float | str, n_tokens: int, threshold: float, scorer: int) -> int:
    """What ``min_support`` means for a corpus of ``n_tokens`` kept tokens."""
    return min(_resolved(min_support, n_tokens, threshold, scorer), n_tokens + 1)


def _resolved(min_support: int | float | str, n_tokens: int, threshold: float, scorer: int) -> int:
    if min_support == "auto":
        return max(support_for(threshold, scorer), math.ceil(n_tokens * SHARE))
    return number_or_share(min_support, n_tokens)


def number_or_share(min_support: int | float | str, n: int) -> int:
    """How many of ``n`` are meant, by a number of them or by a share."""
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
    """A threshold is a number from 0 on; infinity keeps every word alone."""
    return number("significance", threshold, 0, math.inf)
