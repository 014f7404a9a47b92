"""Blocks of work on the threads of this machine.

Kernels release the GIL, so threads are enough. Results come back in the order of the work, never in
the order of completion: how many threads there are cannot be seen in any result.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from numbers import Integral
from typing import Any, TypeVar

from topminer.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")


def n_threads_or_all(n_threads: int | None) -> int:
    """``n_threads`` itself, or every core this process may use."""
    if n_threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(n_threads, Integral) or n_threads < 1:
        raise InputError(f"the number of threads must be at least 1, not {n_threads}")
    return int(n_threads)


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], n_threads: int
) -> Iterator[Result]:
    """Yield ``function(item)`` for each item, in order, a few items ahead on ``n_threads`` threads.

    ``items`` is drawn in the caller's thread, and never more than ``n_threads + 1`` ahead of what has
    been taken, so that memory stays bounded however long it is. With one thread nothing runs ahead.
    """
    if n_threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(n_threads, thread_name_prefix="topminer") as pool:
        ahead: deque[Future[Result]] = deque()
        try:
            for item in items:
                ahead.append(pool.submit(function, item))
                if len(ahead) > n_threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()


class LocalEngine:
    """Where the blocks of a sampler run: here, on threads.

    This is all a sampler knows of an engine. It hands over the shards once; then, phase after phase, it
    asks for one method to be called on every shard, each with its own arguments, and gets what they
    returned, in the order of the shards.
    """

    def __init__(self, shards: Sequence[Any], n_threads: int) -> None:
        self._shards = shards
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="topminer") if n_threads > 1 else None

    def run(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """``shard.method(*arguments)`` for each shard."""
        calls = [getattr(shard, method) for shard in self._shards]
        if self._pool is None or len(calls) == 1:
            return [call(*each) for call, each in zip(calls, arguments, strict=True)]
        futures = [self._pool.submit(call, *each) for call, each in zip(calls, arguments, strict=True)]
        return [future.result() for future in futures]

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()
