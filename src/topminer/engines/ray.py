"""A Ray cluster to work on: one worker per node, with as many threads as the node has CPUs.

When a worker or a node is lost, whoever asked for something is told so (``WorkerLost``), closes the engine,
asks for another one, which has the nodes that are there now, and goes on from what is stored on disk.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
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
from ray._private import worker as ray_worker
from ray.exceptions import RayError

from topminer.engines.actors import LOOK, RayEngine, Started
from topminer.engines.ray_folder import ray_folder

PATIENCE = 60.0  # seconds that nodes and their CPUs are waited for
KNOCK = 5.0  # seconds that the head of a cluster has to answer
SETTINGS = b"\x04"  # a frame of HTTP/2: its length (3 bytes), kind, flag, and stream (4 bytes)
HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + SETTINGS + bytes(5)
SMALL_STORE, LARGE_STORE = 1 << 28, 10 << 30  # bytes of shared memory


@contextmanager
def connect(address: str | None = None, n_threads: int | None = None) -> Iterator[Cluster]:
    """Have a Ray cluster for a while.

    Parameters
    ----------
    address
        None: start Ray here, and stop it afterwards. ``"auto"`` or ``"host:port"``: the cluster that runs
        there. If this process is connected already, that connection is used and left open.
    n_threads
        How many threads a worker may use; by default as many as its node has CPUs.
    """
    if n_threads is not None:
        n_threads = n_threads_or_all(n_threads)
    if ray.is_initialized():
        yield Cluster(n_threads)
        return
    with _quietly(), ray_folder() if address is None else nullcontext("") as folder:
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
        """Start a worker on every node that is there now.

        A node may be dead without Ray knowing it yet, or busy with other work: so look again and again, until
        every node that Ray knows of has a worker.
        """
        started: dict[str, Started] = {}
        waiting: list[Any] = []
        until, reason = time.monotonic() + PATIENCE, ""
        try:
            while time.monotonic() < until:
                nodes = _nodes()
                started = {key: worker for key, worker in started.items() if key in nodes}
                for key in nodes.keys() - started.keys():
                    started[key] = Started(nodes[key], self._n_threads)
                waiting, failures = _look(started)
                if started and not waiting and not failures:
                    workers, started = [started[key] for key in nodes], {}
                    return RayEngine(workers)
                for key, error in failures.items():
                    del started[key]
                    reason = f" ({_last_line(error)})"
            busy = [worker.name for worker in started.values() if worker.ready in waiting]
            ours = sum(worker.n_cpus for worker in started.values() if worker.ready not in waiting)
            free = ray.available_resources().get("CPU", 0) + ours
            raise InputError(
                f"the Ray cluster gave no worker on {', '.join(busy) or 'any node'} for {PATIENCE:.0f} "
                f"seconds; {free:g} of its {ray.cluster_resources().get('CPU', 0):g} CPUs are free{reason}"
            )
        finally:
            for worker in started.values():
                ray.kill(worker.actor)


def _look(started: dict[str, Started]) -> tuple[list[Any], dict[str, RayError]]:
    """Wait a moment; give what is still waited for, and errors of workers that could not be started."""
    if not started:
        time.sleep(LOOK)
        return [], {}
    ready = [worker.ready for worker in started.values()]
    done, waiting = ray.wait(ready, num_returns=len(ready), timeout=LOOK)
    failures = {}
    for key, worker in started.items():
        if worker.ready in done:
            try:
                theirs, ours = ray.get(worker.ready), version("topminer")
            except RayError as error:
                if "creation task" in str(error):  # it began and failed: it would fail again
                    raise InputError(f"{worker.name} cannot run topminer: {_last_line(error)}") from error
                failures[key] = error
                continue
            if theirs != ours:
                raise InputError(f"{worker.name} has topminer {theirs}, and this machine {ours}")
    return waiting, failures


def _last_line(error: RayError) -> str:
    return str(error).strip().rpartition("\n")[2]


def _nodes() -> dict[str, dict[str, Any]]:
    """The nodes that have CPUs, by their ids, in the order of their addresses."""
    alive = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
    alive.sort(key=lambda node: (node["NodeManagerAddress"], node["NodeID"]))
    return {node["NodeID"]: node for node in alive}


def _start(n_cpus: int, folder: str) -> None:
    """Start Ray on this machine, for this process alone, with its logs and sockets in ``folder``."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray would listen on every network; where it takes itself for a single machine it uses 127.0.0.1 only.
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
        _knock(address)
    try:
        with _silent_core():
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (RayError, OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"cannot join the Ray cluster at {address}: {reason}") from error


def _knock(address: str) -> None:
    """Raise unless somebody is there who speaks HTTP/2, as Ray does: it would wait very long for others."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        raise InputError(f"a Ray cluster's address is auto or HOST:PORT, not {address}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), KNOCK) as knocking:
            if os.environ.get("RAY_USE_TLS", "0") == "0":
                knocking.sendall(HELLO)
                if knocking.recv(4)[3:] != SETTINGS:
                    raise InputError(f"who answers at {address} is no Ray cluster")
    except (OSError, OverflowError) as error:
        raise InputError(f"no Ray cluster answers at {address}: {error}") from None


@contextmanager
def _silent_core() -> Iterator[None]:
    """Let Ray's core, which writes to standard error what it thinks of lost nodes, have less to say.

    It says at once, there, that it will: so nothing is written to standard error meanwhile.
    """
    if "RAY_BACKEND_LOG_LEVEL" in os.environ:  # somebody wants to know
        yield
        return
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.environ["RAY_BACKEND_LOG_LEVEL"] = "fatal"
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
        del os.environ["RAY_BACKEND_LOG_LEVEL"]


@contextmanager
def _sigterm_as_it_was() -> Iterator[None]:
    """Undo what ``ray.init`` does to SIGTERM."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep Ray from printing what became of its nodes, which ``log_to_driver=False`` does not."""
    before, ray_worker._worker_logs_enabled = ray_worker._worker_logs_enabled, False
    try:
        yield
    finally:
        ray_worker._worker_logs_enabled = before
