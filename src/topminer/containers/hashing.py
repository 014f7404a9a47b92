"""The hash function that all tables share."""

from __future__ import annotations

from typing import Any

import numpy as np

from topminer.jit import inlined

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio
U32 = np.uint64(32)


@inlined
def mix(bits: Any) -> Any:
    """Spread the bits of a 64-bit integer: multiply, then fold the upper half into the lower one."""
    h = bits * MULTIPLIER
    return h ^ (h >> U32)
