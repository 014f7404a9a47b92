"""Byte strings to small integers: an open-addressing table that no Python object ever enters.

A string's id is its rank by first occurrence, so the ids of a corpus do not depend on how it was cut
into batches. Strings are read eight bytes at a time. One of up to fifteen bytes, as nearly all words are,
is its own key: bytes and length in two integers. The key of a longer one is a hash, and equal hashes are
told apart by their bytes: the table is exact.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.jit import Int, inlined, kernel

SPARE = 24  # bytes behind the last string, which may be read and mean nothing
Words = NDArray[np.uint64]  # bytes, eight to an element, with SPARE more
Places = NDArray[np.int32] | NDArray[np.int64]
_ROOM = SPARE + 16  # what a new string needs beyond its own bytes: it is written in whole integers
_LONG = np.uint64(1 << 63)  # the second halves of keys that are hashes have this bit
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)  # masks
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio
_ONE, _U8, _U32, _U56, _U63 = (np.uint64(i) for i in (1, 8, 32, 56, 63))


class Strings(NamedTuple):
    """Byte strings, one behind the other: string i is the bytes bounds[i] to bounds[i + 1]."""

    words: Words
    bounds: NDArray[np.int64]

    def joined(self) -> bytes:
        """The strings with a NUL behind each; none may hold one."""
        return _with_ends(self.words.view(np.uint8), self.bounds).tobytes()

    def to_list(self) -> list[bytes]:
        """The strings."""
        raw = self.words.view(np.uint8)[self.bounds[0] : self.bounds[-1]].tobytes()
        return [raw[start:stop] for start, stop in pairwise((self.bounds - self.bounds[0]).tolist())]

    def to_series(self) -> pl.Series:
        """The strings, decoded; none may hold a NUL."""
        texts = pl.Series([self.joined()[:-1].decode()]).str.split("\0").explode()
        return texts[: self.bounds.size - 1]  # splitting nothing gives one empty string

    def chosen(self, numbers: NDArray[np.int64]) -> Strings:
        """Some of the strings, in any order."""
        return _chosen(self, numbers)

    def ranges(self, n: int) -> NDArray[np.uint16]:
        """Which of ``n`` ranges of a hash each string falls into; equal strings fall into the same."""
        return _ranges(self, n)


def strings_of(texts: list[bytes]) -> Strings:
    """Some byte strings as kernels read them."""
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=bounds[1:])
    return Strings(as_words(b"".join(texts)), bounds)


class _Table(NamedTuple):
    slots: NDArray[np.int32]  # a power of two of them: 1 + the id of the string that is there, 0: none
    keys: NDArray[np.uint64]  # by id, two halves each: what is frequent comes early and lies together
    bounds: NDArray[np.int64]  # string i is the bytes bounds[i] to bounds[i + 1] of data
    data: Words


def as_words(data: bytes) -> Words:
    """``data`` as kernels read it."""
    padded = bytearray(len(data) + SPARE + 8 - len(data) % 8)
    padded[: len(data)] = data
    return np.frombuffer(padded, np.uint64)


@inlined
def _word(words: Words, at: Int) -> Any:
    """The eight bytes from byte ``at`` on."""
    shift = np.uint64(at & 7) * _U8
    low, high = words[at >> 3], words[(at >> 3) + 1]
    return (low >> shift) | ((high << _ONE) << (_U63 - shift))


@inlined
def _key(words: Words, start: Int, length: Int) -> Any:
    """The two halves of a string's key."""
    if length < 16:
        low = _word(words, start) & _FIRST_BYTES[min(length, 8)]
        high = _word(words, start + 8) & _FIRST_BYTES[max(length - 8, 0)]
        return low, high | (np.uint64(length + 1) << _U56)
    h = np.uint64(length)
    for at in range(start, start + length - 8, 8):
        h = (h ^ _word(words, at)) * _MULTIPLIER
        h ^= h >> _U32
    h = (h ^ _word(words, start + length - 8)) * _MULTIPLIER
    return h ^ (h >> _U32), np.uint64(length) | _LONG


@inlined
def _same(a: Words, a_start: Int, b: Words, b_start: Int, length: Int) -> bool:
    """Whether two strings of ``length``, sixteen bytes or more, are equal."""
    for at in range(0, length - 8, 8):
        if _word(a, a_start + at) != _word(b, b_start + at):
            return False
    return bool(_word(a, a_start + length - 8) == _word(b, b_start + length - 8))


@inlined
def _home(low: np.uint64, high: np.uint64, n_slots: Int) -> Int:
    """The slot where the search for a key starts."""
    h = (low ^ (high * _MULTIPLIER)) * _MULTIPLIER
    return np.int64((h ^ (h >> _U32)) & np.uint64(n_slots - 1))


@inlined
def _write(data: Words, at: Int, words: Words, start: Int, length: Int) -> None:
    """Copy a string to byte ``at`` of ``data``; what lands behind its end is written over by the next."""
    shift = np.uint64(at & 7) * _U8
    to = at >> 3
    data[to] &= (_ONE << shift) - _ONE
    for read in range(0, length, 8):
        word = _word(words, start + read)
        data[to] |= word << shift
        to += 1
        data[to] = (word >> _ONE) >> (_U63 - shift)


