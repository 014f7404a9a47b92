"""Numba's cache of compiled kernels, made to notice every edit.

Numba compares the time and size of the file that a kernel stands in. It does not look at other files, though
a compiled kernel also holds the helpers that it calls and the constants that it uses. Here a digest of all
those sources is compared as well, so helpers and constants may stand in any file.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

_IMPORTED = re.compile(r"^from (topminer[.\w]+) import", re.MULTILINE)


def noticing_edits(dispatcher: Any) -> Any:
    """Have a kernel compiled again when any source of kernels was edited. Return the kernel.

    This is the only place that uses private names of Numba's cache.
    """
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if file is not None:  # there is none where the JIT or its cache is off
        file._source_stamp = file._source_stamp, _digest()
    return dispatcher


@cache
def _digest() -> str:
    """Return a digest of all modules with kernels and of what they import from topminer."""
    here = Path(__file__).parent
    package = here.parent
    imports = {path: _IMPORTED.findall(path.read_text(encoding="utf-8")) for path in package.rglob("*.py")}
    used = {*here.iterdir()}
    for path, modules in imports.items():
        if any(module.startswith("topminer.jit") for module in modules):
            used |= {path, *(package.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in modules)}
    digest = hashlib.sha256()
    for path in sorted(used & imports.keys()):
        digest.update(path.read_bytes())
    return digest.hexdigest()
