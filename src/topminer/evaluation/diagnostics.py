"""Diagnostics of each topic: its size, how much it differs from others, and how sure it is.

The exclusivity of topic k is the mean of p(k | word) over its first ten words, the most probable ones::

    p(k | w) = tokens of w in k / tokens of w

    words of topic 0: "mining" 30 of 40 tokens, "data" 50 of 100        exclusivity (0.75 + 0.5) / 2 = 0.625

It is 1 if no other topic has these words (Bischof and Airoldi's FREX combines it with the frequency; here
frequent words are chosen first). A topic leads the documents in which its share is the largest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.evaluation.coherence import npmi
from topminer.phrases.partition import Partition
from topminer.progress import Progress, silent
from topminer.topics.model.phraselda import PhraseLDA, topics_in
from topminer.topics.results.similarity import similar_topics, similarities

N_WORDS = 10
CELLS = 1 << 22  # of documents and topics held at a time
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "topic": pl.Int64,
    "weight": pl.Float64,  # share of the kept tokens
    "weight_low": pl.Float64,  # ends of its interval; null without several chains
    "weight_high": pl.Float64,
    "exclusivity": pl.Float64,
    "coherence": pl.Float64,  # NPMI of the first ten words, over documents
    "documents": pl.Int64,  # that it leads
    "stability": pl.Float64,  # null without several chains
    "stable": pl.Boolean,
    "nearest": pl.Int64,  # the most similar topic; null if there is no other
    "similarity": pl.Float64,  # to the nearest: 1 - the Hellinger distance
}


def diagnostics(
    lda: PhraseLDA,
    partition: Partition,
    *,
    coherence: Sequence[float | None] | None = None,
    similarity: NDArray[np.float64] | None = None,
    progress: Progress = silent,
) -> pl.DataFrame:
    """Return a row for each topic; see `SCHEMA`. What is known already may be given: it is not computed."""
    weight, certainty = lda.topic_weight_, lda.certainty_
    words = first_words(lda)
    if coherence is None:
        listed = [[(word,) for word in each.tolist()] for each in words]
        coherence = npmi(listed, partition.corpus, n=N_WORDS, window=None, eps=0.0, progress=progress).topics
    similarity = similarities(lda.topic_word_) if similarity is None else similarity
    near = [similar_topics(similarity, k, 1) for k in range(weight.size)]
    nothing = [None] * weight.size
    return pl.DataFrame(
        {
            "topic": range(weight.size),
            "weight": weight,
            "weight_low": nothing if certainty is None else certainty.weight[0],
            "weight_high": nothing if certainty is None else certainty.weight[1],
            "exclusivity": exclusivity(lda, words),
            "coherence": coherence,
            "documents": documents_led(lda),
            "stability": nothing if certainty is None else certainty.stability,
            "stable": nothing if certainty is None else certainty.is_stable,
            "nearest": [each[0][0] if each else None for each in near],
            "similarity": [each[0][1] if each else None for each in near],
        },
        schema=SCHEMA,
    )


def first_words(lda: PhraseLDA, n: int = N_WORDS) -> list[NDArray[np.int64]]:
    """Return the most probable words of each topic; of equal ones the first in the vocabulary."""
    table = topics_in(lda).word_topic
    return [np.argsort(-table[:, k], kind="stable")[:n] for k in range(table.shape[1])]


def exclusivity(lda: PhraseLDA, words: Sequence[NDArray[np.int64]]) -> list[float | None]:
    """Return the mean of p(topic | word) over some words of each topic; None for a topic without tokens."""
    table = topics_in(lda).word_topic
    found: list[float | None] = []
    for k, chosen in enumerate(words):
        known = chosen[table[chosen, k] > 0]
        total = table[known].sum(axis=1, dtype=np.int64)
        found.append(float((table[known, k] / total).mean()) if known.size else None)
    return found


def documents_led(lda: PhraseLDA) -> NDArray[np.int64]:
    """Return in how many documents each topic has the largest share; empty documents do not count."""
    documents, _, _ = lda.document_topics()
    n_topics, n_documents = lda.topic_weight_.size, topics_in(lda).n_documents
    is_empty = np.ones(n_documents, np.bool_)
    is_empty[documents] = False
    led, n_rows = np.zeros(n_topics, np.int64), max(1, CELLS // n_topics)
    for first in range(0, n_documents, n_rows):
        last = min(first + n_rows, n_documents)
        largest = lda.shares(first, last).argmax(axis=1)
        led += np.bincount(largest[~is_empty[first:last]], minlength=n_topics)
    return led
