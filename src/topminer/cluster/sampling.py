"""PhraseLDA on several workers: each has some shards, and writes its own part of what is stored."""

from __future__ import annotations

from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.cluster.cutting import Cut, shard_bounds
from topminer.cluster.held import Held, store_held
from topminer.cluster.stretch import Stretch
from topminer.engines.contract import Placed
from topminer.store import Reader, Stored, Writer, part_files, write_array
from topminer.topics.sampler.chain import Chain
from topminer.topics.sampler.estimate import Estimate, Plan, check_memory, n_samples_in, sweep_seconds
from topminer.topics.sampler.latin_square import Layout
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.state import AVERAGE, STATE
from topminer.topics.sampler.worker import Documents, Rows, ShardWorker

_TOPICS = {
    "clique_topic": "clique_topic",
    **{f"doc_topic_{name}": f"doc_topic_{name}" for name in ("doc", "topic", "tokens")},
    **{f"frequency_{name}": f"frequency_{name}" for name in ("type", "topic", "mean", "spread")},
}


class HoldingPart(ShardWorker, Held):
    """A worker's shards. Documents of a shard come in pieces: ``n_pieces`` for each, one behind the other."""

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
        self.held = {}

    def hold_state(self) -> None:
        """Hold the state that sampling goes on from."""
        self.held = {**self.state(), **self.average_state()}

    def hold_topics(self, order: NDArray[np.int64]) -> None:
        """Hold the topics that were found, numbered by ``order``."""
        number = np.empty(order.size, np.int32)
        number[order] = np.arange(order.size)
        old = self.clique_topics()
        documents, topics, tokens = self.doc_topics()
        frequency = self.average.result().relabelled(order)
        self.held = {
            "clique_topic": np.where(old < 0, -1, number[old]).astype(np.int32),
            "doc_topic_doc": documents,
            "doc_topic_topic": number[topics],
            "doc_topic_tokens": tokens,
            "frequency_type": frequency.types,
            "frequency_topic": frequency.topics,
            "frequency_mean": frequency.mean,
            "frequency_spread": frequency.spread,
        }

    def release(self) -> None:
        """Drop everything that is held."""
        self.held = {}

    def write_words(self, path: Path, order: NDArray[np.int64], start: int, stop: int, *pieces: Rows) -> str:
        """Write elements ``start`` to ``stop`` of the table of words by topics, given everybody's rows."""
        first, last = start // order.size, -(-stop // order.size)
        table = np.ascontiguousarray(self.table(first, last, *pieces)[:, order]).ravel()
        return write_array(path, table[start - first * order.size : stop - first * order.size])


def _joined(pieces: tuple[Documents, ...]) -> Documents:
    """The documents of several pieces as one run."""
    before = accumulate((types.size for types, _ in pieces), initial=0)
    starts = [start[:-1] + n for (_, start), n in zip(pieces, before, strict=False)]
    end = sum(types.size for types, _ in pieces)
    type_ids = np.concatenate([np.zeros(0, np.int32), *(types for types, _ in pieces)])
    return type_ids, np.concatenate([*starts, [end]]).astype(np.int64)


def estimate_sampling(cutting: Placed, cut: Cut, layout: Layout, n_sweeps: int) -> Estimate:
    """Estimate the memory of the node that needs most, and the time without that of the network.

    Raise InputError if a node has too little memory.
    """
    engine, n_samples = cutting.engine, n_samples_in(n_sweeps)
    whole = Plan(layout, cut.instances, np.zeros(0, np.int64), cut.n_cliques, layout.n_shards)
    shared, shares = engine.share(whole), spread(layout.n_shards, engine.threads)
    found = cutting.run(
        "needs", [(shared, last - first, cut.n_documents, n_samples) for first, last in shares]
    )
    for (n_bytes, free), node in zip(found, engine.names, strict=True):
        check_memory(n_bytes, free, node)
    n_at_once = min(layout.n_shards, sum(engine.threads))
    return Estimate(max(n_bytes for n_bytes, _ in found), n_sweeps * sweep_seconds(whole, n_at_once))


def place_shards(
    cutting: Placed, cut: Cut, layout: Layout, alpha: NDArray[np.float64], beta: float
) -> Sampler:
    """Spread the shards over the workers that have cut the documents. Return a sampler at its start."""
    engine = cutting.engine
    bounds = shard_bounds(cutting, cut.n_cliques, cut.n_documents, layout.n_shards).tolist()
    runs = cutting.run("documents")
    shares = spread(layout.n_shards, engine.threads)
    shared, arguments = engine.share(layout), []
    for (first, last), n_threads in zip(shares, engine.threads, strict=True):
        n_pieces, pieces = [], []
        for start, stop in pairwise(bounds[first : last + 1]):
            found = [
                cutting.keep_on(worker, "cliques", max(start, low), min(stop, high))
                for worker, (low, high) in enumerate(runs)
                if max(start, low) < min(stop, high)
            ]
            n_pieces.append(len(found))
            pieces += found
        arguments.append((shared, first, bounds[first], n_threads, n_pieces, *pieces))
    holdings = engine.place(HoldingPart, arguments)
    return Sampler(holdings, layout, shares, alpha, beta)


def spread(n_shards: int, threads: list[int]) -> list[tuple[int, int]]:
    """The first shard of each worker and the one behind its last: as many for each thread, nearly.

    >>> spread(8, [2, 1, 1]), spread(2, [1, 1, 1])
    ([(0, 4), (4, 6), (6, 8)], [(0, 0), (0, 1), (1, 2)])
    """
    ends = [n_shards * each // sum(threads) for each in accumulate(threads, initial=0)]
    return list(pairwise(ends))


# ------------------------------------------------------------------------------------------------- storing


def store_chain(chain: Chain, writer: Writer) -> None:
    """Store a chain's state, as ``chain.state()`` would be."""
    holdings = chain.sampler.workers
    holdings.run("hold_state")
    store_held(holdings, writer, {name: name for name in (*STATE, *AVERAGE)})
    holdings.run("release")
    writer.write({"alpha": chain.sampler.alpha}, {})
    writer.finish(chain.facts())


def stored_chain(reader: Reader) -> Stored:
    """Return a stored state whose arrays are read by the workers that need them."""
    arrays: dict[str, Any] = {name: Stretch(reader, name) for name in (*STATE, *AVERAGE)}
    return Stored(reader.facts, {**arrays, "alpha": reader.array("alpha")}, {})


def store_topics(chain: Chain, writer: Writer, name: str) -> None:
    """Store what a chain found, as arrays of the section ``name``."""
    sampler, n_words = chain.sampler, chain.sampler.layout.in_phrases.size
    holdings, engine = sampler.workers, sampler.workers.engine
    order = sampler.order()
    n_workers = len(engine.threads)
    holdings.run("hold_topics", [(order,)] * n_workers)
    store_held(holdings, writer, {f"{name}-{stored}": held for stored, held in _TOPICS.items()})
    holdings.run("release")
    checksums = {}
    with writer.writing():
        files = part_files(f"{name}-word_topic", n_words * order.size, "npy")
        for i, (file, start, stop) in enumerate(files):
            words = start // order.size, -(-stop // order.size)
            rows = holdings.keep("rows", [words] * n_workers)
            path = writer.folder / file
            worker = sampler.up_to_date[i % len(sampler.up_to_date)]
            checksums[file] = holdings.keep_on(worker, "write_words", path, order, start, stop, *rows)
        writer.files.update(zip(checksums, engine.here(list(checksums.values())), strict=True))
