"""Equation 7 with up to 200 topics: every document has a row of counts, and all topics are weighed.

Cliques are sampled type by type. The weight of topic k for a clique in document d is A_k b_k: A_k depends on
the document, b_k on the phrase type (see the notation in __init__.py). b_k stays in the first-level cache
while the documents change, and a draw changes it in two topics only.

A topic is drawn by lanes: weights are added up over vectors, lane by lane, and then over the lanes. The draw
finds a lane first and then a vector (draw.py).

Each draw waits for the draw before it, because that one changes b_k. Two things use this time:

* A clique is taken out of all counts as soon as the weights of the clique before it are known. This need not
  wait for the draw.
* `interleave` samples two blocks in one loop, step by step. Blocks of one phase share no document and no
  phrase type, so the result is that of one block after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import (
    WIDTH,
    Floats,
    at_most,
    before,
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
from topminer.topics.kernels.block import (
    ONE,
    TWO,
    Block,
    Scratch,
    topic_factors,
    word_factors,
)
from topminer.topics.kernels.draw import drawn_number, uniform
from topminer.topics.kernels.rows import find_rows, set_topic

LINE = 64  # bytes in a cache line
AHEAD = 8  # how many cliques ahead a document is prefetched


@bare_kernel
def sample_dense(block: Block, scratch: Scratch, position: NDArray[np.int64], end: Int) -> None:
    """Sample the cliques from ``position`` (a phrase type and a clique) up to phrase type ``end``."""
    n, i = block.alpha.size, position[1]
    for t in range(position[0], end):
        stop = block.clique_start[t + 1]
        if i < stop:
            n_words, n_wk = find_rows(block, scratch, t)
            if n_words == 1:  # LLVM knows the number, so that loops over words disappear
                sample_type(block, scratch, n_wk, t, i, stop, ONE, n)
            else:
                sample_type(block, scratch, n_wk, t, i, stop, n_words, n)
            i = stop


@inlined
def sample_type(
    block: Block,
    scratch: Scratch,
    n_wk: NDArray[np.int32],
    t: Int,
    start: Int,
    stop: Int,
    n_words: Int,
    n: Int,
) -> None:
    """Sample cliques ``start`` to ``stop``, all of phrase type t.

    Rows have length ``n``. The compiler may know ``n_words`` and ``n`` and unroll loops.

    ``wait`` is always 0, but the processor learns this only with the drawn topic. Otherwise it would load b_k
    before the draw has changed it, and would have to load it again.
    """
    sums, z = scratch.sums, block.z
    _prepare(block, scratch, n_wk, start, n_words, n)
    wait, is_rare = np.int64(0), bool(t >= block.first_rare_t)
    for i in range(start, stop):
        _fetch(block, i, n)
        row = np.int64(block.d_of[i]) * n
        added = every(np.float32(0))
        for v in range(0, n, WIDTH):
            added = added + _weigh(block.alpha, block.n_dk, scratch, row, v, n_words, wait)
            store(sums, v, added)
        if i + 1 < stop:
            _count(block, scratch, n_wk, i + 1, np.int64(z[i + 1]), np.int64(-1), n_words, n)
        below = prefix_sum(added)
        drawn = every(uniform(block.key, i)) * last(below)
        left, vectors = drawn - before(below), only(lane(WIDTH), 1)
        for v in range(0, n - WIDTH, WIDTH):
            vectors = vectors + only(at_most(load(sums, v), left), WIDTH)
        new = drawn_number(below, drawn, vectors, scratch.vector_of, block.n_topics)
        wait = new >> 63
        _count(block, scratch, n_wk, i, new, np.int64(1), n_words, n)
        set_topic(block, t, i, new, is_rare)


@inlined
def interleave(
    a: Block,
    scratch_a: Scratch,
    position_a: NDArray[np.int64],
    end_a: Int,
    b: Block,
    scratch_b: Scratch,
    position_b: NDArray[np.int64],
    end_b: Int,
    n_words: Int,
    n: Int,
) -> None:
    """Sample two blocks step by step, from their positions on, until one of them has reached its end.

    All phrase types have ``n_words`` words. The positions move to the first cliques that are not sampled.
    """
    t_a, i_a = position_a
    t_b, i_b = position_b
    stop_a, stop_b, n_wk_a, n_wk_b = i_a, i_b, a.n_wk_own, b.n_wk_own
    sums_a, sums_b, alpha = scratch_a.sums, scratch_b.sums, a.alpha  # fewer pointers: alpha is the same
    while True:
        if i_a == stop_a:
            t_a = next_type(a, t_a, i_a, end_a)
            if t_a == end_a:
                break
            stop_a = a.clique_start[t_a + 1]
            _, n_wk_a = find_rows(a, scratch_a, t_a)
            _prepare(a, scratch_a, n_wk_a, i_a, n_words, n)
        if i_b == stop_b:
            t_b = next_type(b, t_b, i_b, end_b)
            if t_b == end_b:
                break
            stop_b = b.clique_start[t_b + 1]
            _, n_wk_b = find_rows(b, scratch_b, t_b)
            _prepare(b, scratch_b, n_wk_b, i_b, n_words, n)
        is_rare_a, is_rare_b = bool(t_a >= a.first_rare_t), bool(t_b >= b.first_rare_t)
        for _ in range(stop_a - i_a if stop_a - i_a < stop_b - i_b else stop_b - i_b):
            _fetch(a, i_a, n)
            _fetch(b, i_b, n)
            row_a, row_b = np.int64(a.d_of[i_a]) * n, np.int64(b.d_of[i_b]) * n
            added_a = added_b = every(np.float32(0))
            for v in range(0, n, WIDTH):
                added_a = added_a + _weigh(alpha, a.n_dk, scratch_a, row_a, v, n_words, np.int64(0))
                added_b = added_b + _weigh(alpha, b.n_dk, scratch_b, row_b, v, n_words, np.int64(0))
                store(sums_a, v, added_a)
                store(sums_b, v, added_b)
            if i_a + 1 < stop_a:
                _count(a, scratch_a, n_wk_a, i_a + 1, np.int64(a.z[i_a + 1]), np.int64(-1), n_words, n)
            if i_b + 1 < stop_b:
                _count(b, scratch_b, n_wk_b, i_b + 1, np.int64(b.z[i_b + 1]), np.int64(-1), n_words, n)
            below_a, below_b = prefix_sum(added_a), prefix_sum(added_b)
            drawn_a = every(uniform(a.key, i_a)) * last(below_a)
            drawn_b = every(uniform(b.key, i_b)) * last(below_b)
            left_a, left_b = drawn_a - before(below_a), drawn_b - before(below_b)
            vectors_a = vectors_b = only(lane(WIDTH), 1)
            for v in range(0, n - WIDTH, WIDTH):
                vectors_a = vectors_a + only(at_most(load(sums_a, v), left_a), WIDTH)
                vectors_b = vectors_b + only(at_most(load(sums_b, v), left_b), WIDTH)
            new_a = drawn_number(below_a, drawn_a, vectors_a, scratch_a.vector_of, a.n_topics)
            new_b = drawn_number(below_b, drawn_b, vectors_b, scratch_b.vector_of, b.n_topics)
            _count(a, scratch_a, n_wk_a, i_a, new_a, np.int64(1), n_words, n)
            _count(b, scratch_b, n_wk_b, i_b, new_b, np.int64(1), n_words, n)
            set_topic(a, t_a, i_a, new_a, is_rare_a)
            set_topic(b, t_b, i_b, new_b, is_rare_b)
            i_a += 1
            i_b += 1
    if i_a < stop_a:
        _count(a, scratch_a, n_wk_a, i_a, np.int64(a.z[i_a]), np.int64(1), n_words, n)
    if i_b < stop_b:
        _count(b, scratch_b, n_wk_b, i_b, np.int64(b.z[i_b]), np.int64(1), n_words, n)
    position_a[0], position_a[1] = t_a, i_a
    position_b[0], position_b[1] = t_b, i_b


@bare_kernel
def interleave_dense_words(
    a: Block, scratch_a: Scratch, position_a: NDArray[np.int64], end_a: Int,
    b: Block, scratch_b: Scratch, position_b: NDArray[np.int64], end_b: Int,
) -> None:  # fmt: skip
    """Sample words of two blocks (see :func:`interleave`)."""
    n = a.alpha.size
    interleave(a, scratch_a, position_a, end_a, b, scratch_b, position_b, end_b, ONE, n)


@bare_kernel
def interleave_dense_phrases(
    a: Block, scratch_a: Scratch, position_a: NDArray[np.int64], end_a: Int,
    b: Block, scratch_b: Scratch, position_b: NDArray[np.int64], end_b: Int,
) -> None:  # fmt: skip
    """Sample phrases of two words of two blocks (see :func:`interleave`)."""
    n = a.alpha.size
    interleave(a, scratch_a, position_a, end_a, b, scratch_b, position_b, end_b, TWO, n)


@inlined
def next_type(block: Block, t: Int, i: Int, end: Int) -> Int:
    """Return the phrase type of clique ``i``, at least ``t``; or ``end``, if the clique is of a later one."""
    while t < end and block.clique_start[t + 1] == i:
        t += 1
    return t


@inlined
def _fetch(block: Block, i: Int, n: Int) -> None:
    """Prefetch the document of a clique that follows soon after clique ``i``."""
    d_of, n_dk, line = block.d_of, block.n_dk, LINE // block.n_dk.itemsize
    final = d_of.size - 1
    ahead = np.int64(d_of[i + AHEAD if i + AHEAD < final else final]) * n
    for number in range((n + line - 1) // line):
        prefetch(n_dk, ahead + number * line)
    prefetch(n_dk, ahead + n - 1)  # a row need not start at a cache line


@inlined
def _prepare(block: Block, scratch: Scratch, n_wk: NDArray[np.int32], i: Int, n_words: Int, n: Int) -> None:
    """Compute b_k of a phrase type without clique ``i``, which is the next to be sampled."""
    beta, scale = every(np.float32(block.beta)), every(np.float32(block.scale))
    for v in range(0, n, WIDTH):
        under = topic_factors(load(block.v_beta_n_k, v) + load(block.n_k_change, v), n_words, scale)
        store(scratch.b_k, v, word_factors(scratch, n_wk, n_words, v, beta) / under)
    _count(block, scratch, n_wk, i, np.int64(block.z[i]), np.int64(-1), n_words, n)


@inlined
def _weigh(
    alpha: NDArray[np.float32],
    n_dk: NDArray[Any],
    scratch: Scratch,
    row: Int,
    v: Int,
    n_words: Int,
    wait: Int,
) -> Floats:
    """Return the weights of the eight topics from ``v`` on."""
    document = load(alpha, v) + load(n_dk, row + v)
    weights = document * load(scratch.b_k, v + wait)
    for j in range(1, n_words):
        weights = weights * (document + every(np.float32(j)))
    return weights


@inlined
def _count(
    block: Block, scratch: Scratch, n_wk: NDArray[np.int32], i: Int, k: Int, by: Int, n_words: Int, n: Int
) -> None:
    """Add clique ``i`` (``by`` 1) to topic k, or remove it (``by`` -1), in all counts, and update b_k.

    Whole vectors are stored: the next load of the same vector would stall on a smaller store.
    """
    n_dk, n_k_change, row_at = block.n_dk, block.n_k_change, scratch.row_at
    v = k - k % WIDTH
    clique, tokens = only(lane(k - v), by), only(lane(k - v), by * n_words)
    at = np.int64(block.d_of[i]) * n + v
    store(n_dk, at, load_counts(n_dk, at) + tokens)
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
