"""Held-out perplexity: where documents are cut, which words are scored, and how."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from chains import partition_of
from hypothesis import given
from hypothesis import strategies as st
from oracles.topics import Document, completion_perplexity
from test_fold_in import Model

from topminer import Partition
from topminer.errors import InputError
from topminer.topics.results.fold_in import fold_in
from topminer.topics.results.held_out import HeldOut, hold_out, perplexity

pytestmark = pytest.mark.small

documents = st.lists(
    st.lists(st.lists(st.integers(-1, 5), min_size=1, max_size=5).map(tuple), max_size=7), max_size=6
)


def score(model: Model, held_out: HeldOut, **options: Any) -> float:
    return perplexity(held_out, model.word_topic, model.tokens, model.alpha, model.beta, **options)


def cuts_of(held_out: HeldOut) -> list[int]:
    """How many tokens the first part of each document has."""
    return (held_out.token_cut - held_out.partition.corpus.doc_start[:-1]).tolist()


@given(documents)
def test_no_boundary_is_nearer_and_of_two_the_earlier_is_taken(documents: list[Document]) -> None:
    held_out = hold_out(partition_of(documents, 6))
    for document, cut in zip(documents, cuts_of(held_out), strict=True):
        boundaries = np.cumsum([0, *map(len, document)])
        distances = abs(2 * boundaries - boundaries[-1])
        assert cut == boundaries[distances.argmin()]


@given(documents)
def test_words_cut_like_phrases_score_the_same_words(documents: list[Document]) -> None:
    phrases = partition_of(documents, 6)
    words = Partition.of_words(phrases.corpus)
    for of_phrases, of_words in zip(
        hold_out(phrases).scored(), hold_out(words, phrases).scored(), strict=True
    ):
        np.testing.assert_array_equal(of_phrases, of_words)
    assert cuts_of(hold_out(phrases)) == cuts_of(hold_out(words, like=phrases))


def test_what_is_scored() -> None:
    held_out = hold_out(partition_of([[(0, 1), (2,), (-1,), (3, 4)], [], [(5,), (0,)]], 6))
    words, of = held_out.scored()
    assert words.tolist() == [3, 4, 0]
    assert of.tolist() == [0, 0, 2]


def test_phrases_cannot_be_cut_like_words_or_like_another_corpus() -> None:
    phrases = partition_of([[(0,), (1, 2, 3)]], 6)
    with pytest.raises(InputError, match="falls into a phrase"):
        hold_out(phrases, like=Partition.of_words(phrases.corpus))
    with pytest.raises(InputError, match="same corpus"):
        hold_out(partition_of([[(0,)]], 6), like=partition_of([[(1,)]], 6))


def test_worked_example() -> None:
    """One topic: theta is 1, phi is (1.1, 3.1, 0.1 ...) / 4.6; the second halves are the words 1 and 0, 0."""
    model = Model(1)
    model.word_topic[:, 0] = [1, 3, 0, 0, 0, 0]
    model.tokens = np.array([4])
    found = score(model, hold_out(partition_of([[(2,), (1,)], [(4, 5), (0, 0)]], 6)))
    assert found == pytest.approx((3.1 / 4.6 * (1.1 / 4.6) ** 2) ** (-1 / 3), rel=1e-6)
    assert math.log2(found) == pytest.approx(-math.log2(3.1 * 1.1**2 / 4.6**3) / 3, rel=1e-6)


def test_first_part_is_empty() -> None:
    """A document of one clique is scored by the prior."""
    model = Model(3)
    theta = [(model.alpha / model.alpha.sum()).tolist()]
    expected = completion_perplexity(theta, model.phi.T.tolist(), [[2, 3]])
    assert score(model, hold_out(partition_of([[(2, 3)]], 6))) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n_topics", [2, 20, 400])
def test_is_the_completion_perplexity_of_folded_in_halves(n_topics: int) -> None:
    corpus: list[Document] = [[(0, 1), (2,), (3,), (3, 4)], [(5,), (-1,), (0,), (1,)], [], [(1,)] * 9]
    model, partition = Model(n_topics), partition_of(corpus, 6)
    settings = {"n_sweeps": 6, "burn_in": 2, "seed": 5}
    held_out = hold_out(partition)
    halves = partition_of(
        [
            document[: cut - start]
            for document, cut, start in zip(corpus, held_out.cut, partition.doc_start[:-1], strict=True)
        ],
        6,
    )
    theta = fold_in(halves, model.word_topic, model.tokens, model.alpha, model.beta, **settings).doc_topic
    words, of = held_out.scored()
    scored = [words[of == d].tolist() for d in range(len(corpus))]
    expected = completion_perplexity(theta.tolist(), model.phi.T.tolist(), scored)
    assert score(model, held_out, **settings) == pytest.approx(expected, rel=1e-6)


def test_threads_and_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    partition = partition_of([[(int(w),) for w in random.integers(-1, 6, n)] for n in range(30)], 6)
    model, settings = Model(20), {"n_sweeps": 3, "burn_in": 1}
    once = score(model, hold_out(partition), **settings)
    monkeypatch.setattr("topminer.topics.results.fold_in.MAX_TOKENS", 40)
    blockwise = score(model, hold_out(partition), **settings)
    assert score(model, hold_out(partition), n_threads=3, **settings) == blockwise
    assert blockwise == pytest.approx(once, rel=1e-12)


def test_true_topics_are_less_perplexed_than_none() -> None:
    """Documents of one topic each: the first half tells which."""
    model = Model(2)
    model.word_topic[:] = [[100, 0]] * 3 + [[0, 100]] * 3
    model.tokens = model.word_topic.sum(axis=0, dtype=np.int64)
    held_out = hold_out(partition_of([[(0,), (1,), (2,), (0,)] * 3, [(3,), (4,), (5,), (3,)] * 3] * 5, 6))
    assert 3 < score(model, held_out, n_sweeps=20, burn_in=5) < 4


@pytest.mark.parametrize("corpus", [[], [[]], [[(0,), (-1,)]], [[(-1,)], []]])
def test_no_words_to_score(corpus: list[Document]) -> None:
    with pytest.raises(InputError, match="no words to score"):
        score(Model(2), hold_out(partition_of(corpus, 6)))


def test_progress_reaches_the_end() -> None:
    reports: list[tuple[Any, ...]] = []
    held_out = hold_out(partition_of([[(0,), (1,)]] * 3, 6))
    score(Model(2), held_out, progress=lambda *report: reports.append(report))
    assert reports[-1] == ("scoring documents", 3, 3, "documents")
    assert all(earlier[1] <= later[1] for earlier, later in pairwise(reports))
