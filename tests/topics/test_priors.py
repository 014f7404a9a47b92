"""Minka's fixed point, against loops over documents, known truths and the corners of corpora."""

import math

import numpy as np
import pytest
from assigned import Assigned, assigned, histograms
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import topics as oracle
from scipy.special import digamma

from topminer.topics.model.histograms import Histograms, count, count_by_topic
from topminer.topics.model.likelihood import log_likelihood
from topminer.topics.model.priors import LEAST_ALPHA, LEAST_BETA, MOST_ALPHA, MOST_BETA, optimize, rise

pytestmark = pytest.mark.small

counts = st.integers(0, 9) | st.integers(0, 2**35)


def of_counts(doc_topic: NDArray[np.int64], word_topic: NDArray[np.int64]) -> Histograms:
    """From full tables (documents, topics) and (words, topics)."""
    documents, topics = np.nonzero(doc_topic)
    return Histograms(
        *count_by_topic(topics, doc_topic[documents, topics]),
        count(doc_topic.sum(axis=1)),
        count(word_topic),
        word_topic.sum(axis=0),
        len(word_topic),
    )


def within_bounds(alpha: NDArray[np.float64], beta: float) -> bool:
    return bool(np.all((alpha >= LEAST_ALPHA) & (alpha <= MOST_ALPHA))) and LEAST_BETA <= beta <= MOST_BETA


@given(assigned(), st.integers(1, 4))
def test_steps_as_minka_has_them(corpus: Assigned, n_steps: int) -> None:
    assume(any(corpus.documents))
    documents, topics, alpha, beta, n_words = corpus
    found = histograms(documents, topics, len(alpha), n_words)
    given = np.array(alpha)
    found_alpha, found_beta = optimize(found, given, beta, n_steps)
    assert given.tolist() == alpha
    for _ in range(n_steps):
        new_alpha, new_beta = oracle.minka(documents, topics, alpha, beta, n_words)
        alpha = np.clip(new_alpha, LEAST_ALPHA, MOST_ALPHA).tolist()
        beta = min(max(new_beta, LEAST_BETA), MOST_BETA)
    np.testing.assert_allclose(found_alpha, alpha, rtol=1e-9)
    assert found_beta == pytest.approx(beta, rel=1e-9)


@given(assigned())
def test_no_step_lowers_the_likelihood(corpus: Assigned) -> None:
    found = histograms(corpus.documents, corpus.topics, len(corpus.alpha), corpus.n_words)
    alpha, beta = np.array(corpus.alpha), corpus.beta
    before = log_likelihood(found, alpha, beta)
    for _ in range(10):
        alpha, beta = optimize(found, alpha, beta, n_steps=1)
        after = log_likelihood(found, alpha, beta)
        assert after >= before - 1e-9 * abs(before)
        before = after


def test_finds_the_truth() -> None:
    """Counts drawn from known Dirichlets, unequal ones over topics."""
    rng = np.random.default_rng(0)
    true_alpha, true_beta = np.array([1.2, 0.05, 0.4, 0.1]), 0.05
    theta = rng.dirichlet(true_alpha, 5000)
    doc_topic = rng.multinomial(rng.poisson(80, 5000), theta)
    phi = rng.dirichlet(np.full(2000, true_beta), 4)
    word_topic = rng.multinomial(doc_topic.sum(axis=0), phi).T
    found = of_counts(doc_topic, word_topic)
    alpha, beta = optimize(found, np.full(4, 5.0), 1.0, n_steps=200)
    np.testing.assert_allclose(alpha, true_alpha, rtol=0.06)
    assert beta == pytest.approx(true_beta, rel=0.05)
    again = optimize(found, alpha, beta, n_steps=200)
    np.testing.assert_allclose(again[0], alpha, rtol=1e-4)
    assert again[1] == pytest.approx(beta, rel=1e-6)
    fits = np.full(4, 5.0), 1.0
    for _ in range(10):  # a chain has ten fits in 100 sweeps
        fits = optimize(found, *fits)
    np.testing.assert_allclose(fits[0], alpha, rtol=1e-9)
    assert fits[1] == pytest.approx(beta, rel=1e-9)


