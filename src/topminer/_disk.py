"""Files of arrays and tables, one by one: equal contents are equal bytes, and a full disk is an OSError."""

from __future__ import annotations

import hashlib
import math
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

ROW_GROUP_SIZE = 1 << 17  # rows of a table


class _Writer:
    """A file of which NumPy sees no more than ``write``.

    To a real file it writes by itself, and where the disk is full it may cut an array short and say nothing.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.write = file.write


def write_array(path: Path, array: NDArray[Any]) -> str:
    """Write an array, have the disk hold it, and return the file's checksum."""
    path.unlink(missing_ok=True)  # it may be a link to a file that must stay as it is
    with path.open("xb") as file:
        np.save(_Writer(file), np.ascontiguousarray(array), allow_pickle=False)
    sync(path)
    return checksum(path)


def write_table(path: Path, table: pl.DataFrame) -> str:
    """Write a table likewise; its chunks, which tell how it was made, leave no trace."""
    path.unlink(missing_ok=True)
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
    return checksum(path)


class Header(NamedTuple):
    """What the first bytes of an array's file tell."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def header_of(path: Path) -> Header:
    """The header of a file that holds an array of one or more dimensions; ValueError if it does not."""
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(file)
        if (
            not shape
            or dtype.hasobject
            or file.tell() + math.prod(shape) * dtype.itemsize != path.stat().st_size
        ):
            raise ValueError("no array, or another one than it says")
    return Header(shape, dtype)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Create an empty file beside ``path`` and give its name; in the end it takes the place of ``path``.

    Its name is random and it must not exist yet, so no two writers share a file and no link is followed. If
    anything fails, the file is removed and ``path`` stays as it was.
    """
    unfinished = path.with_name(f".unfinished-{secrets.token_hex(8)}")
    unfinished.touch(exist_ok=False)
    try:
        yield unfinished
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, whole or not at all; a text is written as UTF-8."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(content if isinstance(content, bytes) else content.encode())
    sync(path.parent)


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync(path: Path) -> None:
    """Have the disk hold what was written, before anything points to it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
