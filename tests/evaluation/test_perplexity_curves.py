"""Held-out perplexity along the sweeps."""

import numpy as np
import pytest
from corpora import two_topics

from topminer import Corpus, Partition, PhraseLDA, PhraseMiner
from topminer.errors import InputError
from topminer.evaluation.perplexity import compared, curves, split


@pytest.fixture(scope="module")
def partition() -> Partition:
    return PhraseMiner(min_support=3, significance=2.0).fit_transform(two_topics(200, 8))


def test_every_tenth_document_is_held_out_and_words_are_identical(partition: Partition) -> None:
    documents = split(partition)
    assert len(documents.phrases) == len(documents.words) == 180
    held = documents.held_words.partition.corpus
    assert held.to_lists() == [partition.corpus.to_lists()[i] for i in range(9, 200, 10)]
    for one, other in zip(documents.held_words.scored(), documents.held_phrases.scored(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_perplexity_falls_to_what_two_plain_topics_leave_open(partition: Partition) -> None:
    lda = PhraseLDA(2, alpha=0.01, n_sweeps=60, optimize_interval=0, random_state=0)
    phrase_lda, words = curves(split(partition), lda)
    assert (phrase_lda.model, words.model) == ("PhraseLDA", "LDA")
    assert [sweep for sweep, _ in words.points] == [5, 10, 20, 30, 50, 60]
    # A topic has eleven words, all equally frequent: with its topic known, a word is one of eleven.
    assert 10.7 < words.points[-1][1] < 11.4
    assert 10.7 < phrase_lda.points[-1][1] < 11.4


def test_as_plain_numbers(partition: Partition) -> None:
    found = compared(partition, PhraseLDA(2, n_sweeps=5, random_state=0))
    assert found is not None
    assert found["held_out"] == 20
    assert found["words"] == split(partition).held_phrases.scored()[0].size
    assert [curve["model"] for curve in found["curves"]] == ["PhraseLDA", "LDA"]


def test_too_few_documents_to_hold_one_out() -> None:
    few = Partition.of_words(Corpus.from_texts(["apple pear plum"] * 9))
    with pytest.raises(InputError, match="9 documents are too few"):
        split(few)
    assert compared(few, PhraseLDA(2, n_sweeps=2, random_state=0)) is None


def test_too_few_words_to_learn_from_or_to_score() -> None:
    long, empty = ["apple pear plum"] * 9, ["the"]
    nothing_to_score = Partition.of_words(Corpus.from_texts([*long, *empty]))
    assert compared(nothing_to_score, PhraseLDA(2, n_sweeps=2, random_state=0)) is None
    little_to_learn = Partition.of_words(Corpus.from_texts([*empty * 8, *long[:2]]))
    assert compared(little_to_learn, PhraseLDA(4, n_sweeps=2, random_state=0)) is None


def test_other_errors_are_not_taken_for_too_few_documents(partition: Partition) -> None:
    """Guards against a result without perplexity where a parameter is wrong."""
    with pytest.raises(InputError, match="beta must be a number from"):
        compared(partition, PhraseLDA(2, n_sweeps=2, beta=-1.0, random_state=0))
