"""What raises the agreement of two seeds: where a chain starts, how its priors change, how long it is.

    python benchmarks/agreement.py measure --results agreement.jsonl --resampled
    python benchmarks/agreement.py table --results agreement.jsonl

Each corpus is sampled to about --tokens kept tokens. A tenth of its documents is held out, and PhraseLDA
learns from the others, once for each variant, number of topics and seed. With --resampled, every seed holds
out another tenth. No two seeds then learn from the same documents, and a deterministic start does not make
seeds agree by itself. The agreement is the mean cosine of the topics of two seeds, matched one to one. The
variants:

- random: random topics, α = 1 / K, priors fitted every 10 sweeps from sweep 20 on. The default of topminer.
- fixed: as random, but α stays 50 / K (at most 0.5), and β 0.01.
- hot 5/200: as random, but α starts at 5 for each topic, and is lowered to 1 / K within 200 sweeps, by the
  same factor each sweep. Priors are fitted from then on.
- nmf 30: the topics of 30 steps of a non-negative matrix factorisation (scikit-learn) of the counts of words
  in documents, which starts with NNDSVD; nmf 1: one step.
- factorised: as nmf 30, but by src/topminer/topics/number/starts.py.
- merged 5/30/10/0.1: a chain with five times as many topics as wanted, α = 1 / topics, and 30 sweeps. Then a
  tenth of the topics is merged with others (src/topminer/topics/number/merging.py), and 10 sweeps follow,
  until K topics are left. An ordinary chain starts with these.
- hdp 5/30/10/0.1: as merged, but with the prior of the search for the number of topics, a hierarchical
  Dirichlet process.

A result is one line of JSON with the means over seeds; what is in the file already is not measured again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from harness import table
from numpy.typing import NDArray
from schedules import BETA, alpha_of, judged, lines, sample_of
from scipy import sparse
from starts import BURN_IN, INTERVAL, fit_priors

from topminer import Partition
from topminer.evaluation.coherence import npmi
from topminer.evaluation.perplexity import Split, split
from topminer.evaluation.stability import matched
from topminer.progress import silent
from topminer.topics.model import priors
from topminer.topics.model.likelihood import log_likelihood
from topminer.topics.number import search
from topminer.topics.number.search import MergingChain, Settings
from topminer.topics.number.selection import Selection
from topminer.topics.number.starts import factorised_start
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.start import Start

CORPORA = "20conf,acl,amazon,bbc,reuters"
SHOWN = (200, 500, 1000, 3000)  # sweeps after the start
N_WORDS = 10  # of a topic, for coherence


def random_start(train: Partition, n_topics: int, seed: int) -> Sampler:
    """A chain at random topics, as topminer starts it."""
    return Sampler.of(train, n_topics, alpha_of(n_topics, 1), BETA, seed=seed)


def started(train: Partition, start: Start, seed: int) -> Sampler:
    """A chain at given topics."""
    sampler = random_start(train, start.word_topic.shape[1], seed)
    sampler.start_from(start)
    return sampler


def factorised(train: Partition, n_topics: int, seed: int, n_steps: int) -> Sampler:
    """A chain at the topics of a non-negative factorisation of the counts of words in documents."""
    from sklearn.decomposition import NMF

    corpus = train.corpus
    known = corpus.stem_ids >= 0
    document = np.repeat(np.arange(len(train)), np.diff(corpus.doc_start))[known]
    shape = len(train), corpus.n_stems
    counts = sparse.csr_array((np.ones(document.size), (document, corpus.stem_ids[known])), shape)
    model = NMF(n_topics, init="nndsvd", max_iter=n_steps, tol=0, random_state=0)
    shares = model.fit_transform(counts)
    tokens = shares[:, :, None].sum(axis=0) * model.components_
    tokens = np.rint(tokens * (corpus.n_tokens / tokens.sum())).astype(np.int32)
    return started(train, Start(np.arange(corpus.n_stems), tokens.T.copy(), BETA), seed)


class SymmetricChain(MergingChain):
    """A chain whose topics become fewer, and always have the same prior."""

    @property
    def alpha(self) -> NDArray[np.float64]:
        """The prior of topics in documents: 1 / topics for each."""
        n_topics = self.top.weight.size
        return np.full(n_topics, 1 / n_topics)

    def _draw_priors(self) -> None:
        """Fit β only."""
        if self._n_sweeps >= BURN_IN // 2:
            _, self._beta = priors.optimize(self.sampler.histograms(), self.alpha, self._beta)
        self.sampler.alpha, self.sampler.beta = self.alpha, self._beta


def merged(train: Partition, n_topics: int, seed: int, kind: str, merging: list[float]) -> Start:
    """Topics that were merged from more."""
    ratio, burn_in, n_sweeps, share = merging
    selection = Selection(train, train, np.arange(train.type_start.size - 1))
    new = SymmetricChain if kind == "merged" else MergingChain
    chain = new(selection, int(ratio) * n_topics, Settings(BETA, seed))
    chain.run(int(burn_in), silent, [])
    while (n_used := np.count_nonzero(chain.sampler.n_k)) > n_topics:
        search.GIVEN_UP = min(share, 1 - n_topics / n_used)  # exactly n_topics are left in the end
        chain.give_up()
        chain.run(int(n_sweeps), silent, [])
    chain.sampler.close()
    start = chain.sample().start(selection, n_topics)
    assert start.word_topic.shape[1] == n_topics
    return start


def start_of(name: str, train: Partition, n_topics: int, seed: int) -> Sampler:
    """A chain at a start; "merged 5/30/10/0.1" has the ratio, burn-in, sweeps and share of its merging."""
    kind, _, values = name.partition(" ")
    if kind in ("merged", "hdp"):
        return started(train, merged(train, n_topics, seed, kind, [*map(float, values.split("/"))]), seed)
    if kind == "factorised":
        selection = Selection(train, train, np.arange(train.type_start.size - 1))
        return started(train, factorised_start(selection, n_topics, Settings(BETA, seed)), seed)
    if kind == "nmf":
        return factorised(train, n_topics, seed, int(values))
    sampler = random_start(train, n_topics, seed)
    if kind == "fixed":
        sampler.alpha = alpha_of(n_topics)
    return sampler


def sweep(sampler: Sampler, name: str) -> None:
    """Sample one sweep, and do with the priors what the variant says."""
    kind, _, values = name.partition(" ")
    n, first = sampler.n_sweeps, BURN_IN
    if kind == "hot":
        hot, cooling = map(float, values.split("/"))
        first = int(cooling)
        if n < first:
            usual = alpha_of(sampler.n_topics, 1)
            sampler.alpha = usual * (hot / usual) ** (1 - n / cooling)
    sampler.sweep()
    n += 1
    if kind != "fixed" and n % INTERVAL == 0 and n >= first:
        fit_priors(sampler)


def run(documents: Split, n_topics: int, seed: int, name: str, n_sweeps: int) -> list[dict[str, Any]]:
    """One chain: what it has after some numbers of sweeps."""
    train, found = documents.phrases, []
    before = time.process_time()
    sampler = start_of(name, train, n_topics, seed)
    spent = first = time.process_time() - before
    for n in [each for each in SHOWN if each <= n_sweeps]:
        before = time.process_time()
        while sampler.n_sweeps < n:
            sweep(sampler, name)
        spent += time.process_time() - before
        word_topic = sampler.word_topic()
        joint = log_likelihood(sampler.histograms(), sampler.alpha, sampler.beta)
        found.append(
            {
                "sweeps": n,
                "likelihood": joint / sampler.n_tokens,
                "perplexity": judged(sampler, documents.held_phrases),
                "coherence": coherence(train, word_topic),
                "largest": float(sampler.n_k.max() / sampler.n_tokens),
                "start": first,
                "seconds": spent,
                "topics": probabilities(word_topic, sampler.beta),
            }
        )
    sampler.close()
    return found


def probabilities(word_topic: NDArray[np.int32], beta: float) -> NDArray[np.float64]:
    """The probability of each word in each topic, (topics, words)."""
    counts = word_topic.T + beta
    return counts / counts.sum(axis=1, keepdims=True)


def coherence(train: Partition, word_topic: NDArray[np.int32]) -> float:
    """Mean NPMI of the first words of each topic, over documents."""
    top = np.argsort(-word_topic, axis=0, kind="stable")[:N_WORDS].T
    values = npmi([[(word,) for word in words] for words in top.tolist()], train.corpus, window=None).topics
    return statistics.fmean(value for value in values if value is not None)


def together(runs: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Means over seeds, and how well each two seeds agree, after each number of sweeps."""
    rows = []
    for same in zip(*runs, strict=True):
        cosines = [matched(a["topics"], b["topics"])[1] for a, b in combinations(same, 2)]
        row = {key: statistics.fmean(each[key] for each in same) for key in same[0] if key != "topics"}
        row["agreement"] = float(np.mean(cosines))
        row["stable"] = float(np.mean(np.concatenate(cosines) >= 0.8))
        rows.append(row)
    return rows


