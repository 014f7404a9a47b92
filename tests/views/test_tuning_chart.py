"""The chart of a grid of models: true to the numbers, and at home on any ground."""

import math
import re
from dataclasses import replace
from functools import cache

import pytest
from drawings import data_of, root_of, texts_in

from topminer.evaluation.recommend import Point, recommend
from topminer.evaluation.tune import Tuning
from topminer.views import charts
from topminer.views.charts.svg import Drawing
from topminer.views.charts.tuning import COLOURS, MEASURES, TITLE, tuning


def grid(thresholds: tuple[float, ...] = (2.0, 4.0, math.inf), seeds: bool = True) -> Tuning:
    points = tuple(
        Point(
            n_topics=k,
            threshold=limit,
            perplexity=900.0 - 10 * k + i,
            perplexity_error=3.0 if seeds else None,
            coherence=0.1 + k / 500,
            phrase_coherence=None if math.isinf(limit) else -0.1,
            stability=0.9 - k / 100 if seeds else None,
            n_phrases=0 if math.isinf(limit) else 500,
            seconds=12.3,
        )
        for k in (5, 10, 20)
        for i, limit in enumerate(thresholds)
    )
    recommended, why = recommend(points)
    return Tuning(points, recommended, why)


@cache
def drawing(seeds: bool = True) -> Drawing:
    return Drawing(tuning(grid(seeds=seeds)))


@pytest.mark.parametrize("standalone", [False, True])
def test_the_svg_is_well_formed_and_of_the_palette(standalone: bool) -> None:
    root_of(drawing().svg(TITLE, standalone=standalone), TITLE)
    assert drawing().png().startswith(b"\x89PNG")


def test_every_measure_has_a_panel_with_a_line_for_each_threshold() -> None:
    svg = drawing().svg(TITLE)
    texts = texts_in(svg)
    for measure in MEASURES:
        assert texts.count(measure.name) == 1
    assert texts.count("lower is better") == 1
    assert texts.count("higher is better") == 3
    for name in ("threshold 2", "threshold 4", "words alone"):
        assert texts.count(name) == 1
    # Dots of three numbers of topics: three thresholds in three panels, two in that of phrases.
    assert len(re.findall(r'aria-label="\d+ topics, ', svg)) == 3 * (3 * 3 + 2)
    assert 'aria-label="10 topics, threshold 4: perplexity of held-out documents 801.0"' in svg
    assert 'aria-label="20 topics, words alone: stability over seeds 0.70"' in svg


def test_what_is_recommended_has_a_ring_in_every_panel() -> None:
    recommended = grid().recommended
    assert recommended is not None
    assert f"○ recommended: {recommended.n_topics} topics, threshold 2" in texts_in(drawing().svg(TITLE))
    rings = [rows[0] for rows in data_of(drawing().chart) if list(rows[0]) == ["x", "y"]]
    assert {row["y"] for row in rings} == {measure.value(recommended) for measure in MEASURES}
    assert {row["x"] for row in rings} == {recommended.n_topics}


def test_a_measure_that_is_the_same_everywhere_has_labels_around_it() -> None:
    """Coherence of phrases is -0.1 in all points: the axis had one label there, 0."""
    assert {"−0.105", "−0.100", "−0.095"} & set(texts_in(drawing().svg(TITLE)))


def test_errors_of_perplexity_are_drawn() -> None:
    spread = [rows for rows in data_of(drawing().chart) if rows[0].get("low", 0) < rows[0].get("high", 0)]
    assert spread
    assert {(row["low"], row["high"]) for row in spread[0]} <= {
        (each.perplexity - 3, each.perplexity + 3) for each in grid().points
    }


def test_one_seed_has_no_stability_and_no_errors() -> None:
    texts = texts_in(drawing(seeds=False).svg(TITLE))
    assert "stability over seeds" not in texts
    assert {"perplexity of held-out documents", "coherence of phrases"} <= set(texts)


@pytest.mark.parametrize("n", [1, 9])
def test_one_point_and_many_thresholds(n: int) -> None:
    found = grid(tuple(float(i) for i in range(1, n + 1)))
    if n == 1:
        point = replace(found.points[0], stability=None, phrase_coherence=None, coherence=None)
        found = Tuning((point,), None, [])
    svg = charts.to_svg(tuning(found), TITLE)
    assert [f"threshold {i + 1}" in texts_in(svg) for i in range(n)] == [True] * n
    assert ("recommended" in svg) == (n > 1)
    assert ('stroke-dasharray="6,4"' in svg) == (n > len(COLOURS))
