"""Batches of texts to the columns of a corpus, on all threads.

Each thread finds the kept tokens of whole batches, with ids of its own (tokenizer.py). Batches are collected
in the order of the documents, and new surfaces and gaps get the next ids of the corpus. So the result depends
neither on the size of the batches nor on the number of threads. At the end stems are put in their order
(words.py), and the columns are written.

On a cluster each worker collects its own documents, and receives the corpus's ids before it writes its
columns.
"""

from __future__ import annotations

import html
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import call
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import GrowingArray
from topminer.containers.strings import Strings, StringTable, strings_of
from topminer.engines.local import map_in_order
from topminer.memory import require
from topminer.progress import Progress
from topminer.text.kinds import CODES
from topminer.text.rules import TextRules
from topminer.text.scan.keep import Kept
from topminer.text.scan.tokens import LEFT_OUT, TOKEN_START, TOKEN_STOP, Marks
from topminer.text.tokenizer import TokenizedBatch, Tokenizer
from topminer.text.words import Lexicon, LexiconBuilder, Roles, Vocabulary, Words

# Bytes of memory, and of address space, that a batch needs for each byte of its texts. Measured.
USED, RESERVED = 8, 30
CHECKED_EVERY = 8  # batches; larger batches than before are always checked
MANY_SURFACES = 10_000  # with fewer, a second thread takes longer to start than it saves

_NO_MARKS = {TOKEN_START: None, TOKEN_STOP: None}
_MARKED = re.compile(f"{chr(LEFT_OUT)}(.)([^{chr(TOKEN_STOP)}]*){chr(TOKEN_STOP)}")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")  # white space and control characters
_ONE_BLANK = strings_of([b" "])

Columns = dict[str, NDArray[Any]]  # by the names that they have in a Corpus


class CorpusIds(NamedTuple):
    """The corpus's ids, by the ids that a tokenizer or :class:`Collected` uses."""

    stem: NDArray[np.int32]  # by surface
    surface: NDArray[np.int32]
    gap: NDArray[np.int32]


class _CollectedIds:
    """The ids in :class:`Collected`, by the ids of one tokenizer."""

    def __init__(self) -> None:
        self.surface = GrowingArray(np.int32)
        self.gap = GrowingArray(np.int32, [0])  # gap 0 is always one blank

    def translate(self, ids: CorpusIds) -> CorpusIds:
        """Return the corpus's ids by the ids of the tokenizer."""
        surface, gap = self.surface.values, self.gap.values
        return CorpusIds(ids.stem[surface], ids.surface[surface], ids.gap[gap])


class _Part(NamedTuple):
    """A batch's kept tokens, and where they belong in the corpus."""

    kept: Kept
    ids: _CollectedIds
    first_token: int
    first_doc: int
    first_chunk: int


