"""Diagnostics of topics: an example by hand, and those of a model of several chains."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from topminer import Corpus, Partition, PhraseLDA, ToPMine
from topminer.evaluation.coherence import npmi
from topminer.evaluation.diagnostics import (
    SCHEMA,
    diagnostics,
    documents_led,
    exclusivity,
    first_words,
)
from topminer.topics.model.phraselda import take_over, topics_in

TEXTS = ["Apples and pears and plums.", "Iron, zinc and copper.", "Apples, pears.", "..."] * 30


@pytest.fixture(scope="module")
def partition() -> Partition:
    return Partition.of_words(Corpus.from_texts(TEXTS))


def fitted(partition: Partition, **parameters: Any) -> PhraseLDA:
    return PhraseLDA(**{"n_topics": 2, "n_sweeps": 40, "random_state": 0, **parameters}).fit(partition)


def test_exclusivity_by_hand(partition: Partition) -> None:
    """Words 0 and 1: 30 of 40 and 50 of 100 tokens in topic 0, so (0.75 + 0.5) / 2; word 2 is in topic 1."""
    lda = fitted(partition)
    table = np.zeros_like(topics_in(lda).word_topic)
    table[:3] = [[30, 10], [50, 50], [0, 20]]
    take_over(lda, topics_in(lda)._replace(word_topic=table))
    words = first_words(lda)
    assert [each[:3].tolist() for each in words] == [[1, 0, 2], [1, 2, 0]]
    assert exclusivity(lda, words) == [pytest.approx(0.625), pytest.approx((0.5 + 1.0 + 0.25) / 3)]
    take_over(lda, topics_in(lda)._replace(word_topic=np.zeros_like(table)))
    assert exclusivity(lda, words) == [None, None]


def test_a_topic_leads_the_documents_with_its_largest_share(
    partition: Partition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents without words are led by no topic."""
    lda = fitted(partition)
    assert sorted(documents_led(lda).tolist()) == [30, 60]
    monkeypatch.setattr("topminer.evaluation.diagnostics.CELLS", 14)
    assert sorted(documents_led(lda).tolist()) == [30, 60]


def test_what_a_model_of_several_chains_says() -> None:
    model = ToPMine(3, n_sweeps=40, n_chains=3, random_state=0).fit(TEXTS)
    found, certainty = model.diagnostics(), model.lda_.certainty_
    assert certainty is not None
    assert dict(found.schema) == SCHEMA
    np.testing.assert_array_equal(found["weight"], model.lda_.topic_weight_)
    np.testing.assert_array_equal(found["stability"], certainty.stability)
    assert ((found["weight_low"] <= found["weight"]) & (found["weight"] <= found["weight_high"])).all()
    assert (found["nearest"] != found["topic"]).all()
    assert found["documents"].sum() == 90
    words = [[(word,) for word in each.tolist()] for each in first_words(model.lda_)]
    scores = npmi(words, model.corpus_, window=None, eps=0.0)
    assert found["coherence"].to_list() == list(scores.topics)


def test_what_one_chain_does_not_know_is_null(partition: Partition) -> None:
    found = diagnostics(fitted(partition, n_topics=1), partition)
    unknown = ["weight_low", "weight_high", "stability", "stable", "nearest", "similarity"]
    assert found.select(unknown).null_count().row(0) == (1,) * 6
    assert found.select(pl.exclude(unknown)).null_count().sum_horizontal().item() == 0
