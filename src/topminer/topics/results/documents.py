"""New documents with their topics and phrase instances, as they are written to files."""

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
    topic: int  # -1: it has a word that the model does not know


def spans(partition: Partition, clique_topic: NDArray[np.int32]) -> list[list[Span]]:
    """Return the phrase instances of each document, with their topics."""
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
    """Yield documents, a bounded slice at a time.

    Columns: id, topics (a list: the probability of each topic), phrases (a list, single words included: the
    text of each, its start and end in the document's text, and its topic, -1 if the model does not know its
    words).
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
