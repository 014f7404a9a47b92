"""The steps of registers.py: what is done for one clique, with all counts in vector registers.

Names end in _0 for topics 0 to 7 and in _1 for topics 8 to 15.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined
from topminer.jit.lanes import (
    WIDTH,
    Counts,
    Floats,
    Truths,
    at_most,
    before,
    bits_of,
    both,
    but_not,
    chosen,
    every,
    every_count,
    first_above,
    floats,
    lane,
    last,
    load,
    load_counts,
    lowest_bit,
    only,
    prefetch,
    prefix_sum,
    seldom,
    store,
    unlike,
)
from topminer.topics.kernels.block import MAX_REGISTER_TOPICS, Block, Scratch, topic_factors
from topminer.topics.kernels.dense import AHEAD
from topminer.topics.kernels.rows import set_topic

N = np.int64(MAX_REGISTER_TOPICS)


class Priors(NamedTuple):
    """What does not change while a block is sampled."""

    alpha_0: Floats
    alpha_1: Floats
    v_beta_n_k_0: Floats
    v_beta_n_k_1: Floats
    beta: Floats
    scale: Floats


class State(NamedTuple):
    """The counts without the clique that is sampled next: of one or two words, and of all topics."""

    first_0: Counts
    first_1: Counts
    second_0: Counts
    second_1: Counts
    change_0: Counts  # of N_k by this block
    change_1: Counts
    b_0: Floats
    b_1: Floats


class Ahead(NamedTuple):
    """b_k as the next clique will find it, where it changes."""

    next_0: Truths  # the topic of the next clique
    next_1: Truths
    b_0: Floats
    b_1: Floats


@inlined
def priors_of(block: Block) -> Priors:
    """Load what does not change while a block is sampled."""
    return Priors(
        load(block.alpha, 0),
        load(block.alpha, WIDTH),
        load(block.v_beta_n_k, 0),
        load(block.v_beta_n_k, WIDTH),
        every(np.float32(block.beta)),
        every(np.float32(block.scale)),
    )


@inlined
def no_state() -> State:
    """Return a state to begin a loop with; nothing reads it."""
    none, zero = every_count(0), every(np.float32(0))
    return State(none, none, none, none, none, none, zero, zero)


@inlined
def begin(
    block: Block, scratch: Scratch, table: NDArray[np.int32], priors: Priors, i: Int, n_words: Int
) -> State:
    """Load the counts of a phrase type, and take out clique ``i``."""
    n_k_change, row, other = block.n_k_change, scratch.row_at[0], scratch.row_at[np.int64(n_words) - 1]
    old = np.int64(block.z[i])
    old_0, old_1 = only(lane(old), 1), only(lane(old - WIDTH), 1)
    first_0, first_1 = load_counts(table, row) - old_0, load_counts(table, row + WIDTH) - old_1
    second_0, second_1 = load_counts(table, other) - old_0, load_counts(table, other + WIDTH) - old_1
    change_0 = load_counts(n_k_change, 0) - only(lane(old), n_words)
    change_1 = load_counts(n_k_change, WIDTH) - only(lane(old - WIDTH), n_words)
    b_0 = _b_k(first_0, second_0, change_0, priors.v_beta_n_k_0, priors, n_words)
    b_1 = _b_k(first_1, second_1, change_1, priors.v_beta_n_k_1, priors, n_words)
    return State(first_0, first_1, second_0, second_1, change_0, change_1, b_0, b_1)


@inlined
def _b_k(
    first: Counts, second: Counts, change: Counts, v_beta_n_k: Floats, priors: Priors, n_words: Int
) -> Floats:
    """Compute b_k of eight topics."""
    above = priors.beta + floats(first)
    if n_words == 2:
        above = above * (priors.beta + floats(second))
    return above / topic_factors(v_beta_n_k + floats(change), n_words, priors.scale)


@inlined
def weigh(block: Block, priors: Priors, state: State, i: Int, n_words: Int) -> tuple[Floats, Floats]:
    """Return the weights of all topics for clique ``i``. Prefetch the document of one that follows soon."""
    final = block.d_of.size - 1
    prefetch(block.n_dk, np.int64(block.d_of[i + AHEAD if i + AHEAD < final else final]) * N)
    n_dk, row, old = block.n_dk, np.int64(block.d_of[i]) * N, np.int64(block.z[i])
    n_dk_0 = load_counts(n_dk, row) - only(lane(old), n_words)
    n_dk_1 = load_counts(n_dk, row + WIDTH) - only(lane(old - WIDTH), n_words)
    document_0, document_1 = priors.alpha_0 + floats(n_dk_0), priors.alpha_1 + floats(n_dk_1)
    if n_words == 2:
        document_0 = document_0 * (document_0 + every(np.float32(1)))
        document_1 = document_1 * (document_1 + every(np.float32(1)))
    return document_0 * state.b_0, document_1 * state.b_1


@inlined
def look_ahead(block: Block, priors: Priors, state: State, i: Int, stop: Int, n_words: Int) -> Ahead:
    """Compute b_k with one clique less in the topic of the next clique, and with one more in all others."""
    following = np.int64(block.z[i + 1 if i + 1 < stop else i])
    next_0, next_1 = lane(following), lane(following - WIDTH)
    cliques_0, cliques_1 = every_count(1) - only(next_0, 2), every_count(1) - only(next_1, 2)
    tokens_0 = every_count(n_words) - only(next_0, 2 * n_words)
    tokens_1 = every_count(n_words) - only(next_1, 2 * n_words)
    b_0 = _b_k(
        state.first_0 + cliques_0, state.second_0 + cliques_0, state.change_0 + tokens_0,
        priors.v_beta_n_k_0, priors, n_words,
    )  # fmt: skip
    b_1 = _b_k(
        state.first_1 + cliques_1, state.second_1 + cliques_1, state.change_1 + tokens_1,
        priors.v_beta_n_k_1, priors, n_words,
    )  # fmt: skip
    return Ahead(next_0, next_1, b_0, b_1)


@inlined
def advance(state: State, ahead: Ahead, new_0: Truths, new_1: Truths, n_words: Int) -> State:
    """Add the clique to its new topic, and take out the next clique."""
    next_0, next_1 = ahead.next_0, ahead.next_1
    cliques_0, cliques_1 = only(new_0, 1) - only(next_0, 1), only(new_1, 1) - only(next_1, 1)
    return State(
        state.first_0 + cliques_0,
        state.first_1 + cliques_1,
        state.second_0 + cliques_0,
        state.second_1 + cliques_1,
        state.change_0 + only(new_0, n_words) - only(next_0, n_words),
        state.change_1 + only(new_1, n_words) - only(next_1, n_words),
        chosen(unlike(new_0, next_0), ahead.b_0, state.b_0),
        chosen(unlike(new_1, next_1), ahead.b_1, state.b_1),
    )


@inlined
def give(block: Block, t: Int, i: Int, new_0: Truths, new_1: Truths, n_words: Int) -> None:
    """Give clique ``i`` its new topic, also in the counts of its document."""
    n_dk, row, old = block.n_dk, np.int64(block.d_of[i]) * N, np.int64(block.z[i])
    removed_0, removed_1 = only(lane(old), n_words), only(lane(old - WIDTH), n_words)
    store(n_dk, row, load_counts(n_dk, row) - removed_0 + only(new_0, n_words))
    store(n_dk, row + WIDTH, load_counts(n_dk, row + WIDTH) - removed_1 + only(new_1, n_words))
    is_rare = bool(t >= block.first_rare_t)
    set_topic(block, t, i, lowest_bit(bits_of(new_0, new_1)), is_rare)


@inlined
def end_type(
    block: Block,
    scratch: Scratch,
    table: NDArray[np.int32],
    state: State,
    next_0: Truths,
    next_1: Truths,
    n_words: Int,
) -> None:
    """Store the counts of a phrase type, with the next clique in its old topic."""
    row, other = scratch.row_at[0], scratch.row_at[np.int64(n_words) - 1]
    store(table, row, state.first_0 + only(next_0, 1))
    store(table, row + WIDTH, state.first_1 + only(next_1, 1))
    if n_words == 2:
        store(table, other, state.second_0 + only(next_0, 1))
        store(table, other + WIDTH, state.second_1 + only(next_1, 1))
    store(block.n_k_change, 0, state.change_0 + only(next_0, n_words))
    store(block.n_k_change, WIDTH, state.change_1 + only(next_1, n_words))


@inlined
def draw_of_two(weight_0: Floats, weight_1: Floats, u: np.float32) -> tuple[Truths, Truths]:
    """Draw one of sixteen topics: first a lane, then one of its two topics. Return it as two masks."""
    below = prefix_sum(weight_0 + weight_1)
    drawn = every(u) * last(below)
    in_lane = first_above(below, drawn)
    in_second = but_not(at_most(weight_0, drawn - before(below)), at_most(weight_1, every(np.float32(0))))
    return but_not(in_lane, in_second), both(in_lane, in_second)


@inlined
def checked(new_0: Truths, new_1: Truths, n_topics: Int) -> tuple[Truths, Truths]:
    """Return a topic as two masks; a valid one if there is none, several, or one behind the last.

    This cannot happen if all weights are finite, none is negative and their sum is not 0. The check keeps the
    topic inside the arrays whatever the weights are.
    """
    bits = bits_of(new_0, new_1)
    is_one_bit = bits & (bits - 1) == 0
    if seldom(not (is_one_bit & (bits > 0) & (bits <= np.int64(1) << (n_topics - 1)))):
        new = lowest_bit(bits)
        new = new if new < n_topics else n_topics - 1
        new_0, new_1 = lane(new), lane(new - WIDTH)
    return new_0, new_1
