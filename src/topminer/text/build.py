"""Batches of texts to the columns of a corpus, on all threads.

Each thread finds the kept tokens of whole batches, by numbers of its own (tokenizer.py). Batches are
gathered in the order of the documents, and what is new in one gets the corpus's next numbers: neither the
size of batches nor the number of threads can be seen in the result. In the end stems are put in their
order (vocabulary.py), and the columns are written.
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
from topminer.progress import Progress
from topminer.text.growing import Growing
from topminer.text.interning import SPARE, Interner, strings_of
from topminer.text.keep import Columns, Gaps, Kept, Numbers, write_columns, write_gaps
from topminer.text.rules import TextRules
from topminer.text.tokenizer import Batch, Tokenizer
from topminer.text.vocabulary import Lexicon, Words


class Built(NamedTuple):
    """What build makes: the columns of a corpus and what they refer to."""

    columns: Columns
    doc_start: NDArray[np.int64]
    chunk_start: NDArray[np.int64]
    gaps: pl.Series
    lexicon: Lexicon
    n_found: int


class _Known:
    """The corpus's numbers for what one tokenizer has numbered."""

    def __init__(self) -> None:
        self.surface = Growing(np.int32)
        self.separator = Growing(np.int32, [0])  # one blank is 0 everywhere, here and below
        self.gap = Growing(np.int32, [0])


class _Part(NamedTuple):
    """A batch's kept tokens, and its place in the corpus."""

    kept: Kept
    known: _Known
    first: int
    first_doc: int
    first_chunk: int


class _Gathered:
    """What is known of all batches so far."""

    def __init__(self, rules: TextRules) -> None:
        self.words = Words(rules)
        self.surfaces = Interner()
        self.separators = {" ": 0}
        self.gaps = Interner()
        self._known: dict[Tokenizer, _Known] = {}
        self.parts: deque[_Part] = deque()
        self.n_tokens = self.n_documents = self.n_chunks = 0

    def add(self, batch: Batch) -> None:
        """Take over what is new in the next batch."""
        known = self._known.setdefault(batch.tokenizer, _Known())
        known.surface.extend(self.surfaces.add_strings(batch.surfaces))
        self.words.learn(self.surfaces)
        number = [self.separators.setdefault(text, len(self.separators)) for text in batch.separators]
        known.separator.extend(np.array(number, np.int32))
        known.gap.extend(1 + self._add_gaps(batch.gaps, known))
        kept = batch.kept
        self.parts.append(_Part(kept, known, self.n_tokens, self.n_documents, self.n_chunks))
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
        return self.gaps.add(pieces.view(np.uint64), bounds[:-1], bounds[1:])

    def counts(self) -> NDArray[np.int64]:
        """How often each surface was found, when all is: the tokenizers' memory is free then."""
        counts = np.zeros(len(self.surfaces), np.int64)
        for tokenizer, known in self._known.items():
            counts[known.surface.values] += tokenizer.counts.values
        self._known.clear()
        return counts

    def numbers(self, lexicon: Lexicon, gap_of: NDArray[np.int32]) -> dict[_Known, Numbers]:
        """What is written for each tokenizer's numbers."""
        numbers = {}
        for known in {part.known for part in self.parts}:
            surface = known.surface.values
            numbers[known] = Numbers(
                lexicon.stem[surface], lexicon.surface[surface], gap_of[known.gap.values]
            )
        return numbers

    def gap_texts(self) -> tuple[pl.Series, NDArray[np.int32]]:
        """Gaps as they are written, the first being one blank, and which of them each gap is."""
        gaps = self.gaps.since()
        written = write_gaps(
            Gaps(gaps.words.view(np.int32), gaps.bounds // 4),
            self.surfaces.since(),
            strings_of([text.encode() for text in self.separators]),
        )
        texts = Interner()
        texts.add_strings(strings_of([b" "]))
        gap_of = texts.add_strings(written)
        return texts.since().to_series().alias("gap"), np.append(np.zeros(1, np.int32), gap_of)


def build(
    batches: Iterable[tuple[pl.Series, bool]], rules: TextRules, n_threads: int, progress: Progress
) -> Built:
    """Make a corpus's columns from batches of (texts, whether their tokens are marked)."""
    gathered, counts = _gathered(batches, rules, n_threads, progress)
    tasks = partial(gathered.words.lexicon, gathered.surfaces, counts), gathered.gap_texts
    lexicon, (gaps, gap_of) = map_in_order(_done, tasks, n_threads)
    numbers = gathered.numbers(lexicon, gap_of)
    columns, doc_start, chunk_start = _written(gathered, numbers, n_threads, progress)
    return Built(columns, doc_start, chunk_start, gaps, lexicon, int(counts.sum()))


def _gathered(
    batches: Iterable[tuple[pl.Series, bool]], rules: TextRules, n_threads: int, progress: Progress
) -> tuple[_Gathered, NDArray[np.int64]]:
    """All batches, and how often each surface was found."""
    gathered = _Gathered(rules)
    mine = threading.local()  # a thread's batches come in order: what one builds on is gathered before it

    def read(batch: tuple[pl.Series, bool]) -> Batch:
        if not hasattr(mine, "tokenizer"):
            mine.tokenizer = Tokenizer(rules)
        tokenizer: Tokenizer = mine.tokenizer
        return tokenizer.read(*batch)

    for batch in map_in_order(read, batches, n_threads):
        gathered.add(batch)
        progress("Scanning", gathered.n_documents, None, "documents")
    return gathered, gathered.counts()


def _done(task: Any) -> Any:
    return task()


def _written(
    gathered: _Gathered, numbers: dict[_Known, Numbers], n_threads: int, progress: Progress
) -> tuple[Columns, NDArray[np.int64], NDArray[np.int64]]:
    """The columns, and the first token of each document and of each chunk."""
    columns = Columns(*(np.empty(gathered.n_tokens, np.int32) for _ in Columns._fields))
    doc_start = np.zeros(gathered.n_documents + 1, np.int64)
    chunk_start = np.full(gathered.n_chunks + 1, gathered.n_tokens, np.int64)

    def write(part: _Part) -> int:
        kept, known, first, first_doc, first_chunk = part
        end = first + kept.surface.size
        write_columns(kept, numbers[known], Columns(*(column[first:end] for column in columns)))
        doc_start[first_doc + 1 :][: kept.doc_start.size - 1] = first + kept.doc_start[1:].astype(np.int64)
        chunk_start[first_chunk:][: kept.chunk_start.size] = first + kept.chunk_start.astype(np.int64)
        return end

    for n_written in map_in_order(write, _drained(gathered.parts), n_threads):
        progress("Keeping", n_written, gathered.n_tokens, "tokens")
    return columns, doc_start, chunk_start


def _drained(parts: deque[_Part]) -> Iterator[_Part]:
    """The parts, whose memory is free once they are written."""
    while parts:
        yield parts.popleft()
