"""A fitted model for other programs: tables in bounded batches, and what pyLDAvis takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.phrases.document_slices import DocumentSlice, document_slices
from topminer.phrases.partition import stems_as_text
from topminer.phrases.table import quality_of_types
from topminer.progress import Progress, silent
from topminer.text.printable import printable
from topminer.topics.results.fitted import Fitted

CELLS = 1 << 22  # of documents and topics: the most of a slice, unless one document alone has more
PAIRS = 1 << 17  # of a phrase type and a topic: the most of a batch
FEWEST_TOPICS = 2  # that pyLDAvis can draw


class Batches(NamedTuple):
    """A table in batches, how many rows it has, and what they are."""

    batches: Iterator[pl.DataFrame]
    n_rows: int
    unit: str


def batches_of(model: Fitted, part: str, *, flat: bool) -> Batches:
    """Return the table ``documents``, ``phrases`` or ``segments``.

    A ``flat`` table has a row for each phrase instance instead of lists.
    """
    partition = model.partition_
    match part:
        case "documents":
            return Batches(document_topics(model), len(partition), "documents")
        case "phrases":
            n_pairs = model.lda_.frequency_.types.size
            return Batches(phrase_topics(model), n_pairs, "pairs of a phrase and a topic")
        case _ if flat:
            return Batches(instances(model), partition.n_cliques, "phrase instances")
        case _:
            return Batches(segments(model), len(partition), "documents with their phrases")


# ------------------------------------------------------------------------------ documents and their topics


def document_topics(model: Fitted) -> Iterator[pl.DataFrame]:
    """Documents with the share of each topic.

    Columns: id, time if documents have one, topic_0, topic_1, …
    """
    corpus = model.corpus_
    for first, last, table in _share_slices(model):
        names = [corpus.ids[first:last].alias("id")]
        if corpus.times is not None:
            names.append(corpus.times[first:last].alias("time"))
        yield pl.DataFrame(names + [pl.Series(f"topic_{k}", table[:, k]) for k in range(table.shape[1])])


def _share_slices(model: Fitted) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
    """The first document of each slice, the one behind its last, and their shares."""
    n_documents, n_topics = len(model.partition_), model.lda_.alpha_.size
    n_rows = max(1, CELLS // n_topics)
    for first in range(0, n_documents, n_rows):
        last = min(first + n_rows, n_documents)
        yield first, last, model.lda_.shares(first, last)


def with_times_as_texts(batches: Iterable[pl.DataFrame], times: pl.Series | None) -> Iterator[pl.DataFrame]:
    """The same batches with column ``time``, if there is one, as texts.

    Texts are days, unless some of the corpus's ``times`` has a time of the day.
    """
    only_days = times is None or bool((times.dt.truncate("1d") == times).all())
    format = "%Y-%m-%d" if only_days else "%Y-%m-%dT%H:%M:%S%.f"
    for batch in batches:
        has_time = "time" in batch.columns
        yield batch.with_columns(pl.col("time").dt.strftime(format)) if has_time else batch


# -------------------------------------------------------------------------------- phrases and their topics


def phrase_topics(model: Fitted) -> Iterator[pl.DataFrame]:
    """Pairs of a phrase type and a topic in which it was seen, by type; single words are included.

    Columns: phrase (its surface), stems (joined by a blank), length in words, topic, frequency (instances,
    averaged over samples), spread (their standard deviation) and quality (null: a word, or not judged).
    """
    partition, frequency = model.partition_, model.lda_.frequency_
    surfaces = pl.Series(partition.type_surfaces(), dtype=pl.String)
    lengths = np.diff(partition.type_start)
    judged = np.full(partition.n_types, np.nan)
    if model.miner_ is not None:
        judged = quality_of_types(model.miner_.fitted, partition)
    quality = pl.Series(judged).fill_nan(None)
    for first in range(0, frequency.types.size, PAIRS):
        here = slice(first, first + PAIRS)
        types = frequency.types[here]
        yield pl.DataFrame(
            {
                "phrase": surfaces.gather(types),
                "stems": stems_as_text(partition, types),
                "length": lengths[types],
                "topic": frequency.topics[here],
                "frequency": frequency.mean[here],
                "spread": frequency.spread[here],
                "quality": quality.gather(types),
            }
        )


# ------------------------------------------------------------------------------------ the segmented corpus


def segments(model: Fitted) -> Iterator[pl.DataFrame]:
    """Documents as the phrase instances they are made of, single words included.

    Columns: id, text, phrases (a list: of each its text, its start and end in the document's text in Python's
    code points, and its topic). A model without texts has no column text, and an instance has, instead of
    its text, the ``surface`` of its type.
    """
    corpus = model.corpus_
    for part, found in _slices(model):
        columns = [corpus.ids[part.first : part.last].alias("id")]
        if corpus.texts is not None:
            columns.append(corpus.texts[part.first : part.last].alias("text"))
        yield part.with_phrases(columns, found)


def instances(model: Fitted) -> Iterator[pl.DataFrame]:
    """Phrase instances, a row for each: id, start, end, text (or surface), topic."""
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
        texts = part.spans["text"] if surfaces is None else surfaces.gather(partition.type_ids[part.cliques])
        yield part, part.spans.select(texts, "start", "end", topic=pl.Series(topics[part.cliques]))


# ------------------------------------------------------------------------------------------------ pyLDAvis


def pyldavis_json(model: Fitted, *, progress: Progress = silent) -> Iterator[str]:
    """Return what ``pyLDAvis.prepare`` takes as a JSON object, in pieces of at most a slice of documents.

    Topics keep their numbers: pyLDAvis is told not to sort them, and to count from 0. Its terms are the
    model's words. Documents without kept tokens are left out, because it has no place for them.
    """
    n_topics = model.lda_.alpha_.size
    if n_topics < FEWEST_TOPICS:
        raise InputError(f"pyLDAvis draws a map of topics: it needs {FEWEST_TOPICS} or more, not {n_topics}")
    return _pyldavis_pieces(model, progress)


def _pyldavis_pieces(model: Fitted, progress: Progress) -> Iterator[str]:
    corpus = model.corpus_
    lengths = np.diff(corpus.doc_start)

    def document_rows() -> Iterator[NDArray[np.float64]]:
        for first, last, table in _share_slices(model):
            yield from table[lengths[first:last] > 0]
            progress("Writing", last, lengths.size, "documents")

    settings = {
        "sort_topics": False,
        "start_index": 0,
        "doc_lengths": lengths[lengths > 0].tolist(),
        "vocab": _distinct_words(corpus.vocabulary["surface"]),
        "term_frequency": corpus.vocabulary["count"].to_list(),
    }
    yield json.dumps(settings).removesuffix("}")
    yield ',\n "topic_term_dists": '
    yield from _matrix(model.lda_.topic_word_)
    yield ',\n "doc_topic_dists": '
    yield from _matrix(document_rows())
    yield "}\n"


def _distinct_words(surfaces: Iterable[str]) -> list[str]:
    """Return the words as they are shown, no two the same: pyLDAvis knows a term by its text.

    It also writes them into a page as they are, so no word may open an element there.
    """
    words: dict[str, None] = {}
    for surface in surfaces:
        shown = word = printable(surface).replace("<", "‹")
        number = 1
        while word in words:
            number += 1
            word = f"{shown} ({number})"
        words[word] = None
    return list(words)


def _matrix(rows: Iterable[NDArray[np.float64]]) -> Iterator[str]:
    """Rows of numbers that come back to the last bit."""
    before = "["
    for row in rows:
        yield before + json.dumps(row.tolist())
        before = ",\n"
    yield "]"
