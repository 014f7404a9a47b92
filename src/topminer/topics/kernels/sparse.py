"""Equation 7 with many topics: the time of a draw hardly grows with their number.

The weight A_k b_k of a topic is split in two (see the notation in __init__.py)::

    A_k b_k  =  a0_k b_k  +  (A_k - a0_k) b_k

The second part is zero unless the topic occurs in the document, so it is computed for the topics on the
document's list only. The first part does not depend on the document. Topics lie in tiles of 64, and the sum
of the first part over each tile is kept from clique to clique; a clique changes two of them.

One draw serves both parts: it falls into a topic of the list or into a tile. Only if it falls into a tile are
the 64 weights of the tile computed and summed up, and a topic of the tile is found.

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
)
from topminer.topics.kernels.block import (
    ONE,
    TILE,
    TWO,
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
            _sum_up(block, scratch, n_wk, ONE)
            _sample_type(block, scratch, n_wk, t, start, stop, ONE)
        elif n_words == 2:
            _sum_up(block, scratch, n_wk, TWO)
            _sample_type(block, scratch, n_wk, t, start, stop, TWO)
        else:
            _sum_up(block, scratch, n_wk, n_words)
            _sample_type(block, scratch, n_wk, t, start, stop, n_words)


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
    for t in range(begin, end):
        if (t - begin) % REFRESH == 0:
            _sum_up(block, scratch, n_wk, ONE)
        start, stop = clique_start[t], clique_start[t + 1]
        if start == stop:
            continue
        number = t - block.first_rare_t
        first_token, end_token = z_rare_start[number], z_rare_start[number + 1]
        for i in range(first_token, end_token):
            n_wk[z_rare[i]] += 1
        for i in range(first_token, end_token):
            _update(block, scratch, n_wk, np.int64(z_rare[i]), ONE)
        _sample_type(block, scratch, n_wk, t, start, stop, ONE)
        for i in range(first_token, end_token):
            n_wk[z_rare[i]] = 0
        for i in range(first_token, end_token):
            _update(block, scratch, n_wk, np.int64(z_rare[i]), ONE)


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
def _sum_up(block: Block, scratch: Scratch, n_wk: NDArray[np.int32], n_words: Int) -> None:
    """Compute b_k of a phrase type and the sums of a0_k b_k over tiles."""
    n, beta = block.alpha.size, every(np.float32(block.beta))
    for tile in range(scratch.b_k.size // TILE):
        added = every(np.float32(0))
        end = (tile + 1) * TILE
        for v in range(tile * TILE, end if end < n else n, WIDTH):
            b_k = word_factors(scratch, n_wk, n_words, v, beta) * load(scratch.inv_n_k, v)
            store(scratch.b_k, v, b_k)
            added = added + load(scratch.a0_k, v) * b_k
        scratch.tile_sums[tile] = first(last(prefix_sum(added)))


@inlined
def _update(block: Block, scratch: Scratch, n_wk: NDArray[np.int32], k: Int, n_words: Int) -> None:
    """Compute b_k of one topic again and change the sum of its tile."""
    v_beta_n_k = block.v_beta_n_k[k] + np.float32(block.n_k_change[k])
    under = v_beta_n_k
    for j in range(1, n_words):
        under *= (v_beta_n_k + np.float32(j)) * np.float32(block.scale)
    inverse = np.float32(1) / under
    b_k = np.float32(block.beta) + np.float32(n_wk[scratch.row_at[0] + k])
    for j in range(1, n_words):
        b_k *= np.float32(block.beta) + scratch.c_j[j] + np.float32(n_wk[scratch.row_at[j] + k])
    b_k *= inverse
    in_tile = scratch.tile_sums[k // TILE] + scratch.a0_k[k] * (b_k - scratch.b_k[k])
    scratch.tile_sums[k // TILE] = np.float32(0) if in_tile < 0 else in_tile
    scratch.b_k[k], scratch.inv_n_k[k] = b_k, inverse


@inlined
def _count(block: Block, scratch: Scratch, n_wk: NDArray[np.int32], k: Int, by: Int, n_words: Int) -> None:
    """Add a clique (``by`` 1) to topic k, or remove it (``by`` -1)."""
    count_clique(block, scratch, n_wk, k, by, n_words)
    _update(block, scratch, n_wk, k, n_words)


@inlined
def _draw_from_tile(scratch: Scratch, tile: Int, drawn: np.float32) -> np.int64:
    """Return the topic of a tile that a draw from the weights a0_k b_k falls into."""
    a0_k, b_k, sums = scratch.a0_k, scratch.b_k, scratch.sums
    start = tile * TILE
    added = every(np.float32(0))
    for v in range(0, TILE, WIDTH):
        added = added + load(a0_k, start + v) * load(b_k, start + v)
        store(sums, v, added)
    return start + draw_by_lanes(sums, TILE, prefix_sum(added), every(drawn), scratch.vector_of)


@inlined
def _sample_type(
    block: Block, scratch: Scratch, n_wk: NDArray[np.int32], t: Int, start: Int, stop: Int, n_words: Int
) -> None:
    """Sample cliques ``start`` to ``stop``, all of phrase type t."""
    d_of, z, n_dk = block.d_of, block.z, block.n_dk
    list_starts, list_sizes, alpha = block.list_start, block.list_size, block.alpha
    b_k, sums, tile_sums = scratch.b_k, scratch.sums, scratch.tile_sums
    n_topics, n_tiles, key = block.n_topics, b_k.size // TILE, block.key
    final = d_of.size - 1
    for i in range(start, stop):
        far_ahead = d_of[i + 2 * AHEAD if i + 2 * AHEAD < final else final]
        prefetch(list_starts, far_ahead)
        prefetch(list_sizes, far_ahead)
        ahead = list_starts[d_of[i + AHEAD if i + AHEAD < final else final]]
        for line in range(4):
            prefetch(n_dk, ahead + line * LINE)
        old = np.int64(z[i])
        _count(block, scratch, n_wk, old, np.int64(-1), n_words)

        # Running sums, lane by lane: first over the list, then over the tiles.
        list_start, size = list_starts[d_of[i]], np.int64(list_sizes[d_of[i]])
        added = every(np.float32(0))
        first_tile, old_at = 0, list_start
        for e in range(0, size, WIDTH):
            here = list_start + 2 * e
            topics, tokens = load_counts(n_dk, here), load_counts(n_dk, here + WIDTH)
            is_old = but_not(equal(topics, old), equal(tokens, 0))  # a free entry has topic 0 and no tokens
            found = number_of(is_old)
            old_at = here + found if found < WIDTH else old_at  # no branch: it would be mispredicted
            weights = list_factors(alpha, topics, floats(tokens - only(is_old, n_words)), n_words)
            added = added + weights * gather(b_k, 0, topics)
            store(sums, e, added)
            first_tile = e + WIDTH
        for v in range(0, tile_sums.size, WIDTH):
            added = added + load(tile_sums, v)
            store(sums, first_tile + v, added)

        below = prefix_sum(added)
        drawn = every(uniform(key, i)) * last(below)
        number = draw_by_lanes(sums, first_tile + tile_sums.size, below, drawn, scratch.vector_of)
        if number < first_tile:
            # If a weight is not a number, the draw may fall into a free entry.
            new_at = slot(list_start, number if number < size else size - 1)
            new = np.int64(n_dk[new_at])
        else:
            tile = number - first_tile
            left = first(drawn) - lane_of(before(below), number % WIDTH) - sums[number - WIDTH]
            new = _draw_from_tile(scratch, tile if tile < n_tiles else n_tiles - 1, left)
            new = new if new < n_topics else np.int64(n_topics - 1)
            new_at = find(n_dk, list_start, size, new)
        _count(block, scratch, n_wk, new, np.int64(1), n_words)
        if new != old:
            set_topic(block, t, i, new, bool(t >= block.first_rare_t))
            list_sizes[d_of[i]] = move(n_dk, list_start, size, old_at, new, new_at, n_words)
