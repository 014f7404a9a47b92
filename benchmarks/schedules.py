"""When to fit the priors: log likelihood and held-out perplexity along the chain.

    python benchmarks/schedules.py measure --results schedules.jsonl
    python benchmarks/schedules.py table --results schedules.jsonl

Each corpus is sampled to about --tokens kept tokens, a tenth of its documents is held out, and PhraseLDA
learns from the others (with --words, LDA), once for each schedule, number of topics and seed. A schedule
"10/20/200" fits the priors every 10 sweeps from sweep 20 on, by 200 steps of Minka's fixed point; with
"10/20/200/1" α starts at 1 / K for each topic, else at 50 / K, at most 0.5. A result is one
line of JSON; what is in the file already is not measured again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from harness import table, texts_of

from topminer import Corpus, Partition, PhraseMiner
from topminer.evaluation.perplexity import Split, split
from topminer.topics.model import priors
from topminer.topics.model.likelihood import log_likelihood
from topminer.topics.results.held_out import HeldOut, perplexity
from topminer.topics.sampler.sampler import Sampler

CORPORA = {
    "20conf": ("titles_20conf.txt.zst", "english"),
    "acl": ("abstracts_acl_arc.jsonl.zst", "english"),
    "amazon": ("reviews_amazon.jsonl.zst", "english"),
    "bbc": ("news_bbc.jsonl.zst", "english"),
    "arxiv": ("titles_arxiv.txt.zst", "english"),
    "german": ("german_speeches.jsonl.zst", "german"),
    "imdb": ("reviews_imdb.jsonl.zst", "english"),
    "reuters": ("news_reuters.jsonl.zst", "english"),
}
SHOWN = (100, 200, 500, 1000)  # sweeps in the table
EVERY = 50  # sweeps between two measurements of perplexity
TRACE = 10  # sweeps between two of the likelihood
BETA = 0.01


def documents_of(name: str, n_tokens: int) -> Split:
    """Phrases and words to learn from and to be judged by, of a sample of a corpus."""
    return split(sample_of(name, n_tokens), seed=0)


def sample_of(name: str, n_tokens: int) -> Partition:
    """The phrases of a sample of a corpus."""
    file, language = CORPORA[name]
    texts = texts_of(file)
    whole = Corpus.from_texts(texts[::10], language) if len(texts) > 10_000 else None
    found = 10 * whole.n_tokens if whole else Corpus.from_texts(texts, language).n_tokens
    share = min(1.0, n_tokens / found)
    chosen = np.flatnonzero(np.diff(np.floor(np.arange(len(texts) + 1) * share)))
    corpus = Corpus.from_texts([texts[i] for i in chosen.tolist()], language)
    return PhraseMiner().fit_transform(corpus)


def alpha_of(n_topics: int, total: float = 50) -> np.ndarray:
    """The prior at the start."""
    return np.full(n_topics, min(max(total / n_topics, 0.001), 0.5))


def run(
    documents: Split, words: bool, n_topics: int, seed: int, schedule: str, n_sweeps: int
) -> dict[str, Any]:
    """The traces of one chain, and the seconds that sampling and priors took."""
    interval, burn_in, n_steps, *total = map(int, schedule.split("/"))
    train = documents.words if words else documents.phrases
    test = documents.held_words if words else documents.held_phrases
    sampler = Sampler.of(train, n_topics, alpha_of(n_topics, *total), BETA, seed=seed)
    likelihoods, perplexities, sampling, fitting = [], [], 0.0, 0.0
    for sweep in range(1, n_sweeps + 1):
        before = time.process_time()
        sampler.sweep()
        sampling += time.process_time() - before
        if sweep % TRACE == 0:
            joint = log_likelihood(sampler.histograms(), sampler.alpha, sampler.beta)
            likelihoods.append(joint / sampler.n_tokens)
        if sweep % EVERY == 0:
            perplexities.append(judged(sampler, test))
        if interval and sweep % interval == 0 and burn_in <= sweep < n_sweeps:
            before = time.process_time()
            histograms = sampler.histograms()
            sampler.alpha, sampler.beta = priors.optimize(histograms, sampler.alpha, sampler.beta, n_steps)
            fitting += time.process_time() - before
    sampler.close()
    return {
        "tokens": sampler.n_tokens,
        "likelihoods": likelihoods,
        "perplexities": perplexities,
        "alpha": float(sampler.alpha.sum()),
        "beta": float(sampler.beta),
        "sampling": sampling,
        "fitting": fitting,
    }


def judged(sampler: Sampler, test: HeldOut) -> float:
    """Held-out perplexity of a chain as it stands."""
    return perplexity(test, sampler.word_topic(), sampler.n_k, sampler.alpha, sampler.beta, seed=0)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """What was measured so far."""
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def measure(options: argparse.Namespace) -> None:
    """Append what is not in the file yet."""
    keys = ("corpus", "topics", "seed", "schedule", "sweeps", "words")
    done = {tuple(line[key] for key in keys) for line in lines(options.results)}
    made: dict[str, Split] = {}
    for seed in range(options.seeds):
        for name in options.corpora.split(","):
            for n_topics in options.topics:
                for schedule in options.schedules.split(","):
                    key = (name, n_topics, seed, schedule, options.sweeps, options.words)
                    if key in done:
                        continue
                    if name not in made:
                        made[name] = documents_of(name, options.tokens)
                    found = run(made[name], options.words, n_topics, seed, schedule, options.sweeps)
                    with options.results.open("a") as file:
                        file.write(json.dumps({**dict(zip(keys, key, strict=True)), **found}) + "\n")
                    print(
                        *key,
                        round(found["likelihoods"][-1], 4),
                        round(found["perplexities"][-1], 1),
                        flush=True,
                    )


def show(options: argparse.Namespace) -> None:
    """Means over seeds at some sweeps."""
    found = defaultdict(list)
    for line in lines(options.results):
        if line["words"] == options.words:
            found[line["corpus"], line["topics"], line["schedule"]].append(line)
    head = ["corpus", "topics", "schedule", "seeds"]
    head += [f"{what} {n}" for what in ("likelihood", "perplexity") for n in SHOWN] + ["s.e.", "priors"]
    rows = []
    for key, runs in sorted(found.items()):
        row = [*map(str, key), str(len(runs))]
        row += [f"{mean(runs, lambda line, n=n: line['likelihoods'][n // TRACE - 1]):.4f}" for n in SHOWN]
        row += [f"{mean(runs, lambda line, n=n: line['perplexities'][n // EVERY - 1]):.1f}" for n in SHOWN]
        last = [line["perplexities"][-1] for line in runs]
        error = statistics.stdev(last) / len(last) ** 0.5 if len(last) > 1 else 0.0
        share = sum(line["fitting"] for line in runs) / sum(line["sampling"] for line in runs)
        rows.append([*row, f"{error:.1f}", f"{100 * share:.1f} %"])
    print(table(head, rows))


def mean(runs: list[dict[str, Any]], value: Callable[[dict[str, Any]], float]) -> float:
    """The mean of a value over runs."""
    return statistics.fmean(map(value, runs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["measure", "table"])
    parser.add_argument("--results", type=Path, default=Path("schedules.jsonl"))
    parser.add_argument("--corpora", default=",".join(CORPORA))
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--schedules", default="50/100/200,10/20/200,20/50/200,10/20/20")
    parser.add_argument("--words", action="store_true", help="LDA on single words")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sweeps", type=int, default=1000)
    parser.add_argument("--tokens", type=int, default=200_000)
    options = parser.parse_args()
    measure(options) if options.part == "measure" else show(options)


if __name__ == "__main__":
    main()