def measure(options: argparse.Namespace) -> None:
    """Append what is not in the file yet."""
    keys = ("corpus", "topics", "variant", "tokens", "resampled")
    done = {tuple(line[key] for key in keys) for line in lines(options.results)}
    made: dict[str, list[Split]] = {}
    n_sweeps = options.sweeps
    for name in options.corpora.split(","):
        for n_topics in options.topics:
            for variant in options.variants.split(","):
                key = (name, n_topics, variant, options.tokens, options.resampled)
                if key in done:
                    continue
                if name not in made:
                    sample = sample_of(name, options.tokens)
                    made[name] = [split(sample, seed * options.resampled) for seed in range(options.seeds)]
                runs = [run(each, n_topics, seed, variant, n_sweeps) for seed, each in enumerate(made[name])]
                rows = together(runs)
                with options.results.open("a") as file:
                    file.write(json.dumps({**dict(zip(keys, key, strict=True)), "rows": rows}) + "\n")
                print(*key, *(cell for row in rows for cell in (row["sweeps"], *cells(row))), flush=True)


def cells(row: dict[str, Any]) -> list[str]:
    """What is shown of a variant after some sweeps."""
    return [
        f"{row['agreement']:.3f}",
        f"{row['likelihood']:.3f}",
        f"{row['perplexity']:.0f}",
        f"{row['coherence']:.3f}",
        f"{100 * row['largest']:.0f} %",
    ]


