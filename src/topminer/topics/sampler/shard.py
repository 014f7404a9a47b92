"""A shard: some of the documents, with the topics of their cliques.

A shard knows nothing of other shards. It samples a block, given the counts of the block's group of phrase
types and the counts that all blocks share.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel
from topminer.jit.lanes import aligned
from topminer.topics.kernels.block import (
    MAX_WORDS,
    PLAIN,
    REGISTERS,
    SPARSE,
    Block,
    Copies,
    Scratch,
    make_scratch,
    row_length,
)
from topminer.topics.kernels.dense import sample_dense
from topminer.topics.kernels.draw import uniform
from topminer.topics.kernels.plain import sample_plain
from topminer.topics.kernels.predictive import log_predictive
from topminer.topics.kernels.registers import sample_phrases, sample_words
from topminer.topics.kernels.rows import changes
from topminer.topics.kernels.sparse import sample_sparse, sample_sparse_rare
from topminer.topics.sampler.doc_topic_counts import empty_counts, entries, recount
from topminer.topics.sampler.exchange import Changes
from topminer.topics.sampler.latin_square import Cliques, Layout
from topminer.topics.sampler.word_topic_counts import GroupCounts


class Shared(NamedTuple):
    """What all blocks of a phase read."""

    row_of: NDArray[np.int32]
    n_wk: NDArray[np.int32]  # rows of words that occur in phrases, flat
    n_k: NDArray[np.int64]
    alpha: NDArray[np.float64]
    beta: float
    in_place: bool  # there is one shard: its block may change the shared rows


class Shard:
    """Some documents of a chain."""

    def __init__(self, layout: Layout, cliques: Cliques, n_docs: int) -> None:
        self.types, self.n_topics, self.path = layout.types, layout.n_topics, layout.path
        self.longest, self.n = layout.longest, row_length(layout.n_topics)
        self.cliques, self.n_docs = cliques, n_docs
        self.z = np.zeros(cliques.d_of.size, np.uint16)  # topics, in sampling order
        self.doc_topic = empty_counts(
            cliques, n_docs, self.n_topics, self.n, self.longest, self.path == SPARSE
        )

    def draw_topics(self, key: np.uint64) -> None:
        """Give every clique a random topic."""
        _draw_topics(self.z, key, self.n_topics)
        self.recount()

    def recount(self) -> None:
        """Count the topics of the documents again, after `z` was set."""
        recount(self.doc_topic, self.cliques, self.types, self.z, self.n)

    def sample(
        self, number: int, group: GroupCounts, shared: Shared, key: np.uint64, copies: Copies
    ) -> Changes:
        """Sample the block of one group of phrase types. The group's counts change in place."""
        block, scratch = self._block(number, group, shared, key, copies), self._scratch()
        phrase, long, word, rare, end = self.types.bounds(number)

        def sample_types(kernel: Callable[..., None], first: int, last: int, *is_rare: bool) -> None:
            if first < last:  # a kernel that has nothing to do need not be compiled
                kernel(block, scratch, first, last, *is_rare)

        if self.path == PLAIN:
            sample_types(sample_plain, phrase, rare, False)
            sample_types(sample_plain, rare, end, True)
        elif self.path == SPARSE:
            sample_types(sample_sparse, phrase, long)
            sample_types(sample_plain, long, word, False)
            sample_types(sample_sparse, word, rare)
            sample_types(sample_sparse_rare, rare, end)
        elif self.path == REGISTERS:
            sample_types(sample_phrases, phrase, long)
            sample_types(sample_plain, long, word, False)
            sample_types(sample_words, word, rare, False)
            sample_types(sample_words, rare, end, True)
        else:
            sample_types(sample_dense, phrase, long, False)
            sample_types(sample_plain, long, word, False)
            sample_types(sample_dense, word, rare, False)
            sample_types(sample_dense, rare, end, True)
        n_k = block.n_k_change[: self.n_topics].astype(np.int64)
        return Changes(n_k, *changes(block.copies, block.n_wk_shared, self.n))

    def log_predictive(self, number: int, group: GroupCounts, shared: Shared, copies: Copies) -> float:
        """Sum log p(word | document) over a block's tokens, without the documents' lengths."""
        block, scratch = self._block(number, group, shared, np.uint64(0), copies), self._scratch()
        phrase, _, _, rare, end = self.types.bounds(number)
        of_others = log_predictive(block, scratch, phrase, rare, False)
        return float(of_others + log_predictive(block, scratch, rare, end, True))

    def entries(self) -> tuple[NDArray[np.int32], ...]:
        """Return documents, topics and tokens where there are tokens."""
        return entries(self.doc_topic, self.n_docs, self.n)

    def lengths(self) -> NDArray[Any]:
        """Return the tokens of each document."""
        docs, _, counts = self.entries()
        return np.bincount(docs, counts, self.n_docs)

    def _scratch(self) -> Scratch:
        return make_scratch(self.n, max(MAX_WORDS, self.types.max_words))

    def _block(
        self, number: int, group: GroupCounts, shared: Shared, key: np.uint64, copies: Copies
    ) -> Block:
        types, cliques, n = self.types, self.cliques, self.n
        n_k = np.zeros(n, np.int64)
        n_k[: self.n_topics] = shared.n_k
        v_beta = shared.row_of.size * shared.beta
        v_beta_n_k, alpha = aligned(n, np.float32), aligned(n, np.float32)
        v_beta_n_k[:] = v_beta + n_k
        alpha[: self.n_topics] = shared.alpha
        return Block(
            cliques.clique_start, cliques.d_of, self.z, *self.doc_topic,
            types.type_of, types.words, types.word_start,
            shared.row_of, shared.n_wk,
            group.n_wk_own, group.first_own_row, group.z_rare, group.z_rare_start, group.first_rare_t,
            n_k, v_beta_n_k, aligned(n, np.int32), alpha, shared.beta, v_beta, self.n_topics,
            _scale(self.n_topics, self.longest, float(shared.alpha.max())),
            key, shared.in_place, copies,
        )  # fmt: skip


def make_copies(n_rows: int, n: int) -> Copies:
    """Allocate memory for copies of all shared rows; it is resident only where rows are copied."""
    return Copies(
        aligned(n_rows * n, np.int32),
        np.full(n_rows, -1, np.int32),
        np.zeros(n_rows, np.int32),
        np.zeros(1, np.int64),
    )


def _scale(n_topics: int, longest: int, largest_alpha: float) -> float:
    """Return the least power of two that keeps all sums of weights within float32 (see `Block.scale`)."""
    most = (1e37 / n_topics) ** (1 / MAX_WORDS) / (longest + largest_alpha + MAX_WORDS)
    return 2.0 ** -math.floor(math.log2(most))


@bare_kernel
def _draw_topics(z: NDArray[np.uint16], key: np.uint64, n_topics: Int) -> None:
    for i in range(z.size):
        k = np.int64(uniform(key, i) * np.float32(n_topics))
        z[i] = k if k < n_topics else n_topics - 1  # rounded up
