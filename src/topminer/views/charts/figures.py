"""Bars of phrases and of topics, and the course of sampling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from topminer.errors import InputError
from topminer.text.printable import printable
from topminer.topics.results.entries import RELEVANCE, Entries
from topminer.topics.results.fitted import Fitted
from topminer.views.charts.parts import (
    FONT_SIZE,
    SMALL,
    drawn_from,
    dressed,
    fitting,
    link,
    pixels,
    text_width,
)
from topminer.views.colours import ACCENT, FAINT, INK, SECOND, WHOLE
from topminer.views.numbers import percent

if TYPE_CHECKING:
    import altair as alt

BAR_WIDTH, BAR_STEP, LABEL_WIDTH = 380.0, 21.0, 230.0
PANEL_WIDTH, PANEL_HEIGHT = 560, 130
WEIGHTS_WIDTH, WEIGHTS_HEIGHT = 720.0, 150
MOST_POINTS = 40  # on a line
MOST_NUMBERS = 40  # below bars


def topic_bars(
    model: Fitted, topic: int, n: int = 20, weight: float = RELEVANCE, *, entries: Entries | None = None
) -> alt.LayerChart:
    """Draw how often the foremost phrases of a topic occur there, and in all topics together.

    Phrases go by relevance (:func:`topminer.topics.results.ranking.relevance`), of which ``weight`` is the λ.
    Where a topic has no phrases of several words, its words are drawn. ``entries`` are those of the model,
    for who draws many topics; by default every phrase type is one.
    """
    n_topics = model.lda_.topic_weight_.size
    if not 0 <= topic < n_topics:
        raise InputError(f"there is no topic {topic}; topics are numbered from 0 to {n_topics - 1:,}")
    rows = list(_foremost(entries or Entries.of(model, tie=False), topic, n, weight))
    height = BAR_STEP * max(len(rows), 1)
    chart = _bars(rows, height)
    longest = FONT_SIZE * max((text_width(row["text"]) for row in rows), default=0.0)
    drawn: alt.LayerChart = dressed(chart, f"Phrases of topic {topic}", longest=longest)
    return drawn


def _foremost(entries: Entries, topic: int, n: int, weight: float) -> Iterator[dict[str, Any]]:
    """The rows of the phrases of a topic, the most relevant first."""
    frequency, scores = entries.frequency, entries.scores("relevance", weight)
    places = entries.ranked(scores, topic, n, entries.lengths > 1)
    if not places.size:
        places = entries.ranked(scores, topic, n, entries.lengths > 0)
    for rank, place in enumerate(places.tolist()):
        entry = int(frequency.types[place])
        text = printable(entries.text(entry))
        mean, total = float(frequency.mean[place]), float(entries.totals[entry])
        yield {
            "y": BAR_STEP * (rank + 0.5),
            "text": fitting(text, LABEL_WIDTH, FONT_SIZE),
            "mean": round(mean, 1),
            "total": round(total, 1),
            "told": f"{text}: {mean:,.0f} here, {total:,.0f} in all topics",
        }


def _bars(rows: list[dict[str, Any]], height: float) -> Any:
    import altair as alt

    y = pixels("y", height)
    axis = alt.Axis(title="instances", format="~s", tickCount=5, orient="bottom")
    told = {"description": "told:N", "tooltip": "told:N"}
    layers = []
    for field, colour, size in (("total", WHOLE, 13), ("mean", ACCENT, 7)):
        bars = drawn_from(rows).mark_bar(
            color=colour.light, orient="horizontal", size=size, aria=field == "total"
        )
        layers.append(bars.encode(x=alt.X(f"{field}:Q", axis=axis), y=y, **told))
    texts = drawn_from(rows).mark_text(aria=False, align="right", dx=-8, color=INK.light, fontSize=FONT_SIZE)
    layers.append(texts.encode(x=alt.value(0), y=y, text="text:N"))
    layers += _legend((("in this topic", ACCENT.light), ("in all topics", WHOLE.light)))
    return alt.layer(*layers).properties(width=BAR_WIDTH, height=height)


def _legend(names: tuple[tuple[str, str], ...]) -> Iterator[Any]:
    """What the colours of bars mean, above them."""
    import altair as alt

    for i, (name, colour) in enumerate(names):
        one, x = drawn_from([{"name": name}]), 110 * i
        square = one.mark_square(aria=False, color=colour, size=90, opacity=1)
        yield square.encode(x=alt.value(x + 5), y=alt.value(-14))
        text = one.mark_text(aria=False, align="left", dx=14, color=FAINT.light, fontSize=SMALL + 1)
        yield text.encode(x=alt.value(x), y=alt.value(-14), text="name:N")


def history(model: Fitted) -> alt.VConcatChart:
    """Draw log likelihood and perplexity along the sweeps."""
    import altair as alt

    table = model.lda_.history_
    upper = [("log likelihood per token", "log_likelihood", ACCENT.light)]
    lower = [("perplexity", "perplexity", ACCENT.light)]
    if table["held_out_perplexity"].is_not_null().any():
        lower.append(("held-out perplexity", "held_out_perplexity", SECOND.light))
    sweeps = table["sweep"].to_list()
    panels = [
        _panel(sweeps, [(name, table[column].to_list(), colour) for name, column, colour in lines], title)
        for lines, title in ((upper, None), (lower, "sweep"))
    ]
    drawn: alt.VConcatChart = dressed(
        alt.vconcat(*panels, spacing=30), "Log likelihood and perplexity by sweep"
    )
    return drawn


def _panel(sweeps: list[int], lines: list[tuple[str, list[float | None], str]], title: str | None) -> Any:
    """Lines over the sweeps, with their names above."""
    import altair as alt

    axis = alt.Axis(title=title, grid=False, tickCount=6, format=",d")
    across = alt.X("sweep:Q", axis=axis, scale=alt.Scale(domain=[0, max(sweeps, default=1)], nice=False))
    layers = []
    for i, (name, values, colour) in enumerate(lines):
        rows = [
            {"sweep": sweep, "value": value, "told": f"sweep {sweep:,}: {name} {value:,.4g}"}
            for sweep, value in zip(sweeps, values, strict=True)
            if value is not None and np.isfinite(value)
        ]
        upwards = alt.Y("value:Q", axis=alt.Axis(title=None, tickCount=4), scale=alt.Scale(zero=False))
        line = drawn_from(rows).mark_line(aria=False, color=colour, strokeWidth=1.8)
        layers.append(line.encode(x=across, y=upwards))
        points = drawn_from(rows if len(rows) <= MOST_POINTS else rows[-1:])
        dots = points.mark_circle(color=colour, size=26, opacity=1)
        layers.append(dots.encode(x=across, y=upwards, description="told:N", tooltip="told:N"))
        label = drawn_from([{"name": name}]).mark_text(
            aria=False, align="left", color=colour, fontSize=FONT_SIZE
        )
        layers.append(label.encode(x=alt.value(150 * i), y=alt.value(-12), text="name:N"))
    return alt.layer(*layers).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)


def weights(model: Fitted) -> alt.LayerChart:
    """Draw the weight of each topic: its share of the kept tokens."""
    import altair as alt

    weight = model.lda_.topic_weight_
    step = min(WEIGHTS_WIDTH / weight.size, 36.0)
    rows = [
        {
            "x": round(step * (k + 0.5), 2),
            "share": round(share, 6),
            "number": str(k),
            "told": f"Topic {k}: {percent(share)} of the kept tokens",
            "link": link(k),
        }
        for k, share in enumerate(weight.tolist())
    ]
    x, width = pixels("x", step * weight.size), step * weight.size
    axis = alt.Axis(title="share of the kept tokens", format=".1~%", tickCount=4)
    bars = drawn_from(rows).mark_bar(color=ACCENT.light, orient="vertical", size=step * 0.75)
    spacing = -(-weight.size // MOST_NUMBERS)
    numbers = drawn_from(row for k, row in enumerate(rows) if k % _round_up(spacing) == 0)
    texts = numbers.mark_text(aria=False, color=FAINT.light, fontSize=SMALL)
    layers = [
        bars.encode(
            x=x, y=alt.Y("share:Q", axis=axis), href="link:N", description="told:N", tooltip="told:N"
        ),
        texts.encode(x=x, y=alt.value(WEIGHTS_HEIGHT + 12), text="number:N", href="link:N"),
    ]
    chart = alt.layer(*layers).properties(width=width, height=WEIGHTS_HEIGHT)
    drawn: alt.LayerChart = dressed(chart, "Weights of topics")
    return drawn


def _round_up(spacing: int) -> int:
    """The next of 1, 2, 5, 10, 20, 50 and so on."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if factor * step >= spacing:
                return factor * step
        step *= 10
