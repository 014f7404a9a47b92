"""Random numbers, and where among many weights a draw falls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined
from topminer.jit.lanes import (
    WIDTH,
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


@inlined
def uniform(key: np.uint64, i: Int) -> np.float32:
    """Number ``i`` of the stream ``key``, from 0 up to but not including 1.

    SplitMix64 as a function of a counter. 23 bits: u * total is then below total, however it is rounded.
    """
    bits = key + np.uint64(i) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = bits ^ (bits >> np.uint64(31))
    return np.float32(np.int64(bits >> np.uint64(41))) * np.float32(2.0**-23)


@inlined
def fall(
    sums: NDArray[np.float32], size: Int, below: Floats, drawn: Floats, vector_of: NDArray[np.int32]
) -> np.int64:
    """Which of ``size`` weights a draw falls into: first into a lane, then, within it, into a vector.

    ``sums`` are the weights added up over vectors, lane by lane; ``below`` the last of them, over lanes.
    Rounding may carry a draw past the end: the caller knows what is the last that counts.
    """
    left = drawn - before(below)
    vectors = only(lane(WIDTH), 1)
    for v in range(0, size - WIDTH, WIDTH):
        vectors = vectors + only(at_most(load(sums, v), left), WIDTH)
    store(vector_of, 0, vectors)
    in_lane = min(number_of(first_above(below, drawn)), WIDTH - 1)
    return np.int64(vector_of[in_lane]) + np.int64(in_lane)
