"""Compiling kernels before they are needed, by taking a few made-up documents through every step.

A kernel is compiled when it is first called, and kept on disk (jit/cache.py). Each job here calls the kernels
of one part of the program, so that several processes can compile at the same time: ``topminer warm`` runs
all jobs, and a first ``topminer run`` has a helper process compile the sampler while it reads and mines.
"""

from __future__ import annotations

import io
import os
import selectors
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, Any

import numpy as np
import polars as pl

from topminer.jit import CACHE, on_compile
from topminer.jit.cache import marker
from topminer.text.corpus import Corpus

HELPER = "TOPMINER_COMPILE_HELPER"  # the variable that turns helpers off, if it is 0
_TOPICS = {"registers": 3, "dense": 20, "sparse": 200}  # a number of topics for each path of the sampler
_TEXTS = [
    "Frequent pattern mining finds real-time patterns (see http://example.org/a or a@b.org), e.g. U.S. data.",
    "Real time systems, 3.14 % of them; frequent pattern mining of naïve texts and 数据挖掘.",
    "Support vector machines and topic models: support vector machines learn from topic models.",
] * 12


def _text() -> None:
    """Read texts, and mine and cut them."""
    from topminer.phrases.explain import explain
    from topminer.phrases.miner import PhraseMiner

    corpus = Corpus.from_texts(_TEXTS)
    Corpus.from_texts([text.split() for text in _TEXTS])
    table = pl.DataFrame({"text": _TEXTS}).write_csv()
    Corpus.read(io.BytesIO(table.encode()), "text", format="csv")
    own: dict[str, Any] = {"always": ["topic models"], "never": ["real time"]}
    many = Corpus.from_texts(_TEXTS * 30)
    for read, settings in ((corpus, {}), (corpus, own), (many, {"min_support": 300})):
        miner = PhraseMiner(**settings).fit(read)
        miner.transform(read).at(9.0)
        miner.transform(read.encode(_TEXTS[:3]))
        explain(miner, _TEXTS[0])


def _sampler(n_topics: int) -> None:
    """Sample topics, with phrases of all lengths, and find the topics of new documents."""
    from topminer.phrases.partition import Partition
    from topminer.topics.model.phraselda import PhraseLDA

    corpus = _made_up()
    starts = np.concatenate([d * 40 + np.array([0, 1, 3, 6, 10, 15, 25, 39]) for d in range(len(corpus))])
    phrases = Partition(corpus, np.append(starts, corpus.n_tokens), np.arange(0, starts.size + 1, 8))
    fitting: dict[str, Any] = {"n_sweeps": 3, "optimize_interval": 1, "burn_in": 0, "random_state": 0}
    for partition, n_shards in ((phrases, 1), (phrases, 2), (Partition.of_words(corpus), 1)):
        lda = PhraseLDA(n_topics, n_shards=n_shards, **fitting).fit(partition)
    lda.infer(phrases)
    lda.score(phrases)


def _made_up() -> Corpus:
    """Return documents for the sampler; no kernel reads them."""
    from topminer.text.provenance import Origin
    from topminer.text.rules import TextRules

    n_documents, length, n_stems = 20, 40, 30
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

    model = ToPMine(3, n_sweeps=5, random_state=0).fit(_TEXTS)
    orders: tuple[Order, ...] = ("best", "frequency", "kert", "relevance")
    for order in orders:
        Summary(model).topics(Listing(order=order))
    model.segment(_TEXTS[:2])


def _measures() -> None:
    """Measure a model, and try several."""
    from topminer.evaluation.evaluate import evaluate
    from topminer.evaluation.tune import tune
    from topminer.pipeline import ToPMine

    model = ToPMine(3, n_sweeps=5, random_state=0).fit(_TEXTS)
    for window in (None, 10):
        evaluate(model.lda_, model.partition_, window=window, n_sweeps=5, repeats=2)
    tune(model.corpus_, [2, 3], [2.0], n_sweeps=5, repeats=2)


def _rivals() -> None:
    """Run the other methods."""
    from topminer.evaluation.compare import Settings, compare
    from topminer.methods.registry import METHODS

    compare(Corpus.from_texts(_TEXTS), list(METHODS), Settings(3, n_sweeps=5))


JOBS: Mapping[str, Callable[[], None]] = {
    "text": _text,
    **{path: partial(_sampler, n_topics) for path, n_topics in _TOPICS.items()},
    "rivals": _rivals,
    "measures": _measures,
    "results": _results,
}


def run_job(name: str) -> None:
    """Do a job, print the name of each kernel that is compiled, and note that the job is done."""
    with on_compile(lambda kernel: print(kernel, flush=True)):  # the parent process reads it
        JOBS[name]()
    with suppress(OSError):
        marker(name).touch()


def start(jobs: Sequence[str]) -> subprocess.Popen[str]:
    """Start a process that does jobs, one after the other, and prints the names of kernels."""
    script = f"from topminer.warming import run_job\nfor job in {list(jobs)!r}: run_job(job)"
    streams: dict[str, Any] = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.DEVNULL,
        "stdin": subprocess.DEVNULL,
    }
    return subprocess.Popen([sys.executable, "-c", script], text=True, **streams)


class CompilationFailed(Exception):
    """A process that compiles kernels has failed."""


def compile_all(n_processes: int) -> Iterator[int]:
    """Do all jobs that were not done yet, some at a time. Yield how many kernels have been compiled."""
    waiting = [name for name in JOBS if not marker(name).exists()]
    running: dict[subprocess.Popen[str], str] = {}
    n_kernels = 0
    try:
        with selectors.DefaultSelector() as outputs:
            while waiting or running:
                while waiting and len(running) < n_processes:
                    process = start(waiting[:1])
                    running[process] = waiting.pop(0)
                    outputs.register(_output(process), selectors.EVENT_READ, process)
                for key, _ in outputs.select():
                    process = key.data
                    if _output(process).readline():
                        n_kernels += 1
                        yield n_kernels
                        continue
                    outputs.unregister(_output(process))
                    _output(process).close()
                    name = running.pop(process)
                    if process.wait() != 0:
                        raise CompilationFailed(f"compiling the kernels of {name} failed")
    finally:
        for process in running:
            stop(process)


def _output(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout


def stop(process: subprocess.Popen[str]) -> None:
    """End a process, whatever it does."""
    process.terminate()
    process.wait()
    _output(process).close()


@contextmanager
def helper(n_topics: int, n_threads: int | None) -> Iterator[None]:
    """Have another process compile what follows after mining, if it is missing and there is a core for it."""
    from topminer.topics.kernels.block import path_for

    jobs = [path_for(n_topics), "results"]
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    is_useful = CACHE and os.environ.get(HELPER) != "0" and min(n_threads or n_cores, n_cores) > 1
    if not is_useful or all(marker(job).exists() for job in jobs):
        yield
        return
    process = None
    with suppress(OSError):  # too many processes, or too little memory: it is compiled here
        process = start(jobs)
    try:
        yield
    finally:
        if process is not None:
            stop(process)
