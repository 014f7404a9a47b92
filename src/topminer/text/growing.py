"""An array that grows at its end, at a constant cost per element however often it does."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


class Growing(Generic[Scalar]):
    """Elements of one type; ``values`` is what is there so far, to be read and to be written."""

    def __init__(self, dtype: type[Scalar], values: ArrayLike = ()) -> None:
        self._room: NDArray[Scalar] = np.array(values, dtype)
        self._n = self._room.size

    @property
    def values(self) -> NDArray[Scalar]:
        """All elements."""
        return self._room[: self._n]

    def extend(self, values: NDArray[Any]) -> None:
        """Add elements at the end."""
        n = self._n + values.size
        if n > self._room.size:
            self._room = np.concatenate((self.values, np.empty(n, self._room.dtype)))
        self._room[self._n : n] = values
        self._n = n
