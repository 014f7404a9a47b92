"""What is said about merges, and about neighbours that stay apart."""

import math
from dataclasses import replace
from typing import Any

import pytest
from explained import explained

from topminer.phrases.quality import INTERCEPT, WEIGHTS
from topminer.views.numbers import quality_text, score_beside
from topminer.views.wording import STATISTICS, judged_text, quality_terms, why

SCORED = "scored 0.43, below the threshold of 1: seen together 4 times, expected 3.14"


@pytest.mark.small
@pytest.mark.parametrize(
    ("text", "parameters", "sentence"),
    [
        ("pattern: a tree", {}, "another chunk: ‘: a’ stands between"),
        ("pattern\ntree", {}, "another chunk: a line ends between"),
        ("pattern xyzzy", {}, "the corpus has no ‘xyzzy’"),
        ("plugh xyzzy", {}, "the corpus has no ‘plugh’ and no ‘xyzzy’"),
        ("tree pattern", {}, "never seen together"),
        ("pattern tree", {"min_support": 5}, "seen together 4 times, fewer than the minimum support of 5"),
        ("pattern tree", {}, SCORED),
        ("pattern tree", {"significance": math.inf}, SCORED.replace("of 1", "of ∞")),
        ("frequent patterns", {"max_length": 1}, "together 2 words; 1 is the most allowed"),
        ("frequent patterns", {"never": ["frequent pattern"]}, "never to be formed, as was asked"),
    ],
)
def test_why_neighbours_stay_apart(text: str, parameters: dict[str, Any], sentence: str) -> None:
    told = explained(text, **parameters)
    assert [why(pair, told) for pair in told.neighbours] == [sentence]


@pytest.mark.small
def test_what_nobody_counted_is_not_made_up() -> None:
    told = explained("tree pattern", min_support=5)
    pair = replace(told.neighbours[0], observed=None)
    assert why(pair, told) == "seen together fewer than 5 times, the minimum support"
    assert why(replace(pair, observed=1), told).startswith("seen together once, fewer than")


@pytest.mark.small
@pytest.mark.parametrize("score", [math.nextafter(4.0, 0.0), 3.9999, 3.996, 3.9, -0.5])
def test_a_score_below_the_threshold_is_shown_below_it(score: float) -> None:
    assert float(score_beside(score, 4.0)) < 4.0


@pytest.mark.small
def test_every_statistic_has_a_name() -> None:
    assert list(STATISTICS) == list(WEIGHTS)
    told = explained("frequent pattern", quality=-0.5)
    assert quality_terms(told) == (
        f"Quality is {quality_text(INTERCEPT)} and what each statistic adds. A phrase below -0.5 is split."
    )


@pytest.mark.small
def test_a_quality_is_told_from_the_cut_above_it() -> None:
    told = explained("frequent pattern", quality=1.0)
    (judged,) = (each for each in told.judgements if each.phrase.length > 1)
    for quality, text in ((0.99999, "+0.99999"), (1.0, "+1.00"), (-2.5, "−2.50"), (None, "–")):
        assert judged_text(replace(judged, quality=quality), told) == text
