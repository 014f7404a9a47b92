"""The folder for what topminer may make again at any time: compiled kernels and search indexes."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache() -> Path | None:
    """Return topminer's folder in the user's cache; None if the user has no home."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache) and sys.platform == "win32":
        cache = os.environ.get("LOCALAPPDATA", "")
    if os.path.isabs(cache):
        return Path(cache) / "topminer"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "topminer"
