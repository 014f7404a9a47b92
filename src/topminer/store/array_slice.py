"""A slice of a stored array that is read where it is used: only its name and bounds are sent to a worker."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

if TYPE_CHECKING:
    from topminer.store.reader import Reader


class ArraySlice:
    """A stored array from ``start`` to ``stop``. NumPy makes an array of it, and so reads it."""

    def __init__(self, reader: Reader, name: str, start: int = 0, stop: int | None = None) -> None:
        self._reader, self._name, self._start = reader, name, start
        self._stop = reader.lengths()[name] if stop is None else stop

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._stop - self._start

    def __getitem__(self, piece: slice) -> ArraySlice:
        start, stop, _ = piece.indices(self.size)
        return ArraySlice(self._reader, self._name, self._start + start, self._start + stop)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return self._reader.array(self._name, self._start, self._stop)

    def searchsorted(self, values: Iterable[int]) -> NDArray[np.int64]:
        """Return where values are, or would be, in the sorted array. Only a few elements are read."""
        places = range(self._start, self._stop)

        def value_at(place: int) -> int:
            return int(self._reader.array(self._name, place, place + 1)[0])

        return np.array([bisect_left(places, value, key=value_at) for value in values], np.int64)
