"""Documents with their phrases marked, as in the paper's Example 1, and where each phrase stands.

``[Mining frequent patterns] without candidate generation: a [frequent pattern] tree approach.``

Brackets are for people: a text may have brackets of its own. Offsets are for programs: Python's code points,
so that ``text[start:end]`` is the phrase as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.phrases.partition import Partition

TOKENS, DOCUMENTS = 1 << 17, 1 << 14  # the most of a slice, unless one document alone has more


def segmented(partition: Partition) -> Iterator[pl.DataFrame]:
    """Documents and the phrases of several words in them, a bounded slice of documents at a time.

    Columns: id, text, marked (the text with each phrase in brackets), phrases (a list: of each its text, its
    start and end in the document's text, its stems joined by a blank, and the number of its words).

    >>> from topminer.phrases.miner import PhraseMiner
    >>> from topminer.text.corpus import Corpus
    >>> corpus = Corpus.from_texts(["We like frequent pattern mining!", "All is data."] * 20)
    >>> next(segmented(PhraseMiner(significance=3.0).fit_transform(corpus)))["marked"][0]
    'We like [frequent pattern mining]!'
    """
    corpus = partition.corpus
    if corpus.texts is None:
        raise ValueError("this corpus has no texts; make it with keep_texts=True")
    stops, stems = corpus.stops, corpus.vocabulary["stem"].to_list()
    for first, last in slices(corpus.doc_start):
        texts = corpus.texts[first:last].to_list()
        spans = _spans(partition, first, last, texts, stems, stops)
        phrases = spans.group_by("document", maintain_order=True).agg(
            phrases=pl.struct(pl.exclude("document"))
        )
        documents = pl.DataFrame(
            {
                "document": np.arange(last - first),
                "id": corpus.ids[first:last],
                "text": texts,
                "marked": _marked(texts, spans),
            }
        )
        yield documents.join(phrases, on="document", how="left", maintain_order="left").select(
            "id", "text", "marked", pl.col("phrases").fill_null([])
        )


def slices(doc_start: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """The first document of each slice and the one behind its last."""
    n_documents, first = doc_start.size - 1, 0
    while first < n_documents:
        fitting = int(np.searchsorted(doc_start, doc_start[first] + TOKENS, side="right")) - 1
        last = min(max(first + 1, fitting), first + DOCUMENTS, n_documents)
        yield first, last
        first = last


def _spans(
    partition: Partition,
    first: int,
    last: int,
    texts: list[str],
    stems: list[str],
    stops: NDArray[np.int32],
) -> pl.DataFrame:
    """The phrases of several words in documents ``first`` to ``last``, which are numbered from 0 here."""
    cliques = np.arange(partition.doc_start[first], partition.doc_start[last])
    words = partition.clique_start[cliques + 1] - partition.clique_start[cliques]
    long = cliques[words > 1]
    document = np.searchsorted(partition.doc_start, long, side="right") - 1 - first
    start = partition.corpus.starts[partition.clique_start[long]].astype(np.int64)
    end = stops[partition.clique_start[long + 1] - 1].astype(np.int64)
    places = zip(document.tolist(), start.tolist(), end.tolist(), strict=True)
    return pl.DataFrame(
        {
            "document": document,
            "text": pl.Series([texts[d][i:j] for d, i, j in places], dtype=pl.String),
            "start": start,
            "end": end,
            "stems": _names(partition, partition.type_ids[long], stems),
            "words": words[words > 1],
        }
    )


def _names(partition: Partition, types: NDArray[np.int32], stems: list[str]) -> pl.Series:
    """The stems of each type, joined by a blank."""
    distinct, which = np.unique(types, return_inverse=True)
    bounds = zip(partition.type_start[distinct], partition.type_start[distinct + 1], strict=True)
    names = [" ".join(stems[i] for i in partition.type_stems[start:stop].tolist()) for start, stop in bounds]
    return pl.Series(names, dtype=pl.String).gather(which)


def _marked(texts: list[str], spans: pl.DataFrame) -> list[str]:
    """The texts with brackets around the spans, which are in order.

    >>> _marked(["a b c", "d"], pl.DataFrame({"document": [0], "start": [2], "end": [5]}))
    ['a [b c]', 'd']
    """
    pieces: list[list[str]] = [[] for _ in texts]
    at = [0] * len(texts)
    for document, start, end in spans.select("document", "start", "end").iter_rows():
        text = texts[document]
        pieces[document] += [text[at[document] : start], "[", text[start:end], "]"]
        at[document] = end
    return ["".join([*pieces[d], text[at[d] :]]) for d, text in enumerate(texts)]
