"""LDA, the method that the others start from or are measured by: PhraseLDA on single words."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

from topminer.methods.contract import MethodResult, check, ranked_topics
from topminer.methods.stopwatch import FEW, Stage, Stopwatch
from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus
from topminer.topics.model.fitting import sampler_of, start_chain
from topminer.topics.model.phraselda import PhraseLDA, take_over
from topminer.topics.model.topics import Topics
from topminer.topics.sampler.chain import Chain


class _OverBudget(Exception):
    """The sweeps so far show that all of them would take longer than the budget allows."""


def sampled(
    partition: Partition,
    n_topics: int,
    seed: int,
    n_sweeps: int,
    stopwatch: Stopwatch,
    n_threads: int | None = None,
) -> PhraseLDA:
    """Find the topics of a partition, with fixed priors.

    If all sweeps would take longer than the budget allows, the topics are those after a few sweeps. What is
    done before the first sweep is a stage of its own: it is not multiplied when the time of the sweeps is
    extrapolated.
    """
    before, n_done, spent = stopwatch.seconds, 0, 0.0
    start = began = stopwatch.clock()

    def progress(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        nonlocal began
        if done == 0:
            began = stopwatch.clock()
        stopwatch.progress(stage, done, total, unit, note)

    def look(chain: Chain) -> None:
        nonlocal n_done, spent
        n_done, spent = chain.sampler.n_sweeps, stopwatch.clock() - began
        if n_done < n_sweeps and stopwatch.too_long(before, spent, n_done / n_sweeps, n_done >= FEW):
            raise _OverBudget

    model = PhraseLDA(
        n_topics, n_sweeps=n_sweeps, optimize_interval=0, random_state=seed, n_threads=n_threads
    )
    chain = start_chain(model, sampler_of(model, partition, seed))
    try:
        with suppress(_OverBudget):
            chain.run(progress, look)
        if not chain.sampler.n_samples:  # the budget ended before the first one
            chain.sampler.take_sample()
    finally:
        chain.sampler.close()
    take_over(model, Topics.of_chain(chain))
    elapsed = stopwatch.clock() - start
    stopwatch.stages += [
        Stage("preparing", elapsed - spent),
        Stage("sampling topics", spent, n_done / n_sweeps),
    ]
    return model


def sampled_words(
    corpus: Corpus,
    n_topics: int,
    seed: int,
    n_sweeps: int,
    stopwatch: Stopwatch,
    n_threads: int | None = None,
) -> PhraseLDA:
    """Find topics of single words: ``clique_topic_`` has one for each kept token.

    LDA, KERT and Turbo Topics start with this, so a comparison samples the words once for all of them.
    """

    def work() -> PhraseLDA:
        return sampled(Partition.of_words(corpus), n_topics, seed, n_sweeps, stopwatch, n_threads)

    model: PhraseLDA = stopwatch.once((id(corpus), n_topics, seed, n_sweeps), work)
    return model


@dataclass(frozen=True)
class LDA:
    """Latent Dirichlet allocation (Blei, Ng, Jordan 2003) by collapsed Gibbs sampling.

    Its phrases are single words.
    """

    n_sweeps: int = 1000
    n_threads: int | None = None

    name: ClassVar[str] = "lda"
    title: ClassVar[str] = "LDA"

    def fit(
        self, corpus: Corpus, n_topics: int, seed: int = 0, *, stopwatch: Stopwatch | None = None
    ) -> MethodResult:
        """Find ``n_topics`` topics; the same seed gives the same ones."""
        check(corpus, n_topics, seed)
        stopwatch = stopwatch or Stopwatch()
        lda = sampled_words(corpus, n_topics, seed, self.n_sweeps, stopwatch, self.n_threads)
        topics = ranked_topics(corpus, lda.topic_word_, [()] * n_topics)
        alone = tuple(replace(topic, phrases=topic.words) for topic in topics)
        return MethodResult(
            self.name, alone, tuple(stopwatch.stages), notes=("Its phrases are single words.",)
        )
