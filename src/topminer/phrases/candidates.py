"""Candidates of Algorithm 1: places where a longer frequent phrase may start, and their counts.

A place that is no longer a candidate is not visited again, and neither is a document without candidates.

Most candidates are rare, and a hash table of all of them would not fit into a cache. So each length is
counted in two passes. The first counts by *cell*: the key of a candidate is hashed to a cell of an array of
small counters, and different keys may share a cell. The second counts exactly, but only the *likely*
candidates, those whose cell has at least the minimum support. No frequent phrase is lost, because its cell
counts all its places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import count_known
from topminer.containers.hashing import MULTIPLIER, U32
from topminer.containers.integers import IntegerTable
from topminer.engines.local import map_in_order
from topminer.jit import bare_kernel, inlined
from topminer.phrases.sequence import Bools, Int32s, Int64s, Sequence

Cells = NDArray[np.uint8] | NDArray[np.uint32]

_MIN_BLOCK, _MAX_BLOCK = 1 << 16, 1 << 30  # tokens: fewer do not repay a thread, more exceed 32-bit positions
_PIECE = 1 << 10
_RUN = 1 << 18  # candidates of which a thread holds the keys at a time
_MIN_CELL_BITS, _MAX_CELL_BITS = 10, 30


class _Block(NamedTuple):
    """A run of chunks with its candidates, which one thread works on."""

    stems: Int32s
    chunk_start: Int64s  # counted from the start of the corpus
    is_counted: Bools  # whether each chunk is counted
    longest: Int32s  # the longest frequent phrase found so far that starts at each token (phrase_tree.py)
    position: Int32s  # of each candidate, counted from the start of the block
    phrase: Int32s  # the frequent phrase that starts there: the candidate without its last word

    def run(self, start: int, stop: int) -> _Block:
        """Return the block with the candidates from ``start`` to ``stop`` alone; nothing is copied."""
        return self._replace(position=self.position[start:stop], phrase=self.phrase[start:stop])

    def keep_first(self, n: int) -> _Block:
        """Keep the first ``n`` candidates."""
        return self.run(0, n)


@bare_kernel
def _count_stems(block: _Block, count: Int64s) -> None:
    """Add the stems of counted chunks."""
    stems, chunk_start, is_counted, _, _, _ = block
    for c in range(is_counted.size):
        for i in range(chunk_start[c] - chunk_start[0], chunk_start[c + 1] - chunk_start[0]):
            count[stems[i]] += is_counted[c]


@bare_kernel
def _first_candidates(block: _Block, frequent: Bools) -> int:
    """Write the places in counted chunks where two frequent words stand side by side; return their number."""
    stems, chunk_start, is_counted, _, position, phrase = block
    n, chunk = 0, 1
    here = frequent[stems[0]]
    for i in range(stems.size - 1):
        there = frequent[stems[i + 1]]
        ends = chunk_start[chunk] - chunk_start[0] == i + 1
        position[n], phrase[n] = i, stems[i]
        n += here and there and is_counted[chunk - 1] and not ends
        chunk += ends
        here = there
    return n


@inlined
def _key(phrase: np.int32, stem: np.int32, n_stems: int) -> np.int64:
    """Return a candidate's phrase and last word as one number."""
    return np.int64(phrase) * n_stems + stem


@inlined
def _cell(key: np.int64, n_cells: int) -> np.int64:
    return np.int64((np.uint64(key) * MULTIPLIER >> U32) & np.uint64(n_cells - 1))


@bare_kernel
def _count_by_cell(block: _Block, length: int, n_stems: int, cells: Cells, most: int) -> None:
    """Count the candidates of ``length`` words by cell, up to ``most`` in each."""
    stems, _, _, _, position, phrase = block
    for k in range(position.size):
        cell = _cell(_key(phrase[k], stems[position[k] + length - 1], n_stems), cells.size)
        cells[cell] += cells[cell] < most


