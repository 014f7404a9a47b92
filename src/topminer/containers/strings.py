"""StringTable: distinct byte strings, numbered by first occurrence.

The id of a string is its rank by first occurrence, so the ids of a corpus do not depend on how the corpus was
cut into batches. No Python object is made per string: kernels read strings eight bytes at a time.

The key of a string of up to fifteen bytes, as nearly all words are, is the string itself: its bytes and its
length in two integers. The key of a longer string is a hash; strings with equal hashes are compared byte by
byte, so the table is exact.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import ranges, starts_of
from topminer.containers.hashing import MULTIPLIER, U32, mix
from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import prefetch

FEW_BYTES = 1 << 14  # of strings; for fewer, Python objects are faster than a query of Polars
SPARE = 24  # bytes after the last string that kernels may read; their values do not matter
Packed = NDArray[np.uint64]  # bytes, eight to an element, followed by SPARE bytes
Places = NDArray[np.int32] | NDArray[np.int64]
AT_ONCE = 64  # strings that are looked up together
CONVERTED_AT_ONCE = 1 << 14  # places of strings, to integers of eight bytes: few enough to stay in the cache
_MARGIN = SPARE + 16  # a string is written in whole integers: what it needs beyond its own bytes
_LONG = np.uint64(1 << 63)  # set in the second half of a key that is a hash
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)  # masks
_ONE, _U8, _U56, _U63 = (np.uint64(i) for i in (1, 8, 56, 63))


class Strings(NamedTuple):
    """Byte strings, one after the other: string i is the bytes bounds[i] to bounds[i + 1]."""

    words: Packed
    bounds: NDArray[np.int64]

    @classmethod
    def from_series(cls, texts: pl.Series) -> Strings:
        """Return the UTF-8 bytes of a column of texts without nulls."""
        data, bounds = utf8_bytes(texts)
        return cls(as_words(data), bounds)

    def _bytes(self) -> NDArray[np.uint8]:
        return self.words.view(np.uint8)[self.bounds[0] : self.bounds[-1]]

    def joined(self) -> bytes:
        """Return the strings in one, each followed by a NUL. No string may contain a NUL."""
        n_strings = self.bounds.size - 1
        is_text = np.ones(self.bounds[-1] - self.bounds[0] + n_strings, np.bool_)
        is_text[self.bounds[1:] - self.bounds[0] + np.arange(n_strings)] = False
        joined = np.zeros(is_text.size, np.uint8)
        joined[is_text] = self._bytes()
        return joined.tobytes()

    def to_list(self) -> list[bytes]:
        """Return the strings as a list."""
        raw = self._bytes().tobytes()
        return [raw[start:stop] for start, stop in pairwise((self.bounds - self.bounds[0]).tolist())]

    def to_series(self, numbers: NDArray[np.int64] | slice = slice(None)) -> pl.Series:
        """Return the strings, or those with these numbers, as a column of texts. They must be UTF-8."""
        raw, bounds = self._bytes().tobytes(), self.bounds - self.bounds[0]
        starts, stops = bounds[:-1][numbers], bounds[1:][numbers]
        if len(raw) < FEW_BYTES:
            spans = zip(starts.tolist(), stops.tolist(), strict=True)
            return pl.Series([raw[start:stop].decode() for start, stop in spans], dtype=pl.String)
        whole = pl.lit(pl.Series([raw]))
        column = whole.bin.slice(pl.col("start"), pl.col("length")).cast(pl.String)
        return pl.DataFrame({"start": starts, "length": stops - starts}).select(column).to_series()

    def chosen(self, numbers: NDArray[np.int64]) -> Strings:
        """Return the strings with these numbers, in this order."""
        starts, stops = self.bounds[:-1][numbers], self.bounds[1:][numbers]
        data = self.words.view(np.uint8)[ranges(starts, stops)]
        return Strings(as_words(data.tobytes()), starts_of(stops - starts))

    def ranges(self, n: int) -> NDArray[np.uint16]:
        """Return which of ``n`` ranges each string's hash falls into. Equal strings have equal ranges."""
        found = np.empty(self.bounds.size - 1, np.uint16)
        _find_ranges(self, n, found)
        return found


def utf8_bytes(texts: pl.Series) -> tuple[bytes, NDArray[np.int64]]:
    """Return the UTF-8 bytes of texts without nulls, one after the other, and where each starts and ends."""
    if texts.estimated_size() < FEW_BYTES:
        encoded = [text.encode() for text in texts.to_list()]
        return b"".join(encoded), starts_of(np.array([len(each) for each in encoded], np.int64))
    return texts.str.join("").cast(pl.Binary).item(), starts_of(texts.str.len_bytes().to_numpy())


