"""Phrase instances of several atoms: finding them in a partition, and splitting those that are rejected."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from topminer.jit import Int, kernel
from topminer.phrases.phrase_index import PhraseIndex, home_of, key_of, longer_by, search
from topminer.phrases.segmentation import phrase_starts
from topminer.phrases.sequence import Bools, Floats, Int32s, Int64s

_PIECE = 1 << 10


class Cliques(NamedTuple):
    """Phrase instances of several atoms."""

    first: Int64s  # atom
    length: Int64s
    ids: Int64s  # the mined phrase that each is; -1: not a frequent one

    def chosen(self, which: Bools) -> Cliques:
        """Return some of them."""
        return Cliques(self.first[which], self.length[which], self.ids[which])


def find_cliques(stems: Int32s, strength: Floats, threshold: float, index: PhraseIndex) -> Cliques:
    """Return the instances of several atoms of the partition at a threshold."""
    start = np.append(phrase_starts(strength, threshold), stems.size)
    length = np.diff(start)
    long = np.flatnonzero(length > 1)
    first, length = start[long], length[long]
    return Cliques(first, length, _phrases_at(stems, first, length, index))


@kernel
def _phrase_at(stems: Int32s, first: Int, length: Int, index: PhraseIndex) -> np.int64:
    table, _, n_stems = index
    id = np.int64(stems[first])
    for i in range(first + 1, first + length):
        id = longer_by(id, stems[i], n_stems, table)
    return id


@kernel
def _phrases_at(stems: Int32s, first: Int64s, length: Int64s, index: PhraseIndex) -> Int64s:
    """Return the phrase of each instance.

    Each piece takes short loops: without writes between them, many reads from the table run at the same time.
    """
    table, _, n_stems = index
    ids = np.empty(first.size, np.int64)
    home = np.empty(_PIECE, np.int64)
    for start in range(0, first.size, _PIECE):
        size = min(_PIECE, first.size - start)
        for k in range(size):
            at = first[start + k]
            home[k] = home_of(key_of(stems[at], stems[at + 1], n_stems), table)
        for k in range(size):
            at = first[start + k]
            key = key_of(stems[at], stems[at + 1], n_stems)
            id = np.int64(table[search(key, home[k], table) + 1])
            for i in range(at + 2, at + length[start + k]):
                id = longer_by(id, stems[i], n_stems, table)
            ids[start + k] = id
    return ids


@kernel
def _split(
    stems: Int32s, cliques: Cliques, n_left: Int32s, index: PhraseIndex, strength: Floats
) -> tuple[Int64s, Int64s, Int64s]:
    """Cut every instance of a rejected phrase, and return the pieces of several atoms that are left.

    ``n_left`` has, by phrase, the number of words before the split; 0: the phrase stays whole. Boundaries
    that are cut get the strength -inf. A boundary of strength inf, inside a token or a phrase that the user
    wants whole, cannot be cut: then the instance is cut at all others.
    """
    first, length, ids = cliques
    n_most, n_longest = 0, 0
    for c in range(first.size):
        n_most += length[c] // 2
        n_longest = max(n_longest, length[c])
    piece_first, piece_length = np.empty(n_most, np.int64), np.empty(n_most, np.int64)
    piece_id = np.empty(n_most, np.int64)
    stack = np.empty((n_longest + 1, 3), np.int64)
    n_pieces = 0
    for c in range(first.size):
        if ids[c] < 0 or n_left[ids[c]] == 0:
            continue
        stack[0, 0], stack[0, 1], stack[0, 2] = first[c], length[c], ids[c]
        n_stack = 1
        while n_stack > 0:
            n_stack -= 1
            at, size, id = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2]
            before = np.int64(n_left[id]) if id >= 0 else np.int64(0)
            if before == 0:
                piece_first[n_pieces], piece_length[n_pieces], piece_id[n_pieces] = at, size, id
                n_pieces += 1
            elif strength[at + before] == np.inf:
                for i in range(at + 1, at + size):
                    if strength[i] < np.inf:
                        strength[i] = -np.inf
            else:
                strength[at + before] = -np.inf
                if before > 1:
                    stack[n_stack, 0], stack[n_stack, 1] = at, before
                    stack[n_stack, 2] = _phrase_at(stems, at, before, index)
                    n_stack += 1
                if size - before > 1:
                    stack[n_stack, 0], stack[n_stack, 1] = at + before, size - before
                    stack[n_stack, 2] = _phrase_at(stems, at + before, size - before, index)
                    n_stack += 1
    return piece_first[:n_pieces], piece_length[:n_pieces], piece_id[:n_pieces]


def split_rejected(
    stems: Int32s, cliques: Cliques, n_left: Int32s, index: PhraseIndex, strength: Floats
) -> Cliques:
    """Cut the instances of rejected phrases in ``strength``; return the pieces of several atoms."""
    return Cliques(*_split(stems, cliques, n_left, index, strength))
