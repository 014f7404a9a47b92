"""An engine of Ray actors: one worker per node. :mod:`topminer.engines.ray` makes it.

Ray moves values between workers and reports lost workers. It is told to repeat nothing by itself.
"""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from itertools import count
from typing import Any, NamedTuple

import ray
from ray.exceptions import (
    LocalRayletDiedError,
    NodeDiedError,
    ObjectLostError,
    ObjectStoreFullError,
    OutOfDiskError,
    OutOfMemoryError,
    RayActorError,
    RayError,
    RayTaskError,
    WorkerCrashedError,
)
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from topminer.engines.contract import WorkerLost

LOST = RayActorError, ObjectLostError, WorkerCrashedError, NodeDiedError, LocalRayletDiedError
TOO_LARGE = ObjectStoreFullError, OutOfDiskError, OutOfMemoryError
POLL_INTERVAL = 0.5  # seconds between two checks of calls that are not done
PING_TIMEOUT = 5.0  # seconds to find out which worker is lost


class Pong(NamedTuple):
    """A worker's answer to a ping."""

    version: str  # of topminer on its node
    compiled: str | None  # the first kernel that the worker had to compile


class Started:
    """A worker that may still be starting; ``pong`` will be its first answer."""

    def __init__(self, node: dict[str, Any], n_threads: int | None) -> None:
        self.threads = n_threads or int(node["Resources"]["CPU"])
        self.n_cpus = min(self.threads, int(node["Resources"]["CPU"]))
        self.name = str(node["NodeManagerAddress"])
        self.actor = Actor.options(
            num_cpus=self.n_cpus,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False),
            max_restarts=0,
            max_task_retries=0,
        ).remote(self.threads)
        self.pong = self.actor.ping.remote()


