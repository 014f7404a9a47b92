"""Reductions over all workers: distinct strings numbered and counted, and sums of long vectors.

Each worker numbers the distinct strings that it saw. This module merges them into one numbering for the
corpus. Every worker splits its strings into as many ranges as there are workers, by a hash, and sends one
range to each worker. The worker that has all strings of a range counts them. Those that are frequent enough
go to the driver, each once, which puts them in order. The driver sends back only numbers::

    worker 0   a b c          range 0   a: 2, first at (0, 0)         driver   a 0, b 1, c 2, d 3
    worker 1   d a b     →              d: 1, first at (1, 0)    →
                              range 1   b: 2, first at (0, 1)         worker 0   0 1 2
                                        c: 1, first at (0, 2)         worker 1   3 0 1

Strings are numbered by first occurrence, worker after worker, so the numbers do not depend on how many
workers there are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.strings import Strings, StringTable, as_words
from topminer.engines.contract import Placed
from topminer.topics.sampler.exchange import own

_PLACE_BITS = 32  # a place is the worker and, in the lower bits, the number of the string on the worker


class Counted(NamedTuple):
    """Distinct strings, and how often each occurs."""

    strings: Strings
    counts: NDArray[np.int64]


class _Piece(NamedTuple):
    """A worker's strings of one range, or a range's frequent strings."""

    strings: Strings
    counts: NDArray[np.int64]
    places: NDArray[np.int64]


class _Range(NamedTuple):
    """The entry of each worker's strings in a range, and which entries are frequent."""

    entries: list[NDArray[np.int32]]
    frequent: NDArray[np.int64]
    n_entries: int


class Distinct:
    """The worker's side of numbering strings; workers inherit from it.

    ``offered`` has, by name, the worker's strings, distinct and by first occurrence, and how often it has
    each. When they are numbered, ``numbers`` has the number of each instead; -1 for one that is not frequent.
    """

    def __init__(self) -> None:
        super().__init__()
        self.offered: dict[str, tuple[Strings, NDArray[np.int64]]] = {}
        self.numbers: dict[str, NDArray[np.int32]] = {}
        self._order: dict[str, NDArray[np.int64]] = {}  # by range, the strings that were offered
        self._ranges: dict[str, _Range] = {}

    def cut_offered(self, name: str, n_ranges: int) -> Any:
        """Split the offered strings into ranges."""
        strings, counts = self.offered.pop(name)
        ranges = strings.ranges(n_ranges)
        order = self._order[name] = np.argsort(ranges, kind="stable")
        ends = np.cumsum(np.bincount(ranges, minlength=n_ranges))[:-1]
        pieces = [_Piece(strings.chosen(each), counts[each], each) for each in np.split(order, ends)]
        return tuple(pieces) if n_ranges > 1 else pieces[0]

    def reduce_range(self, name: str, least: int, *pieces: _Piece) -> _Piece:
        """Count the strings of a range on all workers. Return the frequent ones."""
        interner, entries = StringTable(), []
        n_strings = sum(piece.counts.size for piece in pieces)
        counts, places = np.zeros(n_strings, np.int64), np.zeros(n_strings, np.int64)
        for worker, piece in enumerate(pieces):
            n_known = len(interner)
            entry = interner.add_strings(own(piece.strings))
            counts[entry] += piece.counts  # no entry is here twice: a worker's strings are distinct
            is_new = entry >= n_known
            places[entry[is_new]] = piece.places[is_new] + (worker << _PLACE_BITS)
            entries.append(entry)
        frequent = np.flatnonzero(counts[: len(interner)] >= least)
        self._ranges[name] = _Range(entries, frequent, len(interner))
        return _Piece(interner.since().chosen(frequent), counts[frequent], places[frequent])

    def answer_range(self, name: str, numbers: NDArray[np.int32]) -> Any:
        """Return the numbers of each worker's strings, given those of the frequent strings of a range."""
        entries, frequent, n_entries = self._ranges.pop(name)
        number_of = np.full(n_entries, -1, np.int32)
        number_of[frequent] = numbers
        answers = [number_of[entry] for entry in entries]
        return tuple(answers) if len(answers) > 1 else answers[0]

    def take_numbers(self, name: str, *answers: NDArray[np.int32]) -> None:
        """Take over the numbers of all ranges."""
        order = self._order.pop(name)
        self.numbers[name] = np.empty(order.size, np.int32)
        self.numbers[name][order] = np.concatenate(answers)


def number(placed: Placed, name: str, least: int = 1) -> Counted:
    """Number the distinct strings that the workers, which are :class:`Distinct`, offer under a name.

    Strings that occur less often than ``least`` get no number. The others are returned by number.
    """
    pieces = exchanged(placed, "cut_offered", name, len(placed.engine.threads))
    found: list[_Piece] = placed.run("reduce_range", [(name, least, *each) for each in pieces])
    del pieces
    order = np.argsort(np.concatenate([each.places for each in found]), kind="stable")
    numbers = np.empty(order.size, np.int32)
    numbers[order] = np.arange(order.size)
    ends = np.cumsum([each.counts.size for each in found])[:-1]
    answers = _exchanged(placed, "answer_range", [(name, each) for each in np.split(numbers, ends)])
    placed.run("take_numbers", [(name, *each) for each in answers])
    counts = np.concatenate([each.counts for each in found])[order]
    return Counted(_joined([each.strings for each in found]).chosen(order), counts)


def exchanged(placed: Placed, method: str, *arguments: Any) -> list[list[Any]]:
    """Call a method that returns a value for each worker. Return the kept values that each receives."""
    return _exchanged(placed, method, [arguments] * len(placed.engine.threads))


def _exchanged(placed: Placed, method: str, arguments: list[tuple[Any, ...]]) -> list[list[Any]]:
    kept = placed.keep(method, arguments, n_results=len(arguments))
    return [kept] if len(kept) == 1 else [list(each) for each in zip(*kept, strict=True)]


def _joined(parts: list[Strings]) -> Strings:
    """Join several lists of strings."""
    data = [each.words.view(np.uint8)[: each.bounds[-1]] for each in parts]
    starts = np.cumsum([0, *(each.size for each in data)])
    bounds = [each.bounds[1:] + start for each, start in zip(parts, starts, strict=False)]
    return Strings(as_words(np.concatenate(data).tobytes()), np.concatenate([[0], *bounds]))


# ---------------------------------------------------------------------------------------------------- sums


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


def summed(placed: Placed, method: str, *arguments: Any) -> list[Any]:
    """Add up the vectors of whole numbers that a method of the workers, which are :class:`Sums`, returns.

    The sum is a list of kept values: as many ranges of it as there are workers.
    """
    pieces = exchanged(placed, "cut_vector", len(placed.engine.threads), method, *arguments)
    return placed.keep("add_range", [tuple(each) for each in pieces])


def total(placed: Placed, method: str, *arguments: Any) -> NDArray[np.int64]:
    """Return the whole sum of :func:`summed`, here."""
    return np.concatenate(placed.engine.here(summed(placed, method, *arguments)))
