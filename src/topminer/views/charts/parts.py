"""What all charts have in common: quiet axes, the palette, lines with a legend, and names at the left."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from topminer.errors import InputError
from topminer.text.printable import printable
from topminer.topics.results.summary import Summary
from topminer.views.colours import ACCENT, FAINT, GRID, GROUND, INK, Colour

if TYPE_CHECKING:
    import altair as alt

FONT_SIZE = 12
SMALL = 10
MARGIN = 8  # pixels
WIDER = 1.15  # the reader's font may be wider than the one that labels are measured with
MOST_DOTS = 40  # on a line
SPOKEN = {"description": "described:N", "tooltip": "described:N"}  # what a mark says of itself


def finished(chart: Any, description: str, *, grid: bool = True) -> Any:
    """Return a chart with its ground, margins, and axes and legends that keep in the background."""
    size = SMALL + 1
    texts = {"labelColor": FAINT.light, "titleColor": FAINT.light, "labelFontSize": size}
    return (
        chart.properties(background=GROUND.light, padding=MARGIN, description=description)
        .configure_view(stroke=None)
        .configure_axis(
            **texts,
            domain=False,
            ticks=False,
            grid=grid,
            gridColor=GRID.light,
            titleFontWeight="normal",
            titleFontSize=size,
            labelPadding=6,
            titlePadding=8,
        )
        .configure_legend(**texts, orient="top", offset=10, columns=5, columnPadding=20)
        .configure_title(
            anchor="start",
            frame="group",
            color=INK.light,
            fontSize=FONT_SIZE,
            fontWeight="normal",
            subtitleColor=FAINT.light,
        )
    )


def drawn_from(rows: Iterable[dict[str, Any]]) -> alt.Chart:
    """Return a chart of rows, their fields named by us and their values whatever they are."""
    import altair as alt

    # As one string: Altair would look at every value, and copy it, many times over.
    values = json.dumps(list(rows), ensure_ascii=False, allow_nan=False)
    return alt.Chart(alt.InlineData(values=values, format=alt.JsonDataFormat(type="json")))


def pixels(field: str, length: float) -> Any:
    """Return a channel for a field in pixels: from the left, or from the top."""
    import altair as alt

    channel = alt.Y if field.startswith("y") else alt.X
    scale = alt.Scale(domain=[0, length], range=[0, length], nice=False, zero=False, padding=0)
    return channel(f"{field}:Q", scale=scale, axis=None)


def aligned(rows: Iterable[dict[str, Any]], colour: Colour, size: int, limit: float, **at: Any) -> Any:
    """Return texts in pixels that say themselves how they are aligned; each leads to its topic."""
    import altair as alt

    texts = drawn_from(rows).mark_text(
        aria=False, align=alt.ExprRef("datum.align"), color=colour.light, fontSize=size, limit=limit
    )
    return texts.encode(**at, text="text:N", href="link:N")


class Look(NamedTuple):
    """How a line is drawn: lines also differ by their dashes, not by colours alone."""

    colour: Colour
    dash: tuple[int, int] = (1, 0)  # solid


def lines(rows: Sequence[dict[str, Any]], looks: Mapping[str, Look], x: Any, y: Any) -> Iterator[Any]:
    """Yield layers of lines with their points; rows have x, y, the name of their line, and a description."""
    import altair as alt

    def channel(kind: Any, values: Iterable[Any]) -> Any:
        legend = alt.Legend(symbolType="stroke", symbolStrokeWidth=1.8, symbolSize=300)
        scale = alt.Scale(domain=list(looks), range=list(values))
        return kind("name:N", scale=scale, title=None, legend=legend)

    stroke = channel(alt.Stroke, (look.colour.light for look in looks.values()))
    dash = channel(alt.StrokeDash, (look.dash for look in looks.values()))
    line = drawn_from(rows).mark_line(aria=False, strokeWidth=1.8)
    yield line.encode(x=x, y=y, stroke=stroke, strokeDash=dash)
    n_points, ends = Counter(row["name"] for row in rows), {row["name"]: row for row in rows}
    points = drawn_from(
        row | {"colour": looks[row["name"]].colour.light}
        for row in rows
        if n_points[row["name"]] <= MOST_DOTS or row is ends[row["name"]]
    ).mark_circle(size=38, opacity=1)
    yield points.encode(x=x, y=y, fill=alt.Fill("colour:N", scale=None), **SPOKEN)


def upwards(values: Sequence[float], padding: float = 0.0, **axis: Any) -> Any:
    """Return a vertical axis for values that need not start from zero."""
    import altair as alt

    low, high = min(values, default=0.0), max(values, default=1.0)
    domain: Any = alt.Undefined
    if low == high:  # an axis of no length would have a wrong label
        domain = [low - (abs(low) / 10 or 1.0), high + (abs(high) / 10 or 1.0)]
    scale = alt.Scale(zero=False, nice=True, padding=padding or alt.Undefined, domain=domain)
    return alt.Y("y:Q", axis=alt.Axis(title=None, **axis), scale=scale)


def numbered(row: int, name: str) -> str:
    """Return a name for :func:`names`: numbers keep names in order, and equal names apart."""
    return f"{row:03} {printable(name)}"


def names(rows: Iterable[str], most: float, strong: Sequence[int] = ()) -> Any:
    """Return an axis at the left that shows names; those of the rows ``strong`` stand out."""
    import altair as alt

    longest = max((FONT_SIZE * text_width(row[4:]) for row in rows), default=0.0)
    is_strong = f"indexof({list(strong)}, parseInt(datum.value)) >= 0"

    def either(one: str, other: str) -> Any:
        return {"condition": {"test": is_strong, "value": one}, "value": other}

    axis = alt.Axis(
        title=None,
        grid=False,
        labelExpr="slice(datum.label, 4)",
        labelColor=either(ACCENT.light, INK.light),
        labelFontWeight=either("bold", "normal"),
        labelFontSize=FONT_SIZE,
        labelLimit=most,
        labelPadding=10,
        minExtent=WIDER * min(longest, most),
    )
    return alt.Y("name:N", axis=axis)


def labels_of(summary: Summary, labels: Sequence[str] | None) -> list[str]:
    """Return what topics are called: ``labels``, or those of the summary."""
    labels = summary.labels if labels is None else labels
    if len(labels) != summary.n_topics:
        raise InputError(f"{len(labels):,} labels for {summary.n_topics:,} topics")
    return [printable(label) for label in labels]


def link(topic: int) -> str:
    """Return where a page shows a topic."""
    return f"#/topic/{topic}"


def text_width(text: str) -> float:
    """Return about how wide a text is, in units of the size of its font."""
    width = 0.0
    for char in text:
        if unicodedata.east_asian_width(char) in "WF":
            width += 1.0
        elif unicodedata.category(char) not in ("Mn", "Me", "Cf"):
            width += 0.36 if char in " iljtfrI.,;:'’|!()[]-" else 0.9 if char in "mwMW@%" else 0.62
    return width
