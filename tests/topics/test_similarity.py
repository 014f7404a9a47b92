"""Distances of topics, and the places they give them, against sums written out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from topminer.topics.results import similarity as distances
from topminer.topics.results.similarity import places, similarities

pytestmark = pytest.mark.small


def topics(n_topics: int, n_words: int, seed: int = 0) -> NDArray[np.float64]:
    return np.random.default_rng(seed).dirichlet(np.full(n_words, 0.1), n_topics)


def hellinger(one: list[float], other: list[float]) -> float:
    return math.sqrt(sum((math.sqrt(p) - math.sqrt(q)) ** 2 for p, q in zip(one, other, strict=True)) / 2)


def between(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.hypot(*(points[:, None] - points).transpose(2, 0, 1))


@given(st.integers(1, 6), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_similarities_are_those_of_the_definition(n_topics: int, n_words: int, seed: int) -> None:
    words = topics(n_topics, n_words, seed)
    found = similarities(words)
    assert similarities(words.astype(np.float32)).dtype == np.float64
    for i, one in enumerate(words.tolist()):
        for j, other in enumerate(words.tolist()):
            assert found[i, j] == pytest.approx(1 - hellinger(one, other), abs=2e-6)
    assert np.array_equal(found, found.T)
    assert (found.diagonal() == 1).all()
    assert ((found >= 0) & (found <= 1)).all()


def test_similarities_do_not_depend_on_the_block(monkeypatch) -> None:
    words = topics(7, 100)
    whole = similarities(words)
    for block in (1, 7, 50, 699):
        monkeypatch.setattr(distances, "BLOCK", block)
        assert similarities(words) == pytest.approx(whole, abs=1e-12)


@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_places_are_exact_where_a_plane_is_enough(n_topics: int, seed: int) -> None:
    points = np.random.default_rng(seed).uniform(0, 0.7, (n_topics, 2))
    distance = between(points)
    assert between(places(1 - distance)) == pytest.approx(distance, abs=1e-5)


@pytest.mark.parametrize("n_topics", [1, 2, 3, 50, 500])
def test_places_of_any_number_of_topics(n_topics: int) -> None:
    similarity = similarities(topics(n_topics, 40))
    found = places(similarity)
    assert found.shape == (n_topics, 2)
    assert np.isfinite(found).all()
    assert found.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert np.array_equal(found, places(similarity))


def test_places_are_never_mirrored() -> None:
    """Whoever computes the eigenvectors may turn them around: the largest coordinate says which way is up."""
    for seed in range(20):
        for column in places(similarities(topics(9, 30, seed))).T:
            assert column[np.abs(column).argmax()] > 0


def test_identical_topics_have_one_place() -> None:
    words = np.tile(topics(1, 1000), (30, 1))
    assert (similarities(words) == 1).all()
    assert (places(similarities(words)) == 0).all()


def test_identical_topics_among_others() -> None:
    words = topics(5, 30)[[0, 1, 1, 2, 3, 4]]
    found = places(similarities(words))
    assert found[1] == pytest.approx(found[2], abs=1e-6)
