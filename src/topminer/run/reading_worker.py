"""Reading on several workers: each reads a stretch of the source, and stores what it has found there.

A worker collects its documents as a run on one machine does (text/build.py), by numbers of its own. Surfaces
and gaps are then numbered over all workers (distinct.py), the driver finds the stems of the distinct
surfaces, and with these numbers each worker writes its columns and stores them (held.py). The driver never
sees a text or a token, and what is stored is, byte for byte, what one machine would store.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import fields
from itertools import accumulate
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.strings import Strings
from topminer.engines.contract import Engine, Placed
from topminer.engines.held import Held, store_held
from topminer.errors import InputError
from topminer.progress import Progress, silent
from topminer.run.reduce import Counted, Distinct, number
from topminer.store import AnyWriter
from topminer.text.build import Collected, CorpusIds
from topminer.text.corpus import Corpus
from topminer.text.corpus_fields import DocumentColumns, tables_of_documents
from topminer.text.provenance import Origin, Skipped
from topminer.text.reading.reader import Reading
from topminer.text.reading.times import TIME
from topminer.text.rules import TextRules
from topminer.text.words import Lexicon, LexiconBuilder, Roles

STRETCH_SECONDS = 1.0  # a worker reads about so long between two reports of progress
SURFACES_AT_ONCE = 1 << 20
_SURFACES, _GAPS = "surfaces", "gaps"


class State(NamedTuple):
    """How much a worker has read."""

    n_bytes: int
    is_done: bool
    error: InputError | None


class ReadSummary(NamedTuple):
    """What a worker has read."""

    n_documents: int
    n_tokens: int
    skipped: Skipped


class ReadingWorker(Held, Distinct):
    """A worker's stretch of the source, and then of the corpus."""

    def __init__(self, reading: Reading, rules: TextRules, keep_texts: bool, n_threads: int) -> None:
        super().__init__()
        self._reading = reading
        self._n_threads = n_threads
        self._gathered = DocumentColumns(rules, keep_texts)
        self._collected = Collected()
        self._steps = self._collected.collect(self._gathered.pass_on(reading), Roles(rules), n_threads)
        self._state = State(0, False, None)

    def advance(self) -> State:
        """Read for a while. An error is returned, not raised: another worker's error may come first."""
        end = time.monotonic() + STRETCH_SECONDS
        is_done, error = self._state[1:]
        try:
            while not is_done and error is None:
                is_done = next(self._steps, self) is self
                if time.monotonic() >= end:
                    break
        except InputError as found:
            error = found
        self._state = State(self._reading.bytes_read, is_done, error)
        return self._state

    def offer(self) -> ReadSummary:
        """Offer all surfaces and gaps to be numbered."""
        collected = self._collected
        counts = collected.counts()
        gaps, self._gap_of = collected.gaps()
        self.offered[_SURFACES] = collected.surfaces.since(), counts
        self.offered[_GAPS] = gaps, np.ones(gaps.bounds.size - 1, np.int64)
        return ReadSummary(collected.n_documents, collected.n_tokens, self._reading.skipped)

    def write_columns(
        self, words: tuple[NDArray[np.int32], NDArray[np.int32]], first: int, is_first: bool, is_last: bool
    ) -> None:
        """Hold the columns to be stored, given the numbers of stems and surfaces, and the first token."""
        surface = self.numbers.pop(_SURFACES)
        stem_of, surface_of = words
        numbers = CorpusIds(stem_of[surface], surface_of[surface], self.numbers.pop(_GAPS)[self._gap_of])
        columns = self._collected.columns(numbers, self._n_threads, silent)
        times = self._gathered.times()
        if times is None and self._reading.columns.time is not None:
            times = pl.Series("time", [], TIME)
        ids = self._gathered.ids(self._collected.n_documents)
        self.held = {
            **columns,
            # One more than documents, or chunks, there are: the first has it, or the last.
            "doc_start": first + columns["doc_start"][0 if is_first else 1 :],
            "chunk_start": first + columns["chunk_start"][: None if is_last else -1],
            **tables_of_documents(ids, times, self._gathered.texts()),
        }

    def names(self) -> list[str]:
        """Return the names of everything that is held."""
        return list(self.held)


