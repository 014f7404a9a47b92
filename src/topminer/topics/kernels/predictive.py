"""Training perplexity: how well the topics predict the documents that they were fitted to.

    p(word | document) = Σ_k (α_k + N_dk) / (Σα + N_d) · (β + N_wk) / (Vβ + N_k)

The kernel visits the words type by type, as the sampler does. It leaves out the documents' lengths.
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
from topminer.topics.kernels.block import Block, Scratch
from topminer.topics.kernels.rows import find_rows


@bare_kernel
def log_predictive(block: Block, scratch: Scratch, begin: Int, end: Int) -> float:
    """Sum log(p(word | document) (Σα + N_d)) over the tokens of phrase types ``begin`` to ``end``."""
    clique_start, d_of, n_dk = block.clique_start, block.d_of, block.n_dk
    alpha, v_beta_n_k, phi = block.alpha, block.v_beta_n_k, scratch.b_k
    n, has_lists, beta = alpha.size, block.list_size.size > 0, every(np.float32(block.beta))
    total = 0.0
    for t in range(begin, end):
        start, stop = clique_start[t], clique_start[t + 1]
        if start == stop:
            continue
        n_words, n_wk = find_rows(block, scratch, t)
        for j in range(n_words):
            prior = every(np.float32(0))
            for v in range(0, n, WIDTH):
                store(phi, v, (beta + load(n_wk, scratch.row_at[j] + v)) / load(v_beta_n_k, v))
                prior = prior + load(alpha, v) * load(phi, v)
            for i in range(start, stop):
                likely = prior
                if has_lists:
                    list_start = block.list_start[d_of[i]]
                    for e in range(0, block.list_size[d_of[i]], WIDTH):
                        topics = load_counts(n_dk, list_start + 2 * e)
                        tokens = floats(load_counts(n_dk, list_start + 2 * e + WIDTH))
                        likely = likely + tokens * gather(phi, 0, topics)
                else:
                    in_document = np.int64(d_of[i]) * n
                    for v in range(0, n, WIDTH):
                        likely = likely + load(n_dk, in_document + v) * load(phi, v)
                total += math.log(first(last(prefix_sum(likely))))
    return total