def strings_of(texts: list[bytes]) -> Strings:
    """Return byte strings as kernels read them."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return Strings(as_words(b"".join(texts)), starts_of(lengths))


def as_words(data: bytes) -> Packed:
    """Return ``data`` as kernels read it: whole integers, followed by SPARE bytes."""
    padded = bytearray(len(data) + SPARE + 8 - len(data) % 8)
    padded[: len(data)] = data
    return np.frombuffer(padded, np.uint64)


class _Table(NamedTuple):
    slots: NDArray[np.int32]  # a power of two of them: 1 + the id of the string there; 0: free
    keys: NDArray[np.uint64]  # by id, two halves each: frequent strings come early and lie close together
    bounds: NDArray[np.int64]  # string i is the bytes bounds[i] to bounds[i + 1] of data
    data: Packed


@inlined
def _word(words: Packed, at: Int) -> Any:
    """Return the eight bytes from byte ``at`` on."""
    shift = np.uint64(at & 7) * _U8
    low, high = words[at >> 3], words[(at >> 3) + 1]
    return (low >> shift) | ((high << _ONE) << (_U63 - shift))


@inlined
def _key(words: Packed, start: Int, length: Int) -> Any:
    """Return the two halves of a string's key."""
    if length < 16:
        low = _word(words, start) & _FIRST_BYTES[length if length < 8 else 8]
        high = _word(words, start + 8) & _FIRST_BYTES[length - 8 if length > 8 else 0]
        return low, high | (np.uint64(length + 1) << _U56)
    h = np.uint64(length)
    for at in range(start, start + length - 8, 8):
        h = mix(h ^ _word(words, at))
    return mix(h ^ _word(words, start + length - 8)), np.uint64(length) | _LONG


@inlined
def _same(a: Packed, a_start: Int, b: Packed, b_start: Int, length: Int) -> bool:
    """Return whether two strings of ``length``, sixteen bytes or more, are equal."""
    for at in range(0, length - 8, 8):
        if _word(a, a_start + at) != _word(b, b_start + at):
            return False
    return bool(_word(a, a_start + length - 8) == _word(b, b_start + length - 8))


@inlined
def _home(low: np.uint64, high: np.uint64, n_slots: Int) -> Int:
    """Return the slot where the search for a key starts."""
    return np.int64(mix(low ^ (high * MULTIPLIER)) & np.uint64(n_slots - 1))


@inlined
def _write(data: Packed, at: Int, words: Packed, start: Int, length: Int) -> None:
    """Copy a string to byte ``at`` of ``data``. The next string overwrites what lands after its end."""
    shift = np.uint64(at & 7) * _U8
    to = at >> 3
    data[to] &= (_ONE << shift) - _ONE
    for read in range(0, length, 8):
        word = _word(words, start + read)
        data[to] |= word << shift
        to += 1
        data[to] = (word >> _ONE) >> (_U63 - shift)


@bare_kernel
def _look_up(
    table: _Table,
    n: Int,
    words: Packed,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    out: NDArray[np.int32],
    i: Int,
    may_add: bool,
    block: NDArray[np.uint64],
) -> tuple[Int, Int]:
    """Write the ids of the spans from number ``i`` on, until a new string finds the table full.

    A new string is added, or, where ``may_add`` is false, has id -1. Returns how many strings the table holds
    then, and how many spans have an id. ``block`` is room for the keys and slots of some spans: where to look
    is found out for all of them first, so that the look-ups need not wait for memory one after the other.
    """
    slots, keys, bounds, data = table
    lows, highs, homes = block
    while i < starts.size:
        first: Any = i
        stop = first + lows.size if first + lows.size < starts.size else starts.size
        for j in range(stop - first):
            low, high = _key(words, starts[first + j], stops[first + j] - starts[first + j])
            home = _home(low, high, slots.size)
            lows[j], highs[j], homes[j] = low, high, home
            prefetch(slots, home)
        for j in range(stop - first):
            expected = np.int64(slots[np.int64(homes[j])]) - 1
            prefetch(keys, 2 * expected if expected > 0 else 0)
        while i < stop:
            start, length = starts[i], stops[i] - starts[i]
            low, high, at = lows[i - first], highs[i - first], np.int64(homes[i - first])
            found: Int = np.int64(slots[at]) - 1
            while found >= 0:
                same_key = keys[2 * found] == low and keys[2 * found + 1] == high
                if same_key and (high < _LONG or _same(data, bounds[found], words, start, length)):
                    break
                at = (at + 1) & (slots.size - 1)
                found = np.int64(slots[at]) - 1
            if found < 0 and may_add:
                if (
                    2 * n >= slots.size
                    or n + 1 == bounds.size
                    or bounds[n] + length + _MARGIN > 8 * data.size
                ):
                    return n, i
                keys[2 * n], keys[2 * n + 1] = low, high
                _write(data, bounds[n], words, start, length)
                bounds[n + 1] = bounds[n] + length
                found = n
                n += 1
                slots[at] = n
            out[i] = found
            i += 1
    return n, i


