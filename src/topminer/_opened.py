"""A stored thing (see store.py), opened: what its manifest says, and its data as far as they are wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer._disk import Header, checksum, header_of
from topminer.errors import InputError

FORMAT = 2  # 1: every table in one file
_FILE = re.compile(r"([^.]+)\.(?:(\d{4,})\.(npy|parquet)|parquet)")


@dataclass(frozen=True)
class Stored:
    """What a directory holds."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    tables: Mapping[str, pl.DataFrame]


class Opened:
    """A stored thing of which no more is read than what is asked for.

    It may be sent to another process that sees the same directory. A file is checked against its checksum
    when a process first takes anything from it.

    Attributes
    ----------
    facts : dict
        As they were stored.
    arrays, tables : list of str
        Names of what there is.
    """

    def __init__(self, directory: Path, kind: str) -> None:
        manifest = directory / f"{kind}.json"
        content = _manifest(manifest, kind)
        self._kind, self._folder = kind, directory / content["data"]
        self.facts: dict[str, Any] = content["facts"]
        self._checksums: dict[str, str] = content["files"]
        self._files = _by_name(content["files"], manifest)
        self.arrays = [name for name, files in self._files.items() if files[0].endswith(".npy")]
        self.tables = [name for name, files in self._files.items() if files[0].endswith(".parquet")]
        self._headers: dict[str, list[Header]] = {}
        self._checked: set[str] = set()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_checked": set()}  # another process checks for itself

    def lengths(self) -> dict[str, int]:
        """The length of every array, as its files say."""
        return {name: sum(each.shape[0] for each in self._headers_of(name)) for name in self.arrays}

    def array(self, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """An array from ``start`` to ``stop``; files that have nothing of it are left alone."""
        files, headers = self._files[name], self._headers_of(name)
        start, stop, _ = slice(start, stop).indices(sum(each.shape[0] for each in headers))
        if len(files) == 1 and stop - start == headers[0].shape[0]:
            return self._loaded(files[0])
        array = np.empty((max(stop - start, 0), *headers[0].shape[1:]), headers[0].dtype)
        first = 0  # of the file at hand
        for file, header in zip(files, headers, strict=True):
            behind = first + header.shape[0]
            low, high = max(start, first), min(stop, behind)
            if low < high:
                whole = (low, high) == (first, behind)
                array[low - start : high - start] = self._loaded(file, whole)[low - first : high - first]
            first = behind
        return array

    def table(self, name: str) -> pl.DataFrame:
        """A whole table."""
        pieces = []
        for file in self._files[name]:
            with self._understood(file) as path:
                self._check(file)
                pieces.append(pl.read_parquet(path))
        with self._understood(self._files[name][0]):
            return pieces[0] if len(pieces) == 1 else pl.concat(pieces)

    def stored(self, wanted: Callable[[str], bool] = lambda name: True) -> Stored:
        """Facts, and the arrays and tables whose names are wanted."""
        return Stored(
            self.facts,
            {name: self.array(name) for name in self.arrays if wanted(name)},
            {name: self.table(name) for name in self.tables if wanted(name)},
        )

    def parts(self, name: str) -> list[tuple[Path, str]]:
        """The files of an array or a table in their order, each with its checksum."""
        return [(self._folder / file, self._checksums[file]) for file in self._files[name]]

    def is_in_one_file(self, name: str) -> bool:
        """Whether this is a table that format 1 did not store in parts."""
        return self._files[name] == [f"{name}.parquet"]

    def _headers_of(self, name: str) -> list[Header]:
        if name not in self._headers:
            headers = []
            for file in self._files[name]:
                with self._understood(file) as path:
                    headers.append(header_of(path))
                    if (headers[-1].shape[1:], headers[-1].dtype) != (headers[0].shape[1:], headers[0].dtype):
                        raise ValueError("no part of the same array")
            self._headers[name] = headers
        return self._headers[name]

    def _loaded(self, file: str, whole: bool = True) -> NDArray[Any]:
        """An array's file; read, or mapped if only a piece of it is to be copied."""
        with self._understood(file) as path:
            self._check(file)
            array: NDArray[Any] = np.load(path, mmap_mode=None if whole else "r", allow_pickle=False)
            return array

    @contextmanager
    def _understood(self, file: str) -> Iterator[Path]:
        """The path of a file; if it cannot be read it is damaged, or was never one of ours."""
        path = self._folder / file
        try:
            yield path
        except FileNotFoundError:
            raise InputError(f"{path}: missing; the {self._kind} is damaged") from None
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        except InputError:
            raise
        except (ValueError, EOFError, pl.exceptions.PolarsError):
            self._check(file)
            raise InputError(f"{path}: not an array or table that topminer wrote") from None

    def _check(self, file: str) -> None:
        """Refuse a file that is not what was written."""
        path = self._folder / file
        if file not in self._checked and checksum(path) != self._checksums[file]:
            raise InputError(f"{path}: not what was written (checksum differs); the {self._kind} is damaged")
        self._checked.add(file)


def _manifest(manifest: Path, kind: str) -> dict[str, Any]:
    """What a manifest says, if it is one."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{manifest.parent}: no {kind} here (there is no {kind}.json)") from None
    except OSError as error:
        raise InputError(f"{manifest}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{manifest}: damaged: not JSON") from None
    _check_manifest(content, manifest, kind)
    checked: dict[str, Any] = content
    return checked


def _check_manifest(content: Any, manifest: Path, kind: str) -> None:
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


def _by_name(files: Iterable[str], manifest: Path) -> dict[str, list[str]]:
    """The files of each array and table, in the order of their parts."""
    found: dict[str, list[tuple[int, str]]] = {}
    for file in files:
        if not (match := _FILE.fullmatch(file)):
            raise InputError(f"{manifest}: damaged: {file} is neither an array nor a table")
        found.setdefault(match[1], []).append((int(match[2] or 0), file))
    for name, parts in sorted(found.items()):
        parts.sort()
        endings = {file.rpartition(".")[2] for _, file in parts}
        if len(endings) > 1 or [number for number, _ in parts] != list(range(len(parts))):
            raise InputError(f"{manifest}: damaged: the parts of {name} do not fit together")
    return {name: [file for _, file in parts] for name, parts in sorted(found.items())}
