"""Equation 7 with many topics, in time that hardly grows with their number.

Let a0_k be the document's factor of a topic it does not have, the product of (alpha_k + j - 1), and A_dk the
factor it has. Then a topic's weight falls into two::

    A_dk B_k  =  a0_k B_k  +  (A_dk - a0_k) B_k          (B_k: the type's share, see gibbs.py)

The second is zero but for the topics of the document, which lie in a packed list. The first is the same for
all documents. Its sums are kept: topics lie in squares of eight vectors, one below the other, and there is a
sum for each lane of a square and one for each square. A draw falls into a square, a lane of it, and a topic
of that lane; a clique that changes its topic changes the sums of two lanes and two squares.

A list is made of blocks of sixteen numbers, eight topics and then the tokens of each; a free entry has none.
Between rare words the shares are those of a word without any tokens: such a word changes them only where it
has some, and back when its turn is over.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import (
    WIDTH,
    before,
    but_not,
    equal,
    every,
    first,
    first_above,
    floats,
    gather,
    lane,
    lane_of,
    last,
    load,
    load_counts,
    number_of,
    only,
    prefetch,
    prefix_sum,
    store,
    stride,
)
from topminer.topics.kernels.block import Block, Room, topics_factor, words_factor
from topminer.topics.kernels.draw import fall, uniform
from topminer.topics.kernels.rows import find_rows, replace_in_bag

BLOCK = 2 * WIDTH
SQUARE = WIDTH * WIDTH
LINE = 32  # numbers of a list in a cache line
AHEAD = 8  # cliques from now, the document that will be needed
AFRESH = 64  # rare words after which all sums are made anew: no error grows


@bare_kernel
def sample_packed(block: Block, room: Room, first_place: Int, end: Int) -> None:
    """Words with a row, and phrases, at places from ``first_place`` to before ``end``."""
    place_start = block.place_start
    ready_for: Int = 0
    for place in range(first_place, end):
        start, stop = place_start[place], place_start[place + 1]
        if start == stop:
            continue
        n_words, table = find_rows(block, room, place, False)
        if n_words != ready_for:
            _prepare(block, room, n_words)
            ready_for = n_words
        if n_words == 1:
            smooth = _add_up(block, room, table, 1)
            _sample_type(block, room, table, place, False, start, stop, 1, smooth)
        else:
            smooth = _add_up(block, room, table, n_words)
            _sample_type(block, room, table, place, False, start, stop, n_words, smooth)


@bare_kernel
def sample_packed_rare(block: Block, room: Room, first_place: Int, end: Int) -> None:
    """Rare words at places from ``first_place`` to before ``end``."""
    place_start, bags, bag_start, rows = block.place_start, block.bags, block.bag_start, room.rows
    room.row_at[0], room.copies_of[0], room.multiple_of[0] = 0, 0, 1
    for v in range(0, block.alpha.size, WIDTH):
        store(rows, v, only(lane(WIDTH), 1))
    _prepare(block, room, 1)
    smooth = np.float64(0)
    for place in range(first_place, end):
        if (place - first_place) % AFRESH == 0:
            smooth = _add_up(block, room, rows, 1)
        start, stop = place_start[place], place_start[place + 1]
        if start == stop:
            continue
        bag, bag_end = bag_start[place - block.first_rare], bag_start[place - block.first_rare + 1]
        for i in range(bag, bag_end):
            rows[bags[i]] += 1
        for i in range(bag, bag_end):
            smooth = _renew(block, room, rows, np.int64(bags[i]), 1, smooth)
        smooth = _sample_type(block, room, rows, place, True, start, stop, 1, smooth)
        for i in range(bag, bag_end):
            rows[bags[i]] = 0
        for i in range(bag, bag_end):
            smooth = _renew(block, room, rows, np.int64(bags[i]), 1, smooth)


@inlined
def _prepare(block: Block, room: Room, n_words: Int) -> None:
    """What depends on the number of words, but not on the words."""
    scale = every(np.float32(block.scale))
    for v in range(0, block.alpha.size, WIDTH):
        alpha = load(block.alpha, v)
        factor = alpha
        for j in range(1, n_words):
            factor = factor * (alpha + every(np.float32(j)))
        store(room.absent, v, factor)
        tokens = load(block.smoothed, v) + load(block.gained, v)
        store(room.inverse, v, every(np.float32(1)) / topics_factor(tokens, n_words, scale))


@inlined
def _add_up(block: Block, room: Room, table: NDArray[np.int32], n_words: Int) -> np.float64:
    """The shares of a type, and all sums; that over all topics."""
    n, beta = block.alpha.size, every(np.float32(block.beta))
    smooth = np.float64(0)
    for square in range(room.square_sums.size):
        added = every(np.float32(0))
        for v in range(square * SQUARE, min((square + 1) * SQUARE, n), WIDTH):
            share = words_factor(room, table, n_words, v, beta) * load(room.inverse, v)
            store(room.share, v, share)
            added = added + load(room.absent, v) * share
        if square * SQUARE < n:
            store(room.lane_sums, square * WIDTH, added)
            room.square_sums[square] = first(last(prefix_sum(added)))
            smooth += room.square_sums[square]
    return smooth


@inlined
def _renew(
    block: Block, room: Room, table: NDArray[np.int32], topic: Int, n_words: Int, smooth: np.float64
) -> np.float64:
    """Make the share of a topic anew, and change the sums that contain it; that over all topics."""
    tokens = block.smoothed[topic] + np.float32(block.gained[topic])
    under = tokens
    for j in range(1, n_words):
        under *= (tokens + np.float32(j)) * np.float32(block.scale)
    inverse = np.float32(1) / under
    share = np.float32(block.beta) + np.float32(table[room.row_at[0] + topic])
    for j in range(1, n_words):
        share *= np.float32(block.beta) + room.copies_of[j] + np.float32(table[room.row_at[j] + topic])
    share *= inverse
    change = room.absent[topic] * (share - room.share[topic])
    room.share[topic], room.inverse[topic] = share, inverse
    square = topic // SQUARE
    in_lane = square * WIDTH + topic % WIDTH
    room.lane_sums[in_lane] = max(room.lane_sums[in_lane] + change, np.float32(0))
    room.square_sums[square] = max(room.square_sums[square] + change, np.float32(0))
    return smooth + np.float64(change)


@inlined
def _count(
    block: Block, room: Room, table: NDArray[np.int32], topic: Int, by: Int, n_words: Int, smooth: np.float64
) -> np.float64:
    """Count a clique in (``by`` 1) or out (-1) of a topic."""
    block.gained[topic] += by * n_words
    for j in range(n_words):
        table[room.row_at[j] + topic] += by
    return _renew(block, room, table, topic, n_words, smooth)


@inlined
def _fall_in_absent(room: Room, drawn: np.float32) -> np.int64:
    """The topic into which a draw from the weights a0_k B_k falls."""
    squares, lanes, sums = room.square_sums, room.lane_sums, room.sums
    added = every(np.float32(0))
    for v in range(0, squares.size, WIDTH):
        added = added + load(squares, v)
        store(sums, v, added)
    below = prefix_sum(added)
    fallen = fall(sums, squares.size, below, every(drawn), room.vector_of)
    square = min(fallen, np.int64(lanes.size // WIDTH - 1))
    drawn -= lane_of(before(below), square % WIDTH)
    if square >= WIDTH:
        drawn -= sums[square - WIDTH]
    below = prefix_sum(load(lanes, square * WIDTH))
    in_lane = min(number_of(first_above(below, every(drawn))), WIDTH - 1)
    drawn -= lane_of(before(below), in_lane)
    topic = square * SQUARE + in_lane
    within = prefix_sum(stride(room.absent, topic) * stride(room.share, topic))
    return np.int64(topic + WIDTH * min(number_of(first_above(within, every(drawn))), WIDTH - 1))


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
    smooth: np.float64,
) -> np.float64:
    """The cliques of one type."""
    docs, topics, held = block.docs, block.topics, block.held
    held_start, held_size, alpha = block.held_start, block.held_size, block.alpha
    share, sums, n_topics, key = room.share, room.sums, block.n_topics, block.key
    final = docs.size - 1
    for i in range(start, stop):
        prefetch(held_start, docs[min(i + 2 * AHEAD, final)])
        prefetch(held_size, docs[min(i + 2 * AHEAD, final)])
        ahead = held_start[docs[min(i + AHEAD, final)]]
        prefetch(held, ahead)
        if held_size[docs[min(i + AHEAD, final)]] > 2 * WIDTH:
            prefetch(held, ahead + LINE)
            prefetch(held, ahead + 2 * LINE)
            prefetch(held, ahead + 3 * LINE)
        old = np.int64(topics[i])
        smooth = _count(block, room, table, old, -1, n_words, smooth)

        list_start, size = held_start[docs[i]], np.int64(held_size[docs[i]])
        added = every(np.float32(0))
        for e in range(0, size, WIDTH):
            on_list = load_counts(held, list_start + 2 * e)
            tokens = load_counts(held, list_start + 2 * e + WIDTH)
            is_old = but_not(equal(on_list, old), equal(tokens, 0))  # a free entry has topic 0, and no tokens
            weights = floats(tokens - only(is_old, n_words))
            if n_words > 1:
                absent = gather(alpha, 0, on_list)
                present = absent + weights
                absent_factor, weights = absent, present
                for j in range(1, n_words):
                    absent_factor = absent_factor * (absent + every(np.float32(j)))
                    weights = weights * (present + every(np.float32(j)))
                weights = weights - absent_factor
            added = added + weights * gather(share, 0, on_list)
            store(sums, e, added)
        below = prefix_sum(added)
        listed = first(last(below))
        drawn = uniform(key, i) * (listed + np.float32(smooth))
        if drawn < listed:
            # Rounding may carry a draw past the end of the list, where an entry is free.
            entry = min(fall(sums, size, below, every(drawn), room.vector_of), size - 1)
            new_at = list_start + entry + entry // WIDTH * WIDTH
            new = np.int64(held[new_at])
        else:
            new = min(_fall_in_absent(room, drawn - listed), np.int64(n_topics - 1))
            new_at = find(held, list_start, size, new)
        smooth = _count(block, room, table, new, 1, n_words, smooth)
        if new != old:
            topics[i] = new
            held_size[docs[i]] = move(held, list_start, size, old, new, new_at, n_words)
            if rare:
                replace_in_bag(block, place, old, new)
    return smooth


@inlined
def find(held: NDArray[Any], list_start: Int, size: Int, topic: Int) -> Int:
    """Where on a list a topic stands; -1: nowhere."""
    at = -1
    for e in range(0, size, WIDTH):
        here = list_start + 2 * e
        is_free = equal(load_counts(held, here + WIDTH), 0)
        found = number_of(but_not(equal(load_counts(held, here), topic), is_free))
        at = here + found if found < WIDTH else at  # no branch: nobody can guess it
    return at


@inlined
def move(held: NDArray[Any], list_start: Int, size: Int, old: Int, new: Int, new_at: Int, tokens: Int) -> Int:
    """Let ``tokens`` of a document change their topic; how many topics are now on the document's list.

    ``new_at`` is where the new topic stands on the list, or -1 if it does not.
    """
    at = find(held, list_start, size, old)
    left = np.int64(held[at + WIDTH]) - tokens
    if new_at < 0 and left == 0:
        held[at] = new
    else:
        held[at + WIDTH] = left
        size = put(held, list_start, size, new, new_at, tokens)
        if left == 0:
            size -= 1
            end = list_start + size + size // WIDTH * WIDTH
            held[at], held[at + WIDTH] = held[end], held[end + WIDTH]
            held[end], held[end + WIDTH] = 0, 0
    return size


@inlined
def put(held: NDArray[Any], list_start: Int, size: Int, topic: Int, at: Int, tokens: Int) -> Int:
    """Give a document ``tokens`` of a topic that stands ``at`` a place on its list, or does not (-1)."""
    if at < 0:
        at = list_start + size + size // WIDTH * WIDTH
        held[at] = topic
        size += 1
    held[at + WIDTH] += tokens
    return size
