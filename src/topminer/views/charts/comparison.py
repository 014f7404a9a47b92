"""Charts of a comparison of methods: run times, scores, perplexity by sweep, and the parts of a run.

They take plain rows and figures. Charts are small: several stand side by side on a wide page, and one below
the other on a narrow one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from topminer.text.printable import printable
from topminer.views.charts.parts import (
    FONT_SIZE,
    SPOKEN,
    Look,
    drawn_from,
    finished,
    lines,
    names,
    numbered,
    upwards,
)
from topminer.views.colours import ACCENT, FAINT, GRID, GROUND, INK, SECOND, WHOLE

if TYPE_CHECKING:
    import altair as alt

STEP, LABEL_WIDTH = 26, 96  # a row's height, and the room for its name
TIMES_WIDTH, DOTS_WIDTH = 480, 150
CURVES_WIDTH, CURVES_HEIGHT = 400, 230
_LOOKS = (Look(ACCENT), Look(SECOND, (6, 4)), Look(FAINT, (2, 3)))


class Row(NamedTuple):
    """A figure of one method."""

    name: str
    value: float | None  # None: there is none, and only its text is shown
    text: str  # the figure as it is shown
    ours: bool = False  # the method that the others are compared with
    hollow: bool = False  # an estimate, or not of the whole
    paper: float | None = None  # the same in the paper, a second mark


class Series(NamedTuple):
    """A line: what it shows, and its points."""

    name: str
    points: Sequence[tuple[float, float]]


# ----------------------------------------------------------------- one figure a method


def run_times(rows: Sequence[Row], axis: str) -> alt.LayerChart:
    """Draw times, or ratios of times, on a logarithmic axis, which has no place for a time of zero.

    ``axis`` says what the values are. The paper's figure is an upright stroke, joined to our own mark.
    """
    import altair as alt

    rows = [row if row.value else row._replace(value=None, paper=None) for row in rows]
    ticks = _powers([value for row in rows for value in (row.value, row.paper) if value])
    x = alt.X(
        "value:Q",
        scale=alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False),
        axis=alt.Axis(title=axis, values=ticks, format=",~r"),
    )
    papers = [
        record | {"described": f"{printable(row.name)}, the paper: {row.paper:,.3g}"}
        for row, record in zip(rows, _records(rows), strict=True)
        if row.paper is not None
    ]
    between = drawn_from(papers).mark_rule(aria=False, color=GRID.light, strokeWidth=3)
    strokes = drawn_from(papers).mark_tick(
        orient="vertical", color=SECOND.light, thickness=3, size=20, opacity=1
    )
    paper = x.copy()
    paper.shorthand = "paper:Q"
    y = _methods(rows)
    behind = [between.encode(x=x, x2="paper:Q", y=y), strokes.encode(x=paper, y=y, **SPOKEN)]
    return _figures(rows, x, TIMES_WIDTH, "Run times", behind if papers else [])


def dots(rows: Sequence[Row], highest: float = 0.0, *, percent: bool = False) -> alt.LayerChart:
    """Draw figures as dots on lines from zero; the axis reaches ``highest``, or as far as it must."""
    import altair as alt

    values = [row.value for row in rows if row.value is not None]
    low, high = min([0.0, *values]), max([highest, *values])
    label = "format(100 * datum.value, ',.0f') + ' %'" if percent else "datum.label"
    x = alt.X(
        "value:Q",
        scale=alt.Scale(domain=[low, high if high > low else low + 1.0], nice=not percent),
        axis=alt.Axis(title=None, tickCount=3, labelExpr=label, labelFlush=False),
    )
    known = (record for record in _records(rows) if record["value"] is not None)
    stems = drawn_from(known).mark_rule(aria=False, color=WHOLE.light, strokeWidth=1.5)
    stem = stems.encode(x=x, x2=alt.datum(0), y=_methods(rows))
    return _figures(rows, x, DOTS_WIDTH, "Figures of methods", [stem])


def _figures(
    rows: Sequence[Row], x: Any, width: int, description: str, behind: Sequence[Any]
) -> alt.LayerChart:
    """Draw names at the left, marks, and the figures as texts at the right."""
    import altair as alt

    y, records = _methods(rows), list(_records(rows))
    marks = drawn_from(record for record in records if record["value"] is not None).mark_point(
        shape="circle", size=90, opacity=1, strokeWidth=2
    )
    fill, stroke = alt.Fill("fill:N", scale=None), alt.Stroke("stroke:N", scale=None)
    texts = drawn_from(records).mark_text(
        aria=False, align="left", dx=14, color=INK.light, fontSize=FONT_SIZE
    )
    chart = alt.layer(
        *behind,
        marks.encode(x=x, y=y, fill=fill, stroke=stroke, **SPOKEN),
        texts.encode(x=alt.value(width), y=y, text="text:N"),
    ).properties(width=width, height=alt.Step(STEP))
    drawn: alt.LayerChart = finished(chart, description)
    return drawn


def _methods(rows: Sequence[Row]) -> Any:
    strong = [i for i, row in enumerate(rows) if row.ours]
    return names((numbered(i, row.name) for i, row in enumerate(rows)), LABEL_WIDTH, strong)


def _records(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    for i, row in enumerate(rows):
        colour = ACCENT if row.ours else FAINT
        yield {
            "name": numbered(i, row.name),
            "value": row.value,
            "paper": row.paper,
            "text": row.text,
            "described": f"{printable(row.name)}: {row.text}",
            "stroke": colour.light,
            "fill": (GROUND if row.hollow else colour).light,
        }


def _powers(values: Sequence[float]) -> list[float]:
    """Return the powers of ten that hold all values between them, two at least.

    >>> _powers([0.97, 507.5])
    [0.1, 1.0, 10.0, 100.0, 1000.0]
    """
    logs = [math.log10(value) for value in values] or [0.0]
    low, high = math.floor(min(logs)), math.ceil(max(logs))
    return [10.0**power for power in range(low, max(high, low + 1) + 1)]


# ----------------------------------------------------------------- lines


def perplexities(series: Sequence[Series]) -> alt.LayerChart:
    """Draw perplexity by sweep, a line for each model."""
    import altair as alt

    last = max((sweep for one in series for sweep, _ in one.points), default=1)
    x = alt.X(
        "x:Q",
        axis=alt.Axis(title="sweep", grid=False, tickCount=6, format=",d"),
        scale=alt.Scale(domain=[0, last], nice=False),
    )
    y = upwards([value for one in series for _, value in one.points], tickCount=5, format=",~r")
    return _curves(series, x, y, "sweep {x:,.0f}: perplexity {y:,.1f}", "Held-out perplexity by sweep", [])


def decomposition(parts: Sequence[Series]) -> alt.LayerChart:
    """Draw the time of each part of a run by the size of the corpus, both axes logarithmic.

    A faint line shows what growth in proportion to the corpus would look like. Times of zero are left out.
    """
    import altair as alt

    seen = [Series(one.name, [(x, y) for x, y in one.points if x > 0 and y > 0]) for one in parts]
    points = [point for one in seen for point in one.points]
    xs, ticks = sorted({x for x, _ in points}) or [1.0], _powers([y for _, y in points])
    x = alt.X(
        "x:Q",
        axis=alt.Axis(title="documents", values=xs, format=",d", grid=False, labelOverlap="greedy"),
        scale=alt.Scale(type="log", domain=[xs[0] / 1.15, xs[-1] * 1.15], nice=False),
    )
    y = alt.Y(
        "y:Q",
        axis=alt.Axis(title="seconds", values=ticks, format=",~r"),
        scale=alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False),
    )
    growth = [
        {"part": i, "x": end, "y": first_y * end / first_x}
        for i, one in enumerate(seen)
        for first_x, first_y in one.points[:1]
        for end in (first_x, one.points[-1][0])
    ]
    line = drawn_from(growth).mark_line(aria=False, color=GRID.light, strokeWidth=4)
    behind = [line.encode(x=x, y=y, detail="part:N")]
    title = "Parts of the run time by documents"
    return _curves(seen, x, y, "{x:,.0f} documents: {y:,.3g} seconds", title, behind)


def _curves(
    series: Sequence[Series], x: Any, y: Any, described: str, title: str, behind: Sequence[Any]
) -> alt.LayerChart:
    import altair as alt

    called = [printable(one.name) for one in series]
    rows = [
        {"name": name, "x": x, "y": y, "described": f"{name}, {described.format(x=x, y=y)}"}
        for name, one in zip(called, series, strict=True)
        for x, y in one.points
    ]
    looks = {name: _LOOKS[i % len(_LOOKS)] for i, name in enumerate(called)}
    chart = alt.layer(*behind, *lines(rows, looks, x, y))
    drawn: alt.LayerChart = finished(chart.properties(width=CURVES_WIDTH, height=CURVES_HEIGHT), title)
    return drawn
