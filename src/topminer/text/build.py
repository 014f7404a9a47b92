"""Batches of texts to the columns of a corpus, on all threads.

Two rounds over the batches. The first scans: tokens, their offsets, a number for each distinct surface.
Then the distinct surfaces are folded, stemmed and sorted once (vocabulary.py), and the second round writes
the kept tokens straight into the corpus's columns. Batches are gathered in order, so neither their size
nor the number of threads can be seen in the result.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.engines.local import map_in_order
from topminer.errors import InputError
from topminer.progress import Progress
from topminer.text.classes import classes
from topminer.text.interning import Interner, as_words
from topminer.text.keep import Columns, Fate, Gaps, Strings, keep_tokens, write_gaps
from topminer.text.rules import TextRules
from topminer.text.scan import OPENS, OTHER, TOKEN_START, TOKEN_STOP, find_marked_tokens, find_tokens
from topminer.text.vocabulary import KEEP, Lexicon, Words

_NO_MARKS = {TOKEN_START: None, TOKEN_STOP: None}
_Item = TypeVar("_Item")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


_Separators: TypeAlias = NDArray[np.int16] | NDArray[np.int32]


class Built(NamedTuple):
    """What build makes: the columns of a corpus and what they refer to."""

    columns: Columns
    doc_start: NDArray[np.int64]
    chunk_start: NDArray[np.int64]
    gaps: pl.Series
    lexicon: Lexicon
    n_found: int


class _Tokens(NamedTuple):
    """The tokens of one batch, as they lie between the two rounds."""

    surface: NDArray[np.int32]  # by its number in the batch
    separator: _Separators  # what stands before, by its number in the batch; -1: opens a chunk
    start: NDArray[np.int32]
    doc_start: NDArray[np.int64]
    counts: NDArray[np.int64]  # of each surface


class _Scanned(NamedTuple):
    tokens: _Tokens
    surfaces: Interner
    separators: list[str]  # from number 1 on; 0 is one blank


class _Numbered(NamedTuple):
    """A batch whose surfaces and separators are known by their numbers in the whole corpus."""

    tokens: _Tokens
    surface_of: NDArray[np.int32]
    separator_of: NDArray[np.int32]  # the last is what -1 finds: itself


def _scan(texts: pl.Series, marked: bool) -> _Scanned:
    """The first round's work on a batch."""
    words = as_words(texts.str.join("").cast(pl.Binary).item())
    text_start = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(texts.str.len_bytes().to_numpy(), out=text_start[1:])
    if text_start[-1] > np.iinfo(np.int32).max:
        raise InputError("a document of more than 2 GiB cannot be read; cut it into smaller ones")
    tokens = (find_marked_tokens if marked else find_tokens)(words.view(np.uint8), text_start, classes())
    surfaces = Interner()
    surface = surfaces.add(words, tokens.start, tokens.stop)
    rare = np.flatnonzero(tokens.before == OTHER)
    others = Interner()
    numbers = others.add(words, tokens.stop[rare - 1], tokens.start[rare])
    separator: _Separators = np.zeros(surface.size, np.int16)
    if len(others) >= np.iinfo(np.int16).max:
        separator = separator.astype(np.int32)
    separator[tokens.before == OPENS] = -1
    separator[rare] = 1 + numbers
    texts_between = [text.translate(_NO_MARKS) if marked else text for text in others.to_list()]
    separators = [_BLANKS.sub(" ", text) for text in texts_between]
    counts = np.bincount(surface, minlength=len(surfaces))
    return _Scanned(
        _Tokens(surface, separator, tokens.char_start, tokens.doc_start, counts), surfaces, separators
    )


class _Gathered:
    """What the first round knows of all batches."""

    def __init__(self, rules: TextRules) -> None:
        self.words = Words(rules)
        self.surfaces = Interner()
        self.counts = np.zeros(1 << 12, np.int64)
        self.separators = {" ": 0}
        self.batches: list[_Numbered] = []

    def add(self, batch: _Scanned) -> None:
        """Take over a batch's surfaces and separators, and remember its numbers for them."""
        surface_of = self.surfaces.add_all(batch.surfaces)
        if len(self.surfaces) > self.counts.size:
            self.counts = np.concatenate((self.counts, np.zeros(len(self.surfaces), np.int64)))
        self.counts[surface_of] += batch.tokens.counts
        self.words.learn(self.surfaces)
        number = [self.separators.setdefault(text, len(self.separators)) for text in batch.separators]
        self.batches.append(_Numbered(batch.tokens, surface_of, np.array([0, *number, -1], np.int32)))


