"""Ratings of experts: blind lists, z-scores and methods' scores worked by hand."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.evaluation.ratings import RatingList, method_scores, rating_lists, standardised
from topminer.methods.contract import Phrase


def topics(name: str, n: int, n_phrases: int = 12) -> list[list[Phrase]]:
    return [[Phrase(f"{name} {k} {i}", (k, i), 1.0) for i in range(n_phrases)] for k in range(n)]


def test_lists_show_every_topic_blindly() -> None:
    topics_of = {"one": [*topics("x", 8), []], "two": topics("y", 8, 3)}
    lists = rating_lists(topics_of, seed=2)
    assert {(each.method, each.topic) for each in lists} == {(m, k) for m in ("one", "two") for k in range(8)}
    for each in lists:
        assert each.phrases == tuple(phrase.text for phrase in topics_of[each.method][each.topic][:10])
    assert [each.id[:4] for each in lists] == [f"t{number:02}-" for number in range(1, 17)]
    methods = [each.method for each in lists]
    assert set(methods[:8]) == set(methods[8:]) == {"one", "two"}
    assert lists == rating_lists(topics_of, seed=2)
    assert lists != rating_lists(topics_of, seed=3)
    assert {len(each.phrases) for each in rating_lists(topics_of, n_phrases=2)} == {2}
    with pytest.raises(InputError, match="from 1 on, not 0"):
        rating_lists(topics_of, n_phrases=0)


def test_z_scores_by_hand() -> None:
    # Mean 5, squares 9, 1, 1, 9: deviation √5.
    found = standardised({"ann": {"a": 8, "b": 6, "c": 4, "d": 2}, "ben": {"a": 7, "b": 7}, "cy": {}})
    z = 3 / sqrt(5)
    assert found["ann"] == pytest.approx({"a": z, "b": z / 3, "c": -z / 3, "d": -z})
    assert found["ben"] == {"a": 0, "b": 0}
    assert found["cy"] == {}


@given(st.dictionaries(st.integers().map(str), st.integers(10, 100).map(lambda x: x / 10), min_size=1))
def test_z_scores_have_mean_zero_and_deviation_one(own: dict[str, float]) -> None:
    z = list(standardised({"ann": own})["ann"].values())
    assert sum(z) / len(z) == pytest.approx(0, abs=1e-12)
    if len(set(own.values())) > 1:
        assert sum(x * x for x in z) / len(z) == pytest.approx(1)


LISTS = [RatingList(id, method, 0, ("x",)) for id, method in zip("abcd", ["m", "m", "n", "n"], strict=True)]


def test_method_scores_by_hand() -> None:
    coherence = {"ann": {"a": 8, "b": 6, "c": 4, "d": 2}, "ben": {"a": 10, "c": 1}}
    found = method_scores(LISTS, coherence)
    # ann: m (1.342 + 0.447) / 2 = 0.894; ben: m 1, n −1.
    assert found.methods["m"] == pytest.approx((2 / sqrt(5) + 1) / 2)
    assert found.methods["n"] == pytest.approx(-(2 / sqrt(5) + 1) / 2)
    # Values 8, 10 and 4, 1. Squared distances within: 4 + 9, each counted twice, over 4 values: 6.5.
    # Of all pairs: 4 + 16 + 49 + 36 + 81 + 9 = 195, twice, over 4 × 3: 32.5.
    assert found.agreement == pytest.approx(1 - 6.5 / 32.5)
    assert method_scores(LISTS, {"ann": dict.fromkeys("abcd", 5.0)}) == ({"m": 0, "n": 0}, None)


def test_an_expert_who_did_not_rate_a_method_has_no_part_in_it() -> None:
    found = method_scores(LISTS, {"ann": {"a": 9, "b": 1, "c": 5}, "ben": {"c": 2, "d": 4}})
    assert found.methods == pytest.approx({"m": 0, "n": 0})
    assert method_scores(LISTS, {}).methods == {"m": None, "n": None}
    assert method_scores([], {}).methods == {}


def test_ratings_of_other_lists_or_off_the_scale_are_refused() -> None:
    with pytest.raises(InputError, match="'ann' rates list 'z'"):
        method_scores(LISTS, {"ann": {"z": 4}})
    for rating in (0.5, 11, float("nan")):
        with pytest.raises(InputError, match="expected 1 to 10"):
            method_scores(LISTS, {"ann": {"a": rating}})
