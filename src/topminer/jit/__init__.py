"""One place for every option of Numba, and for its cache.

Kernels are decorated with :func:`kernel`. They release the GIL (blocks run on threads), never use
fastmath (the same bytes on every machine is worth more than a few percent) and are compiled once and
kept on disk, until a source is edited that kernels use (cache.py). ``TOPMINER_JIT_CACHE=0`` turns the disk
cache off; Numba's own ``NUMBA_DISABLE_JIT=1`` and ``NUMBA_BOUNDSCHECK=1`` work as always.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba.core import event

from topminer.jit.blas import load_without_blas
from topminer.jit.cache import KernelCache

CACHE = os.environ.get("TOPMINER_JIT_CACHE", "1") != "0" and not cast(Any, numba.config).DISABLE_JIT

Int: TypeAlias = "int | np.integer[Any]"  # what kernels count with: one and the same once compiled
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

load_without_blas()

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_BARE = {**_OPTIONS, "_nrt": False}  # no references are counted
_INNER = {**_BARE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Kernel) -> Kernel:
    """Compile ``function`` without Python objects, without the GIL, once for all."""
    return cast(Kernel, _cached(numba.njit(**_OPTIONS)(function)))


def bare_kernel(function: Kernel) -> Kernel:
    """Compile ``function`` as a kernel that counts no references: it may not make an array.

    Numba counts references to an array whenever a name is bound to it, also inside the innermost loop.
    """
    return cast(Kernel, _cached(numba.njit(**_BARE)(function)))


def part(function: Kernel) -> Kernel:
    """Compile ``function`` for kernels to call; Python may not. It may not make an array.

    It has no wrappers and is not cached by itself, which halves the time that it takes to compile.
    """
    return cast(Kernel, _for_kernels(numba.njit(**_INNER)(function)))


def inlined(function: Kernel) -> Kernel:
    """Compile ``function`` as a :func:`part` that LLVM puts where it is called: a few lines in an inner loop.

    Numba's own inlining compiles each call anew: large kernels would take more than twice as long.
    """
    return cast(Kernel, _for_kernels(numba.njit(**_INNER, forceinline=True)(function)))


def _cached(dispatcher: Any) -> Any:
    """Have a kernel kept on disk once it is compiled."""
    if CACHE:
        dispatcher._cache = KernelCache(dispatcher.py_func)
    return dispatcher


def _for_kernels(dispatcher: Any) -> Any:
    """Have a function without wrappers raise an error where Python calls it: it would crash otherwise."""
    kind = type(dispatcher)
    if not hasattr(dispatcher, "py_func"):  # the JIT is off
        return dispatcher

    class ForKernels(kind):  # type: ignore[misc, valid-type]
        def __call__(self, *arguments: Any) -> Any:
            raise TypeError(f"only kernels can call {self.py_func.__name__}")

    dispatcher.__class__ = ForKernels
    return dispatcher


class _FewerCollections(event.Listener):
    """Raises the thresholds of the garbage collector while a kernel is compiled.

    Compiling makes millions of objects that stay; looking through them takes an eighth of the time.
    """

    THRESHOLDS = (200_000, 100, 100)

    def __init__(self) -> None:
        self._depth = 0
        self._usual = gc.get_threshold()

    def on_start(self, event: Any) -> None:
        if self._depth == 0:
            self._usual = gc.get_threshold()
            if self._usual[0]:  # 0: the user has turned it off
                gc.set_threshold(*self.THRESHOLDS)
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            gc.set_threshold(*self._usual)


event.register("numba:compile", _FewerCollections())  # type: ignore[no-untyped-call]

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
