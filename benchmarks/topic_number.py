"""The search for the number of topics: planted and real corpora, other ways to choose the number, time.

    python benchmarks/topic_number.py planted       # corpora with 5, 20 and 60 topics, ten seeds
    python benchmarks/topic_number.py perplexity    # against PhraseLDA with 5 to 160 topics
    python benchmarks/topic_number.py sweep         # what the hierarchical Dirichlet process adds to a sweep
    python benchmarks/topic_number.py beta          # the number found if β is fixed
    python benchmarks/topic_number.py rival         # against tomotopy's HDPModel, on single words
    python benchmarks/topic_number.py corpora       # the number found on eight corpora
    python benchmarks/topic_number.py example       # the topics of the titles of 20 conferences

All use one thread. Chains have 1,000 sweeps and fit the priors every 10 of them. Perplexity is that of
documents that neither the search nor the chain has seen, a tenth of all.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from harness import corpus_path, table
from planted import plant
from schedules import BETA, CORPORA, alpha_of, documents_of, judged
from starts import fit_priors

from topminer import Corpus, Partition, PhraseMiner
from topminer.evaluation.perplexity import Split, split
from topminer.topics.model import priors
from topminer.topics.model.hdp import TopLevel, sample_top_level
from topminer.topics.number.search import PRIOR_INTERVAL, Found, find_number
from topminer.topics.number.selection import Settings, choose_rows, select
from topminer.topics.results.held_out import HeldOut, perplexity
from topminer.topics.sampler.sampler import Sampler

NUMBERS = (5, 10, 20, 40, 80, 160)
BETAS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
TWO = {"titles": "titles_20conf.txt.zst", "ACL ARC": "abstracts_acl_arc.jsonl.zst"}
INTERVAL, BURN_IN = 10, 20  # of the priors of a chain, as in PhraseLDA


class Run(NamedTuple):
    """A model that was made."""

    n_topics: int
    perplexity: float
    seconds: float  # processor time, the search included


def partition_of(name: str) -> Partition:
    """The phrases of a whole corpus."""
    path = corpus_path(name)
    corpus = Corpus.read(path, text="text") if ".jsonl" in path.name else Corpus.read(path)
    return PhraseMiner().fit_transform(corpus)


def found_in(partition: Partition, seed: int, beta: float = BETA, fits_beta: bool = True) -> Found:
    """Search for the number of topics."""
    rows = choose_rows(len(partition), partition.corpus.n_tokens, seed)
    return find_number(select(partition, rows), Settings(beta, seed, fits_beta))


def sampled(sampler: Sampler, n_sweeps: int, burn_in: int) -> Sampler:
    """Sample with the usual schedule."""
    for sweep in range(1, n_sweeps + 1):
        sampler.sweep()
        if sweep % INTERVAL == 0 and burn_in <= sweep < n_sweeps:
            fit_priors(sampler)
    sampler.close()
    return sampler


def ordinary(documents: Partition, test: HeldOut, n_topics: int, seed: int, n_sweeps: int) -> Run:
    """PhraseLDA with a given number of topics."""
    before = time.process_time()
    sampler = Sampler.of(documents, n_topics, alpha_of(n_topics), BETA, seed=seed)
    sampled(sampler, n_sweeps, BURN_IN)
    return Run(n_topics, judged(sampler, test), time.process_time() - before)


def searched(documents: Partition, test: HeldOut, seed: int, n_sweeps: int) -> tuple[Run, Sampler]:
    """A chain that starts from what the search found."""
    before = time.process_time()
    found = found_in(documents, seed)
    alpha = np.full(found.n_topics, 1 / found.n_topics)
    sampler = Sampler.of(documents, found.n_topics, alpha, BETA, seed=seed)
    sampler.start_from(found.start)
    sampled(sampler, n_sweeps, BURN_IN)
    return Run(found.n_topics, judged(sampler, test), time.process_time() - before), sampler


def planted(options: argparse.Namespace) -> None:
    """How often the planted number is found."""
    rows = []
    for common in (0.0, 0.3):
        for n_topics in (5, 20, 60):
            before = time.process_time()
            numbers = [
                found_in(plant(n_topics, seed, common).partition, seed).n_topics
                for seed in range(options.seeds)
            ]
            right = sum(abs(number - n_topics) <= 0.1 * n_topics for number in numbers)
            seconds = (time.process_time() - before) / options.seeds
            row = [str(n_topics), f"{common}", " ".join(map(str, sorted(numbers)))]
            rows.append([*row, f"{right} of {len(numbers)}", f"{seconds:.0f}"])
            print(*rows[-1], flush=True)
    print(table(["topics", "common", "found", "within 10 %", "seconds each"], rows))


def compare(options: argparse.Namespace) -> None:
    """Held-out perplexity against ordinary chains."""
    rows = []
    for title, name in TWO.items():
        partition = partition_of(name)
        for seed in options.splits:
            documents = split(partition, seed)
            run, _ = searched(documents.phrases, documents.held_phrases, seed, options.sweeps)
            print(title, seed, run, flush=True)
            others = []
            for n_topics in NUMBERS:
                others.append(
                    ordinary(documents.phrases, documents.held_phrases, n_topics, seed, options.sweeps)
                )
                print(title, seed, others[-1], flush=True)
            best = min(other.perplexity for other in others)
            row = [title, str(seed), *(f"{other.perplexity:.1f}" for other in others)]
            rows.append([*row, f"{run.n_topics}: {run.perplexity:.1f}", f"{run.perplexity / best:.3f}"])
    print(table(["corpus", "split", *map(str, NUMBERS), "auto", "auto ÷ best"], rows))


def sweep(options: argparse.Namespace) -> None:
    """Time of a sweep with the hierarchical Dirichlet process ÷ PhraseLDA's, which take turns."""
    rows = []
    for title, name in TWO.items():
        documents = partition_of(name)
        for n_topics in (100, 400):
            hdp, plain = _Hdp(documents, n_topics), _Plain(documents, n_topics)
            for each in (hdp, plain):
                each.run(options.warm)
            seconds: dict[Any, list[float]] = {hdp: [], plain: []}
            for _ in range(options.rounds):
                for each, times in seconds.items():
                    before = time.process_time()
                    each.run(INTERVAL)
                    times.append((time.process_time() - before) / INTERVAL)
            ours, theirs = statistics.median(seconds[hdp]), statistics.median(seconds[plain])
            used = np.count_nonzero(hdp.sampler.n_k)
            row = [title, str(n_topics), str(used), f"{1000 * ours:.1f}", f"{1000 * theirs:.1f}"]
            rows.append([*row, f"{ours / theirs:.2f}"])
            print(*rows[-1], flush=True)
            hdp.sampler.close()
            plain.sampler.close()
    print(table(["corpus", "T", "used", "with HDP, ms", "PhraseLDA, ms", "ratio"], rows))


