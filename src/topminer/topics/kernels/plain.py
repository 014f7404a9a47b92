"""Equation 7 for phrases of many words: plain loops over all topics, in float64.

The product over the words of a long phrase may leave the range of any float, but only the weights' ratios
matter: the product is made word by word, and all topics are taken by 1e100 up or down whenever the largest
leaves the middle of the range. What is lost is less likely than 1e-200. Such phrases are few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import WIDTH
from topminer.topics.kernels.block import Block, Room
from topminer.topics.kernels.draw import uniform
from topminer.topics.kernels.rows import find_rows
from topminer.topics.kernels.sparse import find, move

FAR = 1e100


@bare_kernel
def sample_long(block: Block, room: Room, first: Int, end: Int) -> None:
    """Phrases of any length at places from ``first`` to before ``end``, with rows or with packed lists."""
    place_start, docs, topics, held = block.place_start, block.docs, block.topics, block.held
    row_at, n = room.row_at, block.alpha.size
    packed, weights = block.held_size.size > 0, room.weights
    for place in range(first, end):
        if place_start[place] == place_start[place + 1]:
            continue
        n_words, table = find_rows(block, room, place, False)
        for i in range(place_start[place], place_start[place + 1]):
            old = np.int64(topics[i])
            block.gained[old] -= n_words
            for j in range(n_words):
                table[row_at[j] + old] -= 1
            if packed:
                _unpack(block, docs[i], weights)
            else:
                for k in range(block.n_topics):
                    weights[k] = held[np.int64(docs[i]) * n + k]
            weights[old] -= n_words
            _multiply(block, room, table, weights, n_words)
            new = _fall(weights, block.n_topics, uniform(block.key, i))

            topics[i] = new
            block.gained[new] += n_words
            for j in range(n_words):
                table[row_at[j] + new] += 1
            if not packed:
                held[np.int64(docs[i]) * n + old] -= n_words
                held[np.int64(docs[i]) * n + new] += n_words
            elif new != old:
                at, size = block.held_start[docs[i]], np.int64(block.held_size[docs[i]])
                new_at = find(held, at, size, new)
                block.held_size[docs[i]] = move(held, at, size, old, new, new_at, n_words)


@inlined
def _unpack(block: Block, document: Int, counts: NDArray[np.float64]) -> None:
    """The tokens of each topic in a document that has a packed list."""
    for k in range(block.n_topics):
        counts[k] = 0
    for e in range(block.held_size[document]):
        at = block.held_start[document] + e + e // WIDTH * WIDTH
        counts[block.held[at]] = block.held[at + WIDTH]


@inlined
def _multiply(
    block: Block, room: Room, table: NDArray[np.int32], weights: NDArray[np.float64], n_words: Int
) -> None:
    """Turn the document's counts into weights that are right up to one factor for all."""
    row_at, copies_of = room.row_at, room.copies_of
    alpha, tokens, gained, held = block.alpha, block.tokens, block.gained, room.held
    for k in range(block.n_topics):
        held[k] = weights[k]
        weights[k] = 1.0
    for j in range(n_words):
        largest = 0.0
        for k in range(block.n_topics):
            in_word = block.beta + table[row_at[j] + k] + copies_of[j]
            in_topic = block.beta_sum + tokens[k] + gained[k] + j
            weights[k] *= (alpha[k] + held[k] + j) * in_word / in_topic
            largest = max(largest, weights[k])
        if largest < 1 / FAR or largest > FAR:
            factor = FAR if largest < 1 else 1 / FAR
            for k in range(block.n_topics):
                weights[k] *= factor


@inlined
def _fall(weights: NDArray[Any], n_topics: Int, u: np.float32) -> Int:
    """The topic into which a draw falls."""
    total = 0.0
    for k in range(n_topics):
        total += weights[k]
    drawn = total * np.float64(u)
    topic = 0
    while topic < n_topics - 1 and drawn >= weights[topic]:
        drawn -= weights[topic]
        topic += 1
    return topic
