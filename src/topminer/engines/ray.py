"""A Ray cluster to work on: one worker per node, with as many threads as the node has CPUs.

When a worker or a node is lost, the call that waits for it raises ``WorkerLost``. The caller then closes the
engine, asks for another one, which has the nodes that are left, and goes on from what is stored on disk.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib.metadata import version
from typing import Any

from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError

try:
    import ray
except ImportError as error:
    raise InputError('work on a cluster needs Ray: pip install "topminer[ray]"') from error

from ray._private import ray_constants
from ray.exceptions import RayError

from topminer.engines.actors import POLL_INTERVAL, Pong, RayEngine, Started
from topminer.engines.ray_folder import ray_folder

START_TIMEOUT = 60.0  # seconds to wait for nodes and their CPUs
CONNECT_TIMEOUT = 5.0  # seconds to wait for the head of a cluster to accept a connection
SMALL_STORE, LARGE_STORE = 1 << 28, 10 << 30  # bytes of shared memory


@contextmanager
def connect(address: str | None = None, n_threads: int | None = None) -> Iterator[Cluster]:
    """Have a Ray cluster for a while: one that runs at ``address``, ``"auto"`` or ``"host:port"``.

    None: start Ray here, and stop it afterwards. If this process is connected already, that connection is
    used and left open. A worker may use ``n_threads``; by default as many as its node has CPUs.
    """
    if n_threads is not None:
        n_threads = n_threads_or_all(n_threads)
    if ray.is_initialized():
        yield Cluster(n_threads)
        return
    with ray_folder() if address is None else nullcontext("") as folder:
        try:
            with _sigterm_as_it_was():
                if address is None:
                    _start(n_threads_or_all(n_threads), folder)
                else:
                    _join(address)
            yield Cluster(n_threads)
        finally:
            ray.shutdown()


class Cluster:
    """The nodes of the cluster that this process is connected to."""

    def __init__(self, n_threads: int | None = None) -> None:
        self._n_threads = n_threads

    @property
    def n_nodes(self) -> int:
        """How many nodes there are to work on."""
        return len(_nodes())

    def engine(self) -> RayEngine:
        """Start a worker on every node.

        A node may be dead before Ray notices it, or busy with other work. So the list of nodes is read again
        until every node in it has a worker.
        """
        started: dict[str, Started] = {}
        waiting: list[Any] = []
        until, reason = time.monotonic() + START_TIMEOUT, ""
        try:
            while time.monotonic() < until:
                nodes = _nodes()
                started = {key: worker for key, worker in started.items() if key in nodes}
                for key in nodes.keys() - started.keys():
                    started[key] = Started(nodes[key], self._n_threads)
                waiting, failures = _wait_for_answers(started)
                if started and not waiting and not failures:
                    workers, started = [started[key] for key in nodes], {}
                    return RayEngine(workers)
                for key, error in failures.items():
                    del started[key]
                    reason = f" ({_last_line(error)})"
            busy = [worker.name for worker in started.values() if worker.pong in waiting]
            ours = sum(worker.n_cpus for worker in started.values() if worker.pong not in waiting)
            free = ray.available_resources().get("CPU", 0) + ours
            raise InputError(
                f"the Ray cluster gave no worker on {', '.join(busy) or 'any node'} for {START_TIMEOUT:.0f} "
                f"seconds; {free:g} of its {ray.cluster_resources().get('CPU', 0):g} CPUs are free{reason}"
            )
        finally:
            for worker in started.values():
                ray.kill(worker.actor)


def _wait_for_answers(started: dict[str, Started]) -> tuple[list[Any], dict[str, RayError]]:
    """Wait a moment. Return the answers still missing, and the errors of workers that did not start."""
    if not started:
        time.sleep(POLL_INTERVAL)
        return [], {}
    ready = [worker.pong for worker in started.values()]
    done, waiting = ray.wait(ready, num_returns=len(ready), timeout=POLL_INTERVAL)
    failures = {}
    for key, worker in started.items():
        if worker.pong in done:
            try:
                pong: Pong = ray.get(worker.pong)
            except RayError as error:
                if "creation task" in str(error):  # it began and failed: it would fail again
                    raise InputError(f"{worker.name} cannot run topminer: {_last_line(error)}") from error
                failures[key] = error
                continue
            if pong.version != (ours := version("topminer")):
                raise InputError(f"{worker.name} has topminer {pong.version}, and this machine {ours}")
    return waiting, failures


def _last_line(error: RayError) -> str:
    return str(error).strip().rpartition("\n")[2]


def _nodes() -> dict[str, dict[str, Any]]:
    """The nodes that have CPUs, by their ids, in the order of their addresses."""
    alive = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
    alive.sort(key=lambda node: (node["NodeManagerAddress"], node["NodeID"]))
    return {node["NodeID"]: node for node in alive}


def _start(n_cpus: int, folder: str) -> None:
    """Start Ray on this machine, for this process alone, with its logs and sockets in ``folder``.

    Ray would listen on every network, and whoever connects can run code. With its constant
    ENABLE_RAY_CLUSTER turned off it uses 127.0.0.1 only. Ray has no public setting for that which takes
    effect after it was imported, so this is the one private name of Ray's that is used.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    reachable, ray_constants.ENABLE_RAY_CLUSTER = ray_constants.ENABLE_RAY_CLUSTER, False
    try:
        ray.init(
            address="local",
            num_cpus=n_cpus,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            object_store_memory=_store_size(),
            _temp_dir=folder,
        )
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = reachable


def _store_size() -> int | None:
    """Bytes for Ray's object store where /dev/shm is small but usable; None: let Ray decide."""
    with suppress(OSError, AttributeError):
        found = os.statvfs("/dev/shm")
        free = found.f_bavail * found.f_frsize
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if SMALL_STORE <= free < LARGE_STORE:
            return int(min(0.8 * free, 0.3 * memory))
    return None


def _join(address: str) -> None:
    """Connect to a cluster that is running."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS", address)
    if address != "auto":
        _check_address(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (RayError, OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"cannot join the Ray cluster at {address}: {reason}") from error


def _check_address(address: str) -> None:
    """Raise unless a server accepts connections there: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        raise InputError(f"a Ray cluster's address is auto or HOST:PORT, not {address}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"no Ray cluster answers at {address}: {error}") from None


@contextmanager
def _sigterm_as_it_was() -> Iterator[None]:
    """Restore the handler of SIGTERM, which ``ray.init`` replaces."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
