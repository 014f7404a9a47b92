"""Which topics are merged: losses against the joint likelihood before and after, then pairs by loss."""

import itertools

import numpy as np
import pytest
from assigned import Assigned, assigned, histograms
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from topminer.topics.model.likelihood import log_likelihood
from topminer.topics.number.merging import PAIRS_AT_ONCE, merge_losses, similar_pairs, topics_to_merge

pytestmark = pytest.mark.small

Tables = tuple[sparse.csc_array, sparse.csc_array]


def tables_of(corpus: Assigned) -> Tables:
    """Tokens of words and of documents in topics."""
    n_topics = len(corpus.alpha)
    words = np.zeros((corpus.n_words, n_topics))
    documents = np.zeros((len(corpus.documents), n_topics))
    for d, (cliques, topics) in enumerate(zip(corpus.documents, corpus.topics, strict=True)):
        for clique, k in zip(cliques, topics, strict=True):
            documents[d, k] += len(clique)
            np.add.at(words[:, k], list(clique), 1)
    return sparse.csc_array(words), sparse.csc_array(documents)


def joint(corpus: Assigned) -> float:
    found = histograms(corpus.documents, corpus.topics, len(corpus.alpha), corpus.n_words)
    return log_likelihood(found, np.array(corpus.alpha), corpus.beta)


def merged(corpus: Assigned, first: int, second: int) -> Assigned:
    """The same with one topic less: ``second`` becomes ``first``, and so does its prior."""
    alpha = list(corpus.alpha)
    alpha[first] += alpha[second]
    del alpha[second]
    number = [k if k < second else first if k == second else k - 1 for k in range(len(corpus.alpha))]
    topics = [[number[k] for k in row] for row in corpus.topics]
    return corpus._replace(topics=topics, alpha=alpha)


