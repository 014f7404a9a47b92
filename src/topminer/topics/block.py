"""A block of the Latin square, as the kernels see it: one shard's cliques of one group of types.

What a block shares with others of its phase, the number of tokens of each topic and the rows of words
that stand in several types, it reads as it was at the phase's start, plus its own changes. What it changed
it gives back, to be added up when the phase is over. The one block of a single shard writes at once: that is
the serial sampler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer._jit import Int, inlined
from topminer._lanes import WIDTH, Floats, aligned, every, load, padded


class Copies(NamedTuple):
    """A block's own copies of shared rows: those that it changed."""

    rows: NDArray[np.int32]  # flat
    copy_of: NDArray[np.int32]  # of each shared row; -1: none
    row_of: NDArray[np.int32]  # the shared row of each copy
    n: NDArray[np.int64]  # how many there are, in an array of one


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
    key: np.uint64
    # Copies of the shared rows that this block changed; `direct`: no other block, and no need of copies.
    direct: bool
    copies: Copies


class Room(NamedTuple):
    """Where a kernel keeps what it works on: one type at a time."""

    share: NDArray[np.float32]  # the type's factors of equation 7, by topic
    sums: NDArray[np.float32]  # of weights, up to each vector
    rows: NDArray[np.int32]  # counts of each of the type's words
    slot_of: NDArray[np.int64]  # the row of each word: copies of a word share one
    copies_of: NDArray[np.float32]  # how many copies of the word stand before it
    multiple_of: NDArray[np.int32]  # how many there are in all
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
        np.zeros(n_words, np.int32),
        aligned(2 * WIDTH, np.int32),
        aligned(WIDTH, np.float32),
        aligned(n, np.float32),
        aligned(padded(n // WIDTH), np.float32),
        np.zeros(n),
        np.zeros(n),
    )


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
    share = (beta + load(room.rows, v)) / tokens
    for j in range(1, n_words):
        in_word = beta + every(room.copies_of[j]) + load(room.rows, room.slot_of[j] * n + v)
        share = share * (in_word / (tokens + every(np.float32(j)))) * scale
    return share
