"""The priors of PD-LDA, drawn from their posteriors by slice sampling, as its authors do.

Restaurants of one depth share a discount a and a strength b. With C customers at T tables, n of them at each,
the seating of a restaurant has probability::

    (b + a)(b + 2a) ... (b + (T - 1) a) / ((b + 1)(b + 2) ... (b + C - 1))
        * product over tables of (1 - a)(2 - a) ... (n - 1 - a)

so that two customers at one table say (1 - a) / (b + 1). The prior of a discount is uniform; strengths, the
alpha of documents and the two weights of coins have the prior Gamma(1, 1). One value is drawn at a time, on
the scale of logarithms, a discount on that of logits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import bare_kernel
from topminer.methods.rivals.pdlda_sampler import ALPHA, CONTINUE, START, Chain
from topminer.methods.rivals.pitman_yor import (
    ALL,
    ALL_TABLES,
    CONTINUED,
    CUSTOMERS,
    DEPTH,
    NODE,
    SIZES,
    STARTED,
    TABLES,
    Restaurants,
)

Values = tuple[NDArray[np.int64], NDArray[np.int64]]  # different values, and how often each occurs

WIDTH = 1.0  # of the first interval, on the scale of logarithms
FARTHEST = 30.0  # from 1: beyond, numbers lose their meaning


class Seating(NamedTuple):
    """What the posterior of the discount and the strength of a depth needs to know."""

    customers: Values  # of restaurants
    tables: Values  # of restaurants
    sizes: Values  # of tables


def slice_drawn(
    log_density: Callable[[float], float], x: float, generator: np.random.Generator, width: float = WIDTH
) -> float:
    """Draw from a density, given a draw ``x``: stepping out and shrinkage (Neal 2003, figures 3 and 5)."""
    height = log_density(x) - generator.exponential()
    low = x - width * generator.random()
    high = low + width
    while low > -FARTHEST and log_density(low) > height:
        low -= width
    while high < FARTHEST and log_density(high) > height:
        high += width
    while True:
        new = low + (high - low) * generator.random()
        if abs(new) < FARTHEST and log_density(new) > height:
            return new
        low, high = (new, high) if new < x else (low, new)


def seating_of(state: Restaurants, depth: int) -> Seating:
    """Customers, tables and sizes of tables in all restaurants of a depth."""
    nodes = state.nodes[(state.nodes[:, DEPTH] == depth) & (state.nodes[:, ALL] > 0)]
    times = np.zeros(int(state.rows[:, CUSTOMERS].max()) + 1, np.int64)
    _count_tables(state, depth, times)
    return Seating(_counted(nodes[:, ALL]), _counted(nodes[:, ALL_TABLES]), _histogram(times))


def log_likelihood(seating: Seating, discount: float, strength: float) -> float:
    """Of the seatings of a depth."""
    from scipy.special import gammaln

    customers, n_customers = seating.customers
    tables, n_tables = seating.tables
    sizes, n_sizes = seating.sizes
    ratio = strength / discount
    p = n_tables @ ((tables - 1) * math.log(discount) + gammaln(ratio + tables) - gammaln(ratio + 1))
    p -= n_customers @ (gammaln(strength + customers) - gammaln(strength + 1))
    p += n_sizes @ (gammaln(sizes - discount) - gammaln(1 - discount))
    return float(p)


def resample_restaurants(state: Restaurants, generator: np.random.Generator) -> None:
    """Draw the discount and the strength of every depth."""
    for depth in range(state.discount.size):
        a, b = resampled(seating_of(state, depth), state.discount[depth], state.strength[depth], generator)
        state.discount[depth], state.strength[depth] = a, b


def resampled(
    seating: Seating, discount: float, strength: float, generator: np.random.Generator
) -> tuple[float, float]:
    """A discount and a strength drawn one after the other."""

    def of_discount(x: float) -> float:
        a = 1 / (1 + math.exp(-x))
        return log_likelihood(seating, a, strength) + math.log(a) + math.log1p(-a)

    def of_strength(x: float) -> float:
        return log_likelihood(seating, discount, math.exp(x)) + _log_gamma_prior(x)

    x = slice_drawn(of_discount, math.log(discount / (1 - discount)), generator)
    discount = 1 / (1 + math.exp(-x))
    return discount, math.exp(slice_drawn(of_strength, math.log(strength), generator))


def resample_alpha(chain: Chain, generator: np.random.Generator) -> None:
    """Draw the prior of topics in documents."""
    n_topics = chain.held.size
    longest = int(np.diff(chain.doc_start).max(initial=0))
    by_topic, by_document = np.zeros(longest + 1, np.int64), np.zeros(longest + 1, np.int64)
    _count_held(chain, by_topic, by_document)
    held, phrases = _histogram(by_topic), _histogram(by_document)

    def density(x: float) -> float:
        alpha = math.exp(x)
        return _rise(alpha, held) - _rise(n_topics * alpha, phrases) + _log_gamma_prior(x)

    chain.priors[ALPHA] = math.exp(slice_drawn(density, math.log(chain.priors[ALPHA]), generator))


def resample_coins(state: Restaurants, chain: Chain, generator: np.random.Generator) -> None:
    """Draw the weights of continuing and of starting a phrase."""
    n_dense = state.n_words * (state.n_topics + 1)
    rows = state.rows[:n_dense].reshape(state.n_words, state.n_topics + 1, -1)[:, 1:]
    faces = {CONTINUE: _counted(rows[..., CONTINUED]), START: _counted(rows[..., STARTED])}
    both = _counted(rows[..., CONTINUED] + rows[..., STARTED])
    for which, other in ((CONTINUE, START), (START, CONTINUE)):

        def density(x: float, which: int = which, other: int = other) -> float:
            weight = math.exp(x)
            either = weight + float(chain.priors[other])
            return _rise(weight, faces[which]) - _rise(either, both) + _log_gamma_prior(x)

        chain.priors[which] = math.exp(slice_drawn(density, math.log(chain.priors[which]), generator))


def _log_gamma_prior(x: float) -> float:
    """Of the logarithm of what is Gamma(1, 1): exp(-value) times the value."""
    return x - math.exp(x)


def _rise(x: float, values: Values) -> float:
    """Sum of log x (x + 1) ... (x + n - 1) over the values n."""
    from scipy.special import gammaln

    n, times = values
    return float(times @ (gammaln(x + n) - gammaln(x)))


def _counted(values: NDArray[np.int32]) -> Values:
    """The different positive values, and how often each occurs."""
    return _histogram(np.bincount(values.ravel()))


def _histogram(times: NDArray[np.int64]) -> Values:
    n = np.flatnonzero(times)
    n = n[n > 0]
    return n, times[n]


@bare_kernel
def _count_tables(state: Restaurants, depth: int, times: NDArray[np.int64]) -> None:
    """How many tables of a depth have 0, 1, 2, ... customers."""
    rows, n_dense = state.rows, state.n_words * (state.n_topics + 1)
    first, stop = (0, n_dense) if depth < 2 else (n_dense, rows.shape[0])
    for row in range(first, stop):
        node = row % (state.n_topics + 1) if row < n_dense else rows[row, NODE]
        if rows[row, CUSTOMERS] > 0 and state.nodes[node, DEPTH] == depth:
            if rows[row, TABLES] == 1:
                times[rows[row, CUSTOMERS]] += 1
            else:
                for table in range(rows[row, TABLES]):
                    times[state.sizes[rows[row, SIZES] + table]] += 1


@bare_kernel
def _count_held(chain: Chain, by_topic: NDArray[np.int64], by_document: NDArray[np.int64]) -> None:
    """In how many documents a topic has 0, 1, 2, ... phrases, and how many documents have as many."""
    held = chain.held
    for d in range(chain.doc_start.size - 1):
        n_held = 0
        for k in range(held.size):
            held[k] = 0
        for j in range(chain.doc_start[d], chain.doc_start[d + 1]):
            if chain.starts[j]:
                held[chain.topics[j]] += 1
                n_held += 1
        for k in range(held.size):
            by_topic[held[k]] += 1
        by_document[n_held] += 1
