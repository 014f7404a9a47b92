"""What is counted over phrase instances, to judge phrases: how they are written, and what stands before.

The counts are sums and maxima of whole numbers, so several workers can count their own documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from topminer.containers.hashing import mix
from topminer.jit import kernel
from topminer.phrases.cliques import Cliques
from topminer.phrases.sequence import Bools, Int32s, Int64s, Sequence

POINT = 1 << 16  # sums of c log c are in units of 1 / 65,536: sums of whole numbers do not depend on an order


class Writing(NamedTuple):
    """How each atom is written."""

    between: Int32s  # the words between it and the atom before it, as a number; 0: none
    is_capital: Bools  # whether its token starts with a capital letter
    inside: Bools  # whether it belongs to the token of the atom before it

    def chosen(self, atoms: Int64s) -> Writing:
        """Return that of some atoms."""
        return Writing(self.between[atoms], self.is_capital[atoms], self.inside[atoms])


class WritingTables(NamedTuple):
    """The same by gap and by surface, as a corpus has them."""

    between: Int32s
    is_capital: Bools

    @classmethod
    def of(cls, gaps: pl.Series, surfaces: pl.Series) -> WritingTables:
        """Read the tables of a corpus. Blanks, hyphens and the case of stop words make no difference."""
        words = gaps.str.replace_all(r"[\s\-\u2010\u2011]+", " ").str.strip_chars(" ").str.to_lowercase()
        ranks = pl.concat([pl.Series([""]), words]).rank("dense")  # the empty string comes first
        return cls(
            ranks[1:].to_numpy().astype(np.int32) - np.int32(1),
            surfaces.str.contains(r"^\p{Lu}").to_numpy(),
        )

    def writing(self, gap_ids: Int32s, surface_ids: Int32s, sequence: Sequence) -> Writing:
        """Return the writing of the atoms of a sequence, given the gap and the surface of each token."""
        between, is_capital = self.between[gap_ids], self.is_capital[surface_ids]
        if sequence.inside is None:
            return Writing(between, is_capital, np.zeros(between.size, np.bool_))
        token_of = np.cumsum(~sequence.inside) - 1
        between = np.where(sequence.inside, np.int32(0), between[token_of])
        return Writing(between, is_capital[token_of], sequence.inside)


class Counts(NamedTuple):
    """What is counted over instances, by phrase id. Counts of several workers are added up."""

    instances: Int64s
    adjacent: Int64s  # instances with no words between
    capitals: Int64s  # instances with every word capitalised
    three_words: Int64s  # instances of three tokens
    four_words: Int64s  # instances of four tokens or more
    n_log_n: Int64s  # Σ c log c over the distinct words before the instances, in units of 1 / POINT
    most_fixed: Int64s  # instances with the most common words between, if there are any between

    @classmethod
    def of(cls, rows: Int64s, n_log_n: Int64s, most_fixed: Int64s) -> Counts:
        """Make counts of the rows that :meth:`Text.look_at` returns."""
        instances, adjacent, capitals, three_words, four_words = rows
        return cls(instances, adjacent, capitals, three_words, four_words, n_log_n, most_fixed)


class Pairs(NamedTuple):
    """Distinct pairs of a phrase and a value, each pair as one whole number, and how often each occurs."""

    keys: Int64s  # phrase + number of phrases * value
    counts: Int64s

    @classmethod
    def of(cls, ids: Int64s, values: Int64s, n: int) -> Pairs:
        """Count the distinct pairs of ``n`` phrases."""
        return cls(*np.unique(ids + n * values, return_counts=True))

    def n_log_n(self, n: int) -> Int64s:
        """Return Σ c log c over the counts c of each phrase, in units of 1 / POINT."""
        terms = np.rint(self.counts * np.log(self.counts) * POINT)
        return np.bincount(self.keys % n, terms, minlength=n).astype(np.int64)  # exact below 2**53

    def most(self, n: int) -> Int64s:
        """Return the largest count of each phrase."""
        largest = np.zeros(n, np.int64)
        np.maximum.at(largest, self.keys % n, self.counts)
        return largest


@kernel
def _look(cliques: Cliques, writing: Writing) -> tuple[Int64s, Bools, Int64s]:
    """Return of each instance a number for the words between, 0 for none, its capitals, and its tokens."""
    first, length, _ = cliques
    between, is_capital, inside = writing
    form, all_capital = np.zeros(first.size, np.int64), np.ones(first.size, np.bool_)
    n_tokens = np.zeros(first.size, np.int64)
    for c in range(first.size):
        any_between, code = np.int64(0), np.uint64(0)
        for i in range(first[c], first[c] + length[c]):
            all_capital[c] &= is_capital[i]
            n_tokens[c] += not inside[i]
            if i > first[c]:
                any_between |= between[i]
                code = mix(code ^ np.uint64(between[i] + 1))
        if any_between != 0:
            form[c] = np.int64(code >> np.uint64(33)) + 1  # 31 bits; n_phrases * 2**31 fits into 63
    return form, all_capital, n_tokens


class Text(NamedTuple):
    """Counted chunks, or those of one worker."""

    stems: Int32s
    starts_chunk: Bools  # of each atom
    writing: Writing

    @classmethod
    def of(cls, sequence: Sequence, writing: Writing) -> Text:
        """Return the atoms of a sequence with their writing."""
        starts_chunk = np.zeros(sequence.ids.size, np.bool_)
        starts_chunk[sequence.chunk_start[:-1] - sequence.chunk_start[0]] = True
        return cls(sequence.ids, starts_chunk, writing)

    def look_at(self, cliques: Cliques, n: int) -> tuple[Int64s, Pairs, Pairs]:
        """Count over some instances of ``n`` phrases.

        Return a row for each of the first five fields of :class:`Counts`, the pairs of a phrase and the word
        before it (0: it starts its chunk), and those of a phrase and the words between.
        """
        first, _, ids = cliques
        form, all_capital, n_tokens = _look(cliques, self.writing)
        every = np.bincount(ids, minlength=n)
        some = (form == 0, all_capital, n_tokens == 3, n_tokens > 3)
        rows = np.stack([every, *(np.bincount(ids[which], minlength=n) for which in some)])
        before = np.where(self.starts_chunk[first], -1, self.stems[first - 1]).astype(np.int64) + 1
        loose = form > 0
        return rows, Pairs.of(ids, before, n), Pairs.of(ids[loose], form[loose], n)
