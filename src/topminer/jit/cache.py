"""Compiled kernels on disk.

A kernel's file is found by what it was compiled from. A digest of all sources of kernels names the folder, so
an edit of any of them is noticed, also of a helper or a constant in another file. The signature, the
processor and the versions of Python, Numba and LLVM name the file. No index ties files together, so any
number of processes may write at once. A file that is damaged counts as missing.

A wheel may bring kernels along, compiled for processors of the level x86-64-v3. They are used where there are
none for this machine.

This module and its neighbours are the only ones that use private names of Numba.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import llvmlite
import numba
from llvmlite import binding
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from topminer.user_cache import user_cache

PACKAGE = Path(__file__).parent.parent
SHIPPED = Path(__file__).parent / "compiled"  # what a wheel brings along
ENDING = ".kernel"
MAX_FOLDERS = 3  # of different sources, side by side; the oldest are removed
BASELINE = "x86-64-v3"  # what shipped kernels are compiled for: processors since about 2015
BASELINE_FEATURES = {"avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf"}
USE_SHIPPED = "TOPMINER_SHIPPED_KERNELS"  # the variable that has shipped kernels ignored, if it is 0

config: Any = numba.config
_rebuilt: Any = CompileResult._rebuild
_pickled: Any = dumps
_CHECKSUM = hashlib.sha256().digest_size
_IMPORTED = re.compile(r"^from (topminer[.\w]+) import", re.MULTILINE)

Machine = tuple[str, str, str]  # triple, processor, features


class KernelCache(_Cache):
    """The cache of one kernel, in the form that Numba asks for."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._is_enabled = True

    @property
    def cache_path(self) -> str:
        """The folder that is tried first."""
        return str(folders()[0])

    def enable(self) -> None:
        """Use the cache."""
        self._is_enabled = True

    def disable(self) -> None:
        """Do not use the cache any more."""
        self._is_enabled = False

    def flush(self) -> None:
        """Do nothing: nothing is kept in memory."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the compiled kernel for a signature, or None if it is not in the cache."""
        if not self._is_enabled:
            return None
        context.refresh()
        found = self._load(signature, context)
        if found is None and _observer is not None and _observer.missing(self._name):
            found = self._load(signature, context)
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Write a compiled kernel to the first folder that can be written; to none, if none can be."""
        if not self._is_enabled or compiled.lifted or compiled.library.has_dynamic_globals:
            return
        payload = _pickled(compiled._reduce())
        name = _file_name(self._name, signature, _stamp(self._function), this_machine())
        _write(name, hashlib.sha256(payload).digest() + payload)
        if _observer is not None:
            _observer.saved(self._name)

    @property
    def _name(self) -> str:
        return f"{self._function.__module__}.{self._function.__qualname__}"

    def _load(self, signature: Any, context: Any) -> Any:
        for path in _places(self._name, signature, _stamp(self._function)):
            if (payload := _read(path)) is not None:
                return _rebuilt(context, *payload)
        return None


class Observer(Protocol):
    """Is notified by the cache. Kernels have the names of their functions, with the module."""

    def missing(self, kernel: str) -> bool:
        """Handle a kernel that is not in the cache. Return whether it may be there now."""

    def saved(self, kernel: str) -> None:
        """Handle a kernel that was compiled and written."""


_observer: Observer | None = None


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Notify an observer of what is missing and what is saved."""
    global _observer
    before, _observer = _observer, observer
    try:
        yield
    finally:
        _observer = before


def is_done(job: str, *, also_shipped: bool = True) -> bool:
    """Return whether a job has compiled its kernels (see :mod:`topminer.warming.jobs`)."""
    return any(path.exists() for path in _places(job, "done", "", also_shipped))


def mark_done(job: str) -> None:
    """Note that a job has compiled all its kernels."""
    _write(_file_name(job, "done", "", this_machine()), b"")


def folders() -> list[Path]:
    """Return where kernels are kept: NUMBA_CACHE_DIR, else the package's folder, else the user's cache."""
    name = f"kernels-{sources_digest()[:16]}"
    if config.CACHE_DIR:
        return [Path(config.CACHE_DIR) / name]
    of_user = user_cache()
    return [PACKAGE / "__pycache__" / name, *([of_user / name] if of_user else [])]


