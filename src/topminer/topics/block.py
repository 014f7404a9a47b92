"""A block of the Latin square, as the kernels see it: one shard's cliques of one group of types.

What a block shares with others of its phase, the number of tokens of each topic and the rows of words
that stand in several types, it reads as it was at the phase's start, plus its own changes (of topics) or
those of the type at hand (of rows). What it changed it gives back, to be added up when the phase is over.
The one block of a single shard writes at once: that is the serial sampler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer._jit import Int, inlined
from topminer._lanes import WIDTH, Floats, aligned, differ, every, load, load_counts, padded, store


class Block(NamedTuple):
    """Everything a kernel needs. Arrays by topic are padded to full lanes, tables are flat."""

    # The shard: its cliques in the order of sampling, and how many tokens of each topic its documents have.
    place_start: NDArray[np.int64]
    docs: NDArray[np.int32]
    topics: NDArray[np.uint16]
    held: NDArray[Any]  # a row for each document, or its packed list of topics
    held_start: NDArray[np.int64]  # packed lists: where a document's list starts,
    held_size: NDArray[np.int32]  # and how many topics are on it
    # The types.
    type_at: NDArray[np.int32]
    words: NDArray[np.int32]
    word_start: NDArray[np.int64]
    # How many tokens of each topic a word has: in a row that others use too, in one of the group's own,
    # or as a bag of topics.
    row_of: NDArray[np.int32]
    shared: NDArray[np.int32]
    own: NDArray[np.int32]
    first_own: int
    bags: NDArray[np.uint16]
    bag_start: NDArray[np.int64]
    first_rare: int
    # The topics: tokens at the phase's start, V beta more than that, and what this block added.
    tokens: NDArray[np.int64]
    smoothed: NDArray[np.float32]
    gained: NDArray[np.int32]
    alpha: NDArray[np.float32]
    beta: float
    beta_sum: float
    n_topics: int
    scale: float  # a power of two for every word of a phrase but the first: products stay in range
    # Changes to shared rows; `direct`: there is no other block, write them at once.
    direct: bool
    cells: NDArray[np.int64]
    by: NDArray[np.int32]
    n_changes: NDArray[np.int64]
    key: np.uint64


@inlined
def uniform(key: np.uint64, i: Int) -> np.float32:
    """Number ``i`` of the stream ``key``, from 0 up to but not including 1.

    SplitMix64 as a function of a counter. 23 bits: u * total is then below total, however it is rounded.
    """
    bits = key + np.uint64(i) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = bits ^ (bits >> np.uint64(31))
    return np.float32(np.int64(bits >> np.uint64(41))) * np.float32(2.0**-23)


@inlined
def open_bag(bags: NDArray[np.uint16], start: Any, stop: Any, row: NDArray[np.int32]) -> None:
    """Count a bag of topics into an empty row."""
    for i in range(start, stop):
        row[bags[i]] += 1


@inlined
def replace_in_bag(bags: NDArray[np.uint16], start: Any, old: Int, new: Int) -> None:
    """Let one topic in a bag become another."""
    while bags[start] != old:
        start += 1
    bags[start] = new


@inlined
def note_changes(
    row: NDArray[np.int32],
    at: Int,
    shared: NDArray[np.int32],
    to: Int,
    n: Int,
    cells: NDArray[np.int64],
    by: NDArray[np.int32],
    n_changes: NDArray[np.int64],
) -> None:
    """Note where ``n`` counts of ``row`` from ``at`` on differ from the shared ones from ``to`` on."""
    size = n_changes[0]
    for v in range(0, n, WIDTH):
        if differ(load_counts(row, at + v), load_counts(shared, to + v)):
            for k in range(v, v + WIDTH):
                change = row[at + k] - shared[to + k]
                if change:
                    cells[size] = to + k
                    by[size] = change
                    size += 1
    n_changes[0] = size


@inlined
def copy_row(source: NDArray[np.int32], at: Int, target: NDArray[np.int32], to: Int, n: Int) -> None:
    """Copy ``n`` counts."""
    for v in range(0, n, WIDTH):
        store(target, to + v, load_counts(source, at + v))


class Room(NamedTuple):
    """Where a kernel keeps what it works on: one type at a time."""

    share: NDArray[np.float32]  # the type's factors of equation 7, by topic
    sums: NDArray[np.float32]  # of weights, up to each vector
    rows: NDArray[np.int32]  # counts of each of the type's words
    slot_of: NDArray[np.int64]  # the row of each word: copies of a word share one
    copies_of: NDArray[np.float32]  # how many copies of the word stand before it
    vector_of: NDArray[np.int32]  # for each lane, the vector into which a draw would fall
    left: NDArray[np.float32]
    absent: NDArray[np.float32]  # a0_k of packed.py
    block_sums: NDArray[np.float32]  # of a0_k B_k over eight topics each
    weights: NDArray[np.float64]  # for phrases of many words
    held: NDArray[np.float64]


def make_room(n_topics: int, n_words: int) -> Room:
    """Room for types of up to ``n_words`` words."""
    n = padded(n_topics)
    return Room(
        aligned(n, np.float32),
        aligned(n, np.float32),
        aligned(n_words * n, np.int32),
        np.zeros(n_words, np.int64),
        np.zeros(n_words, np.float32),
        aligned(2 * WIDTH, np.int32),
        aligned(WIDTH, np.float32),
        aligned(n, np.float32),
        aligned(padded(n // WIDTH), np.float32),
        np.zeros(n),
        np.zeros(n),
    )


@inlined
def take_type(block: Block, room: Room, place: Int, rare: bool) -> Int:
    """Bring the counts of a type's words into the room; how many words it has."""
    n = block.alpha.size
    words, start = block.words, block.word_start[block.type_at[place]]
    n_words = block.word_start[block.type_at[place] + 1] - start
    for j in range(n_words):
        room.slot_of[j] = j
        room.copies_of[j] = 0
        for earlier in range(j - 1, -1, -1):
            if words[start + earlier] == words[start + j]:
                room.slot_of[j] = room.slot_of[earlier]
                room.copies_of[j] = room.copies_of[earlier] + np.float32(1)
                break
        if room.slot_of[j] != j or rare:
            continue
        at = np.int64(block.row_of[words[start + j]]) * n
        if at < block.shared.size:
            copy_row(block.shared, at, room.rows, j * n, n)
        else:
            copy_row(block.own, at - np.int64(block.first_own) * n, room.rows, j * n, n)
    if rare:
        for k in range(n):
            room.rows[k] = 0
        number = place - block.first_rare
        open_bag(block.bags, block.bag_start[number], block.bag_start[number + 1], room.rows)
    return np.int64(n_words)


