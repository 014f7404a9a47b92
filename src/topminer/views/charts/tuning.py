"""What a grid of models is worth: a small chart for each measure, a line for each threshold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from topminer.evaluation.recommend import Point, named, of_threshold
from topminer.evaluation.tune import Tuning
from topminer.views.charts.parts import FONT_SIZE, SMALL, drawn_from, dressed, pixels, text_width
from topminer.views.colours import ACCENT, FAINT, GLUED, INK, MERGED, SECOND, THRESHOLD, WHOLE

if TYPE_CHECKING:
    import altair as alt

TITLE = "Measures by number of topics and threshold"
WIDTH, HEIGHT = 300, 150  # of a panel, in pixels
ACROSS, DOWN = 40, 34  # between panels
COLOURS = (ACCENT, SECOND, MERGED, GLUED, THRESHOLD, FAINT)
DASHED, DOTTED = (6, 4), (2, 3)
LABELS = 38  # room for numbers beside a panel, so that panels stand below each other
STROKE, DOT, RING = 1.8, 34, 190


class _Measure(NamedTuple):
    """A panel."""

    name: str
    better: str
    value: Callable[[Point], float | None]
    format: str


MEASURES = (
    _Measure("perplexity of held-out documents", "lower is better", lambda point: point.perplexity, ",.1f"),
    _Measure("stability over seeds", "higher is better", lambda point: point.stability, ".2f"),
    _Measure("coherence of words", "higher is better", lambda point: point.coherence, ".3f"),
    _Measure("coherence of phrases", "higher is better", lambda point: point.phrase_coherence, ".3f"),
)


def tuning(found: Tuning) -> alt.VConcatChart:
    """Draw perplexity, stability and coherence by the number of topics; a ring marks what is recommended.

    Measures that no point has, such as stability of one seed, are left out.
    """
    import altair as alt

    thresholds = sorted({point.threshold for point in found.points})
    looks = dict(zip(thresholds, _looks(thresholds), strict=True))
    measures = [each for each in MEASURES if any(each.value(point) is not None for point in found.points)]
    panels = [_panel(each, found, looks) for each in measures]
    grid = alt.concat(*panels, columns=2, spacing={"row": DOWN, "column": ACROSS})
    chart = alt.vconcat(_legend(looks, found.recommended), grid, spacing=DOWN)
    chart = chart.resolve_scale(x="independent", y="independent")
    drawn: alt.VConcatChart = dressed(chart, TITLE)
    return drawn


class _Look(NamedTuple):
    colour: str
    dash: tuple[int, ...]  # none: solid


def _looks(thresholds: Sequence[float]) -> Iterator[_Look]:
    """A colour for each threshold; words alone are grey."""
    for i, threshold in enumerate(thresholds):
        if math.isinf(threshold):
            yield _Look(WHOLE.light, DOTTED)
        else:
            yield _Look(COLOURS[i % len(COLOURS)].light, () if i < len(COLOURS) else DASHED)


def _lines(rows: list[dict[str, Any]], looks: dict[float, _Look], **channels: Any) -> Iterator[Any]:
    """A layer for each kind of line; whatever has a ``line`` is one of the thresholds."""
    colour = _as_it_is("colour")
    for dash in dict.fromkeys(look.dash for look in looks.values()):
        drawn = [row for row in rows if looks[row["threshold"]].dash == dash]
        if drawn:
            more: dict[str, Any] = {"strokeDash": list(dash)} if dash else {}
            line = drawn_from(_plain(drawn)).mark_line(aria=False, strokeWidth=STROKE, **more)
            yield line.encode(**channels, color=colour, detail="line:N")


def _as_it_is(field: str) -> Any:
    """A colour that stands in the data."""
    import altair as alt

    return alt.Color(f"{field}:N", scale=None, legend=None)


def _plain(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows as JSON has them: an infinite threshold is no number there."""
    for row in rows:
        yield {name: value for name, value in row.items() if name != "threshold"}


def _upwards(thresholds: Iterable[float], recommended: Point | None) -> list[float]:
    """In the order in which they are drawn: words alone lie lowest, what is recommended on top."""
    top = None if recommended is None else recommended.threshold
    return sorted(thresholds, key=lambda each: (each == top, not math.isinf(each), -each))


