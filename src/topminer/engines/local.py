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
from typing import Any, TypeVar

from topminer._parameters import MOST_THREADS, whole

Item = TypeVar("Item")
Result = TypeVar("Result")


def n_threads_or_all(n_threads: int | None) -> int:
    """``n_threads`` itself, or every core this process may use."""
    if n_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return whole("n_threads", n_threads, 1, MOST_THREADS)


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], n_threads: int
) -> Iterator[Result]:
    """Yield ``function(item)`` for each item, in order, a few items ahead on ``n_threads`` threads.

    ``items`` is drawn in the caller's thread, and never more than ``n_threads + 1`` ahead of what has
    been taken, so that memory stays bounded however long it is. With one thread nothing runs ahead. For one
    item no thread is started: that would take longer than many a small piece of work.
    """
    if n_threads == 1:
        yield from map(function, items)
        return
    items = iter(items)
    first = list(islice(items, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    with ThreadPoolExecutor(n_threads, thread_name_prefix="topminer") as pool:
        ahead: deque[Future[Result]] = deque()
        try:
            for item in chain(first, items):
                ahead.append(pool.submit(function, item))
                if len(ahead) > n_threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()


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
