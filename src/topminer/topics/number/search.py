"""The search for the number of topics: from many topics to fewer, as long as documents are predicted as well.

1. A chain with T topics, far more than the corpus needs. Its prior is the hierarchical Dirichlet process of
   model/hdp.py: every five sweeps the weights Ψ of the topics, α and γ are drawn, given the topics of all
   phrases. β is fitted, as in any other chain.
2. Again and again: empty topics are dropped, and one topic in twenty is merged with another one
   (merging.py). Twenty sweeps follow, in which all phrases are sampled again.
3. At each number of topics, the perplexity of held-out documents is measured. It falls while duplicates and
   crumbs are merged, and rises as soon as different topics are.

The number with the lowest perplexity is chosen. Before that, each perplexity is replaced by the median of
itself and its two neighbours, since it differs from sweep to sweep. Then crumbs are set aside: topics with
less than a tenth of the mean number of tokens. If more than three quarters of T topics are left, the search
starts again with 2T. For example, a corpus made from 20 topics, T = 80::

    topics       80   60   40   30   25   22   20   19   18   17
    perplexity  545  540  531  519  507  499  495  499  511  528        found: 20

The result is not only a number: an ordinary chain starts from the topics that were found. In its first sweep
the phrases of crumbs get one of the other topics.

Only some of the documents are looked at if there are many (selection.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topminer._parameters import ALPHA_RANGE
from topminer.errors import InputError
from topminer.progress import Progress, silent
from topminer.topics.model import priors
from topminer.topics.model.hdp import TopLevel, sample_top_level
from topminer.topics.number.merging import topics_to_merge
from topminer.topics.number.selection import Selection, Settings
from topminer.topics.results.held_out import HeldOut, hold_out, perplexity
from topminer.topics.sampler.chain import Tried
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.start import Start

STAGE = "Finding the number of topics"
FEWEST_FIRST, MOST_FIRST, MOST = 50, 400, 1600  # topics in the beginning
TOKENS_PER_TOPIC = 1000  # of the documents that are sampled: decides how many topics there are at first
BURN_IN, SWEEPS = 100, 20  # with the first number of topics, and with each other number
PRIOR_INTERVAL = 5  # sweeps
N_SAMPLES, SAMPLE_INTERVAL = 4, 5  # that are averaged to measure perplexity; sweeps from one to the next
GIVEN_UP = 0.05  # of the topics at a time, but one at least
CRUMB = 0.1  # times the mean size of topics: smaller ones are set aside in the end
HOPELESS = 1.06  # times the lowest perplexity: where the search ends
NEARLY_ALL = 0.75  # of the first topics: if more are found, the search starts again with twice as many


class Found(NamedTuple):
    """The number of topics, topics to start with, and all numbers that were tried."""

    n_topics: int
    start: Start
    tried: list[Tried]


def find_number(selection: Selection, settings: Settings, progress: Progress = silent) -> Found:
    """Find the number of topics that predicts held-out documents best, and topics to start with."""
    held_out = hold_out(selection.held_out)
    n_tokens, n_first = selection.sampled.corpus.n_tokens, _first_number(selection)
    if not n_tokens:
        raise InputError("the number of topics cannot be found: the documents have no words that count")
    while True:
        found = _search(selection, held_out, n_first, settings, progress)
        if found.n_topics <= NEARLY_ALL * n_first or 2 * n_first > min(MOST, n_tokens):
            return found
        n_first *= 2


def find_start(selection: Selection, n_topics: int, settings: Settings, progress: Progress = silent) -> Start:
    """Find ``n_topics`` topics to start with: merge those of a chain with more topics."""
    n_first = max(_first_number(selection), min(2 * n_topics, selection.sampled.corpus.n_tokens))
    chain, n_sweeps = MergingChain(selection, max(n_first, n_topics), settings), BURN_IN
    while True:
        chain.run(n_sweeps, progress)
        if chain.n_topics <= n_topics:
            chain.sampler.close()
            return chain.sample().start(selection, n_topics)
        chain.give_up(chain.n_topics - n_topics)
        n_sweeps = SWEEPS


def _first_number(selection: Selection) -> int:
    n_tokens = selection.sampled.corpus.n_tokens
    return min(max(n_tokens // TOKENS_PER_TOPIC, FEWEST_FIRST), MOST_FIRST, n_tokens)


def _search(
    selection: Selection, held_out: HeldOut, n_first: int, settings: Settings, progress: Progress
) -> Found:
    """Go from ``n_first`` topics to fewer, until perplexity is hopeless."""
    chain, n_sweeps = MergingChain(selection, n_first, settings), BURN_IN
    tried: list[Tried] = []
    samples: list[Sample] = []
    while True:
        chain.run(n_sweeps, progress, tried[-1:])
        tried.append(Tried(chain.n_topics, chain.perplexity(held_out)))
        samples.append(chain.sample())
        if chain.n_topics <= 2 or tried[-1].perplexity > HOPELESS * min(each.perplexity for each in tried):
            chain.sampler.close()
            start = samples[chosen([each.perplexity for each in tried])].start(selection)
            return Found(start.word_topic.shape[1], start, tried)
        chain.give_up()
        n_sweeps = SWEEPS


def chosen(perplexities: list[float]) -> int:
    """Return which of some numbers of topics is chosen, the largest number first.

    >>> chosen([545, 519, 499, 492, 495, 499, 530])
    4
    """
    padded = np.pad(perplexities, 1, mode="edge")
    smooth = np.median([padded[:-2], padded[1:-1], padded[2:]], axis=0)
    return int(np.flatnonzero(smooth == smooth.min())[-1])  # of equal ones the smallest number


class Sample(NamedTuple):
    """The topics after a sweep."""

    word_topic: sparse.csc_array  # tokens of words in topics, (words, topics)
    beta: float

    def start(self, selection: Selection, n_topics: int | None = None) -> Start:
        """Return the topics that are no crumbs, or the ``n_topics`` heaviest, to start another chain with."""
        n_k = self.word_topic.sum(axis=0)
        n_kept = int((n_k > CRUMB * n_k[n_k > 0].mean()).sum()) if n_topics is None else n_topics
        order = np.argsort(-n_k, kind="stable")[:n_kept]
        words = selection.type_of[: self.word_topic.shape[0]]
        return Start(words, np.ascontiguousarray(self.word_topic[:, order].toarray()), self.beta)


class MergingChain:
    """A chain with the prior of a hierarchical Dirichlet process, whose topics become fewer."""

    def __init__(self, selection: Selection, n_topics: int, settings: Settings) -> None:
        self._selection, self._settings, self._beta = selection, settings, settings.beta
        self.top = TopLevel.start(n_topics)
        self._n_sweeps = 0
        self.sampler = self._sampler(n_topics)
        self._samples = np.zeros(0, np.int32)  # the sum of the last samples of words in topics

    @property
    def n_topics(self) -> int:
        """Number of topics now, empty ones included."""
        return self.sampler.n_topics

    @property
    def alpha(self) -> NDArray[np.float64]:
        """The prior of topics in documents, as the kernels take it.

        At the lower bound, an empty topic gets one of 260,000 tokens in one of 25 sweeps, and 200 such
        topics together hold a thousandth of the tokens, until they are dropped or merged.
        """
        return np.clip(self.top.prior, *ALPHA_RANGE)

    def run(self, n_sweeps: int, progress: Progress, tried: Sequence[Tried] = ()) -> None:
        """Sample all phrases some times, and keep the last samples. Progress messages show ``tried``."""
        self._samples = np.zeros(1, np.int32)
        note = f"{self.n_topics:,} topics"
        for each in tried:
            note += f", perplexity of {each.n_topics:,} topics: {each.perplexity:,.0f}"
        for left in range(n_sweeps - 1, -1, -1):
            self.sampler.n_sweeps = self._n_sweeps  # random numbers are never used twice
            self.sampler.sweep()
            self._n_sweeps += 1
            if self._n_sweeps % PRIOR_INTERVAL == 0:
                self._draw_priors()
            if left % SAMPLE_INTERVAL == 0 and left < N_SAMPLES * SAMPLE_INTERVAL:
                self._samples = self._samples + self.sampler.word_topic()
            progress(STAGE, self._n_sweeps, None, "sweeps", note)

    def _draw_priors(self) -> None:
        counts = self.sampler.histograms()
        key = np.array([self._settings.seed, self._n_sweeps], np.uint64)
        rng = np.random.Generator(np.random.Philox(key=key))
        self.top = sample_top_level(self.top, counts, rng)
        if self._settings.fits_beta and self._n_sweeps >= 2 * PRIOR_INTERVAL:
            _, self._beta = priors.optimize(counts, self.alpha, self._beta)
        self.sampler.alpha, self.sampler.beta = self.alpha, self._beta

    def give_up(self, most: int | None = None) -> None:
        """Drop empty topics, and merge some others; give up ``most`` topics in all."""
        sampler, most = self.sampler, self.n_topics - 1 if most is None else most
        is_used = sampler.n_k > 0
        is_used[np.flatnonzero(~is_used)[most:]] = True
        used = np.flatnonzero(is_used)
        words = sparse.csc_array(sampler.word_topic()[:, used], dtype=np.float64)
        document, topic, tokens = sampler.here.doc_topics()
        number_of = np.searchsorted(used, np.arange(self.n_topics))
        shape = len(self._selection.sampled), used.size
        documents = sparse.csc_array((tokens.astype(np.float64), (document, number_of[topic])), shape)
        n = min(max(1, round(GIVEN_UP * used.size)), most - (self.n_topics - used.size))
        becomes = topics_to_merge(words, documents, sampler.alpha[used], self._beta, n)
        kept, number = np.unique(becomes, return_inverse=True)
        weight = np.bincount(number, self.top.weight[used], kept.size)
        self.top = self.top._replace(weight=weight / weight.sum())
        clique_topic = number[number_of[sampler.here.clique_topics()]]
        self.sampler = self._sampler(kept.size)
        self.sampler.assign(clique_topic)

    def _sampler(self, n_topics: int) -> Sampler:
        settings = self._settings
        if self._n_sweeps:
            self.sampler.close()
        return Sampler.of(
            self._selection.sampled,
            n_topics,
            self.alpha,
            self._beta,
            seed=settings.seed,
            n_threads=settings.n_threads,
        )

    def perplexity(self, held_out: HeldOut) -> float:
        """Return the perplexity of held-out documents, by the mean of the last samples."""
        return perplexity(
            held_out,
            self._samples,
            self._samples.sum(axis=0, dtype=np.int64),
            self.alpha,
            N_SAMPLES * self._beta,
            seed=self._settings.seed,
            n_threads=self._settings.n_threads,
        )

    def sample(self) -> Sample:
        """Return the topics as they are now."""
        return Sample(sparse.csc_array(self.sampler.word_topic()), self._beta)
