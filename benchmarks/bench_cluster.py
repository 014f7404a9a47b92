"""Sweeps on a Ray cluster against the same sweeps on threads, at equal cores, and what the cluster moves.

    python benchmarks/bench_cluster.py                 # the largest corpus, 100 and 500 topics
    python benchmarks/bench_cluster.py --topics 50 --rounds 9

Contestants take turns, sweep by sweep, from the same state: two threads of this process; and a Ray cluster of
one node with two CPUs, or of two nodes with one CPU each, between which groups of phrase types travel and
changes are told. All have the same shards, and all end with the same topics, which is checked.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import numpy as np
from harness import corpus_path, table

from topminer import Corpus, Partition, PhraseLDA, PhraseMiner
from topminer.engines.contract import Engine
from topminer.progress import silent
from topminer.run.checkpoint import MemoryCheckpoint
from topminer.run.cluster import ClusterBackend
from topminer.topics.sampler.sampler import Sampler

ALPHA, BETA = 0.1, 0.01


@contextmanager
def engine_of(n_nodes: int, n_cpus: int) -> Iterator[Engine]:
    """Workers on a cluster on this machine: 127.0.0.2 keeps the books, 127.0.0.3 and so on work."""
    from ray.cluster_utils import Cluster

    from topminer.engines.ray import connect

    nodes = Cluster()
    try:
        nodes.add_node(num_cpus=0, node_ip_address="127.0.0.2", include_dashboard=False)
        for i in range(n_nodes):
            nodes.add_node(num_cpus=n_cpus, node_ip_address=f"127.0.0.{3 + i}", object_store_memory=2 << 30)
        with connect(nodes.address) as cluster:
            engine = cluster.engine()
            yield engine
            engine.close()
    finally:
        nodes.shutdown()


def on(engine: Engine, corpus: Corpus, n_topics: int, n_shards: int | None = None) -> Sampler:
    """The chain on a cluster, after a sweep."""
    lda = PhraseLDA(n_topics, n_sweeps=1, alpha=ALPHA, beta=BETA, n_shards=n_shards, random_state=0)
    backend = ClusterBackend(lambda: engine, MemoryCheckpoint(), corpus)
    backend.start()
    backend.open(None)
    backend.cut(PhraseMiner(), silent)
    sampler = backend.sampler(lda, 0)
    sampler.sweep()
    return sampler


def worker_bytes() -> list[int]:
    """Peak memory of the workers' processes."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if (status.parent / "cmdline").read_bytes().startswith(b"ray::Worker"):
                lines = status.read_text().splitlines()
                found += [1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
        except OSError:
            continue
    return found


def compare(corpus: Corpus, partition: Partition, n_topics: int, n_nodes: int, rounds: int) -> list[str]:
    """A row of the table: sweeps here and there in turn."""
    here = Sampler.of(partition, n_topics, np.full(n_topics, ALPHA), BETA, n_threads=2)
    here.sweep()
    with engine_of(n_nodes, 2 // n_nodes) as engine:
        there = on(engine, corpus, n_topics)
        times: dict[str, list[float]] = {"here": [], "there": []}
        moved = there.bytes_moved
        for _ in range(rounds):
            for name, sampler in (("here", here), ("there", there)):
                start = time.perf_counter()
                sampler.sweep()
                times[name].append(time.perf_counter() - start)
        assert np.array_equal(here.n_k, there.n_k)
        moved = (there.bytes_moved - moved) // rounds
        memory = max(worker_bytes(), default=0)
    here.close()
    local, ray = (statistics.median(times[name]) for name in ("here", "there"))
    return [
        str(n_topics),
        f"{n_nodes} × {2 // n_nodes}",
        str(there.n_shards),
        f"{local:.2f}",
        f"{ray:.2f}",
        f"{100 * (ray / local - 1):+.0f} %",
        f"{moved / 1e6:,.1f}",
        f"{moved / there.n_tokens:.2f}",
        f"{memory / 1e6:,.0f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="abstracts_arxiv_cs.jsonl.zst")
    parser.add_argument("--topics", default="100,500")
    parser.add_argument("--nodes", default="1,2")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    path = corpus_path(options.corpus)
    corpus = Corpus.read(path, text="text") if ".jsonl" in path.name else Corpus.read(path)
    partition = PhraseMiner().fit_transform(corpus)
    print(f"{options.corpus}: {corpus!r}; medians of {options.rounds} sweeps in turn\n")
    rows = [
        compare(corpus, partition, int(n_topics), int(n_nodes), options.rounds)
        for n_topics in options.topics.split(",")
        for n_nodes in options.nodes.split(",")
    ]
    header = [
        "K",
        "nodes × CPUs",
        "shards",
        "threads, s",
        "Ray, s",
        "overhead",
        "MB a sweep",
        "bytes a token",
    ]
    print(table([*header, "largest worker, MB"], rows))


if __name__ == "__main__":
    main()
