"""Numba's cache of compiled kernels, made to notice every edit.

Numba compares the time and size of the file that a kernel stands in. It does not look at other files, though
a compiled kernel also holds the helpers that it calls and the constants that it uses. Here a digest of all
those sources is compared as well, so helpers and constants may stand in any file.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba
from llvmlite.binding import get_host_cpu_name

_PACKAGE = Path(__file__).parent.parent
_folders: set[Path] = set()  # where kernels are cached
_IMPORTED = re.compile(r"^from (topminer[.\w]+) import", re.MULTILINE)


def noticing_edits(dispatcher: Any) -> Any:
    """Have a kernel compiled again when any source of kernels was edited. Return the kernel.

    This is the only place that uses private names of Numba's cache.
    """
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None:  # there is none where the JIT or its cache is off
        is_ours = Path(dispatcher.py_func.__code__.co_filename).is_relative_to(_PACKAGE)
        # The digest of our sources is enough: a copy of them, made at another time, may use the same cache.
        file._source_stamp = _digest() if is_ours else (file._source_stamp, _digest())
        if is_ours:
            _folders.add(Path(dispatcher._cache.cache_path))
    return dispatcher


def marker(name: str) -> Path:
    """Return a file beside the cached kernels; it says that something was done with just these kernels."""
    machine = f"{numba.__version__}-{sys.version_info.major}{sys.version_info.minor}-{get_host_cpu_name()}"
    return min(_folders) / f"topminer-{name}-{machine}-{_digest()[:16]}.done"


@cache
def _digest() -> str:
    """Return a digest of all modules with kernels and of what they import from topminer."""
    here, package = Path(__file__).parent, _PACKAGE
    sources = {path: path.read_bytes() for path in _modules(package)}
    used = {*here.iterdir()}
    for path, source in sources.items():
        if b"\nfrom topminer.jit" in source:
            names = _IMPORTED.findall(source.decode())
            used |= {path, *(package.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in names)}
    digest = hashlib.sha256()
    for path in sorted(used & sources.keys()):
        digest.update(sources[path])
    return digest.hexdigest()


def _modules(folder: Path) -> Iterator[Path]:
    """Every source below a folder. The cache itself may lie there, with many files, and is not entered."""
    for name, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each != "__pycache__"]
        yield from (Path(name, each) for each in files if each.endswith(".py"))
