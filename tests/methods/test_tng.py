"""Topical n-grams as a method: what it finds, what it refuses, and that it never depends on chance."""

from collections import Counter

import numpy as np
import pytest
from corpora import corpus_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import tng as oracle

from topminer import Corpus
from topminer.methods.rivals import tng
from topminer.methods.rivals.phrase_counts import PhraseCounts
from topminer.methods.rivals.tng import TNG

FRUIT = ["apple", "pear", "plum", "ice cream", "orange juice"]
METAL = ["iron", "zinc", "copper", "white gold", "stainless steel sheet"]
COMMON = ["white", "ice", "cream", "steel", "juice"]  # words of phrases, in both topics


def planted(n_documents: int = 300) -> Corpus:
    """Documents on fruit or on metal, with phrases whose words also stand alone."""
    random = np.random.default_rng(0)
    owns = [FRUIT if d % 2 else METAL for d in range(n_documents)]
    return corpus_of(
        [[str(random.choice(own if random.random() < 0.85 else COMMON)) for _ in range(10)] for own in owns]
    )


# ------------------------------------------------------------------------------------ what is found


def test_planted_phrases_are_found_in_their_topics() -> None:
    """Topic words are those drawn by themselves: "gold" stands only in "white gold"."""
    found = TNG(n_sweeps=200, alpha=0.1).fit(planted(), 2, seed=1)
    is_fruit = ["apple" in [word.text for word in topic.words[:5]] for topic in found.topics]
    assert sorted(is_fruit) == [False, True]
    for fruit, topic in zip(is_fruit, found.topics, strict=True):
        expected = {"ice cream", "orange juice"} if fruit else {"white gold", "stainless steel sheet"}
        assert {phrase.text for phrase in topic.phrases[:2]} == expected
        assert min(phrase.score for phrase in topic.phrases) > 0
        assert sum(word.score for word in topic.words) == pytest.approx(1, abs=0.01)
        assert next(word.score for word in topic.words if word.text == "gold") < 0.01


chunks = st.lists(st.integers(0, 2), min_size=1, max_size=6)
corpora = st.lists(st.lists(chunks, max_size=3), min_size=1, max_size=4).filter(any)


@pytest.mark.small
@given(corpora, st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=40)
def test_phrases_are_runs_of_flags_with_the_token_before(
    documents: list[oracle.Document], n_topics: int, n_samples: int
) -> None:
    text = corpus_of([[["abc"[w] for w in chunk] for chunk in document] for document in documents])
    frequencies = PhraseCounts(text.stem_ids, n_topics)
    expected: Counter[tuple[tuple[int, ...], int]] = Counter()
    # The corpus has numbers of its own for the words.
    stems = iter(text.stem_ids.tolist())
    documents = [[[next(stems) for _ in chunk] for chunk in document] for document in documents]
    for seed in range(n_samples):
        state = tng._start(text, n_topics, tng.Priors(1.0, 0.1, 0.1, 0.1), seed)
        frequencies.add(state.flags == 0, state.topics)
        expected += oracle.phrases(documents, state.topics.tolist(), state.flags.tolist())
    order = np.arange(n_topics)[::-1].copy()
    total: Counter[tuple[int, ...]] = Counter()
    for (phrase, _), n in expected.items():
        total[phrase] += n
    for topic, found in zip(order.tolist(), frequencies.ranked(order), strict=True):
        own = {phrase: n for (phrase, k), n in expected.items() if k == topic}
        best = sorted(own, key=lambda phrase: (-own[phrase], -total[phrase], phrase))
        assert found == [(phrase, pytest.approx(own[phrase] / n_samples)) for phrase in best]


def test_phrases_stay_in_their_chunks() -> None:
    found = TNG(n_sweeps=60).fit(corpus_of(["red wine, blue cheese"] * 100), 2)
    texts = {phrase.text for topic in found.topics for phrase in topic.phrases}
    assert texts == {"red wine", "blue cheese"}


def test_topics_are_numbered_by_weight() -> None:
    """Every word is a chunk of its own: no pairs, so this is LDA."""
    corpus = corpus_of(["apple, pear, plum, apple, pear"] * 90 + ["iron, zinc, copper, zinc"] * 30)
    first, second = TNG(n_sweeps=100, alpha=0.1).fit(corpus, 2).topics
    assert [word.text for word in first.words[:3]] == ["apple", "pear", "plum"]
    assert {word.text for word in second.words[:3]} == {"iron", "zinc", "copper"}
    assert not first.phrases


@pytest.mark.small
def test_the_default_prior_of_topics() -> None:
    assert TNG()._checked(200)[1].alpha == 0.25
    assert TNG()._checked(5)[1].alpha == 0.5
    assert TNG(alpha=3)._checked(5)[1].alpha == 3.0
