"""Arrays and tables that are spread over the workers, a piece on each, in the order of the workers.

Workers store them on disk; in memory, the driver collects them. The files of a stored array (see
topminer.store) have fixed bounds, so a file may hold the end of one worker's piece and the start of the next.
The worker that has most of a file writes it, and the others send it the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer import store
from topminer.engines.contract import Placed, run_alike


class Own(NamedTuple):
    """A piece that the writing worker has itself."""

    name: str
    start: int
    stop: int


class Held:
    """The arrays and tables of one worker, by name. Workers inherit from it."""

    held: dict[str, NDArray[Any] | pl.DataFrame]

    def __init__(self, held: Mapping[str, NDArray[Any] | pl.DataFrame] | None = None) -> None:
        super().__init__()  # others may be inherited from beside this
        self.held = dict(held or {})

    def lengths(self, names: list[str]) -> list[tuple[int, bool]]:
        """Return the length of each, and whether it is a table."""
        return [(len(self.held[name]), isinstance(self.held[name], pl.DataFrame)) for name in names]

    def piece(self, name: str, start: int, stop: int | None) -> NDArray[Any] | pl.DataFrame:
        """Return a slice, counted from the first element on this worker."""
        return self.held[name][start:stop]

    def write(self, path: Path, *pieces: Own | NDArray[Any] | pl.DataFrame) -> str:
        """Write one file from pieces of several workers. Return its checksum."""
        found: list[Any] = [self.piece(*each) if isinstance(each, Own) else each for each in pieces]
        if isinstance(found[0], pl.DataFrame):
            return store.write_table(path, found[0] if len(found) == 1 else pl.concat(found))
        return store.write_array(path, found[0] if len(found) == 1 else np.concatenate(found))


def store_held(placed: Placed, writer: store.AnyWriter, names: Mapping[str, str]) -> None:
    """Store what the workers hold; ``placed`` are :class:`Held`. All must see the writer's folder.

    ``names`` maps each name to be stored under to the name it is held by.
    """
    engine, held = placed.engine, list(names.values())
    if isinstance(writer, store.MemoryWriter):
        _collect(placed, writer, names)
        return
    lengths = run_alike(placed, "lengths", held)
    checksums: dict[str, Any] = {}
    with writer.writing():
        for i, (name, held_name) in enumerate(names.items()):
            ends = list(accumulate(each[i][0] for each in lengths))
            ending = "parquet" if lengths[0][i][1] else "npy"
            for file, start, stop in store.part_files(name, ends[-1], ending):
                pieces = _pieces(held_name, ends, start, stop)
                most = max(pieces, key=lambda worker: pieces[worker].stop - pieces[worker].start)
                sent = [
                    own if worker == most else placed.keep_on(worker, "piece", *own)
                    for worker, own in pieces.items()
                ]
                checksums[file] = placed.keep_on(most, "write", writer.folder / file, *sent)
        writer.files.update(zip(checksums, engine.here(list(checksums.values())), strict=True))


def _collect(placed: Placed, writer: store.MemoryWriter, names: Mapping[str, str]) -> None:
    """Store what the workers hold in memory."""
    for name, held_name in names.items():
        pieces = run_alike(placed, "piece", held_name, 0, None)
        if isinstance(pieces[0], pl.DataFrame):
            writer.write({}, {name: pl.concat(pieces)})
        else:
            writer.write({name: np.concatenate(pieces) if len(pieces) > 1 else pieces[0]}, {})


def _pieces(name: str, ends: list[int], start: int, stop: int) -> dict[int, Own]:
    """Return the slice of each worker in a range. Of an empty range, the first worker has an empty slice."""
    pieces = {}
    for worker, (first, behind) in enumerate(zip([0, *ends], ends, strict=False)):
        low, high = max(start, first), min(stop, behind)
        if low < high:
            pieces[worker] = Own(name, low - first, high - first)
    return pieces or {0: Own(name, 0, 0)}
