"""Sums of long integer vectors, one of each worker. Every worker adds up one range of all vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.engines.contract import Placed


class Sums:
    """The worker's side of a sum; workers inherit from it."""

    def cut_vector(self, n_ranges: int, method: str, *arguments: Any) -> Any:
        """Call a method, and split the vector that it returns into ranges of about the same size."""
        pieces = np.array_split(getattr(self, method)(*arguments), n_ranges)
        return pieces if n_ranges > 1 else pieces[0]

    def add_range(self, *pieces: NDArray[Any]) -> NDArray[Any]:
        """Add up one range of all workers. Unsigned numbers stop at their largest value."""
        if len(pieces) == 1:
            return pieces[0]
        total = pieces[0].copy()
        for piece in pieces[1:]:
            if total.dtype.kind == "u":
                piece = np.minimum(piece, np.iinfo(total.dtype).max - total)
            total += piece
        return total


def summed(placed: Placed, method: str, arguments: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
    """Add up the vectors that a method of all workers gives.

    Parameters
    ----------
    placed : Placed
        Objects that are :class:`Sums`.
    method : str
        Gives a vector of whole numbers, as long as all others'.
    arguments : sequence of tuples or None
        As for ``placed.run``.

    Returns
    -------
    list
        The sum in as many ranges as there are workers, which one behind the other are the whole: kept values.
    """
    n = len(placed.engine.threads)
    each = [()] * n if arguments is None else arguments
    pieces = placed.keep("cut_vector", [(n, method, *one) for one in each], n_results=n)
    return placed.keep("add_range", [tuple(pieces)] if n == 1 else list(zip(*pieces, strict=True)))


def total(
    placed: Placed, method: str, arguments: Sequence[tuple[Any, ...]] | None = None
) -> NDArray[np.int64]:
    """Likewise; the whole sum, here."""
    return np.concatenate(placed.engine.here(summed(placed, method, arguments)))
