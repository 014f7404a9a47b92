"""Whether other seeds find the same topics."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.evaluation.stability import matched, stability

pytestmark = pytest.mark.small


def topics(seed: int, n_topics: int, n_words: int = 30) -> NDArray[np.float64]:
    return np.random.default_rng(seed).dirichlet(np.full(n_words, 0.1), n_topics)


def cosines(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([[x @ y / np.sqrt(x @ x) / np.sqrt(y @ y) for y in b] for x in a])


@given(st.integers(0, 99), st.permutations(range(7)))
def test_permuted_topics_are_recovered(seed: int, permutation: list[int]) -> None:
    run = topics(seed, 7)
    order, similarities = matched(run[permutation], run)
    assert order.tolist() == permutation
    assert similarities.tolist() == [1.0] * 7
    assert stability([run, run[permutation], run[permutation[::-1]]]).topics == (1.0,) * 7
    single = matched(run.astype(np.float32)[permutation], run)
    assert single[0].tolist() == permutation
    assert single[1] == pytest.approx([1.0] * 7)


@given(st.integers(0, 99), st.integers(1, 5))
def test_no_other_matching_is_better(seed: int, n_topics: int) -> None:
    a, b = topics(seed, n_topics, 6), topics(seed + 100, n_topics, 6)
    order, similarities = matched(a, b)
    likeness = cosines(a, b)
    assert sorted(order.tolist()) == list(range(n_topics))
    assert similarities == pytest.approx(likeness[np.arange(n_topics), order])
    best = max(sum(likeness[k, j] for k, j in enumerate(each)) for each in permutations(range(n_topics)))
    assert similarities.sum() == pytest.approx(best)


def test_topics_are_numbered_as_in_the_first_run() -> None:
    steady, here, there = np.eye(4)[0], np.eye(4)[1], np.eye(4)[2]
    runs = [np.array([steady, here]), np.array([there, steady]), np.array([there, steady])]
    found = stability(runs)
    assert found.topics == pytest.approx((1.0, 1 / 3))  # the second is the same in one pair of three
    assert found.mean == pytest.approx(2 / 3)
    turned = stability([run[::-1] for run in runs])
    assert turned.topics == found.topics[::-1]


@given(st.integers(0, 99))
def test_the_mean_does_not_depend_on_the_order_of_runs(seed: int) -> None:
    runs = [topics(seed + i, 5) for i in range(3)]
    found = stability(runs)
    assert found.mean == pytest.approx(stability(runs[::-1]).mean)
    assert found.mean == pytest.approx(np.mean(found.topics))
    assert all(0 <= value <= 1 for value in found.topics)
    pairs = [matched(runs[i], runs[j])[1].mean() for i, j in ((0, 1), (0, 2), (1, 2))]
    assert found.mean == pytest.approx(np.mean(pairs))


def test_topics_without_words_are_like_nothing() -> None:
    run = np.array([[0.0, 0.0], [0.5, 0.5]])
    order, similarities = matched(run, run)
    assert (order.tolist(), similarities.tolist()) == ([0, 1], [0.0, 1.0])
    tiny = np.array([[1e-300, 0.0]])  # whose squares are 0
    assert stability([tiny, tiny]).mean == 1.0
    assert stability([tiny, tiny[:, ::-1]]).mean == 0.0
    assert stability([np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])]).mean == 0.0


def test_what_is_refused() -> None:
    run = topics(0, 3)
    for few in ([], [run]):
        with pytest.raises(InputError, match="two runs or more"):
            stability(few)
    with pytest.raises(InputError, match=r"\(3, 30\) and \(2, 30\)"):
        stability([run, run[:2]])
    for wrong in (np.full((3, 30), np.nan), -run, run[0]):
        with pytest.raises(InputError, match="rows of word probabilities"):
            matched(run, wrong)
    with pytest.raises(InputError, match="no topics"):
        stability([run[:0], run[:0]])
