"""TNG, topical n-grams: Wang, McCallum and Wei, ICDM 2007, pages 697-702.

Every token has a topic, and a flag: 1 where its word was drawn after the word before it, 0 where by itself.
A phrase is a run of flags 1 together with the token before it; its topic is that of its last word::

    word    mining  frequent  patterns  large  data  bases
    flag    0       0         1         0      0     1
    topic   2       0         2         1      1     2         frequent patterns: 2, data bases: 2

Topics and flags are drawn from the exact conditional of the model (tng_kernel.py). The paper on ToPMine ran
MALLET's TopicalNGrams, which differs in two ways. It leaves out the factor of the next token's flag, which
depends on the topic that is drawn. And its flags have prior counts of 0.2 for 0 and 1000 for 1, so that
nearly every token joins the one before it; here both are γ. Other priors are as in MALLET, 0.01 for words and
for words after words, and 50 in all for topics, but for one bound (see `TNG`). A phrase never crosses a
chunk's end: the first token of a chunk has flag 0, as that of a document has there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import number, whole
from topminer.memory import require
from topminer.methods.contract import MethodResult, check, ranked_topics
from topminer.methods.rivals import tng_kernel
from topminer.methods.rivals.phrase_counts import PhraseCounts
from topminer.methods.rivals.tng_kernel import Priors, State
from topminer.methods.stopwatch import Stopwatch
from topminer.text.corpus import Corpus
from topminer.topics.model.fitting import MOST_ALPHA
from topminer.topics.sampler.chain import Schedule

LEAST, MOST = 1e-6, 1e6  # of a prior: products of four of them stay far from the ends of float32


@dataclass(frozen=True)
class TNG:
    """Topical n-grams by collapsed Gibbs sampling, phrases ranked by topical frequency.

    Topical frequency is averaged over up to ten samples, ten sweeps apart, the last sweep being one of them.

    Parameters
    ----------
    n_sweeps : int, default 1000
        How often every token is sampled.
    alpha : float or None
        Prior of each topic in documents; None: as LDA's here, 50 / number of topics, at most 0.5. Without
        the bound, a few topics would be as good as fixed to equal shares in short documents.
    beta : float, default 0.01
        Prior of words in topics.
    gamma : float, default 0.1
        Prior of each flag, given the word before and its topic.
    delta : float, default 0.01
        Prior of words after a word in topics.
    """

    n_sweeps: int = 1000
    alpha: float | None = None
    beta: float = 0.01
    gamma: float = 0.1
    delta: float = 0.01

    name: ClassVar[str] = "tng"
    title: ClassVar[str] = "TNG"

    def fit(
        self, corpus: Corpus, n_topics: int, seed: int = 0, *, stopwatch: Stopwatch | None = None
    ) -> MethodResult:
        """Find ``n_topics`` topics; the same seed gives the same ones."""
        check(corpus, n_topics, seed)
        schedule, priors = self._checked(n_topics)
        stopwatch = stopwatch or Stopwatch()
        with stopwatch.stage("preparing"):
            state = _start(corpus, n_topics, priors, seed)
            found = PhraseCounts(corpus.stem_ids, n_topics)
        for sweep in stopwatch.steps("sampling topical n-grams", schedule.n_sweeps, "sweeps"):
            tng_kernel.sweep(state, _key(seed, sweep + 1))
            if schedule.samples(sweep + 1):
                found.add(state.flags == 0, state.topics)
        with stopwatch.stage("ranking"):
            if not found.n_samples:  # the budget ended before the first
                found.add(state.flags == 0, state.topics)
            heaviest = np.argsort(-np.bincount(state.topics, minlength=n_topics), kind="stable")
            ranked = found.ranked(heaviest)
        topics = ranked_topics(corpus, _topic_word(state)[heaviest], ranked)
        return MethodResult(self.name, topics, tuple(stopwatch.stages))

    def _checked(self, n_topics: int) -> tuple[Schedule, Priors]:
        n_sweeps = whole("n_sweeps", self.n_sweeps, 1)
        alpha = min(50 / n_topics, MOST_ALPHA) if self.alpha is None else self.alpha
        given = Priors(alpha, self.beta, self.gamma, self.delta)._asdict()
        priors = Priors(*(number(name, value, LEAST, MOST) for name, value in given.items()))
        return Schedule(n_sweeps, 0, 0), priors


def _start(corpus: Corpus, n_topics: int, priors: Priors, seed: int) -> State:
    """Random topics and flags, ready for the first sweep."""
    text = tng_kernel.read(corpus.stem_ids, corpus.doc_start, corpus.chunk_start, corpus.n_stems)
    needed = tng_kernel.bytes_needed(text, n_topics) + 8 * corpus.n_stems * n_topics
    require("counting words and pairs of words by topic", needed, "take fewer topics or fewer documents")
    state = tng_kernel.start(text, n_topics, priors, seed)
    # A sweep over no document, so that the first real one need not wait for a compiler.
    tng_kernel.sweep(state._replace(text=text._replace(doc_start=text.doc_start[:1])), _key(seed, 0))
    return state


def _key(seed: int, sweep: int) -> np.uint64:
    """The stream of random numbers of a sweep."""
    return np.uint64(np.random.SeedSequence([seed, sweep]).generate_state(1, np.uint64)[0])


def _topic_word(state: State) -> NDArray[np.float64]:
    """Probability of each word, drawn by itself, in each topic: (topics, words)."""
    words, _ = tng_kernel.tables(state)
    smoothed = np.ascontiguousarray(words[:, 0, :].T) + state.beta
    share: NDArray[np.float64] = smoothed / smoothed.sum(axis=1, keepdims=True)
    return share
