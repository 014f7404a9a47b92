"""Equation 7 of the paper, corrected, as plain loops: the kernel to read first.

A clique is a phrase instance w_1 … w_W in document d; all its words have one topic. With the clique taken out
of all counts, it has topic k with probability proportional to::

    p_k = Π_j (α_k + N_dk + j) (β + N_wk + c_j) / (Vβ + N_k + j)         j = 0 … W - 1, w = the word j

N_dk, N_wk and N_k are the tokens with topic k in the document, of the word, and in all. c_j is the number of
earlier words of the clique that are the same as word j. The paper's equation has no c_j, but its joint
distribution (the appendix) demands it: the second copy of a word is one more token of this word in the topic.

A worked example. Word a occurs twice in the clique "a a". There are two topics, α = 1 for each, β = 0.5 and
three words, so Vβ = 1.5. Without the clique, topic 0 has N_d0 = 1, N_a0 = 2 and N_0 = 3; topic 1 has
N_d1 = 0, N_a1 = 0 and N_1 = 1::

    p_0 ∝ (1 + 1) (0.5 + 2) / (1.5 + 3)  ·  (1 + 1 + 1) (0.5 + 2 + 1) / (1.5 + 3 + 1)  =  2.121
    p_1 ∝ (1 + 0) (0.5 + 0) / (1.5 + 1)  ·  (1 + 0 + 1) (0.5 + 0 + 1) / (1.5 + 1 + 1)  =  0.171

So the clique has topic 0 with probability 0.925. (Without c_j it would be 0.964.)

This kernel works for any number of topics and words, in float64. Chains use it for phrases of more than four
words. For everything else there are faster kernels, which sample from the same distribution (registers.py,
dense.py, sparse.py); tests compare them with this one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import WIDTH
from topminer.topics.kernels.block import Block, Scratch
from topminer.topics.kernels.draw import draw, rescale, uniform
from topminer.topics.kernels.rows import count_clique, find_rows, set_topic
from topminer.topics.kernels.topic_lists import find, move, slot


@bare_kernel
def sample_plain(block: Block, scratch: Scratch, position: NDArray[np.int64], end: Int) -> None:
    """Sample the cliques of the phrase types from ``position[0]`` up to ``end``."""
    clique_start = block.clique_start
    for t in range(position[0], end):
        if clique_start[t] == clique_start[t + 1]:
            continue
        n_words, n_wk = find_rows(block, scratch, t)
        for i in range(clique_start[t], clique_start[t + 1]):
            d, old = block.d_of[i], np.int64(block.z[i])
            _read_document(block, d, scratch.n_dk)
            scratch.n_dk[old] -= n_words
            count_clique(block, scratch, n_wk, old, np.int64(-1), n_words)
            _weigh_topics(block, scratch, n_wk, n_words)
            new = draw(scratch.p_k, block.n_topics, uniform(block.key, i))
            count_clique(block, scratch, n_wk, new, np.int64(1), n_words)
            set_topic(block, t, i, new, bool(t >= block.first_rare_t))
            if new != old:
                _move_in_document(block, d, old, new, n_words)


@inlined
def _read_document(block: Block, d: Int, n_dk: NDArray[np.float64]) -> None:
    """Copy the counts of a document, from its row or from its list, to ``n_dk``."""
    if block.list_size.size == 0:
        for k in range(block.n_topics):
            n_dk[k] = block.n_dk[np.int64(d) * block.alpha.size + k]
    else:
        for k in range(block.n_topics):
            n_dk[k] = 0
        for entry in range(np.int64(block.list_size[d])):
            at = slot(block.list_start[d], entry)
            n_dk[block.n_dk[at]] = block.n_dk[at + WIDTH]


@inlined
def _weigh_topics(block: Block, scratch: Scratch, n_wk: NDArray[np.int32], n_words: Int) -> None:
    """Compute p_k, up to a factor that is the same for all topics."""
    p_k, n_dk, row_at, c_j = scratch.p_k, scratch.n_dk, scratch.row_at, scratch.c_j
    alpha, n_k, n_k_change = block.alpha, block.n_k, block.n_k_change
    for k in range(block.n_topics):
        p_k[k] = 1.0
    for j in range(n_words):
        largest = 0.0
        for k in range(block.n_topics):
            in_word = block.beta + n_wk[row_at[j] + k] + c_j[j]
            in_topic = block.v_beta + n_k[k] + n_k_change[k] + j
            p_k[k] *= (alpha[k] + n_dk[k] + j) * in_word / in_topic
            largest = p_k[k] if p_k[k] > largest else largest
        rescale(p_k, block.n_topics, largest)


@inlined
def _move_in_document(block: Block, d: Int, old: Int, new: Int, n_words: Int) -> None:
    """Move the tokens of a clique from one topic of its document to another."""
    if block.list_size.size == 0:
        row = np.int64(d) * block.alpha.size
        block.n_dk[row + old] -= n_words
        block.n_dk[row + new] += n_words
    else:
        start, size = block.list_start[d], np.int64(block.list_size[d])
        old_at, new_at = find(block.n_dk, start, size, old), find(block.n_dk, start, size, new)
        block.list_size[d] = move(block.n_dk, start, size, old_at, new, new_at, n_words)
