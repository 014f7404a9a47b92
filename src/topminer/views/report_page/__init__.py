"""The report: one HTML file that shows what a model found, and loads nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from topminer.progress import Progress, silent
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.summary import Summary
from topminer.views.charts import history, to_svg, topic_map, trends, weights
from topminer.views.pages import page
from topminer.views.report_page.data import page_data
from topminer.views.report_page.facts import file_name

STAGE = "Writing the report"


def report(
    model: Fitted,
    *,
    labels: Mapping[int, str] | None = None,
    title: str | None = None,
    run: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> str:
    """Return the report of a fitted model as HTML.

    Parameters
    ----------
    model : ToPMine
        Fitted.
    labels : mapping of int to str, optional
        Your own names of topics, by number.
    title : str, optional
        Title of the report; by default the name of the corpus.
    run : mapping, optional
        Content of run.json: times, versions.
    progress : callable
        See :class:`topminer.progress.Progress`.

    Returns
    -------
    str
        One self-contained page.
    """
    return report_of(Summary(model, labels=labels or {}), title=title, run=run, progress=progress)


def report_of(
    summary: Summary,
    *,
    title: str | None = None,
    run: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> str:
    """Return :func:`report` of a model's summary."""
    progress(STAGE, 0, 3, "parts")
    data = page_data(summary, title=title or title_of(summary.model), run=run or {}, live=False)
    progress(STAGE, 1, 3, "parts")
    charts = charts_of(summary)
    progress(STAGE, 2, 3, "parts")
    html = page(data, charts)
    progress(STAGE, 3, 3, "parts")
    return html


def title_of(model: Fitted) -> str:
    """Return the title of pages about a model: the name of its corpus file, without endings."""
    name = file_name(model.corpus_.origin.name)
    return re.sub(r"(?<=.)(\.(txt|csv|tsv|jsonl|parquet))?(\.(gz|xz|zst))?$", "", name, flags=re.IGNORECASE)


def charts_of(summary: Summary) -> dict[str, str]:
    """Return the charts of a page as SVG, by name."""
    charts = {
        "map": to_svg(topic_map(summary), "Map of topics"),
        "history": to_svg(history(summary), "Log likelihood and perplexity by sweep"),
        "weights": to_svg(weights(summary), "Weights of topics"),
    }
    if summary.periods is not None:
        charts["trends"] = to_svg(trends(summary), "Topics over time")
    return charts
