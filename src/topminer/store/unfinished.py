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
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

NAME = re.compile(r"\.unfinished-[0-9a-f]{16}")


@contextmanager
def locked_if_possible(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold a lock on a file or a folder, which leaves nothing behind. Yield whether it is held.

    Where there are no such locks, as on Windows and on some network disks, nothing is locked: there, two
    processes must not save to one place at the same time.
    """
    with ExitStack() as at_end:
        is_locked = False
        if sys.platform != "win32":
            import fcntl

            with suppress(OSError):  # another process has it, or there are no locks here
                handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                at_end.callback(os.close, handle)
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                is_locked = True
        yield is_locked


@contextmanager
def unfinished(directory: Path, *, folder: bool) -> Iterator[Path]:
    """A new file or folder in a directory, locked. In the end it is removed, unless it got another name."""
    path = directory / f".unfinished-{secrets.token_hex(8)}"
    with ExitStack() as at_end:
        with locked_if_possible(directory):  # else another process may find it before it is locked
            if folder:
                path.mkdir()
            else:
                path.touch(exist_ok=False)
            at_end.callback(remove, path)
            at_end.enter_context(locked_if_possible(path))
        yield path


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
    with suppress(OSError), locked_if_possible(directory):
        for path in directory.iterdir():
            if NAME.fullmatch(path.name):
                with locked_if_possible(path, wait=False) as is_abandoned:
                    pass
                if is_abandoned:
                    remove(path)


def remove(path: Path) -> None:
    """Remove a file or a folder; what cannot be removed stays. A pipe is not opened, which could block."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
