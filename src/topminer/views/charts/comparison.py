"""Charts of a comparison of methods: run times, scores, perplexity by sweep, and the parts of a run.

They take plain rows and figures. Charts are small: several stand side by side on a wide page, and one below
the other on a narrow one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from topminer.text.printable import printable
from topminer.views.charts.parts import FONT_SIZE, drawn_from, dressed, fitting, pixels, text_width
from topminer.views.colours import ACCENT, FAINT, GRID, GROUND, INK, SECOND, WHOLE

if TYPE_CHECKING:
    import altair as alt

STEP, LABEL_WIDTH = 26.0, 96.0  # a row's height, and the room for its name
TIMES_WIDTH, DOTS_WIDTH = 480, 150
CURVES_WIDTH, CURVES_HEIGHT = 400, 230
MOST_DOTS = 40  # on a line
_SERIES = ((ACCENT, "circle", [1, 0]), (SECOND, "square", [6, 4]), (FAINT, "diamond", [2, 3]))


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

    Parameters
    ----------
    rows : sequence of Row
    axis : str
        What the values are.
    """
    import altair as alt

    rows = [row if row.value else row._replace(value=None) for row in rows]
    ticks = _powers([value for row in rows for value in (row.value, row.paper) if value])
    across = alt.X(
        "value:Q",
        scale=alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False),
        axis=alt.Axis(title=axis, values=ticks, format=",~r", orient="bottom"),
    )
    return _figures_of(rows, across, TIMES_WIDTH, "Run times", _papers(rows, across))


def dots(rows: Sequence[Row], highest: float = 0.0, *, percent: bool = False) -> alt.LayerChart:
    """Draw figures as dots on lines from zero; the axis reaches ``highest``, or as far as it must."""
    import altair as alt

    values = [row.value for row in rows if row.value is not None]
    low, high = min([0.0, *values]), max([highest, *values])
    label = "format(100 * datum.value, ',.0f') + ' %'" if percent else "datum.label"
    across = alt.X(
        "value:Q",
        scale=alt.Scale(domain=[low, high if high > low else low + 1.0], nice=not percent),
        axis=alt.Axis(
            title=None,
            tickCount=3,
            labelExpr=label,
            labelFlush=False,
            orient="bottom",
        ),
    )
    stems = drawn_from(_placed(rows, lambda row: row.value)).mark_rule(
        aria=False, color=WHOLE.light, strokeWidth=1.5
    )
    drawn = stems.encode(x=across, x2=alt.datum(0), y=pixels("y", _height(rows)))
    return _figures_of(rows, across, DOTS_WIDTH, "Figures of methods", [drawn])


def _figures_of(
    rows: Sequence[Row], across: Any, width: int, description: str, behind: Iterable[Any]
) -> alt.LayerChart:
    """Names at the left, marks, and the figures as texts at the right."""
    import altair as alt

    height = _height(rows)
    y = pixels("y", height)
    layers = list(behind)
    for ours in (False, True):
        mine = [row._replace(value=0.0) if row.ours == ours else row._replace(value=None) for row in rows]
        names = drawn_from(_placed(mine, lambda row: row.value)).mark_text(
            aria=False,
            align="right",
            dx=-12,
            color=(ACCENT if ours else INK).light,
            fontSize=FONT_SIZE,
            fontWeight="bold" if ours else "normal",
        )
        layers.append(names.encode(x=alt.value(0), y=y, text="name:N"))
    marks = drawn_from(_placed(rows, lambda row: row.value)).mark_point(
        shape="circle", size=90, opacity=1, strokeWidth=2
    )
    fill, stroke = (alt.Fill("fill:N", scale=None), alt.Stroke("stroke:N", scale=None))
    layers.append(
        marks.encode(x=across, y=y, fill=fill, stroke=stroke, description="told:N", tooltip="told:N")
    )
    texts = drawn_from(_placed(rows, lambda row: 0.0)).mark_text(
        aria=False, align="left", dx=14, color=INK.light, fontSize=FONT_SIZE
    )
    layers.append(texts.encode(x=alt.value(width), y=y, text="text:N"))
    chart = alt.layer(*layers).properties(width=width, height=height)
    drawn: alt.LayerChart = dressed(chart, description, longest=LABEL_WIDTH)
    return drawn


def _height(rows: Sequence[Row]) -> float:
    return STEP * max(len(rows), 1)


def _placed(rows: Sequence[Row], value: Callable[[Row], float | None]) -> Iterator[dict[str, Any]]:
    """The rows that have such a value, where they stand, and in which colours."""
    for i, row in enumerate(rows):
        colour, name = ACCENT if row.ours else FAINT, printable(row.name)
        if (at := value(row)) is not None:
            yield {
                "y": STEP * (i + 0.5),
                "name": fitting(name, LABEL_WIDTH, FONT_SIZE),
                "value": at,
                "text": row.text,
                "told": f"{name}: {row.text}",
                "stroke": colour.light,
                "fill": (GROUND if row.hollow else colour).light,
            }


