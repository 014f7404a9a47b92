"""Intervals from the samples of several chains."""

import numpy as np
import pytest
from scipy import stats

from topminer.topics.results.intervals import ChainSpread


def interval_of(samples: np.ndarray, rate: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Of samples (chains, samples, counts)."""
    spread = ChainSpread(samples.shape[2])
    for chain in samples:
        spread.add(chain.mean(axis=0), chain.var(axis=0), len(chain))
    return spread.interval(rate)


def test_an_example_by_hand() -> None:
    """The one in the module's docstring."""
    low, high = interval_of(np.array([[[10.0], [12.0]], [[13.0], [17.0]]]))
    t = (12 * stats.t.ppf(0.975, 1) + 2.5 * stats.t.ppf(0.975, 2)) / 14.5
    half = t * 14.5**0.5
    assert t == pytest.approx(11.3, abs=0.05) and half == pytest.approx(42.9, abs=0.1)
    assert (low[0], high[0]) == pytest.approx((13 - half, 13 + half))


def test_what_never_varies_is_sure() -> None:
    low, high = interval_of(np.full((3, 10, 2), 7.0))
    assert low.tolist() == high.tolist() == [7.0, 7.0]


def test_a_single_sample_of_each_chain_is_the_textbook_prediction_interval() -> None:
    values = np.array([3.0, 5.0, 10.0, 4.0])
    low, high = interval_of(values.reshape(4, 1, 1))
    half = stats.t.ppf(0.975, 3) * values.std(ddof=1) * (1 + 1 / 4) ** 0.5
    assert (low[0], high[0]) == pytest.approx((values.mean() - half, values.mean() + half))


@pytest.mark.parametrize("correlation", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("n_chains", [2, 4, 8])
@pytest.mark.parametrize("between", [0.0, 1.0])
def test_one_more_draw_is_held_at_the_stated_rate(n_chains: int, correlation: float, between: float) -> None:
    """Also if the samples of a chain resemble each other, or chains lie apart."""
    rng, n = np.random.default_rng(5), 20_000
    centres = between * rng.normal(size=(n_chains + 1, 1, n))
    samples = rng.normal(size=(n_chains + 1, 10, n))
    for i in range(1, 10):
        samples[:, i] = correlation * samples[:, i - 1] + (1 - correlation**2) ** 0.5 * samples[:, i]
    samples += centres
    low, high = interval_of(samples[:n_chains])
    held = ((low <= samples[-1, -1]) & (samples[-1, -1] <= high)).mean()
    assert 0.93 <= held <= 0.98
