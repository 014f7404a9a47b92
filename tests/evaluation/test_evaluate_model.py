"""What is said about a fitted model."""

import json

import pytest
from corpora import two_topics

from topminer import Partition, PhraseLDA, PhraseMiner
from topminer.evaluation.evaluate import evaluate


@pytest.fixture(scope="module")
def partition() -> Partition:
    return PhraseMiner(min_support=3, significance=2.0).fit_transform(two_topics(200, 8))


@pytest.fixture(scope="module")
def found(partition: Partition):
    lda = PhraseLDA(2, n_sweeps=30, random_state=0, n_threads=1).fit(partition)
    return evaluate(lda, partition, n_top=4, n_questions=5, n_sweeps=20)


def test_plain_topics_are_coherent_distinct_and_stable(found) -> None:
    # Phrases of one topic share documents, phrases of two never do.
    assert found["coherence"]["npmi_words"] > 0.2
    assert found["diversity"]["phrases"] == 1.0
    assert found["stability"] > 0.99
    assert found["intrusion"] is None or found["intrusion"]["share"] == 1
    assert [topic["id"] for topic in found["topics"]] == [0, 1]
    assert all(topic["stability"] > 0.99 for topic in found["topics"])
    json.dumps(found, allow_nan=False)


def test_perplexity_of_the_model_and_of_lda(found) -> None:
    assert [curve["model"] for curve in found["perplexity"]["curves"]] == ["PhraseLDA", "LDA"]
    assert found["perplexity"]["curves"][0]["points"][-1][0] == 20


def test_what_is_not_asked_for_is_not_measured(partition: Partition) -> None:
    lda = PhraseLDA(2, n_sweeps=5, random_state=0).fit(partition)
    found = evaluate(lda, partition, repeats=1, perplexity=False)
    assert found["stability"] is None
    assert found["perplexity"] is None
    assert found["topics"][0]["stability"] is None


def test_a_model_of_words_alone_is_asked_about_words() -> None:
    words = Partition.of_words(two_topics(60))
    lda = PhraseLDA(2, n_sweeps=20, random_state=0).fit(words)
    found = evaluate(lda, words, repeats=1, perplexity=False)
    assert found["coherence"]["npmi_phrases"] is None
    assert found["intrusion"]["asked"] > 0
    assert found["quality"] == []