@inlined
def give_type(block: Block, room: Room, place: Int) -> None:
    """Put the counts of a type's words back where they came from."""
    n = block.alpha.size
    words, start = block.words, block.word_start[block.type_at[place]]
    for j in range(block.word_start[block.type_at[place] + 1] - start):
        if room.slot_of[j] != j:
            continue
        at = np.int64(block.row_of[words[start + j]]) * n
        if at >= block.shared.size:
            copy_row(room.rows, j * n, block.own, at - np.int64(block.first_own) * n, n)
        elif block.direct:
            copy_row(room.rows, j * n, block.shared, at, n)
        else:
            note_changes(room.rows, j * n, block.shared, at, n, block.cells, block.by, block.n_changes)


@inlined
def share_of(
    room: Room,
    n_words: Int,
    n: Int,
    v: Int,
    beta: Floats,
    scale: Floats,
    smoothed: NDArray[np.float32],
    gained: NDArray[np.int32],
) -> Floats:
    """The type's factors of equation 7, for the topics of one vector."""
    tokens = load(smoothed, v) + load(gained, v)
    above, under = beta + load(room.rows, v), tokens
    for j in range(1, n_words):
        above = above * (beta + every(room.copies_of[j]) + load(room.rows, room.slot_of[j] * n + v)) * scale
        under = under * (tokens + every(np.float32(j)))
    return above / under
