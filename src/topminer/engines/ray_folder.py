"""A temporary folder for the logs and sockets of a Ray cluster on this machine."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from topminer.errors import InputError

# An operating system accepts paths of Unix sockets up to this many bytes (its limit less a final zero).
MAX_SOCKET = 103 if sys.platform == "darwin" else 107
# What Ray adds to its folder for a socket; the number of the process and of the node have their most digits.
SOCKET = "/ray/session_2000-01-01_00-00-00_000000_4194304/sockets/plasma_store.999"
PREFIX = "ray"
RANDOM = 8  # characters that tempfile adds to the prefix


@contextmanager
def ray_folder() -> Iterator[str]:
    """Make an empty folder whose path is short enough for Ray; remove it at the end.

    Ray would use ``ray`` in the temporary folder, which all users of a machine share, would leave its logs
    there, and would fail where the path of that folder is long.
    """
    with tempfile.TemporaryDirectory(
        prefix=PREFIX, dir=_short_parent(), ignore_cleanup_errors=True
    ) as folder:
        yield folder


def _short_parent() -> str:
    """Return the first usable folder among RAY_TMPDIR, the temporary folder and /tmp."""
    longest = MAX_SOCKET - len(f"/{PREFIX}") - RANDOM - len(SOCKET)
    candidates = [os.environ.get("RAY_TMPDIR", ""), tempfile.gettempdir(), "/tmp"]
    for folder in candidates:
        is_short = sys.platform == "win32" or len(os.fsencode(folder)) <= longest
        if folder and is_short and os.access(folder, os.W_OK | os.X_OK):
            return folder
    raise InputError(
        f"Ray needs a temporary folder that can be written to, with a path of at most {longest} bytes, "
        f"and {tempfile.gettempdir()} is not one; set TMPDIR to one"
    )
