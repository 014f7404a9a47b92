"""The worker's side of storing a chain: its state, to go on from, and the topics that it found.

Everything that grows with the documents is stored by the workers that have it.

Counts follow from the topics of the cliques. But a draw also depends on the order of the entries of a
document's list, and on the order of the topics of a rare word, so the state has both too. Kernels index with
what is restored, so it must be exactly what was counted from the topics, up to the order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.engines.held import Held
from topminer.errors import InputError
from topminer.store import write_array
from topminer.topics.sampler.doc_topic_counts import DocTopicCounts, count_dtype, same_lists
from topminer.topics.sampler.exchange import own
from topminer.topics.sampler.latin_square import Layout
from topminer.topics.sampler.shard import Shard
from topminer.topics.sampler.word_topic_counts import GroupCounts
from topminer.topics.sampler.worker import Rows, ShardWorker

STATE = ("z", "n_dk", "list_size", "z_rare")  # of workers, in the order of shards
AVERAGE = ("keys", "sums", "squares")  # of topical frequencies
TOPICS = (
    "clique_topic",
    "doc_topic_doc",
    "doc_topic_topic",
    "doc_topic_tokens",
    "doc_pieces",
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

    def _state(self) -> dict[str, list[NDArray[Any]]]:
        """Return the arrays of `STATE`, each as a list of pieces. ``n_dk`` is stored if it has lists."""
        lists = [shard.doc_topic for shard in self.shards if shard.doc_topic.list_size.size]
        return {
            "z": [np.zeros(0, np.uint16), *(shard.z for shard in self.shards)],
            "n_dk": [np.zeros(0, count_dtype(self.layout.longest, True)), *(each.n_dk for each in lists)],
            "list_size": [np.zeros(0, np.int32), *(each.list_size for each in lists)],
            "z_rare": [np.zeros(0, np.uint16), *(group.z_rare for group in self._groups())],
        }

    def hold_state(self) -> None:
        """Hold the state that sampling goes on from, besides priors and the number of sweeps."""
        self.held = {name: np.concatenate(pieces) for name, pieces in self._state().items()}
        self.held |= {name: array.copy() for name, array in self.average.state().items()}

    def state_sizes(self) -> dict[str, int]:
        """Return the sizes of the arrays of the state, without those of the average."""
        return {name: sum(piece.size for piece in pieces) for name, pieces in self._state().items()}

    def restore_topics(self, z: NDArray[np.uint16]) -> None:
        """Restore the topic of every clique and count documents; counts by word are still to be made."""
        _fill(self._state()["z"], np.asarray(z))
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
        _check_lists(self.shards, lists, sizes)
        _check_rare(self._groups(), rare, self.layout.n_topics)
        for name, values in (("n_dk", lists), ("list_size", sizes), ("z_rare", rare)):
            _fill(self._state()[name], values)
        restored = {name: own(np.asarray(array)) for name, array in average.items()}
        _check_average(restored, self.layout, n_samples)
        self.average.restore(restored, n_samples)

    # ------------------------------------------------------------------ topics

    def hold_topics(self, order: NDArray[np.int64]) -> None:
        """Hold the topics that were found, numbered by ``order``."""
        number = np.empty(order.size, np.int32)
        number[order] = np.arange(order.size)
        documents, topics, tokens = self.doc_topics()
        topics = number[topics]
        old = self.clique_topics()
        clique_topic = np.append(number, np.int32(-1))[old]
        frequency = self.average.result().relabelled(order)
        arrays = (clique_topic, documents, topics, tokens, self.doc_pieces(), *frequency[:4])
        self.held = dict(zip(TOPICS, arrays, strict=True))

    def doc_topics(self) -> tuple[NDArray[Any], ...]:
        """Return documents, topics and tokens where there are tokens, by document and topic."""
        none, first_doc = np.zeros(0, np.int32), self.first_doc
        parts: list[tuple[NDArray[Any], ...]] = [(np.zeros(0, np.int64), none, none)]
        for shard, first_piece in zip(self.shards, self.first_piece, strict=True):
            pieces, topics, counts = shard.entries()
            n_pieces = np.diff(first_piece)
            docs = np.repeat(np.arange(first_doc, first_doc + n_pieces.size), n_pieces)[pieces]
            parts.append((docs, topics, counts))
            first_doc += n_pieces.size
        doc, topic, tokens = map(np.concatenate, zip(*parts, strict=True))
        order = np.lexsort((topic, doc))
        return _summed(doc[order], topic[order], tokens[order])

    def doc_pieces(self) -> NDArray[np.int32]:
        """Return how many pieces each document has."""
        none = np.zeros(0, np.int32)
        return np.concatenate([none, *(np.diff(each).astype(np.int32) for each in self.first_piece)])

    def clique_topics(self) -> NDArray[np.int32]:
        """Return the topic of each clique in the partition's order; -1 for a word that was never seen."""
        pieces = [np.zeros(0, np.int32)]
        for shard in self.shards:
            slot_of = shard.cliques.slot_of
            pieces.append(np.full(slot_of.size, -1, np.int32))
            pieces[-1][slot_of >= 0] = shard.z[slot_of[slot_of >= 0]]
        return np.concatenate(pieces)

    def assign_topics(self, clique_topic: NDArray[np.int64]) -> None:
        """Set the topic of each clique, in the partition's order, and count documents."""
        start = 0
        for shard in self.shards:
            slot_of = shard.cliques.slot_of
            here = clique_topic[start : start + slot_of.size]
            shard.z[slot_of[slot_of >= 0]] = here[slot_of >= 0]
            shard.recount()
            start += slot_of.size

    def write_words(self, path: Path, order: NDArray[np.int64], start: int, stop: int, *pieces: Rows) -> str:
        """Write elements ``start`` to ``stop`` of the table of words by topics, given everybody's rows."""
        first, last = start // order.size, -(-stop // order.size)
        table = np.ascontiguousarray(self.table(first, last, *pieces)[:, order]).ravel()
        return write_array(path, table[start - first * order.size : stop - first * order.size])


