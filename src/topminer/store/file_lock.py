"""A lock between processes: a file that the operating system locks, and unlocks when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PAUSE = 0.005  # seconds between two attempts

if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> None:
        """Take the lock or raise BlockingIOError."""
        os.lseek(handle, 1 << 30, os.SEEK_SET)  # far behind any text: what is locked cannot be read
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error

else:
    import fcntl

    def try_lock(handle: int) -> None:
        """Take the lock or raise BlockingIOError."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_file(path: Path) -> int:
    """Open and lock a file, and return its handle: closing it releases the lock.

    Raise BlockingIOError if another process holds the lock. A link that somebody else put there is refused,
    not followed.
    """
    while True:
        handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            try_lock(handle)
            if _is_at(handle, path):  # its last holder may have removed the file after it was opened here
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


@contextmanager
def locked(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock file ``path``; it is removed in the end.

    Raise TimeoutError if somebody else holds the lock for longer than ``seconds``.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            handle = lock_file(path)
            break
        except BlockingIOError:
            if time.monotonic() > end:
                raise TimeoutError(f"{path} is held by another process") from None
            time.sleep(PAUSE)
    try:
        yield
    finally:
        if sys.platform == "win32":  # an open file cannot be removed there, and nobody removes another's
            os.close(handle)
            handle = -1
        with suppress(OSError):
            path.unlink()
        if handle >= 0:
            os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    """Whether an open file is still the one that has this name."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