@bare_kernel
def _likely_keys(
    block: _Block,
    length: int,
    n_stems: int,
    cells: Cells,
    enough: int,
    key: Int64s,
    likely: Bools,
    keys: Int64s,
) -> int:
    """Move the likely candidates to the front, write their keys to ``keys``, and return their number.

    Each piece takes three loops: without writes between them, many reads from ``cells`` run at the same time.
    A piece has the size of ``key`` and ``likely``.
    """
    stems, _, _, _, position, phrase = block
    n = 0
    for start in range(0, position.size, key.size):
        size = key.size if position.size - start > key.size else position.size - start
        for k in range(size):
            key[k] = _key(phrase[start + k], stems[position[start + k] + length - 1], n_stems)
        for k in range(size):
            likely[k] = cells[_cell(key[k], cells.size)] >= enough
        for k in range(size):
            keys[n], position[n] = key[k], position[start + k]
            n += likely[k]
    return n


@bare_kernel
def _next_candidates(block: _Block, phrase_of: Int32s) -> int:
    """Move the candidates of the next length to the front, and return their number; note the longest phrases.

    ``block.phrase`` holds the number of each candidate's key, and ``phrase_of`` the id of the phrase that a
    key has become, -1 if it is rare.
    """
    _, _, _, longest, position, phrase = block
    n = 0
    before, phrase_before = np.int32(-2), np.int32(0)
    for k in range(position.size):
        here, phrase_here = position[k], phrase_of[phrase[k]]
        if phrase_here >= 0:
            longest[here] = phrase_here
            position[n], phrase[n] = before, phrase_before
            n += before + 1 == here
            before, phrase_before = here, phrase_here
    return n


