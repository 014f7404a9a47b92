"""Where a chain starts: sweeps until held-out perplexity is that of a long chain.

    python benchmarks/schedules.py measure --results schedules.jsonl --schedules 10/20/20
    python benchmarks/starts.py measure --results starts.jsonl
    python benchmarks/starts.py table --results starts.jsonl --plateau schedules.jsonl

The work of a start is counted in token visits, divided by the tokens of a sweep over all documents, so that a
sweep over an eighth of the documents counts as an eighth. Every start fits the priors every 10 sweeps from
sweep 20 on, and begins with random topics:

- sum 50: with α = 50 / K, at most 0.5, as topminer used to; sum 5 and sum 1: with 5 / K and 1 / K.
- phrases: 30 sweeps over the phrases of several words alone. Then each single word takes the topic of a
  random phrase of its document. Priors stay as they were fitted to the phrases; phrases reset: they do not.
- part: as phrases, but with a random 15 % of the cliques.
- hot alpha, hot beta: the prior starts ten times (β: fifty times) as large and is lowered to its usual value
  within 50 sweeps. Priors are fitted from then on.
- growing: 24 sweeps over an eighth of the documents, 24 over a quarter, 24 over a half, then all. Documents
  that are added take the topics that two sweeps with the topics' words fixed give them.

All but sum 1 and sum 5 have α = 50 / K first. The plateau is the mean perplexity of sweeps 850 to 1,000 with
schedule 10/20/20 in the results of schedules.py.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from harness import table
from numpy.typing import NDArray
from schedules import BETA, CORPORA, EVERY, alpha_of, documents_of, judged, lines

from topminer import Partition
from topminer.evaluation.perplexity import Split
from topminer.topics.model import priors
from topminer.topics.results.fold_in import fold_in
from topminer.topics.sampler.sampler import Sampler

STARTS = ("sum 50", "sum 5", "sum 1", "phrases", "phrases reset", "part", "hot alpha", "hot beta", "growing")
INTERVAL, BURN_IN, WARM = 10, 20, 50  # of priors; sweeps in which a prior is lowered
FIRST = 30  # sweeps over phrases alone
PART = 0.15  # of the cliques, where that is not phrases
SHARES, SWEEPS_OF_SHARE = (8, 4, 2), 24


def sampler_of(partition: Partition, n_topics: int, seed: int) -> Sampler:
    """A chain at a random start."""
    return Sampler.of(partition, n_topics, alpha_of(n_topics), BETA, seed=seed)


def fit_priors(sampler: Sampler) -> None:
    """Fit both priors to the topics as they are."""
    sampler.alpha, sampler.beta = priors.optimize(sampler.histograms(), sampler.alpha, sampler.beta)


def sweeps(sampler: Sampler, n: int) -> None:
    """Sample ``n`` sweeps with the usual schedule."""
    for _ in range(n):
        sampler.sweep()
        if sampler.n_sweeps % INTERVAL == 0 and sampler.n_sweeps >= BURN_IN:
            fit_priors(sampler)


def topics_of(sampler: Sampler) -> NDArray[np.int32]:
    """The topic of each clique, in the partition's order."""
    return np.concatenate(sampler.workers.run("clique_topics")).astype(np.int32)


def set_topics(sampler: Sampler, topics: NDArray[np.int32]) -> None:
    """Put a chain into a state."""
    first = 0
    for shard in sampler.here.shards:
        slot_of = shard.cliques.slot_of
        known = slot_of >= 0
        shard.z[slot_of[known]] = topics[first : first + slot_of.size][known]
        shard.recount()
        first += slot_of.size
    sampler.recount()


def by_part(
    train: Partition, chosen: NDArray[np.bool_], n_topics: int, seed: int, keep_priors: bool = True
) -> tuple[Sampler, float]:
    """Chosen cliques first, then all: a chain and what it has cost."""
    in_phrases = np.repeat(chosen, np.diff(train.clique_start))
    hidden = np.where(in_phrases, train.corpus.stem_ids, -1).astype(np.int32)
    alone = replace(train, corpus=replace(train.corpus, stem_ids=hidden))
    first = sampler_of(alone, n_topics, seed)
    sweeps(first, FIRST)
    topics, rng = topics_of(first), np.random.default_rng(seed)
    for start, stop in zip(train.doc_start[:-1], train.doc_start[1:], strict=True):
        here = topics[start:stop]
        known, unknown = here[here >= 0], here < 0
        drawn = rng.choice(known, unknown.sum()) if known.size else rng.integers(0, n_topics, unknown.sum())
        here[unknown] = drawn
    sampler = sampler_of(train, n_topics, seed)
    set_topics(sampler, topics)
    if keep_priors:
        sampler.alpha, sampler.beta = first.alpha, first.beta
    return sampler, FIRST * in_phrases.mean()


