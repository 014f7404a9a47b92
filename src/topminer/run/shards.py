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
from topminer.topics.sampler.latin_square import Layout
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.storing import StoringWorker
from topminer.topics.sampler.worker import Documents


class PiecesWorker(StoringWorker):
    """A worker whose shards arrive in pieces: ``n_pieces`` of documents for each, one after the other."""

    def __init__(
        self,
        layout: Layout,
        first_shard: int,
        first_doc: int,
        n_threads: int,
        n_pieces: list[int],
        *pieces: Documents,
    ) -> None:
        cuts = pairwise(accumulate(n_pieces, initial=0))
        documents = [_joined(pieces[first:last]) for first, last in cuts]
        super().__init__(layout, first_shard, first_doc, n_threads, *documents)


def _joined(pieces: tuple[Documents, ...]) -> Documents:
    """Return the documents of several pieces as one run."""
    before = accumulate((types.size for types, _ in pieces), initial=0)
    starts = [start[:-1] + n for (_, start), n in zip(pieces, before, strict=False)]
    end = sum(types.size for types, _ in pieces)
    type_ids = np.concatenate([np.zeros(0, np.int32), *(types for types, _ in pieces)])
    return type_ids, np.concatenate([*starts, [end]]).astype(np.int64)


def estimate_sampling(
    documents: Placed, cut: Cut, layout: Layout, n_sweeps: int, n_chains: int = 1
) -> Estimate:
    """Estimate the memory of the node that needs most, and the time without that of the network.

    Raise InputError if a node has too little memory, or this machine has too little to compare chains.
    """
    engine, n_samples = documents.engine, n_samples_in(n_sweeps)
    whole = Plan(layout, cut.instances, np.zeros(0, np.int64), cut.n_cliques, layout.n_shards)
    shared, ranges = engine.share(whole), spread(layout.n_shards, engine.threads)
    found = documents.run(
        "needs", [(shared, last - first, cut.n_documents, n_samples) for first, last in ranges]
    )
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
        n_pieces, pieces = [], []
        for start, stop in pairwise(bounds[first : last + 1]):
            found = [
                documents.keep_on(worker, "cliques", max(start, low), min(stop, high))
                for worker, (low, high) in enumerate(present)
                if max(start, low) < min(stop, high)
            ]
            n_pieces.append(len(found))
            pieces += found
        arguments.append((shared, first, bounds[first], n_threads, n_pieces, *pieces))
    workers = engine.place(PiecesWorker, arguments)
    return Sampler(workers, layout, ranges, alpha, beta)


def spread(n_shards: int, threads: list[int]) -> list[tuple[int, int]]:
    """Return for each worker its first shard and the one after its last, in proportion to its threads.

    >>> spread(8, [2, 1, 1]), spread(2, [1, 1, 1])
    ([(0, 4), (4, 6), (6, 8)], [(0, 0), (0, 1), (1, 2)])
    """
    ends = [n_shards * each // sum(threads) for each in accumulate(threads, initial=0)]
    return list(pairwise(ends))
