"""Topics to start a chain with: as many as wanted, the planted ones, and the same every time."""

import numpy as np
import pytest
from corpora import corpus_of, many_topics

from topminer import Partition
from topminer.topics.number.selection import Rows, Selection, Settings, select
from topminer.topics.number.starts import (
    N_STEPS,
    STAGE,
    factorised_start,
    nonnegative_vectors,
    word_counts,
)

SETTINGS = Settings(beta=0.01, seed=3)


def all_of(partition: Partition) -> Selection:
    """Every document is sampled; none is held out."""
    return select(partition, Rows(np.arange(len(partition)), np.zeros(0, np.int64)))


@pytest.mark.parametrize("n_topics", [1, 3, 7, 50])
def test_there_are_as_many_topics_as_wanted(n_topics: int) -> None:
    corpus = many_topics(3, 40)
    start = factorised_start(all_of(Partition.of_words(corpus)), n_topics, SETTINGS)
    sizes = start.word_topic.sum(axis=0)
    assert sizes.shape == (n_topics,)
    assert start.word_topic.shape[0] == start.words.size
    assert start.word_topic.min() >= 0
    assert np.array_equal(sizes, np.sort(sizes)[::-1])
    assert sizes.sum() == pytest.approx(corpus.n_tokens, rel=0.05)  # each count is rounded


def test_without_words_topics_are_empty() -> None:
    partition = Partition.of_words(corpus_of([["a", "b"], []]))
    start = factorised_start(select(partition, Rows(np.array([1]), np.array([0]))), 4, SETTINGS)
    assert start.word_topic.shape == (2, 4)
    assert not start.word_topic.any()


def test_each_planted_topic_becomes_a_topic() -> None:
    corpus = many_topics(12, 400)
    topic_of = np.array([int(stem[1:].split("x")[0]) for stem in corpus.vocabulary["stem"]])
    start = factorised_start(all_of(Partition.of_words(corpus)), 12, SETTINGS)
    table = np.zeros((12, 12))
    np.add.at(table, topic_of[start.words], start.word_topic)
    assert set(table.argmax(axis=0)) == set(range(12))
    assert np.all(table.max(axis=0) > 0.8 * table.sum(axis=0))


def test_the_same_for_any_seed_and_number_of_threads() -> None:
    selection = all_of(Partition.of_words(many_topics(5, 120)))
    start = factorised_start(selection, 5, SETTINGS)
    again = factorised_start(selection, 5, Settings(0.01, 8, n_threads=3))
    assert all(np.array_equal(a, b) for a, b in zip(start, again, strict=True))


def test_words_are_counted_by_document() -> None:
    selection = all_of(Partition.of_words(corpus_of([["a", "b", "a"], [], ["b"]])))
    assert word_counts(selection).toarray().tolist() == [[2, 1], [0, 0], [0, 1]]


def test_vectors_are_those_of_the_singular_value_decomposition() -> None:
    counts = word_counts(all_of(Partition.of_words(many_topics(4, 60))))
    documents, words = nonnegative_vectors(counts, 4)
    u, values, v = np.linalg.svd(counts.toarray(), full_matrices=False)
    assert documents[:, 0] == pytest.approx(np.sqrt(values[0]) * np.abs(u[:, 0]), abs=1e-4)
    assert words[:, 0] == pytest.approx(np.sqrt(values[0]) * np.abs(v[0]), abs=1e-4)
    for k in range(4):
        parts = [np.maximum(sign * v[k], 0) for sign in (1, -1)]
        cosines = [part @ words[:, k] / np.linalg.norm(part) for part in parts if part.any()]
        assert max(cosines) == pytest.approx(np.linalg.norm(words[:, k]), rel=1e-2)


def test_progress_is_reported() -> None:
    seen: list[tuple[str, int, int | None]] = []
    factorised_start(
        all_of(Partition.of_words(many_topics(2, 20))),
        2,
        SETTINGS,
        lambda stage, done, total, unit, note="": seen.append((stage, done, total)),
    )
    assert seen == [(STAGE, n, N_STEPS) for n in range(1, N_STEPS + 1)]
