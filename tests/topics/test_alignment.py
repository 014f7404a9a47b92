"""Topics of two chains are matched one to one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.topics.results.alignment import matched


def test_an_example_by_hand() -> None:
    """Cosines: (.9 .1 0)·(.8 .2 0) = .74 / (√.82 √.68) = .9910; the others share one word or none.

    Topic 0 would like .9910 and topic 1 is (0 .5 .5) in both. So 0 is 1 there, and 1 is 0.
    """
    one = np.array([[0.9, 0.1, 0.0], [0.0, 0.5, 0.5]])
    other = np.array([[0.0, 0.5, 0.5], [0.8, 0.2, 0.0]])
    order, cosines = matched(one, other)
    assert order.tolist() == [1, 0]
    assert cosines.tolist() == [pytest.approx(0.74 / (0.82 * 0.68) ** 0.5), 1.0]


def test_the_sum_decides_and_not_the_best_pair() -> None:
    """Topic 0 is nearer to topic 0 (0.96) than to 1 (0.8), but topic 1 has nothing else to go to.

    One to one as numbered: 0.96 + 0. The other way: 0.8 + 0.6.
    """
    one = np.array([[1.0, 0.0, 0.0], [0.6, 0.0, 0.8]])
    other = np.array([[0.96, 0.28, 0.0], [0.8, 0.6, 0.0]])
    cosines = one @ (other / np.linalg.norm(other, axis=1, keepdims=True)).T
    order, _ = matched(one, other)
    best = max(([0, 1], [1, 0]), key=lambda order: cosines[[0, 1], order].sum())
    assert order.tolist() == best


@given(st.integers(1, 8), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_a_matching_is_a_permutation_that_finds_renumbered_topics(k: int, v: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(v, 0.3), k)
    renumbered = rng.permutation(k)
    order, cosines = matched(topics, topics[renumbered])
    assert sorted(order.tolist()) == list(range(k))
    np.testing.assert_array_equal(topics[renumbered][order], topics)
    assert (cosines == 1.0).all()
    other = rng.dirichlet(np.full(v, 0.3), k)
    order, cosines = matched(topics, other)
    back, same = matched(other, topics)
    assert sorted(order.tolist()) == list(range(k))
    assert cosines.sum() == pytest.approx(same.sum())
    assert ((cosines >= 0) & (cosines <= 1)).all()
    assert sorted(back.tolist()) == list(range(k))
