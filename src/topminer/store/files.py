"""Single files of arrays, tables and JSON. Equal contents give equal bytes; a full disk is an OSError."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.memory import require
from topminer.store.unfinished import replacing

ROW_GROUP_SIZE = 1 << 17  # rows of a table
MAX_JSON = 64 << 20  # bytes

# ------------------------------------------------------------------------------------------------- writing


class _HashedFile:
    """A file that NumPy can only ``write`` to; its checksum is computed from what is written.

    NumPy would write to a real file by itself. Where the disk is full it may then write a part of an array
    without an error.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.sha256 = file, hashlib.sha256()

    def write(self, data: bytes) -> None:
        self.sha256.update(data)
        self._file.write(data)


def write_array(path: Path, array: NDArray[Any]) -> str:
    """Write an array, wait until the disk holds it, and return the file's checksum."""
    path.unlink(missing_ok=True)  # it may be a link to a file that must stay as it is
    with path.open("xb") as file:
        hashed = _HashedFile(file)
        np.save(hashed, np.ascontiguousarray(array), allow_pickle=False)
    sync(path)
    return hashed.sha256.hexdigest()


def write_table(path: Path, table: pl.DataFrame) -> str:
    """Write a table and return the file's checksum. Equal tables are equal bytes, whatever their chunks."""
    path.unlink(missing_ok=True)
    n_bytes = table.estimated_size()
    require(f"writing {path.name}", 1.5 * n_bytes, "fewer documents", reserved=3 * n_bytes)
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
    sync(path)
    with path.open("rb") as file:
        return checksum(file)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, whole or not at all; a text is written as UTF-8."""
    with replacing(path) as new:
        new.write_bytes(content if isinstance(content, bytes) else content.encode())
    sync(path.parent)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file, whole or not at all."""
    try:
        write_atomically(path, json.dumps(content, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def sync(path: Path) -> None:
    """Wait until the disk holds a file or folder."""
    if sys.platform == "win32" and path.is_dir():
        return  # Windows knows no such thing
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ------------------------------------------------------------------------------------------------- reading


def open_file(path: Path) -> BufferedReader:
    """Open an ordinary file. Anything else, such as a pipe, is an OSError: opening it could block."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    kind = os.fstat(handle).st_mode
    if not stat.S_ISREG(kind):
        os.close(handle)
        number = errno.EISDIR if stat.S_ISDIR(kind) else errno.EINVAL
        raise OSError(number, "is not an ordinary file", str(path))
    return open(handle, "rb")


def checksum(file: BufferedReader) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.file_digest(file, "sha256").hexdigest()


MAX_HEADER = 1024  # bytes; NumPy's are 128
_MAGIC = b"\x93NUMPY\x01\x00"
# As NumPy writes it. Its own parser of headers raises all kinds of errors, MemoryError among them.
_HEADER = re.compile(
    re.escape(_MAGIC)
    + rb"(..)\{'descr': '([<>|][?biufcOSUV]\d{0,9})', 'fortran_order': (?:False|True), "
    + rb"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n",
    re.DOTALL,
)


class Header(NamedTuple):
    """Type and shape of an array, from the first bytes of its file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def header_of(path: Path) -> Header:
    """Read the header of an array's file; ValueError if NumPy did not write it."""
    with open_file(path) as file:
        found = _HEADER.match(file.read(MAX_HEADER))
        if found is None or len(found[0]) != len(_MAGIC) + 2 + int.from_bytes(found[1], "little"):
            raise ValueError("not an array that topminer wrote")
        try:
            dtype = np.dtype(found[2].decode())
        except TypeError:
            raise ValueError(f"an array of type {found[2].decode()}, which NumPy does not know") from None
        shape = tuple(int(number) for number in re.findall(rb"\d+", found[3]))
        if len(found[0]) + math.prod(shape) * dtype.itemsize != os.fstat(file.fileno()).st_size:
            raise ValueError("the file's length is not what its header says")
    return Header(shape, dtype)


def shape_of_table(path: Path) -> tuple[Mapping[str, pl.DataType], int]:
    """Return the columns of a Parquet file with their types, and the number of rows."""
    open_file(path).close()
    with _polars_errors_as_value_errors():
        table = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        return table.collect_schema(), int(table.select(pl.len()).collect().item())


def read_table(path: Path) -> pl.DataFrame:
    """Read a Parquet file; ValueError if it is none."""
    with _polars_errors_as_value_errors():
        return pl.read_parquet(path, glob=False, hive_partitioning=False)


@contextmanager
def _polars_errors_as_value_errors() -> Iterator[None]:
    """Turn an error of Polars about a file into a ValueError."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise ValueError("not a table that topminer wrote") from None


def parse_json(path: Path) -> Any:
    """Read a JSON file; ValueError if it is none."""
    with open_file(path) as file:
        text = file.read(MAX_JSON + 1)
    if len(text) > MAX_JSON:
        raise ValueError(f"longer than {MAX_JSON >> 20} MiB")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object that nothing depends on: an empty one where it is missing or damaged."""
    try:
        content = parse_json(path)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
