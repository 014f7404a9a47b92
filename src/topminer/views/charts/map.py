"""A map of topics: those with much the same words lie close together.

Topics go to the places that :mod:`topminer.topics.results.similarity` gives them. Circles that would lie on
one another are then pushed apart, and the heaviest topics get their label where nothing else is written.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.topics.results.fitted import Fitted
from topminer.topics.results.similarity import places
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
    text_width,
)
from topminer.views.colours import ACCENT, INK, WASH
from topminer.views.numbers import percent

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 760.0, 480.0
COVERED = 0.16  # of the map, by all circles together
SMALLEST, LARGEST = 3.5, 56.0  # radius in pixels
GAP = 2.0  # between circles
N_LABELS = 20
LONGEST_LABEL = 200.0
N_PUSHES = 150


def topic_map(model: Fitted | Summary, labels: Sequence[str] | None = None) -> alt.LayerChart:
    """Draw a map of the topics: a circle a topic, as large as its weight."""
    import altair as alt

    summary = Summary.of(model)
    names, weight = labels_of(summary, labels), summary.model.lda_.topic_weight_
    radius = radii(weight)
    middle = spread(places(summary.similarity), radius)
    rows = [
        {
            "x": round(x, 1),
            "y": round(y, 1),
            "size": round(math.pi * r * r, 1),
            "number": str(k) if 2 * r >= SMALL * text_width(str(k)) + 5 else "",
            "font": round(min(max(SMALL, r / 2.5), 18.0), 1),
            "described": f"Topic {k}: {names[k]}, {percent(float(weight[k]))}",
            "link": link(k),
        }
        for k, ((x, y), r) in enumerate(zip(middle.tolist(), radius.tolist(), strict=True))
    ]
    heaviest = [
        name if row["number"] else f"{k} {name}"
        for k, (name, row) in enumerate(zip(names[:N_LABELS], rows, strict=False))
    ]
    at: dict[str, Any] = {"x": pixels("x", WIDTH), "y": pixels("y", HEIGHT)}
    circles = drawn_from(rows).mark_circle(
        fill=WASH.light, stroke=ACCENT.light, strokeWidth=1.2, fillOpacity=0.85, opacity=1
    )
    area, font = (alt.Size(f"{field}:Q", scale=None, legend=None) for field in ("size", "font"))
    numbers = drawn_from(row for row in rows if row["number"]).mark_text(aria=False, color=INK.light)
    chart = alt.layer(
        circles.encode(**at, size=area, href="link:N", **SPOKEN),
        numbers.encode(**at, text="number:N", href="link:N", size=font),
        aligned(_labels(heaviest, middle, radius), INK, FONT_SIZE, LONGEST_LABEL, **at),
    ).properties(width=WIDTH, height=HEIGHT)
    drawn: alt.LayerChart = finished(chart, f"Map of {len(names):,} topics", grid=False)
    return drawn


def radii(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the radius of each topic's circle, in pixels: areas are as the weights."""
    area = COVERED * WIDTH * HEIGHT * weight / max(float(weight.sum()), 1e-300)
    radius = np.sqrt(area / np.pi)
    return np.maximum(radius * min(1.0, LARGEST / max(float(radius.max()), 1e-300)), SMALLEST)


def spread(points: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the middle of each circle, in pixels: as far apart as the map allows, and side by side."""
    middle = _fitted(points, radius)
    reach = radius[:, None] + radius + GAP
    np.fill_diagonal(reach, 0.0)
    # Points that coincide have no direction to be pushed in: each gets its own, around the circle.
    angle = 2.4 * np.arange(radius.size)
    middle += 0.01 * np.column_stack((np.cos(angle), np.sin(angle)))
    lowest, highest = radius[:, None] + GAP, [WIDTH, HEIGHT] - radius[:, None] - GAP
    for _ in range(N_PUSHES):
        apart = middle.T[:, :, None] - middle.T[:, None]
        one, other = np.nonzero(apart[0] ** 2 + apart[1] ** 2 < reach**2)
        if not one.size:
            break
        apart = apart[:, one, other]
        distance = np.hypot(*apart)
        # Circles that the border has brought together are parted along it, each to its own side.
        met = distance < 1e-6
        apart[1, met], distance[met] = np.where(one[met] < other[met], -1e-6, 1e-6), 1e-6
        excess = reach[one, other] - distance
        push = 0.5 * apart * excess / distance * radius[other] / (radius[one] + radius[other])
        middle += np.column_stack([np.bincount(one, along, radius.size) for along in push])
        middle = np.clip(middle, lowest, highest)
    return middle


def _fitted(points: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points moved and scaled, both directions alike, so that all circles lie on the map."""
    lowest, highest = points.min(axis=0), points.max(axis=0)
    room = np.array([WIDTH, HEIGHT]) - 2 * radius.max() - 2 * GAP
    span = np.maximum(highest - lowest, 1e-9)
    scale = float((room / span).min()) if (highest - lowest).max() > 1e-6 else 0.0
    fitted: NDArray[np.float64] = [WIDTH / 2, HEIGHT / 2] + (points - (lowest + highest) / 2) * scale
    return fitted


# ----------------------------------------------------------------------------------- labels


class _Box(NamedTuple):
    """Where a label may stand, and how it is set."""

    left: float
    top: float
    right: float
    bottom: float
    align: str

    def is_free(self, taken: list[_Box], middle: NDArray[np.float64], radius: NDArray[np.float64]) -> bool:
        """Return whether this lies on the map, and neither on a label nor on a circle."""
        if min(self.left, self.top) < 0 or self.right > WIDTH or self.bottom > HEIGHT:
            return False
        for other in taken:
            beside = self.right < other.left or other.right < self.left
            if not beside and self.top < other.bottom and other.top < self.bottom:
                return False
        nearest = np.clip(middle, [self.left, self.top], [self.right, self.bottom])
        return bool((np.hypot(*(middle - nearest).T) >= radius).all())


def _labels(
    texts: list[str], middle: NDArray[np.float64], radius: NDArray[np.float64]
) -> Iterator[dict[str, Any]]:
    """Yield the labels that find room, the heaviest topic's first."""
    taken: list[_Box] = []
    for k, text in enumerate(texts):
        x, y = middle[k].tolist()
        boxes = _boxes(x, y, float(radius[k]), min(FONT_SIZE * text_width(text), LONGEST_LABEL))
        box = next((box for box in boxes if box.is_free(taken, middle, radius)), None)
        if box is not None:
            taken.append(box)
            x = {"left": box.left, "right": box.right}.get(box.align, (box.left + box.right) / 2)
            y = (box.top + box.bottom) / 2
            yield {"x": round(x, 1), "y": round(y, 1), "text": text, "align": box.align, "link": link(k)}


def _boxes(x: float, y: float, radius: float, width: float) -> Iterator[_Box]:
    """Yield where a label might stand: beside its circle, a little higher or lower there, below it, above."""
    height, off = FONT_SIZE * 1.2, radius + 4
    for turn in (0.0, 0.5, -0.5, 0.9, -0.9):
        across, down = off * math.cos(turn), off * math.sin(turn)
        top = y + down - height / 2
        yield _Box(x + across, top, x + across + width, top + height, "left")
        yield _Box(x - across - width, top, x - across, top + height, "right")
    for top in (y + off, y - off - height):
        yield _Box(x - width / 2, top, x + width / 2, top + height, "center")
