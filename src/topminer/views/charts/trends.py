"""Trends of all topics as small multiples: a cell a topic, each at its own height.

Shares differ a hundredfold between topics. On one scale most lines would lie flat on the ground, so every
cell reaches from 0 to its topic's peak, which is written there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.periods import Periods, period_sizes, periods, topic_trend
from topminer.views.charts.parts import (
    FONT_SIZE,
    SMALL,
    drawn_from,
    dressed,
    fitting,
    labels_of,
    link,
    pixels,
)
from topminer.views.colours import ACCENT, FAINT, GRID, INK, WASH
from topminer.views.numbers import percent

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 148.0, 44.0  # of a cell, in pixels
ABOVE, BELOW, BETWEEN = 34.0, 30.0, 22.0  # room for what is written, and between cells
N_COLUMNS = 5
MOST_WITH_PERIODS = 120


def trends(
    model: Fitted,
    labels: Sequence[str] | None = None,
    *,
    found: Periods | None = None,
    shares: NDArray[np.float64] | None = None,
) -> alt.LayerChart:
    """Draw the share of each topic over time.

    ``found`` and ``shares`` are :func:`topminer.topics.results.periods.periods` and
    :func:`topminer.topics.results.periods.topic_trend`, for who has them already.
    """
    import altair as alt

    found = periods(model.corpus_.times) if found is None else found
    if found is None:
        raise InputError("the documents have no times, so there are no trends")
    names = labels_of(model, labels)
    shares = topic_trend(model, found) if shares is None else shares
    sizes = period_sizes(model, found)
    filled = np.flatnonzero(sizes if sizes.any() else sizes == 0)
    cells = [_Cell(k, name, shares[k], found.names, filled) for k, name in enumerate(names)]
    n_rows = -(-len(cells) // N_COLUMNS)
    width = min(len(cells), N_COLUMNS) * (WIDTH + BETWEEN) - BETWEEN
    height = n_rows * (ABOVE + HEIGHT + BELOW)
    chart = alt.layer(*_layers(cells, width, height)).properties(width=width, height=height)
    drawn: alt.LayerChart = dressed(chart, f"Trends of {len(names):,} topics", grid=False)
    return drawn


class _Cell:
    """A topic's share in the periods that have any documents, and where it is drawn."""

    def __init__(
        self, topic: int, name: str, share: NDArray[np.float64], periods: list[str], filled: NDArray[np.int64]
    ) -> None:
        self.topic, self.name, self.periods = topic, name, periods
        self.left = topic % N_COLUMNS * (WIDTH + BETWEEN)
        self.top = topic // N_COLUMNS * (ABOVE + HEIGHT + BELOW) + ABOVE
        self.bottom = self.top + HEIGHT
        self.link = link(topic)
        values = share[filled]
        self.peak = int(values.argmax())
        self.highest, self.period = float(values[self.peak]), periods[filled[self.peak]]
        self.x = (self.left + WIDTH * filled / max(len(periods) - 1, 1)).round(1).tolist()
        self.y = (self.bottom - HEIGHT * values / (self.highest or 1.0)).round(1).tolist()
        if len(self.x) == 1:  # no line goes through one point alone
            self.x, self.y = [self.left, self.left + WIDTH], 2 * self.y

    def points(self) -> Iterator[dict[str, Any]]:
        """The line; what all its points share stands in the first."""
        for i, (x, y) in enumerate(zip(self.x, self.y, strict=True)):
            first = {} if i else {"link": self.link}
            yield {"k": self.topic, "x": x, "y": y, "y2": self.bottom, **first}

    def ground(self) -> dict[str, Any]:
        """The line on which the cell stands."""
        return {"x": self.left, "x2": self.left + WIDTH, "y": self.bottom, "link": self.link}

    def title(self) -> dict[str, Any]:
        """What stands above the cell."""
        told = f"Topic {self.topic}: {self.name}, at most {percent(self.highest)} in {self.period}"
        text = fitting(f"{self.topic} {self.name}", WIDTH, FONT_SIZE)
        return {"x": self.left, "y": self.top - 22, "text": text, "told": told, "link": self.link}

    def marks(self, ends: bool) -> Iterator[dict[str, Any]]:
        """What is written in small: the peak, and the first and last period if these ``ends`` are wanted."""
        x, right = self.x[self.peak], self.left + WIDTH
        align = "left" if x < self.left + 22 else "right" if x > right - 22 else "center"
        yield self._mark(x, self.top - 7, percent(self.highest), align)
        if ends:
            yield self._mark(self.left, self.bottom + 9, self.periods[0], "left")
        if ends and len(self.periods) > 1:
            yield self._mark(right, self.bottom + 9, self.periods[-1], "right")

    def _mark(self, x: float, y: float, text: str, align: str) -> dict[str, Any]:
        return {"x": x, "y": y, "text": text, "align": align, "link": self.link}


def _layers(cells: list[_Cell], width: float, height: float) -> Iterator[Any]:
    x, y = pixels("x", width), pixels("y", height)
    points = drawn_from(point for cell in cells for point in cell.points())
    shape: dict[str, Any] = {"x": x, "y": y, "detail": "k:O", "href": "link:N"}
    yield points.mark_area(aria=False, color=WASH.light, opacity=1).encode(**shape, y2="y2:Q")
    ground = (
        {"x": cell.left, "x2": cell.left + WIDTH, "y": cell.bottom, "link": cell.link} for cell in cells
    )
    rules = drawn_from(ground).mark_rule(aria=False, color=GRID.light)
    yield rules.encode(x=x, x2="x2:Q", y=y, href="link:N")
    lines = points.mark_line(aria=False, color=ACCENT.light, strokeWidth=1.5, strokeJoin="round")
    yield lines.encode(**shape)
    titles = drawn_from(cell.title() for cell in cells)
    text = titles.mark_text(align="left", color=INK.light, fontSize=FONT_SIZE)
    yield text.encode(x=x, y=y, text="text:N", href="link:N", description="told:N", tooltip="told:N")
    # To measure a text takes a millisecond, so of many cells only the first in each row has its periods.
    many = len(cells) > MOST_WITH_PERIODS
    small = [mark for cell in cells for mark in cell.marks(not many or cell.topic % N_COLUMNS == 0)]
    for align in ("left", "center", "right"):
        texts = drawn_from(mark for mark in small if mark["align"] == align)
        text = texts.mark_text(aria=False, align=align, color=FAINT.light, fontSize=SMALL)
        yield text.encode(x=x, y=y, text="text:N", href="link:N")
