"""Writes a stored thing, as a whole: also while another process writes to the same directory."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.store.contents import Contents
from topminer.store.files import checksum, open_file, sync, write_array, write_table
from topminer.store.reader import FORMAT, Reader, Stored
from topminer.store.schema import Format, stored_name
from topminer.store.unfinished import locked_if_possible, remove, remove_abandoned, unfinished

PART_SIZE = 1 << 24  # elements of an array to a file: bounds depend on nothing but the array
PART_ROWS = 1 << 20  # rows of a table to a file


def bounds(size: int, part_size: int) -> list[tuple[int, int]]:
    """Return where each part starts and stops. A size of 0 is one empty part.

    >>> bounds(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + part_size, size)) for start in range(0, max(size, 1), part_size)]


def part_files(name: str, size: int, ending: str) -> list[tuple[str, int, int]]:
    """Return the files of an array ("npy") or a table ("parquet"), each with where it starts and stops."""
    cuts = bounds(size, PART_SIZE if ending == "npy" else PART_ROWS)
    return [(f"{name}.{number:04}.{ending}", start, stop) for number, (start, stop) in enumerate(cuts)]


class Writer:
    """A thing that is being stored. Before it is finished, also other processes write parts to its folder.

    A context manager: on exit, a thing that is not finished is removed. Several writers may work in one
    directory at once: each has a folder of its own, and finishes while it holds the directory's lock.
    """

    folder: Path  # where to write the parts, under the names of :func:`part_files`
    files: dict[str, str]  # the checksum of every file that was written, here or by another process

    def __init__(self, directory: Path, form: Format, *, overwrite: bool) -> None:
        if directory.exists() and not directory.is_dir():
            raise InputError(f"{directory}: is a file; expected a directory to write a {form.kind} to")
        self._directory, self._form = directory.absolute(), form
        self._overwrite = overwrite
        self._refuse_to_replace()
        self.files = {}

    def _refuse_to_replace(self) -> None:
        kind = self._form.kind
        if not self._overwrite and (self._directory / f"{kind}.json").exists():
            raise InputError(
                f"{self._directory}: holds a {kind} already; overwrite=True (--overwrite) replaces it"
            )

    def __enter__(self) -> Self:
        with self.writing():
            self._directory.mkdir(parents=True, exist_ok=True)
            self._unfinished = unfinished(self._directory, folder=True)
            self.folder = self._unfinished.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._unfinished.__exit__(None, None, None)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn an error of the disk into an InputError that says what could not be written."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{self._directory}: cannot write the {self._form.kind}: {reason}") from None

    def write(self, arrays: Mapping[str, NDArray[Any]], tables: Mapping[str, pl.DataFrame]) -> None:
        """Write whole arrays and tables."""
        with self.writing():
            for name, array in arrays.items():
                for file, start, stop in part_files(name, len(array), "npy"):
                    self.files[file] = write_array(self.folder / file, array[start:stop])
            for name, table in tables.items():
                for file, start, stop in part_files(name, table.height, "parquet"):
                    self.files[file] = write_table(self.folder / file, table[start:stop])

    def write_section(self, section: str, stored: Stored) -> None:
        """Write all arrays and tables of a thing as a section of this one."""
        self.write(
            {stored_name(section, name): array for name, array in stored.arrays.items()},
            {stored_name(section, name): table for name, table in stored.tables.items()},
        )

    def link(self, reader: Reader, names: Mapping[str, str]) -> None:
        """Link arrays and tables of another thing, or copy them, each under a new name."""
        with self.writing():
            for name, new in names.items():
                for path, known in reader.parts(name):
                    file = new + path.name.removeprefix(name)
                    _link(path, self.folder / file)
                    self.files[file] = known

    def link_section(self, section: str, reader: Reader, *, leave_out: Collection[str] = ()) -> None:
        """Link all arrays and tables of another thing as a section of this one."""
        names = [name for name in (*reader.arrays, *reader.tables) if name not in leave_out]
        self.link(reader, {name: stored_name(section, name) for name in names})

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Store the thing: replace the manifest, and remove what the old manifest named.

        Raises ValueError if what was written is not as declared.
        """
        directory, kind, files = self._directory, self._form.kind, self.files
        content: dict[str, Any] = {"format": FORMAT, "kind": kind, "facts": dict(facts), "files": files}
        encoded = json.dumps(content, sort_keys=True)
        digest = hashlib.sha256(encoded.encode()).hexdigest()[:16]
        data = directory / f"{kind}-{digest}"
        with self.writing():
            Contents(self.folder, self._form, json.loads(encoded)["facts"], files)
            sync(self.folder)
            with unfinished(directory, folder=False) as manifest:
                text = json.dumps({**content, "data": data.name}, indent=1, sort_keys=True) + "\n"
                manifest.write_text(text, encoding="utf-8")
                sync(manifest)
                with locked_if_possible(directory):
                    self._refuse_to_replace()  # what another writer may have finished meanwhile
                    if data.exists() and not _is_whole(data, files):  # of the same name, and yet damaged
                        remove(data)
                    if not data.exists():
                        self.folder.rename(data)
                    os.replace(manifest, directory / f"{kind}.json")
                    self._remove_old(data)
            sync(directory)
        remove_abandoned(directory)

    def _remove_old(self, data: Path) -> None:
        """Remove folders that the manifest does not name. One that cannot be removed does no harm."""
        for path in self._directory.iterdir():
            if path != data and re.fullmatch(rf"{re.escape(self._form.kind)}-[0-9a-f]{{16}}", path.name):
                remove(path)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or one that has no links
        shutil.copyfile(source, target)
        sync(target)


def _is_whole(folder: Path, files: Mapping[str, str]) -> bool:
    for name, known in files.items():
        try:
            with open_file(folder / name) as file:
                if checksum(file) != known:
                    return False
        except OSError:
            return False
    return True
