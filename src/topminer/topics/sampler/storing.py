"""The worker's side of storing a chain: its state, to go on from, and the topics that it found.

Everything that grows with the documents is stored by the workers that have it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.engines.held import Held
from topminer.store import write_array
from topminer.topics.sampler.exchange import own
from topminer.topics.sampler.state import Arrays, check_average, check_lists, check_rare, fill, state_arrays
from topminer.topics.sampler.worker import Rows, ShardWorker

TOPICS = (
    "clique_topic",
    "doc_topic_doc",
    "doc_topic_topic",
    "doc_topic_tokens",
    "frequency_type",
    "frequency_topic",
    "frequency_mean",
    "frequency_spread",
)


class StoringWorker(ShardWorker, Held):
    """A worker that can store its part of a chain."""

    def release(self) -> None:
        """Drop everything that is held."""
        self.held = {}

    # ------------------------------------------------------------------- state

    def _state(self) -> Arrays:
        return state_arrays(self.layout, self.shards, self._groups())

    def hold_state(self) -> None:
        """Hold the state that sampling goes on from, besides priors and the number of sweeps."""
        self.held = {name: np.concatenate(pieces) for name, pieces in self._state().items()}
        self.held |= {name: array.copy() for name, array in self.average.state().items()}

    def state_sizes(self) -> dict[str, int]:
        """Return the sizes of the arrays of the state, without those of the average."""
        return {name: sum(piece.size for piece in pieces) for name, pieces in self._state().items()}

    def restore_topics(self, z: NDArray[np.uint16]) -> None:
        """Restore the topic of every clique and count documents; counts by word are still to be made."""
        fill(self._state()["z"], np.asarray(z))
        for shard in self.shards:
            shard.recount()

    def restore_order(
        self,
        n_dk: NDArray[Any],
        list_size: NDArray[np.int32],
        z_rare: NDArray[np.uint16],
        average: dict[str, NDArray[np.int64]],
        n_samples: int,
    ) -> None:
        """Restore the order of lists and of rare words' topics, and the average. Refuse damaged ones."""
        lists, sizes, rare = np.asarray(n_dk), np.asarray(list_size), np.asarray(z_rare)
        check_lists(self.shards, lists, sizes)
        check_rare(self._groups(), rare, self.layout.n_topics)
        for name, values in (("n_dk", lists), ("list_size", sizes), ("z_rare", rare)):
            fill(self._state()[name], values)
        restored = {name: own(np.asarray(array)) for name, array in average.items()}
        check_average(restored, self.layout, n_samples)
        self.average.restore(restored, n_samples)

    # ------------------------------------------------------------------ topics

    def hold_topics(self, order: NDArray[np.int64]) -> None:
        """Hold the topics that were found, numbered by ``order``."""
        number = np.empty(order.size, np.int32)
        number[order] = np.arange(order.size)
        documents, topics, tokens = self.doc_topics()
        topics = number[topics]
        old = self.clique_topics()
        clique_topic = np.where(old < 0, -1, number[old]).astype(np.int32)
        frequency = self.average.result().relabelled(order)
        arrays = (clique_topic, documents, topics, tokens, *frequency[:4])
        self.held = dict(zip(TOPICS, arrays, strict=True))

    def doc_topics(self) -> tuple[NDArray[Any], ...]:
        """Return documents, topics and tokens where there are tokens, by document and topic."""
        none, first_doc = np.zeros(0, np.int32), self.first_doc
        parts: list[tuple[NDArray[Any], ...]] = [(np.zeros(0, np.int64), none, none)]
        for shard in self.shards:
            docs, topics, counts = shard.entries()
            parts.append((docs.astype(np.int64) + first_doc, topics, counts))
            first_doc += shard.n_docs
        doc, topic, tokens = map(np.concatenate, zip(*parts, strict=True))
        order = np.lexsort((topic, doc))
        return doc[order], topic[order], tokens[order]

    def clique_topics(self) -> NDArray[np.int32]:
        """Return the topic of each clique in the partition's order; -1 for a word that was never seen."""
        pieces = [np.zeros(0, np.int32)]
        for shard in self.shards:
            slot_of = shard.cliques.slot_of
            pieces.append(np.full(slot_of.size, -1, np.int32))
            pieces[-1][slot_of >= 0] = shard.z[slot_of[slot_of >= 0]]
        return np.concatenate(pieces)

    def write_words(self, path: Path, order: NDArray[np.int64], start: int, stop: int, *pieces: Rows) -> str:
        """Write elements ``start`` to ``stop`` of the table of words by topics, given everybody's rows."""
        first, last = start // order.size, -(-stop // order.size)
        table = np.ascontiguousarray(self.table(first, last, *pieces)[:, order]).ravel()
        return write_array(path, table[start - first * order.size : stop - first * order.size])
