"""Rows of counts by word and topic: where a phrase type finds them, and what a block changed in them.

A kernel counts in the rows themselves. There are two exceptions. A shared row is copied when the block first
needs it, and the block counts in its copy. A rare word has no row: its row is made from the topics of its
tokens.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import WIDTH, differ, load_counts, prefetch, store
from topminer.topics.kernels.block import Block, Copies, Scratch

LINE, N_LINES = 16, 4  # counts in a cache line, and lines of a row that are prefetched


@inlined
def find_rows(block: Block, scratch: Scratch, t: Int) -> tuple[Int, NDArray[np.int32]]:
    """Return the number of words of a phrase type and the table that holds their rows.

    ``scratch.row_at`` says where in the table the row of each word starts. ``scratch.c_j`` is filled in too.
    """
    n, copies = block.alpha.size, block.copies
    words, start = block.words, block.word_start[block.type_of[t]]
    n_words = block.word_start[block.type_of[t] + 1] - start
    table = scratch.n_wk_rare
    if t >= block.first_rare_t:
        number = t - block.first_rare_t
        for k in range(n):
            table[k] = 0
        for i in range(block.z_rare_start[number], block.z_rare_start[number + 1]):
            table[block.z_rare[i]] += 1
        scratch.row_at[0], scratch.c_j[0] = 0, 0
    else:
        for j in range(n_words):
            scratch.c_j[j] = 0
            for earlier in range(j):
                if words[start + earlier] == words[start + j]:
                    scratch.c_j[j] += np.float32(1)
            row = np.int64(block.row_of[words[start + j]])
            if row * n >= block.n_wk_shared.size:
                table = block.n_wk_own
                scratch.row_at[j] = (row - block.first_own_row) * n
            elif block.in_place:
                table = block.n_wk_shared
                scratch.row_at[j] = row * n
            else:
                table, copy = copies.n_wk, np.int64(copies.copy_of[row])
                if copy < 0:  # the block needs this row for the first time
                    copy = copies.n_copies[0]
                    copies.copy_of[row], copies.row_of[copy] = copy, row
                    copies.n_copies[0] += 1
                    for v in range(0, n, WIDTH):
                        store(table, copy * n + v, load_counts(block.n_wk_shared, row * n + v))
                scratch.row_at[j] = copy * n
    soon = t + 2  # prefetch the beginnings of its shared rows
    if soon < block.first_rare_t:
        for at in range(block.word_start[block.type_of[soon]], block.word_start[block.type_of[soon] + 1]):
            row = np.int64(block.row_of[words[at]])
            if row * n < block.n_wk_shared.size:
                copy = np.int64(-1) if block.in_place else np.int64(copies.copy_of[row])
                for line in range(N_LINES):
                    if copy < 0:
                        prefetch(block.n_wk_shared, row * n + line * LINE)
                    else:
                        prefetch(copies.n_wk, copy * n + line * LINE)
    return n_words, table


@inlined
def count_clique(
    block: Block, scratch: Scratch, n_wk: NDArray[np.int32], k: Int, by: Int, n_words: Int
) -> None:
    """Add a clique (``by`` 1) to topic k, or remove it (``by`` -1), in the counts of words and of topics."""
    block.n_k_change[k] += by * n_words
    for j in range(n_words):
        n_wk[scratch.row_at[j] + k] += by


@inlined
def set_topic(block: Block, t: Int, i: Int, new: Int, is_rare: bool) -> None:
    """Give clique ``i`` of phrase type t a topic. Of a rare word, also replace the topic of one token.

    Callers say whether the type is a rare word, so that LLVM can decide it outside their loops.
    """
    old = np.int64(block.z[i])
    block.z[i] = new
    if is_rare and new != old:
        token = block.z_rare_start[t - block.first_rare_t]
        while block.z_rare[token] != old:
            token += 1
        block.z_rare[token] = new


def changes(
    copies: Copies, n_wk_shared: NDArray[np.int32], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the cells that differ from the shared rows, and the differences. Discard the copies."""
    n_copies = int(copies.n_copies[0])
    if n_copies == 0:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    cells, by = np.empty(n_copies * n, np.int64), np.empty(n_copies * n, np.int32)
    size = _find_changes(copies, n_wk_shared, n, cells, by)
    copies.copy_of[copies.row_of[:n_copies]] = -1
    copies.n_copies[0] = 0
    return cells[:size].copy(), by[:size].copy()


@bare_kernel
def _find_changes(
    copies: Copies,
    n_wk_shared: NDArray[np.int32],
    n: Int,
    cells: NDArray[np.int64],
    by: NDArray[np.int32],
) -> Int:
    """Write the cells that differ from the shared rows, and the differences; return their number."""
    copied, row_of = copies.n_wk, copies.row_of
    size = np.int64(0)
    for copy in range(copies.n_copies[0]):
        at = np.int64(row_of[copy]) * n
        for v in range(0, n, WIDTH):
            if differ(load_counts(copied, copy * n + v), load_counts(n_wk_shared, at + v)):
                for k in range(v, v + WIDTH):  # no branch: it would be mispredicted
                    change = copied[copy * n + k] - n_wk_shared[at + k]
                    cells[size], by[size] = at + k, change
                    size += np.int64(change != 0)
    return size
