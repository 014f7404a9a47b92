"""Batches of texts to the columns of a corpus, on all threads.

Each thread finds the kept tokens of whole batches, by numbers of its own (tokenizer.py). Batches are
collected in the order of the documents, and what is new in one gets the next numbers: neither the
size of batches nor the number of threads can be seen in the result. In the end stems are put in their
order (vocabulary.py), and the columns are written.

On a cluster each worker collects its own documents, and is told the corpus's numbers before it writes
its columns: see cluster/reading.py.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.engines.local import map_in_order
from topminer.memory import require
from topminer.progress import Progress
from topminer.text.growing import Growing
from topminer.text.interning import SPARE, Interner, Strings, strings_of
from topminer.text.keep import Columns, Gaps, Kept, Numbers, write_columns, write_gaps
from topminer.text.rules import TextRules
from topminer.text.tokenizer import Batch, Tokenizer
from topminer.text.vocabulary import Lexicon, Words

# Bytes that a batch needs for each byte of its texts: of memory, and of address space. Measured.
USED, RESERVED = 8, 30
MANY_SURFACES = 10_000  # and a second thread is worth starting


class Written(NamedTuple):
    """The columns of documents, and the first token of each document and of each chunk."""

    columns: Columns
    doc_start: NDArray[np.int64]
    chunk_start: NDArray[np.int64]


class Built(NamedTuple):
    """What build makes: the columns of a corpus and what they refer to."""

    columns: Columns
    doc_start: NDArray[np.int64]
    chunk_start: NDArray[np.int64]
    gaps: pl.Series
    lexicon: Lexicon
    n_found: int


class _Known:
    """The numbers of what one tokenizer has numbered."""

    def __init__(self) -> None:
        self.surface = Growing(np.int32)
        self.separator = Growing(np.int32, [0])  # one blank is 0 everywhere, here and below
        self.gap = Growing(np.int32, [0])

    def numbers(self, numbers: Numbers) -> Numbers:
        """What is written for the tokenizer's numbers."""
        surface, gap = self.surface.values, self.gap.values
        return Numbers(numbers.stem[surface], numbers.surface[surface], numbers.gap[gap])


class _Part(NamedTuple):
    """A batch's kept tokens, and its place in the corpus."""

    kept: Kept
    known: _Known
    first: int
    first_doc: int
    first_chunk: int


