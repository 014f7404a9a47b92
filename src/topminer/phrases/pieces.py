"""Pieces of long documents: what is sampled in place of a document that is about many things.

A piece is a run of whole phrase instances of one document. A rule says how documents are divided: "none",
"paragraph", or a number of kept tokens, about as long as each piece will be. With 8 kept tokens, a document
of 16 becomes two pieces. Here brackets mark its phrases, and "/" the ends of its chunks::

    a b [c d] e f g / h [i j] k l m / n o p      →      a b [c d] e f g   h [i j] k l m / n o p

The pieces of a document are about equally long. A piece ends where a chunk ends, if a chunk ends near there,
else between two phrase instances. So pieces change neither phrases nor offsets, and their concatenation is
the document. A document that is not divided is one piece. The rule looks at one document at a time.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import ranges
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus

Int64s = NDArray[np.int64]
Rule = int | str  # kept tokens of a piece, NONE or PARAGRAPH

NONE, PARAGRAPH = "none", "paragraph"
LEAST_PARAGRAPH = 50  # kept tokens: shorter paragraphs are joined to the next one
NEAR = 8  # a chunk's end counts as near within this part of a piece's length

_LINE = r"(?:\r\n|[\n\r\v\f\x85\u2028\u2029])"
_LINE_END = re.compile(_LINE)
_BLANK_LINE = re.compile(rf"{_LINE}[^\S\n\r\v\f\x85\u2028\u2029]*{_LINE}|\u2029")


class Pieces(NamedTuple):
    """The pieces of a partition's documents."""

    partition: Partition  # the same phrase instances; its documents are the pieces
    first_piece: Int64s  # first piece of each document, and one past the last: (documents + 1,)

    @property
    def n_pieces(self) -> Int64s:
        """How many pieces each document has: at least one."""
        return np.diff(self.first_piece)


def pieces_of(partition: Partition, rule: Rule) -> Pieces:
    """Divide the documents of a partition into pieces."""
    return divided(partition, bounds_inside(partition, rule))


def bounds_inside(partition: Partition, rule: Rule, doc_start: Int64s | None = None) -> Int64s:
    """Return the tokens at which pieces start inside documents, ascending.

    ``doc_start`` are the tokens at which documents start, if not those of the corpus.
    """
    corpus = partition.corpus
    if rule == NONE:
        return np.zeros(0, np.int64)
    if rule == PARAGRAPH:
        return paragraph_bounds(corpus, partition.clique_start)
    starts = corpus.doc_start if doc_start is None else doc_start
    return even_bounds(partition.clique_start, starts, corpus.chunk_start, int(rule))


def divided(partition: Partition, bounds: Int64s) -> Pieces:
    """Divide documents at tokens at which phrase instances start."""
    if not bounds.size:
        return Pieces(partition, np.arange(len(partition) + 1))
    corpus = partition.corpus
    piece_start, first_piece = piece_starts(corpus.doc_start, bounds)
    n_pieces = piece_start.size - 1
    pieces = replace(
        corpus,
        doc_start=piece_start,
        times=None,
        texts=None,
        ids=lambda: _numbers(n_pieces),
        surfaces=lambda: corpus.surfaces,
        gaps=lambda: corpus.gaps,
    )
    doc_start = np.searchsorted(partition.clique_start, piece_start)
    same = replace(partition, corpus=pieces, doc_start=doc_start)
    same.__dict__["_types"] = partition._types
    return Pieces(same, first_piece)


def piece_starts(doc_start: Int64s, bounds: Int64s) -> tuple[Int64s, Int64s]:
    """Return the first token of each piece, and one past the last, and the first piece of each document."""
    before = np.searchsorted(bounds, doc_start)
    starts = np.insert(doc_start, np.searchsorted(doc_start, bounds, "right"), bounds)
    return starts, before + np.arange(doc_start.size)


def even_bounds(clique_start: Int64s, doc_start: Int64s, chunk_start: Int64s, length: int) -> Int64s:
    """Return the tokens at which pieces of about ``length`` tokens start inside documents."""
    n_tokens = np.diff(doc_start)
    n_pieces = np.maximum(1, (2 * n_tokens + length) // (2 * length))
    document = np.repeat(np.arange(n_tokens.size), n_pieces - 1)
    number = ranges(np.ones_like(n_pieces), n_pieces)  # 1, 2, … in each document
    wanted = doc_start[document] + n_tokens[document] * number // n_pieces[document]
    bounds = _nearest(chunk_start, wanted)
    is_far = np.abs(bounds - wanted) > length // NEAR
    bounds[is_far] = _nearest(clique_start, wanted[is_far])
    is_inside = (bounds > doc_start[document]) & (bounds < doc_start[document + 1])
    return np.unique(bounds[is_inside])


def _nearest(starts: Int64s, wanted: Int64s) -> Int64s:
    """Return the value of ``starts`` nearest to each wanted one; of two, the earlier."""
    behind = np.minimum(np.searchsorted(starts, wanted), starts.size - 1)
    ahead = np.maximum(behind - 1, 0)
    is_ahead = wanted - starts[ahead] <= starts[behind] - wanted
    return np.where(is_ahead, starts[ahead], starts[behind])


def paragraph_bounds(corpus: Corpus, clique_start: Int64s) -> Int64s:
    """Return the tokens at which paragraphs start inside documents.

    Paragraphs end at blank lines; in a text without blank lines, where a line ends. A phrase instance that
    goes on in the next paragraph belongs to the one in which it starts. Short paragraphs are joined.
    """
    texts = require_texts(corpus)
    bounds = [np.zeros(0, np.int64)]
    for d in texts.str.contains(_LINE_END.pattern).arg_true().to_list():
        first, last = int(corpus.doc_start[d]), int(corpus.doc_start[d + 1])
        text = texts[d]
        ends = [found.end() for found in _BLANK_LINE.finditer(text)]
        ends = ends or [found.end() for found in _LINE_END.finditer(text)]
        tokens = first + np.searchsorted(corpus.starts[first:last], ends)
        starts = np.unique(clique_start[np.searchsorted(clique_start, tokens)])
        bounds.append(np.array(_long_enough(starts.tolist(), first, last), np.int64))
    return np.concatenate(bounds)


def require_texts(corpus: Corpus) -> pl.Series:
    """Return the texts of the documents; refuse a corpus that does not keep them."""
    if corpus.texts is None:
        raise InputError("paragraphs need the texts of the documents: make the corpus with keep_texts=True")
    return corpus.texts


def _long_enough(starts: list[int], first: int, last: int) -> list[int]:
    """Choose the starts of paragraphs that leave no piece shorter than LEAST_PARAGRAPH.

    >>> _long_enough([10, 60, 70, 150, 190], 0, 200)
    [60, 150]
    """
    chosen: list[int] = []
    for start in starts:
        if start - (chosen[-1] if chosen else first) >= LEAST_PARAGRAPH <= last - start:
            chosen.append(start)
    return chosen


def _numbers(n: int) -> pl.Series:
    return pl.Series("id", np.arange(1, n + 1)).cast(pl.String)
