"""What several finished chains say together: topics aligned, their stability, and intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.topics.results.alignment import matched
from topminer.topics.results.certainty import RATE, STABLE, Certainty
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.results.intervals import ChainSpread
from topminer.topics.sampler.finished import FinishedChain, likelihood_of


def best_of(likelihoods: Iterable[float]) -> int:
    """Return the number of the chain with the highest log likelihood; of equal ones the first."""
    return int(np.argmax(list(likelihoods)))


def certainty_of(number: int, n_chains: int, load: Callable[[int], FinishedChain]) -> Certainty:
    """Compare the chain that is the model, with this number, to the others; ``load`` loads a chain."""
    best = load(number)
    n_tokens, phi, frequency = max(int(best.n_k.sum()), 1), best.topic_word, best.frequency
    weights, frequencies = ChainSpread(best.n_k.size), ChainSpread(frequency.types.size)
    rows, histories, cosines = [], [], []
    for i in range(n_chains):
        chain, order = best, np.arange(best.n_k.size)
        if i != number:
            chain = load(i)
            order, similar = matched(phi, chain.topic_word)
            cosines.append(similar)
        if chain.n_k.sum() != best.n_k.sum():
            raise InputError("damaged: the finished chains are not of the same corpus")
        sampled = chain.sampled[:, order] / n_tokens
        weights.add(sampled.mean(axis=0), sampled.var(axis=0), len(sampled))
        frequencies.add(*_frequencies(frequency, chain.frequency, order), chain.frequency.n_samples)
        histories.append(chain.history.select(pl.lit(i, pl.Int64).alias("chain"), pl.all()))
        rows.append((chain.seed, chain.history["sweep"].to_list()[-1], likelihood_of(chain.history)))
    columns = {"seed": pl.UInt64, "sweeps": pl.Int64, "log_likelihood": pl.Float64}
    totals = frequency.totals(int(frequency.types.max(initial=-1)) + 1)[frequency.types]
    return Certainty(
        number,
        RATE,
        STABLE,
        pl.DataFrame(rows, columns, orient="row"),
        pl.concat(histories),
        np.mean(cosines, axis=0),
        _bounded(weights, best.n_k / n_tokens, np.ones(best.n_k.size)),
        _bounded(frequencies, frequency.mean, totals),
    )


def _frequencies(
    model: TopicalFrequency, other: TopicalFrequency, order: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means and variances of another chain for the pairs (type, topic) of the model's frequencies."""
    n_topics = np.int64(order.size)
    other = other.relabelled(order)
    keys = other.types * n_topics + other.topics
    wanted = model.types * n_topics + model.topics
    place = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
    there = keys[place] == wanted if keys.size else np.zeros(wanted.size, np.bool_)
    means, variances = np.zeros(wanted.size), np.zeros(wanted.size)
    means[there], variances[there] = other.mean[place[there]], other.spread[place[there]] ** 2
    return means, variances


def _bounded(
    spread: ChainSpread, value: NDArray[np.float64], most: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return intervals from 0 to ``most`` that hold the model's own value."""
    low, high = spread.interval(RATE)
    return np.minimum(np.clip(low, 0.0, most), value), np.maximum(np.clip(high, 0.0, most), value)
