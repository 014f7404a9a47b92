"""All charts of a model as files, each as .svg and as .png."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from topminer.errors import InputError
from topminer.progress import Progress, silent
from topminer.topics.results.entries import Entries
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.periods import periods
from topminer.views.charts import history, topic_bars, topic_map, trends, weights
from topminer.views.charts.parts import labels_of
from topminer.views.charts.svg import Drawing

STAGE = "Drawing charts"


def write_charts(
    model: Fitted, folder: Path, labels: Sequence[str] | None = None, progress: Progress = silent
) -> list[Path]:
    """Write the map, trends if documents have times, history, weights, and the bars of every topic.

    Parameters
    ----------
    model : fitted model
    folder : Path
        Made if it is not there. Files of the same names are replaced.
    labels : sequence of str (topics,), optional
        What topics are called.
    progress : callable

    Returns
    -------
    list of Path
        What was written.
    """
    charts = list(_charts(model, labels_of(model, labels)))
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for done, (name, title, draw) in enumerate(charts):
            progress(STAGE, done, len(charts), "charts", name)
            drawing = Drawing(draw())
            for ending, content in (
                ("svg", drawing.svg(title, standalone=True).encode()),
                ("png", drawing.png()),
            ):
                path = folder / f"{name}.{ending}"
                path.write_bytes(content)
                written.append(path)
    except OSError as error:
        raise InputError(
            f"{error.filename or folder}: cannot be written: {error.strerror or error}"
        ) from None
    progress(STAGE, len(charts), len(charts), "charts")
    return written


def _charts(model: Fitted, labels: Sequence[str]) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """The name of each chart's files, what it shows, and how it is made."""
    yield "map", "Map of topics", lambda: topic_map(model, labels)
    if periods(model.corpus_.times) is not None:
        yield "trends", "Topics over time", lambda: trends(model, labels)
    yield "history", "Log likelihood and perplexity by sweep", lambda: history(model)
    yield "weights", "Weights of topics", lambda: weights(model)
    entries = Entries.of(model, tie=False)
    for topic, label in enumerate(labels):
        title = f"Phrases of topic {topic}: {label}"
        yield f"topic-{topic}", title, partial(topic_bars, model, topic, entries=entries)