class RayEngine:
    """Workers on the nodes of a cluster; made by :meth:`topminer.engines.ray.Cluster.engine`."""

    def __init__(self, workers: list[Started]) -> None:
        self.threads = [worker.threads for worker in workers]
        self.names = [worker.name for worker in workers]
        self.actors = [worker.actor for worker in workers]
        self._numbers = count()
        self._pings: dict[int, Any] = {}  # by worker, those that were not answered yet
        self._reported_compiling = False

    def place(self, make: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> RayPlaced:
        """``make(*arguments[w])`` on every worker ``w``; waits until all are made."""
        number, pairs = next(self._numbers), zip(self.actors, arguments, strict=True)
        self.here([actor.make.remote(number, make, *each) for actor, each in pairs])
        return RayPlaced(self, number)

    def here(self, kept: Sequence[Any]) -> list[Any]:
        """Fetch values that were kept.

        The loss of any worker is raised at once. Of other errors the first is raised, when all values before
        it have arrived.
        """
        results: dict[Any, Any] = {}
        errors: dict[Any, BaseException] = {}
        pending = list(dict.fromkeys(kept))
        while pending:
            done, pending = ray.wait(pending, num_returns=len(pending), timeout=POLL_INTERVAL)
            for value in done:
                try:
                    results[value] = ray.get(value)
                except RayError as error:
                    errors[value] = self._translated(error)
                    if isinstance(errors[value], WorkerLost):
                        raise errors[value] from error
            first = next((value for value in kept if value not in results), None)
            if first in errors:
                raise errors[first]
            if pending:
                self._ping()
        return [results[value] for value in kept]

    def share(self, value: Any) -> Any:
        """Put a value into Ray's store."""
        return ray.put(value)

    def close(self) -> None:
        """Kill the workers, whatever they are doing."""
        if ray.is_initialized():
            for actor in self.actors:
                ray.kill(actor)

    def _ping(self) -> None:
        """Ping every worker, and look at the answers that have arrived.

        A call to a dead worker fails at once. Without the ping, a caller that waits for a value from a dead
        worker would block until Ray's own timeout. Workers answer a ping while they compute.
        """
        failed = self._failed_pings(timeout=0)
        if failed:
            raise WorkerLost(f"the worker on {self.names[failed[0]]} is gone")

    def _failed_pings(self, timeout: float) -> list[int]:
        """Return the workers whose ping failed; report a kernel that one of the others compiles."""
        from topminer.jit import compiling_elsewhere

        for worker, actor in enumerate(self.actors):
            if worker not in self._pings:
                self._pings[worker] = actor.ping.remote()
        answers = list(self._pings.values())
        done, _ = ray.wait(answers, num_returns=len(answers), timeout=timeout)
        failed = []
        for worker in [worker for worker, answer in self._pings.items() if answer in done]:
            try:
                pong: Pong = ray.get(self._pings.pop(worker))
            except RayError:
                failed.append(worker)
                continue
            if pong.compiled is not None and not self._reported_compiling:
                self._reported_compiling = True
                compiling_elsewhere(pong.compiled)
        return failed

    def _translated(self, error: RayError) -> BaseException:
        """Return the error that one of Ray's stands for."""
        cause: Any = error
        while isinstance(cause, RayTaskError):  # each call wraps the error of its argument once more
            cause = cause.cause
        if isinstance(cause, Raised):
            return cause.error
        if isinstance(cause, TOO_LARGE):
            return MemoryError(str(cause).partition("\n")[0])
        if not isinstance(cause, LOST):
            return RuntimeError(str(error))
        self._pings.clear()  # they may have been answered before the worker was lost
        lost = [self.names[worker] for worker in self._failed_pings(PING_TIMEOUT)]
        return WorkerLost(f"the worker on {', '.join(lost) or 'another node'} is gone")


class RayPlaced:
    """An object on every worker of a cluster."""

    def __init__(self, engine: RayEngine, number: int) -> None:
        self.engine = engine
        self._number = number

    def run(self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
        """``object.method(*arguments[w])`` on every worker at once; the results in the workers' order."""
        calls = [actor.run.remote(self._number, method, *each) for actor, each in self._pairs(arguments)]
        return self.engine.here(calls)

    def keep(
        self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None, n_results: int = 1
    ) -> list[Any]:
        """Likewise, but the results stay where they were made, and nothing is waited for."""
        calls = [(actor.keep.options(num_returns=n_results), each) for actor, each in self._pairs(arguments)]
        return [call.remote(self._number, method, *each) for call, each in calls]

    def keep_on(self, worker: int, method: str, *arguments: Any) -> Any:
        """Like :meth:`keep`, on one worker only."""
        return self.engine.actors[worker].keep.remote(self._number, method, *arguments)

    def drop(self) -> None:
        """Drop the objects."""
        for actor in self.engine.actors:
            actor.drop.remote(self._number)

    def _pairs(self, arguments: Sequence[tuple[Any, ...]] | None) -> list[tuple[Any, tuple[Any, ...]]]:
        actors = self.engine.actors
        return list(zip(actors, [()] * len(actors) if arguments is None else arguments, strict=True))


PING = "ping"


class Worker:
    """What runs on a node: objects by number."""

    def __init__(self, threads: int) -> None:
        os.environ["POLARS_MAX_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = str(threads)
        from topminer.jit import on_compile  # now: both libraries read the variables when they are imported

        self._compiled: str | None = None
        self._listening = ExitStack()
        self._listening.enter_context(on_compile(self._note_kernel))
        self._objects: dict[int, Any] = {}
        self._failed: dict[int, Raised] = {}

    def _note_kernel(self, name: str) -> None:
        self._compiled = self._compiled or name

    @ray.method(concurrency_group=PING)  # a thread of its own
    def ping(self) -> Pong:
        """Answer, also while a call runs."""
        return Pong(version("topminer"), self._compiled)

    def make(self, number: int, make: Callable[..., Any], *arguments: Any) -> None:
        """Make an object."""
        with _errors_that_travel():
            self._objects[number] = make(*arguments)

    def run(self, number: int, method: str, *arguments: Any) -> Any:
        """Call a method, and return its result."""
        if number in self._failed:
            raise self._failed[number]
        with _errors_that_travel():
            return getattr(self._objects[number], method)(*arguments)

    def keep(self, number: int, method: str, *arguments: Any) -> Any:
        """Call a method whose result may never be fetched: later calls raise its error, too."""
        try:
            return self.run(number, method, *arguments)
        except Raised as raised:
            self._failed[number] = raised
            raise

    def drop(self, number: int) -> None:
        """Drop an object."""
        self._objects.pop(number, None)
        self._failed.pop(number, None)


_remote: Any = ray.remote  # its types do not know all of its options
Actor: Any = _remote(concurrency_groups={PING: 1})(Worker)


class Raised(Exception):
    """An error of any kind that a worker raised, as it is sent to the driver."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


@contextmanager
def _errors_that_travel() -> Iterator[None]:
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        error.add_note(f"On the worker:\n{traceback.format_exc()}")
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise Raised(RuntimeError(f"{type(error).__name__}: {error}")) from None
        raise Raised(error) from None
