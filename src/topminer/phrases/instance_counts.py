"""What is counted over phrase instances, to judge phrases: how they are written, and what stands before.

The counts are sums and maxima of whole numbers, so several workers can count their own documents.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from topminer.containers.arrays import read_only
from topminer.containers.hashing import mix
from topminer.containers.mapped import unload
from topminer.containers.strings import Strings, StringTable
from topminer.jit import bare_kernel
from topminer.phrases.cliques import Cliques
from topminer.phrases.sequence import Bools, Int32s, Int64s, Sequence

_PIECE = 1 << 20  # atoms whose surfaces and gaps are looked at at a time
N_SUMS = 5  # fields of `Counts` that are plain sums over instances
POINT = 1 << 16  # sums of c log c are in units of 1 / 65,536: sums of whole numbers do not depend on an order


class WritingTables(NamedTuple):
    """What counts about the gaps and the surfaces of a corpus."""

    between: Int32s  # by gap: its words, as a number; 0: none
    is_capital: Bools  # by surface: whether it starts with a capital letter

    @classmethod
    def of(cls, gaps: pl.Series, surfaces: pl.Series) -> WritingTables:
        """Read the tables of a corpus. Blanks, hyphens and the case of stop words make no difference."""
        words = gaps.str.replace_all(r"[\s\-\u2010\u2011]+", " ").str.strip_chars(" ").str.to_lowercase()
        strings = Strings.from_series(pl.concat([pl.Series([""]), words]))
        between = StringTable().add_strings(strings)[1:]  # numbered by first occurrence: "" is 0
        return cls(between, surfaces.str.contains(r"^\p{Lu}").to_numpy())


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
        instances, adjacent, capitals, three_words, four_words = rows.T
        return cls(instances, adjacent, capitals, three_words, four_words, n_log_n, most_fixed)


class Pairs(NamedTuple):
    """Distinct pairs of a phrase and a value, each pair as one whole number, and how often each occurs."""

    keys: Int64s  # phrase + number of phrases * value
    counts: Int64s

    @classmethod
    def of(cls, ids: Int32s, values: Int64s, n: int) -> Pairs:
        """Count the distinct pairs of ``n`` phrases. ``values`` are overwritten."""
        keys = values
        keys *= n
        keys += ids
        keys.sort()
        is_first = np.ones(keys.size, np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
        start = np.flatnonzero(is_first)
        return cls(keys[start], np.diff(start, append=keys.size))

    def n_log_n(self, n: int) -> Int64s:
        """Return Σ c log c over the counts c of each phrase, in units of 1 / POINT."""
        terms = np.rint(self.counts * np.log(self.counts) * POINT)
        return np.bincount(self.keys % n, terms, minlength=n).astype(np.int64)  # exact below 2**53

    def most(self, n: int) -> Int64s:
        """Return the largest count of each phrase."""
        largest = np.zeros(n, np.int64)
        np.maximum.at(largest, self.keys % n, self.counts)
        return largest


@bare_kernel
def _look(
    cliques: Cliques,
    first_token: Int32s | Int64s,
    inside: Bools,
    tables: WritingTables,
    gaps: Int32s,
    words: Int32s,
    rows: Int64s,
    form: Int64s,
) -> None:
    """Count over some instances in ``rows``, one for each phrase, with the first five fields of `Counts`.

    ``inside`` says whether an atom belongs to the token of the atom before it; empty: none does. ``gaps`` and
    ``words`` are the gaps and surfaces of the tokens. Write a number for the words between those of each
    instance to ``form``; 0, which it has already: none.
    """
    first, length, ids = cliques
    between, is_capital = tables
    for c in range(first.size):
        any_between, code = np.int32(0), np.uint64(0)
        token, n_tokens = first_token[c], 1
        all_capital = is_capital[words[token]]
        for i in range(first[c] + 1, first[c] + length[c]):
            gap = np.int32(0)
            if inside.size == 0 or not inside[i]:
                token += 1
                n_tokens += 1
                gap = between[gaps[token]]
                all_capital &= is_capital[words[token]]
            any_between |= gap
            code = mix(code ^ np.uint64(gap + 1))
        if any_between != 0:
            form[c] = np.int64(code >> np.uint64(33)) + 1  # 31 bits; n_phrases * 2**31 fits into 63
        row = rows[ids[c]]
        row[0] += 1
        row[1] += any_between == 0
        row[2] += all_capital
        row[3] += n_tokens == 3
        row[4] += n_tokens > 3


class Text(NamedTuple):
    """A text as it is written: its atoms, and the gaps and surfaces of its tokens."""

    atoms: Sequence
    starts_chunk: Bools  # of each atom
    inside: Int64s | None  # the atoms that belong to the token of the atom before; None: there are none
    tables: WritingTables
    gap_ids: Int32s
    surface_ids: Int32s

    @classmethod
    def of(cls, atoms: Sequence, tables: WritingTables, gap_ids: Int32s, surface_ids: Int32s) -> Text:
        """Prepare to count over instances."""
        starts_chunk = np.zeros(atoms.ids.size, np.bool_)
        starts_chunk[atoms.chunk_start[:-1] - atoms.chunk_start[0]] = True
        inside = None if atoms.inside is None else np.flatnonzero(atoms.inside)
        return cls(atoms, starts_chunk, inside, tables, gap_ids, surface_ids)

    def token_of(self, atoms: Int32s | Int64s) -> Int32s | Int64s:
        """Return the token of each of some atoms."""
        if self.inside is None:
            return atoms
        tokens: Int32s | Int64s = atoms - np.searchsorted(self.inside, atoms, "right").astype(atoms.dtype)
        return tokens

    def capitals(self) -> tuple[int, int]:
        """Return how many atoms in counted chunks start with a capital letter, and how many there are."""
        is_capital = np.empty(self.surface_ids.size, np.bool_)
        for start in range(0, is_capital.size, _PIECE):
            piece = slice(start, start + _PIECE)
            is_capital[piece] = self.tables.is_capital[self.surface_ids[piece]]
            unload(self.surface_ids)
        uncounted = self.atoms.uncounted_atoms()
        n_capitals = np.count_nonzero(is_capital) - np.count_nonzero(is_capital[self.token_of(uncounted)])
        if self.inside is not None:
            n_capitals += np.count_nonzero(is_capital[self.token_of(self.inside)])
        return int(n_capitals), self.atoms.ids.size - uncounted.size

    def counted(self, cliques: Cliques) -> tuple[Cliques, Cliques]:
        """Return the instances in counted chunks, and the others."""
        if self.atoms.is_counted is None:
            return cliques, cliques.chosen(np.zeros(cliques.ids.size, np.bool_))
        is_counted = np.repeat(self.atoms.is_counted, np.diff(self.atoms.chunk_start))[cliques.first]
        return cliques.chosen(is_counted), cliques.chosen(~is_counted)

    def look_at(self, cliques: Cliques, n: int) -> tuple[Int64s, Pairs, Pairs]:
        """Count over some instances of ``n`` phrases.

        Return a row for each phrase, with the first five fields of :class:`Counts`, the pairs of a phrase and
        the word before it (0: it starts its chunk), and those of a phrase and the words between.
        """
        first, _, ids = cliques
        inside = np.empty(0, np.bool_) if self.atoms.inside is None else self.atoms.inside
        # A worker may have received arrays that can be written: kernels are compiled apart for these.
        tables = WritingTables(read_only(self.tables.between), read_only(self.tables.is_capital))
        tokens = read_only(inside), tables, read_only(self.gap_ids), read_only(self.surface_ids)
        rows = np.zeros((n, N_SUMS), np.int64)
        form = np.zeros(ids.size, np.int64)
        n_pieces = -(-self.atoms.ids.size // _PIECE)
        for start, stop in pairwise(np.linspace(0, ids.size, n_pieces + 1).astype(np.int64).tolist()):
            some, piece = cliques.chosen(slice(start, stop)), slice(start, stop)
            _look(some, self.token_of(some.first), *tokens, rows, form[piece])
            unload(self.gap_ids, self.surface_ids)
        loose = form > 0
        between = Pairs.of(ids[loose], form[loose], n)
        del form, loose
        before = self.atoms.ids[first - 1].astype(np.int64)
        before[self.starts_chunk[first]] = -1
        before += 1
        return rows, Pairs.of(ids, before, n), between
