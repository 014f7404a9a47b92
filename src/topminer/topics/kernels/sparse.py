"""Equation 7 with many topics: the time of a draw hardly grows with their number.

The weight A_k b_k of a topic is split in two (see the notation in __init__.py)::

    A_k b_k  =  a0_k b_k  +  (A_k - a0_k) b_k

The second part is zero unless the topic occurs in the document, so it is computed for the topics on the
document's list only. The first part does not depend on the document. Its sums are kept from clique to clique:
topics lie in tiles of 64, eight vectors one below another, and there is a sum for each lane of a tile and one
for each tile. A draw from the first part finds a tile, then a lane of the tile, then a topic of the lane. A
clique that changes its topic changes the sums of two lanes and of two tiles.

Rare words follow one another. Between two of them, b_k is that of a word without tokens: a rare word changes
b_k only in the topics that it has, and changes them back afterwards.
"""

from __future__ import annotations

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
from topminer.topics.kernels.block import (
    ONE,
    TILE,
    Block,
    Scratch,
    list_factors,
    topic_factors,
    word_factors,
)
from topminer.topics.kernels.draw import draw_by_lanes, uniform
from topminer.topics.kernels.rows import count_clique, find_rows, set_topic
from topminer.topics.kernels.topic_lists import find, move, slot

LINE = 32  # numbers of a list in a cache line
AHEAD = 8  # how many cliques ahead a document is prefetched
REFRESH = 64  # rare words after which all sums are computed again, so that rounding errors do not grow


@bare_kernel
def sample_sparse(block: Block, scratch: Scratch, position: NDArray[np.int64], end: Int) -> None:
    """Sample the cliques of the phrase types from ``position[0]`` up to ``end``; none is a rare word."""
    clique_start = block.clique_start
    prepared_for: Int = 0
    for t in range(position[0], end):
        start, stop = clique_start[t], clique_start[t + 1]
        if start == stop:
            continue
        n_words, n_wk = find_rows(block, scratch, t)
        if n_words != prepared_for:
            _prepare(block, scratch, n_words)
            prepared_for = n_words
        if n_words == 1:  # LLVM knows the number, so that loops over words disappear
            smooth = _sum_up(block, scratch, n_wk, ONE)
            _sample_type(block, scratch, n_wk, t, start, stop, ONE, smooth)
        else:
            smooth = _sum_up(block, scratch, n_wk, n_words)
            _sample_type(block, scratch, n_wk, t, start, stop, n_words, smooth)


@bare_kernel
def sample_sparse_rare(block: Block, scratch: Scratch, position: NDArray[np.int64], end: Int) -> None:
    """Sample the cliques of rare words, the phrase types from ``position[0]`` up to ``end``."""
    clique_start, z_rare, z_rare_start = block.clique_start, block.z_rare, block.z_rare_start
    begin = position[0]
    n_wk = scratch.n_wk_rare
    scratch.row_at[0], scratch.c_j[0] = 0, 0
    for v in range(0, block.alpha.size, WIDTH):
        store(n_wk, v, only(lane(WIDTH), 1))
    _prepare(block, scratch, ONE)
    smooth = np.float64(0)
    for t in range(begin, end):
        if (t - begin) % REFRESH == 0:
            smooth = _sum_up(block, scratch, n_wk, ONE)
        start, stop = clique_start[t], clique_start[t + 1]
        if start == stop:
            continue
        number = t - block.first_rare_t
        first_token, end_token = z_rare_start[number], z_rare_start[number + 1]
        for i in range(first_token, end_token):
            n_wk[z_rare[i]] += 1
        for i in range(first_token, end_token):
            smooth = _update(block, scratch, n_wk, np.int64(z_rare[i]), ONE, smooth)
        smooth = _sample_type(block, scratch, n_wk, t, start, stop, ONE, smooth)
        for i in range(first_token, end_token):
            n_wk[z_rare[i]] = 0
        for i in range(first_token, end_token):
            smooth = _update(block, scratch, n_wk, np.int64(z_rare[i]), ONE, smooth)


