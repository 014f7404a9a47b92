"""Concentration of topics against all pairs of tokens, and background topics on planted data."""

import math
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models import EVERY, unsure, usual

from topminer import Summary
from topminer.topics.results.concentration import Concentration, concentration


def found(documents: list[list[int]], n_topics: int) -> Concentration:
    """The concentration of documents that are given as the topics of their tokens."""
    rows = sorted((d, k, tokens.count(k)) for d, tokens in enumerate(documents) for k in set(tokens))
    table = np.array(rows, np.int64).reshape(-1, 3).T
    lda = SimpleNamespace(topic_weight_=np.zeros(n_topics), document_topics=lambda: tuple(table))
    return concentration(lda)  # type: ignore[arg-type]


def by_pairs(documents: list[list[int]], k: int) -> tuple[float, float]:
    """Covariance of "has topic k" in two tokens of a document, and the variance in one."""
    long = [tokens for tokens in documents if len(tokens) > 1]
    w = math.fsum(tokens.count(k) / len(tokens) for tokens in long) / len(long)
    shares = []
    for tokens in long:
        pairs = list(permutations(tokens, 2))
        shares.append(sum(a == b == k for a, b in pairs) / len(pairs))
    return math.fsum(shares) / len(long) - w * w, w - w * w


@pytest.mark.small
@given(st.lists(st.lists(st.integers(0, 2), max_size=6), max_size=8))
def test_it_is_that_of_all_pairs_of_tokens(documents: list[list[int]]) -> None:
    result = found(documents, 4)
    if all(len(tokens) < 2 for tokens in documents):
        assert result.value.tolist() == [1.0] * 4 and not result.is_background.any()
        return
    pairs = [by_pairs(documents, k) for k in range(4)]
    for k, (covariance, variance) in enumerate(pairs):
        expected = covariance / variance if variance > 1e-12 else 1.0
        assert result.value[k] == pytest.approx(expected, abs=1e-6)
        long = [tokens for tokens in documents if len(tokens) > 1]
        assert result.present[k] == pytest.approx(sum(k in tokens for tokens in long) / len(long))
    whole = sum(variance for _, variance in pairs)
    expected = sum(covariance for covariance, _ in pairs) / whole if whole > 1e-12 else 1.0
    assert result.of_all == pytest.approx(expected, abs=1e-6)


@pytest.mark.small
def test_examples_by_hand() -> None:
    # Topic 0: w = (3/4 + 1/4) / 2 = 1/2, m = (6/12 + 0) / 2 = 1/4, so (1/4 - 1/4) / (1/4) = 0.
    assert found([[0, 0, 0, 1], [0, 1, 1, 1]], 2).value == pytest.approx([0, 0])
    # w = (1 + 0 + 1/2) / 3 = 1/2, m = (1 + 0 + 0) / 3: (1/3 - 1/4) / (1/4). One token says nothing.
    assert found([[0, 0], [1, 1, 1], [0, 1], [0]], 2).value == pytest.approx([1 / 3, 1 / 3])
    # All or nothing.
    split = found([[0] * 5, [1] * 2, [0] * 3], 2)
    assert (split.value.tolist(), split.error.tolist(), split.of_all) == ([1, 1], [0, 0], 1)
    assert split.present == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.small
def test_errors_are_those_of_samples() -> None:
    """The standard error is the deviation of the value over many samples of documents."""
    rng = np.random.default_rng(1)

    def sample() -> Concentration:
        shares = rng.dirichlet([1.0, 2.0, 3.0], 200)
        return found([rng.choice(3, 12, p=share).tolist() for share in shares], 3)

    samples = [sample() for _ in range(150)]
    deviation = np.std([each.value for each in samples], axis=0)
    assert np.mean([each.error for each in samples], axis=0) == pytest.approx(deviation, rel=0.25)
    assert np.mean([each.value for each in samples], axis=0) == pytest.approx([1 / 7] * 3, rel=0.1)


@pytest.mark.small
def test_what_a_background_topic_is() -> None:
    values = np.array([0.01, 0.01, 0.01, 0.2, 0.9, 0.14])
    errors = np.array([0.01, 0.01, 0.2, 0.0, 0.0, 0.0])
    present = np.array([0.9, 0.4, 0.9, 0.9, 0.9, 0.9])  # the second is rare, the third unsure
    assert Concentration(values, errors, present, 0.6).is_background.tolist() == [True, *[False] * 4, True]
    assert Concentration(values, errors, present, 0.2).is_background.tolist() == [True, *[False] * 5]
    assert not Concentration(*(each[:1] for each in (values, errors, present)), 0.6).is_background.any()


def test_a_background_topic_is_listed_last_and_named_by_its_words() -> None:
    model = usual()
    summary = Summary(model)
    summary.__dict__["is_background"] = np.array([False, True, False, False])
    *others, last = summary.topics()
    assert [topic.id for topic in others] == [0, 2, 3] and last.id == 1
    assert [topic.background for topic in others] == [False] * 3 and last.background
    row, words = model.lda_.topic_word_[1], model.corpus_.vocabulary["surface"]
    likely = [words[i] for i in np.argsort(-row, kind="stable")[:10].tolist()]
    assert [word for word, _ in last.words] == likely
    assert summary.names[1] == " · ".join(likely[:3])
    info = summary.topic_info()
    assert info["topic"].to_list() == list(range(4)) and info["label"].to_list() == summary.labels
    assert info["words"][1].to_list() == likely


def test_models_with_and_without_background_topics() -> None:
    assert Summary(unsure()).is_background.tolist() == [False] * 5 + [True] * 2
    for name in ("usual", "words", "one_topic", "crowded"):
        assert not Summary(EVERY[name]()).is_background.any()
