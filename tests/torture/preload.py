"""Let children start with what they need: modules imported, and kernels loaded from Numba's cache.

A child that imports and loads by itself needs seconds for it. This process may not run commands to load what
they need: a fork would leave the locks of Polars' threads held for ever. So one child runs the commands and
writes down what it imported and compiled; this process then imports and loads the same, without running it.
"""

import importlib
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba.core.dispatcher import Dispatcher

from torture.processes import Ending, in_child


def preload(work: Callable[..., int | None], *arguments: Any, seconds: float = 600) -> Ending:
    """Run ``work`` in a child; then import the modules and load the kernels that it used."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "used"
        ending = in_child(_noted, notes, work, arguments, seconds=seconds)
        modules, signatures = pickle.loads(notes.read_bytes()) if notes.exists() else ([], {})
    for name in modules:
        _import(name)
    kernels = dict(_kernels())
    for name, compiled in signatures.items():
        for signature in compiled:
            if name in kernels and signature not in kernels[name].overloads:
                kernels[name].compile(signature)
    return ending


def _noted(notes: Path, work: Callable[..., int | None], arguments: tuple[Any, ...]) -> int | None:
    try:
        return work(*arguments)
    finally:
        signatures = {name: list(kernel.overloads) for name, kernel in _kernels()}
        notes.write_bytes(pickle.dumps((list(sys.modules), signatures)))


def _kernels() -> Iterator[tuple[tuple[str, str], Dispatcher]]:
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("topminer."):
            for name, value in vars(module).items():
                if isinstance(value, Dispatcher):
                    yield (module.__name__, name), value


def _import(name: str) -> None:
    if name not in sys.modules and not name.startswith("__"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                importlib.import_module(name)
            except Exception:  # a module that its package makes by itself
                sys.modules.pop(name, None)