class Collected:
    """The kept tokens of all batches so far, by numbers that are given by first occurrence."""

    def __init__(self) -> None:
        self.surfaces = Interner()
        self._separators = {" ": 0}
        self._gaps = Interner()
        self._known: dict[Tokenizer, _Known] = {}
        self._parts: deque[_Part] = deque()
        self.n_tokens = self.n_documents = self.n_chunks = 0

    def collect(
        self, batches: Iterable[tuple[pl.Series, bool]], rules: TextRules, n_threads: int
    ) -> Iterator[None]:
        """Take batches of (texts, whether their tokens are marked), one at each step."""
        mine = threading.local()  # a thread's batches come in order: what one builds on is there before it

        def read(batch: tuple[pl.Series, bool]) -> Batch:
            if not hasattr(mine, "tokenizer"):
                mine.tokenizer = Tokenizer(rules)
            tokenizer: Tokenizer = mine.tokenizer
            return tokenizer.read(*batch)

        for batch in map_in_order(read, _with_room(batches, n_threads), n_threads):
            self._add(batch)
            yield

    def _add(self, batch: Batch) -> None:
        """Take over what is new in the next batch."""
        known = self._known.setdefault(batch.tokenizer, _Known())
        known.surface.extend(self.surfaces.add_strings(batch.surfaces))
        number = [self._separators.setdefault(text, len(self._separators)) for text in batch.separators]
        known.separator.extend(np.array(number, np.int32))
        known.gap.extend(1 + self._add_gaps(batch.gaps, known))
        kept = batch.kept
        self._parts.append(_Part(kept, known, self.n_tokens, self.n_documents, self.n_chunks))
        self.n_tokens += kept.surface.size
        self.n_documents += kept.doc_start.size - 1
        self.n_chunks += kept.chunk_start.size

    def _add_gaps(self, gaps: Gaps, known: _Known) -> NDArray[np.int32]:
        """Numbers of gaps whose pieces are those of a tokenizer."""
        first, last = gaps.bounds[[0, -1]]
        own = gaps.pieces[first:last]
        pieces = np.zeros((own.size + SPARE // 4 + 1) // 2 * 2, np.int32)
        is_surface = own >= 0
        pieces[: own.size][is_surface] = known.surface.values[own[is_surface]]
        pieces[: own.size][~is_surface] = -known.separator.values[-own[~is_surface]]
        bounds = 4 * (gaps.bounds - first)
        return self._gaps.add(pieces.view(np.uint64), bounds[:-1], bounds[1:])

    def counts(self) -> NDArray[np.int64]:
        """How often each surface was found, when all is: the tokenizers' memory is free then."""
        counts = np.zeros(len(self.surfaces), np.int64)
        for tokenizer, known in self._known.items():
            counts[known.surface.values] += tokenizer.counts.values
        self._known.clear()
        return counts

    def gaps(self) -> tuple[Strings, NDArray[np.int32]]:
        """Gaps as they are written, the first being one blank, and which of them each gap is."""
        gaps = self._gaps.since()
        written = write_gaps(
            Gaps(gaps.words.view(np.int32), gaps.bounds // 4),
            self.surfaces.since(),
            strings_of([text.encode() for text in self._separators]),
        )
        texts = Interner()
        texts.add_strings(strings_of([b" "]))
        gap_of = texts.add_strings(written)
        return texts.since(), np.append(np.zeros(1, np.int32), gap_of)

    def written(self, numbers: Numbers, n_threads: int, progress: Progress) -> Written:
        """The columns: ``numbers`` is what is written for the numbers here. The tokens are gone then."""
        columns = Columns(*(np.empty(self.n_tokens, np.int32) for _ in Columns._fields))
        doc_start = np.zeros(self.n_documents + 1, np.int64)
        chunk_start = np.full(self.n_chunks + 1, self.n_tokens, np.int64)
        numbers_of = {known: known.numbers(numbers) for known in {part.known for part in self._parts}}

        def write(part: _Part) -> int:
            kept, known, first, first_doc, first_chunk = part
            end = first + kept.surface.size
            write_columns(kept, numbers_of[known], Columns(*(column[first:end] for column in columns)))
            doc_start[first_doc + 1 :][: kept.doc_start.size - 1] = first + kept.doc_start[1:].astype(
                np.int64
            )
            chunk_start[first_chunk:][: kept.chunk_start.size] = first + kept.chunk_start.astype(np.int64)
            return end

        for n_written in map_in_order(write, _drained(self._parts), n_threads):
            progress("Keeping", n_written, self.n_tokens, "tokens")
        return Written(columns, doc_start, chunk_start)


def build(
    batches: Iterable[tuple[pl.Series, bool]], rules: TextRules, n_threads: int, progress: Progress
) -> Built:
    """Make a corpus's columns from batches of (texts, whether their tokens are marked)."""
    collected, words = Collected(), Words(rules)
    for _ in collected.collect(batches, rules, n_threads):
        words.learn(collected.surfaces)
        progress("Scanning", collected.n_documents, None, "documents")
    counts = collected.counts()
    tasks = partial(words.lexicon, collected.surfaces, counts), collected.gaps
    useful = n_threads if len(collected.surfaces) >= MANY_SURFACES else 1
    lexicon, (gaps, gap_of) = map_in_order(_done, tasks, useful)
    numbers = Numbers(lexicon.stem, lexicon.surface, gap_of)
    written = collected.written(numbers, n_threads, progress)
    return Built(*written, gaps.to_series().alias("gap"), lexicon, int(counts.sum()))


def _with_room(batches: Iterable[tuple[pl.Series, bool]], n_threads: int) -> Iterator[tuple[pl.Series, bool]]:
    """Pass on batches as long as there is memory for those that threads work on at the same time."""
    for number, (texts, marked) in enumerate(batches, 1):
        n_bytes = min(number, n_threads + 1) * texts.estimated_size()
        require("reading", USED * n_bytes, "fewer documents, or shorter ones", reserved=RESERVED * n_bytes)
        yield texts, marked


def _done(task: Any) -> Any:
    return task()


def _drained(parts: deque[_Part]) -> Iterator[_Part]:
    """The parts, whose memory is free once they are written."""
    while parts:
        yield parts.popleft()
