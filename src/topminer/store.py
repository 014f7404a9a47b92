"""Directories that hold arrays and tables: safe to load from a stranger, never half-written.

A stored thing is a manifest, ``<kind>.json``, and one folder of data that the manifest names. Data are
.npy files (never pickled) and Parquet; the manifest has their checksums and a format number. A folder is
named after its contents and complete before the manifest points to it, and replacing the manifest is
atomic: a crash at any moment leaves the old thing or the new one. Equal contents are equal bytes, however
they came about.

Several things may be stored as one: :func:`merged` names what belongs to each after it, ``corpus-stem_ids``,
and :func:`part` takes one out again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError

FORMAT = 1
PART_SIZE = 1 << 24  # elements of an array to a file: bounds depend on nothing but the array
ROW_GROUP_SIZE = 1 << 17  # rows of a table


@dataclass(frozen=True)
class Stored:
    """What a directory holds."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    tables: Mapping[str, pl.DataFrame]


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
    manifest = directory / f"{kind}.json"
    if manifest.exists() and not overwrite:
        raise InputError(f"{directory}: holds a {kind} already; overwrite=True (--overwrite) replaces it")
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory}: is a file; expected a directory to write a {kind} to")
    fresh = directory / f".{kind}-unfinished"
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        files = _write_data(fresh, arrays, tables)
        content: dict[str, Any] = {"format": FORMAT, "kind": kind, "facts": dict(facts), "files": files}
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
        data = directory / f"{kind}-{digest}"
        if not data.exists():
            fresh.rename(data)
        elif _is_whole(data, files):
            shutil.rmtree(fresh)
        else:  # of the same name, and yet not the same: damaged
            shutil.rmtree(data)
            fresh.rename(data)
        _write_atomically(
            manifest, json.dumps({**content, "data": data.name}, indent=1, sort_keys=True) + "\n"
        )
    except OSError as error:
        raise InputError(f"{directory}: cannot write the {kind}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    for old in directory.iterdir():
        if old != data and old.is_dir() and re.fullmatch(rf"{kind}-[0-9a-f]{{16}}", old.name):
            shutil.rmtree(old, ignore_errors=True)  # what stays is no harm, and goes the next time


def read(directory: Path, kind: str) -> Stored:
    """Load what :func:`write` stored; whatever is damaged, foreign or too new is refused."""
    manifest = directory / f"{kind}.json"
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{directory}: no {kind} here (there is no {kind}.json)") from None
    except OSError as error:
        raise InputError(f"{manifest}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{manifest}: damaged: not JSON") from None
    _check(content, manifest, kind)
    folder = directory / content["data"]
    parts: dict[str, list[NDArray[Any]]] = {}
    tables = {}
    for name, checksum in sorted(content["files"].items()):
        path = folder / name
        if not path.is_file():
            raise InputError(f"{path}: missing; the {kind} is damaged")
        if _checksum(path) != checksum:
            raise InputError(f"{path}: not what was written (checksum differs); the {kind} is damaged")
        try:
            if path.suffix == ".npy":
                parts.setdefault(name.split(".")[0], []).append(np.load(path, allow_pickle=False))
            else:
                tables[path.stem] = pl.read_parquet(path)
        except (ValueError, EOFError, pl.exceptions.PolarsError):
            raise InputError(f"{path}: not an array or table that topminer wrote") from None
    arrays = {name: each[0] if len(each) == 1 else np.concatenate(each) for name, each in parts.items()}
    return Stored(content["facts"], arrays, tables)


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


def _check(content: Any, manifest: Path, kind: str) -> None:
    if not isinstance(content, dict) or content.get("kind") != kind:
        raise InputError(f"{manifest}: not written by topminer: expected the manifest of a {kind}")
    number = content.get("format")
    if not isinstance(number, int) or number > FORMAT:
        raise InputError(f"{manifest}: format {number}; this topminer reads up to {FORMAT}: update it")
    if not isinstance(content.get("facts"), dict):
        raise InputError(f"{manifest}: damaged: it has no facts")
    data, files = content.get("data"), content.get("files")
    names = [data, *files] if isinstance(files, dict) else [None]
    if not all(isinstance(name, str) and name == Path(name).name != ".." for name in names):
        raise InputError(f"{manifest}: damaged: it names files outside its own folder")


def _write_data(
    folder: Path, arrays: Mapping[str, NDArray[Any]], tables: Mapping[str, pl.DataFrame]
) -> dict[str, str]:
    for name, array in arrays.items():
        for part, start in enumerate(range(0, max(array.size, 1), PART_SIZE)):
            _write_array(folder / f"{name}.{part:04}.npy", array[start : start + PART_SIZE])
    for name, table in tables.items():
        _write_table(folder / f"{name}.parquet", table)
    paths = sorted(folder.iterdir())
    for path in [*paths, folder]:
        _sync(path)
    return {path.name: _checksum(path) for path in paths}


class _Writer:
    """A file of which NumPy sees no more than ``write``.

    To a real file it writes by itself, and where the disk is full it may cut an array short and say nothing.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.write = file.write


def _write_array(path: Path, array: NDArray[Any]) -> None:
    with path.open("wb") as file:
        np.save(_Writer(file), np.ascontiguousarray(array), allow_pickle=False)


def _write_table(path: Path, table: pl.DataFrame) -> None:
    """Write a table; its chunks, which tell how it was made, leave no trace."""
    try:
        table.rechunk().write_parquet(
            path, compression="zstd", compression_level=3, statistics=True, row_group_size=ROW_GROUP_SIZE
        )
    except pl.exceptions.PolarsError as error:
        # A full disk comes as "...: No space left on device (os error 28)".
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from None


def _is_whole(folder: Path, files: Mapping[str, str]) -> bool:
    paths = {name: folder / name for name in files}
    return all(path.is_file() and _checksum(path) == files[name] for name, path in paths.items())


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file, whole or not at all."""
    try:
        _write_atomically(path, json.dumps(content, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object that nothing depends on: an empty one where it is missing or damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _write_atomically(path: Path, text: str) -> None:
    unfinished = path.with_name(f".{path.name}-unfinished")
    try:
        unfinished.write_text(text, encoding="utf-8")
        _sync(unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    _sync(path.parent)


def _sync(path: Path) -> None:
    """Have the disk hold what was written, before anything points to it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
