"""Files and folders that are being written, and locks that tell whether their writers still live.

What is not complete yet has a random name, ``.unfinished-<16 digits>``, in the folder where it will be. Its
writer holds a lock on it, which ends with the writer's process. So whoever comes next can tell what a killed
process left behind from what another process is writing right now.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = re.compile(r"\.unfinished-[0-9a-f]{16}")


class Lock:
    """A lock on a file or a folder that leaves nothing behind.

    Where there are no such locks, as on Windows and on some network disks, nothing is locked: there, two
    processes must not save to one place at the same time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self, *, wait: bool = True) -> bool:
        """Take the lock. Without waiting: whether it was taken, False where that cannot be told."""
        if sys.platform == "win32":
            return False
        import fcntl

        try:
            self._handle = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)
            fcntl.flock(self._handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return True
        except OSError:  # another process has it, or there are no locks here
            self.release()
            return False

    def release(self) -> None:
        """Give the lock back."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Lock:
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


@contextmanager
def unfinished(directory: Path, *, folder: bool) -> Iterator[Path]:
    """A new file or folder in a directory, locked. In the end it is removed, unless it got another name."""
    path = directory / f".unfinished-{secrets.token_hex(8)}"
    lock = Lock(path)
    with Lock(directory):  # else another process may find it before it is locked
        if folder:
            path.mkdir()
        else:
            path.touch(exist_ok=False)
        lock.take()
    try:
        yield path
    finally:
        lock.release()
        remove(path)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file beside ``path``, to be written; in the end it takes the place of ``path``.

    Its name is random and it must not exist yet, so no two writers share a file and no link is followed. If
    anything fails, the file is removed and ``path`` stays as it was.
    """
    with unfinished(path.parent, folder=False) as new:
        yield new
        with new.open("r+b") as file:
            os.fsync(file.fileno())
        os.replace(new, path)


def remove_abandoned(directory: Path) -> None:
    """Remove what processes that were killed have left in a directory.

    Whatever cannot be removed does no harm, and is removed the next time.
    """
    with suppress(OSError), Lock(directory):
        for path in directory.iterdir():
            if NAME.fullmatch(path.name):
                lock = Lock(path)
                if lock.take(wait=False):
                    lock.release()
                    remove(path)


def remove(path: Path) -> None:
    """Remove a file or a folder; what cannot be removed stays. A pipe is not opened, which could block."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
