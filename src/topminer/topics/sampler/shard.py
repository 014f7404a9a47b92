"""A shard: some of the documents, with the topics of their cliques.

A shard knows nothing of other shards. It samples a block, given the counts of the block's group of phrase
types and the counts that all blocks share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.topics.kernels.block import SPARSE, Block, row_length
from topminer.topics.kernels.predictive import log_predictive
from topminer.topics.kernels.rows import changes
from topminer.topics.sampler.blocks import Prepared, Shared, Workspace, sample_blocks
from topminer.topics.sampler.doc_topic_counts import empty_counts, entries, recount
from topminer.topics.sampler.exchange import Changes
from topminer.topics.sampler.latin_square import Cliques, Layout
from topminer.topics.sampler.word_topic_counts import GroupCounts


class Shard:
    """Some documents of a chain; a document that is divided is sampled as several, its pieces."""

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
        stream = np.random.Generator(np.random.Philox(key=int(key)))
        self.z[:] = stream.integers(self.n_topics, size=self.z.size, dtype=np.uint16)
        self.recount()

    def recount(self) -> None:
        """Count the topics of the documents again, after `z` was set."""
        recount(self.doc_topic, self.cliques, self.types, self.z, self.n)

    def sample(
        self, number: int, group: GroupCounts, shared: Shared, key: np.uint64, workspace: Workspace
    ) -> Changes:
        """Sample the block of one group of phrase types. The group's counts change in place."""
        prepared = self.prepare(number, group, shared, key, workspace)
        sample_blocks([prepared], self.path)
        return self.changes(prepared)

    def prepare(
        self, number: int, group: GroupCounts, shared: Shared, key: np.uint64, workspace: Workspace
    ) -> Prepared:
        """Return the block of one group of phrase types."""
        types, cliques = self.types, self.cliques
        workspace.n_k_change[:] = 0
        block = Block(
            cliques.clique_start, cliques.d_of, self.z, *self.doc_topic,
            types.type_of, types.words, types.word_start,
            shared.row_of, shared.n_wk,
            group.n_wk_own, group.first_own_row, group.z_rare, group.z_rare_start, group.first_rare_t,
            shared.n_k, shared.v_beta_n_k, workspace.n_k_change, shared.alpha, shared.beta, shared.v_beta,
            self.n_topics, shared.scale, key, shared.in_place, workspace.copies,
        )  # fmt: skip
        return Prepared(block, workspace.scratch, types.bounds(number))

    def changes(self, sampled: Prepared) -> Changes:
        """Return what a block changed in what all blocks share."""
        block = sampled.block
        n_k = block.n_k_change[: self.n_topics].astype(np.int64)
        return Changes(n_k, *changes(block.copies, block.n_wk_shared, self.n))

    def log_predictive(self, number: int, group: GroupCounts, shared: Shared, workspace: Workspace) -> float:
        """Sum log p(word | document) over a block's tokens, without the documents' lengths."""
        block, scratch, bounds = self.prepare(number, group, shared, np.uint64(0), workspace)
        return float(log_predictive(block, scratch, bounds[0], bounds[-1]))

    def entries(self) -> tuple[NDArray[np.int32], ...]:
        """Return documents, topics and tokens where there are tokens."""
        return entries(self.doc_topic, self.n_docs, self.n)

    def lengths(self) -> NDArray[Any]:
        """Return the tokens of each document."""
        docs, _, counts = self.entries()
        return np.bincount(docs, counts, self.n_docs)
