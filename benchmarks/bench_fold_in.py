"""Topics of new documents against tomotopy's ``infer``: the same words, as many topics, sweeps and threads.

    python benchmarks/bench_fold_in.py [--corpus NAME ...] [--topics K ...] [--documents N]
                                       [--accuracy | --one-text]

Models are trained briefly on four fifths of a corpus; the new documents are from the rest. tomotopy has two
ways: each document by itself, as we do it (it copies the model for each), and ``together``, where documents
change the topics for each other. topminer samples words, as tomotopy does, and also phrases.

With ``--one-text``: how long ``model.transform([text])`` takes for the first sentence of an abstract, and how
much of that is sampling.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
import tomotopy
from harness import alternate, corpus_path, table, texts_of
from numpy.typing import NDArray

from topminer import Corpus, Partition, PhraseMiner, ToPMine
from topminer.topics.kernels import fold_in as kernels
from topminer.topics.results.fold_in import BURN_IN, N_SWEEPS, Inferred, fold_in
from topminer.topics.sampler.sampler import Sampler

BETA = 0.01
Infer = Callable[..., Inferred]


def alpha_of(n_topics: int) -> float:
    return min(0.1, 50 / n_topics)


def topminer_model(partition: Partition, n_topics: int) -> Infer:
    alpha = np.full(n_topics, alpha_of(n_topics))
    sampler = Sampler.of(partition, n_topics, alpha, BETA, n_threads=2)
    for _ in range(30):
        sampler.sweep()
    word_topic, tokens = sampler.word_topic(), sampler.n_k
    sampler.close()
    return lambda new, n_sweeps=N_SWEEPS, burn_in=BURN_IN, **options: fold_in(
        new, word_topic, tokens, alpha, BETA, n_sweeps=n_sweeps, burn_in=burn_in, **options
    )


def tomotopy_model(documents: list[list[str]], n_topics: int) -> tomotopy.LDAModel:
    model = tomotopy.LDAModel(k=n_topics, alpha=alpha_of(n_topics), eta=BETA, seed=1)
    for document in documents:
        if document:
            model.add_doc(document)
    model.train(10, workers=1)
    return model


def speed(corpus: Corpus, n_topics: int, n_documents: int, rounds: int) -> list[list[str]]:
    """Documents per second of all, and ours as multiples of theirs."""
    cut = len(corpus) * 4 // 5
    phrases, words = PhraseMiner().fit_transform(corpus), Partition.of_words(corpus)
    lists = corpus.to_lists()
    chosen = [d for d in range(cut, len(corpus)) if lists[d]][:n_documents]
    infer_words = topminer_model(words[:cut], n_topics)
    infer_phrases = topminer_model(phrases[:cut], n_topics)
    theirs = tomotopy_model(lists[:cut], n_topics)
    new = [theirs.make_doc(lists[d]) for d in chosen]
    few = new[: max(10, 20_000 // n_topics)]  # each alone is slow
    new_words, new_phrases = words[chosen], phrases[chosen]
    rows = []
    for n in (1, 2):
        times = alternate(
            {
                "words": lambda n=n: infer_words(new_words, n_threads=n),
                "phrases": lambda n=n: infer_phrases(new_phrases, n_threads=n),
                "together": lambda n=n: theirs.infer(new, N_SWEEPS, workers=n, together=True),
            },
            rounds,
        )
        alone = alternate({"": lambda n=n: theirs.infer(few, N_SWEEPS, workers=n)}, 1)[""] / len(few)
        rates = [len(chosen) / times[name] for name in ("words", "phrases", "together")]
        ratios = [rates[0] / rates[2], rates[0] * alone]
        rows.append(
            [
                f"{n_topics}, {n}",
                *(f"{rate:,.0f}" for rate in (*rates, 1 / alone)),
                *(f"{ratio:.1f}" for ratio in ratios),
            ]
        )
    return rows


def accuracy(corpus: Corpus, n_topics: int, n_documents: int) -> list[list[str]]:
    """How far the topics of documents are from those of a very long run, by sweeps and burn-in."""
    cut = len(corpus) * 4 // 5
    phrases = PhraseMiner().fit_transform(corpus)
    infer, new = topminer_model(phrases[:cut], n_topics), phrases[cut : cut + n_documents]
    truth = infer(new, n_sweeps=5000, burn_in=500, seed=1, n_threads=2).doc_topic

    def error(doc_topic: NDArray[np.float64]) -> float:
        return float(abs(doc_topic - truth).sum(axis=1).mean() / 2)

    rows = []
    for n_sweeps in (20, 50, 100, 200, 400):
        errors = [
            error(infer(new, n_sweeps, n_sweeps // part, n_threads=2).doc_topic) for part in (20, 10, 5, 2)
        ]
        rows.append([f"{n_topics}, {n_sweeps}", *(f"{each:.3f}" for each in errors)])
    return rows


def one_text(name: str, n_topics: int, n_documents: int) -> list[str]:
    """Median milliseconds of ``transform`` of one short text: all, sampling, and the rest."""
    texts = texts_of(name)
    n_known = min(10_000, len(texts) * 4 // 5)
    model = ToPMine(n_topics, n_sweeps=30, random_state=0).fit(texts[:n_known])
    kernel = "sample_sparse" if n_topics > kernels.MAX_DENSE else "sample_dense"
    sample, sampling, whole = getattr(kernels, kernel), [], []

    def timed(*arguments: object) -> None:
        start = time.perf_counter()
        sample(*arguments)
        sampling.append(time.perf_counter() - start)

    with patch.object(kernels, kernel, timed):
        model.transform(texts[-1:])  # kernels are loaded, tables are made
        sampling.clear()
        for text in texts[n_known : n_known + n_documents]:
            start = time.perf_counter()
            model.transform([text.split(". ")[0]])
            whole.append(time.perf_counter() - start)
    rest = [each - part for each, part in zip(whole, sampling, strict=True)]
    return [str(n_topics), *(f"{1000 * statistics.median(each):.2f}" for each in (whole, sampling, rest))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--corpus", nargs="+", default=["abstracts_acl_arc.jsonl.zst", "titles_20conf.txt.zst"]
    )
    parser.add_argument("--topics", nargs="+", type=int, default=[10, 50, 100, 500, 1000])
    parser.add_argument("--documents", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--accuracy", action="store_true", help="of the documents' topics, instead of speed")
    parser.add_argument("--one-text", action="store_true", help="milliseconds for one short text, instead")
    options = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)  # tomotopy's, of seeds and workers
    for name in options.corpus:
        if options.one_text:
            rows = [one_text(name, k, options.documents) for k in options.topics]
            print(name, table(["topics", "all, ms", "sampling", "rest"], rows), "", sep="\n\n")
            continue
        corpus = Corpus.read(corpus_path(name))
        print(f"{name}: {corpus!r}\n")
        if options.accuracy:
            header = ["topics, sweeps", *(f"burn-in 1/{part}" for part in (20, 10, 5, 2))]
            rows = [row for k in options.topics for row in accuracy(corpus, k, options.documents)]
        else:
            header = [
                "topics, threads",
                "words",
                "phrases",
                "tomotopy together",
                "tomotopy",
                "÷ together",
                "÷",
            ]
            rows = [
                row for k in options.topics for row in speed(corpus, k, options.documents, options.rounds)
            ]
        print(table(header, rows), "\n")


if __name__ == "__main__":
    main()