def _summed(
    doc: NDArray[np.int64], topic: NDArray[np.int32], tokens: NDArray[np.int32]
) -> tuple[NDArray[Any], ...]:
    """Add up the tokens of equal pairs of document and topic, which lie side by side."""
    is_first = np.append(True, (doc[1:] != doc[:-1]) | (topic[1:] != topic[:-1]))[: doc.size]
    if is_first.all():
        return doc, topic, tokens
    return (
        doc[is_first],
        topic[is_first],
        np.add.reduceat(tokens, np.flatnonzero(is_first), dtype=tokens.dtype),
    )


# ----------------------------------------------------------- checks of what is restored


def check_average_size(state: Mapping[str, NDArray[Any]], layout: Layout, n_samples: int) -> None:
    """Compare stored sums of topical frequencies with the phrase types and the number of samples."""
    sizes = {state[name].size for name in AVERAGE}
    keys, n_keys = state["keys"], layout.types.t_of.size * layout.n_topics
    if len(sizes) > 1 or (keys.size and int(np.asarray(keys[-1:])[0]) >= n_keys):
        raise InputError("damaged: the topical frequencies of the state do not fit the phrases")
    if bool(keys.size) != bool(n_samples):
        raise InputError(f"damaged: the state has topical frequencies of {n_samples:,} samples, or none")


def _fill(pieces: Sequence[NDArray[Any]], values: NDArray[Any]) -> None:
    """Copy an array to the pieces that it was joined from."""
    start = 0
    for piece in pieces:
        piece[:] = values[start : start + piece.size]
        start += piece.size


def _check_lists(shards: Sequence[Shard], n_dk: NDArray[Any], sizes: NDArray[np.int32]) -> None:
    """Compare stored lists of topics with those that were counted."""
    at = document = 0
    for shard in shards:
        counted, n_docs = shard.doc_topic, shard.n_docs
        if not counted.list_size.size:
            continue
        stored = DocTopicCounts(
            n_dk[at : at + counted.n_dk.size], counted.list_start, sizes[document : document + n_docs]
        )
        at, document = at + counted.n_dk.size, document + n_docs
        if not same_lists(stored, counted, n_docs):
            raise InputError("damaged: the lists of topics in documents do not match the topics of phrases")


def _check_rare(groups: Sequence[GroupCounts], z_rare: NDArray[np.uint16], n_topics: int) -> None:
    """Compare stored topics of rare words with those that were counted."""
    first = 0
    for group in groups:
        word = group.rare_word_of_token()
        stored, counted = (
            np.sort(word * n_topics + topics.astype(np.int64))
            for topics in (z_rare[first : first + group.z_rare.size], group.z_rare)
        )
        first += group.z_rare.size
        if not np.array_equal(stored, counted):
            raise InputError("damaged: the topics of rare words do not match the topics of phrases")


def _check_average(average: Mapping[str, NDArray[np.int64]], layout: Layout, n_samples: int) -> None:
    """Compare sums of topical frequencies with the instances of phrase types."""
    keys, sums, squares = (average[name] for name in AVERAGE)
    if not keys.size:
        return
    types = keys // layout.n_topics
    wanted = n_samples * layout.instances()
    starts = np.flatnonzero(np.append(True, types[1:] != types[:-1]))
    if (
        np.any(sums > wanted[types])  # else their total may wrap around
        or not np.array_equal(np.add.reduceat(sums, starts), wanted[types[starts]])
        or np.any(n_samples * squares - sums * sums < 0)  # right although a product may wrap around
    ):
        raise InputError("damaged: topical frequencies do not add up to the instances of phrases")
