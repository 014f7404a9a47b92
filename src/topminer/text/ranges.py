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
    if not isinstance(documents, int | slice):
        documents = np.asarray(documents).reshape(-1)
        if documents.size == 0:
            return np.zeros(0, np.int64)
    chosen: NDArray[np.int64] = np.arange(n_documents)[documents].reshape(-1)
    return chosen


def ranges(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers from each start to its stop, one run behind the other.

    >>> ranges(np.array([0, 7, 4]), np.array([2, 7, 6]))
    array([0, 1, 4, 5])
    """
    lengths = stops - starts
    before = np.concatenate(([0], np.cumsum(lengths)))
    return np.arange(before[-1]) + np.repeat(starts - before[:-1], lengths)
