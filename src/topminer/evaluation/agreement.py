"""How far people agree: Krippendorff's α.

α = 1 − D_o/D_e: the disagreement that is observed among values given to the same unit, over that expected if
all values were dealt out by chance. 1 is perfect agreement, 0 is what chance would give. Any number of
annotators, any of them may have left out any unit. As in K. Krippendorff, "Computing Krippendorff's
Alpha-Reliability" (2011), whose four examples are tests here.

Two annotators, two units, one dispute: values a, a and a, b. Pairs within units disagree half of the time;
among the four values, a a a b, so do pairs: α = 1 − ½/½ = 0.

>>> krippendorff([[0, 0], [0, 1]])
0.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError

Level = Literal["nominal", "ordinal", "interval"]


def krippendorff(ratings: Sequence[Sequence[float | None]], level: Level = "nominal") -> float | None:
    """Krippendorff's α of units, each with the value that every annotator gave; None where there is none.

    Units with fewer than two values tell nothing of agreement, and are left out. The level says how far apart
    two values are: all alike, by the values that lie between them, or by the square of their difference.
    Without a unit of two values, or where all values are the same, α is not defined: None.
    """
    if level not in get_args(Level):
        raise InputError(f"the level must be one of {', '.join(get_args(Level))}, not {level!r}")
    given = [[value for value in unit if value is not None] for unit in ratings]
    units = [np.array(unit, np.float64) for unit in given if len(unit) > 1]
    if not all(np.isfinite(unit).all() for unit in units):
        raise InputError("ratings must be finite numbers, or None where there is none")
    if not units:
        return None
    values = np.unique(np.concatenate(units))
    if len(values) == 1:
        return None
    coincidences = np.zeros((len(values), len(values)))
    for unit in units:
        counts = np.bincount(np.searchsorted(values, unit), minlength=len(values))
        pairs = np.outer(counts, counts) - np.diag(counts)  # each value with every other of its unit
        coincidences += pairs / (len(unit) - 1)
    totals = coincidences.sum(axis=0)  # how often each value was given
    distances = _distances(values, totals, level)
    observed = (coincidences * distances).sum()
    expected = (np.outer(totals, totals) * distances).sum() / (totals.sum() - 1)
    return float(1 - observed / expected)


def _distances(values: NDArray[np.float64], totals: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """How far apart each two values are; only ratios matter, so the farthest are 1 apart."""
    match level:
        case "nominal":
            return 1 - np.eye(len(values))
        case "ordinal":  # ranks in the middle of each value's share: their differences are those of the note
            scale = np.cumsum(totals) - totals / 2
        case _:
            scale = values / 2 if np.abs(values).max() > 1 else values  # no difference overflows
    scale = (scale - scale[0]) / (scale[-1] - scale[0])
    distances: NDArray[np.float64] = np.square(scale[:, None] - scale)
    return distances
