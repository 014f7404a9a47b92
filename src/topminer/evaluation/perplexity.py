"""Held-out perplexity: which documents are held out, and how well models predict them.

The rule of `evaluate`, `compare` and `tune`: of every ten documents one is held out, drawn at random, since
documents may come in turns. Models learn from the others, and score the same words: those of the second
halves of the held-out documents, given the first halves, cut where PhraseLDA's phrases allow
(topics/results/held_out.py). The curves follow PhraseLDA and LDA along their sweeps, as the paper's figures
do, with priors that are fitted along the way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.progress import Progress, silent
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.held_out import HeldOut, hold_out
from topminer.topics.sampler.chain import Chain

SHARE = 0.1  # of the documents that is held out
EARLY, INTERVAL = (5, 10, 20, 30, 50, 75), 50  # sweeps after which perplexity is measured


class TooFewDocuments(InputError):
    """There is nothing to hold out, nothing to score, or too little to learn from."""


def held_out_documents(n_documents: int, seed: int, share: float = SHARE) -> NDArray[np.int64]:
    """Choose the documents to hold out: one of every ten, or of as many as the share says."""
    size = round(1 / share)
    if n_documents < size:
        raise TooFewDocuments(f"{n_documents:,} documents are too few to hold one in {size} out")
    starts = np.arange(0, n_documents - size + 1, size)
    return starts + np.random.default_rng(seed).integers(size, size=starts.size)


def others(n_documents: int, held_out: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the documents to learn from."""
    return np.setdiff1d(np.arange(n_documents), held_out)


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


def split(partition: Partition, seed: int) -> Split:
    """Hold documents out; PhraseLDA and LDA score the same words of them."""
    chosen = held_out_documents(len(partition), seed)
    train, test = partition[others(len(partition), chosen)], partition[chosen]
    held_words = hold_out(Partition.of_words(test.corpus), like=test)
    if not held_words.scored()[0].size:
        raise TooFewDocuments("no document that is held out has a word in its second half")
    return Split(train, Partition.of_words(train.corpus), hold_out(test), held_words)


def curve(model: str, train: Partition, test: HeldOut, lda: PhraseLDA, progress: Progress = silent) -> Curve:
    """Fit ``lda`` to ``train``, and judge it now and then by ``test``."""
    points: list[tuple[int, float]] = []

    def look(chain: Chain) -> None:
        sweep = chain.sampler.n_sweeps
        if sweep in EARLY or sweep % INTERVAL == 0 or sweep == lda.n_sweeps:
            points.append((sweep, chain.perplexity_of(test)))

    lda.fit(train, progress=progress, after_sweep=look)
    return Curve(model, tuple(points))


def curves(documents: Split, lda: PhraseLDA, progress: Progress = silent) -> list[Curve]:
    """Return the curves of PhraseLDA and LDA on identical words; ``lda`` has the parameters of both."""
    return [
        curve("PhraseLDA", documents.phrases, documents.held_phrases, lda, progress),
        curve("LDA", documents.words, documents.held_words, lda, progress),
    ]


def perplexity_curves(
    partition: Partition, lda: PhraseLDA, seed: int, progress: Progress = silent
) -> dict[str, Any] | None:
    """Return both curves as plain numbers; None if documents are too few to hold some out."""
    try:
        documents = split(partition, seed)
    except TooFewDocuments:
        return None
    if int(lda.n_topics) > documents.words.corpus.n_tokens:
        return None
    found = curves(documents, lda, progress)
    return {
        "held_out": len(documents.held_words.partition),
        "words": int(documents.held_words.scored()[0].size),
        "curves": [{"model": each.model, "points": [list(point) for point in each.points]} for each in found],
    }
