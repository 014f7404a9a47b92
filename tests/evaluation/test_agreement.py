"""Krippendorff's α: the published examples, a slow oracle, and where it is not defined."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.agreement import alpha

from topminer.errors import InputError
from topminer.evaluation.agreement import krippendorff

LEVELS = ["nominal", "ordinal", "interval"]


# The examples A to D of Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011.


@pytest.mark.parametrize(
    ("one", "other", "published"),
    [("0100000010", "1110010000", 0.095), ("aabbdcccedda", "babbbccceddd", 0.692)],
)
def test_two_annotators(one: str, other: str, published: float) -> None:
    units = [[ord(each) for each in unit] for unit in zip(one, other, strict=True)]
    assert krippendorff(units) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_four_annotators_with_gaps(level: str, published: float) -> None:
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    assert krippendorff(list(zip(*rows, strict=True)), level) == pytest.approx(published, abs=5e-4)


VALUES = st.one_of(st.none(), st.integers(-3, 6), st.sampled_from([0.5, 1.25]))


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(VALUES, min_size=n, max_size=n), max_size=7)))
def test_equals_the_slow_way(ratings: list[list[float | None]]) -> None:
    for level in LEVELS:
        expected = alpha(ratings, level)
        found = krippendorff(ratings, level)
        if expected is None:
            assert found is None
        else:
            assert found == pytest.approx(float(expected), abs=1e-12)


def test_perfect_agreement_is_one_and_order_does_not_matter() -> None:
    ratings = [[1, 1, None], [2, None, 2], [7, 7, 7]]
    for level in LEVELS:
        assert krippendorff(ratings, level) == 1
        mixed = [[3, 1, 2], [5, 5, 1], [2, 2, 3]]
        turned = [unit[::-1] for unit in mixed[::-1]]
        assert krippendorff(mixed, level) == pytest.approx(krippendorff(turned, level))


@pytest.mark.parametrize("ratings", [[], [[]], [[1], [2]], [[1, None], [None, 2]], [[4, 4], [4, 4]]])
def test_not_defined(ratings: list[list[float | None]]) -> None:
    assert all(krippendorff(ratings, level) is None for level in LEVELS)


@pytest.mark.parametrize("scale", [1e308, 5e-324, 1e-200])
def test_extreme_values(scale: float) -> None:
    found = krippendorff([[-scale, -scale], [scale, scale], [scale, -scale]], "interval")
    assert found == pytest.approx(krippendorff([[-1, -1], [1, 1], [1, -1]], "interval"))


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="finite"):
        krippendorff([[math.nan, 1]])
    with pytest.raises(InputError, match="nominal, ordinal, interval, not 'ratio'"):
        krippendorff([[1, 1]], "ratio")
