"""Documents with their topics and the phrases they are made of: what is written about new documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.phrases.document_slices import document_slices
from topminer.phrases.partition import Partition
from topminer.topics.results.fold_in import Inferred


@dataclass(frozen=True)
class Span:
    """A phrase instance in a document: ``text`` is the document's ``[start:end]``."""

    text: str
    start: int
    end: int
    topic: int  # -1: no word of it is known to the model


def spans(partition: Partition, clique_topic: NDArray[np.int32]) -> list[list[Span]]:
    """The phrase instances of each document, with their topics."""
    texts = partition.corpus.texts
    if texts is None:
        raise InputError("the documents' texts were not kept")
    places, written = partition.spans(), texts.to_list()
    found: list[list[Span]] = [[] for _ in range(len(partition))]
    for (document, start, stop), topic in zip(
        places.select("document", "start", "stop").iter_rows(), clique_topic.tolist(), strict=True
    ):
        found[document].append(Span(written[document][start:stop], start, stop, topic))
    return found


def documents_with_topics(partition: Partition, inferred: Inferred) -> Iterator[pl.DataFrame]:
    """Documents, a bounded slice at a time.

    Columns: id, topics (the share of each topic, a list), phrases (a list, single words included: of each its
    text, its start and end in the document's text, and its topic, -1 where no word of it is known).
    """
    corpus = partition.corpus
    if corpus.texts is None:
        raise InputError("the documents' texts were not kept")
    for part in document_slices(partition):
        documents = slice(part.first, part.last)
        phrases = part.spans.select(
            "text", "start", "end", topic=pl.Series(inferred.clique_topic[part.cliques])
        )
        topics = pl.Series("topics", inferred.doc_topic[documents].tolist())
        yield part.with_phrases([corpus.ids[documents].alias("id"), topics], phrases)
