"""A text as Algorithms 1 and 2 read it: stem ids, and where each chunk starts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topminer.containers.arrays import ranges, starts_of

if TYPE_CHECKING:
    from topminer.text.corpus import Corpus

Scalar = TypeVar("Scalar", bound=np.generic)

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


_PIECE = 1 << 16  # atoms that are moved at a time


class Sequence(NamedTuple):
    """The kept tokens of a corpus, or a run of its chunks.

    A token is one *atom*, or several where a tie reads it as several words (ties.py). Positions count atoms
    from the start of the corpus: chunk c holds the atoms from ``chunk_start[c]`` to before
    ``chunk_start[c + 1]``, and the first atom of the sequence has position ``chunk_start[0]``.
    """

    ids: Int32s  # the stem of each atom; -1 for a word that is not in the vocabulary
    chunk_start: Int64s  # no chunk is empty, and no phrase crosses the end of a chunk
    glued: Bools | None = None  # whether each atom always belongs to the atom before it
    inside: Bools | None = None  # whether each atom belongs to the token of the atom before it
    is_counted: Bools | None = None  # whether each chunk is counted (evidence.py); None: all are

    @classmethod
    def of(cls, corpus: Corpus) -> Sequence:
        """Return the kept tokens of a corpus, each as one atom."""
        return cls(corpus.stem_ids, corpus.chunk_start)

    def chunks(self, first: int, last: int) -> Sequence:
        """Return the chunks from ``first`` to before ``last``, without copying tokens."""
        start, stop = self.chunk_start[[first, last]] - self.chunk_start[0]
        atoms, chunks = slice(start, stop), slice(first, last)
        glued, inside = (None if each is None else each[atoms] for each in (self.glued, self.inside))
        is_counted = None if self.is_counted is None else self.is_counted[chunks]
        return Sequence(self.ids[atoms], self.chunk_start[first : last + 1], glued, inside, is_counted)

    def uncounted(self) -> Sequence:
        """Return the chunks that are not counted, as a sequence of their own."""
        atoms, lengths = self.uncounted_atoms(), np.diff(self.chunk_start)
        chosen = lengths[:0] if self.is_counted is None else lengths[~self.is_counted]
        inside = None if self.inside is None else self.inside[atoms]
        return Sequence(self.ids[atoms], starts_of(chosen), inside=inside)

    def uncounted_atoms(self) -> Int64s:
        """Return the numbers of the atoms in chunks that are not counted."""
        if self.is_counted is None:
            return np.zeros(0, np.int64)
        start, stop = self.chunk_start[:-1][~self.is_counted], self.chunk_start[1:][~self.is_counted]
        atoms: Int64s = ranges(start, stop) - self.chunk_start[0]
        return atoms

    def cut_near(self, positions: ArrayLike) -> Iterator[Sequence]:
        """Cut the sequence at the first chunk that starts at or after each of some ascending positions.

        >>> words = Sequence(np.arange(6, dtype=np.int32), np.array([0, 2, 3, 6]))
        >>> [part.ids.tolist() for part in words.cut_near([0, 3, 4, 6])]
        [[0, 1, 2], [3, 4, 5]]
        """
        cuts = np.minimum(np.searchsorted(self.chunk_start, positions), self.chunk_start.size - 1)
        for first, last in pairwise(np.unique(cuts).tolist()):
            yield self.chunks(first, last)

    def in_ranges(self, n_atoms: int) -> Iterator[Sequence]:
        """Cut the sequence into runs of about ``n_atoms`` atoms, for threads."""
        if 0 < self.ids.size <= n_atoms:
            return iter([self])
        return self.cut_near(self.chunk_start[0] + np.arange(0, self.ids.size + n_atoms, n_atoms))

    def flags(self, flags: Bools | None) -> Bools:
        """Return ``inside`` or ``glued``, also where no atom is."""
        return np.zeros(self.ids.size, np.bool_) if flags is None else flags

    def of_tokens(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Return the values of the first atom of each token."""
        return values if self.inside is None else values[~self.inside]

    def moved_to_tokens(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Return the same as :meth:`of_tokens` in the front of the array, which is overwritten."""
        if self.inside is None:
            return values
        n_tokens = 0
        for start in range(0, values.size, _PIECE):
            piece = values[start : start + _PIECE][~self.inside[start : start + _PIECE]]
            values[n_tokens : n_tokens + piece.size] = piece
            n_tokens += piece.size
        return values[:n_tokens]