class _Plain:
    """PhraseLDA."""

    def __init__(self, documents: Partition, n_topics: int) -> None:
        self.sampler = Sampler.of(documents, n_topics, alpha_of(n_topics), BETA)

    def run(self, n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            self.sampler.sweep()
            if self.sampler.n_sweeps % INTERVAL == 0:
                fit_priors(self.sampler)


class _Hdp(_Plain):
    """The same with the prior of a hierarchical Dirichlet process, as in search.py; β is fitted too."""

    def __init__(self, documents: Partition, n_topics: int) -> None:
        super().__init__(documents, n_topics)
        self.top, self.rng = TopLevel.start(n_topics), np.random.default_rng(0)
        self.sampler.alpha = self.top.prior

    def run(self, n_sweeps: int) -> None:
        sampler = self.sampler
        for _ in range(n_sweeps):
            sampler.sweep()
            if sampler.n_sweeps % PRIOR_INTERVAL == 0:
                counts = sampler.histograms()
                self.top = sample_top_level(self.top, counts, self.rng)
                alpha = np.clip(self.top.prior, 1e-6, 1e3)
                _, beta = priors.optimize(counts, alpha, sampler.beta)
                sampler.alpha, sampler.beta = alpha, beta


def fixed_beta(options: argparse.Namespace) -> None:
    """The number of topics found with other values of β."""
    rows = []
    corpora = {title: partition_of(name) for title, name in TWO.items()}
    corpora["reviews"] = documents_of("amazon", 300_000).phrases
    for title, partition in corpora.items():
        fitted = found_in(partition, 0)
        numbers = [found_in(partition, 0, beta, False).n_topics for beta in BETAS]
        rows.append([title, *map(str, numbers), f"{fitted.n_topics} ({fitted.start.beta:.3f})"])
        print(*rows[-1], flush=True)
    print(table(["corpus", *map(str, BETAS), "fitted"], rows))


def rival(options: argparse.Namespace) -> None:
    """Compare with the HDPModel of tomotopy on the same words."""
    rows = []
    for title, name in TWO.items():
        documents = split(partition_of(name), 0)
        for model, each in {
            "topminer, phrases": searched(documents.phrases, documents.held_phrases, 0, options.sweeps)[0],
            "topminer, words": searched(documents.words, documents.held_words, 0, options.sweeps)[0],
            "tomotopy": _tomotopy(documents, options.sweeps),
        }.items():
            rows.append([title, model, str(each.n_topics), f"{each.perplexity:.0f}", f"{each.seconds:.0f}"])
            print(*rows[-1], flush=True)
    print(table(["corpus", "model", "topics", "perplexity", "seconds"], rows))


def _tomotopy(documents: Split, n_sweeps: int) -> Run:
    """HDPModel as it comes. Its α and β are fitted to its counts before it is judged, as ours are."""
    import tomotopy

    corpus = documents.words.corpus
    before = time.process_time()
    model: Any = tomotopy.HDPModel(seed=1)
    words = list(map(str, corpus.stem_ids.tolist()))
    for start, stop in pairwise(corpus.doc_start.tolist()):
        if stop > start:
            model.add_doc(words[start:stop])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.train(n_sweeps, workers=1)
    seconds = time.process_time() - before
    stems = np.array([int(word) for word in model.used_vocabs])
    live = np.flatnonzero([model.is_live_topic(k) for k in range(model.k)])
    number = np.full(model.k, -1)
    number[live] = np.arange(live.size)
    word, topic = [], []
    documents_with_words = np.flatnonzero(np.diff(corpus.doc_start))
    sizes = [len(document.words) for document in model.docs]
    for document in model.docs:
        word.append(stems[np.asarray(document.words)])
        topic.append(number[np.asarray(document.topics)])
    assert len(sizes) == documents_with_words.size
    words_of, topics = np.concatenate(word), np.concatenate(topic)
    counts = np.zeros((corpus.n_stems, live.size), np.int32)
    np.add.at(counts, (words_of, topics), 1)
    by_document = np.zeros((len(sizes), live.size), np.int64)
    np.add.at(by_document, (np.repeat(np.arange(len(sizes)), sizes), topics), 1)
    alpha, beta = _fitted(by_document, counts)
    found = perplexity(documents.held_words, counts, counts.sum(axis=0, dtype=np.int64), alpha, beta)
    return Run(int(live.size), found, seconds)


def _fitted(by_document: np.ndarray, by_word: np.ndarray) -> tuple[np.ndarray, float]:
    """The priors that make these counts most likely."""
    from topminer.topics.model.histograms import Histograms, count, count_by_topic

    document, topic = np.nonzero(by_document)
    counts = Histograms(
        *count_by_topic(topic, by_document[document, topic]),
        count(by_document.sum(axis=1)),
        count(by_word),
        by_word.sum(axis=0, dtype=np.int64),
        len(by_word),
    )
    return priors.optimize(counts, np.full(by_document.shape[1], 0.1), 0.01, n_steps=200)


def corpora(options: argparse.Namespace) -> None:
    """The number of topics of eight corpora, and of other seeds."""
    rows = []
    for name in CORPORA:
        documents = documents_of(name, options.tokens).phrases
        before = time.process_time()
        found = [found_in(documents, seed) for seed in range(options.seeds)]
        seconds = (time.process_time() - before) / options.seeds
        numbers = ", ".join(str(each.n_topics) for each in found)
        largest = found[0].start.word_topic.sum(axis=0)
        row = [name, f"{len(documents):,}", f"{documents.corpus.n_tokens:,}", numbers]
        rows.append([*row, f"{100 * largest.max() / largest.sum():.0f} %", f"{seconds:.0f}"])
        print(*rows[-1], flush=True)
    print(table(["corpus", "documents", "kept tokens", "topics", "largest", "seconds"], rows))


def example(options: argparse.Namespace) -> None:
    """Topics of the titles: how large each is, and its phrases of several words by tokens."""
    partition = partition_of(TWO["titles"])
    _, sampler = searched(partition, split(partition, 0).held_phrases, 0, options.sweeps)
    topics = np.concatenate(sampler.workers.run("clique_topics"))
    types, start = partition.type_ids, partition.type_start
    stems = partition.corpus.vocabulary["stem"].to_list()
    counts = np.zeros((start.size - 1, sampler.n_topics), np.int64)
    known = topics >= 0
    np.add.at(counts, (types[known], topics[known]), 1)
    several = np.flatnonzero(np.diff(start) > 1)
    for k in sampler.order().tolist():
        best = several[np.argsort(-counts[several, k], kind="stable")[:5]]
        names = [
            " ".join(stems[i] for i in partition.type_stems[start[t] : start[t + 1]]) for t in best.tolist()
        ]
        print(f"{100 * sampler.n_k[k] / sampler.n_k.sum():.1f} %: {', '.join(names)}")


COMMANDS = {
    "planted": planted,
    "perplexity": compare,
    "sweep": sweep,
    "beta": fixed_beta,
    "rival": rival,
    "corpora": corpora,
    "example": example,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--seeds", type=int, default=10, help="of planted corpora; of searches of a corpus")
    parser.add_argument("--splits", type=int, nargs="+", default=[0, 1], help="seeds of splits")
    parser.add_argument("--sweeps", type=int, default=1000)
    parser.add_argument("--warm", type=int, default=50, help="sweeps before the clock starts")
    parser.add_argument("--rounds", type=int, default=7, help="of ten sweeps each")
    parser.add_argument("--tokens", type=int, default=1_000_000, help="kept tokens of each corpus at most")
    options = parser.parse_args()
    COMMANDS[options.command](options)


if __name__ == "__main__":
    main()
