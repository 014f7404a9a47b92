"""Charts of a model: whole, harmless, at home on any ground, and true to the numbers."""

import re
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import polars as pl
import pytest
from drawings import SVG, data_of, root_of, texts_in
from explained import CONTROLS, HOSTILE

from topminer import Corpus, PhraseLDA, Summary, ToPMine
from topminer.errors import InputError
from topminer.text.printable import printable
from topminer.topics.results.ranking import relevance
from topminer.views import charts
from topminer.views.charts.map import GAP, HEIGHT, WIDTH, radii, spread
from topminer.views.charts.svg import LONGEST_SIDE, _attributes
from topminer.views.numbers import percent

KINDS = ("topic_map", "topic_bars", "trends", "history", "weights")
LINKED = ("topic_map", "trends", "weights")
METALS = ["iron ore", "zinc, iron ore and copper", "copper and zinc alloy", "zinc alloy, tin"]
FRUITS = ["apple pie", "pear and plum", "apple pie with plum", "ripe pear, plum"]
TIMES = [None if i % 9 == 0 else datetime(2001 + i % 8 // 2, 1, 1) for i in range(160)]


@cache
def corpus() -> Corpus:
    return Corpus.from_texts((METALS + FRUITS) * 20)


def fitted(n_topics: int, times: list[Any] | None, **parameters: Any) -> ToPMine:
    usual = {"n_sweeps": 2, "random_state": 0, "n_threads": 1, "phrases": False}
    dated = None if times is None else pl.Series(times, dtype=pl.Datetime("us"))
    return ToPMine(n_topics, **usual | parameters).fit(replace(corpus(), times=dated))


@cache
def model(n_topics: int = 5) -> ToPMine:
    return fitted(n_topics, TIMES, phrases=True, min_support=3, significance=1.0, n_sweeps=60)


def drawn(kind: str, of: ToPMine) -> Any:
    return charts.topic_bars(of, 0) if kind == "topic_bars" else getattr(charts, kind)(of)


@cache
def svg_of(kind: str, n_topics: int = 5, standalone: bool = False) -> str:
    return charts.to_svg(drawn(kind, model(n_topics)), f"A {kind}", standalone=standalone)


def cells_in(svg: str) -> dict[int, Element]:
    found = ElementTree.fromstring(svg).iter(f"{SVG}g")
    groups = [group for group in found if "data-topic" in group.attrib]
    cells = {int(group.attrib["data-topic"]): group for group in groups}
    assert len(cells) == len(groups)
    return cells


def rows_of(chart: Any, *fields: str) -> list[dict[str, Any]]:
    """The data of a chart that have these fields."""
    return [row for rows in data_of(chart) for row in rows if all(field in row for field in fields)]


# ----------------------------------------------------------------- as files


@pytest.mark.parametrize("standalone", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_an_svg_is_well_formed_and_needs_nothing(kind: str, standalone: bool) -> None:
    svg = svg_of(kind, standalone=standalone)
    root = root_of(svg, f"A {kind}")
    assert not re.search(r"\s(style|on\w+|class)=", svg.replace(' class="marks"', "", 1))
    assert set(re.findall(r"https?://[^\"]*", svg)) == {"http://www.w3.org/2000/svg"}
    style, ground = root.find(f"{SVG}style"), root.find(f"{SVG}rect")
    if standalone:  # a file brings its own ground
        assert style is not None and ground is not None
        assert (style.text or "").startswith("@media (prefers-color-scheme:dark){.marks [fill=")
        assert ground.get("fill") == "#ffffff"
    else:
        assert style is None and ground is None
    assert svg == charts.to_svg(drawn(kind, model()), f"A {kind}", standalone=standalone)


@pytest.mark.parametrize("kind", LINKED)
def test_topics_lead_to_their_pages_in_a_page_alone(kind: str) -> None:
    root = ElementTree.fromstring(svg_of(kind))
    links = [link.attrib for link in root.iter(f"{SVG}a")]
    assert [link["href"] for link in links] == [f"#/topic/{k}" for k in range(5)]
    assert all(link["aria-label"].startswith(f"Topic {k}: ") for k, link in enumerate(links))
    assert root.get("role") == "group"  # links within an image cannot be reached
    alone = ElementTree.fromstring(svg_of(kind, standalone=True))
    assert alone.find(f".//{SVG}a") is None
    assert alone.get("role") == "img"


@pytest.mark.parametrize("standalone", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_marks_say_what_they_are_and_nothing_that_speaks_is_hidden(kind: str, standalone: bool) -> None:
    root = ElementTree.fromstring(svg_of(kind, standalone=standalone))
    speaking = [element for element in root.iter() if "aria-label" in element.attrib]
    marks = [mark for mark in speaking if not re.match("[XY]-axis|Symbol legend", mark.attrib["aria-label"])]
    assert marks
    for mark in marks:
        assert mark[0].tag == f"{SVG}title"
        assert mark[0].text == mark.attrib["aria-label"]
    for hidden in root.iterfind(".//*[@aria-hidden]"):
        assert not [element for element in hidden.iter() if "aria-label" in element.attrib]
        assert hidden.find(f".//{SVG}a") is None
    for through in root.iterfind(".//*[@pointer-events='none']"):
        assert through.find(f".//{SVG}title") is None


@pytest.mark.small
def test_points_on_a_level_are_left_out() -> None:
    drawn = {"d": "M0,1.04L1,2L2,2L3,2.04L4,2L5,3L6,3L7,4L7,22L8,2Z"}
    assert _attributes(drawn)["d"] == "M0,1L1,2L4,2L5,3L6,3L7,4L7,22L8,2Z"
    assert _attributes({"d": "M0,5L1,5L2,5L3,5"})["d"] == "M0,5L1,5L3,5"


@pytest.mark.parametrize("n_topics", [1, 5, 100])
@pytest.mark.parametrize("kind", LINKED)
def test_all_of_a_topic_stands_in_one_group(kind: str, n_topics: int) -> None:
    cells = cells_in(svg_of(kind, n_topics))
    assert sorted(cells) == list(range(n_topics))
    for k, cell in cells.items():
        title = cell.find(f".//{SVG}title")
        assert title is not None
        assert (title.text or "").startswith(f"Topic {k}: ")
        if kind == "trends":
            assert texts_in(cell)[0].startswith(f"{k} ")
            assert len(cell.findall(f".//{SVG}path")) == 2


def test_a_long_chart_makes_no_endless_png() -> None:
    import altair as alt

    chart = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    png = charts.to_png(chart.properties(width=100, height=3 * LONGEST_SIDE // 4))
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(png[20:24]) <= LONGEST_SIDE + 1


def test_hostile_labels_are_only_text() -> None:
    labels = [HOSTILE, "]]>", "${datum.x}", '"},{"x":1', "模式树 شجرة 👨‍👩‍👧"]
    for kind in ("topic_map", "trends"):
        svg = charts.to_svg(getattr(charts, kind)(model(), labels), HOSTILE)
        assert "<script" not in svg
        assert not set(svg) & set(CONTROLS.replace("[2J", ""))
        for k, cell in cells_in(svg).items():
            title = cell.find(f".//{SVG}title")
            assert title is not None
            assert f"Topic {k}: {printable(labels[k])}, " in (title.text or "")


def test_hostile_phrases_are_only_text() -> None:
    corpus = Corpus.from_texts([["<b>", "$&\x00\u202e{}"], ["'\"", "]]>"]] * 30, language=None)
    hostile = ToPMine(2, min_support=3, significance=1.0, n_sweeps=5, random_state=0, n_threads=1).fit(corpus)
    for kind in ("topic_map", "topic_bars", "weights", "history"):
        ElementTree.fromstring(charts.to_svg(drawn(kind, hostile), kind))


def test_labels_must_be_as_many_as_topics() -> None:
    with pytest.raises(InputError, match="2 labels for 5 topics"):
        charts.topic_map(model(), ["one", "two"])


# ----------------------------------------------------------------- the map


@pytest.mark.small
@pytest.mark.parametrize("n_topics", [1, 2, 5, 50, 300])
def test_circles_are_as_weights_and_lie_on_the_map(n_topics: int) -> None:
    random = np.random.default_rng(n_topics)
    weight = -np.sort(-random.dirichlet(np.ones(n_topics)))
    radius = radii(weight)
    large = radius > 4
    areas = radius[large] ** 2 / weight[large]
    assert areas == pytest.approx(areas.mean())
    middle = spread(random.normal(size=(n_topics, 2)), radius)
    assert (middle >= radius[:, None]).all()
    assert (middle <= [WIDTH, HEIGHT] - radius[:, None]).all()


@pytest.mark.small
def test_circles_with_one_place_are_set_side_by_side() -> None:
    radius = radii(np.full(40, 1 / 40))
    middle = spread(np.zeros((40, 2)), radius)
    apart = np.hypot(*(middle[:, None] - middle).transpose(2, 0, 1)) + 1e9 * np.eye(40)
    assert apart.min() > 2 * radius[0] - GAP


@pytest.mark.small
def test_circles_far_apart_stay_where_they_are() -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.4]])
    middle = spread(points, np.full(3, 5.0))
    side, short = np.hypot(*(middle[0] - middle[1])), np.hypot(*(middle[0] - middle[2]))
    assert short / side == pytest.approx(np.hypot(0.5, 0.4), rel=1e-3)


@pytest.mark.parametrize("n_topics", [1, 2, 5, 100])
def test_the_map_shows_numbers_and_labels(n_topics: int) -> None:
    labels = [f"label {k}" for k in range(n_topics)]
    root = ElementTree.fromstring(charts.to_svg(charts.topic_map(model(n_topics), labels), "Map"))
    shown = texts_in(root)
    assert shown[0] == "0"
    assert "label 0" in shown
    assert len(root.findall(f".//{SVG}path")) == n_topics
    assert n_topics < 100 or (model(100).lda_.topic_weight_ == 0).any()  # also where topics are empty


# ----------------------------------------------------------------- the others


def test_bars_go_by_relevance_and_have_the_right_lengths() -> None:
    frequency, partition = model().lda_.frequency_, model().partition_
    surfaces, n_stems = partition.surfaces(), corpus().n_stems
    totals, topic = frequency.totals(), 1
    expected = []
    for kind, of, mean in zip(frequency.types, frequency.topics, frequency.mean, strict=True):
        if of == topic and kind >= n_stems:
            inside, overall = mean / frequency.sizes()[topic], totals[kind] / totals.sum()
            score = float(relevance(inside, overall, 0.3))
            expected.append((-score, surfaces[kind - n_stems], round(mean, 1), round(totals[kind], 1)))
    rows = rows_of(charts.topic_bars(model(), topic, n=3, weight=0.3), "of", "count")
    here, everywhere = (
        [row for row in rows if row["of"] == f"in {of}"] for of in ("this topic", "all topics")
    )
    assert [
        (one["name"], one["count"], other["count"]) for one, other in zip(here, everywhere, strict=True)
    ] == [(f"{i:03} {entry[1]}", *entry[2:]) for i, entry in enumerate(sorted(expected)[:3])]
    shown = texts_in(charts.to_svg(charts.topic_bars(model(), topic, n=3), "Bars"))
    assert {entry[1] for entry in expected} & set(shown)


def test_bars_of_a_model_without_phrases_are_of_words_and_an_empty_topic_has_none() -> None:
    rows = rows_of(charts.topic_bars(fitted(2, None), 0), "count")
    assert rows and {row["name"][4:] for row in rows} <= set(corpus().vocabulary["surface"])
    empty = int(np.flatnonzero(model(100).lda_.topic_weight_ == 0)[-1])
    ElementTree.fromstring(charts.to_svg(charts.topic_bars(model(100), empty), "Nothing"))
    for topic in (-1, 5):
        with pytest.raises(InputError, match=f"there is no topic {topic}; topics are numbered from 0 to 4"):
            charts.topic_bars(model(), topic)


def test_trends_reach_their_peak() -> None:
    shares = Summary(model()).shares
    assert shares is not None
    points = rows_of(charts.trends(model()), "k", "y2")
    for k, cell in cells_in(svg_of("trends")).items():
        heights = np.array([row["y2"] - row["y"] for row in points if row["k"] == k])
        assert heights == pytest.approx(44 * shares[k] / shares[k].max(), abs=0.11)
        assert percent(shares[k].max()) in texts_in(cell)
        assert {"2001", "2004"} <= set(texts_in(cell))


def test_years_without_documents_are_passed_over_and_one_year_alone_is_a_level() -> None:
    late = [time and (datetime(2006, 1, 1) if time.year == 2002 else time) for time in TIMES]
    points = [row["x"] for row in rows_of(charts.trends(fitted(2, late)), "k") if row["k"] == 0]
    assert points == pytest.approx([0, 2 / 5 * 148, 3 / 5 * 148, 148], abs=0.1)
    chart = charts.trends(fitted(2, [datetime(2001, 1, 1)] * 160))
    assert len([row for row in rows_of(chart, "k") if row["k"] == 0]) == 2
    assert cells_in(charts.to_svg(chart, "One year"))
    with pytest.raises(InputError, match="no times"):
        charts.trends(fitted(2, None))


def test_history_shows_every_number_that_was_written() -> None:
    svg = svg_of("history")
    for row in model().lda_.history_.iter_rows(named=True):
        assert f"sweep {row['sweep']:,}: perplexity {row['perplexity']:,.4g}" in svg
    assert "held-out" not in svg
    other, partition = ToPMine(5), model().partition_
    other.lda_ = PhraseLDA(5, n_sweeps=60, random_state=0, n_threads=1).fit(partition, held_out=partition)
    assert "held-out perplexity" in texts_in(charts.to_svg(charts.history(other), "History"))


def test_weights_are_those_of_the_model() -> None:
    rows = rows_of(charts.weights(model()), "share")
    assert [row["share"] for row in rows] == pytest.approx(model().lda_.topic_weight_, abs=1e-6)


@pytest.mark.small
@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0.0 %"), (1, "100 %"), (0.0996, "10 %"), (0.0994, "9.9 %"), (0.0004, "0.04 %"), (1e-9, "< 0.01 %")],
)
def test_shares_in_percent(share: float, shown: str) -> None:
    assert percent(share) == shown
