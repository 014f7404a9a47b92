"""Arrays in files without a name instead of in memory.

A long array that is needed again, but not all the time, can be written to such a file and mapped. What was
read of it counts as memory of this process until it is unloaded; the system can take it back at any time.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)

LEAST_BYTES = 1 << 20  # shorter arrays stay in memory
_CAN_UNLOAD = hasattr(mmap, "MADV_DONTNEED") and hasattr(os, "posix_fadvise")  # Linux


def mapped(array: NDArray[Scalar], folder: Path | None) -> NDArray[Scalar]:
    """Return the same elements, read-only, in a file of ``folder`` that ends with this process.

    The array itself is returned if it is short, if there is no folder, or if the file cannot be written.
    """
    if folder is None or not _CAN_UNLOAD or array.nbytes < LEAST_BYTES:
        return array
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            array.tofile(file)
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError:
        return array
    return np.frombuffer(content, array.dtype)


def unload(*arrays: NDArray[Any]) -> None:
    """Let the system have the memory of what was read of mapped arrays. Others stay as they are."""
    for array in arrays:
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, memoryview):
            base = base.obj
        if isinstance(base, mmap.mmap):
            base.madvise(mmap.MADV_DONTNEED)
