"""How well the topics explain the very documents they were made from: training perplexity.

p(word | document) = sum over k of (alpha_k + N_dk) / (sum of alpha + N_d) * (beta + N_wk) / (V beta + N_k)

The words are visited type by type, as when they are sampled.
"""

from __future__ import annotations

import math

import numpy as np

from topminer.jit import Int, bare_kernel
from topminer.jit.lanes import (
    WIDTH,
    every,
    first,
    floats,
    gather,
    last,
    load,
    load_counts,
    prefix_sum,
    store,
)
from topminer.topics.kernels.block import Block, Room
from topminer.topics.kernels.rows import find_rows


@bare_kernel
def log_predictive(block: Block, room: Room, first_place: Int, end: Int, rare: bool) -> float:
    """Sum of log(p(word | document) * (sum of alpha + N_d)) over the tokens of some places' cliques."""
    place_start, docs, held = block.place_start, block.docs, block.held
    alpha, smoothed, share = block.alpha, block.smoothed, room.share
    n, packed, beta = alpha.size, block.held_size.size > 0, every(np.float32(block.beta))
    total = 0.0
    for place in range(first_place, end):
        start, stop = place_start[place], place_start[place + 1]
        if start == stop:
            continue
        n_words, table = find_rows(block, room, place, rare)
        for j in range(n_words):
            smooth = every(np.float32(0))
            for v in range(0, n, WIDTH):
                store(share, v, (beta + load(table, room.row_at[j] + v)) / load(smoothed, v))
                smooth = smooth + load(alpha, v) * load(share, v)
            for i in range(start, stop):
                likely = smooth
                if packed:
                    list_start = block.held_start[docs[i]]
                    for e in range(0, block.held_size[docs[i]], WIDTH):
                        on_list = load_counts(held, list_start + 2 * e)
                        tokens = floats(load_counts(held, list_start + 2 * e + WIDTH))
                        likely = likely + tokens * gather(share, 0, on_list)
                else:
                    in_document = np.int64(docs[i]) * n
                    for v in range(0, n, WIDTH):
                        likely = likely + load(held, in_document + v) * load(share, v)
                total += math.log(first(last(prefix_sum(likely))))
    return total
