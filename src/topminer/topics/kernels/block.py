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

from topminer.jit import Int, inlined
from topminer.jit.lanes import WIDTH, Floats, aligned, every, load, padded


class Copies(NamedTuple):
    """A block's own copies of the shared rows that it needed."""

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
    scale: float  # a power of two, under the line for every word but the first: products stay in range
    key: np.uint64
    # Copies of the shared rows that this block needs; `direct`: nobody else does, and there are none.
    direct: bool
    copies: Copies


class Room(NamedTuple):
    """Where a kernel keeps what it works on: one type at a time."""

    share: NDArray[np.float32]  # the type's factors of equation 7, by topic
    sums: NDArray[np.float32]  # of weights, up to each vector
    rows: NDArray[np.int32]  # counts of a rare word
    row_at: NDArray[np.int64]  # where in its table the row of each of the type's words starts
    copies_of: NDArray[np.float32]  # how many copies of the word stand before it
    multiple_of: NDArray[np.int32]  # how many there are in all
    vector_of: NDArray[np.int32]  # for each lane, the vector into which a draw would fall
    # packed.py: a0_k, sums of a0_k B_k over the topics of a lane and over eight lanes, and the inverses of
    # what topics' tokens put under the fraction.
    absent: NDArray[np.float32]
    lane_sums: NDArray[np.float32]
    square_sums: NDArray[np.float32]
    inverse: NDArray[np.float32]
    weights: NDArray[np.float64]  # for phrases of many words
    held: NDArray[np.float64]


def make_room(n: int, n_words: int) -> Room:
    """Room for types of up to ``n_words`` words, with rows of length ``n``."""
    n_squares = -(-n // WIDTH**2)
    return Room(
        aligned(n_squares * WIDTH**2, np.float32),
        aligned(n, np.float32),
        aligned(n, np.int32),
        np.zeros(n_words, np.int64),
        np.zeros(n_words, np.float32),
        np.zeros(n_words, np.int32),
        aligned(2 * WIDTH, np.int32),
        aligned(n_squares * WIDTH**2, np.float32),
        aligned(n_squares * WIDTH, np.float32),
        aligned(padded(n_squares), np.float32),
        aligned(n, np.float32),
        np.zeros(n),
        np.zeros(n),
    )


@inlined
def words_factor(room: Room, table: NDArray[np.int32], n_words: Int, v: Int, beta: Floats) -> Floats:
    """What the words contribute to equation 7 above the line, for the topics of one vector."""
    factor = beta + load(table, room.row_at[0] + v)
    for j in range(1, n_words):
        factor = factor * (beta + every(room.copies_of[j]) + load(table, room.row_at[j] + v))
    return factor


@inlined
def topics_factor(tokens: Floats, n_words: Int, scale: Floats) -> Floats:
    """What the topics' tokens contribute below it."""
    factor = tokens
    for j in range(1, n_words):
        factor = factor * ((tokens + every(np.float32(j))) * scale)
    return factor
