"""Runs of consecutive integers, counts of ids, rows that an index selects, arrays that grow."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Scalar = TypeVar("Scalar", bound=np.generic)

_PIECE = 1 << 18


class GrowingArray(Generic[Scalar]):
    """A one-dimensional array that grows at its end, at a constant cost per element."""

    def __init__(self, dtype: type[Scalar], values: ArrayLike = ()) -> None:
        self._allocated: NDArray[Scalar] = np.array(values, dtype)
        self._n = self._allocated.size

    @property
    def values(self) -> NDArray[Scalar]:
        """All elements so far; they may be changed in place."""
        return self._allocated[: self._n]

    def extend(self, values: NDArray[Any]) -> None:
        """Add elements at the end."""
        n = self._n + values.size
        if n > self._allocated.size:
            self._allocated = np.concatenate((self.values, np.empty(n, self._allocated.dtype)))
        self._allocated[self._n : n] = values
        self._n = n


def choose(documents: Any, n_documents: int) -> NDArray[np.int64]:
    """Return the numbers of the documents that an index selects.

    The index is a number, a slice, a mask or a list of numbers. scikit-learn also writes ``[numbers, ...]``,
    as for an array.
    """
    if isinstance(documents, tuple) and len(documents) == 2 and documents[1] is Ellipsis:
        documents = documents[0]
    if isinstance(documents, slice):
        return np.arange(*documents.indices(n_documents))
    numbers = np.asarray(documents).reshape(-1)
    if numbers.size == 0:
        return np.zeros(0, np.int64)
    if numbers.dtype.kind not in "iu":  # a mask; NumPy refuses anything else
        chosen: NDArray[np.int64] = np.arange(n_documents)[numbers]
        return chosen
    if numbers.max() >= n_documents or numbers.min() < -n_documents:
        worst = numbers.max() if numbers.max() >= n_documents else numbers.min()
        raise IndexError(f"there is no document {worst}; they are numbered from 0 to {n_documents - 1:,}")
    numbers = numbers.astype(np.int64)  # in a smaller type the sum below could overflow
    return np.where(numbers < 0, numbers + n_documents, numbers)


def starts_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each run starts when runs of these lengths follow each other, and where the last ends.

    >>> starts_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    starts = np.zeros(lengths.size + 1, np.int64)
    np.add.accumulate(lengths, out=starts[1:])
    return starts


def ranges(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the integers from each start up to, not including, its stop, one run after the other.

    >>> ranges(np.array([0, 7, 4]), np.array([2, 7, 6]))
    array([0, 1, 4, 5])
    """
    lengths = stops - starts
    before = starts_of(lengths)
    return np.arange(before[-1]) + np.repeat(starts - before[:-1], lengths)


def count_known(ids: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Count how often each id from 0 to ``n`` - 1 occurs; the id -1 is left out.

    >>> count_known(np.array([1, -1, 1, 0], np.int32), 3)
    array([1, 2, 0])
    """
    counts = np.zeros(n, np.int64)
    size = max(_PIECE, n)
    for start in range(0, ids.size, size):  # in pieces: np.bincount makes a copy of twice the size
        counts += np.bincount(ids[start : start + size] + 1, minlength=n + 1)[1:]
    return counts


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return the same elements as an array that cannot be written, whether the given one can or not."""
    return frozen(array.view())


def frozen(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Make an array read-only, and return it. Kernels are compiled apart for arrays that can be written."""
    array.flags.writeable = False
    return array
