"""All charts of a model as files, each as .svg and as .png."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from topminer.errors import InputError
from topminer.progress import Progress, silent
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.summary import Summary
from topminer.views.charts import history, topic_bars, topic_map, trends, weights
from topminer.views.charts.parts import labels_of
from topminer.views.charts.svg import Drawing

STAGE = "Drawing charts"


def write_charts(
    model: Fitted | Summary, folder: Path, labels: Sequence[str] | None = None, progress: Progress = silent
) -> list[Path]:
    """Write the map, trends if documents have times, history, weights, and the bars of every topic.

    The folder is made if it is not there; files of the same names are replaced. Return the files' paths.
    """
    summary = Summary.of(model)
    charts = list(_charts(summary, labels_of(summary, labels)))
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for done, (name, title, draw) in enumerate(charts):
            progress(STAGE, done, len(charts), "charts", name)
            drawing = Drawing(draw())
            contents = {"svg": drawing.svg(title, standalone=True).encode(), "png": drawing.png()}
            for ending, content in contents.items():
                written.append(folder / f"{name}.{ending}")
                written[-1].write_bytes(content)
    except OSError as error:
        raise InputError(
            f"{error.filename or folder}: cannot be written: {error.strerror or error}"
        ) from None
    progress(STAGE, len(charts), len(charts), "charts")
    return written


def _charts(summary: Summary, labels: Sequence[str]) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield the name of each chart's files, its title, and a function that draws it."""
    yield "map", "Map of topics", partial(topic_map, summary, labels)
    if summary.periods is not None:
        yield "trends", "Topics over time", partial(trends, summary, labels)
    yield "history", "Log likelihood and perplexity by sweep", partial(history, summary)
    yield "weights", "Weights of topics", partial(weights, summary)
    for topic, label in enumerate(labels):
        yield f"topic-{topic}", f"Phrases of topic {topic}: {label}", partial(topic_bars, summary, topic)