@inlined
def _prepare(block: Block, scratch: Scratch, n_words: Int) -> None:
    """Compute a0_k and inv_n_k, which depend on the number of words but not on the words."""
    scale = every(np.float32(block.scale))
    for v in range(0, block.alpha.size, WIDTH):
        alpha = load(block.alpha, v)
        factor = alpha
        for j in range(1, n_words):
            factor = factor * (alpha + every(np.float32(j)))
        store(scratch.a0_k, v, factor)
        v_beta_n_k = load(block.v_beta_n_k, v) + load(block.n_k_change, v)
        store(scratch.inv_n_k, v, every(np.float32(1)) / topic_factors(v_beta_n_k, n_words, scale))


@inlined
def _sum_up(block: Block, scratch: Scratch, n_wk: NDArray[np.int32], n_words: Int) -> np.float64:
    """Compute b_k of a phrase type and the sums of a0_k b_k. Return the sum over all topics."""
    n, beta = block.alpha.size, every(np.float32(block.beta))
    smooth = np.float64(0)
    for tile in range(scratch.tile_sums.size):
        added = every(np.float32(0))
        end = (tile + 1) * TILE
        for v in range(tile * TILE, end if end < n else n, WIDTH):
            b_k = word_factors(scratch, n_wk, n_words, v, beta) * load(scratch.inv_n_k, v)
            store(scratch.b_k, v, b_k)
            added = added + load(scratch.a0_k, v) * b_k
        if tile * TILE < n:
            store(scratch.lane_sums, tile * WIDTH, added)
            scratch.tile_sums[tile] = first(last(prefix_sum(added)))
            smooth += scratch.tile_sums[tile]
    return smooth


@inlined
def _update(
    block: Block, scratch: Scratch, n_wk: NDArray[np.int32], k: Int, n_words: Int, smooth: np.float64
) -> np.float64:
    """Compute b_k of one topic again and change the sums that contain it. Return the sum over all topics."""
    v_beta_n_k = block.v_beta_n_k[k] + np.float32(block.n_k_change[k])
    under = v_beta_n_k
    for j in range(1, n_words):
        under *= (v_beta_n_k + np.float32(j)) * np.float32(block.scale)
    inverse = np.float32(1) / under
    b_k = np.float32(block.beta) + np.float32(n_wk[scratch.row_at[0] + k])
    for j in range(1, n_words):
        b_k *= np.float32(block.beta) + scratch.c_j[j] + np.float32(n_wk[scratch.row_at[j] + k])
    b_k *= inverse
    change = scratch.a0_k[k] * (b_k - scratch.b_k[k])
    scratch.b_k[k], scratch.inv_n_k[k] = b_k, inverse
    tile = k // TILE
    in_lane = tile * WIDTH + k % WIDTH
    in_lanes, in_tile = scratch.lane_sums[in_lane] + change, scratch.tile_sums[tile] + change
    scratch.lane_sums[in_lane] = np.float32(0) if in_lanes < 0 else in_lanes
    scratch.tile_sums[tile] = np.float32(0) if in_tile < 0 else in_tile
    return smooth + np.float64(change)


@inlined
def _count(
    block: Block, scratch: Scratch, n_wk: NDArray[np.int32], k: Int, by: Int, n_words: Int, smooth: np.float64
) -> np.float64:
    """Add a clique (``by`` 1) to topic k, or remove it (``by`` -1). Return the sum over all topics."""
    count_clique(block, scratch, n_wk, k, by, n_words)
    return _update(block, scratch, n_wk, k, n_words, smooth)


