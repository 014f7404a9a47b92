"""How sure a model is, for pages: whether the sweeps were enough, and diagnostics of each topic."""

from __future__ import annotations

from typing import Any

from topminer.evaluation.diagnostics import diagnostics
from topminer.topics.model.phraselda import topics_in
from topminer.topics.results.summary import Summary
from topminer.topics.results.verdict import large_topic, verdict_of

MEASURES = ("exclusivity", "coherence", "documents", "stability", "stable", "weight_low", "weight_high")


def sureness(summary: Summary) -> dict[str, Any]:
    """Return what holds for all topics: sentences of the verdict, and a warning or None."""
    lda = summary.model.lda_
    large, certainty = large_topic(topics_in(lda).n_k), lda.certainty_
    lines = verdict_of(lda).lines()
    if certainty is not None:
        lines.append(
            f"{int(certainty.is_stable.sum()):,} of {summary.n_topics:,} topics are stable: on average the "
            f"other chains have a topic with a cosine of {certainty.threshold:g} or more."
        )
    return {
        "verdict": lines,
        "warning": None if large is None else large.text(as_options=True),
        "rate": None if certainty is None else certainty.rate,
    }


def diagnostics_of(summary: Summary) -> list[dict[str, Any]]:
    """Return the diagnostics of each topic, with as many digits as a page needs."""
    model = summary.model
    found = diagnostics(model.lda_, model.partition_, similarity=summary.similarity)
    return [
        {name: float(f"{value:.4g}") if isinstance(value, float) else value for name, value in row.items()}
        for row in found.select(MEASURES).iter_rows(named=True)
    ]
