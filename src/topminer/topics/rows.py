"""The counts of a type's words: into a kernel's room and back to where they came from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer._jit import Int, inlined, kernel
from topminer._lanes import WIDTH, differ, load_counts, store
from topminer.topics.block import Block, Copies, Room


@inlined
def take_type(block: Block, room: Room, place: Int, rare: bool) -> Int:
    """Bring the counts of a type's words into the room; how many words it has."""
    n = block.alpha.size
    words, start = block.words, block.word_start[block.type_at[place]]
    n_words = block.word_start[block.type_at[place] + 1] - start
    for j in range(n_words):
        room.slot_of[j] = j
        room.copies_of[j] = 0
        room.multiple_of[j] = 0
        for other in range(n_words):
            if words[start + other] == words[start + j]:
                room.multiple_of[j] += 1
                if other < j:
                    room.slot_of[j] = min(room.slot_of[j], other)
                    room.copies_of[j] += np.float32(1)
        if room.slot_of[j] == j and not rare:
            _take_row(block, room, np.int64(block.row_of[words[start + j]]), j * n)
    if rare:
        number = place - block.first_rare
        for k in range(n):
            room.rows[k] = 0
        for i in range(block.bag_start[number], block.bag_start[number + 1]):
            room.rows[block.bags[i]] += 1
    return np.int64(n_words)


@inlined
def give_type(block: Block, room: Room, place: Int) -> None:
    """Put the counts of a type's words back; a bag is kept up to date word by word."""
    n = block.alpha.size
    words, start = block.words, block.word_start[block.type_at[place]]
    for j in range(block.word_start[block.type_at[place] + 1] - start):
        if room.slot_of[j] == j:
            _give_row(block, room, np.int64(block.row_of[words[start + j]]), j * n)


@inlined
def _take_row(block: Block, room: Room, row: Int, to: Int) -> None:
    n = block.alpha.size
    copies = block.copies
    if row * n >= block.shared.size:
        _copy(block.own, (row - block.first_own) * n, room.rows, to, n)
    elif block.direct or copies.copy_of[row] < 0:
        _copy(block.shared, row * n, room.rows, to, n)
    else:
        _copy(copies.rows, np.int64(copies.copy_of[row]) * n, room.rows, to, n)


@inlined
def _give_row(block: Block, room: Room, row: Int, at: Int) -> None:
    n = block.alpha.size
    copies = block.copies
    if row * n >= block.shared.size:
        _copy(room.rows, at, block.own, (row - block.first_own) * n, n)
    elif block.direct:
        _copy(room.rows, at, block.shared, row * n, n)
    else:
        if copies.copy_of[row] < 0:
            copies.copy_of[row] = copies.n[0]
            copies.row_of[copies.n[0]] = row
            copies.n[0] += 1
        _copy(room.rows, at, copies.rows, np.int64(copies.copy_of[row]) * n, n)


@inlined
def _copy(source: NDArray[np.int32], at: Int, target: NDArray[np.int32], to: Int, n: Int) -> None:
    for v in range(0, n, WIDTH):
        store(target, to + v, load_counts(source, at + v))


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
