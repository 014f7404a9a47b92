"""How long methods take: measured or extrapolated, against LDA, beside what the paper found.

A method that was not run has a reason instead of a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from topminer.views.charts.comparison import Row, run_times
from topminer.views.comparison.measures import OURS, methods_of, times
from topminer.views.comparison.paper import paper_ratio
from topminer.views.comparison.summary import cut_short, reason
from topminer.views.comparison.tables import Column, chart, mark_best, name, safe, section, sentence, table
from topminer.views.numbers import ratio_text, seconds_text

_ABOUT = (
    '<p class="about">The whole run of each method, from the same kept tokens to ranked phrases. Each was '
    "timed once: a few per cent are no difference.</p>"
)


def times_section(data: Mapping[str, Any]) -> str:
    """The section of run times."""
    methods = methods_of(data)
    if not any(method.get("seconds") is not None or method.get("failed") for method in methods):
        return ""
    caption = (
        "Run times. The paper’s ratios are those of 50,000 sampled DBLP titles with 5 topics, where LDA took "
        "65 s."
    )
    if any(cut_short(method) for method in methods):
        caption += " ~ extrapolated from the sweeps that fitted the budget."
    return section(
        "times",
        "Run time",
        _ABOUT,
        _chart(data),
        table(data, caption, _columns(data), whole=True),
        _notes(data),
    )


def _columns(data: Mapping[str, Any]) -> list[Column]:
    measure = times(data)
    best = measure.best()
    spans, ratios, papers, stages = {}, {}, {}, {}
    for method in methods_of(data):
        own = method["name"]
        if own in measure.values:
            shown = safe(_about(method) + measure.text(measure.values[own]))
            spans[own] = mark_best(shown) if own in best else shown
        if method.get("failed"):
            stages[own] = f'<span class="failed">not run: {safe(reason(method))}</span>'
        elif method.get("stages"):
            stages[own] = _stages(method["stages"])
        if method.get("ratio") is not None:
            ratios[own] = _about(method) + _times(method["ratio"])
        there = paper_ratio(own)
        if there is not None:
            papers[own] = _times(there)
    return [
        Column("Time", spans),
        Column("To LDA", ratios),
        Column("In the paper", papers),
        Column("Stages", stages, number=False),
    ]


def _times(ratio: float) -> str:
    return safe(ratio_text(ratio)) + " ×"


def _about(method: Mapping[str, Any]) -> str:
    """The mark of times that were not measured to their end."""
    return "~" if cut_short(method) else ""


def _stages(stages: list[Mapping[str, Any]]) -> str:
    """Each stage with its time, and with what was measured of it if that is not all."""
    told = []
    for stage in stages:
        text = f"{stage['name']} {_span(stage)}"
        if (share := stage.get("share")) is not None and share < 1 and stage.get("measured") is not None:
            text += f" (measured {seconds_text(stage['measured'])}, {100 * share:.2g} % of it)"
        told.append(f"<li>{sentence(text)}</li>")
    return f'<ul class="stages">{"".join(told)}</ul>'


def _span(stage: Mapping[str, Any]) -> str:
    seconds, share = stage.get("seconds"), stage.get("share")
    if seconds is None:
        return ""
    return ("~" if share is not None and share < 1 else "") + seconds_text(seconds)


def _chart(data: Mapping[str, Any]) -> str:
    measure = times(data)
    lda = measure.values.get("lda")
    rows = [
        Row(
            str(method["title"]),
            measure.values[method["name"]] / (lda or 1.0),
            _about(method) + measure.text(measure.values[method["name"]]),
            ours=method["name"] == OURS,
            hollow=cut_short(method),
            paper=paper_ratio(method["name"]) if lda else None,
        )
        for method in methods_of(data)
        if measure.values.get(method["name"], 0) > 0
    ]
    if len(rows) < 2:
        return ""
    keys = ['<span class="dot"></span> this run']
    if any(row.hollow for row in rows):
        keys.append('<span class="dot hollow"></span> extrapolated')
    if any(row.paper for row in rows):
        keys.append('<span class="stroke"></span> the paper')
    drawn = run_times(rows, "times as long as LDA" if lda else "seconds")
    return chart(drawn, "Run times, on a logarithmic axis", " ".join(keys))


def _notes(data: Mapping[str, Any]) -> str:
    """What methods have to say about themselves."""
    notes = [
        f"<li>{name(method['title'])}: {safe(note)}</li>"
        for method in methods_of(data)
        for note in method.get("notes") or ()
    ]
    return f'<h3>Notes</h3>\n<ul class="notes">{"".join(notes)}</ul>' if notes else ""
