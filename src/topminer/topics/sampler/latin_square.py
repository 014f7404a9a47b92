"""The Latin square: documents are divided into shards and phrase types into as many groups.

A sweep has as many phases. In phase p, shard i samples group (i + p) mod S, and all shards run at once::

              group 0   group 1   group 2
    shard 0   phase 0   phase 1   phase 2       No two blocks of a phase share
    shard 1   phase 2   phase 0   phase 1       a document or a phrase type.
    shard 2   phase 1   phase 2   phase 0

The square depends on the partition and the number of topics alone, never on the machine. The cliques of a
shard lie in sampling order: by group, kind of type, and type. The rank of a type in this order is called t.
Among the cliques of one type, the first clique of each document comes before all others, so that two
cliques of one document seldom follow each other.
"""

from __future__ import annotations

import math
from heapq import heapreplace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import count_known, starts_of
from topminer.jit import bare_kernel
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import NONE, Pieces, Rule
from topminer.topics.kernels.block import (
    MAX_REGISTER_TOPICS,
    MAX_WORDS,
    REGISTERS,
    SPARSE,
    path_for,
    row_length,
)

# Kinds of phrase types: of two words, of three to MAX_WORDS, of more words, single words, rare single words.
TWO_WORDS, PHRASE, LONG, WORD, RARE = range(5)
N_KINDS = 5

TOKENS_PER_SHARD, MAX_AUTO_SHARDS = 1_250_000, 64


class TypeTable(NamedTuple):
    """Phrase types as a partition numbers them: single words first."""

    stems: NDArray[np.int32]  # of all types, one behind another
    start: NDArray[np.int64]
    instances: NDArray[np.int64]
    n_words: int


class Types(NamedTuple):
    """Phrase types in sampling order: by group, kind, and type."""

    type_of: NDArray[np.int32]  # type of each rank t
    t_of: NDArray[np.int32]  # rank of each type; -1: the type has no instance
    t_start: NDArray[np.int64]  # first rank of each kind of each group (groups * kinds + 1)
    words: NDArray[np.int32]  # of all types, as the partition has them
    word_start: NDArray[np.int64]
    max_words: int

    def bounds(self, group: int) -> list[int]:
        """First rank of each kind of a group, and one past the last."""
        return [int(t) for t in self.t_start[group * N_KINDS : (group + 1) * N_KINDS + 1]]


class Cliques(NamedTuple):
    """The cliques of one shard in sampling order."""

    clique_start: NDArray[np.int64]  # first clique of each rank t
    d_of: NDArray[np.int32]  # document of each clique, counted from the shard's first
    # Of each clique in the partition's order; -1: a word that was never seen. Below 2**31 cliques an int32.
    slot_of: NDArray[np.int32] | NDArray[np.int64]


class Documents(NamedTuple):
    """The documents of a shard. What is sampled in place of a document is its pieces (phrases/pieces.py)."""

    type_ids: NDArray[np.int32]  # of the cliques
    piece_start: NDArray[np.int64]  # first clique of each piece, and one past the last
    first_piece: NDArray[np.int64]  # first piece of each document, and one past the last


class Layout(NamedTuple):
    """What every process knows of a chain. It follows from the partition and the parameters."""

    types: Types
    in_phrases: NDArray[np.uint8]  # whether each word occurs in a phrase of several words
    sizes: NDArray[np.int64]  # instances of the type of each rank t
    n_tokens: int
    longest: int  # tokens of the longest piece of a document
    n_topics: int
    n_shards: int
    path: str  # which kernels sample: see kernels/__init__.py
    seed: int
    split: Rule = NONE  # how documents are divided into pieces

    def instances(self) -> NDArray[np.int64]:
        """Return the instances of each type, as the partition numbers the types."""
        instances = np.zeros(self.types.t_of.size, np.int64)
        instances[self.types.type_of] = self.sizes
        return instances

    def key(self, sweep: int, phase: int, shard: int) -> np.uint64:
        """Return the key of a block's random numbers."""
        seeds = np.random.SeedSequence([self.seed, sweep, phase, shard])
        return np.uint64(seeds.generate_state(1, np.uint64)[0])


def lay_out(
    table: TypeTable,
    longest: int,
    n_topics: int,
    n_shards: int | None = None,
    seed: int = 0,
    path: str | None = None,
    split: Rule = NONE,
) -> Layout:
    """Arrange phrase types for a chain; ``path`` is for tests, otherwise the number of topics decides."""
    n_tokens, n_topics = int(np.diff(table.start) @ table.instances), int(n_topics)
    path = path or path_for(n_topics)
    n_shards = int(n_shards or 0) or n_shards_for(n_tokens, path)
    if path == REGISTERS and n_topics > MAX_REGISTER_TOPICS:
        raise ValueError(f"the path {REGISTERS!r} is for up to {MAX_REGISTER_TOPICS} topics, not {n_topics}")
    types, in_phrases = arrange_types(table, n_topics, n_shards)
    sizes = table.instances[types.type_of]
    return Layout(types, in_phrases, sizes, n_tokens, longest, n_topics, n_shards, path, seed, split)


def n_shards_for(n_tokens: int, path: str) -> int:
    """Return a power of two: 1 below 100,000 tokens, then enough for some threads.

    Two blocks a thread are sampled faster than one, unless there are many topics (see blocks.py): then half
    as many shards are enough. Smaller blocks cost more time for each of them.
    """
    if n_tokens < 100_000:
        return 1
    tokens_per_shard, least = TOKENS_PER_SHARD, 2 if n_tokens < 800_000 else 4
    if path == SPARSE:
        tokens_per_shard, least = 2 * TOKENS_PER_SHARD, 2
    wanted = 2 ** max(0, round(math.log2(n_tokens / tokens_per_shard)))
    return int(min(MAX_AUTO_SHARDS, max(least, wanted)))


