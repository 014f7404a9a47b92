"""One thread's work: batches of texts to kept tokens.

Each thread has a tokenizer, which numbers surfaces and gaps by first occurrence and remembers them from batch
to batch. With each batch it returns the surfaces and gaps that are new. build.py translates the ids of all
tokenizers to ids of the corpus, batch by batch, in the order of the documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import GrowingArray
from topminer.containers.strings import SPARE, Packed, Strings, StringTable, utf8_bytes
from topminer.errors import InputError
from topminer.text.kinds import mark_kinds
from topminer.text.scan.classes import classes, classes_with_marks
from topminer.text.scan.keep import Kept, keep_tokens
from topminer.text.scan.tokens import (
    Marks,
    TokenArrays,
    Tokens,
    find_tokens,
    token_arrays,
)
from topminer.text.words import Roles, Words

_MAX_BYTES = np.iinfo(np.int32).max


class TokenizedBatch(NamedTuple):
    """The kept tokens of some documents, and the strings that their tokenizer had not seen before."""

    tokenizer: Tokenizer
    kept: Kept
    surfaces: Strings
    words: Words  # of the surfaces
    gaps: Strings  # bytes between kept tokens, as they are in the texts; their ids are from 1 on
    marks: Marks  # that the gaps contain


class Tokenizer:
    """Finds the kept tokens of batches."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles
        self._surfaces = StringTable()
        self._role = GrowingArray(np.uint8)  # by surface
        self.counts = GrowingArray(np.int64)  # by surface: how often it was found so far
        self._gaps = StringTable()
        self._buffer = np.zeros(0, np.uint64)
        # Arrays that all batches share: memory that is touched for the first time is slow.
        self._arrays: TokenArrays | None = None
        self._room = np.empty((6, 0), np.int32)

    def tokenize(self, texts: pl.Series, marks: Marks) -> TokenizedBatch:
        """Find the kept tokens of a batch."""
        raw, text_start = utf8_bytes(texts)
        if marks == Marks.NONE and self._roles.kinds is not None:
            marked = mark_kinds(raw, text_start, self._roles.kinds)
            if marked is not None:
                (raw, text_start), marks = marked, Marks.KINDS
        n_surfaces, n_gaps = len(self._surfaces), len(self._gaps)
        data, tokens = self._find_tokens(raw, text_start, marks)
        surface_of = self._surfaces.add(data, tokens.start, tokens.stop)
        new_surfaces = self._surfaces.since(n_surfaces)
        words = self._roles.of(new_surfaces, marks)
        self._role.extend(words.role)
        self.counts.extend(np.zeros(words.role.size))
        if self._room.shape[1] < surface_of.size:
            self._room = np.empty((6, surface_of.size * 5 // 4), np.int32)
        kept, gaps = keep_tokens(
            data.view(np.uint8), tokens, surface_of, self._role.values, self.counts.values, self._room
        )
        kept.gap[gaps.token] = 1 + self._gaps.add(data, gaps.start, gaps.stop)  # 0 is one blank
        return TokenizedBatch(self, kept, new_surfaces, words, self._gaps.since(n_gaps), marks)

    def _find_tokens(self, raw: bytes, text_start: NDArray[np.int64], marks: Marks) -> tuple[Packed, Tokens]:
        """Return the texts' bytes and all tokens. The next batch overwrites both."""
        data = np.frombuffer(raw, np.uint8)
        if data.size > _MAX_BYTES:
            raise InputError("a document of more than 2 GiB cannot be read; cut it into smaller ones")
        n_packed = (data.size + SPARE) // 8 + 1
        if n_packed > self._buffer.size:
            self._buffer = np.zeros(n_packed, np.uint64)
        packed = self._buffer[:n_packed]
        packed.view(np.uint8)[: data.size] = data
        n_documents = text_start.size - 1
        if self._arrays is None or data.size // 2 + n_documents >= self._arrays.start.size:
            self._arrays = token_arrays(data.size, n_documents)
        table = classes_with_marks() if marks == Marks.KINDS else classes()
        return packed, find_tokens(packed, text_start, table, self._arrays, marks == Marks.TOKENS)
