"""Where ToPMine's time goes as the corpus grows: the paper's plot of mining against topic modelling.

Samples of an eighth, a quarter, a half and all of the documents, evenly spaced. All sweeps cost the same, so
a hundred of them stand for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from topminer.methods.stopwatch import Watch
from topminer.methods.topmine import DefaultToPMine
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus

PARTS = (8, 4, 2, 1)  # one document in so many
MOST_SWEEPS = 100  # that are run


class Growth(NamedTuple):
    """The time of ToPMine's two parts on so many documents, in seconds."""

    documents: int
    tokens: int
    mining: float
    topics: float


def decomposition(
    corpus: Corpus,
    n_topics: int,
    n_sweeps: int,
    *,
    seed: int = 0,
    n_threads: int | None = None,
    mining: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> list[Growth]:
    """Time both parts on growing samples; those with fewer kept tokens than topics are left out."""
    n_run = min(n_sweeps, MOST_SWEEPS)
    method, grown = DefaultToPMine(n_run, n_threads, mining or {}), []
    for part in PARTS:
        sample = corpus[::part]
        if sample.n_tokens < n_topics:
            continue
        watch = Watch(progress)
        method.fit(sample, n_topics, seed, watch=watch)
        seconds = {stage.name: stage.seconds for stage in watch.stages}
        topics = seconds["preparing"] + seconds["sampling topics"] * n_sweeps / n_run
        grown.append(Growth(len(sample), sample.n_tokens, seconds["mining phrases"], topics))
    return grown
