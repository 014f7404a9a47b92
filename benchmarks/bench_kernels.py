"""What the special kernels of equation 7 gain over the dense kernel, and the plain kernel beside them.

    python benchmarks/bench_kernels.py [--topics 5,10,16,50,100,500] [--rounds N] [--sweeps N] [--documents N]

A chain is sampled along each path, with one thread and one shard. The table shows nanoseconds per clique for
each kind of phrase type after some sweeps: the median over rounds, in which the paths take turns. In brackets
is the time of the dense kernel divided by this time, so a number above 1 is a gain. All paths sample long
phrases by the plain kernel. "sparse, rare words in rows" is the sparse path without its kernel for rare
words: the row of each rare word is filled, and its sums are computed, as for other words.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from typing import Any

import numpy as np
from harness import corpus_path, table

from topminer import Corpus, Partition, PhraseMiner
from topminer.jit import Int, bare_kernel
from topminer.topics.kernels import sparse
from topminer.topics.kernels.block import DENSE, MAX_REGISTER_TOPICS, PLAIN, REGISTERS, SPARSE, Block, Scratch
from topminer.topics.kernels.rows import find_rows
from topminer.topics.sampler import blocks
from topminer.topics.sampler.sampler import Sampler

KINDS = ("phrases of two words", "of three and four", "long phrases", "words", "rare words")
IN_ROWS = "sparse, rare words in rows"
_prepare, _sum_up, _sample_type = sparse._prepare, sparse._sum_up, sparse._sample_type


@bare_kernel
def sample_rare_in_rows(block: Block, scratch: Scratch, position: Any, end: Int) -> None:
    """Sample rare words as other words are sampled."""
    clique_start = block.clique_start
    _prepare(block, scratch, 1)
    for t in range(position[0], end):
        start, stop = clique_start[t], clique_start[t + 1]
        if start < stop:
            _, n_wk = find_rows(block, scratch, t)
            _sum_up(block, scratch, n_wk, 1)
            _sample_type(block, scratch, n_wk, t, start, stop, 1)


def timed(sampler: Sampler, path: str) -> dict[str, float]:
    """Nanoseconds per clique of each kind of phrase type, in one sweep."""
    bounds = sampler.layout.types.bounds(0)
    clique_start = sampler.here.shards[0].cliques.clique_start
    spent: dict[str, float] = defaultdict(float)

    def measured(kind: int, kernel: Any) -> blocks.Step:
        def run(*arguments: Any) -> None:
            before = time.perf_counter()
            kernel(*arguments)
            spent[KINDS[kind]] += time.perf_counter() - before

        return blocks.Step(kind, kind + 1, run)

    steps, usual = [], blocks.STEPS
    for step in usual[path.partition(",")[0]]:
        for kind in range(step.first, step.last):
            is_other = path == IN_ROWS and kind == len(KINDS) - 1
            steps.append(measured(kind, sample_rare_in_rows if is_other else step.sample))
    try:
        blocks.STEPS = {sampler.path: steps}
        sampler.sweep()
    finally:
        blocks.STEPS = usual
    cliques = {kind: clique_start[bounds[i + 1]] - clique_start[bounds[i]] for i, kind in enumerate(KINDS)}
    return {kind: seconds / max(int(cliques[kind]), 1) * 1e9 for kind, seconds in spent.items()}


def compare(partition: Partition, n_topics: int, rounds: int, sweeps: int) -> list[list[str]]:
    """One row for each path."""
    special = [REGISTERS] if n_topics <= MAX_REGISTER_TOPICS else [SPARSE, IN_ROWS]
    paths = [*([PLAIN] if n_topics <= 100 else []), DENSE, *special]
    alpha = np.full(n_topics, 0.1)
    samplers = {
        path: Sampler.of(partition, n_topics, alpha, 0.01, n_shards=1, path=path.partition(",")[0])
        for path in paths
    }
    for sampler in samplers.values():
        for _ in range(sweeps):
            sampler.sweep()
    found: dict[str, dict[str, list[float]]] = {path: defaultdict(list) for path in paths}
    for _ in range(rounds):
        for path, sampler in samplers.items():
            for kind, each in timed(sampler, path).items():
                found[path][kind].append(each)
    medians = {
        path: {kind: statistics.median(each) for kind, each in kinds.items()} for path, kinds in found.items()
    }
    rows = []
    for path in paths:
        cells = [
            f"{medians[path][kind]:.1f} ({medians[DENSE][kind] / medians[path][kind]:.2f})"
            if kind in medians[path]
            else "–"
            for kind in KINDS
        ]
        rows.append([str(n_topics), path, *cells])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--topics", default="5,10,16,50,100,500")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sweeps", type=int, default=50)
    parser.add_argument("--documents", type=int, default=20_000)
    options = parser.parse_args()
    corpus = Corpus.read(corpus_path("abstracts_acl.jsonl.zst"), text="text")
    corpus = corpus[: options.documents]
    partition = PhraseMiner().fit_transform(corpus)
    print(f"{corpus.n_tokens:,} tokens; nanoseconds per clique (gain over the dense kernel)\n")
    rows = [
        row
        for n_topics in map(int, options.topics.split(","))
        for row in compare(partition, n_topics, options.rounds, options.sweeps)
    ]
    print(table(["K", "path", *KINDS], rows))


if __name__ == "__main__":
    main()