def _blocks(sequence: Sequence, longest: Int32s, n_threads: int) -> list[_Block]:
    """Cut a sequence between chunks into blocks of about the same size."""
    n_tokens = sequence.ids.size
    n_blocks = max(min(n_threads, n_tokens // _MIN_BLOCK), -(-n_tokens // _MAX_BLOCK))
    blocks = []
    for part in sequence.cut_near(np.linspace(0, n_tokens, n_blocks + 1).astype(np.int64)):
        start, stop = part.chunk_start[[0, -1]] - sequence.chunk_start[0]
        n_chunks = part.chunk_start.size - 1
        is_counted = np.ones(n_chunks, np.bool_) if part.is_counted is None else part.is_counted
        position, phrase = np.empty((2, part.ids.size), np.int32)
        blocks.append(_Block(part.ids, part.chunk_start, is_counted, longest[start:stop], position, phrase))
    return blocks


def _empty_cells(n_candidates: int, min_support: int) -> Cells:
    """Return enough cells that few keys share one; a cell can count to ``min_support``."""
    n_bits = (4 * n_candidates // min_support).bit_length()
    n_cells = 1 << min(max(n_bits, _MIN_CELL_BITS), _MAX_CELL_BITS)
    return np.zeros(n_cells, np.uint8) if min_support <= 255 else np.zeros(n_cells, np.uint32)


class Blocks:
    """A sequence, cut into blocks for threads: a whole corpus, or the documents of one worker.

    ``longest`` has the longest frequent phrase so far that starts at each atom of a counted chunk.
    """

    def __init__(self, sequence: Sequence, n_stems: int, n_threads: int) -> None:
        self.longest = sequence.ids.copy()
        self._blocks = _blocks(sequence, self.longest, n_threads)
        self._n_stems, self._n_threads = n_stems, n_threads
        self._numbers: list[Int32s] = []  # by block: the numbers of its likely keys among those of all blocks

    @property
    def n_candidates(self) -> int:
        """The number of candidates left."""
        return sum(block.position.size for block in self._blocks)

    @property
    def _useful_threads(self) -> int:
        return self._n_threads if self.n_candidates >= _MIN_BLOCK else 1

    def count_stems(self) -> Int64s:
        """Return how often each stem occurs."""

        def counted(block: _Block) -> Int64s:
            count = np.zeros(self._n_stems, np.int64)
            _count_stems(block, count)
            return count

        count = np.zeros(self._n_stems, np.int64)
        for some in map_in_order(counted, self._blocks, self._n_threads):
            count += some
        return count

    def start(self, frequent: Bools) -> None:
        """Make every place a candidate where two frequent stems stand side by side in a chunk."""

        def started(block: _Block) -> _Block:
            return block.keep_first(_first_candidates(block, frequent))

        self._blocks = list(map_in_order(started, self._blocks, self._n_threads))

    def count(self, length: int, first_id: int, min_support: int) -> tuple[Int64s, Int64s]:
        """Count the candidates of one length, then replace them by those of the next; see mining.py."""
        cells = self.count_by_cell(length, self.n_candidates, min_support)
        keys, total = self.count_likely(length, cells, min_support)
        frequent = total >= min_support
        self.advance(np.where(frequent, first_id - 1 + np.cumsum(frequent), -1).astype(np.int32))
        return keys[frequent], total[frequent]

    def count_by_cell(self, length: int, n_candidates: int, min_support: int) -> Cells:
        """Count the candidates of one length by cell; ``n_candidates`` includes those of other workers."""

        def counted(block: _Block) -> Cells:
            cells = _empty_cells(n_candidates, min_support)
            _count_by_cell(block, length, self._n_stems, cells, np.iinfo(cells.dtype).max)
            return cells

        cells, *more_cells = list(map_in_order(counted, self._blocks, self._useful_threads)) or [
            _empty_cells(n_candidates, min_support)
        ]
        for more in more_cells:
            cells += np.minimum(more, np.iinfo(cells.dtype).max - cells)
        return cells

    def count_likely(self, length: int, cells: Cells, min_support: int) -> tuple[Int64s, Int64s]:
        """Keep the likely candidates; return their distinct keys, by first occurrence, and counts."""
        enough = min(min_support, np.iinfo(cells.dtype).max)

        def counted(block: _Block) -> tuple[_Block, Int64s, Int64s]:
            keys = np.empty(min(_RUN, block.position.size), np.int64)
            piece = np.empty(_PIECE, np.int64), np.empty(_PIECE, np.bool_)
            numbering, n = IntegerTable(block.position.size // (4 * min_support)), 0
            for start in range(0, block.position.size, _RUN):
                run = block.run(start, start + _RUN)
                n_likely = _likely_keys(run, length, self._n_stems, cells, enough, *piece, keys)
                block.position[n : n + n_likely] = run.position[:n_likely]
                numbering.add(keys[:n_likely], out=block.phrase[n : n + n_likely])
                n += n_likely
            block = block.keep_first(n)
            return block, numbering.keys, count_known(block.phrase, numbering.keys.size)

        counts = list(map_in_order(counted, self._blocks, self._useful_threads))
        self._blocks = [block for block, _, _ in counts]
        all_keys, total, self._numbers = _gather([(keys, count) for _, keys, count in counts])
        return all_keys, total

    def advance(self, phrase_of: Int32s) -> None:
        """Go on to the candidates of the next length; key i has become ``phrase_of[i]``, -1 if it is rare."""

        def advanced(i: int) -> _Block:
            block = self._blocks[i]
            return block.keep_first(_next_candidates(block, phrase_of[self._numbers[i]]))

        self._blocks = list(map_in_order(advanced, range(len(self._blocks)), self._useful_threads))


def _gather(tables: list[tuple[Int64s, Int64s]]) -> tuple[Int64s, Int64s, list[Int32s]]:
    """Add up the counts of all blocks by key; also return the number of each block's keys among all keys."""
    n_most = sum(keys.size for keys, _ in tables)
    all_keys, total = IntegerTable(2 * n_most), np.zeros(n_most, np.int64)
    numbers = []
    for keys, count in tables:
        number = np.empty(keys.size, np.int32)
        all_keys.add(keys, number)
        total[number] += count
        numbers.append(number)
    return all_keys.keys, total[: all_keys.keys.size], numbers
