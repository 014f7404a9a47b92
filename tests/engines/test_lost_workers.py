"""Workers and nodes that die: the call that waits for them fails soon, and the others go on."""

import os
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
import ray
from numpy.typing import NDArray
from ray_nodes import Nodes

from topminer.engines.actors import RayEngine
from topminer.engines.contract import Placed, WorkerLost
from topminer.engines.ray import Cluster

pytestmark = pytest.mark.ray

LONG = 600.0  # seconds: longer than any test


class Mortal:
    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def die(self, whether: bool) -> None:
        if whether:
            os._exit(1)
        time.sleep(LONG)

    def numbers(self) -> NDArray[np.int64]:
        return np.arange(1 << 18)

    def total(self, numbers: NDArray[np.int64]) -> int:
        return int(numbers.sum())


@pytest.fixture
def placed(cluster: Cluster, two_nodes: Nodes) -> Iterator[Placed]:
    while cluster.n_nodes < 2:
        two_nodes.add()
    engine = cluster.engine()
    yield engine.place(Mortal, [()] * 2)
    engine.close()


def test_a_worker_that_ends_in_a_call_is_lost_while_the_other_goes_on(
    placed: Placed, cluster: Cluster
) -> None:
    name = placed.engine.names[1]
    with pytest.raises(WorkerLost, match=f"worker on {name} is gone"):
        placed.run("die", [(False,), (True,)])
    placed.engine.close()
    _all_is_well(cluster, 2)


def test_a_worker_that_was_killed_is_lost(placed: Placed, cluster: Cluster) -> None:
    assert isinstance(placed.engine, RayEngine)
    ray.kill(placed.engine.actors[0])
    for ask in lambda: placed.run("numbers"), lambda: placed.engine.place(Mortal, [()] * 2):
        with pytest.raises(WorkerLost, match=placed.engine.names[0]):
            ask()
    with pytest.raises(WorkerLost, match=placed.engine.names[0]):
        placed.engine.here([placed.keep_on(1, "total", placed.keep_on(0, "numbers"))])


def test_a_node_killed_while_a_call_runs_is_lost(placed: Placed, cluster: Cluster, two_nodes: Nodes) -> None:
    names = placed.engine.names
    killer = threading.Timer(0.5, two_nodes.kill, [names[1]])
    killer.start()
    with pytest.raises(WorkerLost, match=names[1]):
        placed.run("wait", [(LONG,)] * 2)
    killer.join()
    placed.engine.close()
    assert _all_is_well(cluster, 1) == [names[0]]


def test_what_a_killed_node_kept_is_lost(placed: Placed, cluster: Cluster, two_nodes: Nodes) -> None:
    names = placed.engine.names
    kept = placed.keep("numbers")
    placed.run("wait", [(0,)] * 2)
    two_nodes.kill(names[0])
    with pytest.raises(WorkerLost, match=names[0]):
        placed.engine.here([placed.keep_on(1, "total", kept[0])])
    with pytest.raises(WorkerLost, match=names[0]):
        placed.engine.here(kept)
    with pytest.raises(WorkerLost, match=names[0]):
        placed.run("numbers")
    placed.engine.close()
    assert _all_is_well(cluster, 1) == [names[1]]


def _all_is_well(cluster: Cluster, n_nodes: int) -> list[str]:
    """Start again on what is left; the names of the nodes."""
    engine = cluster.engine()
    assert len(engine.names) == cluster.n_nodes == n_nodes
    placed = engine.place(Mortal, [()] * n_nodes)
    totals = placed.run("total", [(numbers,) for numbers in placed.keep("numbers")])
    assert totals == [sum(range(1 << 18))] * n_nodes
    engine.close()
    return engine.names
