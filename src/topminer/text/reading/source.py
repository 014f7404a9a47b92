"""The files, or parts of files, that a source consists of, and their format."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import unquote

from topminer.errors import InputError
from topminer.text.reading.stream import COMPRESSIONS, unreadable

FORMATS = {
    ".txt": "txt",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
STANDARD_INPUT = "standard input"
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


class Unit(NamedTuple):
    """A part of a source that can be read by itself: a file, or some rows of a Parquet file."""

    file: Path | IO[bytes]
    name: str  # in messages
    id: str  # the path within the folder
    n_bytes: int | None  # None where it is unknown
    rows: tuple[int, int] | None = None  # the first, from 0, and the one after the last; None: all

    @property
    def partition(self) -> dict[str, str | None]:
        """Columns given by the folders' names, as Hive writes them: ``year=1999/month=5/part-0.parquet``."""
        pairs = (folder.partition("=") for folder in self.id.split("/")[:-1] if "=" in folder)
        return {unquote(key): None if value == HIVE_NULL else unquote(value) for key, _, value in pairs}


class Source(NamedTuple):
    """The files of a source, all of one format."""

    name: str
    format: str
    units: list[Unit]
    is_folder: bool

    @property
    def n_bytes(self) -> int | None:
        """The size of all files; None where it is unknown."""
        sizes = [unit.n_bytes for unit in self.units]
        return None if None in sizes else sum(filter(None, sizes))


def find_source(given: str | os.PathLike[str] | IO[bytes], format: str | None) -> Source:
    """Find the files of a source: a file, a folder of files, standard input ("-"), or an open file.

    The format is that of the ending of the name, unless one is given.
    """
    if format is not None and format not in FORMATS.values():
        raise InputError(f"unknown format {format!r}; known are {', '.join(dict.fromkeys(FORMATS.values()))}")
    if given == "-":
        file = standard_input()
        if file.isatty():
            raise InputError(
                f"{STANDARD_INPUT} is a terminal; expected a file or a pipe, as in - < texts.txt"
            )
        return _stream(file, STANDARD_INPUT, format)
    if not isinstance(given, str | os.PathLike):
        name = getattr(given, "name", None)
        return _stream(given, name if isinstance(name, str) else "the open file", format)
    path, name = Path(given), printable(os.fspath(given))
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None
    if stat.S_ISDIR(status.st_mode):
        return _folder(path, name, format)
    format = format or format_of(name)
    if format is None:
        known = ", ".join(FORMATS)
        raise InputError(
            f"{name}: unknown ending; known are {known}, each also with {', '.join(COMPRESSIONS)} added "
            "(or name the format: --format)"
        )
    size = status.st_size if stat.S_ISREG(status.st_mode) else None
    return Source(name, format, [Unit(path, name, path.name, size)], False)


def standard_input() -> IO[bytes]:
    """Return standard input as a binary file; raise an error if it is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError(f"{STANDARD_INPUT} is closed; expected a file or a pipe")
    return sys.stdin.buffer


def printable(path: str) -> str:
    """Return a path as valid text: bytes that are not UTF-8 are shown in hexadecimal."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def format_of(name: str) -> str | None:
    """Return a file's format by the ending of its name; None if it is unknown."""
    path = Path(name.lower())
    return FORMATS.get(Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix)


def _stream(file: IO[bytes], name: str, format: str | None) -> Source:
    """Return the source of a file that is already open."""
    if isinstance(file, io.TextIOBase) or not hasattr(file, "read"):
        raise InputError(f"{name}: expected a path or a file opened in binary mode")
    return Source(name, format or format_of(name) or "txt", [Unit(file, name, name, None)], False)


def _folder(folder: Path, name: str, format: str | None) -> Source:
    """Find a folder's files: its texts, or else the parts of one table."""
    try:
        paths = sorted(path.relative_to(folder).as_posix() for path in _files(folder))
    except OSError as error:
        raise unreadable(printable(error.filename or name), error) from None
    formats = {path: format_of(path) for path in paths}
    found = sorted({each for each in formats.values() if each})
    if format is None:
        if not found:
            raise InputError(
                f"{name}: no texts in this folder; expected files ending in {', '.join(FORMATS)}"
            )
        if len(found) > 1 and "txt" not in found:
            raise InputError(f"{name}: files of several formats ({', '.join(found)}); name one (--format)")
        format = "txt" if "txt" in found else found[0]
    if format == "parquet":  # writers of tables leave other files too: _SUCCESS, _metadata, _delta_log/
        paths = [path for path in paths if not path.startswith("_") and "/_" not in path]
    # If no file has the ending of the format, as e-mails without endings, all files are read.
    taken = [path for path in paths if formats[path] == format] or paths
    if not taken:
        raise InputError(f"{name}: no files in this folder")
    return Source(name, format, [_part(folder, name, path) for path in taken], True)


def _part(folder: Path, name: str, path: str) -> Unit:
    """Return a file of a folder. Refuse a FIFO or a device: reading it could block or never end."""
    id = printable(path)
    shown = os.path.join(name, id)
    try:
        status = (folder / path).stat()
    except OSError as error:
        raise unreadable(shown, error) from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{shown}: not a regular file; expected files in a folder of texts or tables")
    return Unit(folder / path, shown, id, status.st_size)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders, except hidden ones."""

    def refuse(error: OSError) -> None:
        raise error

    for path, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [each for each in folders if not each.startswith(".")]
        yield from (Path(path, each) for each in files if not each.startswith("."))
