"""Tokens of each topic in every document of a shard: a row or a list of topics for each document."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel
from topminer.jit.lanes import WIDTH, aligned, padded
from topminer.topics.kernels.topic_lists import LIST_BLOCK, find, put
from topminer.topics.sampler.latin_square import Cliques, Types


class DocTopicCounts(NamedTuple):
    """Counts of a shard's documents. If they are rows, ``list_start`` and ``list_size`` are empty."""

    n_dk: NDArray[Any]
    list_start: NDArray[np.int64]  # where each document's list starts
    list_size: NDArray[np.int32]  # how many topics are on it


def count_dtype(longest: int, as_lists: bool) -> type[np.integer[Any]]:
    """Return the smallest type for counts up to ``longest``; lists also hold topics, which need 16 bits."""
    if longest < 2**8 and not as_lists:
        return np.uint8
    return np.uint16 if longest < 2**16 else np.int32


def empty_counts(
    cliques: Cliques, n_docs: int, n_topics: int, n: int, longest: int, as_lists: bool
) -> DocTopicCounts:
    """Allocate counts for ``n_docs`` documents of up to ``longest`` tokens; rows have length ``n``."""
    dtype = count_dtype(longest, as_lists)
    if not as_lists:
        return DocTopicCounts(aligned(n_docs * n, dtype), np.zeros(0, np.int64), np.zeros(0, np.int32))
    most_topics = np.minimum(np.bincount(cliques.d_of, minlength=n_docs), n_topics)
    start = np.concatenate(([0], np.cumsum(2 * padded(most_topics))))
    # Kernels prefetch behind the end of a list.
    return DocTopicCounts(aligned(start[-1] + 4 * LIST_BLOCK, dtype), start, np.zeros(n_docs, np.int32))


def recount(counts: DocTopicCounts, cliques: Cliques, types: Types, z: NDArray[np.uint16], n: int) -> None:
    """Count the topics of all cliques again."""
    counts.n_dk[:] = 0
    counts.list_size[:] = 0
    n_words = np.diff(types.word_start)[types.type_of]
    if counts.list_size.size:
        _count_in_lists(cliques.clique_start, cliques.d_of, z, n_words, *counts)
    else:
        _count_in_rows(cliques.clique_start, cliques.d_of, z, n_words, counts.n_dk, n)


@bare_kernel
def _count_in_rows(
    clique_start: NDArray[np.int64],
    d_of: NDArray[np.int32],
    z: NDArray[np.uint16],
    n_words: NDArray[np.int64],
    n_dk: NDArray[Any],
    n: Int,
) -> None:
    for t in range(clique_start.size - 1):
        for i in range(clique_start[t], clique_start[t + 1]):
            n_dk[np.int64(d_of[i]) * n + z[i]] += n_words[t]


@bare_kernel
def _count_in_lists(
    clique_start: NDArray[np.int64],
    d_of: NDArray[np.int32],
    z: NDArray[np.uint16],
    n_words: NDArray[np.int64],
    n_dk: NDArray[Any],
    list_start: NDArray[np.int64],
    list_size: NDArray[np.int32],
) -> None:
    for t in range(clique_start.size - 1):
        for i in range(clique_start[t], clique_start[t + 1]):
            d, k = d_of[i], np.int64(z[i])
            start, size = list_start[d], np.int64(list_size[d])
            list_size[d] = put(n_dk, start, size, k, find(n_dk, start, size, k), n_words[t])


def entries(counts: DocTopicCounts, n_docs: int, n: int) -> tuple[NDArray[np.int32], ...]:
    """Return documents, topics and tokens where there are tokens: by document, topics in any order."""
    if counts.list_start.size:
        docs = np.repeat(np.arange(n_docs, dtype=np.int32), counts.list_size)
        at = _slots(counts, docs)
        return docs, counts.n_dk[at].astype(np.int32), counts.n_dk[at + WIDTH].astype(np.int32)
    at = np.flatnonzero(counts.n_dk != 0)  # of one dimension and of Booleans: NumPy's fast case
    of_document = at // n
    topics = at - of_document * n
    return of_document.astype(np.int32), topics.astype(np.int32), counts.n_dk[at].astype(np.int32)


def same_lists(stored: DocTopicCounts, counted: DocTopicCounts, n_docs: int) -> bool:
    """Whether stored lists hold the same topics and tokens of every document as counted ones, in any order.

    Stored lists may come from a damaged file: only the lengths of their arrays may be relied on.
    """
    if not np.array_equal(stored.list_size, counted.list_size):
        return False
    docs, topics, tokens = entries(stored, n_docs, 0)
    wanted = entries(counted, n_docs, 0)
    orders = np.lexsort((topics, docs)), np.lexsort((wanted[1], wanted[0]))
    if not (
        np.array_equal(topics[orders[0]], wanted[1][orders[1]])
        and np.array_equal(tokens[orders[0]], wanted[2][orders[1]])
    ):
        return False
    rebuilt = np.zeros_like(stored.n_dk)
    at = _slots(stored, docs)
    rebuilt[at], rebuilt[at + WIDTH] = topics, tokens
    return np.array_equal(rebuilt, stored.n_dk)  # free entries must be empty


def _slots(counts: DocTopicCounts, docs: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return where the topic of each entry is stored, given the documents of the entries."""
    size = counts.list_size
    entry = np.arange(docs.size) - np.repeat(np.cumsum(size) - size, size)
    return counts.list_start[docs] + entry + entry // WIDTH * WIDTH
