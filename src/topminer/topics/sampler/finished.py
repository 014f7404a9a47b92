"""What is kept of a chain that has run all its sweeps, to be compared with other chains.

It is small: nothing in it grows with the documents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.store import MemoryReader, MemoryWriter, Reader, Writer
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.sampler.chain import Chain

N_LAST = 2  # rows of history, 50 sweeps apart, whose mean is the log likelihood of a chain


class FinishedChain(NamedTuple):
    """The topics of a finished chain, numbered by weight as in a model, and its samples."""

    seed: int
    beta: float
    word_topic: NDArray[np.int32]  # n_wk, (words, topics)
    n_k: NDArray[np.int64]
    sampled: NDArray[np.int64]  # n_k at the sampled sweeps, (samples, topics)
    frequency: TopicalFrequency
    history: pl.DataFrame  # sweep, log_likelihood

    @property
    def topic_word(self) -> NDArray[np.float64]:
        """φ, (topics, words)."""
        table: NDArray[np.float64] = np.add(np.ascontiguousarray(self.word_topic.T), self.beta)
        table /= table.sum(axis=1, keepdims=True)
        return table


def save(chain: Chain, writer: Writer | MemoryWriter) -> None:
    """Write what is kept of a finished chain."""
    sampler, order = chain.sampler, chain.sampler.order()
    arrays: dict[str, NDArray[Any]] = {
        "word_topic": np.ascontiguousarray(sampler.word_topic()[:, order]).ravel(),
        "tokens": sampler.n_k[order],
        "sampled": np.array(chain.sampled)[:, order].ravel(),
        **sampler.frequency(order),
    }
    writer.write(arrays, {"history": chain.history().select("sweep", "log_likelihood")})
    writer.finish({"seed": sampler.seed, "beta": float(sampler.beta), "n_samples": sampler.n_samples})


def restored(reader: Reader | MemoryReader) -> FinishedChain:
    """Return what :func:`save` wrote."""
    stored = reader.stored()
    facts, arrays = stored.facts, stored.arrays
    n_topics = arrays["tokens"].size
    types, topics, mean, spread = (
        arrays[f"frequency_{name}"] for name in ("type", "topic", "mean", "spread")
    )
    return FinishedChain(
        facts["seed"],
        facts["beta"],
        arrays["word_topic"].reshape(-1, n_topics),
        arrays["tokens"],
        arrays["sampled"].reshape(-1, n_topics),
        TopicalFrequency(types, topics, mean, spread, facts["n_samples"]),
        stored.tables["history"],
    )


def likelihood_of(history: pl.DataFrame) -> float:
    """Return the log likelihood of a chain: the mean of its last rows of history."""
    return float(np.mean(history["log_likelihood"].to_numpy()[-N_LAST:]))
