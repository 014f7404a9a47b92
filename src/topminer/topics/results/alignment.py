"""Which topics of two chains are the same: the topics are matched one to one.

The numbers of topics mean nothing, so the topics of two chains are matched such that they are as similar as
they can be in sum (the Hungarian method). Topics are compared by the cosine of their word probabilities: it
looks at the words a topic is about, while distances of distributions, such as that of Jensen and Shannon,
also see the thousands of words that only the prior gives a probability, which all topics share::

    chain 1: [.9 .1 0] [0 .5 .5]    chain 2: [0 .5 .5] [.8 .2 0]    matched 0-1 (0.99), 1-0 (1.00)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError

Matching = tuple[NDArray[np.int64], NDArray[np.float64]]


def matched(a: NDArray[np.floating], b: NDArray[np.floating]) -> Matching:
    """Match the topics of two chains, each the probabilities of words (topics, words).

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
    # Rounded, so that equal topics are matched alike whatever the last bits of the product are.
    cosines = np.round(a @ b.T, 9)
    order = np.asarray(linear_sum_assignment(cosines, maximize=True)[1], np.int64)
    apart = a - b[order]
    # Exactly 1 where both are the same, which the product is not.
    cosines = 1.0 - np.einsum("kw,kw->k", apart, apart) / 2.0
    cosines[~(a.any(axis=1) & b[order].any(axis=1))] = 0.0
    return order, np.clip(cosines, 0.0, 1.0)


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
