"""Phrase instances of several atoms: finding them in a partition, and splitting those that are rejected."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from topminer.jit import bare_kernel
from topminer.phrases.phrase_tree import PhraseTree, beginning
from topminer.phrases.sequence import Bools, Floats, Int32s, Int64s


class Cliques(NamedTuple):
    """Phrase instances of several atoms."""

    first: Int32s | Int64s  # atom; in a text of fewer than 2**31 atoms an int32
    length: Int32s
    ids: Int32s  # the mined phrase that each is; -1: not a frequent one

    def chosen(self, which: Bools | slice) -> Cliques:
        """Return some of them."""
        return Cliques(self.first[which], self.length[which], self.ids[which])


def _empty_cliques(n: int, n_atoms: int) -> Cliques:
    first: type[np.integer] = np.int32 if n_atoms < 2**31 else np.int64
    return Cliques(np.empty(n, first), np.empty(n, np.int32), np.empty(n, np.int32))


def find_cliques(strength: Floats, threshold: float, longest: Int32s, tree: PhraseTree) -> Cliques:
    """Return the instances of several atoms of the partition at a threshold."""
    found = _empty_cliques(strength.size // 2, strength.size)
    n = _find(strength, threshold, longest, tree, found)
    return found.chosen(slice(n))


@bare_kernel
def _find(strength: Floats, threshold: float, longest: Int32s, tree: PhraseTree, found: Cliques) -> int:
    """Write the instances, and return their number."""
    first, length, ids = found
    start, n = 0, 0
    for i in range(1, strength.size + 1):
        if i == strength.size or strength[i] < threshold or strength[i] == -np.inf:
            if i - start > 1:
                first[n], length[n] = start, i - start
                ids[n] = beginning(longest[start], i - start, tree)
                n += 1
            start = i
    return n


def split_rejected(
    cliques: Cliques, n_left: Int32s, longest: Int32s, tree: PhraseTree, strength: Floats
) -> Cliques:
    """Cut every instance of a rejected phrase, and return the pieces of several atoms that are left.

    ``n_left`` has, by phrase, the number of words before the split; 0: the phrase stays whole. Boundaries
    that are cut get the strength -inf. A boundary of strength inf, inside a token or a phrase that the user
    wants whole, cannot be cut: then the instance is cut at all others.
    """
    pieces = _empty_cliques(int((cliques.length // 2).sum()), strength.size)
    stack = np.empty((cliques.length.max(initial=0) + 1, 3), np.int64)
    n = _split(cliques, n_left, longest, tree, strength, stack, pieces)
    return pieces.chosen(slice(n))


@bare_kernel
def _split(
    cliques: Cliques,
    n_left: Int32s,
    longest: Int32s,
    tree: PhraseTree,
    strength: Floats,
    stack: Int64s,
    pieces: Cliques,
) -> int:
    """Write the pieces, and return their number. ``stack`` has the pieces of one instance yet to be cut."""
    first, length, ids = cliques
    piece_first, piece_length, piece_id = pieces
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
                    stack[n_stack, 2] = beginning(longest[at], before, tree)
                    n_stack += 1
                if size - before > 1:
                    stack[n_stack, 0], stack[n_stack, 1] = at + before, size - before
                    stack[n_stack, 2] = beginning(longest[at + before], size - before, tree)
                    n_stack += 1
    return n_pieces
