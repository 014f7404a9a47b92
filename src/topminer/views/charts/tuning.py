"""What a grid of models is worth: a small chart for each measure, a line for each threshold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from topminer.evaluation.recommend import Point, named, of_threshold
from topminer.evaluation.tune import Tuning
from topminer.views.charts.parts import Look, drawn_from, finished, lines, upwards
from topminer.views.colours import ACCENT, FAINT, GLUED, INK, MERGED, SECOND, THRESHOLD, WHOLE

if TYPE_CHECKING:
    import altair as alt

TITLE = "Measures by number of topics and threshold"
WIDTH, HEIGHT = 300, 150  # of a panel, in pixels
ACROSS, DOWN = 40, 34  # between panels
COLOURS = (ACCENT, SECOND, MERGED, GLUED, THRESHOLD, FAINT)
SOLID, DASHED, DOTTED = (1, 0), (6, 4), (2, 3)
NUMBERS = 38  # room for numbers beside a panel, so that panels stand below each other


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


def tuning(found: Tuning) -> alt.ConcatChart:
    """Draw perplexity, stability and coherence by the number of topics; a ring marks what is recommended.

    Measures that no point has, such as stability of one seed, are left out.
    """
    import altair as alt

    looks = _looks(sorted({point.threshold for point in found.points}))
    measures = [each for each in MEASURES if any(each.value(point) is not None for point in found.points)]
    panels = [_panel(each, found, looks) for each in measures]
    chart = alt.concat(*panels, columns=2, spacing={"row": DOWN, "column": ACROSS})
    if found.recommended is not None:
        chart = chart.properties(title=f"○ recommended: {named(found.recommended)}")
    drawn: alt.ConcatChart = finished(chart, TITLE)
    return drawn


def _looks(thresholds: Sequence[float]) -> dict[str, Look]:
    """Return how the line of each threshold is drawn; that of words alone is grey."""
    return {
        of_threshold(threshold): Look(WHOLE, DOTTED)
        if math.isinf(threshold)
        else Look(COLOURS[i % len(COLOURS)], SOLID if i < len(COLOURS) else DASHED)
        for i, threshold in enumerate(thresholds)
    }


def _panel(measure: _Measure, found: Tuning, looks: dict[str, Look]) -> Any:
    """Return a chart of one measure: its lines, its points with their errors, and the ring."""
    import altair as alt

    numbers = sorted({point.n_topics for point in found.points})
    # Where there is one number only, it stands in the middle.
    beyond = 1.15 if len(numbers) > 1 else 2.0
    x = alt.X(
        "x:Q",
        axis=alt.Axis(title="topics", values=numbers, format=",d", grid=False, labelOverlap="greedy"),
        scale=alt.Scale(type="log", domain=[numbers[0] / beyond, numbers[-1] * beyond], nice=False),
    )
    rows = [row for point in _upwards(found) if (row := _row(measure, point)) is not None]
    ends = [row[end] for row in rows for end in ("low", "high")]
    y = upwards(ends, padding=8, tickCount=4, minExtent=NUMBERS)
    spread = [row | {"colour": looks[row["name"]].colour.light} for row in rows if row["low"] < row["high"]]
    errors = (
        drawn_from(spread)
        .mark_rule(aria=False, strokeWidth=1.2)
        .encode(x=x, y=alt.Y("low:Q", title=None), y2="high:Q", stroke=alt.Stroke("colour:N", scale=None))
    )
    layers = [*lines(rows, looks, x, y), *([errors] if spread else [])]
    if found.recommended is not None and (value := measure.value(found.recommended)) is not None:
        ring = drawn_from([{"x": found.recommended.n_topics, "y": value}]).mark_point(
            aria=False, filled=False, color=INK.light, size=190, strokeWidth=1.6, opacity=1
        )
        layers.append(ring.encode(x=x, y=y))
    title = alt.Title(measure.name, subtitle=measure.better)
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)


def _upwards(found: Tuning) -> list[Point]:
    """Return points in the order they are drawn: words alone lowest, the recommended threshold on top."""
    top = None if found.recommended is None else found.recommended.threshold
    return sorted(
        found.points,
        key=lambda point: (point.threshold == top, not math.isinf(point.threshold), -point.threshold),
    )


def _row(measure: _Measure, point: Point) -> dict[str, Any] | None:
    value = measure.value(point)
    if value is None:
        return None
    error = (point.perplexity_error or 0.0) if measure is MEASURES[0] else 0.0
    return {
        "name": of_threshold(point.threshold),
        "x": point.n_topics,
        "y": value,
        "low": value - error,
        "high": value + error,
        "described": f"{named(point)}: {measure.name} {value:{measure.format}}",
    }
