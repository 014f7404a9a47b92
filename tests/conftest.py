"""What all tests share."""

import os
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from hypothesis import is_hypothesis_test, settings

# Ray's servers listen on every network: they shall answer nobody but these tests. Ray looks on its import.
os.environ.setdefault("RAY_AUTH_MODE", "token")
os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))

from project import ROOT, SHARED_DATA
from ray_nodes import Nodes, nodes
from seeds import shuffled, use_fixed_seeds

# Hashes overflow, and lanes that are not used may divide by zero.
ON_PURPOSE = "overflow", "divide by zero", "invalid value"

use_fixed_seeds()

# A process that a shell starts in the background ignores SIGINT, and so would all that tests start and stop.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def most_examples() -> int | None:
    """Return how many examples a test tries at most, or None where it may try as many as it asks for.

    Fixed seeds give the same examples every time: to find new failures is the work of ``make test-random``.
    Kernels that are Python, or that check every index, are slow.
    """
    if numba.config.DISABLE_JIT:
        return 10
    if numba.config.BOUNDSCHECK:
        return 15
    return 15 if settings.default.derandomize else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in a random order")


def pytest_report_header(config: pytest.Config) -> str | None:
    seed = config.getoption("shuffle")
    return seed and f"random order: --shuffle={seed}; PYTHONHASHSEED={os.environ.get('PYTHONHASHSEED')}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if (seed := config.getoption("shuffle")) is not None:
        items[:] = shuffled(items, seed)
    most = most_examples()
    absent = pytest.mark.skip(reason=f"needs the corpora in ../{SHARED_DATA.relative_to(ROOT.parent)}")
    for item in items:
        if item.get_closest_marker("corpus") and not SHARED_DATA.is_dir():
            item.add_marker(absent)
        if most and isinstance(item, pytest.Function) and is_hypothesis_test(item.function):
            own = item.function._hypothesis_internal_use_settings
            fewer = settings(own, max_examples=min(own.max_examples, most))
            item.function._hypothesis_internal_use_settings = fewer
        if numba.config.DISABLE_JIT:  # NumPy would report what compiled kernels do on purpose
            for what in ON_PURPOSE:
                item.add_marker(pytest.mark.filterwarnings(f"ignore:{what} encountered:RuntimeWarning"))


@pytest.fixture(scope="session", autouse=True)
def state_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """State and cache directories for these tests, in this process and in others: never the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("state")
        patch.setenv("XDG_STATE_HOME", str(folder))
        patch.setenv("LOCALAPPDATA", str(folder))
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session")
def ray_nodes() -> Iterator[Nodes]:
    """A Ray cluster of at least two nodes, for all tests that need one: starting it takes a while."""
    with nodes(2) as running:
        yield running


@pytest.fixture(scope="module")
def two_nodes(ray_nodes: Nodes) -> Nodes:
    ray_nodes.have(2)
    return ray_nodes


@pytest.fixture(scope="module")
def cluster(two_nodes: Nodes) -> Iterator[Any]:
    """The same, connected to."""
    from topminer.engines.ray import connect

    with connect(two_nodes.address) as connected:
        yield connected


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser for all tests of pages: starting it, and opening its first tab, takes a while."""
    from browsing import chromium

    with chromium() as running:
        yield running


@pytest.fixture
def shared_data() -> Path:
    """The folder of real corpora; a test that uses it is marked ``corpus``."""
    return SHARED_DATA
