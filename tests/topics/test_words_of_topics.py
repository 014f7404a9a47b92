"""The words of topics: their orders by hand and against the oracle, and which are hidden."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models import EVERY
from oracles import ranking as oracle

from topminer import InputError, Listing
from topminer.topics.results.ranking import foremost
from topminer.topics.results.summary import Summary
from topminer.topics.results.words import LikelyWords

PHI = np.array([0.4, 0.3, 0.2, 0.1])
OVERALL = np.array([0.7, 0.1, 0.1, 0.1])


def ordered(likely: LikelyWords, order: str, *lam: float) -> list[int]:
    return likely.ids[foremost(likely.scores(order, *lam), likely.ids.size)].tolist()


def test_orders_by_hand() -> None:
    likely = LikelyWords.of(PHI, OVERALL, 100.0)
    assert ordered(likely, "probability") == [0, 1, 2, 3]
    assert ordered(likely, "relevance", 0.0) == [1, 2, 3, 0]  # by lift
    assert ordered(likely, "relevance", 1.0) == [0, 1, 2, 3]
    assert ordered(likely, "best") == [1, 2, 0, 3]
    assert likely.lift == pytest.approx([45 / 75, 35 / 15, 25 / 15, 15 / 15])
    assert likely.scores("best")[2] == pytest.approx(math.log(0.2) + math.log(25 / 15))
    with pytest.raises(InputError, match="must be one of best, relevance, probability, not 'lift'"):
        likely.scores("lift")


def test_rare_words_come_later_in_small_topics() -> None:
    """Three tokens where one was expected are worth less than three hundred where a hundred were."""
    phi, overall = np.array([0.95, 0.05]), np.array([0.99, 0.01])
    lifts = [LikelyWords.of(phi, overall, n).lift[1] for n in (20.0, 200.0, 2e6)]
    assert lifts == sorted(lifts) and lifts[-1] == pytest.approx(5, rel=1e-3)


def test_background_words_that_a_topic_has_made_its_own() -> None:
    phi, overall = np.array([0.5, 0.3, 0.2]), np.array([0.5, 0.02, 0.04])
    background = np.array([True, True, False])
    assert LikelyWords.of(phi, overall, 1e6).hidden(background).tolist() == [True, False, False]
    assert LikelyWords.of(phi, overall, 20.0).hidden(background).tolist() == [True, True, False]


counts = st.lists(st.tuples(st.integers(1, 50), st.integers(0, 200), st.booleans()), min_size=1, max_size=20)


@given(counts, st.integers(1, 5000))
def test_best_words_are_as_defined(words: list[tuple[int, int, bool]], n_tokens: int) -> None:
    here = np.array([inside for inside, _, _ in words], float)
    phi, overall = here / here.sum(), np.array([inside + others for inside, others, _ in words], float)
    overall /= overall.sum()
    background = np.array([hidden for *_, hidden in words])
    likely = LikelyWords.of(phi, overall, float(n_tokens))
    expected = oracle.best_words(phi, overall, n_tokens, set(np.flatnonzero(background).tolist()))
    shown = ~likely.hidden(background)
    if shown.any():
        likely = LikelyWords(*(column[shown] for column in likely))
        assert ordered(likely, "best") == expected


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    ("listing", "key"),
    [
        (Listing(8, 0, word_order="probability", background=True), lambda here, all: here),
        (
            Listing(8, 0, order="relevance", background=True),
            lambda here, all: here**0.6 * (here / all) ** 0.4,
        ),
        (
            Listing(8, 0, lam=0.2, word_order="relevance", background=True),
            lambda here, all: here**0.2 * (here / all) ** 0.8,
        ),
    ],
)
def test_other_orders(name: str, listing: Listing, key: Callable[[float, float], float]) -> None:
    summary = Summary(EVERY[name]())
    for k, words in enumerate(summary.words(listing)):
        row, overall = summary.topic_word[k], summary.word_probabilities
        assert len(words) == min(8, row.size)
        if not summary.is_background[k]:
            found = [key(row[word], overall[word]) for word in words]
            every = sorted(map(key, row, overall), reverse=True)
            assert found == pytest.approx(every[: len(found)])
