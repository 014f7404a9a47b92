"""What all charts have in common: quiet axes, the palette, and texts that can be drawn."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from topminer.errors import InputError
from topminer.text.printable import printable
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.labels import automatic_labels
from topminer.views.colours import FAINT, GRID, GROUND
from topminer.views.numbers import percent

if TYPE_CHECKING:
    import altair as alt

FONT_SIZE = 12
SMALL = 10
MARGIN = 8  # pixels
WIDER = 0.15  # by so much a font may be


def dressed(chart: Any, description: str, *, grid: bool = True, longest: float = 0.0) -> Any:
    """A finished chart: ground, margins, and axes that keep in the background.

    ``longest`` is the width of the longest text at the left. The reader's font may be wider than the one it
    was measured with.
    """
    quiet: dict[str, Any] = {"domain": False, "ticks": False, "titleFontWeight": "normal"}
    quiet |= {"labelColor": FAINT.light, "titleColor": FAINT.light, "gridColor": GRID.light}
    margins = {"left": MARGIN + round(longest * WIDER), "top": MARGIN, "right": MARGIN, "bottom": MARGIN}
    described = chart.properties(background=GROUND.light, padding=margins, description=description)
    return described.configure_view(stroke=None).configure_axis(
        **quiet, grid=grid, labelFontSize=SMALL + 1, titleFontSize=SMALL + 1, labelPadding=6, titlePadding=8
    )


def drawn_from(rows: Iterable[dict[str, Any]]) -> alt.Chart:
    """A chart of rows, their fields named by us and their values whatever they are."""
    import altair as alt

    # As one string: Altair would look at every value, and copy it, many times over.
    values = json.dumps(list(rows), ensure_ascii=False, allow_nan=False)
    return alt.Chart(alt.InlineData(values=values, format=alt.JsonDataFormat(type="json")))


def pixels(field: str, length: float) -> Any:
    """Where a mark stands, from a field in pixels: from the left, or from the top."""
    import altair as alt

    channel = alt.Y if field.startswith("y") else alt.X
    scale = alt.Scale(domain=[0, length], range=[0, length], nice=False, zero=False, padding=0)
    return channel(f"{field}:Q", scale=scale, axis=None)


def labels_of(model: Fitted, labels: Sequence[str] | None) -> list[str]:
    """What topics are called: by ``labels``, or automatically."""
    n_topics = model.lda_.topic_weight_.size
    labels = automatic_labels(model) if labels is None else labels
    if len(labels) != n_topics:
        raise InputError(f"{len(labels):,} labels for {n_topics:,} topics")
    return [printable(label) for label in labels]


def told(topic: int, label: str, weight: float) -> str:
    """A topic in a few words.

    >>> told(3, "machine translation", 0.042)
    'Topic 3: machine translation, 4.2 %'
    """
    return f"Topic {topic}: {label}, {percent(weight)}"


def link(topic: int) -> str:
    """Where a page tells about a topic."""
    return f"#/topic/{topic}"


def fitting(text: str, width: float, font_size: float) -> str:
    """As much of a text as there is room for.

    >>> fitting("frequent pattern mining", 60, 10)
    'frequent p…'
    """
    if font_size * text_width(text) <= width:
        return text
    for end in range(len(text) - 1, 0, -1):
        shorter = text[:end].rstrip() + "…"
        if font_size * text_width(shorter) <= width:
            return shorter
    return "…"


def text_width(text: str) -> float:
    """About how wide a text is, in units of the size of its font."""
    width = 0.0
    for char in text:
        if unicodedata.east_asian_width(char) in "WF":
            width += 1.0
        elif unicodedata.category(char) not in ("Mn", "Me", "Cf"):
            width += 0.36 if char in " iljtfrI.,;:'’|!()[]-" else 0.9 if char in "mwMW@%" else 0.62
    return width
