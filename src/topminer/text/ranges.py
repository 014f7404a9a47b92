"""Which documents, and which tokens of them: choosing and runs of consecutive numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def choose(documents: Any, n_documents: int) -> NDArray[np.int64]:
    """The numbers of the documents that an index means: a number, a slice, a mask or a list of numbers.

    scikit-learn writes ``[numbers, ...]``, as for an array.
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
    numbers = numbers.astype(np.int64)  # few bits could not hold what is added
    return np.where(numbers < 0, numbers + n_documents, numbers)


def starts_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Where each of several runs of these lengths starts when they stand one behind the other, and the end.

    >>> starts_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    starts = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def ranges(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers from each start to its stop, one run behind the other.

    >>> ranges(np.array([0, 7, 4]), np.array([2, 7, 6]))
    array([0, 1, 4, 5])
    """
    lengths = stops - starts
    before = starts_of(lengths)
    return np.arange(before[-1]) + np.repeat(starts - before[:-1], lengths)
