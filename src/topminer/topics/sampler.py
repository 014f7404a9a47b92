"""The sampler: sweep after sweep over the Latin square, on whatever engine runs the blocks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer._jit import kernel
from topminer.engines.local import LocalEngine
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.topics import histograms
from topminer.topics.counts import add_shard, no_counts, row_counts, word_topic
from topminer.topics.histograms import Histograms
from topminer.topics.shard import Changes, Shard, Shared
from topminer.topics.square import (
    FEW,
    MOST_FEW,
    arrange_cliques,
    arrange_types,
    n_shards_for,
    path_for,
    shard_bounds,
)


class Sampler:
    """A chain: the topic of every clique, and the counts that follow from them.

    ``path`` is for tests; otherwise the number of topics decides.
    """

    def __init__(
        self,
        partition: Partition,
        n_topics: int,
        alpha: NDArray[np.float64],
        beta: float,
        *,
        n_shards: int | None = None,
        seed: int = 0,
        n_threads: int = 1,
        path: str | None = None,
    ) -> None:
        corpus = partition.corpus
        self.n_topics, self.alpha, self.beta, self.seed, self.n_sweeps = n_topics, alpha, beta, seed, 0
        known = partition.type_ids >= 0
        self.n_threads = n_threads
        self.n_tokens = int(np.diff(partition.clique_start)[known].sum())
        self.n_shards = n_shards or n_shards_for(self.n_tokens)
        self._types, in_phrases = arrange_types(partition, n_topics, self.n_shards)
        longest = int(np.diff(corpus.doc_start).max(initial=0))
        self.path = path or path_for(n_topics)
        if self.path == FEW and n_topics > MOST_FEW:
            raise ValueError(f"the path {FEW!r} is for up to {MOST_FEW} topics, not {n_topics}")
        self._bounds = shard_bounds(partition, self.n_shards)
        self.shards = []
        for number, (first, last) in enumerate(pairwise(self._bounds.tolist())):
            cliques = arrange_cliques(partition, self._types, first, last)
            self.shards.append(Shard(self._types, cliques, last - first, n_topics, longest, self.path))
            self.shards[-1].scatter(self._key(0, 0, number))
        self._in_phrases = in_phrases
        self._count()
        self._engine = LocalEngine(self.shards, n_threads)

    def close(self) -> None:
        """Let the engine go."""
        self._engine.close()

    def _key(self, sweep: int, phase: int, shard: int) -> np.uint64:
        """The stream of random numbers of one block."""
        seeds = np.random.SeedSequence([self.seed, sweep, phase, shard])
        return np.uint64(seeds.generate_state(1, np.uint64)[0])

    def _count(self) -> None:
        """Count words and tokens by topic, from the topics of the cliques."""
        sizes = np.sum([np.diff(shard.cliques.place_start) for shard in self.shards], axis=0)
        self._words = no_counts(self._types, self._in_phrases, sizes, self.n_topics)
        self.tokens = np.zeros(self.n_topics, np.int64)
        for shard in self.shards:
            add_shard(self._words, self._types, shard.cliques.place_start, shard.topics, self.n_topics)
            _, topics, counts = shard.entries()
            self.tokens += np.bincount(topics, counts, self.n_topics).astype(np.int64)

    def state(self) -> dict[str, NDArray[Any]]:
        """What sampling goes on from, beside priors and sweeps: topics, and the order in lists and bags.

        Counts follow from the topics; but a draw also depends on where in its list a topic stands.
        """
        return {name: np.concatenate(arrays) for name, arrays in self._state().items()}

    def restore(self, state: Mapping[str, NDArray[Any]], n_sweeps: int) -> None:
        """Go on from a :meth:`state` after ``n_sweeps`` sweeps, as if nothing had happened since."""
        topics, later = self._state().pop("topics"), ("held", "held_size", "bags")
        _fill(topics, state["topics"])
        for shard in self.shards:
            shard.recount()
        self._count()
        for name, arrays in self._state().items():
            if name in later:
                _fill(arrays, state[name])
        self.n_sweeps = n_sweeps

    def _state(self) -> dict[str, list[NDArray[Any]]]:
        packed = [shard.held for shard in self.shards if shard.held.size.size]
        return {
            "topics": [shard.topics for shard in self.shards],
            "held": [held.counts for held in packed] or [np.zeros(0, np.uint16)],
            "held_size": [held.size for held in packed] or [np.zeros(0, np.int32)],
            "bags": [group.bags for group in self._words.groups],
        }

    def _shared(self) -> Shared:
        words = self._words
        return Shared(words.row_of, words.shared, self.tokens, self.alpha, self.beta, self.n_shards == 1)

    def sweep(self) -> None:
        """Sample every clique once: as many phases as there are shards."""
        self.n_sweeps += 1
        for phase in range(self.n_shards):
            shared = self._shared()
            arguments = []
            for shard in range(self.n_shards):
                group = (shard + phase) % self.n_shards
                key = self._key(self.n_sweeps, phase, shard)
                arguments.append((group, self._words.groups[group], shared, key))
            changes: list[Changes] = self._engine.run("sample", arguments)
            for change in changes:
                self.tokens = self.tokens + change.tokens
                _add(self._words.shared, change.cells, change.by)

    def log_predictive(self) -> float:
        """Sum of log p(word | document) over all tokens, with the counts as they stand."""
        shared, total = self._shared(), 0.0
        for phase in range(self.n_shards):
            groups = [(shard + phase) % self.n_shards for shard in range(self.n_shards)]
            total += sum(
                self._engine.run("log_predictive", [(g, self._words.groups[g], shared) for g in groups])
            )
        for shard in self.shards:
            docs, _, counts = shard.entries()
            lengths = np.bincount(docs, counts, shard.n_docs)
            total -= float((lengths * np.log(lengths + self.alpha.sum())).sum())
        return total

    def histograms(self) -> Histograms:
        """What priors and likelihood need."""
        by_document = [shard.entries() for shard in self.shards]
        topics = np.concatenate([topics for _, topics, _ in by_document])
        counts = np.concatenate([counts for _, _, counts in by_document])
        lengths = np.concatenate([np.bincount(docs, counts) for docs, _, counts in by_document])
        return Histograms(
            *histograms.count_by_topic(topics, counts),
            histograms.count(lengths.astype(np.int32)),
            histograms.count(row_counts(self._words)),
            self.tokens,
            self._words.row_of.size,
        )

    def word_topic(self) -> NDArray[np.int32]:
        """Tokens of each word in each topic, (words, topics)."""
        return word_topic(self._words, self._types, self.n_topics)

    def doc_topic(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Documents, topics and tokens, where there are any, by document and topic."""
        docs, topics, counts = [], [], []
        for first, shard in zip(self._bounds.tolist(), self.shards, strict=False):
            d, k, n = shard.entries()
            docs.append(d.astype(np.int64) + first)
            topics.append(k)
            counts.append(n)
        doc, topic, count = np.concatenate(docs), np.concatenate(topics), np.concatenate(counts)
        order = np.lexsort((topic, doc))
        return doc[order], topic[order], count[order]

    def clique_topics(self) -> NDArray[np.int32]:
        """The topic of each clique in the partition's order; -1 for a word never seen."""
        pieces = []
        for shard in self.shards:
            place_in = shard.cliques.place_in
            topics = np.full(place_in.size, -1, np.int32)
            topics[place_in >= 0] = shard.topics[place_in[place_in >= 0]]
            pieces.append(topics)
        return np.concatenate(pieces)


def _fill(arrays: list[NDArray[Any]], state: NDArray[Any]) -> None:
    """Let some arrays have the values of one that they were joined to."""
    ends = np.cumsum([array.size for array in arrays])
    if ends[-1] != state.size:
        raise InputError(f"the state has {state.size:,} values where {ends[-1]:,} belong: of another corpus?")
    for array, values in zip(arrays, np.split(state, ends[:-1]), strict=True):
        array[:] = values


@kernel
def _add(table: NDArray[np.int32], cells: NDArray[np.int64], by: NDArray[np.int32]) -> None:
    for i in range(cells.size):
        table[cells[i]] += by[i]
