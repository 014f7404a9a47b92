"""Trends of all topics as small multiples: a cell a topic, each at its own height.

Shares differ a hundredfold between topics. On one scale most lines would lie flat on the ground, so every
cell reaches from 0 to its topic's peak, which is written there. Cells are placed here, not by facets of
Vega-Lite: those take seconds for hundreds of topics, and their headers cannot lead to a topic's page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.summary import Summary
from topminer.views.charts.parts import (
    FONT_SIZE,
    SMALL,
    SPOKEN,
    aligned,
    drawn_from,
    finished,
    labels_of,
    link,
    pixels,
)
from topminer.views.colours import ACCENT, FAINT, GRID, INK, WASH
from topminer.views.numbers import percent

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 148.0, 44.0  # of a cell, in pixels
ABOVE, BELOW, BETWEEN = 34.0, 30.0, 22.0  # room for texts, and between cells
N_COLUMNS = 5
MOST_WITH_PERIODS = 120


def trends(model: Fitted | Summary, labels: Sequence[str] | None = None) -> alt.LayerChart:
    """Draw the share of each topic over time."""
    import altair as alt

    summary = Summary.of(model)
    periods, shares, sizes = summary.periods, summary.shares, summary.period_sizes
    if periods is None or shares is None or sizes is None:
        raise InputError("the documents have no times, so there are no trends")
    names = labels_of(summary, labels)
    filled = np.flatnonzero(sizes if sizes.any() else sizes == 0)
    cells = [_Cell(k, name, shares[k], periods.names, filled) for k, name in enumerate(names)]
    width = min(len(cells), N_COLUMNS) * (WIDTH + BETWEEN) - BETWEEN
    height = -(-len(cells) // N_COLUMNS) * (ABOVE + HEIGHT + BELOW)
    chart = alt.layer(*_layers(cells, width, height)).properties(width=width, height=height)
    drawn: alt.LayerChart = finished(chart, f"Trends of {len(names):,} topics", grid=False)
    return drawn


class _Cell:
    """A topic's share in the periods that have any documents, and where it is drawn."""

    def __init__(
        self, topic: int, name: str, share: NDArray[np.float64], periods: list[str], filled: NDArray[np.int64]
    ) -> None:
        self.topic, self.name, self.periods, self.link = topic, name, periods, link(topic)
        self.left = topic % N_COLUMNS * (WIDTH + BETWEEN)
        self.right = self.left + WIDTH
        self.top = topic // N_COLUMNS * (ABOVE + HEIGHT + BELOW) + ABOVE
        self.bottom = self.top + HEIGHT
        values = share[filled]
        peak = int(values.argmax())
        self.highest, self.period = float(values[peak]), periods[filled[peak]]
        self.x = (self.left + WIDTH * filled / max(len(periods) - 1, 1)).round(1).tolist()
        self.y = (self.bottom - HEIGHT * values / (self.highest or 1.0)).round(1).tolist()
        self.peak = self.x[peak]
        if len(self.x) == 1:  # no line goes through one point alone
            self.x, self.y = [self.left, self.right], 2 * self.y

    def points(self) -> Iterator[dict[str, Any]]:
        """Yield the points of the line; the first has the link of all."""
        for i, (x, y) in enumerate(zip(self.x, self.y, strict=True)):
            first = {} if i else {"link": self.link}
            yield {"k": self.topic, "x": x, "y": y, "y2": self.bottom, **first}

    def ground(self) -> dict[str, Any]:
        """Return the line on which the cell stands."""
        return {"x": self.left, "x2": self.right, "y": self.bottom, "link": self.link}

    def title(self) -> dict[str, Any]:
        """Return what stands above the cell."""
        described = f"Topic {self.topic}: {self.name}, at most {percent(self.highest)} in {self.period}"
        text = f"{self.topic} {self.name}"
        return {"x": self.left, "y": self.top - 22, "text": text, "described": described, "link": self.link}

    def texts(self, ends: bool) -> Iterator[dict[str, Any]]:
        """Yield what is written in small: the peak, and the first and last period if ``ends``."""
        side = "left" if self.peak < self.left + 22 else "right" if self.peak > self.right - 22 else "center"
        yield self._text(self.peak, self.top - 7, percent(self.highest), side)
        if ends:
            yield self._text(self.left, self.bottom + 9, self.periods[0], "left")
        if ends and len(self.periods) > 1:
            yield self._text(self.right, self.bottom + 9, self.periods[-1], "right")

    def _text(self, x: float, y: float, text: str, align: str) -> dict[str, Any]:
        return {"x": x, "y": y, "text": text, "align": align, "link": self.link}


def _layers(cells: list[_Cell], width: float, height: float) -> Iterator[Any]:
    x, y = pixels("x", width), pixels("y", height)
    points = drawn_from(point for cell in cells for point in cell.points())
    shape: dict[str, Any] = {"x": x, "y": y, "detail": "k:O", "href": "link:N"}
    yield points.mark_area(aria=False, color=WASH.light, opacity=1).encode(**shape, y2="y2:Q")
    ground = drawn_from(cell.ground() for cell in cells).mark_rule(aria=False, color=GRID.light)
    yield ground.encode(x=x, x2="x2:Q", y=y, href="link:N")
    line = points.mark_line(aria=False, color=ACCENT.light, strokeWidth=1.5, strokeJoin="round")
    yield line.encode(**shape)
    titles = drawn_from(cell.title() for cell in cells).mark_text(
        align="left", color=INK.light, fontSize=FONT_SIZE, limit=WIDTH
    )
    yield titles.encode(x=x, y=y, text="text:N", href="link:N", **SPOKEN)
    # Measuring a text takes a millisecond, so of many cells only the first in each row has its periods.
    many = len(cells) > MOST_WITH_PERIODS
    texts = (text for cell in cells for text in cell.texts(not many or cell.topic % N_COLUMNS == 0))
    yield aligned(texts, FAINT, SMALL, WIDTH, x=x, y=y)
