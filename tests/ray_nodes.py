"""A Ray cluster of several nodes on this machine, for tests."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

STORE = 200 << 20  # bytes of each node's object store

# Lost nodes are noticed within a second or two, not fifteen.
IMPATIENT = {
    "health_check_initial_delay_ms": 500,
    "health_check_period_ms": 300,
    "health_check_failure_threshold": 3,
}


HOSTS = count(2)  # no two of this process have the same address


class Nodes:
    """A running cluster: a head, which only keeps the books, and nodes to work on.

    They lie at 127.0.x.2, 127.0.x.3, and so on: x tells the workers of pytest-xdist apart.
    """

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._net = 1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        self._cluster = Cluster()
        self._nodes: dict[str, Any] = {}
        self._start(0, include_dashboard=False, _system_config=IMPATIENT)

    @property
    def address(self) -> str:
        """Of the head: what a driver connects to."""
        return str(self._cluster.address)

    @property
    def names(self) -> list[str]:
        """Addresses of the nodes to work on, in the order of an engine's workers."""
        return sorted(self._nodes)

    def add(self, num_cpus: int = 1) -> str:
        """Add a node to work on; its address."""
        node = self._start(num_cpus)
        self._nodes[node.node_ip_address] = node
        return str(node.node_ip_address)

    def kill(self, name: str) -> None:
        """Kill a node and everything on it, hard.

        Ray kills the node's own processes. Its workers would notice that within a second, in which a short
        run could end: they are killed here.
        """
        node = self._nodes.pop(name)
        raylets = {info.process.pid for info in node.all_processes["raylet"]}
        workers = [pid for pid, parent in _parents().items() if parent in raylets]
        self._cluster.remove_node(node, allow_graceful=False)
        for pid in workers:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def have(self, n: int) -> None:
        """Add nodes, or kill some, until there are ``n``."""
        while len(self._nodes) < n:
            self.add()
        for name in self.names[n:]:
            self.kill(name)

    def stop(self) -> None:
        """Stop all nodes."""
        self._cluster.shutdown()

    def _start(self, num_cpus: int, **settings: Any) -> Any:
        return self._cluster.add_node(
            num_cpus=num_cpus,
            node_ip_address=f"127.0.{self._net}.{next(HOSTS)}",
            object_store_memory=STORE,
            **settings,
        )


def _parents() -> dict[int, int]:
    """Return the parent of each process of this machine."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # a process that has just ended
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    return parents


@contextmanager
def nodes(n: int, num_cpus: int = 1) -> Iterator[Nodes]:
    """Have a cluster of ``n`` nodes to work on, with so many CPUs each, and a head without."""
    from topminer.engines.ray_folder import ray_folder

    with pytest.MonkeyPatch.context() as patch, ray_folder() as folder:
        # Ray's test clusters write their address into the default folder, whatever folder a node is given:
        # so that is made the default. It need not exist, and no cluster of anybody else's is disturbed.
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # workers import what tests define
        cluster = Nodes()
        try:
            for _ in range(n):
                cluster.add(num_cpus)
            yield cluster
        finally:
            cluster.stop()
