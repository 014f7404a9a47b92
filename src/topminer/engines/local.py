"""Work in this process, on the threads of this machine.

Kernels release the GIL, so threads are enough. Results come back in the order of the work, never in
the order of completion: how many threads there are cannot be seen in any result.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from topminer._parameters import MOST_THREADS, whole

Item = TypeVar("Item")
Result = TypeVar("Result")


def n_threads_or_all(n_threads: int | None) -> int:
    """``n_threads`` itself, or every core this process may use."""
    if n_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return whole("n_threads", n_threads, 1, MOST_THREADS)


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], n_threads: int, *, caller_works: bool = False
) -> Iterator[Result]:
    """Yield ``function(item)`` for each item, in order, a few items ahead on ``n_threads`` threads.

    ``items`` is drawn in the caller's thread, and never more than ``n_threads + 1`` ahead of what has
    been taken, so that memory stays bounded however long it is. With one thread nothing runs ahead. For one
    item no thread is started: that would take longer than many a small piece of work.

    With ``caller_works`` the caller's thread is one of the ``n_threads``: it takes an item whenever it would
    have to wait. This is for items that are work to draw, since otherwise more threads than cores compete.
    """
    if n_threads == 1:
        yield from map(function, items)
        return
    items = iter(items)
    first = list(islice(items, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    with ThreadPoolExecutor(n_threads - caller_works, thread_name_prefix="topminer") as pool:
        ahead: deque[_Task[Any, Result]] = deque()
        try:
            for item in chain(first, items):
                ahead.append(_Task(function, item, pool))
                while len(ahead) > n_threads:
                    if caller_works and not ahead[0].is_done() and any(task.run_here() for task in ahead):
                        continue
                    yield ahead.popleft().result()
            while ahead:
                if caller_works and not ahead[0].is_done() and any(task.run_here() for task in ahead):
                    continue
                yield ahead.popleft().result()
        finally:
            for task in ahead:
                task.cancel()


class _Task(Generic[Item, Result]):
    """A call that a thread of a pool will make, unless the caller's thread makes it first."""

    def __init__(self, function: Callable[[Item], Result], item: Item, pool: ThreadPoolExecutor) -> None:
        self._function, self._item = function, item
        self._future = pool.submit(function, item)
        self.is_done, self.cancel = self._future.done, self._future.cancel

    def run_here(self) -> bool:
        """Make the call in this thread, if no thread has begun it; return whether this was so."""
        if self._future.done() or not self._future.cancel():
            return False
        self._future = Future()
        self.is_done = self._future.done
        try:
            self._future.set_result(self._function(self._item))
        except Exception as error:
            self._future.set_exception(error)
        return True

    def result(self) -> Result:
        """Return what the call returned, or raise its error."""
        return self._future.result()


class LocalEngine:
    """An engine in this process: one worker, whose objects use threads themselves. Nothing is copied."""

    def __init__(self, n_threads: int | None = None) -> None:
        self.threads, self.names = [n_threads_or_all(n_threads)], ["this machine"]

    def place(self, make: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> LocalPlaced:
        """``make(*arguments[0])``."""
        (each,) = arguments
        return LocalPlaced(self, make(*each))

    def here(self, kept: Sequence[Any]) -> list[Any]:
        """The values themselves."""
        return list(kept)

    def share(self, value: Any) -> Any:
        """The value itself."""
        return value

    def close(self) -> None:
        """Do nothing: there is nothing to stop."""


class LocalPlaced:
    """An object in this process. Kept values are the values themselves."""

    def __init__(self, engine: LocalEngine, placed: Any) -> None:
        self.engine, self._placed = engine, [placed]

    def run(self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
        """``object.method(*arguments[0])``."""
        return self.keep(method, arguments)

    def keep(
        self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None, n_results: int = 1
    ) -> list[Any]:
        """Likewise; several results are a list."""
        (each,) = [()] if arguments is None else arguments
        result = self.keep_on(0, method, *each)
        if n_results == 1:
            return [result]
        return [[one for one, _ in zip(result, range(n_results), strict=True)]]

    def keep_on(self, worker: int, method: str, *arguments: Any) -> Any:
        """``object.method(*arguments)``; there is one worker."""
        return getattr(self._placed[worker], method)(*arguments)

    def drop(self) -> None:
        """Forget the object."""
        self._placed.clear()
