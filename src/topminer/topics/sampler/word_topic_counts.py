"""How many tokens of each topic every word has, kept where the Latin square wants it.

* A word that stands in phrases is counted by several types, which may be sampled side by side: its row is
  *shared*.
* A word that only stands alone is its own type, and one group's *own*: nobody else reads its row.
* If such a word is rarer than there are topics, its row would be larger than the topics of all its tokens:
  it keeps just these, a *bag*.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, kernel
from topminer.jit.lanes import aligned
from topminer.text.ranges import ranges
from topminer.topics.sampler.latin_square import N_KINDS, RARE, WORD, Types, row_length


class GroupCounts(NamedTuple):
    """What belongs to one group of types alone."""

    first_own: int  # number of its first row; shared rows come first, then one group's after the other's
    n_own: int  # how many rows there are
    own: NDArray[np.int32]  # rows, flat; nothing, where another process has them
    first_rare: int  # place of its first rare word
    bag_start: NDArray[np.int64]
    bags: NDArray[np.uint16]


class WordCounts(NamedTuple):
    """All counts by word and topic."""

    row_of: NDArray[np.int32]  # of each word; -1: a bag, or no token
    shared: NDArray[np.int32]  # rows, flat
    groups: list[GroupCounts]


def no_counts(
    types: Types, in_phrases: NDArray[np.uint8], sizes: NDArray[np.int64], n_topics: int
) -> WordCounts:
    """Empty rows that are shared, and where the groups' own belong; ``sizes``: instances at each place."""
    row_of = np.full(in_phrases.size, -1, np.int32)
    phrase_words = np.flatnonzero(in_phrases)
    row_of[phrase_words] = np.arange(phrase_words.size)
    n_rows = phrase_words.size
    groups = []
    for start in range(0, types.start.size - 1, N_KINDS):
        words = types.at[types.start[start + WORD] : types.start[start + WORD + 1]]
        own = words[in_phrases[words] == 0]
        row_of[own] = np.arange(n_rows, n_rows + own.size)
        rare = slice(types.start[start + RARE], types.start[start + RARE + 1])
        bag_start = np.concatenate(([0], np.cumsum(sizes[rare])))
        nothing = aligned(0, np.int32), np.zeros(0, np.uint16)
        first_rare = int(types.start[start + RARE])
        groups.append(GroupCounts(n_rows, own.size, nothing[0], first_rare, bag_start, nothing[1]))
        n_rows += own.size
    shared = aligned(phrase_words.size * row_length(n_topics), np.int32)
    return WordCounts(row_of, shared, groups)


def with_room(group: GroupCounts, n_topics: int) -> GroupCounts:
    """A group with empty rows and bags."""
    own = aligned(group.n_own * row_length(n_topics), np.int32)
    return group._replace(own=own, bags=np.zeros(group.bag_start[-1], np.uint16))


def add_block(
    counts: WordCounts,
    number: int,
    filled: NDArray[np.int64],
    types: Types,
    place_start: NDArray[np.int64],
    topics: NDArray[np.uint16],
    n_topics: int,
) -> None:
    """Count a shard's tokens of one group's types; ``filled``: the next free slot of each of its bags."""
    first, rare, end = types.start[[number * N_KINDS, number * N_KINDS + RARE, (number + 1) * N_KINDS]]
    group = counts.groups[number]
    _count_rows(
        place_start, topics, types.at, types.words, types.word_start, first, rare,
        counts.row_of, counts.shared, group.own, group.first_own, row_length(n_topics),
    )  # fmt: skip
    _fill_bags(place_start, topics, rare, end, filled, group.bags)


@kernel
def _count_rows(
    place_start: NDArray[np.int64],
    topics: NDArray[np.uint16],
    type_at: NDArray[np.int32],
    words: NDArray[np.int32],
    word_start: NDArray[np.int64],
    first: Int,
    end: Int,
    row_of: NDArray[np.int32],
    shared: NDArray[np.int32],
    own: NDArray[np.int32],
    first_own: Int,
    n: Int,
) -> None:
    for place in range(first, end):
        for j in range(word_start[type_at[place]], word_start[type_at[place] + 1]):
            at = np.int64(row_of[words[j]]) * n
            table = shared
            if at >= shared.size:
                table = own
                at -= np.int64(first_own) * n
            for i in range(place_start[place], place_start[place + 1]):
                table[at + topics[i]] += 1


@kernel
def _fill_bags(
    place_start: NDArray[np.int64],
    topics: NDArray[np.uint16],
    first: Int,
    end: Int,
    filled: NDArray[np.int64],
    bags: NDArray[np.uint16],
) -> None:
    for place in range(first, end):
        for i in range(place_start[place], place_start[place + 1]):
            bags[filled[place - first]] = topics[i]
            filled[place - first] += 1


def rows_of(
    counts: WordCounts, types: Types, n_topics: int, numbers: Iterable[int], first: int, last: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Of words ``first`` to ``last``, those that belong to some groups alone, and their counts by topic."""
    n, words, tables = row_length(n_topics), [], []
    for number in numbers:
        group, at = counts.groups[number], number * N_KINDS
        start, rare, end = types.start[[at + WORD, at + RARE, at + N_KINDS]]
        alone = types.at[start:rare]
        alone = alone[counts.row_of[alone] >= group.first_own]
        here = (alone >= first) & (alone < last)
        words.append(alone[here])
        tables.append(group.own.reshape(-1, n)[here, :n_topics])

        bag = np.flatnonzero((types.at[rare:end] >= first) & (types.at[rare:end] < last))
        sizes = np.diff(group.bag_start)[bag]
        topics = group.bags[ranges(group.bag_start[bag], group.bag_start[bag + 1])]
        table = np.zeros((bag.size, n_topics), np.int32)
        np.add.at(table, (np.repeat(np.arange(bag.size), sizes), topics), 1)
        words.append(types.at[rare:end][bag])
        tables.append(table)
    nothing = np.zeros((0, n_topics), np.int32)
    return np.concatenate([np.zeros(0, np.int64), *words]), np.concatenate([nothing, *tables])


def table_of(
    counts: WordCounts,
    n_topics: int,
    first: int,
    last: int,
    pieces: Iterable[tuple[NDArray[np.int64], NDArray[np.int32]]],
) -> NDArray[np.int32]:
    """The counts of words ``first`` to ``last``: from the shared rows, and what :func:`rows_of` gave."""
    table = np.zeros((last - first, n_topics), np.int32)
    row_of, shared = counts.row_of[first:last], counts.shared.reshape(-1, row_length(n_topics))
    has_shared = np.flatnonzero((row_of >= 0) & (row_of < len(shared)))
    table[has_shared] = shared[row_of[has_shared], :n_topics]
    for words, rows in pieces:
        table[words - first] = rows
    return table


def row_counts(counts: WordCounts, numbers: Iterable[int], shared: bool) -> NDArray[np.int32]:
    """All counts of words in topics that some groups have, in no order; bags are counted too."""
    pieces = [counts.shared] if shared else []
    for number in numbers:
        group = counts.groups[number]
        bag = np.repeat(np.arange(group.bag_start.size - 1), np.diff(group.bag_start))
        _, in_bags = np.unique(bag << 16 | group.bags, return_counts=True)
        pieces += [group.own, in_bags.astype(np.int32)]
    return np.concatenate([np.zeros(0, np.int32), *pieces])
