"""Held-out perplexity while topics are sampled: the paper's figures of PhraseLDA against LDA.

Every tenth document is held out. Both models learn from the others, and score the same words: those of the
second halves of the held-out documents, given the first, cut where PhraseLDA's phrases allow (held_out.py).
Priors are fitted along the way, as in the paper.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.progress import Progress, silent
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.held_out import HeldOut, hold_out, perplexity
from topminer.topics.sampler.chain import Chain

ONE_IN = 10  # documents that is held out
EARLY, INTERVAL = (5, 10, 20, 30, 50, 75), 50  # sweeps after which perplexity is looked at


class TooFewDocuments(InputError):
    """There is nothing to hold out, nothing to score, or too little to learn from."""


class Split(NamedTuple):
    """Documents to learn from, and documents to be judged by; as phrases, and as words."""

    phrases: Partition
    words: Partition
    held_phrases: HeldOut
    held_words: HeldOut


class Curve(NamedTuple):
    """Held-out perplexity of a model after so many sweeps."""

    model: str
    points: tuple[tuple[int, float], ...]


def split(partition: Partition) -> Split:
    """Hold every tenth document out."""
    chosen = np.arange(len(partition)) % ONE_IN == ONE_IN - 1
    if not chosen.any():
        raise TooFewDocuments(f"{len(partition):,} documents are too few to hold one in {ONE_IN} out")
    train, test = partition[np.flatnonzero(~chosen)], partition[np.flatnonzero(chosen)]
    words = Partition.of_words(test.corpus)
    held_words = hold_out(words, like=test)
    if not held_words.scored()[0].size:
        raise TooFewDocuments("no document that is held out has a word in its second half")
    return Split(train, Partition.of_words(train.corpus), hold_out(test), held_words)


def curve(model: str, train: Partition, test: HeldOut, lda: PhraseLDA, progress: Progress = silent) -> Curve:
    """Fit ``lda`` to ``train``, and judge it now and then by ``test``."""
    points: list[tuple[int, float]] = []

    def look(chain: Chain) -> None:
        sampler = chain.sampler
        sweep = sampler.n_sweeps
        if sweep in EARLY or sweep % INTERVAL == 0 or sweep == lda.n_sweeps:
            counts = sampler.word_topic(), sampler.n_k, sampler.alpha, sampler.beta
            value = perplexity(test, *counts, seed=sampler.seed, n_threads=sampler.n_threads)
            points.append((sweep, value))

    lda.fit(train, progress=progress, after_sweep=look)
    return Curve(model, tuple(points))


def curves(documents: Split, lda: PhraseLDA, progress: Progress = silent) -> list[Curve]:
    """PhraseLDA and LDA, on identical words; ``lda`` has the parameters of both."""
    return [
        curve("PhraseLDA", documents.phrases, documents.held_phrases, lda, progress),
        curve("LDA", documents.words, documents.held_words, lda, progress),
    ]


def compared(partition: Partition, lda: PhraseLDA, progress: Progress = silent) -> dict[str, Any] | None:
    """Both curves as plain numbers; None where documents are too few to hold some out."""
    try:
        documents = split(partition)
    except TooFewDocuments:
        return None
    if lda.n_topics > documents.words.corpus.n_tokens:
        return None
    found = curves(documents, lda, progress)
    return {
        "held_out": len(documents.held_words.partition),
        "words": int(documents.held_words.scored()[0].size),
        "curves": [{"model": each.model, "points": [list(point) for point in each.points]} for each in found],
    }
