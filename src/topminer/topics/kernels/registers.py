"""Equation 7 with up to sixteen topics: all counts of a phrase type stay in two vector registers.

Names end in _0 for topics 0 to 7 and in _1 for topics 8 to 15. Documents have rows of sixteen counts. Phrases
of three and four words, and those that have a word twice, go to dense.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import (
    WIDTH,
    Floats,
    Truths,
    at_most,
    before,
    bits_of,
    both,
    but_not,
    chosen,
    every,
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
)
from topminer.topics.kernels.block import MAX_REGISTER_TOPICS, NOT_RARE, Block, Scratch, topic_factors
from topminer.topics.kernels.dense import AHEAD, sample_type
from topminer.topics.kernels.draw import uniform
from topminer.topics.kernels.rows import find_rows, replace_rare

N, TWO = np.int64(MAX_REGISTER_TOPICS), np.int64(2)


@bare_kernel
def sample_words(block: Block, scratch: Scratch, first: Int, end: Int, rare: bool) -> None:
    """Sample the cliques of phrase types ``first`` to ``end``, all of them single words.

    Each draw depends on the draw before it, so the time of a clique is the latency of this chain. To shorten
    the chain, b_k of the next clique is computed in two versions before the draw: one for the topic that will
    be drawn and one for all other topics. After the draw it only has to be selected.
    """
    clique_start, d_of, z, n_dk = block.clique_start, block.d_of, block.z, block.n_dk
    key, n_topics = block.key, block.n_topics
    beta, one = every(np.float32(block.beta)), every(np.float32(1))
    alpha_0, alpha_1 = load(block.alpha, 0), load(block.alpha, WIDTH)
    at_start_0, at_start_1 = load(block.v_beta_n_k, 0), load(block.v_beta_n_k, WIDTH)
    change_0, change_1 = load_counts(block.n_k_change, 0), load_counts(block.n_k_change, WIDTH)
    final = d_of.size - 1
    for t in range(first, end):
        start, stop = clique_start[t], clique_start[t + 1]
        if start == stop:
            continue
        _, table = find_rows(block, scratch, t, rare)
        row = scratch.row_at[0]
        old = np.int64(z[start])
        old_0, old_1 = only(lane(old), 1), only(lane(old - WIDTH), 1)
        n_wk_0, n_wk_1 = load_counts(table, row) - old_0, load_counts(table, row + WIDTH) - old_1
        change_0, change_1 = change_0 - old_0, change_1 - old_1
        b_0 = (beta + floats(n_wk_0)) / (at_start_0 + floats(change_0))
        b_1 = (beta + floats(n_wk_1)) / (at_start_1 + floats(change_1))
        for i in range(start, stop):
            prefetch(n_dk, np.int64(d_of[i + AHEAD if i + AHEAD < final else final]) * 2 * WIDTH)
            in_document = np.int64(d_of[i]) * 2 * WIDTH
            n_dk_0 = load_counts(n_dk, in_document) - old_0
            n_dk_1 = load_counts(n_dk, in_document + WIDTH) - old_1

            # b_k of the next clique: there is one more token in the topic that will be drawn, and one less in
            # the old topic of the next clique. If these are the same topic, nothing changes.
            next_old = np.int64(z[i + 1 if i + 1 < stop else i])
            next_0, next_1 = lane(next_old), lane(next_old - WIDTH)
            above_0, above_1 = beta + floats(n_wk_0), beta + floats(n_wk_1)
            under_0, under_1 = at_start_0 + floats(change_0), at_start_1 + floats(change_1)
            drawn_0 = chosen(next_0, b_0, (above_0 + one) / (under_0 + one))
            drawn_1 = chosen(next_1, b_1, (above_1 + one) / (under_1 + one))
            other_0 = chosen(next_0, (above_0 - one) / (under_0 - one), b_0)
            other_1 = chosen(next_1, (above_1 - one) / (under_1 - one), b_1)

            weight_0 = (alpha_0 + floats(n_dk_0)) * b_0
            weight_1 = (alpha_1 + floats(n_dk_1)) * b_1
            new_0, new_1 = draw_of_two(weight_0, weight_1, uniform(key, i))
            b_0, b_1 = chosen(new_0, drawn_0, other_0), chosen(new_1, drawn_1, other_1)

            one_0, one_1, bits = only(new_0, 1), only(new_1, 1), bits_of(new_0, new_1)
            store(n_dk, in_document, n_dk_0 + one_0)
            store(n_dk, in_document + WIDTH, n_dk_1 + one_1)
            old_0, old_1 = only(next_0, 1), only(next_1, 1)
            n_wk_0, n_wk_1 = n_wk_0 + one_0 - old_0, n_wk_1 + one_1 - old_1
            change_0, change_1 = change_0 + one_0 - old_0, change_1 + one_1 - old_1
            new = lowest_bit(bits)
            if seldom(_is_no_topic(bits, n_topics)):
                new = new if new < n_topics else n_topics - 1
                fix_0, fix_1 = only(lane(new), 1) - one_0, only(lane(new - WIDTH), 1) - one_1
                store(n_dk, in_document, load_counts(n_dk, in_document) + fix_0)
                store(n_dk, in_document + WIDTH, load_counts(n_dk, in_document + WIDTH) + fix_1)
                n_wk_0, n_wk_1 = n_wk_0 + fix_0, n_wk_1 + fix_1
                change_0, change_1 = change_0 + fix_0, change_1 + fix_1
                b_0 = (beta + floats(n_wk_0)) / (at_start_0 + floats(change_0))
                b_1 = (beta + floats(n_wk_1)) / (at_start_1 + floats(change_1))
            if rare and new != z[i]:
                replace_rare(block, t, np.int64(z[i]), new)
            z[i] = new
        n_wk_0, n_wk_1 = n_wk_0 + old_0, n_wk_1 + old_1  # there was no next clique
        change_0, change_1 = change_0 + old_0, change_1 + old_1
        store(table, row, n_wk_0)
        store(table, row + WIDTH, n_wk_1)
    store(block.n_k_change, 0, change_0)
    store(block.n_k_change, WIDTH, change_1)


@bare_kernel
def sample_phrases(block: Block, scratch: Scratch, first: Int, end: Int) -> None:
    """Sample the cliques of phrase types ``first`` to ``end``, all of them of two to four words."""
    clique_start = block.clique_start
    for t in range(first, end):
        start, stop = clique_start[t], clique_start[t + 1]
        if start == stop:
            continue
        n_words, table = find_rows(block, scratch, t, NOT_RARE)
        if n_words == 2 and scratch.c_j[1] == 0:
            _sample_pair(block, scratch, table, start, stop)
        else:
            sample_type(block, scratch, table, t, NOT_RARE, start, stop, n_words, N)


@inlined
def _sample_pair(block: Block, scratch: Scratch, table: NDArray[np.int32], start: Int, stop: Int) -> None:
    """Sample cliques ``start`` to ``stop``, all of one phrase of two different words a and b."""
    d_of, z, n_dk, n_k_change, key = block.d_of, block.z, block.n_dk, block.n_k_change, block.key
    row_a, row_b, n_topics = scratch.row_at[0], scratch.row_at[1], block.n_topics
    beta, scale, one = every(np.float32(block.beta)), every(np.float32(block.scale)), every(np.float32(1))
    alpha_0, alpha_1 = load(block.alpha, 0), load(block.alpha, WIDTH)
    at_start_0, at_start_1 = load(block.v_beta_n_k, 0), load(block.v_beta_n_k, WIDTH)
    change_0, change_1 = load_counts(n_k_change, 0), load_counts(n_k_change, WIDTH)
    a_0, a_1 = load_counts(table, row_a), load_counts(table, row_a + WIDTH)
    b_0, b_1 = load_counts(table, row_b), load_counts(table, row_b + WIDTH)
    final = d_of.size - 1
    for i in range(start, stop):
        prefetch(n_dk, np.int64(d_of[i + AHEAD if i + AHEAD < final else final]) * 2 * WIDTH)
        in_document, old = np.int64(d_of[i]) * 2 * WIDTH, np.int64(z[i])
        old_0, old_1 = lane(old), lane(old - WIDTH)
        a_0, a_1 = a_0 - only(old_0, 1), a_1 - only(old_1, 1)
        b_0, b_1 = b_0 - only(old_0, 1), b_1 - only(old_1, 1)
        change_0, change_1 = change_0 - only(old_0, 2), change_1 - only(old_1, 2)
        n_dk_0 = load_counts(n_dk, in_document) - only(old_0, 2)
        n_dk_1 = load_counts(n_dk, in_document + WIDTH) - only(old_1, 2)

        under_0, under_1 = at_start_0 + floats(change_0), at_start_1 + floats(change_1)
        above_0 = (beta + floats(a_0)) * (beta + floats(b_0))
        above_1 = (beta + floats(a_1)) * (beta + floats(b_1))
        document_0, document_1 = alpha_0 + floats(n_dk_0), alpha_1 + floats(n_dk_1)
        weight_0 = above_0 / topic_factors(under_0, TWO, scale) * (document_0 * (document_0 + one))
        weight_1 = above_1 / topic_factors(under_1, TWO, scale) * (document_1 * (document_1 + one))
        new_0, new_1 = draw_of_two(weight_0, weight_1, uniform(key, i))

        bits, one_0, one_1 = bits_of(new_0, new_1), only(new_0, 1), only(new_1, 1)
        store(n_dk, in_document, n_dk_0 + only(new_0, 2))
        store(n_dk, in_document + WIDTH, n_dk_1 + only(new_1, 2))
        a_0, a_1 = a_0 + one_0, a_1 + one_1
        b_0, b_1 = b_0 + one_0, b_1 + one_1
        change_0, change_1 = change_0 + only(new_0, 2), change_1 + only(new_1, 2)
        new = lowest_bit(bits)
        if seldom(_is_no_topic(bits, n_topics)):
            new = new if new < n_topics else n_topics - 1
            fix_0, fix_1 = only(lane(new), 1) - one_0, only(lane(new - WIDTH), 1) - one_1
            store(n_dk, in_document, load_counts(n_dk, in_document) + fix_0 + fix_0)
            store(n_dk, in_document + WIDTH, load_counts(n_dk, in_document + WIDTH) + fix_1 + fix_1)
            a_0, a_1 = a_0 + fix_0, a_1 + fix_1
            b_0, b_1 = b_0 + fix_0, b_1 + fix_1
            change_0, change_1 = change_0 + fix_0 + fix_0, change_1 + fix_1 + fix_1
        z[i] = new
    store(table, row_a, a_0)
    store(table, row_a + WIDTH, a_1)
    store(table, row_b, b_0)
    store(table, row_b + WIDTH, b_1)
    store(n_k_change, 0, change_0)
    store(n_k_change, WIDTH, change_1)


@inlined
def draw_of_two(weight_0: Floats, weight_1: Floats, u: np.float32) -> tuple[Truths, Truths]:
    """Draw one of sixteen topics: first a lane, then one of its two topics. Return it as two masks."""
    below = prefix_sum(weight_0 + weight_1)
    drawn = every(u) * last(below)
    in_lane = first_above(below, drawn)
    in_second = but_not(at_most(weight_0, drawn - before(below)), at_most(weight_1, every(np.float32(0))))
    return but_not(in_lane, in_second), both(in_lane, in_second)


@inlined
def _is_no_topic(bits: Int, n_topics: Int) -> bool:
    """Whether no lane was drawn, or several, or one behind the last topic.

    This cannot happen if all weights are finite, none is negative and their sum is not 0. The check keeps the
    topic inside the arrays whatever the weights are.
    """
    is_one_bit = bits & (bits - 1) == 0
    return not (is_one_bit & (bits > 0) & (bits <= np.int64(1) << (n_topics - 1)))
