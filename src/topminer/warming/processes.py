"""Processes that compile kernels while the command does something else."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from topminer.jit import CACHE, on_compile
from topminer.jit.cache import (
    USE_SHIPPED,
    can_use_shipped,
    folders,
    is_done,
    is_empty,
    mark_done,
    observed_by,
)
from topminer.warming.jobs import FUNCTIONS, JOBS, n_functions_of

TICK = 0.1  # seconds between two looks at a process
HELPER = "TOPMINER_COMPILE_HELPER"  # the variable that turns helpers off, if it is 0
_SCRIPT = "import sys; from topminer.warming.processes import do_jobs; do_jobs(sys.argv[1:])"


class _Printing:
    """Prints what the process that started this one wants to know, line by line."""

    def missing(self, kernel: str) -> bool:
        print("missing", kernel, flush=True)
        return False

    def saved(self, kernel: str) -> None:
        print("saved", kernel, flush=True)


def do_jobs(names: Sequence[str]) -> None:
    """Do jobs, one after the other, and print what is compiled."""
    with observed_by(_Printing()), on_compile(lambda _: print("function", flush=True)):
        for name in names:
            JOBS[name]()
            mark_done(name)


class Compiler:
    """A process that does jobs.

    With ``for_host`` it compiles what a wheel has brought along once more for this machine, at low priority.
    """

    def __init__(self, jobs: Sequence[str], *, for_host: bool = False) -> None:
        self.jobs, self.n_functions = list(jobs), 0
        self.last_line = ""  # of what it says beside its news: the error that has ended it
        self._missing: set[str] = set()  # the kernel that it compiles now, and those that wait for that one
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, *self.jobs],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {HELPER: "0"} | ({USE_SHIPPED: "0"} if for_host else {}),
        )
        if for_host:
            _give_way(self._process.pid)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def is_running(self) -> bool:
        """Whether it may still compile something."""
        return self._reader.is_alive()

    def is_compiling(self, kernel: str) -> bool:
        """Return whether this very kernel is being compiled."""
        return kernel in self._missing

    def wait(self, seconds: float) -> None:
        """Wait for news, but no longer."""
        with self._news:
            self._news.wait(seconds)

    def stop(self) -> int:
        """End the process, whatever it does, and return its exit code."""
        if self.is_running:
            self._process.terminate()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        return self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._news:
                match line.split():
                    case ["function"]:
                        self.n_functions += 1
                    case ["missing", kernel]:
                        self._missing.add(kernel)
                    case ["saved", kernel]:
                        self._missing.discard(kernel)
                    case _:
                        self.last_line = line.strip() or self.last_line
                self._news.notify_all()
        with self._news:
            self._missing.clear()
            self._news.notify_all()


def _give_way(process: int) -> None:
    """Have a process take only the time that others leave, where the system can do that."""
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, 19)


class CompilationFailed(Exception):
    """A process that compiles kernels has failed."""


def compile_all(n_processes: int, jobs: Sequence[str] = tuple(FUNCTIONS)) -> Iterator[tuple[int, int]]:
    """Do the jobs that were not done yet, some at a time. Yield how many functions are done, of how many."""
    if not CACHE:
        raise CompilationFailed("compiled kernels are not stored: the cache, or the compiler, is turned off")
    waiting = [name for name in jobs if not is_done(name)]
    expected = n_functions_of(waiting)
    running: list[Compiler] = []
    n_done = 0
    try:
        while waiting or running:
            while waiting and len(running) < n_processes:
                running.append(Compiler([waiting.pop(0)]))
            running[0].wait(TICK)
            for each in [each for each in running if not each.is_running]:
                running.remove(each)
                n_done += each.n_functions
                if each.stop() != 0:
                    raise CompilationFailed(f"compiling for {each.jobs[0]!r} failed: {each.last_line}")
            n_functions = n_done + sum(each.n_functions for each in running)
            yield n_functions, max(expected, n_functions)
        if not all(map(is_done, jobs)):
            raise CompilationFailed(f"compiled kernels cannot be written to {folders()[-1]}")
    finally:
        for each in running:
            each.stop()


class Helper:
    """Compiles what a command needs last while the command compiles what it needs first.

    As the observer of this process's cache, it has the process wait for a kernel that the helper is compiling
    already, instead of compiling it twice.
    """

    def __init__(self, jobs: Sequence[str]) -> None:
        self.on_wait: Callable[[], None] = lambda: None  # called now and then while the process waits
        self._compiler: Compiler | None = None
        with suppress(OSError):  # too many processes, or too little memory: all is compiled here
            self._compiler = Compiler(jobs[::-1])

    @property
    def n_functions(self) -> int:
        """How many functions it has compiled."""
        return self._compiler.n_functions if self._compiler else 0

    def missing(self, kernel: str) -> bool:
        """Wait for a kernel if the helper is compiling it. Return whether there is a helper."""
        while self._compiler is not None and self._compiler.is_compiling(kernel):
            self.on_wait()
            self._compiler.wait(TICK)
        return self._compiler is not None

    def saved(self, kernel: str) -> None:
        """Do nothing: the helper looks into the cache before it compiles a kernel."""

    def stop(self) -> None:
        """End the helper, whatever it does."""
        if self._compiler is not None:
            self._compiler.stop()


def _may_help() -> bool:
    """Return whether another process may compile, and could hand over what it has compiled."""
    return CACHE and os.environ.get(HELPER) != "0"


def n_processes_for(n_threads: int | None) -> int:
    """Return how many processes may compile for a command with so many threads; None: one on each core."""
    if not _may_help():
        return 1
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(n_threads or n_cores, n_cores)


@contextmanager
def compiled_for_host(jobs: Sequence[str]) -> Iterator[None]:
    """Meanwhile, compile for this very machine what a wheel has brought along for many: later runs use it."""
    missing = [job for job in jobs if not is_done(job, also_shipped=False)]
    compiler = None
    if missing and _may_help() and can_use_shipped():
        with suppress(OSError):
            compiler = Compiler(missing, for_host=True)
    try:
        yield
    finally:
        if compiler is not None:
            compiler.stop()


@contextmanager
def helper(jobs: Sequence[str], n_threads: int | None) -> Iterator[Helper | None]:
    """Have a helper do all jobs but the first, if nothing is compiled yet and there are several cores."""
    if n_processes_for(n_threads) == 1 or not is_empty():
        yield None
        return
    started = Helper(jobs[1:])
    try:
        with observed_by(started):
            yield started
    finally:
        started.stop()


def n_missing(jobs: Sequence[str]) -> int:
    """Return how many functions a command has to compile for its jobs, about.

    Commands read texts in different ways and do not finish the first job. If anything is compiled, the texts'
    kernels probably are.
    """
    return n_functions_of([job for job in jobs[0 if is_empty() else 1 :] if not is_done(job)])
