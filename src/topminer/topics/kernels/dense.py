"""Equation 7 with up to 128 topics: every document has a row of counts, and all topics are weighed.

Cliques are sampled type by type. The weight of topic k for a clique in document d is A_k b_k: A_k depends on
the document, b_k on the phrase type (see the notation in __init__.py). b_k stays in the first-level cache
while the documents change, and a draw changes it in two topics only.

A topic is drawn by lanes: weights are added up over vectors, lane by lane, and then over the lanes. The draw
finds a lane first and then a vector (draw.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import (
    WIDTH,
    every,
    floats,
    lane,
    last,
    load,
    load_counts,
    only,
    prefetch,
    prefix_sum,
    store,
)
from topminer.topics.kernels.block import ONE, Block, Scratch, topic_factors, word_factors
from topminer.topics.kernels.draw import draw_by_lanes, uniform
from topminer.topics.kernels.rows import find_rows, replace_rare

LINE = 64  # bytes in a cache line
AHEAD = 8  # how many cliques ahead a document is prefetched


@bare_kernel
def sample_dense(block: Block, scratch: Scratch, first: Int, end: Int, rare: bool) -> None:
    """Sample the cliques of phrase types ``first`` to ``end``; ``rare``: all of them are rare words."""
    clique_start = block.clique_start
    for t in range(first, end):
        start, stop = clique_start[t], clique_start[t + 1]
        if start == stop:
            continue
        n_words, n_wk = find_rows(block, scratch, t, rare)
        if n_words == 1:  # LLVM knows the number, so that loops over words disappear
            sample_type(block, scratch, n_wk, t, rare, start, stop, ONE, block.alpha.size)
        else:
            sample_type(block, scratch, n_wk, t, rare, start, stop, n_words, block.alpha.size)


@inlined
def sample_type(
    block: Block,
    scratch: Scratch,
    n_wk: NDArray[np.int32],
    t: Int,
    rare: bool,
    start: Int,
    stop: Int,
    n_words: Int,
    n: Int,
) -> None:
    """Sample cliques ``start`` to ``stop``, all of phrase type t.

    Rows have length ``n``. The compiler may know ``n_words`` and ``n`` and unroll loops.
    """
    d_of, z, n_dk = block.d_of, block.z, block.n_dk
    v_beta_n_k, n_k_change, alpha = block.v_beta_n_k, block.n_k_change, block.alpha
    b_k, sums, vector_of, key = scratch.b_k, scratch.sums, scratch.vector_of, block.key
    beta, scale, n_topics = every(np.float32(block.beta)), every(np.float32(block.scale)), block.n_topics
    final = d_of.size - 1
    line = LINE // n_dk.itemsize
    n_lines = (n + line - 1) // line
    for v in range(0, n, WIDTH):
        under = topic_factors(load(v_beta_n_k, v) + load(n_k_change, v), n_words, scale)
        store(b_k, v, word_factors(scratch, n_wk, n_words, v, beta) / under)
    for i in range(start, stop):
        ahead = np.int64(d_of[i + AHEAD if i + AHEAD < final else final]) * n
        for number in range(n_lines):
            prefetch(n_dk, ahead + number * line)
        prefetch(n_dk, ahead + n - 1)  # a row need not start at a cache line
        in_document = np.int64(d_of[i]) * n
        old = np.int64(z[i])
        _count(block, scratch, n_wk, in_document, old, np.int64(-1), n_words)
        added = every(np.float32(0))
        for v in range(0, n, WIDTH):
            document = load(alpha, v) + load(n_dk, in_document + v)
            weights = document * load(b_k, v)
            for j in range(1, n_words):
                weights = weights * (document + every(np.float32(j)))
            added = added + weights
            store(sums, v, added)
        below = prefix_sum(added)
        drawn = every(uniform(key, i)) * last(below)
        new = draw_by_lanes(sums, n, below, drawn, vector_of)
        new = new if new < n_topics else np.int64(n_topics - 1)
        _count(block, scratch, n_wk, in_document, new, np.int64(1), n_words)
        z[i] = new
        if rare and new != old:
            replace_rare(block, t, old, new)


@inlined
def _count(
    block: Block, scratch: Scratch, n_wk: NDArray[np.int32], in_document: Int, k: Int, by: Int, n_words: Int
) -> None:
    """Add a clique (``by`` 1) to topic k, or remove it (``by`` -1), in all counts, and update b_k.

    Whole vectors are stored: the next load of the same vector would stall on a smaller store.
    """
    n_dk, n_k_change, row_at = block.n_dk, block.n_k_change, scratch.row_at
    v = k - k % WIDTH
    clique, tokens = only(lane(k - v), by), only(lane(k - v), by * n_words)
    store(n_dk, in_document + v, load_counts(n_dk, in_document + v) + tokens)
    in_topic = load_counts(n_k_change, v) + tokens
    store(n_k_change, v, in_topic)
    beta, scale = every(np.float32(block.beta)), every(np.float32(block.scale))
    if n_words == 1:
        in_word = load_counts(n_wk, row_at[0] + v) + clique
        store(n_wk, row_at[0] + v, in_word)
        store(scratch.b_k, v, (beta + floats(in_word)) / (load(block.v_beta_n_k, v) + floats(in_topic)))
    else:
        for j in range(n_words):
            store(n_wk, row_at[j] + v, load_counts(n_wk, row_at[j] + v) + clique)
        under = topic_factors(load(block.v_beta_n_k, v) + floats(in_topic), n_words, scale)
        store(scratch.b_k, v, word_factors(scratch, n_wk, n_words, v, beta) / under)
