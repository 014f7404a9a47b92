"""PD-LDA, phrase-discovering LDA (Lindsey, Headden, Stipicevic, EMNLP 2012): topics and phrases in one model.

A document is a row of phrases. At each token a coin decides whether a phrase starts, and a phrase has one
topic, drawn from the document's mixture. A word is drawn given the topic and the words of the phrase before
it, from hierarchical Pitman–Yor processes (pitman_yor.py) that fall back on fewer words, on the topic alone,
on all topics, and at last on 1/V::

    θ_d ~ Dirichlet(α)
    c_i ~ Bernoulli(π),  π ~ Beta of each topic and word before      1: a phrase starts
    z_i = z_{i-1}, where a phrase starts ~ θ_d
    w_i ~ G_u,  u = ⟨z_i, w_{i-1}, ..., first of the phrase⟩,  G_u ~ PY(a_|u|, b_|u|, G of u less its end)

Phrases, topics and tables are sampled (pdlda_sampler.py), and so are the priors (pdlda_priors.py). The
phrases of the last sweep are the result, ranked by topical frequency.

The authors bound the context of a word; here the phrase is bounded, so that its words always see all of it. A
coin belongs to the topic and the word before it, as in topical n-grams (tng.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import ALPHA_RANGE, number, whole
from topminer.memory import require
from topminer.methods.contract import MethodResult, check, ranked_topics
from topminer.methods.rivals.pdlda_priors import resample_alpha, resample_coins, resample_restaurants
from topminer.methods.rivals.pdlda_sampler import ALPHA, CONTINUE, START, Chain, seat_all, sweep
from topminer.methods.rivals.phrase_counts import PhraseCounts
from topminer.methods.rivals.pitman_yor import (
    ALL,
    ALL_TABLES,
    CUSTOMERS,
    N_FIELDS,
    TABLES,
    Restaurants,
    grown,
    n_bytes,
    open_restaurants,
)
from topminer.methods.stopwatch import Stopwatch
from topminer.text.corpus import Corpus

LONGEST = 12  # words: the product of the chances of more could vanish
FIRST_DISCOUNT, FIRST_STRENGTH, FIRST_PRIOR = 0.5, 1.0, 1.0


@dataclass(frozen=True)
class PDLDA:
    """Phrase-discovering LDA.

    Parameters
    ----------
    n_sweeps : int, default 1000
    max_length : int, default 5
        Words of a phrase, at most.
    alpha : float, optional
        The prior of each topic in a document; None: learned, like all other priors.
    resample_interval : int, default 1
        Sweeps between two draws of the priors; 0: they stay at 1, discounts at 0.5.
    """

    n_sweeps: int = 1000
    max_length: int = 5
    alpha: float | None = None
    resample_interval: int = 1

    name: ClassVar[str] = "pdlda"
    title: ClassVar[str] = "PD-LDA"

    def fit(
        self, corpus: Corpus, n_topics: int, seed: int = 0, *, stopwatch: Stopwatch | None = None
    ) -> MethodResult:
        """Find ``n_topics`` topics; the same seed gives the same ones."""
        check(corpus, n_topics, seed)
        whole("n_sweeps", self.n_sweeps, 1)
        whole("max_length", self.max_length, 1, LONGEST)
        whole("resample_interval", self.resample_interval, 0)
        if self.alpha is not None:
            number("alpha", self.alpha, *ALPHA_RANGE)
        needed = n_bytes(n_topics, corpus.n_stems, corpus.n_tokens) + 8 * n_topics * corpus.n_stems
        require("PD-LDA", needed, "take fewer topics, or a smaller corpus")
        stopwatch = stopwatch or Stopwatch()
        generator = np.random.default_rng(seed)
        chain = chain_of(corpus, n_topics, self.max_length, generator)
        if self.alpha is not None:
            chain.priors[ALPHA] = self.alpha
        first = int(generator.integers(2**63)), FIRST_DISCOUNT, FIRST_STRENGTH
        state = open_restaurants(n_topics, corpus.n_stems, self.max_length, *first)
        with stopwatch.stage("preparing"):
            state = seated(state, chain)
            sweep(state, chain, len(corpus), corpus.n_tokens)  # of nothing: compiled, it may be timed

        def note() -> str:
            return f"{int(chain.starts.sum()):,} phrases"

        for done in stopwatch.steps("sampling phrases", self.n_sweeps, "sweeps", note=note):
            state = swept(state, chain)
            if self.resample_interval and (done + 1) % self.resample_interval == 0:
                resample_restaurants(state, generator)
                resample_coins(state, chain, generator)
                if self.alpha is None:
                    resample_alpha(chain, generator)
        found = PhraseCounts(corpus.stem_ids, n_topics)
        found.add(chain.starts == 1, chain.topics)
        topics = ranked_topics(corpus, topic_word(state), found.ranked(np.arange(n_topics)))
        return MethodResult(self.name, topics, tuple(stopwatch.stages), notes=(_told(state, chain),))


def chain_of(corpus: Corpus, n_topics: int, max_length: int, generator: np.random.Generator) -> Chain:
    """Every token a phrase, with any topic."""
    n = corpus.n_tokens
    first = np.zeros(n, np.uint8)
    first[corpus.chunk_start[:-1]] = 1
    return Chain(
        np.array(corpus.stem_ids),
        np.array(corpus.doc_start),
        first,
        np.ones(n, np.uint8),
        generator.integers(n_topics, size=n, dtype=np.int32),
        np.full(3, FIRST_PRIOR),
        np.zeros(n_topics, np.int64),
        np.zeros(n_topics + 1),
        np.zeros((2, max_length, max_length + 1), np.int32),
        max_length,
    )


def seated(state: Restaurants, chain: Chain) -> Restaurants:
    """Restaurants with all tokens seated, phrases and topics as they are."""
    token = 0
    while (token := seat_all(state, chain, token)) < chain.stems.size:
        state = _with_room(state)
    return state


def swept(state: Restaurants, chain: Chain) -> Restaurants:
    """Restaurants after a sweep, which changes ``chain``; they may have grown."""
    doc, token = 0, 0
    while (token := sweep(state, chain, doc, token)) < chain.stems.size:
        state = _with_room(state)
        doc = int(np.searchsorted(chain.doc_start, token, "right")) - 1
    return state


def _with_room(state: Restaurants) -> Restaurants:
    n = len(state.rows) * N_FIELDS + state.nodes.size + state.sizes.size
    require("PD-LDA with so many phrases", 2 * state.rows.itemsize * n, "lower max_length")
    return grown(state)


def topic_word(state: Restaurants) -> NDArray[np.float64]:
    """Probability of each word as the first of a phrase, in each topic: (topics, words)."""
    n_dense = state.n_words * (state.n_topics + 1)
    rows = state.rows[:n_dense].reshape(state.n_words, state.n_topics + 1, N_FIELDS)
    p = np.full((1, state.n_words), 1 / state.n_words)
    for depth, nodes in enumerate((slice(0, 1), slice(1, state.n_topics + 1))):
        a, b = state.discount[depth], state.strength[depth]
        restaurants = state.nodes[nodes]
        fresh = (b + a * restaurants[:, ALL_TABLES, None]) * p
        seated = (rows[:, nodes, CUSTOMERS] - a * rows[:, nodes, TABLES]).T
        p = (seated + fresh) / (b + restaurants[:, ALL, None])
    return p


def _told(state: Restaurants, chain: Chain) -> str:
    """The priors, for a reader."""
    discounts = ", ".join(f"{a:.2f}" for a in state.discount)
    strengths = ", ".join(f"{b:.3g}" for b in state.strength)
    alpha, continues, starts = chain.priors[[ALPHA, CONTINUE, START]]
    return (
        f"alpha {alpha:.3g}; coins {continues:.3g} (continue), {starts:.3g} (start); "
        f"discounts {discounts}; strengths {strengths}"
    )
