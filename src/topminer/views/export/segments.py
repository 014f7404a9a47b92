"""The segmented corpus: documents as the phrase instances they are made of, each with its topic.

Where the model has no texts, the texts of documents are left out, and a phrase instance is told not as it was
written in its document but as its type is shown: column ``surface`` stands in for ``text``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from topminer.phrases.segmented import slices
from topminer.views.fitted import Fitted


def segments(model: Fitted) -> Iterator[pl.DataFrame]:
    """Documents, a bounded slice at a time.

    Columns: id, text, phrases (a list, single words included: of each its text, its start and end in the
    document's text in Python's code points, and its topic).
    """
    corpus = model.corpus_
    for first, last, found in _slices(model):
        names = [corpus.ids[first:last].alias("id")]
        if corpus.texts is not None:
            names.append(corpus.texts[first:last].alias("text"))
        documents = pl.DataFrame([pl.Series("document", np.arange(last - first)), *names])
        instance = pl.struct(found.columns[1], "start", "end", "topic")
        phrases = found.group_by("document", maintain_order=True).agg(phrases=instance)
        yield documents.join(phrases, on="document", how="left", maintain_order="left").select(
            pl.exclude("document", "phrases"), pl.col("phrases").fill_null([])
        )


def instances(model: Fitted) -> Iterator[pl.DataFrame]:
    """Phrase instances, those of a bounded slice of documents at a time: id, start, end, text, topic."""
    ids = model.corpus_.ids
    for first, _, found in _slices(model):
        named = found.select(ids.gather(found["document"] + first).alias("id"), pl.exclude("document"))
        yield named.select("id", "start", "end", named.columns[1], "topic")


def _slices(model: Fitted) -> Iterator[tuple[int, int, pl.DataFrame]]:
    """The first document of each slice, the one behind its last, and the instances in them.

    Columns: document (0 is the slice's first), text or surface, start, end, topic.
    """
    corpus, partition = model.corpus_, model.partition_
    surfaces = pl.Series(partition.type_surfaces(), dtype=pl.String) if corpus.texts is None else None
    stops, topics = corpus.stops, model.lda_.clique_topic_
    for first, last in slices(corpus.doc_start):
        start, stop = partition.doc_start[[first, last]].tolist()
        bounds = partition.clique_start[start : stop + 1]
        document = np.repeat(np.arange(last - first), np.diff(partition.doc_start[first : last + 1]))
        starts, ends = corpus.starts[bounds[:-1]], stops[bounds[1:] - 1]
        if corpus.texts is None:
            assert surfaces is not None
            written = surfaces.gather(partition.type_ids[start:stop]).alias("surface")
        else:
            texts = corpus.texts[first:last].to_list()
            places = zip(document.tolist(), starts.tolist(), ends.tolist(), strict=True)
            written = pl.Series("text", [texts[d][i:j] for d, i, j in places], pl.String)
        numbers = {"start": starts, "end": ends, "topic": topics[start:stop]}
        found = [pl.Series("document", document), written]
        yield first, last, pl.DataFrame(found + [pl.Series(*each) for each in numbers.items()])
