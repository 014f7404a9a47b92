"""Random numbers, and draws from weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined
from topminer.jit.lanes import (
    WIDTH,
    Counts,
    Floats,
    at_most,
    before,
    first_above,
    lane,
    load,
    number_of,
    only,
    store,
)

FAR = 1e100  # weights beyond it, or below its inverse, are scaled


@inlined
def uniform(key: np.uint64, i: Int) -> np.float32:
    """Return number ``i`` of the random stream ``key``: at least 0 and below 1.

    This is SplitMix64 as a function of a counter. A number has 23 bits, so that u * total is below total
    however the product is rounded.
    """
    bits = key + np.uint64(i) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = bits ^ (bits >> np.uint64(31))
    return np.float32(np.int64(bits >> np.uint64(41))) * np.float32(2.0**-23)


@inlined
def rescale(p_k: NDArray[np.float64], n_topics: Int, largest: float) -> None:
    """Multiply or divide all weights by 1e100 if the largest is very small or large: only ratios matter.

    A product over many words may leave the range of float64. Weights that vanish are less than 1e-200 of the
    largest.
    """
    if largest < 1 / FAR or largest > FAR:
        factor = FAR if largest < 1 else 1 / FAR
        for k in range(n_topics):
            p_k[k] *= factor


@inlined
def draw(p_k: NDArray[np.float64], n_topics: Int, u: np.float32) -> np.int64:
    """Return a topic with probability proportional to its weight, given a uniform number.

    The topics lie side by side on a line, each as long as its weight; the topic at u * total is drawn.
    """
    total = 0.0
    for k in range(n_topics):
        total += p_k[k]
    left = total * np.float64(u)
    topic = np.int64(0)
    while topic < n_topics - 1 and left >= p_k[topic]:
        left -= p_k[topic]
        topic += np.int64(1)
    return topic


@inlined
def draw_by_lanes(
    sums: NDArray[np.float32], size: Int, below: Floats, drawn: Floats, vector_of: NDArray[np.int32]
) -> np.int64:
    """Return which of ``size`` weights a draw falls into: first find the lane, then the vector.

    ``sums`` are the running sums of the weights over vectors, lane by lane. ``below`` are the totals of the
    lanes, summed up from the first lane on. ``drawn`` is u times the total weight. Rounding may carry a draw
    past the end: the caller replaces a number that is too large by the last valid one.
    """
    left = drawn - before(below)
    vectors = only(lane(WIDTH), 1)
    for v in range(0, size - WIDTH, WIDTH):
        vectors = vectors + only(at_most(load(sums, v), left), WIDTH)
    return drawn_number(below, drawn, vectors, vector_of, size)


@inlined
def drawn_number(
    below: Floats, drawn: Floats, vectors: Counts, vector_of: NDArray[np.int32], size: Int
) -> np.int64:
    """Return which of ``size`` weights a draw falls into, given the vector of it for each lane."""
    store(vector_of, 0, vectors)
    in_lane = number_of(first_above(below, drawn))
    in_lane = in_lane if in_lane < WIDTH else WIDTH - 1
    number = np.int64(vector_of[in_lane]) + np.int64(in_lane)
    return number if number < size else np.int64(size - 1)  # rounding may carry a draw past the end
