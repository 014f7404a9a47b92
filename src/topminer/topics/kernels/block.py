"""What the kernels work on: a block of the Latin square and the scratch arrays of one thread.

A block is the cliques of one shard whose phrase types belong to one group. Blocks of a phase run in parallel
and share two things: the tokens of each topic and the rows of words that occur in phrases. A block reads both
as they were at the start of the phase, plus its own changes. It returns its changes, and they are added up at
the end of the phase. If there is one shard only, its block changes the shared rows directly: this is the
serial sampler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined
from topminer.jit.lanes import WIDTH, Counts, Floats, aligned, every, gather, load, padded

# Which kernels sample a chain. PLAIN is for tests.
REGISTERS, DENSE, SPARSE, PLAIN = "registers", "dense", "sparse", "plain"
MAX_REGISTER_TOPICS, MAX_DENSE_TOPICS = 2 * WIDTH, 200
MAX_WORDS = 4  # of a phrase: products of more factors leave the range of float32, so plain.py samples these
TILE = WIDTH * WIDTH  # topics that sparse.py adds up together
# Kernels give these to their parts instead of 1 and 2: Numba compiles a function again for each literal, and
# LLVM, which puts the parts into the kernels, knows the values anyway.
ONE, TWO = np.int64(1), np.int64(2)


def path_for(n_topics: int) -> str:
    """Which kernels sample a chain with so many topics."""
    if n_topics <= MAX_REGISTER_TOPICS:
        return REGISTERS
    return DENSE if n_topics <= MAX_DENSE_TOPICS else SPARSE


def row_length(n_topics: int) -> int:
    """Length of a row of counts: the number of topics, padded."""
    return int(max(padded(n_topics), MAX_REGISTER_TOPICS))


class Copies(NamedTuple):
    """A block's copies of the shared rows that it uses."""

    n_wk: NDArray[np.int32]  # the copied rows
    copy_of: NDArray[np.int32]  # copy of each shared row; -1: none
    row_of: NDArray[np.int32]  # shared row of each copy
    n_copies: NDArray[np.int64]  # an array of one number


class Block(NamedTuple):
    """Everything a kernel needs. Arrays by topic are as long as a row; tables are flat."""

    # The shard: its cliques in sampling order, and the topics of its documents.
    clique_start: NDArray[np.int64]  # first clique of each phrase type
    d_of: NDArray[np.int32]
    z: NDArray[np.uint16]
    n_dk: NDArray[Any]  # a row or a list for each document
    list_start: NDArray[np.int64]  # where each document's list starts; empty if there are rows
    list_size: NDArray[np.int32]  # how many topics are on it
    # The phrase types.
    type_of: NDArray[np.int32]  # type of each rank t
    words: NDArray[np.int32]  # of all types, one behind another
    word_start: NDArray[np.int64]
    # The words.
    row_of: NDArray[np.int32]  # row of each word: shared rows come first; -1: no row
    n_wk_shared: NDArray[np.int32]
    n_wk_own: NDArray[np.int32]
    first_own_row: int
    z_rare: NDArray[np.uint16]
    z_rare_start: NDArray[np.int64]
    first_rare_t: int
    # The topics.
    n_k: NDArray[np.int64]  # at the start of the phase
    v_beta_n_k: NDArray[np.float32]
    n_k_change: NDArray[np.int32]  # by this block
    alpha: NDArray[np.float32]
    beta: float
    v_beta: float
    n_topics: int
    scale: float  # a power of two that multiplies all denominators but the first: products stay in range
    key: np.uint64  # of the block's random numbers
    in_place: bool  # there is one shard: change shared rows directly, make no copies
    copies: Copies


class Scratch(NamedTuple):
    """Arrays that a kernel overwrites for each phrase type or each clique."""

    b_k: NDArray[np.float32]
    sums: NDArray[np.float32]  # running sums of weights, lane by lane
    vector_of: NDArray[np.int32]  # for each lane, the vector that a draw falls into
    n_wk_rare: NDArray[np.int32]  # row of a rare word
    row_at: NDArray[np.int64]  # where the row of each word of the type starts in its table
    c_j: NDArray[np.float32]
    # sparse.py: sums of a0_k b_k over the topics of a tile, and 1 / Π_j (Vβ + N_k + j).
    a0_k: NDArray[np.float32]
    tile_sums: NDArray[np.float32]
    inv_n_k: NDArray[np.float32]
    # plain.py
    p_k: NDArray[np.float64]
    n_dk: NDArray[np.float64]  # of the clique's document


def make_scratch(n: int, n_words: int) -> Scratch:
    """Scratch for rows of length ``n`` and phrase types of up to ``n_words`` words."""
    n_tiles = -(-n // TILE)
    return Scratch(
        aligned(n_tiles * TILE, np.float32),
        aligned(max(TILE, n + padded(n_tiles)), np.float32),
        aligned(2 * WIDTH, np.int32),
        aligned(n, np.int32),
        np.zeros(n_words, np.int64),
        np.zeros(n_words, np.float32),
        aligned(n_tiles * TILE, np.float32),
        aligned(padded(n_tiles), np.float32),
        aligned(n, np.float32),
        np.zeros(n),
        np.zeros(n),
    )


@inlined
def word_factors(scratch: Scratch, n_wk: NDArray[np.int32], n_words: Int, v: Int, beta: Floats) -> Floats:
    """The numerator of b_k for the eight topics from ``v`` on: Π_j (β + N_wk + c_j)."""
    factor = beta + load(n_wk, scratch.row_at[0] + v)
    for j in range(1, n_words):
        factor = factor * (beta + every(scratch.c_j[j]) + load(n_wk, scratch.row_at[j] + v))
    return factor


@inlined
def list_factors(alpha: NDArray[np.float32], topics: Counts, tokens: Floats, n_words: Int) -> Floats:
    """A_k - a0_k for eight topics on a document's list, given their tokens; of one word, it is the tokens."""
    factor = tokens
    if n_words > 1:
        prior = gather(alpha, 0, topics)
        document = prior + tokens
        a0_k, factor = prior, document
        for j in range(1, n_words):
            a0_k = a0_k * (prior + every(np.float32(j)))
            factor = factor * (document + every(np.float32(j)))
        factor = factor - a0_k
    return factor


@inlined
def topic_factors(v_beta_n_k: Floats, n_words: Int, scale: Floats) -> Floats:
    """The denominator of b_k for eight topics: Π_j (Vβ + N_k + j)."""
    factor = v_beta_n_k
    for j in range(1, n_words):
        factor = factor * ((v_beta_n_k + every(np.float32(j))) * scale)
    return factor