def build(
    batches: Iterable[tuple[pl.Series, bool]], rules: TextRules, n_threads: int, progress: Progress
) -> Built:
    """Make a corpus's columns from batches of (texts, whether their tokens are marked)."""
    gathered = _Gathered(rules)
    n_documents = 0
    for scanned in map_in_order(lambda batch: _scan(*batch), batches, n_threads):
        gathered.add(scanned)
        n_documents += scanned.tokens.doc_start.size - 1
        progress("Scanning", n_documents, None, "documents")
    counts = gathered.counts[: len(gathered.surfaces)]
    return _keep(gathered, gathered.words.lexicon(gathered.surfaces, counts), n_threads, progress)


def _keep(gathered: _Gathered, lexicon: Lexicon, n_threads: int, progress: Progress) -> Built:
    """The second round."""
    is_kept = lexicon.role == KEEP
    n_kept = [int(batch.tokens.counts[is_kept[batch.surface_of]].sum()) for batch in gathered.batches]
    first = np.cumsum([0, *n_kept])
    columns = Columns(*(np.empty(first[-1], np.int32) for _ in Columns._fields))
    waiting = deque(enumerate(gathered.batches))
    gathered.batches.clear()  # a batch's memory is free once it is done

    def keep(
        batch: tuple[int, _Numbered],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Interner, NDArray[np.int32]]:
        i, (tokens, surface_of, separator_of) = batch
        docs, chunks, gaps = keep_tokens(
            tokens.surface,
            tokens.separator,
            tokens.start,
            tokens.doc_start,
            Fate(lexicon.role[surface_of], lexicon.stem[surface_of], lexicon.surface[surface_of], surface_of),
            separator_of,
            Columns(*(column[first[i] : first[i + 1]] for column in columns)),
        )
        distinct = Interner()
        gap_of = distinct.add(gaps.pieces.view(np.uint64), 4 * gaps.bounds[:-1], 4 * gaps.bounds[1:])
        return docs, chunks, distinct, gap_of

    all_gaps = Interner()
    doc_starts, chunk_starts = [first[:1]], []
    for i, (docs, chunks, distinct, gap_of) in enumerate(map_in_order(keep, _drained(waiting), n_threads)):
        mine = columns.gap[first[i] : first[i + 1]]
        mine[:] = np.concatenate((np.zeros(1, np.int32), 1 + all_gaps.add_all(distinct)[gap_of]))[mine]
        doc_starts.append(docs[1:] + first[i])
        chunk_starts.append(chunks + first[i])
        progress("Keeping", int(first[i + 1]), int(first[-1]), "tokens")
    gaps, gap_of = _gap_texts(all_gaps, gathered.surfaces, gathered.separators)
    if len(gaps) < gap_of.size:
        columns.gap[:] = gap_of[columns.gap]
    return Built(
        columns,
        np.concatenate(doc_starts),
        np.concatenate([*chunk_starts, first[-1:]]),
        gaps,
        lexicon,
        int(gathered.counts.sum()),
    )


def _gap_texts(
    gaps: Interner, surfaces: Interner, separators: Iterable[str]
) -> tuple[pl.Series, NDArray[np.int32]]:
    """Gaps as they are written, the first being one blank, and which of them each gap is."""
    encoded = [text.encode() for text in separators]
    bounds = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    written = write_gaps(
        Gaps(gaps.words.view(np.int32), gaps.bounds // 4),
        Strings(surfaces.words.view(np.uint8), surfaces.bounds),
        Strings(as_words(b"".join(encoded)).view(np.uint8), bounds),
    )
    texts = Interner()
    texts.add(as_words(b" "), np.array([0]), np.array([1]))
    gap_of = texts.add(as_words(written.data.tobytes()), written.bounds[:-1], written.bounds[1:])
    return texts.to_series().alias("gap"), np.concatenate((np.zeros(1, np.int32), gap_of))


def _drained(waiting: deque[_Item]) -> Iterator[_Item]:
    while waiting:
        yield waiting.popleft()
