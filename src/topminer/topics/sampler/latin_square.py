"""The Latin square: documents fall into shards, phrase types into groups, as many of one as of the other.

A sweep has as many phases. In phase p shard i samples group (i + p) mod S, all shards at once::

              group 0   group 1   group 2
    shard 0   phase 0   phase 1   phase 2       No two blocks of a phase share
    shard 1   phase 2   phase 0   phase 1       a document or a phrase type.
    shard 2   phase 1   phase 2   phase 0

The square is made from the partition and the number of topics alone, never from the machine. Inside a
shard cliques lie in the order in which they are sampled: by group, kind of type, and type; of one type,
those that are the first of their document come first, so that two of a document seldom follow each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, kernel
from topminer.jit.lanes import WIDTH, padded
from topminer.phrases.partition import Partition

# A word too rare to fill a row of counts by topic keeps a bag of topics instead (see counts.py).
PHRASE, LONG, WORD, RARE = range(4)
FEW, DENSE, PACKED = "few", "dense", "packed"  # how topics are sampled: gibbs.py, gibbs.py, packed.py
MOST_FEW, MOST_DENSE = 2 * WIDTH, 128
MOST_WORDS = 4  # products of more would leave the range of float32: LONG phrases take another way
N_KINDS = 4

TOKENS_PER_SHARD, MOST_SHARDS = 2_500_000, 64


class TypeTable(NamedTuple):
    """Phrase types as a partition numbers them: single words first."""

    stems: NDArray[np.int32]  # of all types, one behind the other
    start: NDArray[np.int64]
    instances: NDArray[np.int64]
    n_words: int


class Types(NamedTuple):
    """Phrase types in the order in which they are sampled: by group, kind, and type."""

    at: NDArray[np.int32]  # type at each place
    place_of: NDArray[np.int32]  # of each type; -1 for a type with no instance
    start: NDArray[np.int64]  # first place of each kind of each group (groups * kinds + 1)
    words: NDArray[np.int32]  # of all types, as the partition has them
    word_start: NDArray[np.int64]
    most_words: int


class Cliques(NamedTuple):
    """The cliques of one shard in the order in which they are sampled."""

    place_start: NDArray[np.int64]  # first clique of each place
    docs: NDArray[np.int32]  # document of each clique, counted from the shard's first
    place_in: NDArray[np.int64]  # where each clique of the partition's order went; -1: a word never seen


def n_shards_for(n_tokens: int) -> int:
    """A power of two: one shard below 100,000 tokens, then two or more, with about 2,500,000 tokens each."""
    if n_tokens < 100_000:
        return 1
    return int(min(MOST_SHARDS, 2 ** max(1, round(math.log2(n_tokens / TOKENS_PER_SHARD)))))


def path_for(n_topics: int) -> str:
    """How topics are sampled."""
    if n_topics <= MOST_FEW:
        return FEW
    return DENSE if n_topics <= MOST_DENSE else PACKED


def row_length(n_topics: int) -> int:
    """Counts in a row: the topics, padded."""
    return int(max(padded(n_topics), MOST_FEW))


def shard_bounds(partition: Partition, n_shards: int) -> NDArray[np.int64]:
    """First document of each shard, and one past the last: neighbours, with nearly as many cliques each."""
    wanted = partition.n_cliques * np.arange(1, n_shards) / n_shards
    inner = np.searchsorted(partition.doc_start[:-1], wanted)
    return np.concatenate(([0], np.minimum(inner, len(partition)), [len(partition)]))


def type_table(partition: Partition) -> TypeTable:
    """The phrase types of a partition."""
    return TypeTable(
        partition.type_stems, partition.type_start, partition.instances(), partition.corpus.n_stems
    )


def arrange_types(table: TypeTable, n_topics: int, n_groups: int) -> tuple[Types, NDArray[np.uint8]]:
    """Give every type a group and a place; also, which words stand in phrases of several words."""
    stems, type_start, instances, n_stems = table
    lengths = np.diff(type_start)
    in_phrases = np.zeros(n_stems, np.uint8)
    in_phrases[stems[type_start[n_stems] :]] = True
    kinds = np.where(lengths > MOST_WORDS, LONG, PHRASE)
    kinds[:n_stems] = np.where(in_phrases | (instances[:n_stems] >= row_length(n_topics)), WORD, RARE)

    here = np.flatnonzero(instances)
    groups = np.zeros(lengths.size, np.int64)
    frequent_first = here[np.argsort(-instances[here], kind="stable")]
    groups[frequent_first] = _even_groups(instances[frequent_first], n_groups)
    bins = groups * N_KINDS + kinds
    at = here[np.argsort(bins[here], kind="stable")].astype(np.int32)
    place_of = np.full(lengths.size, -1, np.int32)
    place_of[at] = np.arange(at.size)
    start = np.searchsorted(bins[at], np.arange(n_groups * N_KINDS + 1))
    most = int(lengths[here].max(initial=1))
    return Types(at, place_of, start, stems, type_start, most), in_phrases


@kernel
def _even_groups(instances: NDArray[np.int64], n_groups: Int) -> NDArray[np.int64]:
    """Each type in turn goes to the group with the fewest instances so far."""
    groups, sizes = np.empty(instances.size, np.int64), np.zeros(n_groups, np.int64)
    for i in range(instances.size):
        group = np.argmin(sizes)
        groups[i] = group
        sizes[group] += instances[i]
    return groups


def cliques_of(partition: Partition, first: int, last: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The types of the cliques of documents ``first`` to ``last``, and where each document starts there."""
    doc_start = partition.doc_start[first : last + 1]
    return partition.type_ids[doc_start[0] : doc_start[-1]], doc_start - doc_start[0]


def arrange_cliques(types: Types, type_ids: NDArray[np.int32], doc_start: NDArray[np.int64]) -> Cliques:
    """Some documents, as :func:`cliques_of` gives them, as a shard."""
    return Cliques(*_arrange(type_ids, doc_start, types.place_of, types.at.size))


@kernel
def _arrange(
    type_ids: NDArray[np.int32], doc_start: NDArray[np.int64], place_of: NDArray[np.int32], n_places: Int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    start = np.zeros(n_places + 1, np.int64)
    for type_id in type_ids:
        if type_id >= 0:
            start[place_of[type_id] + 1] += 1
    start = np.cumsum(start)
    front, back = start[:-1].copy(), start[1:].copy()
    last_seen = np.full(n_places, -1, np.int32)
    docs = np.empty(start[-1], np.int32)
    place_in = np.full(type_ids.size, -1, np.int64)
    for d in range(doc_start.size - 1):
        for i in range(doc_start[d], doc_start[d + 1]):
            if type_ids[i] < 0:
                continue
            place = place_of[type_ids[i]]
            if last_seen[place] != d:
                slot = front[place]
                front[place] += 1
                last_seen[place] = d
            else:
                back[place] -= 1
                slot = back[place]
            docs[slot] = d
            place_in[i] = slot
    return start, docs, place_in