@given(assigned(max_cliques=8))
def test_a_loss_is_what_the_joint_loses(corpus: Assigned) -> None:
    words, documents = tables_of(corpus)
    pairs = np.array(list(itertools.combinations(range(len(corpus.alpha)), 2)), np.int64).reshape(-1, 2)
    found = merge_losses(words, documents, np.array(corpus.alpha), corpus.beta, pairs[:, 0], pairs[:, 1])
    before = joint(corpus)
    expected = [before - joint(merged(corpus, *pair)) for pair in pairs.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def random_tables(n_topics: int, seed: int = 0) -> Tables:
    rng = np.random.default_rng(seed)
    word_topic = rng.multinomial(200, rng.dirichlet(np.full(30, 0.3), n_topics)).T
    documents = rng.multinomial(word_topic.sum(axis=0), np.full(25, 1 / 25)).T
    return sparse.csc_array(word_topic.astype(float)), sparse.csc_array(documents.astype(float))


def losses_of_all(tables: Tables, alpha: NDArray[np.float64], beta: float) -> dict[tuple[int, int], float]:
    pairs = list(itertools.combinations(range(alpha.size), 2))
    first, second = np.array(pairs).T
    return dict(zip(pairs, merge_losses(*tables, alpha, beta, first, second).tolist(), strict=True))


def test_many_pairs_are_as_each_alone() -> None:
    tables, alpha = random_tables(30), np.full(30, 0.1)
    every = losses_of_all(tables, alpha, 0.05)
    assert len(every) > PAIRS_AT_ONCE
    for pair in list(every)[::29]:
        first, second = np.array([[pair[0]], [pair[1]]])
        alone = merge_losses(*tables, alpha, 0.05, first, second)
        assert alone[0] == pytest.approx(every[pair], rel=1e-12)
        other = merge_losses(*tables, alpha, 0.05, second, first)
        assert other[0] == pytest.approx(every[pair], rel=1e-9)


@given(st.integers(2, 9), st.integers(1, 5), st.integers(0, 1000))
def test_pairs_are_taken_by_loss_and_each_topic_once(n_topics: int, n: int, seed: int) -> None:
    """With nine topics or fewer, all pairs are looked at."""
    tables, rng = random_tables(n_topics, seed), np.random.default_rng(seed)
    alpha = rng.uniform(0.01, 1, n_topics)
    losses = losses_of_all(tables, alpha, 0.05)
    tokens = tables[0].sum(axis=0)
    expected, used = list(range(n_topics)), set[int]()
    for first, second in sorted(losses, key=lambda pair: losses[pair]):
        if len(used) < 2 * n and not used & {first, second}:
            used |= {first, second}
            # All have 200 tokens: of equal ones, the later is given up.
            assert tokens[first] == tokens[second]
            expected[second] = first
    assert topics_to_merge(*tables, alpha, 0.05, n).tolist() == expected


@given(assigned(max_cliques=8), st.integers(1, 4))
def test_the_smaller_topic_is_given_up(corpus: Assigned, n: int) -> None:
    """No topic above the mean is given up, and pairs are taken as long as there are any."""
    words, documents = tables_of(corpus)
    n_topics, tokens = len(corpus.alpha), words.sum(axis=0)
    becomes = topics_to_merge(words, documents, np.array(corpus.alpha), corpus.beta, n)
    given_up = np.flatnonzero(becomes != np.arange(n_topics))
    most = min(n, n_topics // 2)
    assert min(1, most) <= given_up.size <= most
    for k in given_up.tolist():
        heir = int(becomes[k])
        assert becomes[heir] == heir
        assert (tokens[k], -k) < (tokens[heir], -heir)
        assert tokens[k] * n_topics <= tokens.sum()
    assert np.unique(becomes[given_up]).size == given_up.size
    if given_up.size < most:
        unpaired = np.setdiff1d(np.arange(n_topics), [*given_up, *becomes[given_up]])
        assert (tokens[unpaired] * n_topics > tokens.sum()).all()


@pytest.mark.parametrize("others, expected", [([10, 10], [0, 1, 2, 2]), ([10, 400], [0, 0, 2, 3])])
def test_a_topic_above_the_mean_stays(others: list[int], expected: list[int]) -> None:
    """Topics 0 and 1 are alike and have 60 tokens each. Only if a larger topic raises the mean, one goes."""
    words = np.zeros((12, 4))
    words[:6, :2] = 10
    words[6:9, 2], words[6:, 3] = others[0] / 3, others[1] / 6
    documents = np.zeros((30, 4))
    documents[:10, :2] = 6
    documents[10:15, 2], documents[15:, 3] = others[0] / 5, others[1] / 15
    tables, alpha = (sparse.csc_array(words), sparse.csc_array(documents)), np.full(4, 0.1)
    losses = losses_of_all(tables, alpha, 0.05)
    assert min(losses, key=lambda pair: losses[pair]) == (0, 1)
    assert topics_to_merge(*tables, alpha, 0.05, 1).tolist() == expected


def test_parts_of_one_topic_come_before_topics_that_share_words() -> None:
    """Topics 0 and 1 stand in the same documents, 2 and 3 in different ones, with words just as similar."""
    words = np.zeros((12, 4))
    words[:6, :2] = words[6:, 2:] = 10
    documents = np.zeros((30, 4))
    documents[:10, :2] = 6
    documents[10:20, 2] = documents[20:, 3] = 6
    tables = sparse.csc_array(words), sparse.csc_array(documents)
    losses = losses_of_all(tables, np.full(4, 0.1), 0.05)
    assert min(losses, key=lambda pair: losses[pair]) == (0, 1)
    assert losses[0, 1] < losses[2, 3] < losses[0, 2]
    assert topics_to_merge(*tables, np.full(4, 0.1), 0.05, 1).tolist() == [0, 0, 2, 3]


def test_one_topic_alone_stays() -> None:
    words, documents = sparse.csc_array([[3.0], [1.0]]), sparse.csc_array([[4.0]])
    assert [each.tolist() for each in similar_pairs(words, documents)] == [[], []]
    assert topics_to_merge(words, documents, np.ones(1), 0.1, 3).tolist() == [0]


def test_equal_topics_tie_and_the_first_pair_is_taken() -> None:
    words, documents = sparse.csc_array(np.full((3, 4), 2.0)), sparse.csc_array(np.full((2, 4), 3.0))
    assert topics_to_merge(words, documents, np.full(4, 0.5), 0.1, 1).tolist() == [0, 0, 2, 3]
    assert topics_to_merge(words, documents, np.full(4, 0.5), 0.1, 2).tolist() == [0, 0, 2, 2]


def test_pairs_are_similar_by_words_or_by_documents() -> None:
    """Each pair once, the smaller number first; of many topics, the nearest eight of each table."""
    tables = random_tables(40, seed=3)
    first, second = similar_pairs(*tables)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs) and (first < second).all()
    expected = set()
    for table in tables:
        rows = table.toarray().T
        cosine = rows @ rows.T / np.outer(*[np.linalg.norm(rows, axis=1)] * 2)
        np.fill_diagonal(cosine, -1)
        for k, row in enumerate(cosine):
            expected |= {(min(k, o), max(k, o)) for o in np.argsort(-row, kind="stable")[:8].tolist()}
    assert set(pairs) == expected