@inlined
def _draw_smooth(scratch: Scratch, drawn: np.float32) -> np.int64:
    """Return the topic that a draw from the weights a0_k b_k falls into."""
    tile_sums, lane_sums, sums = scratch.tile_sums, scratch.lane_sums, scratch.sums
    added = every(np.float32(0))
    for v in range(0, tile_sums.size, WIDTH):
        added = added + load(tile_sums, v)
        store(sums, v, added)
    below = prefix_sum(added)
    found = draw_by_lanes(sums, tile_sums.size, below, every(drawn), scratch.vector_of)
    n_tiles = np.int64(lane_sums.size // WIDTH)
    tile = found if found < n_tiles else n_tiles - 1
    drawn -= lane_of(before(below), tile % WIDTH)
    if tile >= WIDTH:
        drawn -= sums[tile - WIDTH]
    below = prefix_sum(load(lane_sums, tile * WIDTH))
    in_lane = number_of(first_above(below, every(drawn)))
    in_lane = in_lane if in_lane < WIDTH else WIDTH - 1
    drawn -= lane_of(before(below), in_lane)
    topic = tile * TILE + in_lane
    within = prefix_sum(stride(scratch.a0_k, topic) * stride(scratch.b_k, topic))
    number = number_of(first_above(within, every(drawn)))
    return np.int64(topic + WIDTH * (number if number < WIDTH else WIDTH - 1))


@inlined
def _sample_type(
    block: Block,
    scratch: Scratch,
    n_wk: NDArray[np.int32],
    t: Int,
    start: Int,
    stop: Int,
    n_words: Int,
    smooth: np.float64,
) -> np.float64:
    """Sample cliques ``start`` to ``stop``, all of phrase type t. ``smooth`` is the sum of a0_k b_k."""
    d_of, z, n_dk = block.d_of, block.z, block.n_dk
    list_starts, list_sizes, alpha = block.list_start, block.list_size, block.alpha
    b_k, sums, n_topics, key = scratch.b_k, scratch.sums, block.n_topics, block.key
    final = d_of.size - 1
    for i in range(start, stop):
        far_ahead = d_of[i + 2 * AHEAD if i + 2 * AHEAD < final else final]
        prefetch(list_starts, far_ahead)
        prefetch(list_sizes, far_ahead)
        next_d = d_of[i + AHEAD if i + AHEAD < final else final]
        ahead = list_starts[next_d]
        prefetch(n_dk, ahead)
        if list_sizes[next_d] > 2 * WIDTH:
            prefetch(n_dk, ahead + LINE)
            prefetch(n_dk, ahead + 2 * LINE)
            prefetch(n_dk, ahead + 3 * LINE)
        old = np.int64(z[i])
        smooth = _count(block, scratch, n_wk, old, np.int64(-1), n_words, smooth)

        list_start, size = list_starts[d_of[i]], np.int64(list_sizes[d_of[i]])
        added = every(np.float32(0))
        for e in range(0, size, WIDTH):
            topics = load_counts(n_dk, list_start + 2 * e)
            tokens = load_counts(n_dk, list_start + 2 * e + WIDTH)
            is_old = but_not(equal(topics, old), equal(tokens, 0))  # a free entry has topic 0 and no tokens
            weights = list_factors(alpha, topics, floats(tokens - only(is_old, n_words)), n_words)
            added = added + weights * gather(b_k, 0, topics)
            store(sums, e, added)
        below = prefix_sum(added)
        on_list = first(last(below))
        drawn = uniform(key, i) * (on_list + np.float32(smooth))
        if drawn < on_list:
            # Rounding may carry a draw past the end of the list, to a free entry.
            entry = draw_by_lanes(sums, size, below, every(drawn), scratch.vector_of)
            new_at = slot(list_start, entry if entry < size else size - 1)
            new = np.int64(n_dk[new_at])
        else:
            new = _draw_smooth(scratch, drawn - on_list)
            new = new if new < n_topics else np.int64(n_topics - 1)
            new_at = find(n_dk, list_start, size, new)
        smooth = _count(block, scratch, n_wk, new, np.int64(1), n_words, smooth)
        if new != old:
            set_topic(block, t, i, new, bool(t >= block.first_rare_t))
            list_sizes[d_of[i]] = move(n_dk, list_start, size, old, new, new_at, n_words)
    return smooth
