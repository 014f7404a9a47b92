"""How many topics, and which threshold: a grid of models, each judged by what can be measured.

The corpus is mined once, for the lowest threshold; the partition at another one is cut from the same record
of merges. Of every ten documents one is held out. Each point of the grid is fitted with several seeds, and
has

- *perplexity* of the held-out documents' second halves, given the first. They are cut where the lowest
  threshold allows. Higher thresholds have its boundaries too, so all models score the same words;
- *coherence*: NPMI of the ten most likely words of each topic over documents, and of its ten most frequent
  phrases, as `evaluate` and `compare` measure it;
- *stability*: how similar the topics are that different seeds find.

The fits are independent, so they run side by side, each on one thread. :mod:`.recommend` then says which
point to take::

    topics   threshold   perplexity   coherence   stability
        10           4          812        0.09        0.86
        20           4          768        0.12        0.81     recommended
        40           4          763        0.11        0.62
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from topminer._parameters import MOST_SEEDS, MOST_TOPICS, number, whole
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.evaluation.contract import mean
from topminer.evaluation.grid import Fit, fits, grid_of
from topminer.evaluation.perplexity import SHARE, held_out_documents
from topminer.evaluation.recommend import Point, recommend
from topminer.evaluation.stability import stability
from topminer.memory import available_bytes
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.partition import Partition
from topminer.phrases.scores import check_threshold
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus
from topminer.topics.model.fitting import check_parameters
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.sampler.estimate import check_memory, estimate

NUMBERS = (2, 5, 10, 20, 40, 80, 160)  # of topics
TOKENS_OF_A_TOPIC = 2000  # on average, or there is too little to learn a topic from
THRESHOLDS = (2.0, 4.0, 8.0)
MANY_TOKENS = 1_000_000  # from which on phrases reach the highest of them
N_SWEEPS, N_REPEATS = 200, 3


@dataclass(frozen=True)
class Tuning:
    """The grid, and what is recommended of it."""

    points: tuple[Point, ...]  # by number of topics, then threshold
    recommended: Point | None
    why: list[str]  # in sentences


def default_topics(n_tokens: int) -> list[int]:
    """Numbers of topics to try in a corpus of so many kept tokens.

    Of 2, 5, 10, 20, 40, 80 and 160 those that leave each topic 2,000 tokens on average, but always the first
    three; from 100,000 tokens on nobody asks for two topics.

    >>> default_topics(500), default_topics(45_000), default_topics(260_000)
    ([2, 5, 10], [2, 5, 10, 20], [5, 10, 20, 40, 80])
    """
    least = 5 if n_tokens >= 100_000 else 2
    return [k for k in NUMBERS if k >= least and (k <= 10 or k * TOKENS_OF_A_TOPIC <= n_tokens)]


def default_thresholds(n_tokens: int) -> list[float]:
    """Thresholds to try in a corpus of so many kept tokens: 2 and 4, and from a million on 8 too.

    A threshold asks for more occurrences than its square (see phrases/scores.py).
    """
    return [each for each in THRESHOLDS if each < THRESHOLDS[-1] or n_tokens >= MANY_TOKENS]


def tune(
    corpus: Corpus,
    n_topics: Sequence[int] | None = None,
    thresholds: Sequence[float] | None = None,
    *,
    miner: PhraseMiner | None = None,
    n_sweeps: int = N_SWEEPS,
    repeats: int = N_REPEATS,
    seed: int = 0,
    held_out: float = SHARE,
    n_threads: int | None = None,
    progress: Progress = silent,
) -> Tuning:
    """Try numbers of topics and thresholds; left out, those of `default_topics` and `default_thresholds`.

    An infinite threshold keeps every word alone: LDA. The ``miner`` says what else is asked of phrases; its
    threshold is not used. Fewer sweeps than for a final model will do to compare. Each point is fitted
    ``repeats`` times, with different seeds; stability needs two. The first of the seeds also decides which
    documents are held out. The result does not depend on the number of threads.
    """
    tried = default_topics(corpus.n_tokens) if n_topics is None else n_topics
    numbers = sorted({whole("n_topics", each, 1, MOST_TOPICS) for each in tried})
    given = default_thresholds(corpus.n_tokens) if thresholds is None else thresholds
    limits = sorted({check_threshold(each) for each in given})
    if not numbers or not limits:
        raise InputError("expected at least one number of topics and one threshold")
    whole("repeats", repeats, 1, MOST_SEEDS)
    number("held_out", held_out, 1e-6, 0.5)
    for each in numbers:
        check_parameters(PhraseLDA(each, n_sweeps=n_sweeps, random_state=seed))
    threads = n_threads_or_all(n_threads)
    chosen = held_out_documents(len(corpus), seed, held_out)
    grid = grid_of(corpus, chosen, limits, miner, n_sweeps, progress)
    n_tokens = grid.train[limits[0]].corpus.n_tokens
    if numbers[-1] > n_tokens:
        raise InputError(f"{numbers[-1]:,} topics are more than the {n_tokens:,} kept tokens to learn from")
    # The slowest first, so that no thread is left alone with one at the end.
    jobs = [(k, limit, seed + i) for k in reversed(numbers) for limit in limits for i in range(repeats)]
    at_once = min(threads, len(jobs), _room_for(grid.train[limits[0]], numbers[-1], n_sweeps))
    grid = grid._replace(n_threads=max(threads // len(jobs), 1))
    points = []
    with closing(fits(grid, jobs, at_once, progress)) as made:
        for (k, limit), of_point in groupby(zip(jobs, made, strict=True), lambda each: each[0][:2]):
            points.append(_point(k, limit, [fit for _, fit in of_point], grid.train[limit]))
    points.sort(key=lambda point: (point.n_topics, point.threshold))
    recommended, why = recommend(points)
    return Tuning(tuple(points), recommended, why)


def _room_for(partition: Partition, n_topics: int, n_sweeps: int) -> int:
    """How many fits have room in memory side by side."""
    free, needed = available_bytes(), estimate(partition, n_topics, n_sweeps)
    check_memory(needed.n_bytes, free)
    table = 4 * n_topics * partition.corpus.n_stems
    return len(partition) if free is None else max(1, int(free // (needed.n_bytes + 4 * table)))


def _point(n_topics: int, threshold: float, made: list[Fit], partition: Partition) -> Point:
    """The means over the seeds."""
    values = [fit.perplexity for fit in made]
    spread = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
    agreed = stability([fit.topic_word for fit in made]).mean if len(made) > 1 else None
    n_phrases = int(np.count_nonzero(partition.instances()[partition.corpus.n_stems :]))
    return Point(
        n_topics=n_topics,
        threshold=threshold,
        perplexity=math.fsum(values) / len(values),
        perplexity_error=spread,
        coherence=mean(fit.coherence for fit in made),
        phrase_coherence=mean(fit.phrase_coherence for fit in made),
        stability=agreed,
        n_phrases=n_phrases,
        seconds=math.fsum(fit.seconds for fit in made),
    )