def test_a_topic_that_nobody_uses_keeps_a_little() -> None:
    found = histograms([[(0,), (1,)], [(1,)]], [[0, 2], [2]], n_topics=4, n_words=2)
    alpha, _ = optimize(found, np.full(4, 0.5), 0.1)
    assert alpha[1] == alpha[3] == LEAST_ALPHA
    assert alpha[0] > LEAST_ALPHA


def test_equal_documents_and_equal_topics_stop_at_the_upper_bounds() -> None:
    """Their likeliest priors are infinite."""
    found = of_counts(np.full((50, 2), 1000), np.full((5, 2), 10_000))
    alpha, beta = optimize(found, np.array([1.0, 1.0]), 0.1, n_steps=5000)
    assert alpha.tolist() == [MOST_ALPHA] * 2
    assert beta == MOST_BETA


def test_sure_documents_stop_at_the_lower_bound() -> None:
    """One topic a document, one word a topic: the likeliest priors are zero."""
    found = of_counts(np.diag([10**9] * 3), np.diag([10**9] * 3))
    alpha, beta = optimize(found, np.full(3, 1.0), 0.1, n_steps=5000)
    assert alpha.tolist() == [LEAST_ALPHA] * 3
    assert beta == LEAST_BETA


@pytest.mark.parametrize("documents", [[], [[], []]])
@pytest.mark.parametrize("n_words", [0, 3])
def test_no_tokens_at_all(documents: list[oracle.Document], n_words: int) -> None:
    nothing = histograms(documents, [[] for _ in documents], n_topics=2, n_words=n_words)
    alpha, beta = optimize(nothing, np.array([0.1, 500.0]), 0.01)
    assert alpha.tolist() == [0.1, 500.0]
    assert beta == 0.01


def test_documents_of_one_token_say_nothing_of_the_sum() -> None:
    found = histograms([[(0,)], [(1,)], [(1,)], [(1,)]], [[0], [1], [1], [1]], n_topics=2, n_words=2)
    alpha, beta = optimize(found, np.array([0.7, 0.3]), 0.1)
    np.testing.assert_allclose(alpha, [0.25, 0.75])
    assert within_bounds(alpha, beta)


def test_one_topic_and_one_word_say_nothing() -> None:
    found = histograms([[(0, 0), (0,)], [(0,)]], [[0, 0], [0]], n_topics=1, n_words=1)
    alpha, beta = optimize(found, np.array([0.3]), 0.1)
    assert alpha.tolist() == [0.3]
    assert beta == 0.1


@given(
    st.lists(st.tuples(counts, counts), min_size=1, max_size=5), st.floats(1e-9, 1e9), st.floats(1e-9, 1e9)
)
def test_always_numbers_within_bounds(rows: list[tuple[int, int]], alpha: float, beta: float) -> None:
    table = np.array(rows)
    assume(table.any())
    assert within_bounds(*optimize(of_counts(table, table), np.full(2, alpha), beta, n_steps=5))


@given(st.floats(-4, 7), st.integers(0, 3000))
def test_rise_is_a_sum_of_reciprocals(log10_x: float, n: int) -> None:
    x = 10**log10_x
    assert rise(x, n) == pytest.approx(math.fsum(1 / (x + i) for i in range(n)), rel=1e-13)


@given(st.floats(-4, 2), st.integers(0, 10**9) | st.integers(0, 100))
def test_rise_as_scipy_has_it(log10_x: float, n: int) -> None:
    x = 10**log10_x
    assert rise(x, n) == pytest.approx(digamma(x + n) - digamma(x), rel=1e-13, abs=1e-13)
