"""Directories that hold arrays and tables: safe to load from a stranger, never half-written.

A stored thing is a manifest, ``<kind>.json``, and one folder of data that the manifest names. Data are
.npy files (never pickled) and Parquet, large ones in parts; the manifest has their checksums and a format
number. A folder is named after its contents and complete before the manifest points to it, and replacing
the manifest is atomic: a crash at any moment leaves the old thing or the new one. Equal contents are equal
bytes, however they came about: :func:`write` writes all of a thing, :class:`Unfinished` lets several
processes write its parts, and :class:`Opened` reads what is asked for.

Several things may be stored as one: :func:`merged` names what belongs to each after it, ``corpus-stem_ids``,
and :func:`part` takes one out again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl
from numpy.typing import NDArray

from topminer._disk import ROW_GROUP_SIZE, checksum, sync, write_array, write_atomically, write_table
from topminer._opened import FORMAT, Opened, Stored
from topminer.errors import InputError

__all__ = [
    "FORMAT",
    "PART_ROWS",
    "PART_SIZE",
    "ROW_GROUP_SIZE",
    "Opened",
    "Stored",
    "Unfinished",
    "bounds",
    "merged",
    "part",
    "part_files",
    "read",
    "read_json",
    "write",
    "write_array",
    "write_json",
    "write_table",
]

PART_SIZE = 1 << 24  # elements of an array to a file: bounds depend on nothing but the array
PART_ROWS = 1 << 20  # rows of a table to a file


def write(
    directory: Path,
    kind: str,
    facts: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    tables: Mapping[str, pl.DataFrame],
    *,
    overwrite: bool,
) -> None:
    """Store facts (JSON), arrays and tables in ``directory`` under the name ``kind``."""
    with Unfinished(directory, kind, overwrite=overwrite) as unfinished:
        unfinished.write(arrays, tables)
        unfinished.finish(facts)


def read(directory: Path, kind: str) -> Stored:
    """Load what :func:`write` stored; whatever is damaged, foreign or too new is refused."""
    return Opened(directory, kind).stored()


# --------------------------------------------------------------------------------------------------- parts


def bounds(size: int, part_size: int) -> list[tuple[int, int]]:
    """Where each part starts and stops; of nothing there is one, empty part.

    >>> bounds(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + part_size, size)) for start in range(0, max(size, 1), part_size)]


def part_files(name: str, size: int, ending: str) -> list[tuple[str, int, int]]:
    """Names of the files of an array ("npy") or a table ("parquet"), each with where it starts and stops."""
    cuts = bounds(size, PART_SIZE if ending == "npy" else PART_ROWS)
    return [(f"{name}.{number:04}.{ending}", start, stop) for number, (start, stop) in enumerate(cuts)]


class Unfinished:
    """A thing that is being stored: parts are written to its folder, here or by others; then it is finished.

    A context manager: what is not finished is removed in the end.

    Attributes
    ----------
    folder : pathlib.Path
        Where to write the parts, under the names of :func:`part_files`.
    files : dict of str
        The checksum of every file that was written; whoever writes one by :func:`write_array` or
        :func:`write_table` puts it here.
    """

    def __init__(self, directory: Path, kind: str, *, overwrite: bool) -> None:
        if (directory / f"{kind}.json").exists() and not overwrite:
            raise InputError(f"{directory}: holds a {kind} already; overwrite=True (--overwrite) replaces it")
        if directory.exists() and not directory.is_dir():
            raise InputError(f"{directory}: is a file; expected a directory to write a {kind} to")
        self._directory, self._kind = directory, kind
        self.folder = directory / f".{kind}-unfinished"
        self.files: dict[str, str] = {}

    def __enter__(self) -> Self:
        with self.writing():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Have an error of the disk say what could not be written."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{self._directory}: cannot write the {self._kind}: {reason}") from None

    def write(self, arrays: Mapping[str, NDArray[Any]], tables: Mapping[str, pl.DataFrame]) -> None:
        """Write whole arrays and tables from here."""
        with self.writing():
            for name, array in arrays.items():
                for file, start, stop in part_files(name, len(array), "npy"):
                    self.files[file] = write_array(self.folder / file, array[start:stop])
            for name, table in tables.items():
                for file, start, stop in part_files(name, table.height, "parquet"):
                    self.files[file] = write_table(self.folder / file, table[start:stop])

    def link(self, opened: Opened, names: Mapping[str, str]) -> None:
        """Take over arrays and tables of another thing, each under a new name, without a copy if possible."""
        with self.writing():
            for name, new in names.items():
                if opened.is_in_one_file(name):  # of format 1
                    self.write({}, {new: opened.table(name)})
                    continue
                for path, known in opened.parts(name):
                    file = new + path.name.removeprefix(name)
                    _link(path, self.folder / file)
                    self.files[file] = known

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Store it: the new manifest points to what was written, and what it replaces is removed."""
        directory, kind, files = self._directory, self._kind, self.files
        content: dict[str, Any] = {"format": FORMAT, "kind": kind, "facts": dict(facts), "files": files}
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
        data = directory / f"{kind}-{digest}"
        with self.writing():
            sync(self.folder)
            if data.exists() and _is_whole(data, files):
                shutil.rmtree(self.folder)
            else:
                if data.exists():  # of the same name, and yet not the same: damaged
                    shutil.rmtree(data)
                self.folder.rename(data)
            text = json.dumps({**content, "data": data.name}, indent=1, sort_keys=True) + "\n"
            write_atomically(directory / f"{kind}.json", text)
        for old in directory.iterdir():
            if old != data and old.is_dir() and re.fullmatch(rf"{kind}-[0-9a-f]{{16}}", old.name):
                shutil.rmtree(old, ignore_errors=True)  # what stays is no harm, and goes the next time


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or one that has no links
        shutil.copyfile(source, target)
        sync(target)


def _is_whole(folder: Path, files: Mapping[str, str]) -> bool:
    paths = {name: folder / name for name in files}
    return all(path.is_file() and checksum(path) == files[name] for name, path in paths.items())


# ---------------------------------------------------------------------------------- several things as one


def merged(parts: Mapping[str, Stored]) -> Stored:
    """Several things as one: facts lie under the part's name, arrays and tables are ``<part>-<name>``."""
    for name in parts:
        if not re.fullmatch(r"\w+", name):  # a hyphen ends a part's name, a dot that of an array
            raise ValueError(f"a part's name is letters, digits and underscores, not {name!r}")
    return Stored(
        {name: dict(each.facts) for name, each in parts.items()},
        {f"{name}-{key}": array for name, each in parts.items() for key, array in each.arrays.items()},
        {f"{name}-{key}": table for name, each in parts.items() for key, table in each.tables.items()},
    )


def part(stored: Stored, name: str) -> Stored:
    """One of the things that :func:`merged` made one."""
    facts = stored.facts.get(name)
    if not isinstance(facts, Mapping):
        found = ", ".join(sorted(key for key, value in stored.facts.items() if isinstance(value, Mapping)))
        raise InputError(f"there is no {name} in what was stored; found: {found or 'no parts'}")
    start = f"{name}-"
    return Stored(
        facts,
        {key.removeprefix(start): each for key, each in stored.arrays.items() if key.startswith(start)},
        {key.removeprefix(start): each for key, each in stored.tables.items() if key.startswith(start)},
    )


# ---------------------------------------------------------------------------------------- single JSON files


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file, whole or not at all."""
    try:
        write_atomically(path, json.dumps(content, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object that nothing depends on: an empty one where it is missing or damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
