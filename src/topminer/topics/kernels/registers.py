"""Equation 7 with up to sixteen topics: all counts of a phrase type stay in vector registers.

Names end in _0 for topics 0 to 7 and in _1 for topics 8 to 15. Documents have rows of sixteen counts. These
kernels sample words, and phrases of two different words; dense.py samples the other phrases.

Each draw depends on the draw before it, so the time of a clique is the latency of this chain. To shorten the
chain, b_k is computed ahead. Compared with now, the next clique finds one more clique in the topic that is
about to be drawn, and one less in its own old topic; if both are the same topic, nothing changes. So before
the draw, b_k is computed with one clique less in the next clique's topic and with one more in all others.
After the draw it only has to be selected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
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
from topminer.topics.kernels.block import (
    MAX_REGISTER_TOPICS,
    ONE,
    TWO,
    Block,
    Scratch,
    topic_factors,
)
from topminer.topics.kernels.dense import AHEAD, next_type, sample_type
from topminer.topics.kernels.draw import uniform
from topminer.topics.kernels.rows import find_rows, set_topic

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


@bare_kernel
def sample_registers(block: Block, scratch: Scratch, position: NDArray[np.int64], end: Int) -> None:
    """Sample words, and phrases of up to four words, from ``position`` on up to phrase type ``end``."""
    i, priors, clique_start = position[1], _priors(block), block.clique_start
    for t in range(position[0], end):
        stop = clique_start[t + 1]
        if i < stop:
            n_words, table = find_rows(block, scratch, t)
            if n_words == 1:
                _sample_type(block, scratch, table, priors, t, i, stop, ONE)
            elif n_words == 2 and scratch.c_j[1] == 0:
                _sample_type(block, scratch, table, priors, t, i, stop, TWO)
            else:
                sample_type(block, scratch, table, t, i, stop, n_words, N)
            i = stop


@bare_kernel
def interleave_words(
    a: Block, scratch_a: Scratch, position_a: NDArray[np.int64], end_a: Int,
    b: Block, scratch_b: Scratch, position_b: NDArray[np.int64], end_b: Int,
) -> None:  # fmt: skip
    """Sample words of two blocks (see :func:`topminer.topics.kernels.dense.interleave`)."""
    _interleave(a, scratch_a, position_a, end_a, b, scratch_b, position_b, end_b, ONE)


@bare_kernel
def interleave_phrases(
    a: Block, scratch_a: Scratch, position_a: NDArray[np.int64], end_a: Int,
    b: Block, scratch_b: Scratch, position_b: NDArray[np.int64], end_b: Int,
) -> None:  # fmt: skip
    """Sample phrases of two words of two blocks."""
    _interleave(a, scratch_a, position_a, end_a, b, scratch_b, position_b, end_b, TWO)


@inlined
def _sample_type(
    block: Block,
    scratch: Scratch,
    table: NDArray[np.int32],
    priors: Priors,
    t: Int,
    start: Int,
    stop: Int,
    n_words: Int,
) -> None:
    """Sample cliques ``start`` to ``stop``, all of phrase type t."""
    state = _begin(block, scratch, table, priors, start, n_words)
    for i in range(start, stop):
        weight_0, weight_1 = _weigh(block, priors, state, i, n_words)
        ahead = _look_ahead(block, priors, state, i, stop, n_words)
        new_0, new_1 = draw_of_two(weight_0, weight_1, uniform(block.key, i))
        new_0, new_1 = _checked(new_0, new_1, block.n_topics)
        state = _advance(state, ahead, new_0, new_1, n_words)
        _give(block, t, i, new_0, new_1, n_words)
        if i + 1 == stop:
            _end(block, scratch, table, state, ahead.next_0, ahead.next_1, n_words)


@inlined
def _interleave(
    a: Block,
    scratch_a: Scratch,
    position_a: NDArray[np.int64],
    end_a: Int,
    b: Block,
    scratch_b: Scratch,
    position_b: NDArray[np.int64],
    end_b: Int,
    n_words: Int,
) -> None:
    """Sample two blocks step by step, as :func:`topminer.topics.kernels.dense.interleave` does."""
    t_a, i_a = position_a
    t_b, i_b = position_b
    stop_a, stop_b, table_a, table_b = i_a, i_b, a.n_wk_own, b.n_wk_own
    priors = _priors(a)
    state_a = state_b = _nothing()
    while True:
        if i_a == stop_a:
            t_a, i_a, table_a = _next(a, scratch_a, t_a, i_a, end_a, n_words)
            if t_a == end_a:
                break
            stop_a = a.clique_start[t_a + 1]
            state_a = _begin(a, scratch_a, table_a, priors, i_a, n_words)
        if i_b == stop_b:
            t_b, i_b, table_b = _next(b, scratch_b, t_b, i_b, end_b, n_words)
            if t_b == end_b:
                break
            stop_b = b.clique_start[t_b + 1]
            state_b = _begin(b, scratch_b, table_b, priors, i_b, n_words)
        m = stop_a - i_a if stop_a - i_a < stop_b - i_b else stop_b - i_b
        for _ in range(m):
            weight_a0, weight_a1 = _weigh(a, priors, state_a, i_a, n_words)
            weight_b0, weight_b1 = _weigh(b, priors, state_b, i_b, n_words)
            ahead_a = _look_ahead(a, priors, state_a, i_a, stop_a, n_words)
            ahead_b = _look_ahead(b, priors, state_b, i_b, stop_b, n_words)
            new_a0, new_a1 = draw_of_two(weight_a0, weight_a1, uniform(a.key, i_a))
            new_b0, new_b1 = draw_of_two(weight_b0, weight_b1, uniform(b.key, i_b))
            new_a0, new_a1 = _checked(new_a0, new_a1, a.n_topics)
            new_b0, new_b1 = _checked(new_b0, new_b1, b.n_topics)
            state_a = _advance(state_a, ahead_a, new_a0, new_a1, n_words)
            state_b = _advance(state_b, ahead_b, new_b0, new_b1, n_words)
            _give(a, t_a, i_a, new_a0, new_a1, n_words)
            _give(b, t_b, i_b, new_b0, new_b1, n_words)
            i_a += 1
            i_b += 1
            if i_a == stop_a:
                _end(a, scratch_a, table_a, state_a, ahead_a.next_0, ahead_a.next_1, n_words)
            if i_b == stop_b:
                _end(b, scratch_b, table_b, state_b, ahead_b.next_0, ahead_b.next_1, n_words)
    if i_a < stop_a:
        old = np.int64(a.z[i_a])
        _end(a, scratch_a, table_a, state_a, lane(old), lane(old - WIDTH), n_words)
    if i_b < stop_b:
        old = np.int64(b.z[i_b])
        _end(b, scratch_b, table_b, state_b, lane(old), lane(old - WIDTH), n_words)
    position_a[0], position_a[1] = t_a, i_a
    position_b[0], position_b[1] = t_b, i_b


@inlined
def _next(
    block: Block, scratch: Scratch, t: Int, i: Int, end: Int, n_words: Int
) -> tuple[Int, Int, NDArray[np.int32]]:
    """Return the next phrase type, its first clique and its table. Sample phrases that repeat a word."""
    table = block.n_wk_own
    t = next_type(block, t, i, end)
    while t < end:
        _, table = find_rows(block, scratch, t)
        if n_words == 1 or scratch.c_j[1] == 0:
            break
        stop = np.int64(block.clique_start[t + 1])
        sample_type(block, scratch, table, t, i, stop, n_words, N)
        i = stop
        t = next_type(block, t, i, end)
    return t, i, table


@inlined
def _priors(block: Block) -> Priors:
    return Priors(
        load(block.alpha, 0),
        load(block.alpha, WIDTH),
        load(block.v_beta_n_k, 0),
        load(block.v_beta_n_k, WIDTH),
        every(np.float32(block.beta)),
        every(np.float32(block.scale)),
    )


@inlined
def _nothing() -> State:
    none, zero = every_count(0), every(np.float32(0))
    return State(none, none, none, none, none, none, zero, zero)


@inlined
def _begin(
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
def _weigh(block: Block, priors: Priors, state: State, i: Int, n_words: Int) -> tuple[Floats, Floats]:
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
def _look_ahead(block: Block, priors: Priors, state: State, i: Int, stop: Int, n_words: Int) -> Ahead:
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
def _advance(state: State, ahead: Ahead, new_0: Truths, new_1: Truths, n_words: Int) -> State:
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
def _give(block: Block, t: Int, i: Int, new_0: Truths, new_1: Truths, n_words: Int) -> None:
    """Give clique ``i`` its new topic, also in the counts of its document."""
    n_dk, row, old = block.n_dk, np.int64(block.d_of[i]) * N, np.int64(block.z[i])
    removed_0, removed_1 = only(lane(old), n_words), only(lane(old - WIDTH), n_words)
    store(n_dk, row, load_counts(n_dk, row) - removed_0 + only(new_0, n_words))
    store(n_dk, row + WIDTH, load_counts(n_dk, row + WIDTH) - removed_1 + only(new_1, n_words))
    is_rare = bool(t >= block.first_rare_t)
    set_topic(block, t, i, lowest_bit(bits_of(new_0, new_1)), is_rare)


@inlined
def _end(
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
def _checked(new_0: Truths, new_1: Truths, n_topics: Int) -> tuple[Truths, Truths]:
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
