"""Work in this process, on the threads of this machine.

Kernels release the GIL, so threads are enough. Results come back in the order of the work, never in
the order of completion: how many threads there are cannot be seen in any result.
"""

from __future__ import annotations

import os
import pickle
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
    """An engine in this process: one worker, whose objects use threads themselves. Nothing is copied.

    Several workers are for tests. Calls run one worker after the other. Arguments and results are pickled, so
    arrays arrive read-only as they do from Ray, and kept values cannot be read directly.
    """

    def __init__(self, n_threads: int | None = None, n_workers: int = 1) -> None:
        self.threads = [n_threads_or_all(n_threads)] * n_workers
        self.names = ["this machine"] * n_workers

    def place(self, make: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> LocalPlaced:
        """``make(*arguments[w])`` for every worker ``w``."""
        pairs = zip(self.threads, arguments, strict=True)
        return LocalPlaced(self, [make(*self._received(each)) for _, each in pairs])

    def here(self, kept: Sequence[Any]) -> list[Any]:
        """The values themselves."""
        return list(kept) if len(self.threads) == 1 else [each.value for each in kept]

    def share(self, value: Any) -> Any:
        """Return the value as a worker sees it."""
        return value if len(self.threads) == 1 else _Kept(_through_pickle(value))

    def close(self) -> None:
        """Do nothing: there is nothing to stop."""

    def _received(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """Return arguments as a worker sees them."""
        if len(self.threads) == 1:
            return arguments
        return [each.value if isinstance(each, _Kept) else _through_pickle(each) for each in arguments]


class LocalPlaced:
    """Objects in this process, one per worker."""

    def __init__(self, engine: LocalEngine, objects: list[Any]) -> None:
        self.engine = engine
        self._objects = objects

    def run(self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
        """``object.method(*arguments[w])`` for every worker ``w``, one after the other."""
        return self.engine.here(self.keep(method, arguments))

    def keep(
        self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None, n_results: int = 1
    ) -> list[Any]:
        """Likewise; with one worker, kept values are the values themselves."""
        n_workers = len(self.engine.threads)
        pairs = zip(range(n_workers), [()] * n_workers if arguments is None else arguments, strict=True)
        if n_results == 1:
            return [self.keep_on(worker, method, *each) for worker, each in pairs]
        several = [self._call(worker, method, each) for worker, each in pairs]
        return [
            [self.engine.share(result) for result, _ in zip(results, range(n_results), strict=True)]
            for results in several
        ]

    def keep_on(self, worker: int, method: str, *arguments: Any) -> Any:
        """``object.method(*arguments)`` for one worker."""
        return self.engine.share(self._call(worker, method, arguments))

    def drop(self) -> None:
        """Forget the objects."""
        self._objects = []

    def _call(self, worker: int, method: str, arguments: Sequence[Any]) -> Any:
        return getattr(self._objects[worker], method)(*self.engine._received(arguments))


class _Kept:
    """A value that is kept at one of several workers."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a kept value is an argument by itself, not inside another")


def _through_pickle(value: Any) -> Any:
    """Return a copy as another process would receive it: arrays are read-only."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytes(buffer.raw()) for buffer in buffers])
