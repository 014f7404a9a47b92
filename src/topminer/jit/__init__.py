"""One place for every option of Numba, and for its cache.

Kernels are decorated with :func:`kernel`. They release the GIL (blocks run on threads), never use
fastmath (the same bytes on every machine is worth more than a few percent) and are compiled once and
kept on disk, until a source is edited that kernels use (cache.py). ``TOPMINER_JIT_CACHE=0`` turns the disk
cache off; Numba's own ``NUMBA_DISABLE_JIT=1`` and ``NUMBA_BOUNDSCHECK=1`` work as always (a bounds-checked
run needs a ``NUMBA_CACHE_DIR`` of its own).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba.core import event

from topminer.jit.blas import load_without_blas
from topminer.jit.cache import noticing_edits

CACHE = os.environ.get("TOPMINER_JIT_CACHE", "1") != "0"

Int: TypeAlias = "int | np.integer[Any]"  # what kernels count with: one and the same once compiled
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

load_without_blas()

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_BARE = {**_OPTIONS, "_nrt": False}  # no references are counted
_PART = {**_BARE, "forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Kernel) -> Kernel:
    """Compile ``function`` without Python objects, without the GIL, once for all."""
    return cast(Kernel, noticing_edits(numba.njit(**_OPTIONS, cache=CACHE)(function)))


def bare_kernel(function: Kernel) -> Kernel:
    """Compile ``function`` as a kernel that counts no references: it may not make an array.

    Numba counts references to an array whenever a name is bound to it, also inside the innermost loop.
    """
    return cast(Kernel, noticing_edits(numba.njit(**_BARE, cache=CACHE)(function)))


def inlined(function: Kernel) -> Kernel:
    """Compile ``function`` into the kernels that call it.

    Numba hands arrays to a called function one by one and counts references to each: for a few lines
    that run once per token, inside the innermost loop, the call would cost more than the work.
    """
    return cast(Kernel, numba.njit(**_OPTIONS, inline="always")(function))


def bare_inlined(function: Kernel) -> Kernel:
    """Compile ``function`` into bare kernels. Like them, it counts no references and may not make an array.

    It is compiled once, and LLVM puts it where it is called. Numba's own inlining compiles each call anew:
    large kernels would take more than twice as long.
    """
    return cast(Kernel, numba.njit(**_PART)(function))


Listener: TypeAlias = Callable[[str], None]  # called with the name of a kernel
_listeners: list[Listener] = []


@contextmanager
def on_compile(listener: Listener) -> Iterator[None]:
    """Call ``listener(kernel name)`` whenever a kernel is compiled, not just loaded from the cache."""

    class OnStart(event.Listener):
        def on_start(self, event: Any) -> None:
            listener(event.data["dispatcher"].py_func.__name__)

        def on_end(self, event: Any) -> None:
            pass

    _listeners.append(listener)
    try:
        with event.install_listener("numba:compile", OnStart()):
            yield
    finally:
        _listeners.remove(listener)


def compiling_elsewhere(kernel: str) -> None:
    """Tell all listeners that another process compiles a kernel for this one."""
    for listener in _listeners:
        listener(kernel)
