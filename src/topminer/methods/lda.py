"""LDA, the method that the others start from or are measured by: PhraseLDA on single words."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

from topminer.methods.contract import Found, check, found_topics
from topminer.methods.stopwatch import FEW, Stage, Watch
from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.sampler.chain import Chain


class _Enough(Exception):
    """So many sweeps show that all would take too long."""


def sampled(
    partition: Partition, n_topics: int, seed: int, n_sweeps: int, watch: Watch, n_threads: int | None = None
) -> PhraseLDA:
    """Topics of a partition, with priors that stay as they are; fewer sweeps, where all would take too long.

    What has to be done before the first sweep is a stage of its own: it is not multiplied when the time of
    the sweeps is extrapolated.
    """
    before, n_done, spent = watch.seconds, 0, 0.0
    start = began = watch.clock()

    def progress(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        nonlocal began
        if done == 0:
            began = watch.clock()
        watch.progress(stage, done, total, unit, note)

    def look(chain: Chain) -> None:
        nonlocal n_done, spent
        n_done, spent = chain.sampler.n_sweeps, watch.clock() - began
        if n_done < n_sweeps and watch.too_long(before, spent, n_done / n_sweeps, n_done >= FEW):
            raise _Enough

    model = PhraseLDA(
        n_topics, n_sweeps=n_sweeps, optimize_interval=0, random_state=seed, n_threads=n_threads
    )
    with suppress(_Enough):
        model.fit(partition, progress=progress, after_sweep=look)
    elapsed = watch.clock() - start
    watch.stages += [Stage("preparing", elapsed - spent), Stage("sampling topics", spent, n_done / n_sweeps)]
    return model if n_done == n_sweeps else model.set_params(n_sweeps=n_done).fit(partition)


def sampled_words(
    corpus: Corpus, n_topics: int, seed: int, n_sweeps: int, watch: Watch, n_threads: int | None = None
) -> PhraseLDA:
    """Topics of single words: ``clique_topic_`` has one for each kept token."""
    return sampled(Partition.of_words(corpus), n_topics, seed, n_sweeps, watch, n_threads)


@dataclass(frozen=True)
class LDA:
    """Latent Dirichlet allocation (Blei, Ng, Jordan 2003) by collapsed Gibbs sampling.

    Its phrases are single words.
    """

    n_sweeps: int = 1000
    n_threads: int | None = None

    name: ClassVar[str] = "lda"

    def fit(self, corpus: Corpus, n_topics: int, seed: int = 0, *, watch: Watch | None = None) -> Found:
        """Find ``n_topics`` topics; the same seed gives the same ones."""
        check(corpus, n_topics, seed)
        watch = watch or Watch()
        lda = sampled_words(corpus, n_topics, seed, self.n_sweeps, watch, self.n_threads)
        topics = found_topics(corpus, lda.topic_word_, [()] * n_topics)
        alone = tuple(replace(topic, phrases=topic.words) for topic in topics)
        return Found(self.name, alone, tuple(watch.stages), notes=("Its phrases are single words.",))
