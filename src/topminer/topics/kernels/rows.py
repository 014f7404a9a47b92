"""The counts of a type's words: where they are, and what a block changed in them.

A kernel works on the counts where they lie. Only rows that other blocks of the phase read are copied, by the
first type of the block that needs them, and sampling goes on in the copy; a rare word has no row until its
bag is poured into one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined, kernel
from topminer.jit.lanes import WIDTH, differ, load_counts, store
from topminer.topics.kernels.block import Block, Copies, Room


@inlined
def find_rows(block: Block, room: Room, place: Int, rare: bool) -> tuple[Int, NDArray[np.int32]]:
    """How many words a type has, and the table in which their rows are, from ``room.row_at`` on."""
    n = block.alpha.size
    words, start = block.words, block.word_start[block.type_at[place]]
    n_words = block.word_start[block.type_at[place] + 1] - start
    table = room.rows
    if rare:
        number = place - block.first_rare
        for k in range(n):
            table[k] = 0
        for i in range(block.bag_start[number], block.bag_start[number + 1]):
            table[block.bags[i]] += 1
        room.row_at[0], room.copies_of[0], room.multiple_of[0] = 0, 0, 1
    else:
        for j in range(n_words):
            room.copies_of[j] = 0
            room.multiple_of[j] = 0
            for other in range(n_words):
                if words[start + other] == words[start + j]:
                    room.multiple_of[j] += 1
                    if other < j:
                        room.copies_of[j] += np.float32(1)
            row = np.int64(block.row_of[words[start + j]])
            if row * n >= block.shared.size:
                table = block.own
                room.row_at[j] = (row - block.first_own) * n
            elif block.direct:
                table = block.shared
                room.row_at[j] = row * n
            else:
                table = block.copies.rows
                room.row_at[j] = _copy(block, row) * n
    return n_words, table


@inlined
def _copy(block: Block, row: Int) -> np.int64:
    """The number of the block's copy of a shared row."""
    copies, n = block.copies, block.alpha.size
    copy = np.int64(copies.copy_of[row])
    if copy < 0:
        copy = copies.n[0]
        copies.copy_of[row] = copy
        copies.row_of[copy] = row
        copies.n[0] += 1
        for v in range(0, n, WIDTH):
            store(copies.rows, copy * n + v, load_counts(block.shared, row * n + v))
    return copy


@inlined
def replace_in_bag(block: Block, place: Int, old: Int, new: Int) -> None:
    """Let one topic in a rare word's bag become another."""
    i = block.bag_start[place - block.first_rare]
    while block.bags[i] != old:
        i += 1
    block.bags[i] = new


@kernel
def changes(copies: Copies, shared: NDArray[np.int32], n: Int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Where the copies differ from the shared rows, and by how much; forgets the copies."""
    copied, copy_of, row_of = copies.rows, copies.copy_of, copies.row_of
    n_copies = copies.n[0]
    size = 0
    for copy in range(n_copies):
        at = np.int64(row_of[copy]) * n
        for v in range(0, n, WIDTH):
            if differ(load_counts(copied, copy * n + v), load_counts(shared, at + v)):
                for k in range(v, v + WIDTH):
                    size += copied[copy * n + k] != shared[at + k]
    cells, by = np.empty(size, np.int64), np.empty(size, np.int32)
    size = 0
    for copy in range(n_copies):
        at = np.int64(row_of[copy]) * n
        copy_of[row_of[copy]] = -1
        for v in range(0, n, WIDTH):
            if differ(load_counts(copied, copy * n + v), load_counts(shared, at + v)):
                for k in range(v, v + WIDTH):
                    change = copied[copy * n + k] - shared[at + k]
                    if change:
                        cells[size], by[size] = at + k, change
                        size += 1
    copies.n[0] = 0
    return cells, by
