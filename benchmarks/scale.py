"""What a run on a cluster costs: measured, fitted, and checked on other runs.

    python benchmarks/scale.py cells       # how many cells of shared rows a sweep changes; needs no cluster
    python benchmarks/scale.py sweeps      # seconds, bytes and memory on two nodes of one CPU each

Of a run, T is its kept tokens, K its topics, S its shards. docs/scale.md has the formulas, and what follows.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from bench_cluster import ALPHA, BETA, engine_of, on, worker_bytes
from harness import corpus_path, table

from topminer import Corpus, Partition, PhraseMiner
from topminer.topics.estimate import Plan, plan_of, sampler_bytes
from topminer.topics.sampler import Sampler

ABSTRACTS, ACL, TITLES = "abstracts_arxiv_cs.jsonl.zst", "abstracts_acl.jsonl.zst", "titles_arxiv.txt.zst"
SETTLED = 20  # sweeps before anything is counted
BYTES_PER_CELL = 6


def read(name: str, share: float = 1.0) -> tuple[Corpus, Partition]:
    """The first documents of a corpus, as a corpus of its own."""
    path = corpus_path(name)
    corpus = Corpus.read(path, text="text") if ".jsonl" in name else Corpus.read(path)
    if share < 1:
        assert corpus.texts is not None
        corpus = Corpus.from_texts(corpus.texts[: round(share * len(corpus))])
    return corpus, PhraseMiner().fit_transform(corpus)


# ------------------------------------------------------------------------------------------------- cells


def changed(partition: Partition, n_topics: int, n_shards: int) -> tuple[float, int, int]:
    """Cells that a sweep changes, bytes of all groups, and tokens."""
    alpha = np.full(n_topics, ALPHA)
    sampler = Sampler.of(partition, n_topics, alpha, BETA, n_shards=n_shards, n_threads=2)
    cells = []
    for sweep in range(1, SETTLED + 4):
        _, _, n_bytes = sampler.here.sweep(sweep, alpha, BETA)
        if sweep > SETTLED:
            cells.append((n_bytes - 8 * n_topics * n_shards**2) / 12)
    groups = sum(group.own.nbytes + group.bags.nbytes for group in sampler.here.words.groups)
    sampler.close()
    return statistics.mean(cells), groups, sampler.n_tokens


def cells() -> None:
    """Fit log(cells / T) to the tokens of a block, T / S², and to K."""
    rows, points = [], []
    for share in (0.25, 1.0):
        _, partition = read(ABSTRACTS, share)
        for n_topics in (20, 100, 500):
            for n_shards in (2, 4, 8):
                n_cells, _, n_tokens = changed(partition, n_topics, n_shards)
                block = n_tokens / n_shards**2
                points.append((math.log(block), math.log(n_topics), math.log(n_cells / n_tokens)))
                rows.append([f"{n_tokens:,}", str(n_topics), str(n_shards), f"{n_cells / n_tokens:.3f}"])
    print(table(["tokens", "K", "shards", "cells changed a token"], rows), "\n")
    blocks, topics, values = np.array(points).T
    design = np.column_stack((np.ones_like(blocks), blocks, topics))
    fitted, *_ = np.linalg.lstsq(design, values, rcond=None)
    error = np.exp(np.abs(design @ fitted - values).max()) - 1
    print(
        f"cells / T = {math.exp(fitted[0]):.3g} (T / S²)^{fitted[1]:.3f} K^{fitted[2]:.3f}, "
        f"within {error:.0%}\n"
    )
    checked = []
    for name, n_topics, n_shards in (
        (ACL, 200, 4),
        (TITLES, 50, 4),
        (TITLES, 1000, 16),
        (ABSTRACTS, 1000, 16),
    ):
        n_cells, _, n_tokens = changed(read(name)[1], n_topics, n_shards)
        foretold = math.exp(fitted @ (1, math.log(n_tokens / n_shards**2), math.log(n_topics)))
        found = n_cells / n_tokens
        row = [
            name,
            str(n_topics),
            str(n_shards),
            f"{foretold:.3f}",
            f"{found:.3f}",
            f"{foretold / found - 1:+.0%}",
        ]
        checked.append(row)
    print(table(["check", "K", "shards", "foretold", "found", "off by"], checked))


# ------------------------------------------------------------------------------------------------ sweeps


def known_bytes(plan: Plan, n_workers: int) -> int:
    """What the sampler's arrays take on each worker: its share, and all of what every worker has."""
    types = plan.types
    everybody = sum(array.nbytes for array in types[:5]) + plan.in_phrases.nbytes + 4 * plan.n_words
    everybody += 2 * plan.row_bytes * int(plan.in_phrases.sum())  # shared rows, and room for copies of them
    return sampler_bytes(plan) // n_workers + everybody