def shard_bounds(partition: Partition, n_shards: int) -> NDArray[np.int64]:
    """First document of each shard, and one past the last: ranges with nearly as many cliques each."""
    wanted = partition.n_cliques * np.arange(1, n_shards) / n_shards
    inner = np.searchsorted(partition.doc_start[:-1], wanted)
    return np.concatenate(([0], np.minimum(inner, len(partition)), [len(partition)]))


def type_bounds(layout: Layout, n: int) -> NDArray[np.int64]:
    """Divide the phrase types into ``n`` ranges with about as many instances each."""
    ends = np.cumsum(layout.instances())
    wanted = layout.sizes.sum() * np.arange(1, n) / n
    return np.concatenate(([0], np.searchsorted(ends, wanted), [ends.size]))


def type_table(partition: Partition) -> TypeTable:
    """Return the phrase types of a partition."""
    return TypeTable(
        partition.type_stems, partition.type_start, partition.instances(), partition.corpus.n_stems
    )


def arrange_types(table: TypeTable, n_topics: int, n_groups: int) -> tuple[Types, NDArray[np.uint8]]:
    """Give every type a group and a rank. Also return which words occur in phrases of several words."""
    stems, type_start, instances, n_stems = table
    lengths = np.diff(type_start)
    in_phrases = np.zeros(n_stems, np.uint8)
    in_phrases[stems[type_start[n_stems] :]] = True
    kinds = np.select([lengths > MAX_WORDS, lengths > 2], [LONG, PHRASE], TWO_WORDS)
    kinds[:n_stems] = np.where(in_phrases | (instances[:n_stems] >= row_length(n_topics)), WORD, RARE)

    occurring = np.flatnonzero(instances)
    first_word = stems[type_start[:-1]]
    by_word = np.bincount(first_word, instances, n_stems).astype(np.int64)
    word_group = np.zeros(n_stems, np.int64)
    frequent_first = np.argsort(-by_word, kind="stable")
    word_group[frequent_first] = _even_groups(by_word[frequent_first], n_groups)
    groups = word_group[first_word]
    bins = groups * N_KINDS + kinds
    type_of = occurring[np.argsort(bins[occurring], kind="stable")].astype(np.int32)
    t_of = np.full(lengths.size, -1, np.int32)
    t_of[type_of] = np.arange(type_of.size)
    t_start = np.searchsorted(bins[type_of], np.arange(n_groups * N_KINDS + 1))
    max_words = int(lengths[occurring].max(initial=1))
    return Types(type_of, t_of, t_start, stems, type_start, max_words), in_phrases


def _even_groups(instances: NDArray[np.int64], n_groups: int) -> list[int]:
    """Assign each type in turn to the group with the fewest instances so far, or to the first of these."""
    groups = []
    smallest = [(0, group) for group in range(n_groups)]
    for n in instances.tolist():
        size, group = smallest[0]
        groups.append(group)
        heapreplace(smallest, (size + n, group))
    return groups


def cliques_of(partition: Partition, first: int, last: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the types of the cliques of documents ``first`` to ``last``, and where each document starts."""
    doc_start = partition.doc_start[first : last + 1]
    return partition.type_ids[doc_start[0] : doc_start[-1]], doc_start - doc_start[0]


def documents_of(pieces: Pieces, first: int, last: int) -> Documents:
    """Return documents ``first`` to ``last`` of a partition that was divided into pieces."""
    first_piece = pieces.first_piece[first : last + 1]
    cliques = cliques_of(pieces.partition, int(first_piece[0]), int(first_piece[-1]))
    return Documents(*cliques, first_piece - first_piece[0])


def arrange_cliques(types: Types, type_ids: NDArray[np.int32], doc_start: NDArray[np.int64]) -> Cliques:
    """Make a shard of some documents, given as :func:`cliques_of` returns them."""
    n_ranks = types.type_of.size
    start = starts_of(count_known(type_ids, types.t_of.size)[types.type_of])
    slot: type[np.integer] = np.int32 if type_ids.size < 2**31 else np.int64
    d_of, slot_of = np.empty(start[-1], np.int32), np.full(type_ids.size, -1, slot)
    last_seen = np.full(n_ranks, -1, np.int32)
    _arrange(type_ids, doc_start, types.t_of, start[:-1].copy(), start[1:].copy(), last_seen, d_of, slot_of)
    return Cliques(start, d_of, slot_of)


@bare_kernel
def _arrange(
    type_ids: NDArray[np.int32],
    doc_start: NDArray[np.int64],
    t_of: NDArray[np.int32],
    front: NDArray[np.int64],
    back: NDArray[np.int64],
    last_seen: NDArray[np.int32],
    d_of: NDArray[np.int32],
    slot_of: NDArray[np.int32] | NDArray[np.int64],
) -> None:
    """Give each clique a slot of its type.

    The first clique of a document goes to the front of its type's slots, the others are filled in from the
    back.
    """
    for d in range(doc_start.size - 1):
        for i in range(doc_start[d], doc_start[d + 1]):
            if type_ids[i] < 0:
                continue
            t = t_of[type_ids[i]]
            if last_seen[t] != d:
                slot = front[t]
                front[t] += 1
                last_seen[t] = d
            else:
                back[t] -= 1
                slot = back[t]
            d_of[slot] = d
            slot_of[i] = slot
