"""The fits of a grid: documents held out, partitions at every threshold, and models side by side on threads.

Partitions at higher thresholds refine that at the lowest, so where a held-out document may be cut at the
lowest it may be cut at all of them, and every model scores the same words::

    threshold 2    support vector machine | kernel methods | for text          cut before "for"
    threshold 4    support vector machine | kernel | methods | for | text      cut there too

Phrases are judged once, at the lowest threshold, and what is rejected there is split at all of them.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.evaluation.coherence import npmi
from topminer.methods.contract import Stems
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.partition import Partition
from topminer.progress import Progress
from topminer.text.corpus import Corpus
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.held_out import HeldOut, hold_out, perplexity
from topminer.topics.results.ranking import by_frequency, of_length, top_words
from topminer.topics.sampler.chain import Chain

STAGE = "Trying models"
N_TOP = 10  # words, and phrases, that coherence looks at
MOST_BURN_IN = 100  # sweeps, that of PhraseLDA; short runs take half of theirs


class Grid(NamedTuple):
    """What all fits share."""

    corpus: Corpus
    train: dict[float, Partition]  # by threshold
    test: dict[float, HeldOut]
    n_sweeps: int
    n_threads: int  # of one fit


class Fit(NamedTuple):
    """What one fit gave."""

    perplexity: float
    coherence: float | None
    phrase_coherence: float | None
    topic_word: NDArray[np.float32]
    seconds: float


class _Stopped(Exception):
    """Somebody asked to stop while a fit ran."""


def held_out_documents(n_documents: int, share: float, seed: int) -> NDArray[np.int64]:
    """The documents to hold out: of every so many one, drawn at random, since documents may come in turns."""
    size = round(1 / share)
    if n_documents < size:
        raise InputError(f"{n_documents:,} documents are too few to hold one in {size} out")
    starts = np.arange(0, n_documents - size + 1, size)
    return starts + np.random.default_rng(seed).integers(size, size=starts.size)


def grid_of(
    corpus: Corpus,
    chosen: NDArray[np.int64],
    thresholds: list[float],
    miner: PhraseMiner | None,
    n_sweeps: int,
    progress: Progress,
) -> Grid:
    """Mine the documents that are not held out, and cut all of them at every threshold."""
    rest = np.setdiff1d(np.arange(len(corpus)), chosen)
    lowest = (PhraseMiner() if miner is None else miner).get_params() | {"significance": thresholds[0]}
    mined = PhraseMiner(**lowest)
    train = mined.fit_transform(corpus[rest], progress=progress)
    test = mined.transform(corpus[chosen], progress=progress)
    cut = {limit: train.at(limit) for limit in thresholds}
    for partition in cut.values():
        partition.instances()  # finds the types now, and not in every thread
    judged = {limit: hold_out(test.at(limit), like=test) for limit in thresholds}
    return Grid(corpus, cut, judged, n_sweeps, 1)


def fits(
    grid: Grid, jobs: Sequence[tuple[int, float, int]], at_once: int, progress: Progress
) -> Generator[Fit, None, None]:
    """What each job gives, in order. Whatever ends this early ends the jobs that run, after a sweep."""
    stopping, lock, done = threading.Event(), threading.Lock(), [0, 0]

    def told(n_sweeps: int, n_fits: int) -> None:
        with lock:
            done[0] += n_sweeps
            done[1] += n_fits
            note = f"{done[1]:,} of {len(jobs):,} models"
            progress(STAGE, done[0], len(jobs) * grid.n_sweeps, "sweeps", note)

    def after_sweep() -> None:
        if stopping.is_set():
            raise _Stopped
        told(1, 0)

    def run(job: tuple[int, float, int]) -> Fit:
        made = _fit(grid, *job, after_sweep)
        told(0, 1)
        return made

    told(0, 0)
    with ThreadPoolExecutor(at_once, thread_name_prefix="topminer") as pool:
        futures: deque[Future[Fit]] = deque()
        try:
            futures.extend(pool.submit(run, job) for job in jobs)
            while futures:
                yield futures.popleft().result()
        finally:
            stopping.set()
            for future in futures:
                future.cancel()


def _fit(grid: Grid, n_topics: int, threshold: float, seed: int, after_sweep: Callable[[], None]) -> Fit:
    """One model, and what it is worth."""
    train, test = grid.train[threshold], grid.test[threshold]
    scored: list[float] = []

    def look(chain: Chain) -> None:
        after_sweep()
        sampler = chain.sampler
        if sampler.n_sweeps == grid.n_sweeps:
            counts = sampler.word_topic(), sampler.n_k, sampler.alpha, sampler.beta
            scored.append(perplexity(test, *counts, seed=seed, n_threads=grid.n_threads))

    started = time.perf_counter()
    lda = PhraseLDA(
        n_topics,
        n_sweeps=grid.n_sweeps,
        burn_in=min(MOST_BURN_IN, grid.n_sweeps // 2),
        random_state=seed,
        n_threads=grid.n_threads,
    ).fit(train, after_sweep=look)
    seconds = time.perf_counter() - started
    topic_word = lda.topic_word_
    words = [[(int(i),) for i in top_words(topic_word[k], N_TOP)] for k in range(n_topics)]
    coherence = npmi(words, grid.corpus, n=N_TOP)
    phrases = [topic for topic in _top_phrases(lda, train) if topic]
    of_phrases = npmi(phrases, grid.corpus, n=N_TOP, window=None)
    return Fit(scored[-1], coherence.mean, of_phrases.mean, topic_word.astype(np.float32), seconds)


def _top_phrases(lda: PhraseLDA, partition: Partition) -> list[list[Stems]]:
    """The most frequent phrases of each topic, of two words or more."""
    frequency, start, stems = lda.frequency_, partition.type_start, partition.type_stems
    totals, long = frequency.totals(partition.n_types), of_length(partition.type_start)
    topics = []
    for k in range(lda.n_topics):
        types = frequency.types[by_frequency(frequency, k, N_TOP, eligible=long, totals=totals)].tolist()
        topics.append([tuple(stems[start[i] : start[i + 1]].tolist()) for i in types])
    return topics
