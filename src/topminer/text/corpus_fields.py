"""The fields of a corpus, made from texts, from a source of documents, or from a stored corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl

from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.progress import Progress
from topminer.store import Stored
from topminer.text.build import Built, build
from topminer.text.documents import Document, documents_in, mark_tokens, text_column
from topminer.text.provenance import Origin, Skipped
from topminer.text.reading.reader import Reading
from topminer.text.rules import TextRules
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
    ids: Iterable[str] | None = None,
    keep_texts: bool = True,
    batch_bytes: int = BATCH_BYTES,
    known: Vocabulary | None = None,
) -> Fields:
    """Return the fields of a corpus of documents in memory; see :func:`.build` for a ``known`` vocabulary."""
    documents, skipped = DocumentColumns(rules, keep_texts), Skipped()
    batches = documents.pass_on((batch, None, None) for batch in documents_in(texts, batch_bytes, skipped))
    built = build(batches, rules, n_threads_or_all(n_threads), progress, known)
    return documents.corpus_fields(built, Origin().with_skipped(skipped), ids)


def fields_from_reading(
    reading: Reading, rules: TextRules, keep_texts: bool, n_threads: int | None, progress: Progress
) -> Fields:
    """Return the fields of a corpus of all documents of a source."""
    documents = DocumentColumns(rules, keep_texts)
    batches = documents.pass_on(((batch.texts, None), batch.ids, batch.times) for batch in reading)

    def report(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        if total is None and reading.bytes_total:
            progress("Reading", reading.bytes_read, reading.bytes_total, "bytes")
        else:
            progress(stage, done, total, unit, note)

    built = build(batches, rules, n_threads_or_all(n_threads), report)
    return documents.corpus_fields(built, Origin.of(reading))


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


def fields_without_documents(vocabulary: pl.DataFrame, rules: TextRules, origin: Origin) -> Fields:
    """Return the fields of a corpus that has a vocabulary, and no documents."""
    none, start = np.zeros(0, np.int32), np.zeros(1, np.int64)
    return dict(
        {name: start if name.endswith("_start") else none for name in ARRAYS},
        vocabulary=vocabulary,
        surfaces=pl.DataFrame(schema={"surface": pl.String, "stem": pl.Int32, "count": pl.Int64}),
        gaps=pl.Series("gap", [" "]),
        ids=pl.Series("id", [], pl.String),
        times=None,
        texts=None,
        rules=rules,
        origin=origin,
    )


class DocumentColumns:
    """Keeps ids, times and texts of documents while batches pass through to the builder of the corpus."""

    def __init__(self, rules: TextRules, keep_texts: bool) -> None:
        self.rules = rules
        self._keep_texts = keep_texts
        self._texts: list[pl.Series] = []
        self._ids: list[pl.Series] = []
        self._times: list[pl.Series] = []

    def pass_on(
        self, batches: Iterable[tuple[Any, pl.Series | None, pl.Series | None]]
    ) -> Iterator[tuple[pl.Series, bool]]:
        """Yield texts and whether their tokens are marked; matches of the user's pattern are marked here."""
        for (texts, marked), ids, times in batches:
            if marked is None and self.rules.token_pattern is not None:
                texts, marked = mark_tokens(texts, self.rules.token_pattern)
            if self._keep_texts:
                self._texts.append(texts)
            if ids is not None:
                self._ids.append(ids)
            if times is not None:
                self._times.append(times)
            yield (texts, False) if marked is None else (marked, True)

    def corpus_fields(
        self, built: Built, origin: Origin | None = None, ids: Iterable[str] | None = None
    ) -> Fields:
        """Return the fields of the finished corpus."""
        lexicon = built.lexicon
        n_documents = built.doc_start.size - 1
        names = self.ids(n_documents) if ids is None else _checked_ids(list(ids))
        if len(names) != n_documents:
            raise InputError(
                f"{len(names):,} ids were given for {n_documents:,} documents; expected one for each"
            )
        return dict(
            stem_ids=built.columns.stem,
            surface_ids=built.columns.surface,
            gap_ids=built.columns.gap,
            starts=built.columns.start,
            doc_start=built.doc_start,
            chunk_start=built.chunk_start,
            vocabulary=lexicon.vocabulary,
            surfaces=lexicon.surfaces,
            gaps=built.gaps,
            ids=names,
            times=self.times(),
            texts=self.texts(),
            rules=self.rules,
            origin=(origin or Origin()).with_words(lexicon, built.n_found),
        )

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
        return _concatenated([_NO_TEXT, *self._texts], "text") if self._keep_texts else None


def tables_of_documents(
    ids: pl.Series, times: pl.Series | None, texts: pl.Series | None
) -> dict[str, pl.DataFrame]:
    """Return the tables that are stored of documents beside their tokens."""
    tables = {"documents": pl.DataFrame({"id": ids} if times is None else {"id": ids, "time": times})}
    return tables if texts is None else {**tables, "texts": pl.DataFrame({"text": texts})}


def _concatenated(parts: list[pl.Series], name: str) -> pl.Series:
    return pl.concat(parts, rechunk=False).alias(name)


def _checked_ids(ids: list[str]) -> pl.Series:
    for number, name in enumerate(ids, 1):
        if not isinstance(name, str):
            raise InputError(f"ids: number {number} is of type {type(name).__name__}; expected a string")
    return text_column(ids).alias("id")
