"""Charts of a comparison: whole, harmless, in the colours of the house, and true to the figures."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from comparison_fixture import HOSTILE
from drawings import SVG, root_of, texts_in

from topminer.views.charts import to_svg
from topminer.views.charts.comparison import Row, Series, decomposition, dots, perplexities, run_times
from topminer.views.colours import ACCENT, FAINT, GROUND, SECOND

ROWS = [
    Row("ToPMine", 0.98, "8.1 s", ours=True, paper=1.03),
    Row("Turbo Topics", 49.6, "6.9 min", paper=370.0),
    Row("PD-LDA", 507.5, "~70 min", hollow=True, paper=206.0),
    Row("TNG", None, "–"),
]
LINES = [Series("PhraseLDA", [(5, 300.0), (10, 200.0)]), Series("LDA", [(5, 310.0), (10, 220.0)])]
PARTS = [Series("topics", [(100, 4.0), (800, 40.0)]), Series("mining", [(100, 0.1), (800, 0.5), (900, 0.0)])]
KINDS = ("run_times", "dots", "perplexities", "decomposition")


def drawn(kind: str) -> Any:
    if kind == "run_times":
        return run_times(ROWS, "times as long as LDA")
    if kind == "dots":
        return dots([Row("A", -0.2, "−0.200", ours=True), Row("B", 0.4, "0.400", hollow=True), ROWS[-1]])
    return perplexities(LINES) if kind == "perplexities" else decomposition(PARTS)


@cache
def svg_of(kind: str) -> str:
    return to_svg(drawn(kind), f"A {kind}")


def told_in(svg: str) -> dict[str, Element]:
    """The marks that say what they are."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}path")
    return {mark.attrib["aria-label"]: mark for mark in found if "aria-label" in mark.attrib}


def place_of(mark: Element) -> tuple[float, float]:
    x, y = re.fullmatch(r"translate\(([^,]+),([^,]+)\)", mark.attrib["transform"]).groups()  # type: ignore[union-attr]
    return float(x), float(y)


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_is_whole_and_in_the_colours_of_the_house(kind: str) -> None:
    svg = svg_of(kind)
    root_of(svg, f"A {kind}")
    assert "style=" not in svg
    assert not re.search(r"\bid=", svg)  # several charts stand in one page
    assert "NaN" not in svg and "Infinity" not in svg and "undefined" not in svg


def test_run_times_stand_where_they_belong() -> None:
    told = told_in(svg_of("run_times"))
    ours, turbo, pdlda = (
        told[each] for each in ("ToPMine: 8.1 s", "Turbo Topics: 6.9 min", "PD-LDA: ~70 min")
    )
    assert place_of(ours)[0] < place_of(turbo)[0] < place_of(pdlda)[0]
    assert place_of(ours)[1] < place_of(turbo)[1] < place_of(pdlda)[1]
    # From 0.1 to 1,000: four powers of ten on 480 pixels.
    assert place_of(turbo)[0] - place_of(ours)[0] == pytest.approx(120 * 1.704, abs=0.3)
    assert ours.attrib["fill"] == ACCENT.light and turbo.attrib["fill"] == FAINT.light
    assert pdlda.attrib["fill"] == GROUND.light and pdlda.attrib["stroke"] == FAINT.light
    assert told["Turbo Topics, the paper: 370"].attrib["fill"] == SECOND.light
    shown = texts_in(svg_of("run_times"))
    assert {"ToPMine", "8.1 s", "~70 min", "TNG", "–", "0.1", "1", "1,000"} <= set(shown)


def test_times_of_zero_have_no_place_on_a_logarithmic_axis() -> None:
    svg = to_svg(run_times([Row("A", 0.0, "0 s"), Row("B", 3.0, "3.0 s")], "seconds"), "Times")
    assert list(told_in(svg)) == ["B: 3.0 s"]
    assert "0 s" in texts_in(svg)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 1.0], [1e-6, 1e6]])
def test_run_times_of_any_size(values: list[float]) -> None:
    svg = to_svg(run_times([Row(f"m{i}", value, "x") for i, value in enumerate(values)], "s"), "Times")
    assert len(told_in(svg)) == len(values)
    assert "NaN" not in svg and "Infinity" not in svg


def test_dots_start_from_zero() -> None:
    svg = svg_of("dots")
    told = told_in(svg)
    assert place_of(told["A: −0.200"])[0] < place_of(told["B: 0.400"])[0]
    assert set(told) == {"A: −0.200", "B: 0.400"}
    assert told["B: 0.400"].attrib["fill"] == GROUND.light
    assert {"0.0", "TNG", "–"} <= set(texts_in(svg))


def test_shares_are_in_per_cent_and_reach_all() -> None:
    shown = texts_in(
        to_svg(dots([Row("A", 0.2, "20 %"), Row("B", 0.3, "30 %")], 1.0, percent=True), "Shares")
    )
    assert {"0 %", "50 %", "100 %"} <= set(shown)


def test_lines_have_names_and_all_their_points() -> None:
    svg = svg_of("perplexities")
    assert {"PhraseLDA", "LDA"} <= set(texts_in(svg))
    told = told_in(svg)
    assert set(told) == {f"{line.name}, sweep {x}: perplexity {y}" for line in LINES for x, y in line.points}
    one, other = (
        told[f"{name}, sweep 10: perplexity {y}"] for name, y in (("PhraseLDA", 200.0), ("LDA", 220.0))
    )
    assert place_of(one)[1] > place_of(other)[1]  # lower is lower
    assert 'stroke-dasharray="6,4"' in svg  # not told apart by colours alone


def test_many_points_are_a_line_with_its_end() -> None:
    long = Series("A", [(sweep, 100.0 + 1 / sweep) for sweep in range(1, 200)])
    assert list(told_in(to_svg(perplexities([long]), "Curve"))) == ["A, sweep 199: perplexity 100.0"]


def test_growth_in_proportion_is_a_straight_line() -> None:
    told = told_in(to_svg(decomposition([Series("a", [(10, 1.0), (100, 10.0), (1000, 100.0)])]), "Growth"))
    (x1, y1), (x2, y2), (x3, y3) = (place_of(mark) for mark in told.values())
    assert x3 - x2 == pytest.approx(x2 - x1, abs=0.2)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.2) and y1 > y2


def test_parts_that_took_no_time_are_left_out() -> None:
    told = told_in(svg_of("decomposition"))
    assert len(told) == 4 and "mining, 800 documents: 0.5 seconds" in told


@pytest.mark.parametrize("draw", [perplexities, decomposition])
def test_lines_of_one_point(draw: Any) -> None:
    assert len(told_in(to_svg(draw([Series("a", [(7, 2.0)])]), "One"))) == 1


def test_hostile_names_are_only_texts() -> None:
    rows = [Row(name, 1.0 + i, "x", paper=2.0) for i, name in enumerate(HOSTILE)]
    series = [Series(name, [(1, 2.0), (2, 3.0)]) for name in HOSTILE]
    for chart in (run_times(rows, "s"), dots(rows), perplexities(series), decomposition(series)):
        svg = to_svg(chart, HOSTILE[0])
        assert "<script" not in svg and "<img" not in svg
        assert not set(svg) & set("\x07\x1b\u202e\u2066\u2069\ud800")


def test_names_are_data_and_never_expressions() -> None:
    spec = run_times([Row("${datum.x}", 1.0, "x")], "s").to_dict()
    data = spec.pop("datasets", {})
    assert "${datum.x}" in json.dumps(data, ensure_ascii=False).replace("\\", "")
    assert "${datum.x}" not in json.dumps(spec)
