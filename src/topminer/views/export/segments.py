"""The segmented corpus: documents as the phrase instances they are made of, each with its topic.

Where the model has no texts, the texts of documents are left out, and a phrase instance is told not as it was
written in its document but as its type is shown: column ``surface`` stands in for ``text``.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from topminer.phrases.document_slices import DocumentSlice, document_slices
from topminer.topics.results.fitted import Fitted


def segments(model: Fitted) -> Iterator[pl.DataFrame]:
    """Documents, a bounded slice at a time.

    Columns: id, text, phrases (a list, single words included: of each its text, its start and end in the
    document's text in Python's code points, and its topic).
    """
    corpus = model.corpus_
    for part, found in _slices(model):
        columns = [corpus.ids[part.first : part.last].alias("id")]
        if corpus.texts is not None:
            columns.append(corpus.texts[part.first : part.last].alias("text"))
        yield part.with_phrases(columns, found)


def instances(model: Fitted) -> Iterator[pl.DataFrame]:
    """Phrase instances, those of a bounded slice of documents at a time: id, start, end, text, topic."""
    for part, found in _slices(model):
        ids = model.corpus_.ids.gather(part.spans["document"] + part.first).alias("id")
        yield found.select(ids, "start", "end", found.columns[0], "topic")


def _slices(model: Fitted) -> Iterator[tuple[DocumentSlice, pl.DataFrame]]:
    """Slices of documents, and the instances in each: text or surface, start, end, topic."""
    partition, topics = model.partition_, model.lda_.clique_topic_
    surfaces = None
    if model.corpus_.texts is None:
        surfaces = pl.Series("surface", partition.type_surfaces(), pl.String)
    for part in document_slices(partition):
        written = (
            part.spans["text"] if surfaces is None else surfaces.gather(partition.type_ids[part.cliques])
        )
        yield part, part.spans.select(written, "start", "end", topic=pl.Series(topics[part.cliques]))
