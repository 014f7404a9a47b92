"""A shard: some of the documents, with the topics of their cliques.

It knows nothing of other shards. A block of it runs wherever the shard lies, given the counts of the block's
group of types and what all share.
"""

from __future__ import annotations

import math
import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, kernel
from topminer.jit.lanes import aligned
from topminer.topics.kernels.block import Block, Copies, Room, make_room
from topminer.topics.kernels.dense import sample_dense, sample_few, sample_words
from topminer.topics.kernels.draw import uniform
from topminer.topics.kernels.plain import sample_long
from topminer.topics.kernels.predictive import log_predictive
from topminer.topics.kernels.rows import changes
from topminer.topics.kernels.sparse import sample_packed, sample_packed_rare
from topminer.topics.sampler.doc_topic_counts import entries, hold, nothing_held
from topminer.topics.sampler.latin_square import (
    FEW,
    MOST_WORDS,
    N_KINDS,
    PACKED,
    Cliques,
    Types,
    row_length,
)
from topminer.topics.sampler.word_topic_counts import GroupCounts


class Shared(NamedTuple):
    """What every block of a phase reads."""

    row_of: NDArray[np.int32]
    rows: NDArray[np.int32]  # of words that stand in phrases, flat
    tokens: NDArray[np.int64]  # of each topic
    alpha: NDArray[np.float64]
    beta: float
    alone: bool  # there is one shard: its block may write to the shared rows


class Changes(NamedTuple):
    """What a block changed in what all share."""

    tokens: NDArray[np.int64]
    cells: NDArray[Any]  # of the rows that all share,
    by: NDArray[Any]  # and by how much each changed


class Shard:
    """Some documents; ``longest`` is the length of the corpus's longest one, ``path`` one of square.py's."""

    def __init__(
        self, types: Types, cliques: Cliques, n_docs: int, n_topics: int, longest: int, path: str
    ) -> None:
        self.types, self.cliques, self.n_docs, self.n_topics = types, cliques, n_docs, n_topics
        self.longest, self.path, self.n = longest, path, row_length(n_topics)
        self.topics = np.zeros(cliques.docs.size, np.uint16)
        self.held = nothing_held(cliques, n_docs, n_topics, self.n, longest, path == PACKED)

    def scatter(self, key: np.uint64) -> None:
        """Give every clique a topic at random."""
        _scatter(self.topics, key, self.n_topics)
        self.recount()

    def recount(self) -> None:
        """Count the documents' topics anew, after `topics` was set."""
        hold(self.held, self.cliques, self.types, self.topics, self.n)

    def sample(self, number: int, group: GroupCounts, shared: Shared, key: np.uint64) -> Changes:
        """Sample the block of one group of types; the group's own counts change in place."""
        block, room = self._block(number, group, shared, key), self._room()
        phrase, long, word, rare, end = self._places(number)
        if self.path == PACKED:
            sample_packed(block, room, phrase, long)
        elif self.path == FEW:
            sample_few(block, room, phrase, long)
        else:
            sample_dense(block, room, phrase, long, False)
        sample_long(block, room, long, word)
        if self.path == PACKED:
            sample_packed(block, room, word, rare)
            sample_packed_rare(block, room, rare, end)
        else:
            sample = sample_words if self.path == FEW else sample_dense
            sample(block, room, word, rare, False)
            sample(block, room, rare, end, True)
        tokens = block.gained[: self.n_topics].astype(np.int64)
        return Changes(tokens, *changes(block.copies, block.shared, self.n))

    def log_predictive(self, number: int, group: GroupCounts, shared: Shared) -> float:
        """Sum of log p(word | document) over a block's tokens, but for the documents' lengths."""
        block, room = self._block(number, group, shared, np.uint64(0)), self._room()
        phrase, _, _, rare, end = self._places(number)
        return float(
            log_predictive(block, room, phrase, rare, False) + log_predictive(block, room, rare, end, True)
        )

    def entries(self) -> tuple[NDArray[np.int32], ...]:
        """Documents, topics and tokens, where there are any."""
        return entries(self.held, self.n_docs, self.n)

    def _places(self, number: int) -> list[int]:
        """First place of each kind of a group, and one past the last."""
        return [int(start) for start in self.types.start[number * N_KINDS : (number + 1) * N_KINDS + 1]]

    def _room(self) -> Room:
        return make_room(self.n, max(MOST_WORDS, self.types.most_words))

    def _block(self, number: int, group: GroupCounts, shared: Shared, key: np.uint64) -> Block:
        types, cliques, n = self.types, self.cliques, self.n
        tokens = np.zeros(n, np.int64)
        tokens[: self.n_topics] = shared.tokens
        beta_sum = shared.row_of.size * shared.beta
        smoothed, alpha = aligned(n, np.float32), aligned(n, np.float32)
        smoothed[:] = beta_sum + tokens
        alpha[: self.n_topics] = shared.alpha
        return Block(
            cliques.place_start, cliques.docs, self.topics, *self.held,
            types.at, types.words, types.word_start,
            shared.row_of, shared.rows,
            group.own, group.first_own, group.bags, group.bag_start, group.first_rare,
            tokens, smoothed, aligned(n, np.int32), alpha, shared.beta, beta_sum, self.n_topics,
            _scale(self.n_topics, self.longest, float(shared.alpha.max())),
            key, shared.alone, _copies(0 if shared.alone else shared.rows.size // n, n),
        )  # fmt: skip


_here = threading.local()


def _copies(n_rows: int, n: int) -> Copies:
    """Room for copies of all shared rows, used by one block of a thread after the other."""
    copies: Copies | None = getattr(_here, "copies", None)
    if copies is None or copies.copy_of.size != n_rows or copies.rows.size != n_rows * n:
        copies = Copies(
            aligned(n_rows * n, np.int32),
            np.full(n_rows, -1, np.int32),
            np.zeros(n_rows, np.int32),
            np.zeros(1, np.int64),
        )
        _here.copies = copies
    # A block that was interrupted may have left some behind.
    copies.copy_of[:] = -1
    copies.n[0] = 0
    return copies


def _scale(n_topics: int, longest: int, largest_alpha: float) -> float:
    """The least power of two by which a word's share may be divided and no sum of weights overflows."""
    most = (1e37 / n_topics) ** (1 / MOST_WORDS) / (longest + largest_alpha + MOST_WORDS)
    return 2.0 ** -math.floor(math.log2(most))


@kernel
def _scatter(topics: NDArray[np.uint16], key: np.uint64, n_topics: Int) -> None:
    for i in range(topics.size):
        topics[i] = min(np.int64(uniform(key, i) * np.float32(n_topics)), n_topics - 1)
