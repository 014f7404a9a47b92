"""The fields of a corpus, made from texts, from a source of documents, or from a stored corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import ranges, starts_of
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.progress import Progress
from topminer.store import Stored
from topminer.text.build import build
from topminer.text.documents import Batch, Document, documents_in, mark_tokens, text_column
from topminer.text.provenance import Origin, Skipped
from topminer.text.reading.reader import Reading
from topminer.text.rules import TextRules
from topminer.text.scan.tokens import Marks
from topminer.text.words import Vocabulary

BATCH_BYTES = 4 << 20
ARRAYS = ("stem_ids", "surface_ids", "gap_ids", "starts", "doc_start", "chunk_start")
_NO_TEXT = pl.Series(dtype=pl.String)

Fields = dict[str, Any]


def fields_from_texts(
    texts: Iterable[Document],
    rules: TextRules,
    n_threads: int | None,
    progress: Progress,
    *,
    ids: Iterable[str] | None = None,
    keep_texts: bool = True,
    batch_bytes: int = BATCH_BYTES,
    known: Vocabulary | None = None,
) -> Fields:
    """Return the fields of a corpus of documents in memory; see :func:`.build` for a ``known`` vocabulary."""
    skipped = Skipped()
    batches = documents_in(texts, batch_bytes, skipped)
    fields = fields_from_batches(
        batches, rules, n_threads, progress, ids=ids, keep_texts=keep_texts, known=known
    )
    return fields | {"origin": fields["origin"].with_skipped(skipped)}


def fields_from_reading(
    reading: Reading, rules: TextRules, n_threads: int | None, progress: Progress, *, keep_texts: bool
) -> Fields:
    """Return the fields of a corpus of all documents of a source."""

    def report(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        if total is None and reading.bytes_total:
            progress("Reading", reading.bytes_read, reading.bytes_total, "bytes")
        else:
            progress(stage, done, total, unit, note)

    fields = fields_from_batches(reading, rules, n_threads, report, keep_texts=keep_texts)
    return fields | {"origin": fields["origin"].with_reading(reading)}


def fields_from_batches(
    batches: Iterable[Batch],
    rules: TextRules,
    n_threads: int | None,
    progress: Progress,
    *,
    ids: Iterable[str] | None = None,
    keep_texts: bool = True,
    known: Vocabulary | None = None,
) -> Fields:
    """Return the fields of a corpus; its origin says only what became of the words."""
    documents = DocumentColumns(rules, keep_texts)
    n_threads = n_threads_or_all(n_threads)
    columns, gaps, lexicon = build(documents.pass_on(batches), rules, n_threads, progress, known)
    n_documents = columns["doc_start"].size - 1
    names = _checked_ids(list(ids), n_documents) if ids is not None else lambda: documents.ids(n_documents)
    return dict(
        columns,
        vocabulary=lexicon.vocabulary,
        surfaces=lexicon.make_surfaces,
        gaps=lambda: gaps.to_series().alias("gap"),
        ids=names,
        times=documents.times(),
        texts=documents.texts(),
        rules=rules,
        origin=Origin().with_words(lexicon),
    )


def fields_from_stored(stored: Stored) -> Fields:
    """Return the fields of a stored corpus."""
    documents = stored.tables["documents"]
    return dict(
        {name: stored.arrays[name] for name in ARRAYS},
        vocabulary=stored.tables["vocabulary"],
        surfaces=stored.tables["surfaces"],
        gaps=stored.tables["gaps"]["gap"],
        ids=documents["id"],
        times=documents["time"] if "time" in documents.columns else None,
        texts=stored.tables["texts"]["text"] if "texts" in stored.tables else None,
        rules=TextRules.from_json(stored.facts["rules"]),
        origin=Origin(**stored.facts["origin"]),
    )


class DocumentColumns:
    """Keeps ids, times and texts of documents while batches pass through to the builder of the corpus."""

    def __init__(self, rules: TextRules, keep_texts: bool) -> None:
        self._token_pattern = rules.token_pattern
        self._keep_texts = keep_texts
        self._texts: list[pl.Series] = []
        self._ids: list[pl.Series] = []
        self._times: list[pl.Series] = []

    def pass_on(self, batches: Iterable[Batch]) -> Iterator[tuple[pl.Series, Marks]]:
        """Yield texts and what is marked in them. Matches of the user's pattern are marked here."""
        for batch in batches:
            if batch.marked is None and self._token_pattern is not None:
                batch = mark_tokens(batch, self._token_pattern)
            if self._keep_texts:
                self._texts.append(batch.texts)
            if batch.ids is not None:
                self._ids.append(batch.ids)
            if batch.times is not None:
                self._times.append(batch.times)
            yield (batch.texts, Marks.NONE) if batch.marked is None else (batch.marked, Marks.TOKENS)

    def ids(self, n_documents: int) -> pl.Series:
        """Return the documents' ids, or their numbers from 1 on where there are none."""
        if self._ids:
            return _concatenated(self._ids, "id")
        return pl.Series("id", np.arange(1, n_documents + 1)).cast(pl.String)

    def times(self) -> pl.Series | None:
        """Return the documents' times, if there are any."""
        return _concatenated(self._times, "time") if self._times else None

    def texts(self) -> pl.Series | None:
        """Return the documents' texts, if they are kept."""
        return _concatenated(self._texts or [_NO_TEXT], "text") if self._keep_texts else None


def selected_tokens(arrays: dict[str, NDArray[Any]], documents: NDArray[np.int64]) -> Fields:
    """Return the arrays of some of the documents of a corpus."""
    first, last = arrays["doc_start"][documents], arrays["doc_start"][documents + 1]
    tokens, doc_start = ranges(first, last), starts_of(last - first)
    first_chunk, last_chunk = np.searchsorted(arrays["chunk_start"], [first, last])
    moved = np.repeat(doc_start[:-1] - first, last_chunk - first_chunk)
    chunk_start = arrays["chunk_start"][ranges(first_chunk, last_chunk)] + moved
    of_tokens = {name: arrays[name][tokens] for name in ARRAYS[:4]}
    return {**of_tokens, "doc_start": doc_start, "chunk_start": np.append(chunk_start, tokens.size)}


def tables_of_documents(
    ids: pl.Series, times: pl.Series | None, texts: pl.Series | None
) -> dict[str, pl.DataFrame]:
    """Return the tables that are stored of documents beside their tokens."""
    tables = {"documents": pl.DataFrame({"id": ids} if times is None else {"id": ids, "time": times})}
    return tables if texts is None else {**tables, "texts": pl.DataFrame({"text": texts})}


def _concatenated(parts: list[pl.Series], name: str) -> pl.Series:
    return (parts[0] if len(parts) == 1 else pl.concat(parts, rechunk=False)).alias(name)


def _checked_ids(ids: list[str], n_documents: int) -> pl.Series:
    for number, name in enumerate(ids, 1):
        if not isinstance(name, str):
            raise InputError(f"ids: number {number} is of type {type(name).__name__}; expected a string")
    if len(ids) != n_documents:
        raise InputError(f"{len(ids):,} ids were given for {n_documents:,} documents; expected one for each")
    return text_column(ids).alias("id")
