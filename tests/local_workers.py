"""Several workers in this process, which see what workers in other processes would see."""

import pickle
from collections.abc import Callable, Sequence
from typing import Any

from topminer.engines.contract import Engine
from topminer.engines.local import LocalEngine


def local_engine(n_threads: int = 1, n_workers: int = 1) -> Engine:
    """One worker as it is in a run on this machine, or several."""
    return LocalEngine(n_threads) if n_workers == 1 else LocalWorkers(n_threads, n_workers)


class LocalWorkers:
    """An engine of several workers. Calls run one worker after the other.

    Arguments and results are pickled, so that arrays arrive read-only as they do from Ray, and kept values
    cannot be read directly.
    """

    def __init__(self, n_threads: int, n_workers: int) -> None:
        self.threads = [n_threads] * n_workers
        self.names = ["this machine"] * n_workers

    def place(self, make: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> "PlacedOnWorkers":
        pairs = zip(self.threads, arguments, strict=True)
        return PlacedOnWorkers(self, [make(*self.received(each)) for _, each in pairs])

    def here(self, kept: Sequence[Any]) -> list[Any]:
        return [each.value for each in kept]

    def share(self, value: Any) -> Any:
        return _Kept(_through_pickle(value))

    def close(self) -> None:
        pass

    def received(self, arguments: Sequence[Any]) -> list[Any]:
        """Arguments as a worker sees them."""
        return [each.value if isinstance(each, _Kept) else _through_pickle(each) for each in arguments]


class PlacedOnWorkers:
    """Objects in this process, one per worker."""

    def __init__(self, engine: LocalWorkers, objects: list[Any]) -> None:
        self.engine = engine
        self._objects = objects

    def run(self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
        return self.engine.here(self.keep(method, arguments))

    def keep(
        self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None, n_results: int = 1
    ) -> list[Any]:
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
        return self.engine.share(self._call(worker, method, arguments))

    def drop(self) -> None:
        self._objects = []

    def _call(self, worker: int, method: str, arguments: Sequence[Any]) -> Any:
        return getattr(self._objects[worker], method)(*self.engine.received(arguments))


class _Kept:
    """A value that is kept at one of several workers."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a kept value is an argument by itself, not inside another")


def _through_pickle(value: Any) -> Any:
    """A copy as another process would receive it: arrays are read-only."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytes(buffer.raw()) for buffer in buffers])
