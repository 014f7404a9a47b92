"""Things that are stored in memory, with the methods of :class:`Writer` and :class:`Reader`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self, TypeAlias

import polars as pl
from numpy.typing import NDArray

from topminer.store.reader import Reader, Stored
from topminer.store.writer import Writer


class MemoryWriter:
    """Collects a thing, and passes it to ``keep`` when it is finished."""

    def __init__(self, keep: Callable[[Stored], object] | None = None) -> None:
        self.stored = Stored({}, {}, {})
        self._keep = keep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write(self, arrays: Mapping[str, NDArray[Any]], tables: Mapping[str, pl.DataFrame]) -> None:
        """Keep whole arrays and tables."""
        so_far = self.stored
        self.stored = Stored(so_far.facts, {**so_far.arrays, **arrays}, {**so_far.tables, **tables})

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Complete the thing with its facts."""
        self.stored = Stored(dict(facts), self.stored.arrays, self.stored.tables)
        if self._keep is not None:
            self._keep(self.stored)


class MemoryReader:
    """A thing in memory. Another process receives its arrays, but not its tables: texts may be long."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    def __reduce__(self) -> tuple[Any, ...]:
        return MemoryReader, (Stored({}, self._stored.arrays, {}),)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts."""
        return self._stored.facts

    def array(self, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Return an array from ``start`` to ``stop``."""
        return self._stored.arrays[name][start:stop]

    def lazy_array(self, name: str) -> NDArray[Any]:
        """Return a whole array."""
        return self._stored.arrays[name]

    def lengths(self) -> dict[str, int]:
        """Return the length of every array."""
        return {name: len(array) for name, array in self._stored.arrays.items()}

    def table(self, name: str) -> pl.DataFrame:
        """Return a whole table."""
        return self._stored.tables[name]

    def stored(self) -> Stored:
        """Return everything."""
        return self._stored


class MemoryCheckpoint:
    """The finished steps of a run that cannot be resumed by another process."""

    def __init__(self) -> None:
        self._kept: dict[str, Stored] = {}
        self._n_saved = 0

    def writer(self, kind: str) -> MemoryWriter:
        """Return a writer, to save the result of a step."""

        def keep(stored: Stored) -> None:
            self._kept[kind] = stored
            self._n_saved += 1

        return MemoryWriter(keep)

    def reader(self, kind: str) -> MemoryReader | None:
        """Return a reader of what was saved last, or None."""
        return MemoryReader(self._kept[kind]) if kind in self._kept else None

    def stored(self) -> int:
        """Return how many results were stored so far."""
        return self._n_saved


AnyWriter: TypeAlias = Writer | MemoryWriter
AnyReader: TypeAlias = Reader | MemoryReader
