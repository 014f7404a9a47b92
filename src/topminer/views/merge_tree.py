"""The merge tree of one text as a chart: the paper's dendrogram, with its dashed threshold line.

Merges above the line do not happen, and are dashed themselves. An SVG file follows the reader's choice of a
light or a dark screen. It needs no script, and neither this nor drawing it needs a network.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from topminer.errors import InputError
from topminer.phrases.explain import Explanation, Merge
from topminer.text.printable import printable
from topminer.views.charts import svg
from topminer.views.colours import FAINT, GLUED, GRID, GROUND, INK, MERGED, THRESHOLD
from topminer.views.merge_layout import BEND, FONT_SIZE, Kind, Layout
from topminer.views.numbers import expected_text, score_beside

if TYPE_CHECKING:
    import altair as alt

MOST_WORDS = 5_000
HEIGHT = 260  # of the tree, in pixels; the text stands below it
NARROWEST = 120.0
LONGEST_TITLE = 80  # characters

_LINES: dict[Kind, dict[str, Any]] = {
    "beyond": {"color": FAINT.light, "strokeWidth": 1.2, "strokeDash": [3, 3]},
    "alone": {"color": FAINT.light, "strokeWidth": 1.0},
    "merged": {"color": MERGED.light, "strokeWidth": 2.2},
}
_MARKED = [sign * 2**power for sign in (-1, 1) for power in range(21)] + [0]
_OF_MERGE = {"left": "left", "right": "right", "seen": "seen", "expected": "expected", "score": "score"}
_OF_MERGE |= {"strength": "lowest score so far"}
_OF_WORD = {"text": "word", "stem": "stem", "count": "in the corpus"}


def merge_tree(explained: Explanation) -> alt.LayerChart:
    """Draw the merge tree of a text."""
    import altair as alt

    if len(explained.tokens) > MOST_WORDS:
        n = len(explained.tokens)
        raise InputError(f"the text has {n:,} words; a merge tree can be drawn of {MOST_WORDS:,} at most")
    layout = Layout.of(explained)
    canvas = _Canvas(layout, "significance")
    layers = [
        *_branches(canvas, layout),
        *_threshold(canvas, explained.threshold),
        *_scores(canvas, layout, explained.threshold),
        *_words(canvas, layout),
    ]
    chart: Any = alt.layer(*layers).properties(
        width=canvas.width,
        height=HEIGHT,
        background=GROUND.light,
        padding=12,
        description=title_of(explained),
    )
    drawn: alt.LayerChart = chart.configure_view(stroke=None).configure_axis(
        labelColor=FAINT.light,
        titleColor=FAINT.light,
        gridColor=GRID.light,
        titleFontWeight="normal",
        titlePadding=10,
    )
    return drawn


def title_of(explained: Explanation) -> str:
    """Say what is drawn."""
    text = printable(explained.text).strip()
    if len(text) > LONGEST_TITLE:
        text = f"{text[:LONGEST_TITLE]} …"
    return f"Merge tree of “{text}”"


class _Canvas:
    """Layers with the same scales."""

    def __init__(self, layout: Layout, title: str) -> None:
        import altair as alt

        self.width = max(layout.width, NARROWEST)
        across = alt.Scale(domain=[0, self.width], nice=False, zero=False)
        upwards = alt.Scale(type="symlog", constant=BEND, domain=[layout.bottom, layout.top], nice=False)
        marked = [score for score in _MARKED if layout.top <= score <= layout.bottom]
        axis = alt.Axis(title=title, values=marked, format=",", domain=False, ticks=False)
        self._x = alt.X("x:Q", scale=across, axis=None)
        self._y = alt.Y("y:Q", scale=upwards, axis=axis)

    def _places(self, below: float | None) -> dict[str, Any]:
        """Where a row is drawn: at its score, or below the tree."""
        import altair as alt

        return {"x": self._x, "y": self._y if below is None else alt.value(HEIGHT + below)}

    def rules(
        self, rows: Iterable[dict[str, Any]], *channels: str, below: float | None = None, **mark: Any
    ) -> alt.Chart:
        """Straight lines from x and y to whichever of x2 and y2 is named."""
        import altair as alt

        chart = alt.Chart(alt.InlineData(values=list(rows))).mark_rule(aria=False, **mark)
        placed: alt.Chart = chart.encode(
            **self._places(below), **{channel: f"{channel}:Q" for channel in channels}
        )
        return placed

    def texts(
        self,
        rows: Iterable[dict[str, Any]],
        tips: dict[str, str],
        below: float | None = None,
        **mark: Any,
    ) -> alt.Chart:
        """Texts at x and y; ``tips`` are the fields to be shown when somebody points there."""
        import altair as alt

        chart = alt.Chart(alt.InlineData(values=list(rows))).mark_text(**mark)
        tooltip = [alt.Tooltip(f"{field}:N", title=title) for field, title in tips.items()]
        placed: alt.Chart = chart.encode(
            **self._places(below), text="text:N", description="told:N", tooltip=tooltip
        )
        return placed


def _branches(canvas: _Canvas, layout: Layout) -> Iterator[alt.Chart]:
    ends = ({"x": end, "y": layout.bottom, "y2": layout.top} for end in layout.ends_of_chunks)
    yield canvas.rules(ends, "y2", color=GRID.light, strokeWidth=2)
    for kind, mark in _LINES.items():
        lines = (line._asdict() for line in layout.lines if line.kind == kind)
        yield canvas.rules(lines, "x2", "y2", strokeCap="round", **mark)
    for bars, colour, below in ((layout.several, MERGED, 27), (layout.glued, GLUED, 32)):
        rows = ({"x": left, "x2": right} for left, right in bars)
        yield canvas.rules(rows, "x2", below=below, color=colour.light, strokeWidth=2.5)
    always = [{"x": sum(edges) / 2, "text": "always", "told": "always whole"} for edges in layout.glued]
    yield canvas.texts(always, {}, below=42, color=GLUED.light, fontSize=FONT_SIZE - 2)


def _threshold(canvas: _Canvas, threshold: float) -> Iterator[alt.Chart]:
    if math.isfinite(threshold):
        line = {"x": 0, "x2": canvas.width, "y": threshold}
        yield canvas.rules([line], "x2", color=THRESHOLD.light, strokeWidth=1.5, strokeDash=[7, 4])
        label = f"threshold {threshold:g}"
        row = {"x": canvas.width, "y": threshold, "text": label, "told": label}
        yield canvas.texts([row], {}, color=THRESHOLD.light, align="left", dx=6, fontSize=FONT_SIZE - 1)


def _scores(canvas: _Canvas, layout: Layout, threshold: float) -> Iterator[alt.Chart]:
    for happens, colour, weight in ((False, FAINT, 400), (True, MERGED, 700)):
        rows = [_score(x, merge, threshold) for x, merge in layout.merges if merge.happens is happens]
        mark: dict[str, Any] = {"color": colour.light, "fontWeight": weight, "fontSize": FONT_SIZE - 2}
        yield canvas.texts(rows, _OF_MERGE, align="left", dx=4, dy=-7, **mark)


def _score(x: float, merge: Merge, threshold: float) -> dict[str, Any]:
    left, right = printable(merge.left.text), printable(merge.right.text)
    score = score_beside(merge.score, threshold)
    seen, expected = f"{merge.observed:,}", expected_text(merge.expected)
    return {
        "x": x,
        "y": merge.strength,
        "text": score,
        "told": f"{left} ⊕ {right}: score {score}, seen {seen}, expected {expected}",
        "left": left,
        "right": right,
        "seen": seen,
        "expected": expected,
        "score": score,
        "strength": score_beside(merge.strength, threshold),
    }


def _words(canvas: _Canvas, layout: Layout) -> Iterator[alt.Chart]:
    other = ({"x": word.x, "text": word.text, "told": word.text} for word in layout.words if not word.token)
    yield canvas.texts(other, {}, below=18, color=FAINT.light, fontSize=FONT_SIZE)
    for in_phrase, colour, weight in ((False, INK, 400), (True, MERGED, 700)):
        rows = [
            {
                "x": word.x,
                "text": word.text,
                "told": word.text,
                "stem": printable(word.token.stem),
                "count": f"{word.token.count:,}",
            }
            for word in layout.words
            if word.token and word.in_phrase is in_phrase
        ]
        mark: dict[str, Any] = {"color": colour.light, "fontWeight": weight, "fontSize": FONT_SIZE}
        yield canvas.texts(rows, _OF_WORD, below=18, **mark)


def to_svg(explained: Explanation) -> str:
    """Return the chart as an SVG document."""
    return svg.to_svg(merge_tree(explained), title_of(explained), standalone=True)


def to_png(explained: Explanation) -> bytes:
    """Return the chart as a PNG file, light."""
    return svg.to_png(merge_tree(explained))
