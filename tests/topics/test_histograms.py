"""Counts of counts, against collections.Counter."""

from collections import Counter

import numpy as np
import pytest
from assigned import Assigned, assigned, histograms
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from oracles import topics as oracle

from topminer.topics.model.histograms import Counts, Histograms, add, count, count_by_topic

pytestmark = pytest.mark.small

# Around the bound between bins and sorting, and far beyond.
numbers = st.integers(0, 9) | st.integers(250, 260) | st.integers(0, 2**31 - 1)


def pairs(counts: Counts) -> list[tuple[int, int]]:
    return list(zip(counts.n.tolist(), counts.times.tolist(), strict=True))


@given(st.lists(numbers), st.sampled_from([np.int32, np.int64, np.uint32]))
def test_counts_every_value_but_zero(values: list[int], dtype: type[np.integer]) -> None:
    found = count(np.array(values, dtype))
    assert pairs(found) == sorted(Counter(value for value in values if value).items())
    assert found.n.dtype == found.times.dtype == np.int64


@given(st.lists(st.tuples(st.integers(0, 5), numbers)))
def test_counts_by_topic(drawn: list[tuple[int, int]]) -> None:
    topics, values = np.array(drawn, np.int64).reshape(-1, 2).T
    topic, found = count_by_topic(topics.astype(np.int32), values)
    expected = sorted(Counter((k, n) for k, n in drawn if n).items())
    assert [((k, n), t) for k, (n, t) in zip(topic.tolist(), pairs(found), strict=True)] == expected
    assert topic.dtype == np.int32


def test_tables_and_small_integers() -> None:
    table = np.array([[0, 1, 255], [1, 0, 200]], np.uint8)
    assert pairs(count(table)) == [(1, 2), (200, 1), (255, 1)]
    assert pairs(count(table.T)) == [(1, 2), (200, 1), (255, 1)]


def test_counts_far_beyond_32_bits() -> None:
    topic, found = count_by_topic(np.array([7, 7, 0], np.int32), np.array([2**39, 1, 2**39]))
    assert topic.tolist() == [0, 7, 7]
    assert pairs(found) == [(2**39, 1), (1, 1), (2**39, 1)]


@given(assigned())
def test_nothing_is_lost(corpus: Assigned) -> None:
    """Every one of the histograms adds up to the tokens."""
    tokens = sum(len(clique) for document in corpus.documents for clique in document)
    found = histograms(corpus.documents, corpus.topics, len(corpus.alpha), corpus.n_words)
    for counts in (found.doc_topic, found.doc_length, found.word_topic):
        assert (counts.n * counts.times).sum() == tokens
    of_topic = np.zeros(len(corpus.alpha), np.int64)
    np.add.at(of_topic, found.topic, found.doc_topic.n * found.doc_topic.times)
    assert_array_equal(of_topic, found.n_k)


@given(assigned(), assigned())
def test_parts_add_up(one: Assigned, other: Assigned) -> None:
    """Two parts without a common document or word: the other's words get ids of their own."""
    n_topics, n_words = 4, one.n_words + other.n_words
    moved = [
        [tuple(word + one.n_words for word in clique) for clique in document] for document in other.documents
    ]
    parts = [
        histograms(documents, topics, n_topics, n_words)
        for documents, topics in ((one.documents, one.topics), (moved, other.topics))
    ]
    whole = histograms(one.documents + moved, one.topics + other.topics, n_topics, n_words)
    for together in (add(*parts), add(*reversed(parts))):
        assert_same(together, whole)


def assert_same(a: Histograms, b: Histograms) -> None:
    assert_array_equal(a.topic, b.topic)
    assert a.topic.dtype == b.topic.dtype
    for one, other in zip(
        (*a.doc_topic, *a.doc_length, *a.word_topic, a.n_k),
        (*b.doc_topic, *b.doc_length, *b.word_topic, b.n_k),
        strict=True,
    ):
        assert_array_equal(one, other)
        assert one.dtype == other.dtype == np.int64
    assert a.n_words == b.n_words


def test_no_tokens_at_all() -> None:
    nothing = histograms([[], []], [[], []], n_topics=2, n_words=0)
    assert nothing.topic.size == nothing.doc_topic.n.size == nothing.doc_length.n.size == 0
    assert_same(add(nothing, nothing), nothing)


def test_worked_example() -> None:
    documents, topics = [[(0, 1), (0,)], [(0,), (0,), (0,)]], [[0, 1], [0, 0, 0]]
    assert oracle.tables(documents, topics).in_document == {(0, 0): 2, (0, 1): 1, (1, 0): 3}
    found = histograms(documents, topics, n_topics=2, n_words=9)
    assert (found.topic.tolist(), pairs(found.doc_topic)) == ([0, 0, 1], [(2, 1), (3, 1), (1, 1)])
    assert pairs(found.doc_length) == [(3, 2)]
    assert pairs(found.word_topic) == [(1, 2), (4, 1)]
    assert (found.n_k.tolist(), found.n_words) == ([5, 1], 9)
