"""The shards of a chain, spread over the workers that have cut the documents."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from topminer.engines.contract import Placed
from topminer.memory import available_bytes
from topminer.run.cutting import Cut, shard_bounds
from topminer.topics.sampler.estimate import (
    Estimate,
    Plan,
    check_memory,
    comparison_bytes,
    n_samples_in,
    sweep_seconds,
)
from topminer.topics.sampler.latin_square import Documents, Layout
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.storing import StoringWorker


class JoiningWorker(StoringWorker):
    """A worker whose shards arrive in parts, from several workers: ``n_parts`` for each, in their order."""

    def __init__(
        self,
        layout: Layout,
        first_shard: int,
        first_doc: int,
        n_threads: int,
        n_parts: list[int],
        *parts: Documents,
    ) -> None:
        cuts = pairwise(accumulate(n_parts, initial=0))
        documents = [_joined(parts[first:last]) for first, last in cuts]
        super().__init__(layout, first_shard, first_doc, n_threads, *documents)


def _joined(parts: tuple[Documents, ...]) -> Documents:
    """Return the documents of several parts as one run."""
    type_ids = np.concatenate([np.zeros(0, np.int32), *(part.type_ids for part in parts)])
    piece_start = _joined_starts([part.piece_start for part in parts])
    return Documents(type_ids, piece_start, _joined_starts([part.first_piece for part in parts]))


def _joined_starts(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Join offsets, of which each part counts its own from 0.

    >>> _joined_starts([np.array([0, 2, 5]), np.array([0, 4])])
    array([0, 2, 5, 9])
    """
    before = accumulate((int(part[-1]) for part in parts), initial=0)
    moved = [part[1:] + n for part, n in zip(parts, before, strict=False)]
    return np.concatenate([[0], *moved]).astype(np.int64)


def estimate_sampling(
    documents: Placed, cut: Cut, layout: Layout, n_pieces: int, n_sweeps: int, n_chains: int = 1
) -> Estimate:
    """Estimate the memory of the node that needs most, and the time without that of the network.

    Raise InputError if a node has too little memory, or this machine has too little to compare chains.
    """
    engine, n_samples = documents.engine, n_samples_in(n_sweeps)
    whole = Plan(layout, cut.instances, np.zeros(0, np.int64), cut.n_cliques, layout.n_shards)
    shared, ranges = engine.share(whole), spread(layout.n_shards, engine.threads)
    found = documents.run("needs", [(shared, last - first, n_pieces, n_samples) for first, last in ranges])
    for (n_bytes, free), node in zip(found, engine.names, strict=True):
        check_memory(n_bytes, free, node)
    compared = comparison_bytes(whole, n_samples, n_chains)
    if compared:
        check_memory(compared, available_bytes())
    n_at_once = min(layout.n_shards, sum(engine.threads))
    n_bytes = max(compared, *(n_bytes for n_bytes, _ in found))
    seconds = n_chains * n_sweeps * sweep_seconds(whole, n_at_once)
    return Estimate(n_bytes, seconds, layout.n_shards)


def place_shards(
    documents: Placed, cut: Cut, layout: Layout, alpha: NDArray[np.float64], beta: float
) -> Sampler:
    """Spread the shards over the workers that have cut the documents. Return a sampler at its start."""
    engine = documents.engine
    bounds = shard_bounds(documents, cut.n_cliques, cut.n_documents, layout.n_shards).tolist()
    present = documents.run("documents")
    ranges = spread(layout.n_shards, engine.threads)
    shared, arguments = engine.share(layout), []
    for (first, last), n_threads in zip(ranges, engine.threads, strict=True):
        n_parts, parts = [], []
        for start, stop in pairwise(bounds[first : last + 1]):
            found = [
                documents.keep_on(worker, "cliques", max(start, low), min(stop, high))
                for worker, (low, high) in enumerate(present)
                if max(start, low) < min(stop, high)
            ]
            n_parts.append(len(found))
            parts += found
        arguments.append((shared, first, bounds[first], n_threads, n_parts, *parts))
    workers = engine.place(JoiningWorker, arguments)
    return Sampler(workers, layout, ranges, alpha, beta)


def spread(n_shards: int, threads: list[int]) -> list[tuple[int, int]]:
    """Return for each worker its first shard and the one after its last, in proportion to its threads.

    >>> spread(8, [2, 1, 1]), spread(2, [1, 1, 1])
    ([(0, 4), (4, 6), (6, 8)], [(0, 0), (0, 1), (1, 2)])
    """
    ends = [n_shards * each // sum(threads) for each in accumulate(threads, initial=0)]
    return list(pairwise(ends))
