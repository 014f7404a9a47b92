"""One thread's work: batches of texts to kept tokens.

Each thread has a tokenizer, which numbers surfaces, separators and gaps as it meets them and remembers
them from batch to batch; with each batch it tells what is new. build.py turns its numbers into the
corpus's, batch by batch in the order of the documents.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.text.classes import classes
from topminer.text.folding import Roles, folded
from topminer.text.growing import Growing
from topminer.text.interning import SPARE, Interner, Strings, Words
from topminer.text.keep import Gaps, Kept, keep_tokens
from topminer.text.rules import TextRules
from topminer.text.scan import (
    OTHER,
    TOKEN_START,
    TOKEN_STOP,
    Tokens,
    find_marked_tokens,
    find_tokens,
    room_for,
)

_NO_MARKS = {TOKEN_START: None, TOKEN_STOP: None}
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


class Batch(NamedTuple):
    """The kept tokens of some documents, and what their tokenizer had not met before."""

    tokenizer: Tokenizer
    kept: Kept
    surfaces: Strings
    separators: list[str]
    gaps: Gaps


class Tokenizer:
    """Finds the kept tokens of batches.

    Attributes
    ----------
    counts : Growing, int64
        How often each surface was found so far.
    """

    def __init__(self, rules: TextRules) -> None:
        self._roles = Roles(rules)
        self._surfaces = Interner()
        self._role = Growing(np.uint8)  # of each surface, here and below
        self.counts = Growing(np.int64)
        self._lone = Growing(np.int32)  # 1 + the number of the gap that is just this surface, or 0
        self._gaps = Interner()
        self._others = Interner()  # what stands between tokens where it is not one blank, as written
        self._separator_of = Growing(np.int32)  # of each of those
        self._separators = {" ": 0}  # the same, each white space being one blank
        self._words = np.zeros(0, np.uint64)
        self._room = room_for(0, 0)

    def read(self, texts: pl.Series, marked: bool) -> Batch:
        """Find the kept tokens of a batch."""
        n_known = len(self._surfaces)
        words, tokens = self._found(texts, marked)
        surface = self._surfaces.add(words, tokens.start, tokens.stop)
        surfaces = self._surfaces.since(n_known)
        role = self._roles.of(folded(surfaces))
        self._role.extend(role)
        self.counts.extend(np.zeros(role.size))
        self._lone.extend(np.zeros(role.size))
        separator, separators = self._between(words, tokens, marked)
        kept, gaps, behind = keep_tokens(
            tokens, surface, separator, self._role.values, self.counts.values, self._lone.values
        )
        number, new_gaps = self._numbered(gaps)
        kept.gap[behind] = 1 + number
        return Batch(self, kept, surfaces, separators, new_gaps)

    def _numbered(self, gaps: Gaps) -> tuple[NDArray[np.int32], Gaps]:
        """Numbers of gaps, and those that are new."""
        n_known = len(self._gaps)
        number = self._gaps.add(gaps.pieces.view(np.uint64), 4 * gaps.bounds[:-1], 4 * gaps.bounds[1:])
        strings = self._gaps.since(n_known)
        new = Gaps(strings.words.view(np.int32), strings.bounds // 4)
        of_one = np.flatnonzero(np.diff(new.bounds) == 1)
        piece = new.pieces[new.bounds[of_one]]
        self._lone.values[piece[piece >= 0]] = 1 + n_known + of_one[piece >= 0]
        return number, new

    def _found(self, texts: pl.Series, marked: bool) -> tuple[Words, Tokens]:
        """All tokens, and the bytes they lie in: both stand where those of the next batch will."""
        data = np.frombuffer(texts.str.join("").cast(pl.Binary).item(), np.uint8)
        if data.size > np.iinfo(np.int32).max:
            raise InputError("a document of more than 2 GiB cannot be read; cut it into smaller ones")
        text_start = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(texts.str.len_bytes().to_numpy(), out=text_start[1:])
        n_words = (data.size + SPARE) // 8 + 1
        if n_words > self._words.size:
            self._words = np.zeros(n_words, np.uint64)
        words = self._words[:n_words]
        words.view(np.uint8)[: data.size] = data
        if data.size // 2 + len(texts) >= self._room.start.size:
            self._room = room_for(data.size, len(texts))
        find = find_marked_tokens if marked else find_tokens
        return words, find(words.view(np.uint8), text_start, classes(), self._room)

    def _between(self, words: Words, tokens: Tokens, marked: bool) -> tuple[NDArray[np.int32], list[str]]:
        """What stands before each token that OTHER stands before, and the separators that are new."""
        n_known = len(self._others)
        rare = np.flatnonzero(tokens.before == OTHER)
        number = self._others.add(words, tokens.stop[rare - 1], tokens.start[rare])
        separator_of, new = [], []
        for written in self._others.since(n_known).to_list():
            text = written.decode()
            text = _BLANKS.sub(" ", text.translate(_NO_MARKS) if marked else text)
            if text not in self._separators:
                self._separators[text] = len(self._separators)
                new.append(text)
            separator_of.append(self._separators[text])
        self._separator_of.extend(np.array(separator_of, np.int32))
        return self._separator_of.values[number], new
