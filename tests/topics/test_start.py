"""Chains that start from topics: each clique's topic is drawn with probability ∝ Π_j φ_k,wj."""

import math

import numpy as np
import pytest
from chains import assert_counts_follow, clique_topics, partition_of
from numpy.typing import NDArray
from oracles.topics import Document
from scipy.stats import chisquare

from topminer.topics.sampler import start as start_module
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.start import Start

pytestmark = pytest.mark.small

N_WORDS = 6
# Words 3 and 5 do not occur in the topics. Word 5 comes after all words that do.
START = Start(
    np.array([0, 1, 2, 4]),
    np.array([[9, 0, 1], [2, 5, 0], [0, 3, 3], [1, 1, 40]], np.int32),
    0.5,
)
TYPES = [(0,), (1,), (2,), (3,), (4,), (5,), (0, 1), (2, 2), (0, 1, 4), (3, 5), (1, 3), (4, 4, 0, 0, 1)]


def shares_of(clique: tuple[int, ...], start: Start) -> list[float]:
    """How likely each topic of a clique is."""
    words, weights = start.words.tolist(), []
    for k in range(start.word_topic.shape[1]):
        total = sum(start.word_topic[:, k].tolist()) + len(words) * start.beta
        phi = [(start.word_topic[words.index(w), k] if w in words else 0) + start.beta for w in clique]
        weights.append(math.prod(each / total for each in phi))
    return [weight / sum(weights) for weight in weights]


def drawn(documents: list[Document], start: Start = START, seed: int = 1, n_shards: int = 1) -> Sampler:
    """A chain that has just started. Its own prior of topics does not matter, nor does its first β."""
    n_topics = start.word_topic.shape[1]
    alpha = np.geomspace(0.01, 1, n_topics)
    sampler = Sampler.of(
        partition_of(documents, N_WORDS), n_topics, alpha, 0.07, seed=seed, n_shards=n_shards
    )
    sampler.start_from(start)
    assert sampler.beta == start.beta and np.array_equal(sampler.alpha, alpha)
    return sampler


def topics_by_type(documents: list[Document], topics: NDArray[np.int32]) -> dict[tuple[int, ...], list[int]]:
    found: dict[tuple[int, ...], list[int]] = {}
    cliques = [clique for document in documents for clique in document]
    for clique, topic in zip(cliques, topics.tolist(), strict=True):
        found.setdefault(clique, []).append(topic)
    return found


@pytest.mark.parametrize("cells", [start_module.CELLS_AT_ONCE, 7])
def test_topics_follow_the_words(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chi-square for words that are known and unknown and for phrases, some with a word twice; p > 1e-3."""
    monkeypatch.setattr(start_module, "CELLS_AT_ONCE", cells)
    documents: list[Document] = [list(TYPES) * 20 for _ in range(100)]
    found = topics_by_type(documents, clique_topics(drawn(documents)))
    for clique, topics in found.items():
        shares = np.array(shares_of(clique, START))
        seen, wanted = np.bincount(topics, minlength=3), 2000 * shares
        if wanted.min() < 5:  # the two others alone, and hardly ever the third
            common = wanted >= 5
            assert seen[~common].sum() <= 20
            if common.sum() == 1:
                continue
            seen, wanted = seen[common], wanted[common] * seen[common].sum() / wanted[common].sum()
        assert chisquare(seen, wanted).pvalue > 1e-3, clique


def test_unknown_words_know_the_sizes_of_topics_alone() -> None:
    """Only β speaks for them: the larger a topic, the less likely they are in it."""
    small, middle, large = shares_of((5,), START)
    sizes = START.word_topic.sum(axis=0)
    assert sizes.tolist() == [12, 9, 44]
    assert middle > small > large
    documents: list[Document] = [[(5,), (3,)] * 500 for _ in range(6)]
    found = np.bincount(clique_topics(drawn(documents)), minlength=3)
    assert chisquare(found, 6000 * np.array([small, middle, large])).pvalue > 1e-3


@pytest.mark.parametrize("n_shards", [1, 3])
def test_every_clique_has_a_topic_and_all_counts_follow(n_shards: int) -> None:
    documents: list[Document] = [[], list(TYPES), [(-1,), (0,)], [(4, 4, 0, 0, 1)] * 9, [(-1,)], [(5,)]]
    sampler = drawn(documents, n_shards=n_shards)
    assert_counts_follow(sampler, documents, N_WORDS)
    sampler.sweep()
    assert_counts_follow(sampler, documents, N_WORDS)


def test_the_key_decides() -> None:
    documents: list[Document] = [list(TYPES) * 20]
    same = [clique_topics(drawn(documents, seed=seed)).tolist() for seed in (3, 3, 4)]
    assert same[0] == same[1] != same[2]


def test_one_topic() -> None:
    one = Start(START.words, START.word_topic[:, :1].copy(), 0.5)
    assert set(clique_topics(drawn([list(TYPES)], one)).tolist()) == {0}


def test_topics_that_are_hardly_possible_are_not_drawn() -> None:
    """Weights are multiplied as logarithms: long phrases lose no topic, and get none that is impossible."""
    counts = np.zeros((4, 3), np.int32)
    counts[2, 0] = counts[0, 1] = counts[1, 2] = 10**9
    sure = Start(START.words, counts, 1e-4)
    documents: list[Document] = [[(0,) * 60, (1,) * 60, (0,), (1,)] * 5]
    assert clique_topics(drawn(documents, sure)).tolist() == [1, 2, 1, 2] * 5
