"""What is compiled together: documents that every Python carries go through one part of the program each."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from topminer.demo import paragraphs
from topminer.text.corpus import Corpus

_TOPICS = {"registers": 3, "dense": 20, "sparse": 400}  # a number of topics for each path of the sampler
_RIVALS = ("kert", "turbo", "tng", "pdlda")
_ODD_TEXTS = [
    "Frequent pattern mining finds real-time patterns (see http://example.org/a or a@b.org), e.g. U.S. data.",
    "Real time systems, 3.14 % of them; frequent pattern mining of naïve texts and 数据挖掘.",
] * 12


def _text() -> None:
    """Read texts, and mine and cut them."""
    from topminer.containers.strings import strings_of
    from topminer.phrases.explain import explain
    from topminer.phrases.miner import PhraseMiner

    strings_of([b"a", b"b"]).ranges(2)  # as workers of a cluster divide strings
    texts = [*paragraphs(), *_ODD_TEXTS]
    corpus = Corpus.from_texts(texts)
    Corpus.from_texts([text.split() for text in texts[:50]])
    table = pl.DataFrame({"text": texts})
    Corpus.read(io.BytesIO(table.write_csv().encode()), "text", format="csv")
    Corpus.read(io.BytesIO(table.write_ndjson().encode()), "text", format="jsonl")
    own: dict[str, Any] = {"always": ["topic models"], "never": ["real time"]}
    many = Corpus.from_texts(_ODD_TEXTS * 30)
    for read, settings in ((corpus, {}), (corpus, own), (many, {"min_support": 300})):
        miner = PhraseMiner(**settings).fit(read)
        miner.transform(read).at(9.0)
        miner.transform(read.encode(texts[:3]))
        explain(miner, texts[0])


def _sampler(n_topics: int, lengths: Sequence[int] = (40,)) -> None:
    """Sample topics, with phrases of all lengths, and find the topics of new documents.

    Documents of 256 words need wider counts, and those of 65,536 still wider ones.
    """
    for length in lengths:
        _sample(n_topics, length)


def _sample(n_topics: int, length: int) -> None:
    from topminer.phrases.partition import Partition
    from topminer.topics.model.phraselda import PhraseLDA

    corpus = _made_up(length)
    inside = np.array([0, 1, 3, 6, 10, 15, 25, *range(39, length)])  # where the cliques of a document start
    starts = (length * np.arange(len(corpus))[:, None] + inside).ravel()
    phrases = Partition(
        corpus, np.append(starts, corpus.n_tokens), np.arange(0, starts.size + 1, inside.size)
    )
    fitting: dict[str, Any] = {"n_sweeps": 3, "optimize_interval": 1, "burn_in": 0, "random_state": 0}
    for partition, n_shards in ((phrases, 1), (phrases, 2), (Partition.of_words(corpus), 1)):
        lda = PhraseLDA(n_topics, n_shards=n_shards, **fitting).fit(partition)
    lda.infer(phrases)
    lda.score(phrases)


def _made_up(length: int) -> Corpus:
    """Return documents of some length for the sampler; no kernel reads them."""
    from topminer.text.provenance import Origin
    from topminer.text.rules import TextRules

    n_documents, n_stems = 20 if length < 1000 else 2, 30
    stems = np.random.default_rng(0).integers(0, n_stems, n_documents * length, dtype=np.int32)
    starts = np.arange(0, stems.size + 1, length)
    words, counts = [f"w{i}" for i in range(n_stems)], np.bincount(stems, minlength=n_stems)
    return Corpus(
        stem_ids=stems,
        surface_ids=stems.copy(),
        gap_ids=np.zeros(stems.size, np.int32),
        starts=np.zeros(stems.size, np.int32),
        doc_start=starts,
        chunk_start=starts.copy(),
        vocabulary=pl.DataFrame({"stem": words, "surface": words, "count": counts}),
        surfaces=pl.DataFrame({"surface": words, "stem": np.arange(n_stems), "count": counts}),
        gaps=pl.Series("gap", [" "]),
        ids=pl.Series("id", map(str, range(n_documents))),
        times=None,
        texts=None,
        rules=TextRules.choose(),
        origin=Origin(),
    )


def _results() -> None:
    """List topics in all orders, and use a model on new documents."""
    from topminer.pipeline import ToPMine
    from topminer.topics.results.entries import Order
    from topminer.topics.results.listing import Listing
    from topminer.topics.results.summary import Summary

    model = ToPMine(3, n_sweeps=5, random_state=0).fit(paragraphs()[:300])
    orders: tuple[Order, ...] = ("best", "frequency", "kert", "relevance")
    for order in orders:
        Summary(model).topics(Listing(order=order))
    model.segment(_ODD_TEXTS[:2])


def _measures() -> None:
    """Measure a model, and try several."""
    from topminer.evaluation.evaluate import evaluate
    from topminer.evaluation.tune import tune
    from topminer.pipeline import ToPMine

    model = ToPMine(3, n_sweeps=5, random_state=0).fit(paragraphs()[:300])
    for window in (None, 10):
        evaluate(model.lda_, model.partition_, window=window, n_sweeps=5, repeats=2)
    tune(model.corpus_, [2, 3], [2.0], n_sweeps=5, repeats=2)


def _compare(method: str) -> None:
    """Run one of the methods that the paper compares with."""
    from topminer.evaluation.compare import Settings, compare

    compare(Corpus.from_texts(paragraphs()[:300]), [method], Settings(3, n_sweeps=5))


JOBS: Mapping[str, Callable[[], None]] = {
    "text": _text,
    **{path: partial(_sampler, n_topics) for path, n_topics in _TOPICS.items()},
    **{f"{path}, long": partial(_sampler, n, (300, 70_000)) for path, n in _TOPICS.items()},
    **{method: partial(_compare, method) for method in _RIVALS},
    "measures": _measures,
    "results": _results,
}


# How many functions each job compiles, about, when those before it are done. All paths of the sampler share
# some of them.
FUNCTIONS: Mapping[str, int] = {
    "text": 40,
    "registers": 44,
    "pdlda": 30,
    "tng": 11,
    "kert": 12,
    "turbo": 15,
    "dense": 44,
    "sparse": 48,
    "registers, long": 24,
    "dense, long": 3,
    "sparse, long": 9,
    "measures": 10,
    "results": 5,
}
SHARED = 35


def n_functions_of(jobs: Sequence[str]) -> int:
    """Return how many functions jobs compile together, about."""
    n_paths = sum(path in jobs for path in _TOPICS)
    return sum(FUNCTIONS[job] for job in jobs) - SHARED * max(n_paths - 1, 0)


def jobs_of_run(*n_topics: int) -> list[str]:
    """Return the jobs of runs with so many topics, in the order in which they are needed."""
    from topminer.topics.kernels.block import path_for

    return ["text", *dict.fromkeys(map(path_for, n_topics))]


def numbers_of(n_topics: int | str) -> list[int]:
    """Return the numbers of topics that a run samples; a search for their number samples many."""
    return list(_TOPICS.values()) if isinstance(n_topics, str) else [n_topics]


def jobs_of_comparison(n_topics: int, methods: Sequence[str]) -> list[str]:
    """Return the jobs of a comparison of methods."""
    return [*jobs_of_run(n_topics), *(method for method in methods if method in _RIVALS)]
