"""What is read from a worker's shards: topics of documents and cliques, histograms, topical frequency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.topics.model.histograms import Counts, count, count_by_topic
from topminer.topics.results.frequency import Pairs, count_keys
from topminer.topics.sampler.latin_square import Layout
from topminer.topics.sampler.shard import Shard


def document_lengths(shard: Shard) -> NDArray[Any]:
    """Return the tokens of each document of a shard."""
    docs, _, counts = shard.entries()
    return np.bincount(docs, counts, shard.n_docs)


def topic_tokens(shards: Sequence[Shard], n_topics: int) -> NDArray[np.int64]:
    """Return the tokens of each topic."""
    total = np.zeros(n_topics, np.int64)
    for shard in shards:
        _, topics, counts = shard.entries()
        total += np.bincount(topics, counts, n_topics).astype(np.int64)
    return total


def document_histograms(shards: Sequence[Shard]) -> tuple[NDArray[np.int32], Counts, Counts]:
    """Return the first three of :class:`Histograms`: those of documents."""
    entries = [shard.entries() for shard in shards]
    nothing = np.zeros(0, np.int32)
    topics = np.concatenate([nothing, *(topics for _, topics, _ in entries)])
    counts = np.concatenate([nothing, *(counts for _, _, counts in entries)])
    lengths = np.concatenate([nothing, *map(document_lengths, shards)])
    return *count_by_topic(topics, counts), count(lengths.astype(np.int32))


def count_pairs(layout: Layout, shards: Sequence[Shard]) -> Pairs:
    """Count instances by type and topic."""
    first_key = layout.types.type_of * np.int64(layout.n_topics)
    keys = [np.zeros(0, np.int64)]
    for shard in shards:
        keys.append(np.repeat(first_key, np.diff(shard.cliques.clique_start)))
        keys[-1] += shard.z
    return count_keys(np.concatenate(keys))


def doc_topics(
    shards: Sequence[Shard], first_doc: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return documents, topics and tokens where there are tokens, by document and topic."""
    none = np.zeros(0, np.int32)
    parts: list[tuple[NDArray[Any], ...]] = [(np.zeros(0, np.int64), none, none)]
    for shard in shards:
        docs, topics, counts = shard.entries()
        parts.append((docs.astype(np.int64) + first_doc, topics, counts))
        first_doc += shard.n_docs
    doc, topic, tokens = map(np.concatenate, zip(*parts, strict=True))
    order = np.lexsort((topic, doc))
    return doc[order], topic[order], tokens[order]


def clique_topics(shards: Sequence[Shard]) -> NDArray[np.int32]:
    """Return the topic of each clique in the partition's order; -1 for a word that was never seen."""
    pieces = [np.zeros(0, np.int32)]
    for shard in shards:
        slot_of = shard.cliques.slot_of
        topics = np.full(slot_of.size, -1, np.int32)
        topics[slot_of >= 0] = shard.z[slot_of[slot_of >= 0]]
        pieces.append(topics)
    return np.concatenate(pieces)