def read(
    engine: Engine,
    source: str | PathLike[str],
    reading: Mapping[str, Any],
    writer: AnyWriter,
    progress: Progress = silent,
) -> Corpus:
    """Read a source and store its corpus. Return the corpus without its documents.

    Files, and rows of large Parquet files, are spread over the workers; any other file is read by one. All
    workers must see the source, and the folder that is written to. ``reading`` are further arguments of
    :meth:`.Corpus.read`. The writer is finished here.
    """
    rules, keep_texts, whole = _checked_arguments(source, reading)
    whole.settle()
    shares = zip(whole.split(len(engine.threads)), engine.threads, strict=True)
    placed = engine.place(ReadingWorker, [(share, rules, keep_texts, threads) for share, threads in shares])
    try:
        _read_all(placed, whole.bytes_total, progress)
        tables, origin = _numbered(placed, whole, rules, progress)
        writer.write({}, tables)
        store_held(placed, writer, {name: name for name in placed.run("names")[0]})
    finally:
        placed.drop()
    bare = Corpus.bare(tables["vocabulary"], rules, origin)
    writer.finish(bare.stored().facts)
    return bare


def _checked_arguments(
    source: str | PathLike[str], reading: Mapping[str, Any]
) -> tuple[TextRules, bool, Reading]:
    """Return the checked arguments of :meth:`.Corpus.read`."""
    of_rules = {field.name for field in fields(TextRules)} | {"add_stop_words"}
    rules = TextRules.choose(**{name: value for name, value in reading.items() if name in of_rules})
    others = {name: value for name, value in reading.items() if name not in of_rules}
    keep_texts = others.pop("keep_texts", True)
    whole = Reading(source, **others)
    if whole.bytes_total is None:
        raise InputError(f"{whole.name}: cannot be read by several workers; give a file or a folder")
    return rules, keep_texts, whole


def _read_all(placed: Placed, n_bytes: int | None, progress: Progress) -> None:
    """Have all workers read everything, or raise the error that comes first in the source."""
    n_workers = len(placed.engine.threads)
    note = f"{n_workers} worker{'s' if n_workers > 1 else ''}"
    ahead = placed.keep("advance")
    while True:
        now, ahead = ahead, placed.keep("advance")  # no worker waits for the slowest
        states: list[State] = placed.engine.here(now)
        progress("Reading", sum(state.n_bytes for state in states), n_bytes, "bytes", note)
        first = next((state for state in states if not state.is_done), None)
        if first is None:
            return
        if first.error is not None:
            raise first.error


def _numbered(
    placed: Placed, whole: Reading, rules: TextRules, progress: Progress
) -> tuple[dict[str, pl.DataFrame], Origin]:
    """Have every worker hold its part of the corpus. Return what the workers have in common."""
    found: list[ReadSummary] = placed.run("offer")
    n_documents, n_tokens = (sum(each) for each in zip(*(each[:2] for each in found), strict=True))
    whole.skipped = sum((each.skipped for each in found), Skipped())
    if not n_documents:
        raise whole.nothing()
    progress("Keeping", 0, n_tokens, "tokens")
    surfaces, gaps = number(placed, _SURFACES), number(placed, _GAPS)
    lexicon = _lexicon(surfaces, rules)
    origin = Origin().with_reading(whole).with_words(lexicon)
    if not n_tokens:
        raise origin.nothing_kept(n_documents)
    words = placed.engine.share((lexicon.stem, lexicon.surface))
    firsts = accumulate((each.n_tokens for each in found[:-1]), initial=0)
    last = len(found) - 1
    placed.run("write_columns", [(words, first, w == 0, w == last) for w, first in enumerate(firsts)])
    progress("Keeping", n_tokens, n_tokens, "tokens")
    gap_table = pl.DataFrame({"gap": gaps.strings.to_series()})
    return {"vocabulary": lexicon.vocabulary, "surfaces": lexicon.make_surfaces(), "gaps": gap_table}, origin


def _lexicon(surfaces: Counted, rules: TextRules) -> Lexicon:
    """Return stems and stop words, once for each distinct surface."""
    builder, roles = LexiconBuilder(rules), Roles(rules)
    data, bounds = surfaces.strings
    for start in range(0, max(bounds.size - 1, 1), SURFACES_AT_ONCE):
        builder.learn(roles.of(Strings(data, bounds[start : start + SURFACES_AT_ONCE + 1])))
    return builder.lexicon(surfaces.strings, surfaces.counts)
