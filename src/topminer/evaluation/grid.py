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

from topminer.evaluation.contract import Context
from topminer.evaluation.measures import NPMI_PHRASES, NPMI_WORDS
from topminer.evaluation.perplexity import others
from topminer.methods.topmine import topics_of
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.partition import Partition
from topminer.progress import Progress
from topminer.text.corpus import Corpus
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.held_out import HeldOut, hold_out
from topminer.topics.sampler.chain import Chain

STAGE = "Trying models"
MOST_BURN_IN = 20  # sweeps, that of PhraseLDA; short runs take half of theirs


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
    """The caller stopped while a fit was running."""


def grid_of(
    corpus: Corpus,
    chosen: NDArray[np.int64],
    thresholds: list[float],
    miner: PhraseMiner | None,
    n_sweeps: int,
    progress: Progress,
) -> Grid:
    """Mine the documents that are not held out, and cut all of them at every threshold."""
    rest = others(len(corpus), chosen)
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
    """Fit the jobs side by side, and give the fits in order. Closing this early stops running jobs."""
    stopping, lock, done = threading.Event(), threading.Lock(), [0, 0]

    def report(n_sweeps: int, n_fits: int) -> None:
        with lock:
            done[0] += n_sweeps
            done[1] += n_fits
            note = f"{done[1]:,} of {len(jobs):,} models"
            progress(STAGE, done[0], len(jobs) * grid.n_sweeps, "sweeps", note)

    def after_sweep() -> None:
        if stopping.is_set():
            raise _Stopped
        report(1, 0)

    def run(job: tuple[int, float, int]) -> Fit:
        made = _fit(grid, *job, after_sweep)
        report(0, 1)
        return made

    report(0, 0)
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
    """Fit one model, and measure it."""
    train, test = grid.train[threshold], grid.test[threshold]
    scored: list[float] = []

    def look(chain: Chain) -> None:
        after_sweep()
        if chain.sampler.n_sweeps == grid.n_sweeps:
            scored.append(chain.perplexity_of(test))

    started = time.perf_counter()
    lda = PhraseLDA(
        n_topics,
        n_sweeps=grid.n_sweeps,
        burn_in=min(MOST_BURN_IN, grid.n_sweeps // 2),
        random_state=seed,
        n_threads=grid.n_threads,
    ).fit(train, after_sweep=look)
    seconds = time.perf_counter() - started
    context = Context(grid.corpus)
    topics = topics_of(lda, train, context.n_top)
    words, phrases = NPMI_WORDS(topics, context), NPMI_PHRASES(topics, context)
    return Fit(scored[-1], words.mean, phrases.mean, lda.topic_word_.astype(np.float32), seconds)
