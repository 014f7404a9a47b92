"""Domains of numeric parameters. A value outside is refused with one line that says what is allowed.

Nothing heavy is imported here: the command line needs the domains for its help.
"""

from __future__ import annotations

import math
from contextlib import suppress
from numbers import Integral, Real
from typing import Any

from topminer.errors import InputError

MOST = 10**18  # of whatever is counted: 64 bits hold it, and sums of a few
MOST_SEED = 2**64 - 1
MOST_THREADS = 1024
MOST_TOPICS = 2**16 - 1  # a topic takes two bytes for each phrase instance
MOST_SEEDS = 1000  # models that differ by their seeds, in one evaluation
MOST_CHAINS = 20  # of one model
MOST_SHARDS = 256  # a sweep has their square of blocks

# Priors for which topics are drawn in float32 with the probabilities of float64. docs/topics.md says how far
# they agree, and benchmarks/prior_range.py measures it.
ALPHA_RANGE = (1e-6, 1e3)
BETA_RANGE = (1e-4, 1e3)


def whole(name: str, value: object, least: int, most: int = MOST, *, also: str = "") -> int:
    """A whole number of Python's or NumPy's in its domain, as Python's; ``also`` ends the error's domain.

    >>> whole("n_topics", 5, 1)
    5
    """
    if isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) <= most:
        return int(value)
    is_too_large = isinstance(value, Integral) and int(value) > most
    allowed = f"from {least} to {most:,}" if most < MOST or is_too_large else f"from {least} on"
    raise InputError(f"{name} must be a whole number {allowed}{also}, not {_shown(value)}")


def is_auto(value: object) -> bool:
    """Whether a parameter is "auto"; an array, which compares by its values, is not.

    >>> is_auto("auto"), is_auto(3)
    (True, False)
    """
    return isinstance(value, str) and value == "auto"


def whole_or_none(name: str, value: object, least: int, most: int = MOST) -> int | None:
    """As :func:`whole`, or None."""
    return None if value is None else whole(name, value, least, most, also=", or None")


def number(name: str, value: object, least: float, most: float) -> float:
    """A number of Python's or NumPy's from ``least`` to ``most``, as Python's.

    >>> number("omega", 0.5, 0, 1)
    0.5
    """
    given: Any = value  # compared as it is: an int may be more than a float can hold
    if isinstance(value, Real) and not isinstance(value, bool) and least <= given <= most:
        with suppress(OverflowError):
            return float(given)
    allowed = f"from {least:g} on" if math.isinf(most) else f"from {least:g} to {most:g}"
    raise InputError(f"{name} must be a number {allowed}, not {_shown(value)}")


def _shown(value: object) -> str:
    """A value as it stands in an error's line: a long one is cut."""
    shown = str(value) if isinstance(value, Real) else repr(value)
    return shown if len(shown) <= 100 else f"{shown[:100]}…"
