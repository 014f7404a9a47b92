"""When a chain may stop: the log likelihood per token no longer rises.

Log likelihoods come every 50 sweeps, with the history. The mean of the last two is compared with the mean of
the two before, which are 100 sweeps earlier::

    sweep          350     400     450     500
    likelihood  -7.781  -7.775  -7.771  -7.770      (-7.7705) - (-7.7780) = 0.0075 < 0.01: flat
"""

from __future__ import annotations

from collections.abc import Sequence

LEAST_GAIN = 0.01  # of log likelihood per token in 100 sweeps


def gain(likelihoods: Sequence[float]) -> float:
    """Return how much the mean of two likelihoods is above that of the two before them.

    >>> round(gain([-7.781, -7.775, -7.771, -7.770]), 4)
    0.0075
    """
    a, b, c, d = likelihoods
    return (c + d) / 2 - (a + b) / 2


def flat_at(likelihoods: Sequence[float]) -> int | None:
    """Return the first entry after which the likelihood is flat, or None.

    >>> flat_at([-9.0, -8.0, -7.99, -7.98]), flat_at([-7.781, -7.775, -7.771, -7.770])
    (None, 3)
    """
    for i in range(3, len(likelihoods)):
        if gain(likelihoods[i - 3 : i + 1]) < LEAST_GAIN:
            return i
    return None
