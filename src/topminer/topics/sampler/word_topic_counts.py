"""Tokens of each topic of every word, stored where the Latin square needs them.

* Several phrase types count a word that occurs in phrases, and their blocks may run at once: its row is
  *shared*.
* A word that occurs alone only is its own phrase type. It belongs to one group, and so does its row: the
  group's *own*.
* If such a word has fewer tokens than a row has counts, it is *rare*: the topics of its tokens are stored
  instead of a row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges
from topminer.jit import Int, bare_kernel
from topminer.jit.lanes import aligned
from topminer.topics.kernels.block import row_length
from topminer.topics.sampler.latin_square import N_KINDS, WORD, Types


class GroupCounts(NamedTuple):
    """Counts that belong to one group of phrase types."""

    first_own_row: int  # shared rows come first, then the rows of one group after another
    n_own_rows: int
    n_wk_own: NDArray[np.int32]  # rows, flat; empty if another process has them
    first_rare_t: int
    z_rare_start: NDArray[np.int64]
    z_rare: NDArray[np.uint16]

    def rare_word_of_token(self) -> NDArray[np.int64]:
        """Return the number of the rare word of each entry of `z_rare`."""
        return np.repeat(np.arange(self.z_rare_start.size - 1), np.diff(self.z_rare_start))


class WordTopicCounts(NamedTuple):
    """All counts by word and topic."""

    row_of: NDArray[np.int32]  # of each word; -1: the word is rare or has no token
    n_wk_shared: NDArray[np.int32]  # rows, flat
    groups: list[GroupCounts]


def empty_counts(
    types: Types, in_phrases: NDArray[np.uint8], sizes: NDArray[np.int64], n_topics: int
) -> WordTopicCounts:
    """Allocate shared rows, and number the rows of the groups; ``sizes``: instances of each rank t."""
    row_of = np.full(in_phrases.size, -1, np.int32)
    phrase_words = np.flatnonzero(in_phrases)
    row_of[phrase_words] = np.arange(phrase_words.size)
    n_rows = phrase_words.size
    groups = []
    for number in range((types.t_start.size - 1) // N_KINDS):
        word, rare, end = types.bounds(number)[WORD:]
        words = types.type_of[word:rare]
        own = words[in_phrases[words] == 0]
        row_of[own] = np.arange(n_rows, n_rows + own.size)
        z_rare_start = np.concatenate(([0], np.cumsum(sizes[rare:end])))
        groups.append(
            GroupCounts(n_rows, own.size, aligned(0, np.int32), rare, z_rare_start, np.zeros(0, np.uint16))
        )
        n_rows += own.size
    n_wk_shared = aligned(phrase_words.size * row_length(n_topics), np.int32)
    return WordTopicCounts(row_of, n_wk_shared, groups)


def allocated(group: GroupCounts, n_topics: int) -> GroupCounts:
    """Allocate the rows and the rare words' topics of a group."""
    n_wk_own = aligned(group.n_own_rows * row_length(n_topics), np.int32)
    return group._replace(n_wk_own=n_wk_own, z_rare=np.zeros(group.z_rare_start[-1], np.uint16))


def count_block(
    counts: WordTopicCounts,
    number: int,
    filled: NDArray[np.int64],
    types: Types,
    clique_start: NDArray[np.int64],
    z: NDArray[np.uint16],
    n_topics: int,
) -> None:
    """Count a shard's tokens of one group; ``filled``: the next free slot of each rare word."""
    first, *_, rare, end = types.bounds(number)
    group = counts.groups[number]
    _count_rows(
        clique_start, z, types.type_of, types.words, types.word_start, first, rare,
        counts.row_of, counts.n_wk_shared, group.n_wk_own, group.first_own_row, row_length(n_topics),
    )  # fmt: skip
    n_cliques = np.diff(clique_start[rare : end + 1])
    group.z_rare[ranges(filled, filled + n_cliques)] = z[clique_start[rare] : clique_start[end]]
    filled += n_cliques


@bare_kernel
def _count_rows(
    clique_start: NDArray[np.int64],
    z: NDArray[np.uint16],
    type_of: NDArray[np.int32],
    words: NDArray[np.int32],
    word_start: NDArray[np.int64],
    first: Int,
    end: Int,
    row_of: NDArray[np.int32],
    n_wk_shared: NDArray[np.int32],
    n_wk_own: NDArray[np.int32],
    first_own_row: Int,
    n: Int,
) -> None:
    for t in range(first, end):
        for j in range(word_start[type_of[t]], word_start[type_of[t] + 1]):
            at = np.int64(row_of[words[j]]) * n
            table = n_wk_shared
            if at >= n_wk_shared.size:
                table = n_wk_own
                at -= np.int64(first_own_row) * n
            for i in range(clique_start[t], clique_start[t + 1]):
                table[at + z[i]] += 1


def group_rows(
    counts: WordTopicCounts, types: Types, n_topics: int, numbers: Iterable[int], first: int, last: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Of words ``first`` to ``last``, return those that belong to some groups, and their counts by topic."""
    n, words, tables = row_length(n_topics), [], []
    for number in numbers:
        group, (start, rare, end) = counts.groups[number], types.bounds(number)[WORD:]
        own = types.type_of[start:rare]
        own = own[counts.row_of[own] >= group.first_own_row]
        chosen = (own >= first) & (own < last)
        words.append(own[chosen])
        tables.append(group.n_wk_own.reshape(-1, n)[chosen, :n_topics])

        rare_words = types.type_of[rare:end]
        at = np.flatnonzero((rare_words >= first) & (rare_words < last))
        sizes = np.diff(group.z_rare_start)[at]
        topics = group.z_rare[ranges(group.z_rare_start[at], group.z_rare_start[at + 1])]
        table = np.zeros((at.size, n_topics), np.int32)
        np.add.at(table, (np.repeat(np.arange(at.size), sizes), topics), 1)
        words.append(rare_words[at])
        tables.append(table)
    nothing = np.zeros((0, n_topics), np.int32)
    return np.concatenate([np.zeros(0, np.int64), *words]), np.concatenate([nothing, *tables])


def table_of(
    counts: WordTopicCounts,
    n_topics: int,
    first: int,
    last: int,
    pieces: Iterable[tuple[NDArray[np.int64], NDArray[np.int32]]],
) -> NDArray[np.int32]:
    """Return counts of words ``first`` to ``last``, from the shared rows and what :func:`group_rows` gave."""
    table = np.zeros((last - first, n_topics), np.int32)
    row_of, shared = counts.row_of[first:last], counts.n_wk_shared.reshape(-1, row_length(n_topics))
    has_shared = np.flatnonzero((row_of >= 0) & (row_of < len(shared)))
    table[has_shared] = shared[row_of[has_shared], :n_topics]
    for words, rows in pieces:
        table[words - first] = rows
    return table


def all_counts(counts: WordTopicCounts, numbers: Iterable[int], shared: bool) -> NDArray[np.int32]:
    """Return all counts of some groups, in any order, and those of the shared rows if ``shared``."""
    pieces = [counts.n_wk_shared] if shared else []
    for number in numbers:
        group = counts.groups[number]
        keys = group.rare_word_of_token() << 16 | group.z_rare
        _, of_rare = np.unique(keys, return_counts=True)
        pieces += [group.n_wk_own, of_rare.astype(np.int32)]
    return np.concatenate([np.zeros(0, np.int32), *pieces])
