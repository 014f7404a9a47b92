"""Eight numbers at a time: what LLVM keeps in a vector register, whatever the machine.

Numba leaves vectors to LLVM, and LLVM may not reorder the sum of floats: most of a sampler's loops
would stay scalar. Here a kernel says itself what is done eight at a time. The width is fixed and nothing
is fused or reordered, so the result is the same, bit by bit, on every machine, and with the JIT off,
where eight lanes are a small NumPy array. This file says what each operation means; compiled, it is the
one of the same name in _lanes_llvm.py.

There are lanes of floats (float32), of counts (int32) and of truths::

    weights = (load(alpha, 0) + load(counts, 0)) * load(share, 0)
    below = prefix_sum(weights)                     # 1 2 3 ... -> 1 3 6 ...
    drawn = first_above(below, every(u) * last(below))
    counts = load_counts(row, 0) + only(drawn, 1)   # one more in the lane that was drawn
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numba.core import config
from numpy.typing import NDArray

from topminer.jit import Int, _lanes_llvm
from topminer.jit._lanes_llvm import ONE_ON, PREFIX_STEPS
from topminer.jit._lanes_llvm import WIDTH as WIDTH

Floats: TypeAlias = Any
Counts: TypeAlias = Any
Truths: TypeAlias = Any
Operation = TypeVar("Operation", bound=Callable[..., Any])


def _with_jit(plain: Operation) -> Operation:
    """Leave this function to Python, and its namesake of LLVM's instructions to kernels."""
    off = config.DISABLE_JIT  # type: ignore[attr-defined]
    return plain if off else cast(Operation, getattr(_lanes_llvm, plain.__name__))


def padded(n: Any) -> Any:
    """The next multiple of the width."""
    return -(-n // WIDTH) * WIDTH


def aligned(n: int, dtype: Any) -> NDArray[Any]:
    """``n`` zeros that start on a cache line: lanes that cross two lines are slow to come and go."""
    size = np.dtype(dtype).itemsize * n
    room = np.zeros(size + 64, np.uint8)
    start = -room.__array_interface__["data"][0] % 64  # faster than room.ctypes
    return room[start : start + size].view(dtype)


@_with_jit
def load(array: NDArray[Any], index: Int) -> Floats:
    """Eight elements as floats."""
    return array[index : index + WIDTH].astype(np.float32)


@_with_jit
def load_counts(array: NDArray[Any], index: Int) -> Counts:
    """Eight elements as counts."""
    return array[index : index + WIDTH].astype(np.int32)


@_with_jit
def store(array: NDArray[Any], index: Int, lanes: Floats | Counts) -> None:
    """Put lanes into an array of floats, or of integers that are wide enough."""
    array[index : index + WIDTH] = lanes


@_with_jit
def every(value: float | np.float32) -> Floats:
    """The same float in every lane."""
    return np.full(WIDTH, value, np.float32)


@_with_jit
def every_count(value: Int) -> Counts:
    """The same count in every lane."""
    return np.full(WIDTH, value, np.int32)


@_with_jit
def floats(counts: Counts) -> Floats:
    """Counts as floats."""
    return counts.astype(np.float32)


@_with_jit
def lane(number: Int) -> Truths:
    """True in the lane of that number, if there is one."""
    return np.arange(WIDTH) == number


@_with_jit
def only(where: Truths, value: Int) -> Counts:
    """A count where it is true, zero elsewhere."""
    return np.where(where, np.int32(value), np.int32(0))


@_with_jit
def equal(counts: Counts, value: Int) -> Truths:
    """Where a count has this value."""
    return counts == value


@_with_jit
def chosen(where: Truths, lanes: Floats, others: Floats) -> Floats:
    """The first's floats where it is true, the second's elsewhere."""
    return np.where(where, lanes, others)


@_with_jit
def replaced(lanes: Floats, where: Truths, value: float | np.float32) -> Floats:
    """Another float where it is true."""
    return np.where(where, np.float32(value), lanes)


@_with_jit
def at_most(lanes: Floats, bounds: Floats) -> Truths:
    """Where a lane is at most its bound."""
    return lanes <= bounds


@_with_jit
def both(where: Truths, also: Truths) -> Truths:
    """Where both are true."""
    return where & also


@_with_jit
def but_not(where: Truths, unless: Truths) -> Truths:
    """Where the first is true and the second is not."""
    return where & ~unless


@_with_jit
def unlike(where: Truths, others: Truths) -> Truths:
    """Where one is true and the other is not."""
    return where ^ others


@_with_jit
def number_of(where: Truths) -> int:
    """The number of the first true lane; more than any lane's if there is none."""
    return int(where.argmax()) if where.any() else 64


@_with_jit
def bits_of(where: Truths, others: Truths) -> int:
    """One bit for each lane, the lowest for lane 0, then one for each of the others: 1 where it is true."""
    low, high = np.packbits(np.append(where, others), bitorder="little").tolist()
    return int(low | high << WIDTH)


@_with_jit
def seldom(condition: bool) -> bool:
    """The condition, for a branch that is hardly ever taken: no instruction outside it waits for this."""
    return condition


@_with_jit
def lowest_bit(bits: Int) -> int:
    """The number of the lowest bit that is 1; 64 if there is none."""
    return (int(bits) & -int(bits)).bit_length() - 1 if bits else 64


@_with_jit
def differ(counts: Counts, others: Counts) -> bool:
    """Whether any lane differs."""
    return bool((counts != others).any())


@_with_jit
def prefix_sum(lanes: Floats) -> Floats:
    """The sum of each lane and those before it; it never falls where no lane is negative."""
    for places in PREFIX_STEPS:
        lanes = lanes + np.append(lanes, np.float32(0))[places]
    return lanes


@_with_jit
def last(lanes: Floats) -> Floats:
    """The last lane, in every lane."""
    return np.full(WIDTH, lanes[-1], np.float32)


@_with_jit
def first(lanes: Floats) -> np.float32:
    """The first lane's float."""
    return cast(np.float32, lanes[0])


@_with_jit
def before(lanes: Floats) -> Floats:
    """Each lane's neighbour to the left; zero in the first."""
    return np.append(lanes, np.float32(0))[ONE_ON]


@_with_jit
def first_above(lanes: Floats, bounds: Floats) -> Truths:
    """True in the first lane above its bound, where all lanes behind it are too."""
    above = lanes > bounds
    return above != np.append(above, False)[ONE_ON]


@_with_jit
def gather(array: NDArray[Any], start: Int, places: Counts) -> Floats:
    """The elements at these places, counted from ``start`` on, which may be more than a count can be."""
    return cast(Floats, array[start + places.astype(np.int64)])


@_with_jit
def lane_of(lanes: Floats, number: Int) -> np.float32:
    """The float in one lane."""
    return cast(np.float32, lanes[number])


@_with_jit
def prefetch(array: NDArray[Any], index: Int) -> None:
    """Ask for a cache line that will soon be written."""
