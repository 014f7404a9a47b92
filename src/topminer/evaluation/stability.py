"""Stability: whether another seed finds the same topics.

The numbers of topics mean nothing, so the topics of two runs are matched first: one to one, such that they
are as similar as they can be in sum (the Hungarian method). Topics are compared by the cosine of their word
probabilities: it looks at the words a topic is about, while distances of distributions, such as that of
Jensen and Shannon, also see the thousands of words that only the prior gives a probability, which all topics
share::

    run 1: [.9 .1 0] [0 .5 .5]    run 2: [0 .5 .5] [.8 .2 0]    matched 0-1 (0.99), 1-0 (1.00)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.evaluation.contract import Score

Matching = tuple[NDArray[np.int64], NDArray[np.float64]]


def matched(a: NDArray[np.floating], b: NDArray[np.floating]) -> Matching:
    """Match the topics of two runs, each the probabilities of words (topics, words).

    Topic k of ``a`` is topic ``order[k]`` of ``b``, and ``similarities[k]`` is their cosine. A row of zeros
    is similar to nothing.

    >>> order, similarities = matched(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.2, 0.8], [0.9, 0.1]]))
    >>> order.tolist(), similarities.tolist()
    ([1, 0], [1.0, 1.0])
    """
    from scipy.optimize import linear_sum_assignment

    a, b = _directions(a), _directions(b)
    if a.shape != b.shape:
        raise InputError(f"runs have different shapes, topics and words: {a.shape} and {b.shape}")
    order = np.asarray(linear_sum_assignment(a @ b.T, maximize=True)[1], np.int64)
    apart = a - b[order]
    # Exactly 1 where both are the same, which the product is not.
    cosines = 1.0 - np.einsum("kw,kw->k", apart, apart) / 2.0
    cosines[~(a.any(axis=1) & b[order].any(axis=1))] = 0.0
    return order, np.clip(cosines, 0.0, 1.0)


def stability(runs: Sequence[NDArray[np.floating]]) -> Score:
    """How similar the topics of two or more runs are, as distributions of words.

    For each topic of the first run, how similar the topics matched in two runs are: the mean over all pairs
    of runs. 1: every run found the same topics, numbered in whatever way.
    """
    if len(runs) < 2:
        raise InputError(f"stability is a matter of two runs or more, not {len(runs)}")
    from_first = [matched(runs[0], run) for run in runs[1:]]
    found = [similarities for _, similarities in from_first]
    for i, j in combinations(range(1, len(runs)), 2):
        _, similarities = matched(runs[i], runs[j])
        found.append(similarities[from_first[i - 1][0]])  # numbered as in the first run
    topics = np.mean(found, axis=0).tolist()
    if not topics:
        raise InputError("runs have no topics")
    return Score.of(topics)


def _directions(topic_word: NDArray[np.floating]) -> NDArray[np.float64]:
    """Rows of length 1."""
    if topic_word.ndim != 2 or not np.isfinite(topic_word).all() or topic_word.min(initial=0.0) < 0:
        raise InputError("topics must be rows of word probabilities, none of them negative or not a number")
    rows = topic_word.astype(np.float64)
    largest = rows.max(axis=1, initial=0.0, keepdims=True)  # squares of tiny numbers would be lost
    rows /= np.where(largest > 0.0, largest, 1.0)
    sizes = np.sqrt(np.einsum("kw,kw->k", rows, rows))[:, None]
    rows /= np.where(sizes > 0.0, sizes, 1.0)
    return rows
