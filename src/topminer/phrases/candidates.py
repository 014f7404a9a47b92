"""Places where a frequent phrase may start, and how often what starts there occurs.

A place that is no candidate any more is never looked at again, nor is a document that has none left.

Most candidates are rare, and a table of them all would fit no cache. So they are first counted roughly,
by a hash, in an array of small numbers where strangers may share a cell. Only candidates whose cell has
enough are then counted exactly: nothing frequent is lost, and little else is left.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.integers import IntegerTable
from topminer.engines.local import map_in_order
from topminer.jit import inlined, kernel

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Cells = NDArray[np.uint8] | NDArray[np.uint32]

_SMALL_BLOCK, _LARGE_BLOCK = 1 << 16, 1 << 30  # tokens: less are not worth a thread, more no 32-bit position
_PIECE = 1 << 10
_LEAST_CELLS, _MOST_CELLS = 10, 30  # as powers of two
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio
_U32 = np.uint64(32)


class _Block(NamedTuple):
    """A run of chunks with its candidates: a thread's share."""

    stems: Int32s
    chunk_start: Int64s  # counted from the start of the corpus
    position: Int32s  # of each candidate, counted from the start of the block
    phrase: Int32s  # that starts there: the candidate without its last word

    def close_up(self, n: int) -> _Block:
        """Leave the first ``n`` candidates."""
        return self._replace(position=self.position[:n], phrase=self.phrase[:n])


@kernel
def _count_stems(stems: Int32s, n_stems: int) -> Int64s:
    count = np.zeros(n_stems, np.int64)
    for i in range(stems.size):
        count[stems[i]] += 1
    return count


@kernel
def _first_candidates(block: _Block, frequent: NDArray[np.bool_]) -> int:
    """Write down where two frequent words stand side by side in a chunk; return how many places."""
    stems, chunk_start, position, phrase = block
    n, chunk = 0, 1
    here = frequent[stems[0]]
    for i in range(stems.size - 1):
        there = frequent[stems[i + 1]]
        ends = chunk_start[chunk] - chunk_start[0] == i + 1
        position[n], phrase[n] = i, stems[i]
        n += here and there and not ends
        chunk += ends
        here = there
    return n


@inlined
def _key(phrase: np.int32, stem: np.int32, n_stems: int) -> np.int64:
    """A candidate's phrase and last word in one number."""
    return np.int64(phrase) * n_stems + stem


@inlined
def _cell(key: np.int64, n_cells: int) -> np.int64:
    return np.int64((np.uint64(key) * _MULTIPLIER >> _U32) & np.uint64(n_cells - 1))


@kernel
def _count_roughly(block: _Block, length: int, n_stems: int, cells: Cells, most: int) -> None:
    """Count the candidates of ``length`` words in the cells of their hashes, up to ``most`` in each."""
    stems, _, position, phrase = block
    for k in range(position.size):
        cell = _cell(_key(phrase[k], stems[position[k] + length - 1], n_stems), cells.size)
        cells[cell] += cells[cell] < most


@kernel
def _likely_keys(block: _Block, length: int, n_stems: int, cells: Cells, enough: int) -> Int64s:
    """Close up the candidates whose cell has enough, and return their keys.

    Piece by piece, in three loops: with no write between them, many reads from ``cells`` run at a time.
    """
    stems, _, position, phrase = block
    keys, n = np.empty(position.size, np.int64), 0
    key, likely = np.empty(_PIECE, np.int64), np.empty(_PIECE, np.bool_)
    for start in range(0, position.size, _PIECE):
        size = min(_PIECE, position.size - start)
        for k in range(size):
            key[k] = _key(phrase[start + k], stems[position[start + k] + length - 1], n_stems)
        for k in range(size):
            likely[k] = cells[_cell(key[k], cells.size)] >= enough
        for k in range(size):
            keys[n], position[n] = key[k], position[start + k]
            n += likely[k]
    return keys[:n]


@kernel
def _next_candidates(block: _Block, phrase_of: Int32s) -> int:
    """Close up the places where a frequent phrase starts, and another one token later; return how many.

    ``block.phrase`` holds the numbers of keys; ``phrase_of`` says what they became, -1 being nothing.
    """
    _, _, position, phrase = block
    n = 0
    before, phrase_before = np.int32(-2), np.int32(0)
    for k in range(position.size):
        here, phrase_here = position[k], phrase_of[phrase[k]]
        if phrase_here >= 0:
            position[n], phrase[n] = before, phrase_before
            n += before + 1 == here
            before, phrase_before = here, phrase_here
    return n


