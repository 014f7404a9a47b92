"""Documents with their phrase instances, a bounded slice of documents at a time.

Offsets are Python's code points, so that ``text[start:end]`` is the phrase as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.phrases.partition import Partition, stems_as_text

TOKENS, DOCUMENTS = 1 << 17, 1 << 14  # the most of a slice, unless one document alone has more tokens


class DocumentSlice(NamedTuple):
    """The documents from ``first`` to before ``last``, and phrase instances in them."""

    first: int
    last: int
    cliques: NDArray[np.int64]  # the instances
    spans: pl.DataFrame  # document (0 is the slice's first), text (if the corpus has texts), start, end

    def with_phrases(self, columns: list[pl.Series], phrases: pl.DataFrame) -> pl.DataFrame:
        """Return columns of the documents, and a column with the rows of ``phrases`` of each document."""
        lists = (
            phrases.select(pl.struct(pl.all()).alias("phrases"))
            .with_columns(self.spans["document"])
            .group_by("document", maintain_order=True)
            .agg("phrases")
        )
        documents = pl.DataFrame([pl.Series("document", np.arange(self.last - self.first)), *columns])
        return documents.join(lists, on="document", how="left", maintain_order="left").select(
            *(column.name for column in columns), pl.col("phrases").fill_null([])
        )


def document_slices(partition: Partition, *, words: bool = True) -> Iterator[DocumentSlice]:
    """Yield all documents with their phrase instances; ``words`` says whether single words are included."""
    corpus = partition.corpus
    stops = corpus.stops
    for first, last in slice_bounds(corpus.doc_start):
        start, stop = partition.doc_start[[first, last]].tolist()
        cliques, bounds = np.arange(start, stop), partition.clique_start[start : stop + 1]
        document = np.repeat(np.arange(last - first), np.diff(partition.doc_start[first : last + 1]))
        if not words:
            long = np.flatnonzero(np.diff(bounds) > 1)
            cliques, document = cliques[long], document[long]
        starts = corpus.starts[partition.clique_start[cliques]]
        ends = stops[partition.clique_start[cliques + 1] - 1]
        columns = [pl.Series("document", document), pl.Series("start", starts), pl.Series("end", ends)]
        if corpus.texts is not None:
            texts = corpus.texts[first:last].to_list()
            places = zip(document.tolist(), starts.tolist(), ends.tolist(), strict=True)
            columns.insert(1, pl.Series("text", [texts[d][i:j] for d, i, j in places], pl.String))
        yield DocumentSlice(first, last, cliques, pl.DataFrame(columns))


def slice_bounds(doc_start: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the first document of each slice, and the document after its last."""
    n_documents, first = doc_start.size - 1, 0
    while first < n_documents:
        fitting = int(np.searchsorted(doc_start, doc_start[first] + TOKENS, side="right")) - 1
        last = min(max(first + 1, fitting), first + DOCUMENTS, n_documents)
        yield first, last
        first = last


def marked_documents(partition: Partition) -> Iterator[pl.DataFrame]:
    """Yield documents with their phrases of several words marked, as in the paper's Example 1.

    Columns: id, text, marked (the text with each phrase in brackets, for people: the text may have brackets
    of its own), phrases (a list: the text of each, its start and end, its stems joined by a blank, its number
    of words).

    >>> from topminer.phrases.miner import PhraseMiner
    >>> from topminer.text.corpus import Corpus
    >>> corpus = Corpus.from_texts(["We like frequent pattern mining!", "All is data."] * 20)
    >>> next(marked_documents(PhraseMiner(significance=3.0).fit_transform(corpus)))["marked"][0]
    'We like [frequent pattern mining]!'
    """
    corpus = partition.corpus
    if corpus.texts is None:
        raise ValueError("this corpus has no texts; make it with keep_texts=True")
    for part in document_slices(partition, words=False):
        texts = corpus.texts[part.first : part.last]
        phrases = part.spans.select(
            "text",
            pl.col("start", "end").cast(pl.Int64),
            stems_as_text(partition, partition.type_ids[part.cliques]).alias("stems"),
            pl.Series(
                "words", partition.clique_start[part.cliques + 1] - partition.clique_start[part.cliques]
            ),
        )
        marked = pl.Series("marked", _marked(texts.to_list(), part.spans), pl.String)
        columns = [corpus.ids[part.first : part.last].alias("id"), texts.alias("text"), marked]
        yield part.with_phrases(columns, phrases)


def _marked(texts: list[str], spans: pl.DataFrame) -> list[str]:
    """Return the texts with brackets around the spans, which are in order.

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
