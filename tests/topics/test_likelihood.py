"""The joint, against the paper's log-gammas and against sums of logarithms."""

import math

import numpy as np
import pytest
from assigned import Assigned, assigned, histograms
from hypothesis import given
from hypothesis import strategies as st
from oracles import topics as oracle

from topminer.topics.model.histograms import Counts, Histograms, count, count_by_topic
from topminer.topics.model.likelihood import log_likelihood, rise

pytestmark = pytest.mark.small


@given(assigned())
def test_is_the_joint_of_the_paper(corpus: Assigned) -> None:
    found = histograms(corpus.documents, corpus.topics, len(corpus.alpha), corpus.n_words)
    assert log_likelihood(found, np.array(corpus.alpha), corpus.beta) == pytest.approx(
        oracle.joint(*corpus), rel=1e-11, abs=1e-11
    )


@given(st.floats(-4, 7), st.integers(0, 3000))
def test_rise_is_a_sum_of_logarithms(log10_x: float, n: int) -> None:
    x = 10**log10_x
    terms = [math.log(x + i) for i in range(n)]
    size = sum(map(abs, terms))  # the terms below 1 may cancel those above
    assert rise(x, n) == pytest.approx(math.fsum(terms), rel=1e-14, abs=1e-14 * max(size, 1))


@pytest.mark.parametrize("x", [1e-4, 0.01, 1.0, 9.999, 10.0, 10.001, 50.0])
@pytest.mark.parametrize("n", [10**5, 10**7, 10**9, 2**40])
def test_rise_to_huge_counts(x: float, n: int) -> None:
    """Here nothing cancels, and the standard library's log-gamma is good to the last digits."""
    assert rise(x, n) == pytest.approx(math.lgamma(x + n) - math.lgamma(x), rel=1e-14)


def test_rise_from_a_huge_prior() -> None:
    """The difference of two log-gammas would have lost half of its digits here."""
    x, n = 1e9, 20
    expected = math.fsum(math.log(x + i) for i in range(n))
    assert rise(x, n) == pytest.approx(expected, rel=1e-15)
    assert math.lgamma(x + n) - math.lgamma(x) != pytest.approx(expected, rel=1e-10)


def test_huge_counts_together() -> None:
    """A billion tokens of one word in one document of one topic: nothing is uncertain but the word."""
    n = np.array([10**9])
    found = Histograms(*count_by_topic(np.zeros(1, np.int32), n), count(n), count(n), n, 2)
    expected = math.lgamma(1e9 + 0.5) - math.lgamma(0.5) - math.lgamma(1e9 + 1)  # of a word out of two
    assert log_likelihood(found, np.array([0.1]), 0.5) == pytest.approx(expected, abs=1e-5)


def test_times_are_weights() -> None:
    """A corpus of a million equal documents, without its word part."""
    none = Counts(np.zeros(0, np.int64), np.zeros(0, np.int64))
    topic = np.array([0, 1], np.int32)
    doc_topic = Counts(np.array([2, 1]), np.array([10**6, 10**6]))
    lengths = Counts(np.array([3]), np.array([10**6]))
    found = Histograms(topic, doc_topic, lengths, none, np.zeros(2, np.int64), 5)
    expected = 10**6 * math.log(0.5 * 1.5 * 0.5 / (1 * 2 * 3))
    assert log_likelihood(found, np.array([0.5, 0.5]), 0.01) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("n_words", [0, 3])
def test_no_tokens_at_all(n_words: int) -> None:
    nothing = histograms([[], []], [[], []], n_topics=2, n_words=n_words)
    assert log_likelihood(nothing, np.array([0.1, 0.1]), 0.01) == 0