class Collected:
    """The kept tokens of all batches so far, with ids by first occurrence."""

    def __init__(self) -> None:
        self.surfaces = StringTable()
        self._gaps = StringTable()  # as they are in the texts; the first is one blank
        self._marks = Marks.NONE
        self._ids: dict[Tokenizer, _CollectedIds] = {}
        self._parts: deque[_Part] = deque()
        self.n_tokens = self.n_documents = self.n_chunks = 0

    def collect(
        self, batches: Iterable[tuple[pl.Series, Marks]], roles: Roles, n_threads: int
    ) -> Iterator[Words]:
        """Collect batches of (texts, what is marked in them), and yield the new words of each."""
        of_thread = threading.local()  # one tokenizer per thread

        def tokenize(batch: tuple[pl.Series, Marks]) -> TokenizedBatch:
            if not hasattr(of_thread, "tokenizer"):
                of_thread.tokenizer = Tokenizer(roles)
            tokenizer: Tokenizer = of_thread.tokenizer
            return tokenizer.tokenize(*batch)

        drawn = _within_memory(batches, n_threads)
        for batch in map_in_order(tokenize, drawn, n_threads, caller_works=True):
            yield self._add(batch)

    def _add(self, batch: TokenizedBatch) -> Words:
        """Add a batch, and return the words that no batch before it had."""
        ids = self._ids.setdefault(batch.tokenizer, _CollectedIds())
        n_surfaces = len(self.surfaces)
        surface_of = self.surfaces.add_strings(batch.surfaces)
        ids.surface.extend(surface_of)
        if len(self._gaps) == 0:  # not before: a corpus without documents needs no kernel
            self._gaps.add_strings(_ONE_BLANK)
        ids.gap.extend(self._gaps.add_strings(batch.gaps))
        self._marks = max(self._marks, batch.marks)
        kept = batch.kept
        self._parts.append(_Part(kept, ids, self.n_tokens, self.n_documents, self.n_chunks))
        self.n_tokens += kept.surface.size
        self.n_documents += kept.doc_start.size - 1
        self.n_chunks += kept.chunk_start.size
        words, role, kind = batch.words
        new = np.flatnonzero(surface_of >= n_surfaces)
        return Words([words[i] for i in new.tolist()], role[new], kind[new])

    def counts(self) -> NDArray[np.int64]:
        """Return how often each surface was found, after the last batch. This releases the tokenizers."""
        counts = np.zeros(len(self.surfaces), np.int64)
        for tokenizer, ids in self._ids.items():
            counts[ids.surface.values] += tokenizer.counts.values
        self._ids.clear()
        return counts

    def gaps(self) -> tuple[Strings, NDArray[np.int32]]:
        """Return the distinct gaps as they are shown, the first being one blank, and the id of each gap.

        Each run of white space or control characters is shown as one blank. The marks around tokens, which
        only marked texts have, are removed, and with them what is skipped because of its kind.
        """
        gaps = self._gaps.since() if len(self._gaps) else _ONE_BLANK
        texts = gaps.to_list()
        data = np.frombuffer(b"|".join(texts).replace(b"  ", b"\0\0"), np.uint8)
        unusual = np.flatnonzero((data < ord(" ")) | (data > ord("~")))
        if unusual.size == 0:
            return gaps, np.arange(len(texts), dtype=np.int32)
        ends = gaps.bounds[1:] + np.arange(len(texts))  # in `data`
        for i in np.unique(np.searchsorted(ends, unusual, "right")).tolist():
            text = texts[i].decode()
            if self._marks == Marks.KINDS:  # a batch that contains a mark is marked
                text = _MARKED.sub(_shown_instead, text)
            if self._marks:
                text = text.translate(_NO_MARKS)
            texts[i] = _BLANKS.sub(" ", text).encode()
        shown = StringTable()
        gap_of = shown.add_strings(strings_of(texts))
        return shown.since(), gap_of

    def columns(self, ids: CorpusIds, n_threads: int, progress: Progress) -> Columns:
        """Return the columns, given the corpus's ids by the ids here. The kept tokens are released."""
        stem_ids, surface_ids, gap_ids, starts = (np.empty(self.n_tokens, np.int32) for _ in range(4))
        doc_start = np.zeros(self.n_documents + 1, np.int64)
        chunk_start = np.full(self.n_chunks + 1, self.n_tokens, np.int64)
        corpus_ids = {each: each.translate(ids) for each in {part.ids for part in self._parts}}

        def write(part: _Part) -> int:
            kept, to, first = part.kept, corpus_ids[part.ids], part.first_token
            end = first + kept.surface.size
            # With mode="clip", take writes to `out` directly; all ids are in range.
            np.take(to.stem, kept.surface, out=stem_ids[first:end], mode="clip")
            np.take(to.surface, kept.surface, out=surface_ids[first:end], mode="clip")
            np.take(to.gap, kept.gap, out=gap_ids[first:end], mode="clip")
            starts[first:end] = kept.start
            n_documents, n_chunks = kept.doc_start.size - 1, kept.chunk_start.size
            doc_start[part.first_doc + 1 :][:n_documents] = first + kept.doc_start[1:].astype(np.int64)
            chunk_start[part.first_chunk :][:n_chunks] = first + kept.chunk_start.astype(np.int64)
            return end

        for n_written in map_in_order(write, _drained(self._parts), n_threads):
            progress("Keeping", n_written, self.n_tokens, "tokens")
        return {
            "stem_ids": stem_ids,
            "surface_ids": surface_ids,
            "gap_ids": gap_ids,
            "starts": starts,
            "doc_start": doc_start,
            "chunk_start": chunk_start,
        }


def _shown_instead(found: re.Match[str]) -> str:
    """Return what is shown in place of something that was skipped: the character of an HTML entity."""
    code, text = found.groups()
    return html.unescape(text) if code == CODES["entity"] else ""


def build(
    batches: Iterable[tuple[pl.Series, Marks]],
    rules: TextRules,
    n_threads: int,
    progress: Progress,
    known: Vocabulary | None = None,
) -> tuple[Columns, Strings, Lexicon]:
    """Make a corpus's columns, gaps and lexicon from batches of (texts, what is marked in them).

    The corpus has a vocabulary of its own, or the ``known`` one.
    """
    collected, builder = Collected(), LexiconBuilder(rules, known)
    for words in collected.collect(batches, known.roles if known else Roles(rules), n_threads):
        builder.learn(words)
        progress("Scanning", collected.n_documents, None, "documents")
    counts = collected.counts()
    lexicon_of = partial(builder.lexicon, collected.surfaces.since(), counts)
    tasks: tuple[Callable[[], Any], ...] = lexicon_of, collected.gaps
    useful = n_threads if len(collected.surfaces) >= MANY_SURFACES else 1
    lexicon, (gaps, gap_of) = map_in_order(call, tasks, useful)
    columns = collected.columns(CorpusIds(lexicon.stem, lexicon.surface, gap_of), n_threads, progress)
    return columns, gaps, lexicon


def _within_memory(
    batches: Iterable[tuple[pl.Series, Marks]], n_threads: int
) -> Iterator[tuple[pl.Series, Marks]]:
    """Yield batches while there is memory for those that threads work on at the same time."""
    most: float = 0
    for number, (texts, marks) in enumerate(batches, 1):
        n_bytes = min(number, n_threads + 1) * texts.estimated_size()
        if n_bytes > most or number % CHECKED_EVERY == 0:  # finding out what is free takes a while
            most = max(n_bytes, most)
            advice = "fewer documents, or shorter ones"
            require("reading", USED * n_bytes, advice, reserved=RESERVED * n_bytes)
        yield texts, marks


def _drained(parts: deque[_Part]) -> Iterator[_Part]:
    """Yield parts and forget each, so that its memory is released once it is written."""
    while parts:
        yield parts.popleft()
