"""A hierarchical Dirichlet process: how much each of T topics is used, and so how many are used at all.

The model that is sampled is finite. All T topics are explicit; for large T it becomes the infinite process::

    Ψ ~ Dirichlet(γ/T, …, γ/T)          weights of the topics in the whole corpus
    θ_d ~ Dirichlet(αΨ)                 weights of the topics in document d
    α ~ Gamma(1, 0.1), γ ~ Gamma(1, 0.1)

Given Ψ this is PhraseLDA with the prior α_k = αΨ_k, which the kernels take. Here Ψ, α and γ are drawn, given
the topics of all phrases. Three steps with auxiliary variables do that exactly:

(a) Tables. In the Chinese restaurant process, token j of a topic in a document opens a new table with
    probability αΨ_k / (αΨ_k + j - 1). l_k counts the tables of topic k in all documents::

        l_k = Σ_j Binomial(number of documents with N_dk ≥ j, αΨ_k / (αΨ_k + j - 1))

(b) Ψ, given the tables, is Dirichlet(l_1 + γ/T, …, l_T + γ/T).

(c) α and γ, given the tables, are Gamma, after one Beta and one Bernoulli variable for each document, and for
    γ after tables of tables (Escobar and West 1995, Teh and others 2006).

PhraseLDA's likelihood also has a normaliser, because all words of a phrase have one topic. It depends on αΨ
and is left out, as in Minka's step (priors.py): what is sampled here is the unnormalised joint.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.topics.model.histograms import Counts, Histograms

SHAPE, RATE = 1.0, 0.1  # of the priors of α and γ
# With a weight of 0, the first table of a topic with tokens would have the probability 0 / 0.
LEAST_WEIGHT = 1e-30


class TopLevel(NamedTuple):
    """The variables above the documents."""

    weight: NDArray[np.float64]  # Ψ, one per topic
    alpha: float
    gamma: float

    @classmethod
    def start(cls, n_topics: int) -> TopLevel:
        """Return equal weights, and α = γ = 1."""
        return cls(np.full(n_topics, 1 / n_topics), 1.0, 1.0)

    @property
    def prior(self) -> NDArray[np.float64]:
        """The prior α_k = αΨ_k of topics in documents."""
        return self.alpha * self.weight


def sample_top_level(top: TopLevel, counts: Histograms, rng: np.random.Generator) -> TopLevel:
    """Draw α, γ and Ψ, given the topics of all phrases."""
    n_topics = top.weight.size
    tables = count_tables(counts.topic, counts.doc_topic, top.prior, rng)
    alpha = _concentration(top.alpha, int(tables.sum()), counts.doc_length, rng)
    used = np.flatnonzero(tables).astype(np.int32)
    upper = count_tables(used, Counts(tables[used], np.ones_like(used)), _each(top.gamma, n_topics), rng)
    total = Counts(tables.sum(keepdims=True), np.ones(1, np.int64))
    gamma = _concentration(top.gamma, int(upper.sum()), total, rng)
    weight = np.maximum(rng.standard_gamma(tables + gamma / n_topics), LEAST_WEIGHT)
    return TopLevel(np.maximum(weight / weight.sum(), LEAST_WEIGHT), alpha, gamma)


def count_tables(
    topic: NDArray[np.int32], counts: Counts, prior: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the tables of each topic, given how often it has each count, as in :class:`Histograms`."""
    n_tables = np.zeros(prior.size, np.int64)
    if not topic.size:
        return n_tables
    is_first = np.append(True, topic[1:] != topic[:-1])
    length = np.diff(counts.n, prepend=0)  # j from one count to the next, with equally many documents
    length[is_first] = counts.n[is_first]
    of = np.repeat(np.arange(topic.size), length)
    j = counts.n[of] - (np.cumsum(length)[of] - np.arange(of.size)) + 1
    n_documents = _reached(is_first, counts.times)[of]
    x = prior[topic[of]]
    np.add.at(n_tables, topic[of], rng.binomial(n_documents, x / (x + (j - 1))))
    return n_tables


def _reached(is_first: NDArray[np.bool_], times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of ``times`` from each entry to the last entry of its topic."""
    starts = np.flatnonzero(is_first)
    totals = np.add.reduceat(times, starts)
    before = np.cumsum(times) - times
    topic_of = np.cumsum(is_first) - 1
    reached: NDArray[np.int64] = (before[starts] + totals)[topic_of] - before
    return reached


def _concentration(x: float, n_tables: int, lengths: Counts, rng: np.random.Generator) -> float:
    """Draw a concentration with prior Gamma(SHAPE, RATE), given the tables of restaurants of some lengths."""
    if not lengths.n.size or not lengths.n[-1]:
        return float(rng.gamma(SHAPE) / RATE)
    spread = np.repeat(lengths.n, lengths.times)
    rate = RATE - np.log(rng.beta(x + 1, spread)).sum()
    closed = rng.binomial(lengths.times, lengths.n / (lengths.n + x)).sum()
    return float(rng.gamma(SHAPE + n_tables - closed) / rate)


def _each(total: float, n: int) -> NDArray[np.float64]:
    return np.full(n, total / n)