def measure(name: str, share: float, n_topics: int, n_shards: int, rounds: int) -> dict[str, float]:
    """One run on two nodes, sweep by sweep in turn with two threads here."""
    corpus, partition = read(name, share)
    here = Sampler.of(partition, n_topics, np.full(n_topics, ALPHA), BETA, n_shards=n_shards, n_threads=2)
    here.sweep()
    with tempfile.TemporaryDirectory() as folder, engine_of(2, 1) as engine:
        there = on(engine, corpus, Path(folder) / "model", n_topics, n_shards)
        before, times = there.bytes_moved, ([], [])
        for _ in range(rounds):
            for sampler, seconds in zip((here, there), times, strict=True):
                start = time.perf_counter()
                sampler.sweep()
                seconds.append(time.perf_counter() - start)
        memory = max(worker_bytes())
    here.close()
    local, ray = map(statistics.median, times)
    return {
        "T": corpus.n_tokens,
        "K": n_topics,
        "S": n_shards,
        "local": local,
        "ray": ray,
        "in": (there.bytes_moved - before) / rounds / 2,  # bytes that came to each of two nodes
        "known": known_bytes(plan_of(partition, n_topics, n_shards), 2),
        "memory": memory,
    }


FITTED = [(ABSTRACTS, 0.25, 50, 2), (ABSTRACTS, 0.25, 500, 8), (ABSTRACTS, 0.5, 200, 4)]
FITTED += [(ABSTRACTS, 1, 50, 4), (ABSTRACTS, 1, 500, 2), (ABSTRACTS, 1, 1000, 8)]
CHECKED = [(ACL, 1, 200, 4), (TITLES, 1, 100, 8), (ABSTRACTS, 1, 2000, 4)]


def sweeps(rounds: int) -> None:
    """Fit seconds and bytes to some runs, and check them on others."""
    found = [measure(*each, rounds) for each in FITTED]
    shards, sent, more, tokens, memory, known = (
        np.array([each[name] for each in found]) for name in ("S", "in", "ray", "T", "memory", "known")
    )
    more = more - np.array([each["local"] for each in found])
    (phase, per_byte), *_ = np.linalg.lstsq(np.column_stack((shards, sent)), more, rcond=None)
    design = np.column_stack((np.ones_like(tokens), tokens / 2))
    (base, per_token), *_ = np.linalg.lstsq(design, memory - known, rcond=None)
    print(
        f"seconds of a sweep = on threads + S × {1000 * phase:.1f} ms + bytes in / {1e-6 / per_byte:.0f} MB/s"
    )
    print(
        f"memory of a worker = {base / 1e6:.0f} MB + sampler's arrays + "
        f"{per_token:.1f} bytes a token of its own\n"
    )
    rows = []
    for kind, runs, results in (
        ("fit", FITTED, found),
        ("check", CHECKED, [measure(*e, rounds) for e in CHECKED]),
    ):
        for (name, *_), each in zip(runs, results, strict=True):
            foretold = each["local"] + phase * each["S"] + per_byte * each["in"]
            needed = base + each["known"] + per_token * each["T"] / 2
            rows.append(
                [
                    f"{kind}: {name.split('.')[0]}, {each['T'] / 1e6:.1f} M",
                    f"{each['K']:.0f}",
                    f"{each['S']:.0f}",
                    f"{each['local']:.2f}",
                    f"{each['ray']:.2f}",
                    f"{foretold:.2f}",
                    f"{each['in'] / 1e6:.1f}",
                    f"{each['memory'] / 1e6:.0f}",
                    f"{needed / 1e6:.0f}",
                ]
            )
    header = ["run", "K", "S", "threads, s", "Ray, s", "foretold", "MB in", "worker, MB", "foretold"]
    print(table(header, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("cells", "sweeps"))
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    cells() if options.what == "cells" else sweeps(options.rounds)


if __name__ == "__main__":
    main()