def _panel(measure: _Measure, found: Tuning, looks: dict[float, _Look]) -> Any:
    """One measure: its lines, its points with their errors, and the ring."""
    import altair as alt

    numbers = sorted({point.n_topics for point in found.points})
    # Where there is one number only, it stands in the middle.
    ends = [numbers[0] / 1.15, numbers[-1] * 1.15] if len(numbers) > 1 else [numbers[0] / 2, numbers[0] * 2]
    axis = alt.Axis(title="topics", values=numbers, format=",d", grid=False, labelOverlap="greedy")
    x = alt.X("topics:Q", axis=axis, scale=alt.Scale(type="log", domain=ends, nice=False))
    y = alt.Y(
        "value:Q",
        axis=alt.Axis(title=None, tickCount=4, minExtent=LABELS),
        scale=alt.Scale(zero=False, nice=True, padding=8),
    )
    rows = [
        row
        for threshold in _upwards(looks, found.recommended)
        for point in found.points
        if point.threshold == threshold and (row := _row(measure, point, looks[threshold])) is not None
    ]
    layers = list(_lines(rows, looks, x=x, y=y))
    spread = [row for row in rows if row["low"] < row["high"]]
    if spread:
        errors = drawn_from(_plain(spread)).mark_rule(aria=False, strokeWidth=1.2)
        layers.append(
            errors.encode(x=x, y=alt.Y("low:Q", title=None), y2="high:Q", color=_as_it_is("colour"))
        )
    dots = drawn_from(_plain(rows)).mark_circle(size=DOT, opacity=1)
    told = {"description": "told:N", "tooltip": "told:N"}
    layers.append(dots.encode(x=x, y=y, color=_as_it_is("colour"), **told))
    if found.recommended is not None and measure.value(found.recommended) is not None:
        marked = {"topics": found.recommended.n_topics, "value": measure.value(found.recommended)}
        layers.append(_ring(marked, RING).encode(x=x, y=y))
    name = drawn_from([{"text": measure.name}]).mark_text(
        aria=False, align="left", color=INK.light, fontSize=FONT_SIZE
    )
    better = drawn_from([{"text": measure.better}]).mark_text(
        aria=False, align="right", color=FAINT.light, fontSize=SMALL
    )
    for title, at in ((name, 0), (better, WIDTH)):
        layers.append(title.encode(x=alt.value(at), y=alt.value(-14), text="text:N"))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _ring(row: dict[str, Any], size: float) -> Any:
    """Around what is recommended."""
    return drawn_from([row]).mark_point(
        aria=False, filled=False, color=INK.light, size=size, strokeWidth=1.6, opacity=1
    )


def _row(measure: _Measure, point: Point, look: _Look) -> dict[str, Any] | None:
    value = measure.value(point)
    if value is None:
        return None
    error = point.perplexity_error if measure is MEASURES[0] else None
    return {
        "threshold": point.threshold,
        "line": of_threshold(point.threshold),
        "colour": look.colour,
        "topics": point.n_topics,
        "value": value,
        "low": value - (error or 0.0),
        "high": value + (error or 0.0),
        "told": f"{named(point)}: {measure.name} {value:{measure.format}}",
    }


def _legend(looks: dict[float, _Look], recommended: Point | None) -> Any:
    """What lines and the ring mean, in a row."""
    import altair as alt

    width, height = 2.0 * WIDTH + ACROSS, 14
    x, y = pixels("x", width), alt.value(height / 2)
    at, lines, texts = 0.0, [], []
    for threshold, look in looks.items():
        name = of_threshold(threshold)
        for end in (at, at + 18):
            lines.append({"threshold": threshold, "line": name, "colour": look.colour, "x": end})
        ink = FAINT.light if look.colour == WHOLE.light else look.colour  # grey is for marks, not for texts
        texts.append({"x": at + 24, "text": name, "colour": ink})
        at += 24 + FONT_SIZE * text_width(name) + 22
    layers = list(_lines(lines, looks, x=x, y=y))
    if recommended is not None:
        layers.append(_ring({"x": at + 7}, RING * 0.6).encode(x=x, y=y))
        texts.append({"x": at + 18, "text": f"recommended: {named(recommended)}", "colour": INK.light})
    words = drawn_from(texts).mark_text(aria=False, align="left", fontSize=FONT_SIZE)
    layers.append(words.encode(x=x, y=y, text="text:N", color=_as_it_is("colour")))
    return alt.layer(*layers).properties(width=width, height=height)