@bare_kernel
def _fill(slots: NDArray[np.int32], keys: NDArray[np.uint64], n: Int) -> None:
    """Write the slots of a table of ``n`` strings."""
    for i in range(n):
        at = _home(keys[2 * i], keys[2 * i + 1], slots.size)
        while slots[at] != 0:
            at = (at + 1) & (slots.size - 1)
        slots[at] = i + 1


@bare_kernel
def _find_ranges(strings: Strings, n: Int, out: NDArray[np.uint16]) -> None:
    """Write the range of each string's hash, by its first bits: a table's slots use the last bits."""
    for i in range(out.size):
        start = strings.bounds[i]
        low, high = _key(strings.words, start, strings.bounds[i + 1] - start)
        h = mix(high ^ (low * MULTIPLIER)) * MULTIPLIER
        out[i] = ((h >> U32) * np.uint64(n)) >> U32


class StringTable:
    """Distinct byte strings, numbered by first occurrence.

    >>> table = StringTable()
    >>> table.add_strings(strings_of([b"to", b"be", b"or", b"to"])).tolist()
    [0, 1, 2, 0]
    >>> table.find_strings(strings_of([b"or", b"not"])).tolist()
    [2, -1]
    """

    def __init__(self) -> None:
        self._n = 0
        self._block = np.empty((3, AT_ONCE), np.uint64)
        self._table = _Table(
            np.zeros(1 << 8, np.int32),
            np.empty(1 << 8, np.uint64),
            np.zeros(1 << 7, np.int64),
            np.zeros(1 << 8, np.uint64),
        )

    def __len__(self) -> int:
        return self._n

    def add(self, words: Packed, starts: Places, stops: Places) -> NDArray[np.int32]:
        """Add the bytes ``starts[i]`` to ``stops[i]`` of ``words``, for each i, and return their ids."""
        ids = np.empty(starts.size, np.int32)
        for first in range(0, starts.size, CONVERTED_AT_ONCE):
            some = slice(first, first + CONVERTED_AT_ONCE)
            self._add(
                words,
                starts[some].astype(np.int64, copy=False),
                stops[some].astype(np.int64, copy=False),
                ids[some],
            )
        return ids

    def _add(
        self, words: Packed, starts: NDArray[np.int64], stops: NDArray[np.int64], ids: NDArray[np.int32]
    ) -> None:
        done: Int = 0
        while True:
            n, done = _look_up(self._table, self._n, words, starts, stops, ids, done, True, self._block)
            self._n = int(n)
            if done == starts.size:
                return
            self._grow(int(stops[done] - starts[done]))

    def add_strings(self, strings: Strings) -> NDArray[np.int32]:
        """Add strings, and return their ids."""
        return self.add(strings.words, strings.bounds[:-1], strings.bounds[1:])

    def count(
        self, words: Packed, starts: Places, stops: Places, counts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Add strings as :meth:`add` does. Return how often each id occurred, ``counts`` times before."""
        ids = self.add(words, starts, stops)
        total = np.bincount(ids, minlength=self._n)
        total[: counts.size] += counts
        return total

    def find_strings(self, strings: Strings) -> NDArray[np.int32]:
        """Return the ids of strings, -1 for strings that the table does not have. Nothing is added."""
        starts, stops = strings.bounds[:-1], strings.bounds[1:]
        ids = np.empty(starts.size, np.int32)
        _look_up(self._table, self._n, strings.words, starts, stops, ids, 0, False, self._block)
        return ids

    def _grow(self, n_bytes: int) -> None:
        """Double the arrays that are full; afterwards a string of ``n_bytes`` fits."""
        slots, keys, bounds, data = self._table
        if 2 * self._n >= slots.size:
            slots = np.zeros(2 * slots.size, np.int32)
            _fill(slots, keys, self._n)
        if self._n + 1 == bounds.size:
            bounds = np.concatenate((bounds, np.empty_like(bounds)))
            keys = np.concatenate((keys, np.empty_like(keys)))
        if bounds[self._n] + n_bytes + _MARGIN > 8 * data.size:
            more = max(data.size, (n_bytes + _MARGIN) // 8)
            data = np.concatenate((data, np.empty(more, np.uint64)))
        self._table = _Table(slots, keys, bounds, data)

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Where each string starts, and where the last one ends, in bytes of ``words``."""
        return self._table.bounds[: self._n + 1]

    @property
    def words(self) -> Packed:
        """All strings, one after the other."""
        return self._table.data

    def since(self, n: int = 0) -> Strings:
        """Return the strings from id ``n`` on. They do not change while other strings are added."""
        return Strings(self.words, self.bounds[n:])
