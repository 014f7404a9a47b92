"""Held-out perplexity along the sweeps."""

import numpy as np
import pytest
from corpora import two_topics
from hypothesis import given
from hypothesis import strategies as st

from topminer import Corpus, Partition, PhraseLDA, PhraseMiner
from topminer.errors import InputError
from topminer.evaluation.perplexity import curves, held_out_documents, perplexity_curves, split


@pytest.fixture(scope="module")
def partition() -> Partition:
    return PhraseMiner(min_support=3, significance=2.0).fit_transform(two_topics(200, 8))


@given(st.integers(2, 400), st.sampled_from([0.5, 0.2, 0.1]), st.integers(0, 5))
@pytest.mark.small
def test_of_every_so_many_documents_one_is_held_out(n: int, share: float, seed: int) -> None:
    size = round(1 / share)
    if n < size:
        with pytest.raises(InputError, match=f"too few to hold one in {size} out"):
            held_out_documents(n, seed, share)
        return
    chosen = held_out_documents(n, seed, share)
    assert (chosen // size).tolist() == list(range(n // size))


@pytest.mark.small
def test_documents_that_come_in_turns_are_not_held_out_in_turns() -> None:
    assert set((held_out_documents(1000, 0) % 10).tolist()) == set(range(10))


def test_one_document_in_ten_is_held_out_and_words_are_identical(partition: Partition) -> None:
    documents = split(partition, 3)
    assert len(documents.phrases) == len(documents.words) == 180
    held = documents.held_words.partition.corpus
    assert held.to_lists() == [partition.corpus.to_lists()[i] for i in held_out_documents(200, 3)]
    for one, other in zip(documents.held_words.scored(), documents.held_phrases.scored(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_perplexity_falls_to_what_two_plain_topics_leave_open(partition: Partition) -> None:
    lda = PhraseLDA(2, alpha=0.01, n_sweeps=60, optimize_interval=0, random_state=1)
    phrase_lda, words = curves(split(partition, 0), lda)
    assert (phrase_lda.model, words.model) == ("PhraseLDA", "LDA")
    assert [sweep for sweep, _ in words.points] == [5, 10, 20, 30, 50, 60]
    # A topic has eleven words, all equally frequent: with its topic known, a word is one of eleven.
    assert 10.7 < words.points[-1][1] < 11.4
    assert 10.7 < phrase_lda.points[-1][1] < 11.4


def test_as_plain_numbers(partition: Partition) -> None:
    found = perplexity_curves(partition, PhraseLDA(2, n_sweeps=5, random_state=0), 0)
    assert found is not None
    assert found["held_out"] == 20
    assert found["words"] == split(partition, 0).held_phrases.scored()[0].size
    assert [curve["model"] for curve in found["curves"]] == ["PhraseLDA", "LDA"]


def test_too_few_documents_to_hold_one_out_or_to_learn_from_or_to_score() -> None:
    few = Partition.of_words(Corpus.from_texts(["apple pear plum"] * 9))
    with pytest.raises(InputError, match="9 documents are too few"):
        split(few, 0)
    assert perplexity_curves(few, PhraseLDA(2, n_sweeps=2, random_state=0), 0) is None
    long, empty = ["apple pear plum"] * 9, ["the"]
    (held,) = held_out_documents(10, 0)
    nothing_to_score = Partition.of_words(Corpus.from_texts([*long[:held], *empty, *long[held:]]))
    assert perplexity_curves(nothing_to_score, PhraseLDA(2, n_sweeps=2, random_state=0), 0) is None
    texts = [long[0] if i in (held, held - 1) else "the" for i in range(10)]
    little_to_learn = Partition.of_words(Corpus.from_texts(texts))
    assert perplexity_curves(little_to_learn, PhraseLDA(4, n_sweeps=2, random_state=0), 0) is None


def test_other_errors_are_not_taken_for_too_few_documents(partition: Partition) -> None:
    """Guards against a result without perplexity where a parameter is wrong."""
    with pytest.raises(InputError, match="beta must be a number from"):
        perplexity_curves(partition, PhraseLDA(2, n_sweeps=2, beta=-1.0, random_state=0), 0)