def shown(options: argparse.Namespace) -> Iterator[list[str]]:
    """A row for each corpus, number of topics, variant and number of sweeps."""
    for line in lines(options.results):
        if line["tokens"] != options.tokens or line["resampled"] != options.resampled:
            continue
        for row in line["rows"]:
            cost = f"{row['start']:.1f} of {row['seconds']:.1f}"
            sweeps = f"{row['sweeps']:.0f}"
            yield [line["corpus"], str(line["topics"]), line["variant"], sweeps, *cells(row), cost]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["measure", "table"])
    parser.add_argument("--results", type=Path, default=Path("agreement.jsonl"))
    parser.add_argument("--corpora", default=CORPORA)
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 50])
    parser.add_argument("--variants", default="random,hot 5/200,merged 5/30/10/0.1,nmf 30,factorised")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sweeps", type=int, default=1000)
    parser.add_argument("--resampled", action="store_true", help="another tenth is held out for each seed")
    parser.add_argument("--tokens", type=int, default=80_000)
    options = parser.parse_args()
    if options.part == "measure":
        measure(options)
    else:
        head = ["corpus", "K", "variant", "sweeps", "agreement", "likelihood", "perplexity", "NPMI"]
        print(table([*head, "largest topic", "seconds of the start"], list(shown(options))))


if __name__ == "__main__":
    main()