def is_empty() -> bool:
    """Return whether there is no kernel at all, compiled from the present sources."""
    shipped = [SHIPPED / folders()[0].name] if can_use_shipped() else []
    return not any(path for folder in (*folders(), *shipped) for path in folder.glob(f"*{ENDING}"))


@cache
def this_machine() -> Machine:
    """Return the machine that kernels are compiled for."""
    features = config.CPU_FEATURES
    if features is None:
        features = binding.get_host_cpu_features().flatten()
    return binding.get_default_triple(), config.CPU_NAME or binding.get_host_cpu_name(), features


@cache
def can_use_shipped() -> bool:
    """Return whether there are shipped kernels that run on this machine."""
    if config.CPU_NAME or os.environ.get(USE_SHIPPED) == "0" or not SHIPPED.is_dir():
        return False
    with_feature = {name for name, has in binding.get_host_cpu_features().items() if has}
    return with_feature >= BASELINE_FEATURES


def _places(name: str, signature: Any, stamp: str, also_shipped: bool = True) -> Iterator[Path]:
    """Yield the paths that a kernel may have, the best first."""
    machine = this_machine()
    for folder in folders():
        yield folder / _file_name(name, signature, stamp, machine)
    if also_shipped and can_use_shipped():
        baseline = (machine[0], BASELINE, "")
        yield SHIPPED / folders()[0].name / _file_name(name, signature, stamp, baseline)


def _file_name(name: str, signature: Any, stamp: str, machine: Machine) -> str:
    options = config.BOUNDSCHECK, config.OPT, config.ENABLE_AVX, config.DEBUGINFO_DEFAULT
    versions = numba.__version__, llvmlite.__version__, sys.version_info[:2], sys.implementation.name
    key = repr((name, str(signature), stamp, machine, versions, *map(str, options)))
    return f"{name.rpartition('.')[2]}-{hashlib.sha256(key.encode()).hexdigest()[:32]}{ENDING}"


@cache
def _stamp(function: Any) -> str:
    """Return a digest of the file of a function outside the package; the folder's name stands for ours."""
    file = Path(function.__code__.co_filename)
    if file.is_relative_to(PACKAGE):
        return ""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _read(path: Path) -> Any:
    """Return what a file holds; None if it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, payload = content[:_CHECKSUM], content[_CHECKSUM:]
    if hashlib.sha256(payload).digest() != checksum:
        return None
    return pickle.loads(payload)


def _write(name: str, content: bytes) -> None:
    for folder in folders():
        with suppress(OSError):
            _write_into(folder, name, content)
            return


def _write_into(folder: Path, name: str, content: bytes) -> None:
    """Write a file at once: another process sees all of it or nothing."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _remove_old_ones(folder.parent)
    unfinished = folder / f"{name}.{secrets.token_hex(8)}"
    try:
        unfinished.write_bytes(content)
        unfinished.replace(folder / name)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def _remove_old_ones(parent: Path) -> None:
    """Remove the kernels of other sources, except for the newest."""
    found = sorted(parent.glob("kernels-*"), key=lambda folder: -folder.stat().st_mtime)
    for folder in found[MAX_FOLDERS:]:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def sources_digest() -> str:
    """Return a digest of all modules with kernels and of what they import from topminer."""
    here = Path(__file__).parent
    sources = {path: path.read_bytes() for path in _modules(PACKAGE)}
    used = {*here.iterdir()}
    for path, source in sources.items():
        if b"\nfrom topminer.jit" in source:
            names = _IMPORTED.findall(source.decode())
            used |= {path, *(PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in names)}
    digest = hashlib.sha256()
    for path in sorted(used & sources.keys()):
        digest.update(sources[path])
    return digest.hexdigest()


def _modules(folder: Path) -> Iterator[Path]:
    """Every source below a folder. Folders of compiled files are not entered."""
    for name, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each not in ("__pycache__", SHIPPED.name)]
        yield from (Path(name, each) for each in files if each.endswith(".py"))
