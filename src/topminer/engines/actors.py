"""An engine of Ray actors: one worker per node. Needs Ray; see :mod:`topminer.engines.ray`, which makes it.

Ray carries values from worker to worker and tells when one is lost. It repeats nothing by itself.
"""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from itertools import count
from typing import Any

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
from ray.experimental import internal_kv
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from topminer.engines.contract import WorkerLost

LOST = RayActorError, ObjectLostError, WorkerCrashedError, NodeDiedError, LocalRayletDiedError
TOO_LARGE = ObjectStoreFullError, OutOfDiskError, OutOfMemoryError
LOOK = 0.5  # seconds between looks at who is done, while not all are


class Started:
    """A worker that may not be there yet; ``ready`` will be its version of topminer."""

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
        self.ready = self.actor.ready.remote()


class RayEngine:
    """Workers on the nodes of a cluster; made by :meth:`topminer.engines.ray.Cluster.engine`."""

    def __init__(self, workers: list[Started]) -> None:
        self.threads = [worker.threads for worker in workers]
        self.names = [worker.name for worker in workers]
        self.actors = [worker.actor for worker in workers]
        self._name_of = {worker.actor._actor_id.hex(): worker.name for worker in workers}
        self._numbers = count()
        self._asked: dict[int, Any] = {}  # calls to see whether a worker is alive
        self._told_of_compiling = False

    def place(self, make: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> RayPlaced:
        """``make(*arguments[w])`` on every worker ``w``; waits until all are made."""
        number, pairs = next(self._numbers), zip(self.actors, arguments, strict=True)
        self.here([actor.make.remote(number, make, *each) for actor, each in pairs])
        return RayPlaced(self, number)

    def here(self, kept: Sequence[Any]) -> list[Any]:
        """Fetch values that were kept.

        A loss, of whatever worker, is told at once; of other errors the first, when all before it are there.
        """
        results: dict[Any, Any] = {}
        errors: dict[Any, BaseException] = {}
        pending = list(dict.fromkeys(kept))
        while pending:
            done, pending = ray.wait(pending, num_returns=len(pending), timeout=LOOK)
            for value in done:
                try:
                    results[value] = ray.get(value)
                except RayError as error:
                    errors[value] = self._meaning(error, value)
                    if isinstance(errors[value], WorkerLost):
                        raise errors[value] from error
            first = next((value for value in kept if value not in results), None)
            if first in errors:
                raise errors[first]
            if pending:
                self._raise_if_lost()
                self._tell_of_compiling()
        return [results[value] for value in kept]

    def share(self, value: Any) -> Any:
        """Put a value into Ray's store."""
        return ray.put(value)

    def close(self) -> None:
        """Let the workers go, whatever they are doing."""
        if ray.is_initialized():
            for actor in self.actors:
                ray.kill(actor)

    def _raise_if_lost(self) -> None:
        """Ask all workers for a sign of life. A living one may take its time, a dead one's call fails soon.

        Without that, who waits for a call that waits for a value of a dead worker's would wait rather long.
        """
        for worker, actor in enumerate(self.actors):
            if worker not in self._asked:
                self._asked[worker] = actor.ready.remote()
        done, _ = ray.wait(list(self._asked.values()), num_returns=len(self._asked), timeout=0)
        for worker in [worker for worker, answer in self._asked.items() if answer in done]:
            answer = self._asked.pop(worker)
            try:
                ray.get(answer)
            except RayError as error:
                raise self._meaning(error, answer) from error

    def _tell_of_compiling(self) -> None:
        """Say so, once, if workers have to compile kernels: it may take them a while."""
        from topminer.jit import compiling_elsewhere

        with suppress(RayError):  # a kindness: nothing depends on it
            if not self._told_of_compiling and (kernel := internal_kv._internal_kv_get(_compiling())):
                self._told_of_compiling = True
                compiling_elsewhere(kernel.decode())

    def _meaning(self, error: RayError, value: Any) -> BaseException:
        """What an error of Ray's means to us."""
        cause: Any = error
        while isinstance(cause, RayTaskError):  # an argument's error is wrapped by each call it went into
            cause = cause.cause
        if isinstance(cause, Raised):
            return cause.error
        if isinstance(cause, TOO_LARGE):
            return MemoryError(str(cause).partition("\n")[0])
        if not isinstance(cause, LOST):
            return RuntimeError(str(error))
        actor_id = getattr(cause, "actor_id", None)
        if actor_id is None:
            lost = getattr(cause, "object_ref_hex", value.hex())
            actor_id = ray.TaskID(bytes.fromhex(lost)[: ray.TaskID.size()]).actor_id().hex()
        return WorkerLost(f"the worker on {self._name_of.get(actor_id, 'another node')} is gone")


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
        """Let the objects go."""
        for actor in self.engine.actors:
            actor.drop.remote(self._number)

    def _pairs(self, arguments: Sequence[tuple[Any, ...]] | None) -> list[tuple[Any, tuple[Any, ...]]]:
        actors = self.engine.actors
        return list(zip(actors, [()] * len(actors) if arguments is None else arguments, strict=True))


class Worker:
    """What runs on a node: objects by number."""

    def __init__(self, threads: int) -> None:
        os.environ["POLARS_MAX_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = str(threads)
        from topminer.jit import on_compile  # now: both libraries look when they are imported

        self._listening = ExitStack()
        self._listening.enter_context(on_compile(_leave_word))
        self._objects: dict[int, Any] = {}
        self._failed: dict[int, Raised] = {}

    def ready(self) -> str:
        """Answer."""
        return version("topminer")

    def make(self, number: int, make: Callable[..., Any], *arguments: Any) -> None:
        """Make an object."""
        with _errors_that_travel():
            self._objects[number] = make(*arguments)

    def run(self, number: int, method: str, *arguments: Any) -> Any:
        """Call a method whose result somebody waits for."""
        if number in self._failed:
            raise self._failed[number]
        with _errors_that_travel():
            return getattr(self._objects[number], method)(*arguments)

    def keep(self, number: int, method: str, *arguments: Any) -> Any:
        """Call a method whose result may never be looked at: an error is told to all who wait later."""
        try:
            return self.run(number, method, *arguments)
        except Raised as raised:
            self._failed[number] = raised
            raise

    def drop(self, number: int) -> None:
        """Forget an object."""
        self._objects.pop(number, None)
        self._failed.pop(number, None)


Actor: Any = ray.remote(Worker)


def _compiling() -> str:
    """Where a worker leaves word that it compiles a kernel: it cannot answer while it does."""
    return f"topminer compiles for {ray.get_runtime_context().get_job_id()}"


def _leave_word(kernel: str) -> None:
    with suppress(RayError):
        internal_kv._internal_kv_put(_compiling(), kernel, overwrite=False)


class Raised(Exception):
    """An error of any kind on its way from a worker."""

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
