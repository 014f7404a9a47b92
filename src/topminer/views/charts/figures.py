"""Bars of phrases and of topics, and the course of sampling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from topminer.errors import InputError
from topminer.text.printable import printable
from topminer.topics.results.entries import RELEVANCE
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.summary import Summary
from topminer.views.charts.parts import (
    SPOKEN,
    Look,
    drawn_from,
    finished,
    lines,
    link,
    names,
    numbered,
    upwards,
)
from topminer.views.colours import ACCENT, SECOND, WHOLE
from topminer.views.numbers import percent

if TYPE_CHECKING:
    import altair as alt

BAR_WIDTH, BAR_STEP, LABEL_WIDTH = 380, 21, 230
PANEL_WIDTH, PANEL_HEIGHT = 560, 130
WEIGHTS_WIDTH, WEIGHTS_HEIGHT, WIDEST_STEP = 720, 150, 36


def topic_bars(model: Fitted | Summary, topic: int, n: int = 20, weight: float = RELEVANCE) -> alt.LayerChart:
    """Draw how often the foremost phrases of a topic occur there, and in all topics together.

    Phrases go by relevance (:func:`topminer.topics.results.ranking.relevance`), of which ``weight`` is the λ.
    Where a topic has no phrases of several words, its words are drawn. Every phrase type is shown by itself.
    """
    import altair as alt

    summary = Summary.of(model)
    if not 0 <= topic < summary.n_topics:
        last = summary.n_topics - 1
        raise InputError(f"there is no topic {topic}; topics are numbered from 0 to {last:,}")
    rows = list(_bars(summary, topic, n, weight))
    colours = alt.Scale(domain=["in this topic", "in all topics"], range=[ACCENT.light, WHOLE.light])
    legend = alt.Legend(symbolType="square", symbolStrokeWidth=0)
    bars = [
        drawn_from(row for row in rows if row["of"] == of)
        .mark_bar(orient="horizontal", size=size)
        .encode(
            x=alt.X("count:Q", axis=alt.Axis(title="instances", format="~s", tickCount=5)),
            y=names((row["name"] for row in rows), LABEL_WIDTH),
            color=alt.Color("of:N", scale=colours, title=None, legend=legend),
            **SPOKEN,
        )
        for of, size in (("in all topics", 13), ("in this topic", 7))
    ]
    chart = alt.layer(*bars).properties(width=BAR_WIDTH, height=alt.Step(BAR_STEP))
    drawn: alt.LayerChart = finished(chart, f"Phrases of topic {topic}")
    return drawn


def _bars(summary: Summary, topic: int, n: int, weight: float) -> Iterator[dict[str, Any]]:
    """Yield two bars for each phrase, the most relevant phrase first."""
    entries = summary.entries_of(tie=False)
    scores = entries.scores("relevance", weight)
    places = entries.ranked(scores, topic, n, entries.lengths > 1)
    if not places.size:
        places = entries.ranked(scores, topic, n, entries.lengths > 0)
    for rank, place in enumerate(places.tolist()):
        entry = int(entries.frequency.types[place])
        text = printable(entries.text(entry))
        for of, count in (
            ("in all topics", float(entries.totals[entry])),
            ("in this topic", float(entries.frequency.mean[place])),
        ):
            yield {
                "name": numbered(rank, text),
                "of": of,
                "count": round(count, 1),
                "described": f"{text}: {count:,.0f} {of}",
            }


def history(model: Fitted | Summary) -> alt.VConcatChart:
    """Draw log likelihood and perplexity along the sweeps."""
    import altair as alt

    upper = {"log likelihood per token": Look(ACCENT)}
    lower = {"perplexity": Look(ACCENT), "held-out perplexity": Look(SECOND)}
    panels = alt.vconcat(_panel(model, upper, None), _panel(model, lower, "sweep"), spacing=20)
    panels = panels.resolve_scale(stroke="independent", strokeDash="independent")
    drawn: alt.VConcatChart = finished(panels, "Log likelihood and perplexity by sweep")
    return drawn


def _panel(model: Fitted | Summary, looks: dict[str, Look], title: str | None) -> Any:
    """Return lines over the sweeps; a column of the history without any number has none."""
    import altair as alt

    table = Summary.of(model).model.lda_.history_
    sweeps = table["sweep"].to_list()
    rows = [
        {"name": name, "x": sweep, "y": value, "described": f"sweep {sweep:,}: {name} {value:,.4g}"}
        for name in looks
        for sweep, value in zip(sweeps, table[_column(name)].to_list(), strict=True)
        if value is not None and np.isfinite(value)
    ]
    there = {row["name"] for row in rows}
    across = alt.X(
        "x:Q",
        axis=alt.Axis(title=title, grid=False, tickCount=6, format=",d"),
        scale=alt.Scale(domain=[0, max(sweeps, default=1)], nice=False),
    )
    seen = {name: look for name, look in looks.items() if name in there}
    drawn = lines(rows, seen, across, upwards([row["y"] for row in rows], tickCount=4))
    return alt.layer(*drawn).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)


def _column(name: str) -> str:
    return name.removesuffix(" per token").replace(" ", "_").replace("-", "_")


def weights(model: Fitted | Summary) -> alt.Chart:
    """Draw the weight of each topic: its share of the kept tokens."""
    import altair as alt

    weight = Summary.of(model).model.lda_.topic_weight_.tolist()
    rows = [
        {
            "topic": k,
            "share": round(share, 6),
            "described": f"Topic {k}: {percent(share)} of the kept tokens",
            "link": link(k),
        }
        for k, share in enumerate(weight)
    ]
    axis = alt.Axis(title="topic", grid=False, labelAngle=0, labelOverlap="parity")
    chart = drawn_from(rows).mark_bar(color=ACCENT.light)
    chart = chart.encode(
        x=alt.X("topic:O", axis=axis, scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1)),
        y=alt.Y("share:Q", axis=alt.Axis(title="share of the kept tokens", format=".1~%", tickCount=4)),
        href="link:N",
        **SPOKEN,
    ).properties(width=alt.Step(min(WEIGHTS_WIDTH / len(weight), WIDEST_STEP)), height=WEIGHTS_HEIGHT)
    drawn: alt.Chart = finished(chart, "Weights of topics")
    return drawn
