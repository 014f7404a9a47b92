"""Held-out perplexity: PhraseLDA against LDA sweep by sweep, and the time rivals take to get as low.

    python benchmarks/perplexity.py sweeps    # the paper's figures: reviews and abstracts; no clock involved
    python benchmarks/perplexity.py time      # against tomotopy and scikit-learn, by the clock

A tenth of the documents is held out. All are judged by the same function, topminer's document completion, on
identical words: of rivals it gets the number of tokens of each word in each topic (scikit-learn's are
fractions; they are rounded).
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from harness import corpus_path, table

from topminer import Corpus, Partition, PhraseLDA, PhraseMiner
from topminer.evaluation.perplexity import Split, curves, split
from topminer.topics.results.held_out import perplexity
from topminer.topics.sampler.sampler import Sampler

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
BETA = 0.01


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


Model = tuple[
    Callable[[], None], Callable[[], tuple[Any, Any]]
]  # some more training; counts by word and topic


def ours(train: Partition, n_topics: int, alpha: float) -> Model:
    sampler = Sampler.of(train, n_topics, np.full(n_topics, alpha), BETA, n_threads=2)

    def more() -> None:
        for _ in range(10):
            sampler.sweep()

    return more, lambda: (sampler.word_topic(), sampler.n_k)


def tomotopy(corpus: Corpus, n_topics: int, alpha: float) -> Model:
    import tomotopy as rival

    model: Any = rival.LDAModel(k=n_topics, alpha=alpha, eta=BETA, seed=1)
    model.optim_interval = model.burn_in = 0
    words = list(map(str, corpus.stem_ids.tolist()))
    for start, stop in pairwise(corpus.doc_start.tolist()):
        if stop > start:
            model.add_doc(words[start:stop])
    model.train(0)
    stems = np.array([int(word) for word in model.used_vocabs])

    def more() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that two workers are not deterministic
            model.train(10, workers=2)

    def counts() -> tuple[Any, Any]:
        table = np.zeros((corpus.n_stems, n_topics), np.int32)
        for document in model.docs:
            np.add.at(table, (stems[np.asarray(document.words)], np.asarray(document.topics)), 1)
        return table, table.sum(axis=0, dtype=np.int64)

    return more, counts


def scikit_learn(corpus: Corpus, n_topics: int, alpha: float) -> Model:
    from scipy.sparse import csr_array
    from sklearn.decomposition import LatentDirichletAllocation

    ones = np.ones(corpus.n_tokens)
    entries = ones, corpus.stem_ids.copy(), corpus.doc_start.copy()
    matrix = csr_array(entries, (len(corpus), corpus.n_stems))
    matrix.sum_duplicates()
    model = LatentDirichletAllocation(
        n_topics,
        doc_topic_prior=alpha,
        topic_word_prior=BETA,
        learning_method="online",
        random_state=0,
        n_jobs=2,
    )

    def more() -> None:
        for start in range(0, matrix.shape[0], 1024):
            model.partial_fit(matrix[start : start + 1024])

    def counts() -> tuple[Any, Any]:
        table = np.rint(model.components_.T).astype(np.int32)
        return np.ascontiguousarray(table), table.sum(axis=0, dtype=np.int64)

    return more, counts


def clock(options: argparse.Namespace) -> None:
    """Seconds of training until a held-out perplexity is reached: the one tomotopy has after 200 sweeps."""
    name, n_topics, alpha = options.corpus, options.topics, 0.1
    phrases, words, held_phrases, held_words = documents_of(name)
    print(f"{name}: {phrases!r} to learn from, {n_topics} topics, two threads\n")
    prior = np.full(n_topics, alpha)
    runs: dict[str, list[tuple[float, float]]] = {}
    for label, make, test in (
        ("PhraseLDA", lambda: ours(phrases, n_topics, alpha), held_phrases),
        ("LDA", lambda: ours(words, n_topics, alpha), held_words),
        ("tomotopy", lambda: tomotopy(words.corpus, n_topics, alpha), held_words),
        ("scikit-learn", lambda: scikit_learn(words.corpus, n_topics, alpha), held_words),
    ):
        more, counts = make()
        curve, seconds = [], 0.0
        for _ in range(20):
            before = time.perf_counter()
            more()
            seconds += time.perf_counter() - before
            curve.append((seconds, perplexity(test, *counts(), prior, BETA, n_threads=2)))
            if seconds > options.budget:
                break
        runs[label] = curve
        print(label, [(round(t, 2), round(p, 1)) for t, p in curve], "\n", flush=True)
    goal = runs["tomotopy"][-1][1]
    rows = []
    for label, curve in runs.items():
        reached = [t for t, p in curve if p <= goal * 1.005]
        seconds = f"{reached[0]:.2f}" if reached else f"not in {curve[-1][0]:.0f}"
        rows.append([label, seconds, f"{curve[-1][1]:.1f}", f"{curve[-1][0]:.1f}"])
    print(f"seconds to a held-out perplexity of {goal:.1f} (within half a percent):\n")
    print(table(["", "seconds", "last perplexity", "after seconds"], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["sweeps", "time"])
    parser.add_argument("--sweeps", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--corpus", default="abstracts_acl_arc.jsonl.zst")
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--budget", type=float, default=120, help="seconds of training for each")
    options = parser.parse_args()
    sweeps(options) if options.part == "sweeps" else clock(options)


if __name__ == "__main__":
    main()