def _papers(rows: Sequence[Row], across: Any) -> Iterator[Any]:
    """What the paper has: an upright stroke, joined to our own mark."""
    import altair as alt

    timed = [row if row.value is not None else row._replace(paper=None) for row in rows]
    ends = [row.value for row in timed if row.paper is not None]
    pairs = [
        placed | {"end": end, "told": f"{placed['name']}, the paper: {placed['value']:,.3g}"}
        for placed, end in zip(_placed(timed, lambda row: row.paper), ends, strict=True)
    ]
    if pairs:
        y = pixels("y", _height(rows))
        between = drawn_from(pairs).mark_rule(aria=False, color=GRID.light, strokeWidth=3)
        yield between.encode(x=across, x2=alt.X2("end"), y=y)
        strokes = drawn_from(pairs).mark_tick(
            orient="vertical", color=SECOND.light, thickness=3, size=20, opacity=1
        )
        yield strokes.encode(x=across, y=y, description="told:N", tooltip="told:N")


def _powers(values: Sequence[float]) -> list[float]:
    """The powers of ten that hold all values between them, two at least.

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
    across = alt.X(
        "x:Q",
        axis=alt.Axis(title="sweep", grid=False, tickCount=6, format=",d"),
        scale=alt.Scale(domain=[0, last], nice=False),
    )
    upwards = alt.Y(
        "y:Q", axis=alt.Axis(title=None, tickCount=5, format=",~r"), scale=alt.Scale(zero=False, nice=True)
    )
    layers = list(_lines(series, across, upwards, "sweep {x:,.0f}: perplexity {y:,.1f}"))
    return _finished(layers, "Held-out perplexity by sweep")


def decomposition(parts: Sequence[Series]) -> alt.LayerChart:
    """Draw the time of each part of a run by the size of the corpus, both axes logarithmic.

    A faint line shows what growth in proportion to the corpus would look like. Times of zero are left out.
    """
    import altair as alt

    seen = [Series(one.name, [(x, y) for x, y in one.points if x > 0 and y > 0]) for one in parts]
    points = [point for one in seen for point in one.points]
    xs, ys = sorted({x for x, _ in points}) or [1.0], [y for _, y in points] or [1.0]
    across = alt.X(
        "x:Q",
        axis=alt.Axis(title="documents", values=xs, format=",d", grid=False, labelOverlap="greedy"),
        scale=alt.Scale(type="log", domain=[xs[0] / 1.15, xs[-1] * 1.15], nice=False),
    )
    ticks = _powers(ys)
    upwards = alt.Y(
        "y:Q",
        axis=alt.Axis(title="seconds", values=ticks, format=",~r"),
        scale=alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False),
    )
    layers = []
    for one in seen:
        if len(one.points) > 1:
            (x, y), end = one.points[0], one.points[-1][0]
            rows = [{"x": x, "y": y}, {"x": end, "y": y * end / x}]
            line = drawn_from(rows).mark_line(aria=False, color=GRID.light, strokeWidth=4)
            layers.append(line.encode(x=across, y=upwards))
    layers += _lines(seen, across, upwards, "{x:,.0f} documents: {y:,.3g} seconds")
    return _finished(layers, "Parts of the run time by documents")


def _lines(series: Sequence[Series], across: Any, upwards: Any, told: str) -> Iterator[Any]:
    """Lines with their points, and what they are of above them."""
    import altair as alt

    right = 0.0
    for i, one in enumerate(series):
        colour, shape, dash = _SERIES[i % len(_SERIES)]
        name = printable(one.name)
        rows = [{"x": x, "y": y, "told": f"{name}, {told.format(x=x, y=y)}"} for x, y in one.points]
        line = drawn_from(rows).mark_line(aria=False, color=colour.light, strokeWidth=1.8, strokeDash=dash)
        yield line.encode(x=across, y=upwards)
        points = drawn_from(rows if len(rows) <= MOST_DOTS else rows[-1:]).mark_point(
            shape=shape, size=38, opacity=1, filled=True, color=colour.light
        )
        yield points.encode(x=across, y=upwards, description="told:N", tooltip="told:N")
        shown = fitting(name, CURVES_WIDTH / len(series) - 30, FONT_SIZE)
        key = drawn_from([{"name": shown}])
        mark = key.mark_point(aria=False, shape=shape, size=60, opacity=1, filled=True, color=colour.light)
        yield mark.encode(x=alt.value(right + 5), y=alt.value(-18))
        text = key.mark_text(aria=False, align="left", color=colour.light, fontSize=FONT_SIZE)
        yield text.encode(x=alt.value(right + 15), y=alt.value(-18), text="name:N")
        right += 15 + FONT_SIZE * text_width(shown) * 1.15 + 20


def _finished(layers: list[Any], description: str) -> alt.LayerChart:
    import altair as alt

    chart = alt.layer(*layers).properties(width=CURVES_WIDTH, height=CURVES_HEIGHT)
    drawn: alt.LayerChart = dressed(chart, description)
    return drawn
