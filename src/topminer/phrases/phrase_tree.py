"""The mined phrases as a tree, and a text as places in that tree.

The parent of a phrase is the phrase without its last word. All beginnings of a mined phrase are mined, too.
So the phrases that start at one atom of a text are the *longest* of them and its ancestors. With the phrases
``0 1``, ``1 2`` and ``0 1 2``::

    atoms        0      1     2  |  1     2
    longest    0 1 2   1 2    2    1 2    2

Ids are ordered by length (mining.py). So the ids of two phrases tell which one is longer, and no phrase has
to be looked up by its words: :func:`beginning` finds it from the longest one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from topminer.containers.arrays import count_known
from topminer.jit import Int, bare_kernel, inlined
from topminer.phrases.sequence import Bools, Int32s, Int64s


class PhraseTree(NamedTuple):
    """Phrases by id."""

    prefix: Int32s  # the phrase without its last word; -1 for a single word
    length_start: Int64s  # the first id of each length, from length 0 to one more than the greatest


@inlined
def beginning(id: Int, length: Int, tree: PhraseTree) -> np.int64:
    """Return the phrase of the first ``length`` words of a phrase; -1: it has fewer."""
    prefix, length_start = tree
    found = np.int64(id)
    if length + 2 > length_start.size or found < length_start[length]:
        found = np.int64(-1)
    else:
        while found >= length_start[length + 1]:
            found = np.int64(prefix[found])
    return found


def count_beginnings(longest: Int32s, tree: PhraseTree) -> Int64s:
    """Count, by phrase, the atoms where it starts, given the longest phrase that starts at each; -1: none."""
    prefix, length_start = tree
    count = count_known(longest, prefix.size)
    for length in range(length_start.size - 2, 1, -1):
        shorter, ids, end = length_start[length - 1 : length + 2]
        parents = prefix[ids:end] - shorter
        count[shorter:ids] += np.bincount(parents, count[ids:end], ids - shorter).astype(np.int64)
    return count


def count_broken(
    longest: Int32s, inside: Bools | None, tree: PhraseTree, *, all_mined: bool = False
) -> Int64s:
    """Count, by phrase, the places that start or end inside a token (ties.py).

    ``all_mined``: the ends of every phrase in the tree are in the tree, too.
    """
    if inside is None:
        return np.zeros(tree.prefix.size, np.int64)
    places = np.flatnonzero(inside)
    count = count_beginnings(longest[places], tree)
    _count_broken_ends(longest, inside, places, tree, all_mined, count)
    return count


@bare_kernel
def _count_broken_ends(
    longest: Int32s, inside: Bools, places: Int64s, tree: PhraseTree, all_mined: bool, count: Int64s
) -> None:
    """Add the places that start with a token and end before one of ``places``, which are inside a token."""
    max_length = tree.length_start.size - 2
    for place in places:
        first = place - max_length if place > max_length else 0
        for i in range(place - 1, first - 1, -1):
            id = beginning(longest[i], place - i, tree)
            if id >= 0:
                count[id] += not inside[i]
            elif all_mined:
                break
