"""Loading the first kernel without scipy.linalg, which takes a third of a second to import.

Numba imports scipy.linalg with its own parts for arrays, to see whether kernels could multiply matrices. No
kernel of topminer does. Another kernel in the process still can: Numba looks for BLAS once more when it
compiles a product.
"""

from __future__ import annotations

from typing import Any

from numba.core.cpu import CPUContext


def load_without_blas() -> None:
    """Have Numba load its parts for arrays without looking for BLAS."""
    contexts: Any = CPUContext
    load = contexts.load_additional_registries

    def loading(context: Any) -> None:
        from numba.np import linalg

        ensure_blas, linalg.ensure_blas = linalg.ensure_blas, _assume_blas
        try:
            load(context)
        finally:
            linalg.ensure_blas = ensure_blas

    contexts.load_additional_registries = loading


def _assume_blas() -> None:
    pass
