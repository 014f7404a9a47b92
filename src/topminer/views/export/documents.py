"""The share of each topic in each document, a bounded slice of documents at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.topics.results.fitted import Fitted

CELLS = 1 << 22  # of documents and topics: the most of a slice, unless one document alone has more


def share_slices(model: Fitted) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
    """The first document of each slice, the one behind its last, and their shares."""
    n_documents, n_topics = len(model.partition_), model.lda_.alpha_.size
    n_rows = max(1, CELLS // n_topics)
    for first in range(0, n_documents, n_rows):
        last = min(first + n_rows, n_documents)
        yield first, last, model.lda_.shares(first, last)


def document_topics(model: Fitted) -> Iterator[pl.DataFrame]:
    """Documents with the share of each topic.

    Columns: id, time if documents have one, topic_0, topic_1, …
    """
    corpus = model.corpus_
    for first, last, table in share_slices(model):
        names = [corpus.ids[first:last].alias("id")]
        if corpus.times is not None:
            names.append(corpus.times[first:last].alias("time"))
        yield pl.DataFrame(names + [pl.Series(f"topic_{k}", table[:, k]) for k in range(table.shape[1])])
