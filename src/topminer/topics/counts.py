"""How many tokens of each topic every word has, kept where the Latin square wants it.

* A word that stands in phrases is counted by several types, which may be sampled side by side: its row is
  *shared*.
* A word that only stands alone is its own type, and one group's *own*: nobody else reads its row.
* If such a word is rarer than there are topics, its row would be larger than the topics of all its tokens:
  it keeps just these, a *bag*.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer._jit import Int, kernel
from topminer._lanes import aligned
from topminer.topics.square import N_KINDS, RARE, WORD, Types, row_length


class GroupCounts(NamedTuple):
    """What belongs to one group of types alone."""

    first_own: int  # number of its first row; shared rows come first, then one group's after the other's
    own: NDArray[np.int32]  # rows, flat
    first_rare: int  # place of its first rare word
    bag_start: NDArray[np.int64]
    bags: NDArray[np.uint16]


class WordCounts(NamedTuple):
    """All counts by word and topic."""

    row_of: NDArray[np.int32]  # of each word; -1: a bag, or no token
    shared: NDArray[np.int32]  # rows, flat
    groups: list[GroupCounts]
    in_bag: NDArray[np.int64]  # next free slot of each bag, by place; used while counting


def no_counts(
    types: Types, in_phrases: NDArray[np.uint8], sizes: NDArray[np.int64], n_topics: int
) -> WordCounts:
    """Empty rows and bags; ``sizes`` are the instances of the type at each place."""
    n = row_length(n_topics)
    row_of = np.full(in_phrases.size, -1, np.int32)
    phrase_words = np.flatnonzero(in_phrases)
    row_of[phrase_words] = np.arange(phrase_words.size)
    n_rows = phrase_words.size
    groups, in_bag = [], np.zeros(types.at.size, np.int64)
    for start in range(0, types.start.size - 1, N_KINDS):
        words = types.at[types.start[start + WORD] : types.start[start + WORD + 1]]
        own = words[in_phrases[words] == 0]
        row_of[own] = np.arange(n_rows, n_rows + own.size)
        rare = slice(types.start[start + RARE], types.start[start + RARE + 1])
        bag_start = np.concatenate(([0], np.cumsum(sizes[rare])))
        in_bag[rare] = bag_start[:-1]
        groups.append(
            GroupCounts(
                n_rows,
                aligned(own.size * n, np.int32),
                int(types.start[start + RARE]),
                bag_start,
                np.zeros(bag_start[-1], np.uint16),
            )
        )
        n_rows += own.size
    return WordCounts(row_of, aligned(phrase_words.size * n, np.int32), groups, in_bag)


def add_shard(
    counts: WordCounts,
    types: Types,
    place_start: NDArray[np.int64],
    topics: NDArray[np.uint16],
    n_topics: int,
) -> None:
    """Count a shard's tokens."""
    for number, group in enumerate(counts.groups):
        first, rare, end = types.start[[number * N_KINDS, number * N_KINDS + RARE, (number + 1) * N_KINDS]]
        _count_rows(
            place_start, topics, types.at, types.words, types.word_start, first, rare,
            counts.row_of, counts.shared, group.own, group.first_own, row_length(n_topics),
        )  # fmt: skip
        _fill_bags(place_start, topics, rare, end, counts.in_bag, group.bags)


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
    in_bag: NDArray[np.int64],
    bags: NDArray[np.uint16],
) -> None:
    for place in range(first, end):
        for i in range(place_start[place], place_start[place + 1]):
            bags[in_bag[place]] = topics[i]
            in_bag[place] += 1


def word_topic(counts: WordCounts, types: Types, n_topics: int) -> NDArray[np.int32]:
    """The whole table, (words, topics)."""
    n = row_length(n_topics)
    table = np.zeros((counts.row_of.size, n_topics), np.int32)
    rows = np.concatenate((counts.shared, *(group.own for group in counts.groups))).reshape(-1, n)
    has_row = np.flatnonzero(counts.row_of >= 0)
    table[has_row] = rows[counts.row_of[has_row], :n_topics]
    for group in counts.groups:
        rare = types.at[group.first_rare : group.first_rare + group.bag_start.size - 1]
        np.add.at(table, (np.repeat(rare, np.diff(group.bag_start)), group.bags), 1)
    return table


def row_counts(counts: WordCounts) -> NDArray[np.int32]:
    """All counts of words in topics, in no order; bags are counted too."""
    pieces = [counts.shared]
    for group in counts.groups:
        number = np.repeat(np.arange(group.bag_start.size - 1), np.diff(group.bag_start))
        _, in_bags = np.unique(number << 16 | group.bags, return_counts=True)
        pieces += [group.own, in_bags.astype(np.int32)]
    return np.concatenate(pieces)
