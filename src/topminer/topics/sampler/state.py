"""The state of a chain: what a checkpoint stores of a worker, and checks of what is restored.

Counts follow from the topics of the cliques. But a draw also depends on the order of the entries of a
document's list, and on the order of the topics of a rare word, so both are stored too. Kernels index with
what is restored, so it must be exactly what was counted from the topics, up to the order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.topics.sampler.doc_topic_counts import DocTopicCounts, count_dtype, same_lists
from topminer.topics.sampler.latin_square import Layout
from topminer.topics.sampler.shard import Shard
from topminer.topics.sampler.word_topic_counts import GroupCounts

STATE = ("z", "n_dk", "list_size", "z_rare")  # of workers, in the order of shards
AVERAGE = ("keys", "sums", "squares")  # of topical frequencies

Arrays = dict[str, list[NDArray[Any]]]


def state_arrays(layout: Layout, shards: Sequence[Shard], groups: Sequence[GroupCounts]) -> Arrays:
    """Return the arrays that are stored, each as a list of pieces. ``n_dk`` is stored if it has lists."""
    lists = [shard.doc_topic for shard in shards if shard.doc_topic.list_size.size]
    return {
        "z": [np.zeros(0, np.uint16), *(shard.z for shard in shards)],
        "n_dk": [np.zeros(0, count_dtype(layout.longest, True)), *(each.n_dk for each in lists)],
        "list_size": [np.zeros(0, np.int32), *(each.list_size for each in lists)],
        "z_rare": [np.zeros(0, np.uint16), *(group.z_rare for group in groups)],
    }


def fill(pieces: Sequence[NDArray[Any]], values: NDArray[Any]) -> None:
    """Copy an array to the pieces that it was joined from."""
    start = 0
    for piece in pieces:
        piece[:] = values[start : start + piece.size]
        start += piece.size


def check_lists(shards: Sequence[Shard], n_dk: NDArray[Any], sizes: NDArray[np.int32]) -> None:
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


def check_rare(groups: Sequence[GroupCounts], z_rare: NDArray[np.uint16], n_topics: int) -> None:
    """Compare stored topics of rare words with those that were counted."""
    first = 0
    for group in groups:
        word = np.repeat(np.arange(group.z_rare_start.size - 1), np.diff(group.z_rare_start))
        stored, counted = (
            np.sort(word * n_topics + topics.astype(np.int64))
            for topics in (z_rare[first : first + group.z_rare.size], group.z_rare)
        )
        first += group.z_rare.size
        if not np.array_equal(stored, counted):
            raise InputError("damaged: the topics of rare words do not match the topics of phrases")


def check_average(average: Mapping[str, NDArray[np.int64]], layout: Layout, n_samples: int) -> None:
    """Compare sums of topical frequencies with the instances of phrase types."""
    keys, sums, squares = (average[name] for name in AVERAGE)
    if not keys.size:
        return
    types = keys // layout.n_topics
    instances = np.zeros(layout.types.t_of.size, np.int64)
    instances[layout.types.type_of] = layout.sizes
    wanted = n_samples * instances
    starts = np.flatnonzero(np.append(True, types[1:] != types[:-1]))
    if (
        np.any(sums > wanted[types])  # else their total may wrap around
        or not np.array_equal(np.add.reduceat(sums, starts), wanted[types[starts]])
        or np.any(n_samples * squares - sums * sums < 0)  # right although a product may wrap around
    ):
        raise InputError("damaged: topical frequencies do not add up to the instances of phrases")


def check_average_size(state: Mapping[str, NDArray[Any]], layout: Layout, n_samples: int) -> None:
    """Compare stored sums of topical frequencies with the phrase types and the number of samples."""
    sizes = {state[name].size for name in AVERAGE}
    keys, n_keys = state["keys"], layout.types.t_of.size * layout.n_topics
    if len(sizes) > 1 or (keys.size and int(np.asarray(keys[-1:])[0]) >= n_keys):
        raise InputError("damaged: the topical frequencies of the state do not fit the phrases")
    if bool(keys.size) != bool(n_samples):
        raise InputError(f"damaged: the state has topical frequencies of {n_samples:,} samples, or none")