def growing(train: Partition, n_topics: int, seed: int) -> tuple[Sampler, float]:
    """Batches that grow: a chain over all documents and what it has cost."""
    order = np.random.default_rng(seed).permutation(len(train))
    cost, known, sampler = 0.0, np.zeros(0, np.int64), None
    topics = np.full(train.n_cliques, -1, np.int32)
    clique_of = [np.arange(*train.doc_start[d : d + 2]) for d in range(len(train))]
    for share in (*SHARES, 1):
        documents = np.sort(order[: max(1, len(train) // share)])
        part, new = train[documents], np.setdiff1d(documents, known)
        if sampler is not None:
            topics[np.concatenate([clique_of[d] for d in known])] = topics_of(sampler)
            table_now = sampler.word_topic(), sampler.n_k, sampler.alpha, sampler.beta
            folded = fold_in(train[new], *table_now, seed=seed, n_sweeps=2, burn_in=1)
            topics[np.concatenate([clique_of[d] for d in new])] = folded.clique_topic
            cost += 2 * train[new].corpus.n_tokens / train.corpus.n_tokens
        following = sampler_of(part, n_topics, seed)
        if sampler is not None:
            set_topics(following, topics[np.concatenate([clique_of[d] for d in documents])])
            following.alpha, following.beta = sampler.alpha, sampler.beta
        sampler, known = following, documents
        if share > 1:
            sweeps(sampler, SWEEPS_OF_SHARE)
            cost += SWEEPS_OF_SHARE * part.corpus.n_tokens / train.corpus.n_tokens
    assert sampler is not None
    return sampler, cost


def started(start: str, train: Partition, n_topics: int, seed: int) -> tuple[Sampler, float]:
    """A chain after its start, and what that has cost in sweeps."""
    if start.startswith("phrases"):
        return by_part(train, np.diff(train.clique_start) > 1, n_topics, seed, start == "phrases")
    if start == "part":
        chosen = np.random.default_rng(seed).random(train.n_cliques) < PART
        return by_part(train, chosen, n_topics, seed)
    if start == "growing":
        return growing(train, n_topics, seed)
    sampler, alpha = sampler_of(train, n_topics, seed), alpha_of(n_topics)
    if start.startswith("sum"):
        sampler.alpha = alpha_of(n_topics, float(start.removeprefix("sum ")))
        return sampler, 0.0
    for sweep in range(WARM):
        left = 1 - sweep / WARM
        sampler.alpha = alpha * 10**left if start == "hot alpha" else alpha
        sampler.beta = BETA * 50**left if start == "hot beta" else BETA
        sampler.sweep()
    sampler.alpha, sampler.beta = alpha, BETA
    fit_priors(sampler)
    return sampler, float(WARM)


def run(documents: Split, n_topics: int, seed: int, start: str, n_sweeps: int) -> dict[str, Any]:
    """Held-out perplexity along a chain; ``costs`` counts sweeps over all documents, with the start."""
    sampler, cost = started(start, documents.phrases, n_topics, seed)
    costs, perplexities = [], []
    while cost <= n_sweeps:
        if cost > 0:
            costs.append(cost)
            perplexities.append(judged(sampler, documents.held_phrases))
        more = EVERY - int(cost) % EVERY
        sweeps(sampler, more)
        cost += more
    sampler.close()
    return {"costs": costs, "perplexities": perplexities}


def measure(options: argparse.Namespace) -> None:
    """Append what is not in the file yet."""
    keys = ("corpus", "topics", "seed", "start")
    done = {tuple(line[key] for key in keys) for line in lines(options.results)}
    made: dict[str, Split] = {}
    for seed in range(options.seeds):
        for name in options.corpora.split(","):
            for n_topics in options.topics:
                for start in options.starts.split(","):
                    key = (name, n_topics, seed, start)
                    if key in done:
                        continue
                    if name not in made:
                        made[name] = documents_of(name, options.tokens)
                    found = run(made[name], n_topics, seed, start, options.sweeps)
                    with options.results.open("a") as file:
                        file.write(json.dumps({**dict(zip(keys, key, strict=True)), **found}) + "\n")
                    print(*key, [round(each, 1) for each in found["perplexities"][::3]], flush=True)


def curve(runs: list[dict[str, Any]], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean perplexity over seeds after so many sweeps, and over three neighbours of these."""
    means = np.mean([np.interp(at, run["costs"], run["perplexities"]) for run in runs], axis=0)
    return np.convolve(np.pad(means, 1, mode="edge"), np.full(3, 1 / 3), mode="valid")


def plateaus(path: Path) -> dict[tuple[str, int], float]:
    """The perplexity that long chains have at last."""
    found = defaultdict(list)
    for line in lines(path):
        if line["schedule"] == "10/20/20" and not line["words"]:
            found[line["corpus"], line["topics"]] += line["perplexities"][-4:]
    return {key: float(np.mean(values)) for key, values in found.items()}


def rows(options: argparse.Namespace) -> Iterator[list[str]]:
    """For each corpus and number of topics: the plateau, and sweeps to within half a percent of it."""
    runs = defaultdict(list)
    for line in lines(options.results):
        runs[line["corpus"], line["topics"], line["start"]].append(line)
    at = np.arange(EVERY, options.sweeps + 1, 10.0)
    for (name, n_topics), plateau in sorted(plateaus(options.plateau).items()):
        cells = []
        for start in STARTS:
            if not runs[name, n_topics, start]:
                cells.append("")
                continue
            values = curve(runs[name, n_topics, start], at)
            reached = at[values <= 1.005 * plateau]
            last = f"{100 * (values[-1] / plateau - 1):+.1f} %"
            cells.append(f"{reached[0]:.0f} ({last})" if reached.size else f"> {at[-1]:.0f} ({last})")
        yield [name, str(n_topics), f"{plateau:.1f}", *cells]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["measure", "table"])
    parser.add_argument("--results", type=Path, default=Path("starts.jsonl"))
    parser.add_argument("--plateau", type=Path, default=Path("schedules.jsonl"))
    parser.add_argument("--corpora", default=",".join(CORPORA))
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 100])
    parser.add_argument("--starts", default=",".join(STARTS))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--sweeps", type=int, default=700)
    parser.add_argument("--tokens", type=int, default=200_000)
    options = parser.parse_args()
    if options.part == "measure":
        measure(options)
    else:
        print(table(["corpus", "topics", "plateau", *STARTS], list(rows(options))))


if __name__ == "__main__":
    main()
