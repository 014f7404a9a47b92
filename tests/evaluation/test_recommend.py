"""The recommendation: what the rule takes, and that everything it says is true of the table."""

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topminer.cli.tune import Tried
from topminer.evaluation.recommend import NEAR, SLACK, Point, named, recommend, shown
from topminer.evaluation.tune import Tuning

pytestmark = pytest.mark.small


def point(n_topics: int, threshold: float = 4.0, **values: float | None) -> Point:
    usual = Point(n_topics, threshold, 800.0, 2.0, 0.1, 0.0, 0.7, 900, 1.0)
    return replace(usual, **values)


def test_the_example_of_the_module() -> None:
    grid = [
        point(10, perplexity=812.0, coherence=0.09, stability=0.86),
        point(20, perplexity=768.0, coherence=0.12, stability=0.81),
        point(40, perplexity=763.0, coherence=0.115, stability=0.62),
    ]
    taken, why = recommend(grid)
    assert taken == grid[1]
    assert why == [
        "20 topics, threshold 4: perplexity 768.0 is within 5 % of the lowest, 763.0 (40 topics, threshold 4)"
        ", coherence 0.120 is the highest of these, stability 0.81 is the highest of these.",
        "Runner-up: 40 topics, threshold 4, with perplexity 763.0, coherence 0.115, stability 0.62.",
    ]


def test_coherence_does_not_make_up_for_a_perplexity_far_above_the_lowest() -> None:
    """Guards against 5 topics recommended with a perplexity 51 % above the lowest."""
    grid = [point(5, perplexity=1510.0, coherence=0.5, stability=1.0), point(80, perplexity=1000.0)]
    taken, why = recommend(grid)
    assert taken == grid[1]
    assert why[-1] == "These are the most topics that were tried: more may be better still."


def test_of_equal_points_the_fewest_topics_and_then_the_lowest_threshold_is_taken() -> None:
    grid = [point(5, 8.0), point(5, 2.0), point(10, 2.0)]
    taken, why = recommend(grid)
    assert taken == grid[1]
    assert why[0].endswith("the fewest topics of those left, and then the lowest threshold.")
    assert why[-1] == "These are the fewest topics that were tried: fewer may be better still."
    assert recommend(grid[1:])[1][0].endswith("the fewest topics of those left.")


def test_words_alone_are_there_to_compare_with() -> None:
    alone = point(10, math.inf, perplexity=700.0, coherence=0.3, stability=0.99, n_phrases=0)
    taken, why = recommend([point(10), point(20), alone])
    assert taken == point(10)
    assert "perplexity 800.0 is the lowest of the models with phrases" in why[0]
    assert recommend([point(10), alone])[1] == [
        "10 topics, threshold 4: no other model with phrases was tried."
    ]
    assert recommend([alone, replace(alone, n_topics=20, perplexity=900.0)])[0] == alone


def test_one_point_and_none() -> None:
    assert recommend([point(3)]) == (point(3), ["3 topics, threshold 4: nothing else was tried."])
    assert recommend([]) == (None, ["Nothing was tried."])


measures = st.none() | st.floats(-1, 1)
points = st.builds(
    point,
    st.sampled_from([2, 5, 10, 2000]),
    st.sampled_from([2.0, 4.0, math.inf]),
    perplexity=st.floats(1, 1e6) | st.floats(900, 1100),
    perplexity_error=st.none() | st.floats(0, 100),
    coherence=measures,
    phrase_coherence=measures,
    stability=st.none() | st.floats(0, 1),
    n_phrases=st.integers(0, 300),
)
grids = st.lists(points, min_size=1, max_size=8, unique_by=lambda each: (each.n_topics, each.threshold))
CLAIM = re.compile(r"(\w+) (-?[\d,.]+\d) is the (lowest|highest)")


@settings(max_examples=200)
@given(grids)
def test_every_number_is_in_the_table_and_every_claim_is_true_of_it(grid: list[Point]) -> None:
    taken, why = recommend(grid)
    assert taken in grid
    assert named(taken).lower() in why[0].lower()
    rows = Tried("x", 1, 1, 1, 1, 0, Tuning(tuple(grid), taken, why), None).tables()[0]
    cells = {text for row in rows.rows for text in rows.texts(row)}
    text = " ".join(why)
    for constant in (f"within {100 * NEAR:.0f} % of", *(f"within {slack:g} of" for slack in SLACK.values())):
        text = text.replace(constant, "")
    for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text):
        assert number.rstrip(",") in cells
    rivals = [each for each in grid if math.isfinite(each.threshold)] or grid
    lowest = min(shown(each, "perplexity") for each in rivals)
    left = [each for each in rivals if shown(each, "perplexity") <= lowest * (1 + NEAR)]
    assert taken in left  # never far above the lowest
    least = floor(left)
    near = [each for each in left if (value := shown(each, "coherence")) is None or value >= least]
    steps = {"perplexity": rivals, "coherence": left, "stability": near}
    for measure, number, extreme in CLAIM.findall(why[0]):
        known = [value for each in steps[measure] if (value := shown(each, measure)) is not None]
        assert float(number.replace(",", "")) == shown(taken, measure)
        assert shown(taken, measure) == (min if extreme == "lowest" else max)(known)
    assert all(line.endswith(".") and "nan" not in line and "None" not in line for line in why)


def floor(grid: list[Point]) -> float:
    """The lowest coherence that the rule lets pass."""
    known = [value for each in grid if (value := shown(each, "coherence")) is not None]
    return max(known, default=0.0) - SLACK["coherence"] - 1e-9
