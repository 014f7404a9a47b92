"""How many tokens of each topic every document of a shard has: a row each, or a packed list of its topics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, kernel
from topminer.jit.lanes import WIDTH, aligned, padded
from topminer.topics.kernels.sparse import BLOCK, find, put
from topminer.topics.sampler.latin_square import Cliques, Types


class Held(NamedTuple):
    """Counts of a shard's documents. Rows: ``start`` and ``size`` are empty."""

    counts: NDArray[Any]
    start: NDArray[np.int64]  # of each document's list,
    size: NDArray[np.int32]  # and how many topics are on it


def nothing_held(cliques: Cliques, n_docs: int, n_topics: int, n: int, longest: int, packed: bool) -> Held:
    """Room for the counts of ``n_docs`` documents; ``n``: topics, padded."""
    if not packed:
        width = np.uint8 if longest < 2**8 else np.uint16 if longest < 2**16 else np.int32
        return Held(aligned(n_docs * n, width), np.zeros(0, np.int64), np.zeros(0, np.int32))
    on_list = np.minimum(np.bincount(cliques.docs, minlength=n_docs), n_topics)
    start = np.concatenate(([0], np.cumsum(2 * padded(on_list))))
    width = np.uint16 if longest < 2**16 else np.int32  # topics need 16 bits
    return Held(aligned(start[-1] + 4 * BLOCK, width), start, np.zeros(n_docs, np.int32))


def hold(held: Held, cliques: Cliques, types: Types, topics: NDArray[np.uint16], n: int) -> None:
    """Count all topics anew."""
    held.counts[:] = 0
    held.size[:] = 0
    _hold(
        cliques.place_start, cliques.docs, topics, types.at, types.word_start,
        held.counts, held.start, held.size, n,
    )  # fmt: skip


@kernel
def _hold(
    place_start: NDArray[np.int64],
    docs: NDArray[np.int32],
    topics: NDArray[np.uint16],
    type_at: NDArray[np.int32],
    word_start: NDArray[np.int64],
    counts: NDArray[Any],
    start: NDArray[np.int64],
    size: NDArray[np.int32],
    n: Int,
) -> None:
    for place in range(place_start.size - 1):
        n_words = word_start[type_at[place] + 1] - word_start[type_at[place]]
        for i in range(place_start[place], place_start[place + 1]):
            d = docs[i]
            if size.size:
                at = find(counts, start[d], np.int64(size[d]), np.int64(topics[i]))
                size[d] = put(counts, start[d], np.int64(size[d]), np.int64(topics[i]), at, n_words)
            else:
                counts[np.int64(d) * n + topics[i]] += n_words


def entries(held: Held, n_docs: int, n: int) -> tuple[NDArray[np.int32], ...]:
    """Documents, topics and tokens, where there are any; by document, in no order of topics."""
    if held.start.size:
        docs = np.repeat(np.arange(n_docs, dtype=np.int32), held.size)
        at = _slots(held, docs)
        return docs, held.counts[at].astype(np.int32), held.counts[at + WIDTH].astype(np.int32)
    table = held.counts.reshape(n_docs, n)
    found = np.nonzero(table)
    return found[0].astype(np.int32), found[1].astype(np.int32), table[found].astype(np.int32)


def same_lists(some: Held, others: Held, n_docs: int) -> bool:
    """Whether two sets of packed lists hold the same topics and tokens for every document, in any order.

    The first may come from a file: nothing is taken for granted but the arrays' lengths.
    """
    if not np.array_equal(some.size, others.size):
        return False
    docs, topics, tokens = entries(some, n_docs, 0)
    wanted = entries(others, n_docs, 0)
    orders = np.lexsort((topics, docs)), np.lexsort((wanted[1], wanted[0]))
    if not (
        np.array_equal(topics[orders[0]], wanted[1][orders[1]])
        and np.array_equal(tokens[orders[0]], wanted[2][orders[1]])
    ):
        return False
    rebuilt = np.zeros_like(some.counts)
    at = _slots(some, docs)
    rebuilt[at], rebuilt[at + WIDTH] = topics, tokens
    return np.array_equal(rebuilt, some.counts)  # free slots must be empty


def _slots(held: Held, docs: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where the topic of each entry stands, given the documents of the entries."""
    number = np.arange(docs.size) - np.repeat(np.cumsum(held.size) - held.size, held.size)
    return held.start[docs] + number + number // WIDTH * WIDTH
