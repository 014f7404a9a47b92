"""How close several shards stay to the serial sampler: log likelihood per sweep, a table and a plot.

    python benchmarks/sharding.py [--sweeps 100] [--seeds 3] [--topics 50]

No clock is involved: what this prints and draws depends on the seeds alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import mean, stdev

import altair as alt
import numpy as np
import polars as pl
from harness import corpus_path, table

from topminer import Corpus, Partition, PhraseMiner
from topminer.topics.model.likelihood import log_likelihood
from topminer.topics.sampler.sampler import Sampler

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
CORPORA = {"abstracts": "abstracts_acl.jsonl.zst", "titles": "titles_arxiv.txt.zst"}
SHARDS = (1, 2, 4, 8)


def trace(partition: Partition, n_topics: int, n_shards: int, seed: int, sweeps: list[int]) -> list[float]:
    """Log likelihood per token after each of ``sweeps``, with priors fixed."""
    alpha = np.full(n_topics, 0.1)
    sampler = Sampler.of(partition, n_topics, alpha, 0.01, n_shards=n_shards, seed=seed, n_threads=2)
    values = []
    for sweep in range(1, sweeps[-1] + 1):
        sampler.sweep()
        if sweep in sweeps:
            values.append(log_likelihood(sampler.histograms(), alpha, 0.01) / sampler.n_tokens)
    sampler.close()
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--topics", type=int, default=50)
    options = parser.parse_args()
    sweeps = sorted({1, 2, 5, *range(10, options.sweeps + 1, 10)})
    records = []
    for name, file in CORPORA.items():
        path = corpus_path(file)
        corpus = Corpus.read(path, text="text") if path.name.endswith(".jsonl.zst") else Corpus.read(path)
        partition = PhraseMiner().fit_transform(corpus)
        print(f"{file}: {corpus!r}, {options.topics} topics, {options.seeds} seeds\n")
        rows = []
        for n_shards in SHARDS:
            traces = []
            for seed in range(options.seeds):
                traces.append(trace(partition, options.topics, n_shards, seed, sweeps))
                records += [
                    {
                        "corpus": name,
                        "shards": n_shards,
                        "seed": seed,
                        "sweep": sweep,
                        "log likelihood": value,
                    }
                    for sweep, value in zip(sweeps, traces[-1], strict=True)
                ]
            at = [sweeps.index(sweep) for sweep in sorted({10, 50, 100, options.sweeps}) if sweep in sweeps]
            spread = stdev(each[-1] for each in traces) if options.seeds > 1 else 0.0
            means = [f"{mean(each[i] for each in traces):.4f}" for i in at]
            rows.append([str(n_shards), *means, f"{spread:.4f}"])
            print(rows[-1], flush=True)
        header = ["shards", *[f"sweep {sweeps[i]}" for i in at], "sd over seeds, last"]
        print("\n" + table(header, rows) + "\n", flush=True)

    frame = pl.DataFrame(records, ["corpus", "shards", "sweep", "log likelihood"], orient="row")
    frame = frame.group_by("corpus", "shards", "sweep").mean()
    lines = (
        alt.Chart(frame.filter(pl.col("sweep") >= 5))
        .mark_line()
        .encode(
            alt.X("sweep:Q", scale=alt.Scale(type="log")),
            alt.Y("log likelihood:Q", scale=alt.Scale(zero=False), title="log likelihood per token"),
            alt.Color("shards:N"),
        )
        .properties(width=300, height=220)
        .facet(column="corpus:N")
        .resolve_scale(y="independent")
    )
    FIGURES.mkdir(exist_ok=True)
    lines.save(FIGURES / "sharding.svg")


if __name__ == "__main__":
    main()
