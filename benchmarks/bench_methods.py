"""Run times of all methods against our own LDA's, in the same run: the paper's table of run times.

    python benchmarks/bench_methods.py [--corpus NAME] [--topics K] [--sweeps N] [--rounds N] [--methods a,b]

All see the same tokens, do the same number of sweeps on one thread, and keep their priors. Methods take
turns; the ratio is the median of the rounds. PD-LDA takes part with fewer sweeps (--slow-sweeps), and what it
needs for all of them is extrapolated.
"""

from __future__ import annotations

import argparse
import math
import statistics

from harness import corpus_path, table

from topminer import Corpus
from topminer.methods.registry import METHODS, method_named
from topminer.methods.stopwatch import Stage, Stopwatch
from topminer.views.paper_times import paper_ratio


def timed(name: str, corpus: Corpus, n_topics: int, n_sweeps: int, n_run: int, seed: int) -> list[Stage]:
    """Stages of one fit with ``n_run`` sweeps, in seconds for ``n_sweeps`` of them."""
    stopwatch = Stopwatch(budget=math.inf)
    method_named(name, n_sweeps=n_run, n_threads=1).fit(corpus, n_topics, seed, stopwatch=stopwatch)
    factor = n_sweeps / n_run
    return [
        Stage(stage.name, stage.seconds * (factor if stage.name.startswith("sampling") else 1))
        for stage in stopwatch.stages
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--corpus", default="titles_20conf.txt.zst")
    parser.add_argument("--topics", type=int, default=5)
    parser.add_argument("--sweeps", type=int, default=1000)
    parser.add_argument("--slow-sweeps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--methods", default=",".join(METHODS))
    options = parser.parse_args()
    path = corpus_path(options.corpus)
    corpus = Corpus.read(path, text="text") if ".jsonl" in path.name else Corpus.read(path)
    names = options.methods.split(",")
    print(f"{options.corpus}: {corpus!r}, K = {options.topics}, {options.sweeps:,} sweeps, one thread\n")
    for name in names:  # whatever has to be compiled
        timed(name, corpus[:2000], options.topics, 2, 2, 0)
    times: dict[str, list[float]] = {name: [] for name in names}
    stages: dict[str, list[Stage]] = {}
    for round in range(options.rounds):
        for name in names:
            n_run = min(options.sweeps, options.slow_sweeps) if name == "pdlda" else options.sweeps
            stages[name] = timed(name, corpus, options.topics, options.sweeps, n_run, round)
            times[name].append(math.fsum(stage.seconds for stage in stages[name]))
    rows = []
    for name in names:
        ratios = [own / lda for own, lda in zip(times[name], times["lda"], strict=True)]
        parts = ", ".join(f"{stage.name} {stage.seconds:.2f}" for stage in stages[name])
        seconds = f"{statistics.median(times[name]):.2f}"
        rows.append(
            [
                METHODS[name].title,
                seconds,
                f"{statistics.median(ratios):.2f}",
                f"{paper_ratio(name):.4g}",
                parts,
            ]
        )
    print(table(["", "seconds", "× LDA", "paper", "stages of the last round"], rows))


if __name__ == "__main__":
    main()