@kernel
def _intern(
    table: _Table,
    n: Int,
    words: Words,
    starts: Places,
    stops: Places,
    out: NDArray[np.int32],
    i: Int,
) -> tuple[Int, Int]:
    """Give ids to the spans from number ``i`` on, until a new string finds no room.

    Returns how many strings the table holds then, and how many spans have an id.
    """
    slots, keys, bounds, data = table
    while i < starts.size:
        start = np.int64(starts[i])
        length = np.int64(stops[i]) - start
        low, high = _key(words, start, length)
        at = _home(low, high, slots.size)
        found: Int = np.int64(slots[at]) - 1
        while found >= 0:
            same_key = keys[2 * found] == low and keys[2 * found + 1] == high
            if same_key and (high < _LONG or _same(data, bounds[found], words, start, length)):
                break
            at = (at + 1) & (slots.size - 1)
            found = np.int64(slots[at]) - 1
        if found < 0:
            if 2 * n >= slots.size or n + 1 == bounds.size or bounds[n] + length + _ROOM > 8 * data.size:
                break
            keys[2 * n], keys[2 * n + 1] = low, high
            _write(data, bounds[n], words, start, length)
            bounds[n + 1] = bounds[n] + length
            found = n
            n += 1
            slots[at] = n
        out[i] = found
        i += 1
    return n, i


@kernel
def _slots(keys: NDArray[np.uint64], n: Int, n_slots: Int) -> NDArray[np.int32]:
    """Slots for ``n`` strings."""
    slots = np.zeros(n_slots, np.int32)
    for i in range(n):
        at = _home(keys[2 * i], keys[2 * i + 1], n_slots)
        while slots[at] != 0:
            at = (at + 1) & (n_slots - 1)
        slots[at] = i + 1
    return slots


@kernel
def _with_ends(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Strings with a NUL behind each."""
    n = bounds.size - 1
    out = np.empty(bounds[n] - bounds[0] + n, np.uint8)
    at = 0
    for i in range(n):
        for read in range(bounds[i], bounds[i + 1]):
            out[at] = data[read]
            at += 1
        out[at] = 0
        at += 1
    return out


@kernel
def _chosen(strings: Strings, numbers: NDArray[np.int64]) -> Strings:
    """Some strings, one behind the other."""
    bounds = np.zeros(numbers.size + 1, np.int64)
    for i in range(numbers.size):
        bounds[i + 1] = bounds[i] + strings.bounds[numbers[i] + 1] - strings.bounds[numbers[i]]
    words = np.zeros((bounds[numbers.size] + _ROOM) // 8 + 1, np.uint64)
    for i in range(numbers.size):
        _write(words, bounds[i], strings.words, strings.bounds[numbers[i]], bounds[i + 1] - bounds[i])
    return Strings(words, bounds)


@kernel
def _ranges(strings: Strings, n: Int) -> NDArray[np.uint16]:
    """The range of each string's hash, by its first bits: those of a table's slots are its last."""
    out = np.empty(strings.bounds.size - 1, np.uint16)
    for i in range(out.size):
        start = strings.bounds[i]
        low, high = _key(strings.words, start, strings.bounds[i + 1] - start)
        h = (high ^ (low * _MULTIPLIER)) * _MULTIPLIER
        h = (h ^ (h >> _U32)) * _MULTIPLIER
        out[i] = ((h >> _U32) * np.uint64(n)) >> _U32
    return out


class Interner:
    """Distinct byte strings, numbered by first occurrence."""

    def __init__(self) -> None:
        self._n = 0
        self._table = _Table(
            np.zeros(1 << 12, np.int32),
            np.empty(1 << 12, np.uint64),
            np.zeros(1 << 11, np.int64),
            np.zeros(1 << 11, np.uint64),
        )

    def __len__(self) -> int:
        return self._n

    def add(self, words: Words, starts: Places, stops: Places) -> NDArray[np.int32]:
        """Ids of the bytes ``starts[i]`` to ``stops[i]`` of ``words``, for each i."""
        ids = np.empty(starts.size, np.int32)
        done: Int = 0
        while True:
            n, done = _intern(self._table, self._n, words, starts, stops, ids, done)
            self._n = int(n)
            if done == starts.size:
                return ids
            self._grow(room_for=int(stops[done] - starts[done]))

    def add_strings(self, strings: Strings) -> NDArray[np.int32]:
        """Ids of strings."""
        return self.add(strings.words, strings.bounds[:-1], strings.bounds[1:])

    def _grow(self, room_for: int) -> None:
        """Double whatever may be full."""
        slots, keys, bounds, data = self._table
        if 2 * self._n >= slots.size:
            slots = _slots(keys, self._n, 2 * slots.size)
        if self._n + 1 == bounds.size:
            bounds = np.concatenate((bounds, np.empty_like(bounds)))
            keys = np.concatenate((keys, np.empty_like(keys)))
        if bounds[self._n] + room_for + _ROOM > 8 * data.size:
            more = max(data.size, (room_for + _ROOM) // 8)
            data = np.concatenate((data, np.empty(more, np.uint64)))
        self._table = _Table(slots, keys, bounds, data)

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Where each string starts, and the last one ends, in bytes of ``words``."""
        return self._table.bounds[: self._n + 1]

    @property
    def words(self) -> Words:
        """All strings, one behind the other."""
        return self._table.data

    def since(self, n: int = 0) -> Strings:
        """The strings from number ``n`` on; they stay as they are while others are added."""
        return Strings(self.words, self.bounds[n:])
