"""What a run on a cluster costs: measured, fitted, and checked on other runs.

    python benchmarks/scale.py words       # how many words of each kind there are, as a corpus grows
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
from topminer.topics.sampler.estimate import Plan, plan_of, sampler_bytes
from topminer.topics.sampler.latin_square import lay_out, type_table
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.word_topic_counts import empty_counts

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
    groups = sum(group.n_wk_own.nbytes + group.z_rare.nbytes for group in sampler.here.words.groups)
    sampler.close()
    return statistics.mean(cells), groups, sampler.n_tokens


def cells() -> None:
    """Fit cells / T = most S / (S + half) for each K: with few shards most changes of a phase cancel out."""
    fitted: dict[int, tuple[float, float]] = {}
    partitions = {name: read(name)[1] for name in (ABSTRACTS, ACL, TITLES)}
    rows = []
    for n_topics in (20, 100, 1000):
        points = []
        for n_shards in (2, 8, 32):
            n_cells, _, n_tokens = changed(partitions[ABSTRACTS], n_topics, n_shards)
            points.append((1 / n_shards, n_tokens / n_cells))
        slope, rest = np.polyfit(*np.array(points).T, 1)
        fitted[n_topics] = 1 / rest, slope / rest
        found = [f"{1 / inverse:.3f}" for _, inverse in points]
        rows.append([str(n_topics), *found, f"{1 / rest:.2f}", f"{slope / rest:.0f}"])
    print(table(["K", "S = 2", "S = 8", "S = 32", "most", "half"], rows), "\n")
    checked = []
    for name, n_topics, n_shards in ((ACL, 100, 4), (TITLES, 100, 16), (ABSTRACTS, 100, 64), (ACL, 1000, 16)):
        n_cells, _, n_tokens = changed(partitions[name], n_topics, n_shards)
        most, half = fitted[n_topics]
        foretold, found = most * n_shards / (n_shards + half), n_cells / n_tokens
        off = f"{foretold / found - 1:+.0%}"
        checked.append([name, str(n_topics), str(n_shards), f"{foretold:.3f}", f"{found:.3f}", off])
    print(table(["check", "K", "S", "foretold", "found", "off by"], checked))


# ------------------------------------------------------------------------------------------------- words


def words(n_topics: int = 100) -> None:
    """Words by what is kept of them, and the power of T with which their number grows."""
    rows, points = [], []
    for share in (0.125, 0.25, 0.5, 1.0):
        corpus, partition = read(ABSTRACTS, share)
        layout = lay_out(type_table(partition), 0, n_topics)
        counts = empty_counts(layout.types, layout.in_phrases, layout.sizes, n_topics)
        rare = int(sum(group.z_rare_start[-1] for group in counts.groups))
        found = [
            corpus.n_stems,
            int(layout.in_phrases.sum()),
            sum(group.n_own_rows for group in counts.groups),
        ]
        points.append([math.log(max(each, 1)) for each in (corpus.n_tokens, *found, rare)])
        shares = [f"{rare / corpus.n_tokens:.1%}", str(PhraseMiner().fit(corpus).min_support_)]
        rows.append([f"{corpus.n_tokens:,}", *(f"{each:,}" for each in found), *shares])
    tokens, *kinds = np.array(points).T
    powers = [float(np.polyfit(tokens, each, 1)[0]) for each in kinds]
    rows.append(["grows as T to the", *(f"{power:.2f}" for power in powers), "–"])
    header = [
        "tokens",
        "words",
        "words in phrases",
        f"others with a row (K = {n_topics})",
        "tokens of rare words",
    ]
    print(table([*header, "support"], rows))


# ------------------------------------------------------------------------------------------------ sweeps


def known_bytes(plan: Plan, n_workers: int) -> int:
    """What the sampler's arrays take on each worker: its share, and all of what every worker has."""
    types, in_phrases = plan.layout.types, plan.layout.in_phrases
    everybody = sum(array.nbytes for array in types[:5]) + in_phrases.nbytes + 4 * plan.n_words
    everybody += 2 * plan.row_bytes * int(in_phrases.sum())  # shared rows, and room for copies of them
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
    parser.add_argument("what", choices=("words", "cells", "sweeps"))
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    {"words": words, "cells": cells, "sweeps": lambda: sweeps(options.rounds)}[options.what]()


if __name__ == "__main__":
    main()
