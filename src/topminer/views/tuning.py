"""The page about a grid of models: what is recommended and why, the chart, and all numbers."""

from __future__ import annotations

from collections.abc import Iterator

from topminer.evaluation.recommend import Point, named
from topminer.evaluation.tune import Tuning
from topminer.views.numbers import number
from topminer.views.pages import render, titled_svg

_HEADS = "topics, threshold, perplexity, ±, coherence, of phrases, stability, phrases, seconds"


def tuning_page(found: Tuning, svg: str, name: str, command: str | None = None) -> str:
    """Return the page; ``svg`` is the chart, ``name`` that of the corpus.

    ``command`` makes the recommended model.
    """
    return render(
        "tuning",
        title=f"How many topics? {name}",
        recommended=found.recommended and named(found.recommended),
        why=found.why,
        command=command,
        chart=titled_svg("Measures of all models", svg),
        heads=_HEADS.split(", "),
        rows=[(point is found.recommended, list(_cells(point))) for point in found.points],
    )


def _cells(point: Point) -> Iterator[str]:
    yield number(point.n_topics)
    yield "none" if point.threshold == float("inf") else f"{point.threshold:g}"
    yield number(point.perplexity, ",.1f")
    yield number(point.perplexity_error, ",.1f")
    yield number(point.coherence, ".3f")
    yield number(point.phrase_coherence, ".3f")
    yield number(point.stability, ".2f")
    yield number(point.n_phrases)
    yield number(point.seconds, ",.1f")
