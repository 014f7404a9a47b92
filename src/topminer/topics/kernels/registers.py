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

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import WIDTH, lane
from topminer.topics.kernels.block import ONE, TWO, Block, Scratch
from topminer.topics.kernels.dense import next_type, sample_type
from topminer.topics.kernels.draw import uniform
from topminer.topics.kernels.register_steps import (
    N,
    Priors,
    advance,
    begin,
    checked,
    draw_of_two,
    end_type,
    give,
    look_ahead,
    no_state,
    priors_of,
    weigh,
)
from topminer.topics.kernels.rows import find_rows


@bare_kernel
def sample_registers(block: Block, scratch: Scratch, position: NDArray[np.int64], end: Int) -> None:
    """Sample words, and phrases of up to four words, from ``position`` on up to phrase type ``end``."""
    i, priors, clique_start = position[1], priors_of(block), block.clique_start
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
    state = begin(block, scratch, table, priors, start, n_words)
    for i in range(start, stop):
        weight_0, weight_1 = weigh(block, priors, state, i, n_words)
        ahead = look_ahead(block, priors, state, i, stop, n_words)
        new_0, new_1 = draw_of_two(weight_0, weight_1, uniform(block.key, i))
        new_0, new_1 = checked(new_0, new_1, block.n_topics)
        state = advance(state, ahead, new_0, new_1, n_words)
        give(block, t, i, new_0, new_1, n_words)
        if i + 1 == stop:
            end_type(block, scratch, table, state, ahead.next_0, ahead.next_1, n_words)


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
    priors = priors_of(a)
    state_a = state_b = no_state()
    while True:
        if i_a == stop_a:
            t_a, i_a, table_a = _next(a, scratch_a, t_a, i_a, end_a, n_words)
            if t_a == end_a:
                break
            stop_a = a.clique_start[t_a + 1]
            state_a = begin(a, scratch_a, table_a, priors, i_a, n_words)
        if i_b == stop_b:
            t_b, i_b, table_b = _next(b, scratch_b, t_b, i_b, end_b, n_words)
            if t_b == end_b:
                break
            stop_b = b.clique_start[t_b + 1]
            state_b = begin(b, scratch_b, table_b, priors, i_b, n_words)
        m = stop_a - i_a if stop_a - i_a < stop_b - i_b else stop_b - i_b
        for _ in range(m):
            weight_a0, weight_a1 = weigh(a, priors, state_a, i_a, n_words)
            weight_b0, weight_b1 = weigh(b, priors, state_b, i_b, n_words)
            ahead_a = look_ahead(a, priors, state_a, i_a, stop_a, n_words)
            ahead_b = look_ahead(b, priors, state_b, i_b, stop_b, n_words)
            new_a0, new_a1 = draw_of_two(weight_a0, weight_a1, uniform(a.key, i_a))
            new_b0, new_b1 = draw_of_two(weight_b0, weight_b1, uniform(b.key, i_b))
            new_a0, new_a1 = checked(new_a0, new_a1, a.n_topics)
            new_b0, new_b1 = checked(new_b0, new_b1, b.n_topics)
            state_a = advance(state_a, ahead_a, new_a0, new_a1, n_words)
            state_b = advance(state_b, ahead_b, new_b0, new_b1, n_words)
            give(a, t_a, i_a, new_a0, new_a1, n_words)
            give(b, t_b, i_b, new_b0, new_b1, n_words)
            i_a += 1
            i_b += 1
            if i_a == stop_a:
                end_type(a, scratch_a, table_a, state_a, ahead_a.next_0, ahead_a.next_1, n_words)
            if i_b == stop_b:
                end_type(b, scratch_b, table_b, state_b, ahead_b.next_0, ahead_b.next_1, n_words)
    if i_a < stop_a:
        old = np.int64(a.z[i_a])
        end_type(a, scratch_a, table_a, state_a, lane(old), lane(old - WIDTH), n_words)
    if i_b < stop_b:
        old = np.int64(b.z[i_b])
        end_type(b, scratch_b, table_b, state_b, lane(old), lane(old - WIDTH), n_words)
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
