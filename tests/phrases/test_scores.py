"""Equation 1 and the exact tail, against the formula, SciPy and sums in sixty digits."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import phrases as oracle
from planted import many
from scipy import stats

from topminer.phrases.scores import PAPER, TAIL, poisson_tail, significance

pytestmark = pytest.mark.small

counts = st.integers(1, 2**40) | st.integers(1, 1000)


def test_worked_example() -> None:
    assert significance(100, 50, 25, 10_000, PAPER.code) == 4.9
    assert significance(100, 50, 25, 10_000, TAIL.code) == pytest.approx(32.9, abs=0.05)


@many
@given(counts, counts, counts, counts)
def test_the_paper_s_score(f1: int, f2: int, f12: int, n_tokens: int) -> None:
    expected = (float(f12) - float(f1) * float(f2) / float(n_tokens)) / math.sqrt(float(f12))
    assert significance(f1, f2, f12, n_tokens, PAPER.code) == expected
    assert significance(f2, f1, f12, n_tokens, PAPER.code) == expected


@many
@given(st.integers(1, 100_000) | st.integers(1, 100), st.floats(-3, 1))
def test_tail_as_scipy_has_it(n: int, log_ratio: float) -> None:
    mean = n * 10**log_ratio
    expected = -stats.poisson.logsf(n - 1, mean) / math.log(10)
    found = poisson_tail(n, mean)
    if expected < 307:  # beyond, SciPy's probabilities lose digits, and then underflow
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-15)
    else:
        assert found > 306.9


@pytest.mark.parametrize("n", [1, 2, 7, 49, 50, 51, 1000, 20_000])
@pytest.mark.parametrize("ratio", [1e-12, 1e-6, 0.01, 0.49, 0.51, 0.9, 0.999, 1.0, 1.001, 1.1, 1.9])
def test_tail_in_sixty_digits(n: int, ratio: float) -> None:
    mean = n * ratio
    assert poisson_tail(n, mean) == pytest.approx(float(oracle.poisson_tail(n, mean)), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("n", "mean"), [(10**9, 1e3), (10**12, 1e-3), (2**40, 2.0**39), (11_186_857, 11_171_692.658117304)]
)
def test_tail_of_huge_counts(n: int, mean: float) -> None:
    """SciPy is off by half a percent at the last of these."""
    assert poisson_tail(n, mean) == pytest.approx(float(oracle.poisson_tail(n, Decimal(mean))), rel=1e-12)


@many
@given(counts, counts, counts, counts)
def test_tail_is_always_a_number(f1: int, f2: int, f12: int, n_tokens: int) -> None:
    tail = significance(f1, f2, f12, n_tokens, TAIL.code)
    assert math.isfinite(tail)
    assert tail >= 0


@pytest.mark.parametrize("mean", [1e-9, 0.3, 1.0, 33.3, 49.5, 50.0, 1e4, 1e9])
def test_tail_rises_with_the_count(mean: float) -> None:
    at = max(1, round(mean) - 200)
    tails = [poisson_tail(n, mean) for n in range(at, at + 400)]
    assert tails == sorted(tails)
    assert tails[-1] > tails[0]


@pytest.mark.parametrize("n", [1, 3, 50, 1000, 10**6])
def test_tail_falls_with_the_mean(n: int) -> None:
    tails = [poisson_tail(n, n * 1.01**i) for i in range(-500, 100)]
    assert tails == sorted(tails, reverse=True)
