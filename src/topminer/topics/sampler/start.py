"""Where a chain starts: at topics that were found before, instead of at random topics.

A clique of words w_1 … w_W gets topic k with probability proportional to Π_j φ_k,wj, in any document. A word
that does not occur in the topics has the probability that the prior β alone gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges, starts_of
from topminer.topics.sampler.latin_square import Types
from topminer.topics.sampler.shard import Shard

CELLS_AT_ONCE = 1 << 22  # of the table of types by topics: bounds the memory


class Start(NamedTuple):
    """Topics to start from."""

    words: NDArray[np.int64]  # of the corpus, ascending
    word_topic: NDArray[np.int32]  # tokens of these words in topics, (words, topics)
    beta: float


def draw(start: Start, shard: Shard, key: np.uint64) -> None:
    """Give every clique of a shard a topic."""
    types, clique_start = shard.types, shard.cliques.clique_start
    stream = np.random.Generator(np.random.Philox(key=int(key)))
    log_phi = _log_phi(start)
    n_at_once = max(1, CELLS_AT_ONCE // log_phi.shape[1])
    for first in range(0, types.type_of.size, n_at_once):
        last = min(first + n_at_once, types.type_of.size)
        n_cliques = np.diff(clique_start[first : last + 1])
        weights = _sums_by_type(log_phi, start.words, types, first, last)
        drawn = _draw_each(weights, n_cliques, stream)
        shard.z[clique_start[first] : clique_start[last]] = drawn
    shard.recount()


def _log_phi(start: Start) -> NDArray[np.float64]:
    """Return log φ of each word, and of a word that was never seen as the last."""
    counts = np.vstack([start.word_topic, np.zeros_like(start.word_topic[:1])])
    phi: NDArray[np.float64] = np.log(counts + start.beta) - np.log(
        start.word_topic.sum(axis=0) + start.words.size * start.beta
    )
    return phi


def _sums_by_type(
    log_phi: NDArray[np.float64], words: NDArray[np.int64], types: Types, first: int, last: int
) -> NDArray[np.float64]:
    """Return the sum of log φ over the words of each type with a rank from ``first`` to ``last``."""
    of = types.type_of[first:last]
    start = types.word_start[of]
    stems = types.words[ranges(start, types.word_start[of + 1])]
    row = np.searchsorted(words, stems)
    row[row == words.size] = 0
    row = np.where(words[row] == stems, row, words.size)
    begins = starts_of(types.word_start[of + 1] - start)[:-1]
    sums: NDArray[np.float64] = np.add.reduceat(log_phi[row], begins, axis=0)
    return sums


def _draw_each(
    log_weights: NDArray[np.float64], n: NDArray[np.int64], stream: np.random.Generator
) -> NDArray[np.int64]:
    """Draw ``n[i]`` topics with the weights of row i, for all rows."""
    n_rows, n_topics = log_weights.shape
    rows = np.cumsum(np.exp(log_weights - log_weights.max(axis=1, keepdims=True)), axis=1)
    rows /= rows[:, -1:]
    row = np.repeat(np.arange(n_rows), n)
    # Row i lies between i and i + 1, so one search serves all rows.
    at = np.searchsorted((rows + np.arange(n_rows)[:, None]).ravel(), row + stream.random(row.size), "right")
    drawn: NDArray[np.int64] = np.clip(at - row * n_topics, 0, n_topics - 1)
    return drawn