def _blocks(stem_ids: Int32s, chunk_start: Int64s, n_threads: int) -> list[_Block]:
    """Cut a corpus between chunks into parts of about the same size."""
    n_tokens = stem_ids.size
    n_blocks = max(min(n_threads, n_tokens // _SMALL_BLOCK), -(-n_tokens // _LARGE_BLOCK))
    cuts = np.searchsorted(chunk_start, np.linspace(0, n_tokens, n_blocks + 1).astype(np.int64))
    blocks = []
    for first, behind in pairwise(np.unique(cuts).tolist()):
        stems = stem_ids[chunk_start[first] : chunk_start[behind]]
        room = np.empty((2, stems.size), np.int32)
        blocks.append(_Block(stems, chunk_start[first : behind + 1], room[0], room[1]))
    return blocks


def _no_cells(n_candidates: int, min_support: int) -> Cells:
    """Empty cells for so many candidates: few strangers will share one, and one can hold ``min_support``."""
    n_bits = (4 * n_candidates // min_support).bit_length()
    n_cells = 1 << min(max(n_bits, _LEAST_CELLS), _MOST_CELLS)
    return np.zeros(n_cells, np.uint8) if min_support <= 255 else np.zeros(n_cells, np.uint32)


class Blocks:
    """A run of chunks, cut into blocks for threads. A whole corpus, or a worker's part of one."""

    def __init__(self, stem_ids: Int32s, chunk_start: Int64s, n_stems: int, n_threads: int) -> None:
        self._blocks = _blocks(stem_ids, chunk_start, n_threads)
        self._n_stems, self._n_threads = n_stems, n_threads
        self._numbers: list[Int32s] = []  # of each block's likely keys, among those of all blocks

    @property
    def n_candidates(self) -> int:
        """How many places are left."""
        return sum(block.position.size for block in self._blocks)

    @property
    def _useful_threads(self) -> int:
        return self._n_threads if self.n_candidates >= _SMALL_BLOCK else 1

    def stems(self) -> Int64s:
        """How often each stem occurs."""
        count = np.zeros(self._n_stems, np.int64)
        for some in map_in_order(
            lambda block: _count_stems(block.stems, self._n_stems), self._blocks, self._n_threads
        ):
            count += some
        return count

    def start(self, frequent: NDArray[np.bool_]) -> None:
        """Make a candidate of every place where two frequent stems stand side by side."""

        def started(block: _Block) -> _Block:
            return block.close_up(_first_candidates(block, frequent))

        self._blocks = list(map_in_order(started, self._blocks, self._n_threads))

    def count(self, length: int, first_id: int, min_support: int) -> tuple[Int64s, Int64s]:
        """Count the candidates of one length, and go on to those of the next."""
        cells = self.roughly(length, self.n_candidates, min_support)
        keys, total = self.likely(length, cells, min_support)
        frequent = total >= min_support
        self.advance(np.where(frequent, first_id - 1 + np.cumsum(frequent), -1).astype(np.int32))
        return keys[frequent], total[frequent]

    def roughly(self, length: int, n_candidates: int, min_support: int) -> Cells:
        """Count the candidates of one length, ``n_candidates`` here and elsewhere, by cell."""

        def counted(block: _Block) -> Cells:
            cells = _no_cells(n_candidates, min_support)
            _count_roughly(block, length, self._n_stems, cells, np.iinfo(cells.dtype).max)
            return cells

        cells, *more_cells = list(map_in_order(counted, self._blocks, self._useful_threads)) or [
            _no_cells(n_candidates, min_support)
        ]
        for more in more_cells:
            cells += np.minimum(more, np.iinfo(cells.dtype).max - cells)
        return cells

    def likely(self, length: int, cells: Cells, min_support: int) -> tuple[Int64s, Int64s]:
        """Leave the candidates whose cell has enough; return their keys, by first occurrence, and counts."""
        enough = min(min_support, np.iinfo(cells.dtype).max)

        def counted(block: _Block) -> tuple[_Block, Int64s, Int64s]:
            keys = _likely_keys(block, length, self._n_stems, cells, enough)
            block, numbering = block.close_up(keys.size), IntegerTable(keys.size // min_support)
            numbering.add(keys, out=block.phrase)
            return block, numbering.keys, np.bincount(block.phrase, minlength=numbering.keys.size)

        counts = list(map_in_order(counted, self._blocks, self._useful_threads))
        self._blocks = [block for block, _, _ in counts]
        all_keys, total, self._numbers = _gather([(keys, count) for _, keys, count in counts])
        return all_keys, total

    def advance(self, phrase_of: Int32s) -> None:
        """Go on to the candidates of the next length: key i became ``phrase_of[i]``, -1 being nothing."""

        def advanced(i: int) -> _Block:
            block = self._blocks[i]
            return block.close_up(_next_candidates(block, phrase_of[self._numbers[i]]))

        self._blocks = list(map_in_order(advanced, range(len(self._blocks)), self._useful_threads))


def _gather(tables: list[tuple[Int64s, Int64s]]) -> tuple[Int64s, Int64s, list[Int32s]]:
    """Add up the counts of keys in all blocks; also return the numbers of each block's keys among all."""
    n_most = sum(keys.size for keys, _ in tables)
    all_keys, total = IntegerTable(2 * n_most), np.zeros(n_most, np.int64)
    numbers = []
    for keys, count in tables:
        number = np.empty(keys.size, np.int32)
        all_keys.add(keys, number)
        total[number] += count
        numbers.append(number)
    return all_keys.keys, total[: all_keys.keys.size], numbers
