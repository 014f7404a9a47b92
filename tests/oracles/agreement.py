"""Krippendorff's α, slowly: every pair of values by itself, each level's distance as its definition reads."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations


def alpha(ratings: Sequence[Sequence[float | None]], level: str) -> Fraction | None:
    units = [[Fraction(value) for value in unit if value is not None] for unit in ratings]
    units = [unit for unit in units if len(unit) > 1]
    pooled = [value for unit in units for value in unit]

    def distance(c: Fraction, k: Fraction) -> Fraction:
        if level == "nominal":
            return Fraction(c != k)
        if level == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        between = sum(low <= value <= high for value in pooled)
        return (between - Fraction(pooled.count(low) + pooled.count(high), 2)) ** 2

    if not pooled:
        return None
    observed = sum(
        (distance(c, k) / (len(unit) - 1) for unit in units for c, k in permutations(unit, 2)), Fraction(0)
    ) / len(pooled)
    expected = sum((distance(c, k) for c, k in permutations(pooled, 2)), Fraction(0))
    if expected == 0:
        return None
    return 1 - observed * len(pooled) * (len(pooled) - 1) / expected
