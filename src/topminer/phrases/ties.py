"""Ties: a word with hyphens is read as the words it joins, so that both spellings count together.

"Real-time" is one token, "real time" is two. Algorithms 1 and 2 read *atoms*: a tied token is the stems of
its parts, every other token is its own stem. Stop words inside are left out, as they are between tokens::

    tokens   real-time  systems        state-of-the-art  systems
    atoms    real time  system         state  art        system

So the evidence of "real time system" is that of both spellings together. The atoms of one token stay
together, whatever is merged: no phrase starts or ends inside a token.

A stem is tied if it occurs at least twice, has a letter, and its surface, with blanks for hyphens, is read as
one chunk of two or more kept tokens that are all in the vocabulary. So "1990-1995" is not "1990 1995". Forms
that differ only in stop words have the same stems already, unless stop words are kept or end chunks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from topminer._parameters import is_auto
from topminer.containers.arrays import frozen, ranges, starts_of
from topminer.errors import InputError
from topminer.phrases.phrase_index import Stems
from topminer.phrases.sequence import Bools, Int32s, Int64s, Sequence
from topminer.text.corpus import Corpus

_HYPHENS = "[-\u2010\u2011]"
_LEAST_COUNT = 2
_TIED = rf"\p{{L}}.*{_HYPHENS}|{_HYPHENS}.*\p{{L}}"


class Ties(NamedTuple):
    """The atoms of each stem: ``atoms[start[i]:start[i + 1]]``; the last is the unknown word, -1."""

    atoms: Int32s
    start: Int64s
    is_tied: Bools  # by stem: whether it has several atoms

    def expanded(self, sequence: Sequence) -> Sequence:
        """Return a sequence of tokens as a sequence of atoms."""
        tied = np.flatnonzero(self.is_tied[sequence.ids])
        if tied.size == 0:
            return sequence
        stems = sequence.ids[tied]
        start, stop = self.start[stems], self.start[stems + 1]
        n_more = starts_of(stop - start - 1)  # atoms that the ties up to each one add
        first = tied + n_more[:-1]
        inside = np.zeros(sequence.ids.size + n_more[-1], np.bool_)
        inside[ranges(first + 1, first + stop - start)] = True
        ids = np.empty(inside.size, np.int32)
        ids[~inside] = sequence.ids
        ids[ranges(first, first + stop - start)] = self.atoms[ranges(start, stop)]
        ties_before = np.searchsorted(tied, sequence.chunk_start - sequence.chunk_start[0])
        chunk_start = sequence.chunk_start + n_more[ties_before]
        return Sequence(frozen(ids), frozen(chunk_start), inside, inside)  # as a corpus has them

    def of_phrase(self, stems: Stems) -> Stems:
        """Return the atoms of a phrase."""
        return tuple(
            int(atom) for stem in stems for atom in self.atoms[self.start[stem] : self.start[stem + 1]]
        )


def check_ties(ties: str | None) -> bool:
    """Return whether words with hyphens are tied; the parameter is "auto" or None."""
    if ties is not None and not is_auto(ties):
        raise InputError(f"ties must be 'auto' or None, not {ties!r}")
    return ties is not None


def no_ties(n_stems: int) -> Ties:
    """Return ties that read every stem as itself."""
    atoms = np.append(np.arange(n_stems, dtype=np.int32), np.int32(-1))
    return Ties(atoms, np.arange(n_stems + 2), np.zeros(n_stems + 1, np.bool_))


def ties_of(corpus: Corpus) -> Ties:
    """Return the ties of a vocabulary."""
    none = no_ties(corpus.n_stems)
    surfaces = corpus.vocabulary["surface"]
    often = corpus.vocabulary["count"].to_numpy() >= _LEAST_COUNT
    stems = np.flatnonzero(often)
    stems = stems[surfaces.gather(stems).str.contains(_TIED).to_numpy()]
    if stems.size == 0:
        return none
    read = corpus.encode(surfaces.gather(stems).str.replace_all(_HYPHENS, " ").to_list())
    n_parts = np.diff(read.doc_start)
    n_chunks = np.diff(np.searchsorted(read.chunk_start, read.doc_start))
    is_known = np.ones(stems.size, np.bool_)
    np.logical_and.at(is_known, np.repeat(np.arange(stems.size), n_parts), read.stem_ids >= 0)
    tied = np.flatnonzero((n_parts > 1) & (n_chunks == 1) & is_known)
    n_atoms = np.ones(corpus.n_stems + 1, np.int64)
    n_atoms[stems[tied]] = n_parts[tied]
    start = starts_of(n_atoms)
    atoms = np.repeat(none.atoms, n_atoms)
    places = ranges(start[stems[tied]], start[stems[tied] + 1])
    atoms[places] = read.stem_ids[ranges(read.doc_start[tied], read.doc_start[tied + 1])]
    return Ties(atoms, start, n_atoms > 1)
