"""Equation 7 of the paper, corrected: collapsed Gibbs sampling of cliques, type by type.

A clique of words w_1 ... w_W in document d, with its own tokens taken out of all counts, has topic k with
probability proportional to::

    product over j of (alpha_k + N_dk + j - 1) * (beta + N_wj,k + earlier copies of w_j in the clique)
                                               / (V beta + N_k + j - 1)

The first factor is the document's, the others are the type's. Cliques are visited type by type, so that
the type's share stays at hand while document after document comes by, and changes in two topics a step.
With up to sixteen topics, all of it stays in registers (words) and documents have a row of counts each;
with more, the share lies in the first-level cache. Many topics have kernels of their own (packed.py), and
so have phrases of more than four words (long.py).

Topics are drawn by lanes: weights are added up over vectors, lane by lane, then over the lanes; the draw
falls first into a lane, then, within it, into a vector.
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
from topminer.topics.kernels.block import Block, Room, topics_factor, words_factor
from topminer.topics.kernels.draw import fall, uniform
from topminer.topics.kernels.rows import find_rows, replace_in_bag

LINE = 64  # bytes
AHEAD = 8  # cliques from now, the document that will be needed


@bare_kernel
def sample_words(block: Block, room: Room, first: Int, end: Int, rare: bool) -> None:
    """Words at places from ``first`` to before ``end``, with up to sixteen topics: two vectors.

    Each clique waits for the topic of the one before it, so what counts is how soon that is known. The counts
    here leave out the clique at hand, and the shares for the next one are ready in two versions before it is
    drawn, for the topic it will have and for all others: then they only have to be chosen from.
    """
    place_start, docs, topics, held = block.place_start, block.docs, block.topics, block.held
    key, n_topics = block.key, block.n_topics
    beta, one = every(np.float32(block.beta)), every(np.float32(1))
    alpha_0, alpha_1 = load(block.alpha, 0), load(block.alpha, WIDTH)
    smoothed_0, smoothed_1 = load(block.smoothed, 0), load(block.smoothed, WIDTH)
    gained_0, gained_1 = load_counts(block.gained, 0), load_counts(block.gained, WIDTH)
    final = docs.size - 1
    for place in range(first, end):
        start, stop = place_start[place], place_start[place + 1]
        if start == stop:
            continue
        _, table = find_rows(block, room, place, rare)
        row = room.row_at[0]
        old = np.int64(topics[start])
        old_0, old_1 = only(lane(old), 1), only(lane(old - WIDTH), 1)
        words_0, words_1 = load_counts(table, row) - old_0, load_counts(table, row + WIDTH) - old_1
        gained_0, gained_1 = gained_0 - old_0, gained_1 - old_1
        share_0 = (beta + floats(words_0)) / (smoothed_0 + floats(gained_0))
        share_1 = (beta + floats(words_1)) / (smoothed_1 + floats(gained_1))
        for i in range(start, stop):
            prefetch(held, np.int64(docs[min(i + AHEAD, final)]) * 2 * WIDTH)
            in_document = np.int64(docs[i]) * 2 * WIDTH
            held_0 = load_counts(held, in_document) - old_0
            held_1 = load_counts(held, in_document + WIDTH) - old_1

            # The shares of the next clique: one token more in the topic that will be drawn, one less in the
            # next clique's own; where these are the same, as they are.
            next_old = np.int64(topics[min(i + 1, stop - 1)])
            next_0, next_1 = lane(next_old), lane(next_old - WIDTH)
            above_0, above_1 = beta + floats(words_0), beta + floats(words_1)
            under_0, under_1 = smoothed_0 + floats(gained_0), smoothed_1 + floats(gained_1)
            more_0 = chosen(next_0, share_0, (above_0 + one) / (under_0 + one))
            more_1 = chosen(next_1, share_1, (above_1 + one) / (under_1 + one))
            less_0 = chosen(next_0, (above_0 - one) / (under_0 - one), share_0)
            less_1 = chosen(next_1, (above_1 - one) / (under_1 - one), share_1)

            weight_0 = (alpha_0 + floats(held_0)) * share_0
            weight_1 = (alpha_1 + floats(held_1)) * share_1
            new_0, new_1 = _drawn(weight_0, weight_1, uniform(key, i))
            share_0, share_1 = chosen(new_0, more_0, less_0), chosen(new_1, more_1, less_1)

            one_0, one_1, bits = only(new_0, 1), only(new_1, 1), bits_of(new_0, new_1)
            store(held, in_document, held_0 + one_0)
            store(held, in_document + WIDTH, held_1 + one_1)
            old_0, old_1 = only(next_0, 1), only(next_1, 1)
            words_0, words_1 = words_0 + one_0 - old_0, words_1 + one_1 - old_1
            gained_0, gained_1 = gained_0 + one_0 - old_0, gained_1 + one_1 - old_1
            new = lowest_bit(bits)
            if seldom(_is_no_topic(bits, n_topics)):
                new = min(new, n_topics - 1)
                fix_0, fix_1 = only(lane(new), 1) - one_0, only(lane(new - WIDTH), 1) - one_1
                store(held, in_document, load_counts(held, in_document) + fix_0)
                store(held, in_document + WIDTH, load_counts(held, in_document + WIDTH) + fix_1)
                words_0, words_1 = words_0 + fix_0, words_1 + fix_1
                gained_0, gained_1 = gained_0 + fix_0, gained_1 + fix_1
                share_0 = (beta + floats(words_0)) / (smoothed_0 + floats(gained_0))
                share_1 = (beta + floats(words_1)) / (smoothed_1 + floats(gained_1))
            if rare and new != topics[i]:
                replace_in_bag(block, place, topics[i], new)
            topics[i] = new
        words_0, words_1 = words_0 + old_0, words_1 + old_1  # there was no next one
        gained_0, gained_1 = gained_0 + old_0, gained_1 + old_1
        store(table, row, words_0)
        store(table, row + WIDTH, words_1)
    store(block.gained, 0, gained_0)
    store(block.gained, WIDTH, gained_1)


@inlined
def _drawn(weight_0: Floats, weight_1: Floats, u: np.float32) -> tuple[Truths, Truths]:
    """Where among sixteen weights a draw falls."""
    below = prefix_sum(weight_0 + weight_1)
    drawn = every(u) * last(below)
    in_lane = first_above(below, drawn)
    in_second = but_not(at_most(weight_0, drawn - before(below)), at_most(weight_1, every(np.float32(0))))
    return but_not(in_lane, in_second), both(in_lane, in_second)


@inlined
def _is_no_topic(bits: Int, n_topics: Int) -> bool:
    """Whether no lane was drawn, or several, or one behind the last topic.

    That cannot be if all weights are finite, none is negative and their sum is not 0. This check keeps the
    topic inside the arrays whatever the weights are.
    """
    is_one_bit = bits & (bits - 1) == 0
    return not (is_one_bit & (bits > 0) & (bits <= np.int64(1) << (n_topics - 1)))


@inlined
def _sample_pair(block: Block, room: Room, table: NDArray[np.int32], start: Int, stop: Int) -> None:
    """The cliques of a phrase of two different words, with up to sixteen topics: in registers."""
    docs, topics, held, gained, key = block.docs, block.topics, block.held, block.gained, block.key
    row_a, row_b, n_topics = room.row_at[0], room.row_at[1], block.n_topics
    beta, scale, one = every(np.float32(block.beta)), every(np.float32(block.scale)), every(np.float32(1))
    alpha_0, alpha_1 = load(block.alpha, 0), load(block.alpha, WIDTH)
    smoothed_0, smoothed_1 = load(block.smoothed, 0), load(block.smoothed, WIDTH)
    gained_0, gained_1 = load_counts(gained, 0), load_counts(gained, WIDTH)
    a_0, a_1 = load_counts(table, row_a), load_counts(table, row_a + WIDTH)
    b_0, b_1 = load_counts(table, row_b), load_counts(table, row_b + WIDTH)
    final = docs.size - 1
    for i in range(start, stop):
        prefetch(held, np.int64(docs[min(i + AHEAD, final)]) * 2 * WIDTH)
        in_document, old = np.int64(docs[i]) * 2 * WIDTH, np.int64(topics[i])
        old_0, old_1 = lane(old), lane(old - WIDTH)
        a_0, a_1 = a_0 - only(old_0, 1), a_1 - only(old_1, 1)
        b_0, b_1 = b_0 - only(old_0, 1), b_1 - only(old_1, 1)
        gained_0, gained_1 = gained_0 - only(old_0, 2), gained_1 - only(old_1, 2)
        held_0 = load_counts(held, in_document) - only(old_0, 2)
        held_1 = load_counts(held, in_document + WIDTH) - only(old_1, 2)

        tokens_0, tokens_1 = smoothed_0 + floats(gained_0), smoothed_1 + floats(gained_1)
        above_0 = (beta + floats(a_0)) * (beta + floats(b_0))
        above_1 = (beta + floats(a_1)) * (beta + floats(b_1))
        document_0, document_1 = alpha_0 + floats(held_0), alpha_1 + floats(held_1)
        weight_0 = above_0 / topics_factor(tokens_0, 2, scale) * (document_0 * (document_0 + one))
        weight_1 = above_1 / topics_factor(tokens_1, 2, scale) * (document_1 * (document_1 + one))
        new_0, new_1 = _drawn(weight_0, weight_1, uniform(key, i))

        bits, one_0, one_1 = bits_of(new_0, new_1), only(new_0, 1), only(new_1, 1)
        store(held, in_document, held_0 + only(new_0, 2))
        store(held, in_document + WIDTH, held_1 + only(new_1, 2))
        a_0, a_1 = a_0 + one_0, a_1 + one_1
        b_0, b_1 = b_0 + one_0, b_1 + one_1
        gained_0, gained_1 = gained_0 + only(new_0, 2), gained_1 + only(new_1, 2)
        new = lowest_bit(bits)
        if seldom(_is_no_topic(bits, n_topics)):
            new = min(new, n_topics - 1)
            fix_0, fix_1 = only(lane(new), 1) - one_0, only(lane(new - WIDTH), 1) - one_1
            store(held, in_document, load_counts(held, in_document) + fix_0 + fix_0)
            store(held, in_document + WIDTH, load_counts(held, in_document + WIDTH) + fix_1 + fix_1)
            a_0, a_1 = a_0 + fix_0, a_1 + fix_1
            b_0, b_1 = b_0 + fix_0, b_1 + fix_1
            gained_0, gained_1 = gained_0 + fix_0 + fix_0, gained_1 + fix_1 + fix_1
        topics[i] = new
    store(table, row_a, a_0)
    store(table, row_a + WIDTH, a_1)
    store(table, row_b, b_0)
    store(table, row_b + WIDTH, b_1)
    store(gained, 0, gained_0)
    store(gained, WIDTH, gained_1)


@inlined
def _count(
    block: Block, room: Room, table: NDArray[np.int32], in_document: Int, topic: Int, by: Int, n_words: Int
) -> None:
    """Count a clique in (``by`` 1) or out (-1) of a topic: whole vectors, since they are loaded as such."""
    held, gained, row_at = block.held, block.gained, room.row_at
    v = topic - topic % WIDTH
    clique, tokens = only(lane(topic - v), by), only(lane(topic - v), by * n_words)
    store(held, in_document + v, load_counts(held, in_document + v) + tokens)
    in_topic = load_counts(gained, v) + tokens
    store(gained, v, in_topic)
    beta, scale = every(np.float32(block.beta)), every(np.float32(block.scale))
    if n_words == 1:
        in_word = load_counts(table, row_at[0] + v) + clique
        store(table, row_at[0] + v, in_word)
        store(room.share, v, (beta + floats(in_word)) / (load(block.smoothed, v) + floats(in_topic)))
    else:
        for j in range(n_words):
            store(table, row_at[j] + v, load_counts(table, row_at[j] + v) + clique)
        under = topics_factor(load(block.smoothed, v) + floats(in_topic), n_words, scale)
        store(room.share, v, words_factor(room, table, n_words, v, beta) / under)


@inlined
def _sample_type(
    block: Block,
    room: Room,
    table: NDArray[np.int32],
    place: Int,
    rare: bool,
    start: Int,
    stop: Int,
    n_words: Int,
    n: Int,
) -> None:
    """The cliques of one type, in memory; ``n_words`` and ``n`` are often known when this is compiled."""
    docs, topics, held = block.docs, block.topics, block.held
    smoothed, gained, alpha = block.smoothed, block.gained, block.alpha
    share, sums, vector_of, key = room.share, room.sums, room.vector_of, block.key
    beta, scale, n_topics = every(np.float32(block.beta)), every(np.float32(block.scale)), block.n_topics
    final = docs.size - 1
    line = LINE // held.itemsize
    n_lines = (n + line - 1) // line
    for v in range(0, n, WIDTH):
        under = topics_factor(load(smoothed, v) + load(gained, v), n_words, scale)
        store(share, v, words_factor(room, table, n_words, v, beta) / under)
    for i in range(start, stop):
        ahead = np.int64(docs[min(i + AHEAD, final)]) * n
        for number in range(n_lines):
            prefetch(held, ahead + number * line)
        prefetch(held, ahead + n - 1)  # rows do not start on lines
        in_document = np.int64(docs[i]) * n
        old = np.int64(topics[i])
        _count(block, room, table, in_document, old, -1, n_words)
        added = every(np.float32(0))
        for v in range(0, n, WIDTH):
            document = load(alpha, v) + load(held, in_document + v)
            weights = document * load(share, v)
            for j in range(1, n_words):
                weights = weights * (document + every(np.float32(j)))
            added = added + weights
            store(sums, v, added)
        below = prefix_sum(added)
        drawn = every(uniform(key, i)) * last(below)
        new = min(fall(sums, n, below, drawn, vector_of), np.int64(n_topics - 1))
        _count(block, room, table, in_document, new, 1, n_words)
        topics[i] = new
        if rare and new != old:
            replace_in_bag(block, place, old, new)


@bare_kernel
def sample_dense(block: Block, room: Room, first: Int, end: Int, rare: bool) -> None:
    """Words and phrases at places from ``first`` to before ``end``; every document has a row of counts."""
    place_start = block.place_start
    for place in range(first, end):
        start, stop = place_start[place], place_start[place + 1]
        if start == stop:
            continue
        n_words, table = find_rows(block, room, place, rare)
        if n_words == 1:
            _sample_type(block, room, table, place, rare, start, stop, 1, block.alpha.size)
        else:
            _sample_type(block, room, table, place, rare, start, stop, n_words, block.alpha.size)


@bare_kernel
def sample_few(block: Block, room: Room, first: Int, end: Int) -> None:
    """Phrases at places from ``first`` to before ``end``, with up to sixteen topics."""
    place_start = block.place_start
    for place in range(first, end):
        start, stop = place_start[place], place_start[place + 1]
        if start == stop:
            continue
        n_words, table = find_rows(block, room, place, False)
        if n_words == 2 and room.multiple_of[0] == 1:
            _sample_pair(block, room, table, start, stop)
        else:
            _sample_type(block, room, table, place, False, start, stop, n_words, 2 * WIDTH)
