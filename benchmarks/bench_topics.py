"""PhraseLDA against tomotopy's LDA: tokens per second, likelihoods, growth, memory.

    python benchmarks/bench_topics.py [--corpus NAME] [--topics 5,10,50] [--threads 1,2] [--rounds 3]
    python benchmarks/bench_topics.py --rustmallet --topics 50,1000

Both sample the same kept tokens with the same, fixed priors, as often, with as many threads. They take turns:
a few sweeps each, first from the start, then after a burn-in. PhraseLDA samples phrases, LDA (topminer's own
and tomotopy's) single words; the log likelihoods per token beside the speeds are the same formula for all, of
the topics each has reached. ``--growth``, ``--memory`` and ``--null`` measure topminer alone.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
from harness import corpus_path, peak_bytes, seconds, table

from topminer import Corpus, Partition, PhraseMiner
from topminer.jit import kernel
from topminer.topics.kernels.draw import uniform
from topminer.topics.model import histograms
from topminer.topics.model.histograms import Histograms
from topminer.topics.model.likelihood import log_likelihood
from topminer.topics.sampler.sampler import Sampler

ALPHA, BETA = 0.1, 0.01
TOPICS = (5, 10, 50, 100, 500, 1000)


class Ours:
    """PhraseLDA, or LDA if the partition is one of words."""

    def __init__(self, partition: Partition, n_topics: int, n_threads: int) -> None:
        alpha = np.full(n_topics, ALPHA)
        self.sampler = Sampler.of(partition, n_topics, alpha, BETA, n_threads=n_threads)

    def run(self, n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            self.sampler.sweep()

    def likelihood(self) -> float:
        return log_likelihood(self.sampler.histograms(), self.sampler.alpha, BETA) / self.sampler.n_tokens


class Tomotopy:
    """tomotopy's LDA on the same tokens."""

    def __init__(self, corpus: Corpus, n_topics: int, n_threads: int) -> None:
        import tomotopy

        self.n_topics, self.n_threads, self.n_words = n_topics, n_threads, corpus.n_stems
        self.model: Any = tomotopy.LDAModel(k=n_topics, alpha=ALPHA, eta=BETA, seed=1)
        self.model.optim_interval = self.model.burn_in = 0
        words, starts = list(map(str, corpus.stem_ids.tolist())), corpus.doc_start.tolist()
        for start, stop in pairwise(starts):
            if stop > start:
                self.model.add_doc(words[start:stop])
        self.model.train(0)

    def run(self, n_sweeps: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that more than one worker is not deterministic
            self.model.train(n_sweeps, workers=self.n_threads)

    def likelihood(self) -> float:
        """By the formula that topminer uses, from its assignments."""
        topics = np.concatenate([np.asarray(doc.topics, np.int64) for doc in self.model.docs])
        words = np.concatenate([np.asarray(doc.words, np.int64) for doc in self.model.docs])
        lengths = np.array([len(doc.words) for doc in self.model.docs])
        docs = np.repeat(np.arange(lengths.size), lengths)
        cells, in_docs = np.unique(docs * self.n_topics + topics, return_counts=True)
        _, in_words = np.unique(words * self.n_topics + topics, return_counts=True)
        counts = Histograms(
            *histograms.count_by_topic((cells % self.n_topics).astype(np.int32), in_docs.astype(np.int32)),
            histograms.count(lengths.astype(np.int32)),
            histograms.count(in_words.astype(np.int32)),
            np.bincount(topics, minlength=self.n_topics),
            self.n_words,
        )
        return log_likelihood(counts, np.full(self.n_topics, ALPHA), BETA) / topics.size


class RustMallet:
    """RustMallet's sparse sampler of LDA (``pip install pyrmallet``), on one thread.

    It cannot go on from where it stopped, so the time of some sweeps is the difference of two runs.
    """

    def __init__(self, corpus: Corpus, n_topics: int) -> None:
        from pyrmallet import _rust_mallet

        letters = str.maketrans("0123456789", "abcdefghij")  # it reads words of letters only
        names = [f"{i:06}".translate(letters) for i in range(corpus.n_stems)]
        words, starts = [names[i] for i in corpus.stem_ids.tolist()], corpus.doc_start.tolist()
        texts = [" ".join(words[start:stop]) for start, stop in pairwise(starts) if stop > start]
        names = [str(i) for i in range(len(texts))]  # of documents
        self.rival, self.n_topics = _rust_mallet, n_topics
        self.corpus = _rust_mallet.Corpus.from_strings(
            texts, doc_ids=names, stopwords=[], min_doc_freq=1, max_doc_fraction=1.0
        )

    def seconds(self, n_sweeps: int) -> float:
        fixed = {"burn_in": n_sweeps + 1, "optimize_interval": 0, "num_samples": 1, "sample_interval": 1}
        priors = {"alpha_sum": ALPHA * self.n_topics, "beta": BETA, "seed": 1}
        return seconds(
            lambda: self.rival.train(
                self.corpus, num_topics=self.n_topics, iterations=n_sweeps, **fixed, **priors
            )
        )


def rust_mallet(partition: Partition, options: argparse.Namespace) -> None:
    """PhraseLDA against RustMallet on one thread, after the burn-in."""
    corpus, n_sweeps, rows = partition.corpus, options.sweeps * options.rounds, []
    for n_topics in options.topics:
        rival, ours = RustMallet(corpus, n_topics), Ours(partition, n_topics, 1)
        ours.run(options.burn_in)
        ours_rate, rival_rate = [], []
        for _ in range(options.rounds):
            both = rival.seconds(options.burn_in), rival.seconds(options.burn_in + n_sweeps)
            rival_rate.append(corpus.n_tokens * n_sweeps / (both[1] - both[0]) / 1e6)
            ours_rate.append(corpus.n_tokens * n_sweeps / seconds(lambda o=ours: o.run(n_sweeps)) / 1e6)
        cells = [f"{statistics.median(each):.1f}" for each in (ours_rate, rival_rate)]
        rows.append([str(n_topics), *cells, ratio(ours_rate, rival_rate)])
        print(rows[-1], flush=True, file=sys.stderr)
    print(f"1 thread, million tokens a second, {n_sweeps} sweeps after {options.burn_in}:\n")
    print(table(["K", "PhraseLDA", "RustMallet", "PhraseLDA ÷ RustMallet"], rows), "\n")


def rates(contestants: dict[str, Any], n_tokens: int, rounds: int, n_sweeps: int) -> dict[str, list[float]]:
    """Million tokens a second of each in every round; they take turns."""
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            spent = seconds(lambda c=contestant: c.run(n_sweeps))
            found[name].append(n_tokens * n_sweeps / spent / 1e6)
    return found


def ratio(rate: list[float], of_rival: list[float]) -> str:
    """The median of the ratios of all rounds, and the lowest and highest."""
    ratios = [ours / rival for ours, rival in zip(rate, of_rival, strict=True)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def compare(partition: Partition, options: argparse.Namespace) -> None:
    corpus = partition.corpus
    words = Partition.of_words(corpus)
    for n_threads in options.threads:
        start_rows, later_rows = [], []
        for n_topics in options.topics:
            contestants = {
                "PhraseLDA": Ours(partition, n_topics, n_threads),
                "LDA": Ours(words, n_topics, n_threads),
                "tomotopy": Tomotopy(corpus, n_topics, n_threads),
            }
            for rows, burn_in in ((start_rows, 0), (later_rows, options.burn_in)):
                for contestant in contestants.values():
                    contestant.run(burn_in)
                speed = rates(contestants, corpus.n_tokens, options.rounds, options.sweeps)
                rows.append(
                    [
                        str(n_topics),
                        *(f"{statistics.median(rate):.1f}" for rate in speed.values()),
                        ratio(speed["PhraseLDA"], speed["tomotopy"]),
                        ratio(speed["LDA"], speed["tomotopy"]),
                        *(f"{contestant.likelihood():.3f}" for contestant in contestants.values()),
                    ]
                )
                print(n_threads, burn_in, rows[-1], flush=True, file=sys.stderr)
            for name in ("PhraseLDA", "LDA"):
                contestants[name].sampler.close()
        header = ["K", "PhraseLDA", "LDA", "tomotopy", "PhraseLDA ÷ tomotopy", "LDA ÷ tomotopy"]
        header += [f"log likelihood: {name}" for name in ("PhraseLDA", "LDA", "tomotopy")]
        done = options.rounds * options.sweeps
        print(f"{n_threads} thread(s), million tokens a second, sweeps 1 to {done}:\n")
        print(table(header, start_rows), "\n")
        first = done + options.burn_in
        print(f"{n_threads} thread(s), sweeps {first + 1} to {first + done}:\n")
        print(table(header, later_rows), "\n", flush=True)


def growth(partition: Partition, options: argparse.Namespace) -> None:
    """Time of a sweep over an eighth, a quarter, a half and all of the documents."""
    rows = []
    for factor in (1, 2, 4, 8):
        part = partition[: len(partition) * factor // 8]
        row = [f"{factor}×", f"{part.corpus.n_tokens:,}"]
        for n_topics in (10, 100, 1000):
            ours = Ours(part, n_topics, 2)
            ours.run(3)
            each = statistics.median(
                seconds(lambda ours=ours: ours.run(2)) / 2 for _ in range(options.rounds)
            )
            row.append(f"{each / part.corpus.n_tokens * 1e9:.1f}")
            ours.sampler.close()
        rows.append(row)
    print(table(["size", "tokens", *(f"ns per token, K = {k}" for k in (10, 100, 1000))], rows), "\n")


def memory(partition: Partition, n_topics: int) -> None:
    """Peak of a sampler and two sweeps above the partition, in a process that has done nothing else."""
    Ours(partition[:100], n_topics, 2).run(1)  # compiles, or loads what was compiled

    def run() -> Ours:
        ours = Ours(partition, n_topics, 2)
        ours.run(2)
        return ours

    peak, _ = peak_bytes(run)
    print(f"K = {n_topics}: {peak / partition.corpus.n_tokens:.1f} bytes per token", flush=True)


@kernel
def _null_sweep(docs: Any, topics: Any, held: Any, n: int, key: Any) -> float:
    """Visit every clique and its document, draw a number and write a count that is the same as before."""
    total = np.float32(0)
    for i in range(docs.size):
        u = uniform(key, i)
        held[np.int64(docs[i]) * n + topics[i]] += np.int64(u)
        total += u
    return total


def null(partition: Partition, options: argparse.Namespace) -> None:
    """How far a sweep is from doing nothing at all, with one thread and one shard."""
    rows = []
    for n_topics in (10, 100):
        alpha = np.full(n_topics, ALPHA)
        sampler = Sampler.of(partition, n_topics, alpha, BETA, n_shards=1)
        (shard,) = sampler.here.shards
        arguments = shard.cliques.d_of, shard.z, shard.doc_topic.n_dk, shard.n, np.uint64(1)
        sampler.sweep()
        _null_sweep(*arguments)
        empty = statistics.median(seconds(lambda a=arguments: _null_sweep(*a)) for _ in range(options.rounds))
        full = statistics.median(seconds(sampler.sweep) for _ in range(options.rounds))
        n_cliques = shard.z.size
        times = [f"{each / n_cliques * 1e9:.1f}" for each in (empty, full)]
        rows.append([str(n_topics), *times, f"{full / empty:.1f}"])
    print(table(["K", "null sweep, ns per clique", "sweep, ns per clique", "ratio"], rows), "\n")


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="abstracts_acl.jsonl.zst")
    parser.add_argument("--topics", type=numbers, default=list(TOPICS))
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sweeps", type=int, default=3, help="per turn")
    parser.add_argument("--burn-in", type=int, default=30)
    parser.add_argument("--memory", type=int, help="only this, for so many topics")
    for part in ("growth", "null", "rustmallet"):
        parser.add_argument(f"--{part}", action="store_true", help="only this")
    options = parser.parse_args()
    path = corpus_path(options.corpus)
    corpus = Corpus.read(path, text="text") if ".jsonl" in path.name else Corpus.read(path)
    partition = PhraseMiner().fit_transform(corpus)
    partition.type_ids  # noqa: B018  (found when first asked for)
    if options.memory:
        return memory(partition, options.memory)
    print(f"{options.corpus}: {corpus!r}, {partition!r}\n")
    if options.growth:
        return growth(partition, options)
    if options.null:
        return null(partition, options)
    if options.rustmallet:
        return rust_mallet(partition, options)
    start = time.perf_counter()
    compare(partition, options)
    growth(partition, options)
    null(partition, options)
    for n_topics in options.topics:
        command = [sys.executable, __file__, "--corpus", options.corpus, "--memory", str(n_topics)]
        subprocess.run(command, check=True)
    print(f"(all of this took {(time.perf_counter() - start) / 60:.0f} minutes)")


if __name__ == "__main__":
    main()
