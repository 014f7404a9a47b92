"""How far topics lie apart, and where that puts them on a map.

The Hellinger distance of two topics is 0 if they give every word the same probability, and 1 if they have no
word in common::

    H(p, q)² = ½ Σ over words (√p − √q)²
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 21  # square roots held at a time
NOTHING = 1e-12  # squared distances below this are rounding


def similarities(topic_word: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return how alike topics are, (topics, topics): 1 − the Hellinger distance of their words."""
    n_topics, n_words = topic_word.shape
    products = np.zeros((n_topics, n_topics))
    step = max(BLOCK // max(n_topics, 1), 1)
    for first in range(0, n_words, step):
        roots = np.sqrt(topic_word[:, first : first + step], dtype=np.float64)
        products += roots @ roots.T
    sums = products.diagonal()
    squared = (sums[:, None] + sums) / 2 - (products + products.T) / 2
    squared[squared < NOTHING] = 0.0
    np.fill_diagonal(squared, 0.0)
    return 1.0 - np.sqrt(np.minimum(squared, 1.0))


def similar_topics(similarity: NDArray[np.float64], topic: int, n: int) -> list[tuple[int, float]]:
    """Return the topics most similar to one, the most similar first."""
    others = np.argsort(-similarity[topic], kind="stable")
    return [(int(k), float(similarity[topic, k])) for k in others if k != topic][:n]


def places(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points (topics, 2) that lie as far apart as topics do, as nearly as a plane allows.

    Classical multidimensional scaling: the two widest directions of the points whose distances are
    ``1 − similarity``. The coordinate of largest size is positive in both, so the map is never mirrored.
    """
    n_topics = similarity.shape[0]
    points = np.zeros((n_topics, 2))
    if n_topics < 2:
        return points
    squared = (1.0 - similarity) ** 2
    means = squared.mean(axis=0)
    products = -(squared - means - means[:, None] + means.mean()) / 2
    values, vectors = np.linalg.eigh(products)  # ascending
    for column, (value, vector) in enumerate(zip(values[:-3:-1], vectors.T[:-3:-1], strict=True)):
        if value > NOTHING:
            points[:, column] = _upright(vector) * np.sqrt(value)
    return points


def _upright(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    size = np.abs(vector)
    largest = np.argmax(size >= size.max() * (1 - 1e-6))  # of those equal but for rounding, the first
    return vector if vector[largest] > 0 else -vector
