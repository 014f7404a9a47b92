"""Ray clusters: started here, joined, used by others too, or not there at all."""

import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numba
import pytest
import ray
from clocks import ENOUGH
from ray_nodes import nodes

from topminer.engines import ray as ray_engine
from topminer.engines.ray import Cluster, connect
from topminer.errors import InputError
from topminer.jit import on_compile

pytestmark = pytest.mark.ray

HERE = """
import signal, threading
from topminer.engines.ray import connect
try:
    with connect(None, 2) as cluster:
        engine = cluster.engine()
        placed = engine.place(threading.Event, [()])
        print(cluster.n_nodes, engine.names, engine.threads, end=" ")
        print(signal.getsignal(signal.SIGTERM).name, flush=True)
        try:
            placed.run("wait", [(600,)])
        finally:
            engine.close()
except KeyboardInterrupt:
    print("stopped")
"""


def test_a_cluster_is_started_here_and_a_run_on_it_interrupted(tmp_path: Path) -> None:
    """As from a terminal, where Ctrl-C goes to all processes: nobody prints a thing.

    The temporary folder's path is too long for Ray's sockets, and there is nothing in it nor in HOME.
    """
    for_files, home = tmp_path / ("long" * 20), tmp_path / "home"
    for_files.mkdir()
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "RAY_TMPDIR"}
    with (
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", HERE],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=environment | {"TMPDIR": str(for_files), "HOME": str(home)},
        ) as process,
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == "1 ['127.0.0.1'] [2] SIG_DFL\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=ENOUGH) == ("stopped\n", "")
        assert process.returncode == 0
    assert list(for_files.iterdir()) == []


def test_a_cluster_of_this_machine_needs_no_folder_of_an_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray's test clusters write to the default folder, which Ray makes only where a node has no other."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_TMPDIR", raising=False)
    with nodes(0) as cluster:
        assert cluster.address
        folder = Path(os.environ["RAY_TMPDIR"])
        assert (folder / "ray" / "ray_current_cluster").read_text() == cluster.address
    assert list(tmp_path.iterdir()) == [] and "RAY_TMPDIR" not in os.environ


def test_a_cluster_that_is_connected_already_is_used_and_left(cluster: Cluster) -> None:
    with connect("127.0.0.1:1") as same:
        assert same.n_nodes == cluster.n_nodes
    assert ray.is_initialized()


class Compiling:
    """Compiles a kernel, and goes on when the driver has said so."""

    def compile(self, told: Path) -> int:
        def never_seen_before(x: int) -> int:
            return x + 1

        seen: int = numba.njit(never_seen_before)(1)
        wait_until(told.exists)
        return seen


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for something that is certain to come, but not for ever."""
    end = time.monotonic() + ENOUGH
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_workers_that_compile_say_so(cluster: Cluster, tmp_path: Path) -> None:
    told: list[str] = []

    def tell(kernel: str) -> None:
        told.append(kernel)
        (tmp_path / "told").touch()

    engine = cluster.engine()
    try:
        placed = engine.place(Compiling, [()] * len(engine.names))
        with on_compile(tell):
            for _ in range(2):
                arguments = [(tmp_path / "told",)] * len(engine.names)
                assert placed.run("compile", arguments) == [2] * len(engine.names)
    finally:
        engine.close()
    assert told == ["never_seen_before"]


class Limits:
    def of_numba(self) -> int:
        return int(numba.config.NUMBA_NUM_THREADS)

    def of_polars(self) -> str | None:
        return os.environ.get("POLARS_MAX_THREADS")

    def has_polars(self) -> bool:
        return "polars" in sys.modules


@pytest.mark.parametrize(("n_threads", "expected"), [(None, 1), (3, 3)])
def test_a_worker_has_as_many_threads_as_its_node_has_cpus_unless_told(
    cluster: Cluster, n_threads: int | None, expected: int
) -> None:
    with connect(n_threads=n_threads) as same:
        engine = same.engine()
    n = cluster.n_nodes
    assert engine.threads == [expected] * n
    limits = engine.place(Limits, [()] * n)
    assert limits.run("of_numba") == [expected] * n
    assert limits.run("has_polars") == [False] * n  # and when it is imported, it will read:
    assert limits.run("of_polars") == [str(expected)] * n
    engine.close()


def test_workers_that_get_no_cpus_are_waited_for_and_then_given_up(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = cluster.engine()
    wait_until(lambda: not ray.available_resources().get("CPU"))  # Ray tells it with some delay
    monkeypatch.setattr(ray_engine, "START_TIMEOUT", 2.0)
    with pytest.raises(
        InputError, match=r"no worker on 127\.0\..* for 2 seconds; 0 of its \d CPUs are free$"
    ):
        cluster.engine()
    engine.close()


def test_nodes_of_another_version_are_refused(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "version", lambda name: "0.0.0")
    with pytest.raises(InputError, match=r"127\.0\.\d+\.\d+ has topminer .*, and this machine 0\.0\.0"):
        cluster.engine()


@pytest.mark.parametrize("address", ["here", "ray://here:10001", "here:there"])
def test_an_address_is_a_host_and_a_port(address: str) -> None:
    with pytest.raises(InputError, match=f"HOST:PORT, not {address}"):
        ray_engine._join(address)


def test_an_address_where_nobody_listens_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(InputError, match=r"no Ray cluster answers at 127\.0\.0\.1:1: .*refused"):
        ray_engine._join("auto")


def test_without_ray_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "topminer.engines.ray")
    with pytest.raises(InputError, match=r'pip install "topminer\[ray\]"'):
        importlib.import_module("topminer.engines.ray")
