"""Quality: one phrase worked by hand, with every statistic."""

import math

import numpy as np
import polars as pl
import pytest

from topminer import Corpus, PhraseMiner
from topminer.phrases.quality import INTERCEPT, WEIGHTS, check_cut, has_digit, quality_of, stands_alone

pytestmark = pytest.mark.small

RULES = {"language": None, "stop_words": ["of", "the"]}


def test_worked_by_hand() -> None:
    """20 tokens, 5 of them capitalised. "House card" has 6 places, 5 of them instances of their own.

    The tokens: house 6, card 7, deck 1, red 3, blue 3. Three instances have "of" between, one has "of the",
    one has nothing. The words before are red (2), blue (1), and none (2).
    """
    texts = [
        "red House of Card",
        "red house of card",
        "blue house of the card",
        "House Card",
        "house of card, card",
        "house card deck, Red, blue, blue",
    ]
    corpus = Corpus.from_texts(texts, **RULES)
    assert corpus.n_tokens == 20
    miner = PhraseMiner(6, 0.0, -1000.0, None, None, always=["house card deck"]).fit(corpus)
    [row] = miner.phrases_.filter(pl.col("stems") == "house card").rows(named=True)
    assert (row["support"], row["instances"]) == (6, 5)
    n, p = 20, 6 / 20
    expected = {
        "association": math.log(p / (6 / n * 7 / n)) / -math.log(p),
        "left_entropy": -(2 * 0.4 * math.log(0.4) + 0.2 * math.log(0.2)),
        "completeness": 5 / 6,
        "fixedness": 3 / 5,
        "capitals": (1 - 5 / 20) * 2 / 5,
        "digit": 0.0,
        "three_words": 0.0,
        "four_words": 0.0,
    }
    judge = miner.fitted.judge
    assert judge is not None
    [id] = [id for id in judge.ids.tolist() if len(miner.mined.words_of(id)) == 2]
    found = dict(zip(WEIGHTS, judge.statistics[id].tolist(), strict=True))
    assert found == pytest.approx(expected, abs=1e-4)
    quality = INTERCEPT + sum(WEIGHTS[name] * value for name, value in expected.items())
    assert row["quality"] == judge.quality[id] == pytest.approx(quality, abs=1e-3)


def test_a_phrase_is_split_at_its_weakest_boundary_and_the_parts_are_judged() -> None:
    """ "Ant bee" is often without "cat", and "cat" often without it: the weakest boundary is before "cat"."""
    texts = ["ant bee cat"] * 6 + ["ant bee"] * 6 + ["cat"] * 20 + ["dog"] * 60
    corpus = Corpus.from_texts(texts, **RULES)
    plain = PhraseMiner(2, 1.0, -1000.0).fit(corpus)
    judge = plain.fitted.judge
    assert judge is not None
    quality = {len(plain.mined.words_of(id)): judge.quality[id] for id in judge.ids.tolist()}
    assert quality[3] < quality[2]
    between, above = (quality[3] + quality[2]) / 2, quality[2] + 1
    assert plain.transform(corpus).to_lists()[0] == [("ant", "bee", "cat")]
    assert PhraseMiner(2, 1.0, between).fit_transform(corpus).to_lists()[0] == [("ant", "bee"), ("cat",)]
    assert PhraseMiner(2, 1.0, above).fit_transform(corpus).to_lists()[0] == [("ant",), ("bee",), ("cat",)]


def test_stems() -> None:
    stems = pl.Series(["ant", "x2", "٣", "数", "ก", "", "é"])
    assert has_digit(stems).tolist() == [False, True, True, False, False, False, False]
    assert stands_alone(stems).tolist() == [False, False, False, True, True, False, False]


def test_a_sum() -> None:
    ones = np.ones((1, len(WEIGHTS)))
    assert quality_of(ones)[0] == pytest.approx(INTERCEPT + sum(WEIGHTS.values()))
    assert (check_cut("auto"), check_cut(None), check_cut(-1)) == (0.0, None, -1.0)
