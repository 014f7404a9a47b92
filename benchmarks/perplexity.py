"""Held-out perplexity: PhraseLDA against LDA sweep by sweep, and the time rivals take to get as low.

    python benchmarks/perplexity.py sweeps           # the paper's figures: reviews and abstracts; no clock
    python benchmarks/perplexity.py time             # against tomotopy, scikit-learn and gensim, by the clock
    python benchmarks/perplexity.py time --table     # what was measured so far

A tenth of the documents is held out. All are judged by the same function, topminer's document completion, on
identical words. time_to_plateau.py says how time is measured.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import altair as alt
import polars as pl
import time_to_plateau
from harness import corpus_path, table

from topminer import Corpus, PhraseLDA, PhraseMiner
from topminer.evaluation.perplexity import Split, curves, split

FIGURES = Path(__file__).parents[1] / "docs" / "figures"


def documents_of(name: str) -> Split:
    """Phrases and words to learn from, phrases and words held out."""
    path = corpus_path(name)
    corpus = Corpus.read(path, text="text") if ".jsonl" in path.name else Corpus.read(path)
    return split(PhraseMiner().fit_transform(corpus), seed=0)


def sweeps(options: argparse.Namespace) -> None:
    """The paper's two figures."""
    records = []
    for kind, name, n_topics in (
        ("reviews", "reviews_amazon.jsonl.zst", 10),
        ("abstracts", "abstracts_acl_arc.jsonl.zst", 50),
    ):
        documents = documents_of(name)
        print(f"{name}: {documents.phrases!r} to learn from, {n_topics} topics, {options.seeds} seeds\n")
        for seed in range(options.seeds):
            lda = PhraseLDA(n_topics, n_sweeps=options.sweeps, random_state=seed)
            for model, points in curves(documents, lda):
                records += [(kind, model, sweep, value) for sweep, value in points]
        frame = pl.DataFrame(records, ["corpus", "model", "sweep", "perplexity"], orient="row")
        frame = (
            frame.filter(pl.col("corpus") == kind)
            .group_by("model", "sweep")
            .agg(pl.col("perplexity").mean().alias("mean"), pl.col("perplexity").std().alias("sd"))
        )
        rows = []
        for sweep in sorted(set(frame["sweep"])):
            row = [str(sweep)]
            for model in ("PhraseLDA", "LDA"):
                mean, sd = frame.filter(model=model, sweep=sweep).select("mean", "sd").row(0)
                row += [f"{mean:.1f} ± {sd or 0:.1f}", f"{math.log2(mean):.3f}"]
            rows.append(row)
        header = ["sweep", "PhraseLDA", "bits per token", "LDA", "bits per token"]
        print(table(header, rows), "\n", flush=True)
    frame = pl.DataFrame(records, ["corpus", "model", "sweep", "perplexity"], orient="row")
    chart = (
        alt.Chart(frame.group_by("corpus", "model", "sweep").mean())
        .mark_line(point=True)
        .encode(
            alt.X("sweep:Q", scale=alt.Scale(type="log")),
            alt.Y("perplexity:Q", scale=alt.Scale(zero=False), title="held-out perplexity"),
            alt.Color("model:N"),
        )
        .properties(width=300, height=220)
        .facet(column="corpus:N")
        .resolve_scale(y="independent")
    )
    FIGURES.mkdir(exist_ok=True)
    chart.save(FIGURES / "perplexity.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    figures = parts.add_parser("sweeps")
    figures.add_argument("--sweeps", type=int, default=500)
    figures.add_argument("--seeds", type=int, default=3)
    time_to_plateau.add_options(parts.add_parser("time"))
    options = parser.parse_args()
    sweeps(options) if options.part == "sweeps" else time_to_plateau.clock(options)


if __name__ == "__main__":
    main()
