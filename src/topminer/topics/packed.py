"""Equation 7 with many topics, in time that hardly grows with their number.

Let a0_k be the document's factor of a topic it does not have, the product of (alpha_k + j - 1), and A_dk the
factor it has. Then a topic's weight falls into two::

    A_dk B_k  =  a0_k B_k  +  (A_dk - a0_k) B_k          (B_k: the type's share, see gibbs.py)

The second is zero but for the topics of the document, which lie in a packed list. The first is the same for
all documents: it is kept in sums over eight topics each, of which two change in a step.

A list is made of blocks of sixteen numbers, eight topics and then the tokens of each; a free entry has none.
Between rare words the shares are those of a word without any tokens: such a word changes them only where it
has some, and back when its turn is over.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer._jit import Int, bare_kernel, inlined
from topminer._lanes import (
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
    last,
    load,
    load_counts,
    number_of,
    only,
    prefetch,
    prefix_sum,
    replaced,
    store,
)
from topminer.topics.block import Block, Room, share_of
from topminer.topics.draw import fall, uniform
from topminer.topics.rows import give_type, replace_in_bag, take_type

BLOCK = 2 * WIDTH
AHEAD = 8  # cliques from now, the document that will be needed


@bare_kernel
def sample_packed(block: Block, room: Room, first_place: Int, end: Int) -> None:
    """Words with a row, and phrases, at places from ``first_place`` to before ``end``."""
    place_start, alpha = block.place_start, block.alpha
    n = alpha.size
    for place in range(first_place, end):
        start, stop = place_start[place], place_start[place + 1]
        if start == stop:
            continue
        n_words = take_type(block, room, place, False)
        smooth = np.float64(0)
        for v in range(0, n, WIDTH):
            factor = load(alpha, v)
            for j in range(1, n_words):
                factor = factor * (load(alpha, v) + every(np.float32(j)))
            store(room.absent, v, factor)
            room.block_sums[v // WIDTH] = 0
            smooth = _refresh(block, room, n_words, v, smooth)
        if n_words == 1:
            _sample_type(block, room, place, False, start, stop, 1, smooth)
        else:
            _sample_type(block, room, place, False, start, stop, n_words, smooth)
        give_type(block, room, place)


@bare_kernel
def sample_packed_rare(block: Block, room: Room, first_place: Int, end: Int) -> None:
    """Rare words at places from ``first_place`` to before ``end``."""
    place_start, alpha, bags, bag_start = block.place_start, block.alpha, block.bags, block.bag_start
    rows = room.rows
    room.slot_of[0], room.copies_of[0], room.multiple_of[0] = 0, 0, 1
    smooth = np.float64(0)
    for v in range(0, alpha.size, WIDTH):
        store(rows, v, only(lane(WIDTH), 1))
        store(room.absent, v, load(alpha, v))
        room.block_sums[v // WIDTH] = 0
        smooth = _refresh(block, room, 1, v, smooth)
    for place in range(first_place, end):
        start, stop = place_start[place], place_start[place + 1]
        if start == stop:
            continue
        bag, bag_end = bag_start[place - block.first_rare], bag_start[place - block.first_rare + 1]
        for i in range(bag, bag_end):
            rows[bags[i]] += 1
        for i in range(bag, bag_end):
            smooth = _refresh(block, room, 1, np.int64(bags[i]) // WIDTH * WIDTH, smooth)
        smooth = _sample_type(block, room, place, True, start, stop, 1, smooth)
        for i in range(bag, bag_end):
            rows[bags[i]] = 0
        for i in range(bag, bag_end):
            smooth = _refresh(block, room, 1, np.int64(bags[i]) // WIDTH * WIDTH, smooth)


@inlined
def _refresh(block: Block, room: Room, n_words: Int, v: Int, smooth: np.float64) -> np.float64:
    """Make the shares of a vector of topics anew, and the sums that contain them."""
    share = share_of(
        room, n_words, block.alpha.size, v, every(np.float32(block.beta)),
        every(np.float32(block.scale)), block.smoothed, block.gained,
    )  # fmt: skip
    store(room.share, v, share)
    added = first(last(prefix_sum(load(room.absent, v) * share)))
    number = v // WIDTH
    smooth += added - room.block_sums[number]
    # As a whole vector: one that was put together from single stores is slow to load.
    here = number - number % WIDTH
    store(room.block_sums, here, replaced(load(room.block_sums, here), lane(number - here), added))
    return smooth


@inlined
def _change(block: Block, room: Room, topic: Int, by: Int, n_words: Int, smooth: np.float64) -> np.float64:
    """Count a clique in (``by`` 1) or out (-1)."""
    gained, rows = block.gained, room.rows
    v = topic - topic % WIDTH
    store(gained, v, load_counts(gained, v) + only(lane(topic - v), by * n_words))
    for j in range(n_words):
        at = room.slot_of[j] * block.alpha.size + v
        store(rows, at, load_counts(rows, at) + only(lane(topic - v), by))
    return _refresh(block, room, n_words, v, smooth)


@inlined
def _share_without(block: Block, room: Room, topic: Int, n_words: Int) -> np.float32:
    """What the share of a topic would be if a clique were taken out of it."""
    tokens = block.smoothed[topic] + np.float32(block.gained[topic] - n_words)
    share = np.float32(1)
    for j in range(n_words):
        count = room.rows[room.slot_of[j] * block.alpha.size + topic] - room.multiple_of[j]
        in_word = np.float32(block.beta) + room.copies_of[j] + np.float32(count)
        share *= in_word / (tokens + np.float32(j))
        if j > 0:
            share *= np.float32(block.scale)
    return share


@inlined
def _fall_in_absent(room: Room, n: Int, drawn: Any) -> Int:
    """The topic into which a draw from the weights a0_k B_k falls."""
    block_sums, sums = room.block_sums, room.sums
    n_blocks = block_sums.size
    added = every(np.float32(0))
    for v in range(0, n_blocks, WIDTH):
        added = added + load(block_sums, v)
        store(sums, v, added)
    below = prefix_sum(added)
    number = min(fall(sums, n_blocks, below, every(drawn), room.vector_of), n // WIDTH - 1)
    # What is left of the draw inside the block: less the lanes before, and the vectors before in its lane.
    in_lane = number % WIDTH
    store(room.left, 0, before(below))
    drawn -= room.left[in_lane]
    if number >= WIDTH:
        drawn -= sums[number - WIDTH]
    here = number * WIDTH
    within = prefix_sum(load(room.absent, here) * load(room.share, here))
    return here + min(number_of(first_above(within, every(drawn))), WIDTH - 1)


@inlined
def _topic(number: Int, n_topics: Int) -> np.int64:
    """Not past the last topic, where rounding may have carried a draw."""
    return min(np.int64(number), np.int64(n_topics - 1))


@inlined
def _sample_type(
    block: Block, room: Room, place: Int, rare: bool, start: Int, stop: Int, n_words: Int, smooth: np.float64
) -> np.float64:
    """The cliques of one type."""
    docs, topics, held = block.docs, block.topics, block.held
    held_start, held_size, alpha = block.held_start, block.held_size, block.alpha
    share, sums, n_topics, key = room.share, room.sums, block.n_topics, block.key
    final = docs.size - 1
    for i in range(start, stop):
        prefetch(held_start, docs[min(i + 2 * AHEAD, final)])
        prefetch(held_size, docs[min(i + AHEAD, final)])
        ahead = held_start[docs[min(i + AHEAD, final)]]
        prefetch(held, ahead)
        prefetch(held, ahead + 2 * BLOCK)
        old = np.int64(topics[i])
        without = _share_without(block, room, old, n_words)
        smooth_without = smooth - np.float64(room.absent[old] * (share[old] - without))

        list_start, size = held_start[docs[i]], np.int64(held_size[docs[i]])
        added = every(np.float32(0))
        for e in range(0, size, WIDTH):
            on_list = load_counts(held, list_start + 2 * e)
            tokens = load_counts(held, list_start + 2 * e + WIDTH)
            is_old = but_not(equal(on_list, old), equal(tokens, 0))  # a free entry has topic 0, and no tokens
            weights = floats(tokens - only(is_old, n_words))
            if n_words > 1:
                absent = gather(alpha, on_list)
                present = absent + weights
                absent_factor, weights = absent, present
                for j in range(1, n_words):
                    absent_factor = absent_factor * (absent + every(np.float32(j)))
                    weights = weights * (present + every(np.float32(j)))
                weights = weights - absent_factor
            added = added + weights * replaced(gather(share, on_list), is_old, without)
            store(sums, e, added)
        below = prefix_sum(added)
        listed = first(last(below))
        drawn = uniform(key, i) * (listed + np.float32(smooth_without))
        if drawn < listed:
            entry = fall(sums, size, below, every(drawn), room.vector_of)
            new = _topic(held[list_start + entry + entry // WIDTH * WIDTH], n_topics)
            if new == old:
                continue
            smooth = _change(block, room, old, -1, n_words, smooth)
        else:
            smooth = _change(block, room, old, -1, n_words, smooth)
            new = _topic(_fall_in_absent(room, alpha.size, drawn - listed), n_topics)
        smooth = _change(block, room, new, 1, n_words, smooth)
        if new != old:
            topics[i] = new
            held_size[docs[i]] = move(held, list_start, size, old, new, n_words)
            if rare:
                replace_in_bag(block, place, old, new)
    return smooth


@inlined
def _find(held: NDArray[Any], list_start: Int, size: Int, topic: Int) -> Int:
    """Where on a list a topic stands; -1: nowhere."""
    for e in range(0, size, WIDTH):
        found = number_of(equal(load_counts(held, list_start + 2 * e), topic))
        if e + found < size and found < WIDTH:
            return list_start + 2 * e + found
    return -1


@inlined
def move(held: NDArray[Any], list_start: Int, size: Int, old: Int, new: Int, tokens: Int) -> Int:
    """Let ``tokens`` of a document change their topic; how many topics are now on the document's list."""
    at = _find(held, list_start, size, old)
    held[at + WIDTH] -= tokens
    if held[at + WIDTH] == 0:
        size -= 1
        end = list_start + size + size // WIDTH * WIDTH
        held[at], held[at + WIDTH] = held[end], held[end + WIDTH]
        held[end], held[end + WIDTH] = 0, 0
    return put(held, list_start, size, new, tokens)


@inlined
def put(held: NDArray[Any], list_start: Int, size: Int, topic: Int, tokens: Int) -> Int:
    """Give a document ``tokens`` of a topic; how many topics are now on its list."""
    at = _find(held, list_start, size, topic)
    if at < 0:
        at = list_start + size + size // WIDTH * WIDTH
        held[at] = topic
        size += 1
    held[at + WIDTH] += tokens
    return size
