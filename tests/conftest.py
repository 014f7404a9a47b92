"""What all tests share."""

from pathlib import Path

import numba
import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"

# Hashes overflow, and lanes that are not used may divide by zero.
ON_PURPOSE = "overflow", "divide by zero", "invalid value"

# The first example of a test may have to wait for a compiler.
settings.register_profile("topminer", deadline=None)
# With the JIT off, kernels are Python: few examples will do, and slow ones are no news.
settings.register_profile(
    "no jit", deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("no jit" if numba.config.DISABLE_JIT else "topminer")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    absent = pytest.mark.skip(reason=f"needs the corpora in ../{SHARED_DATA.relative_to(ROOT.parent)}")
    for item in items:
        if item.get_closest_marker("corpus") and not SHARED_DATA.is_dir():
            item.add_marker(absent)
        if numba.config.DISABLE_JIT:  # NumPy would report what compiled kernels do on purpose
            for what in ON_PURPOSE:
                item.add_marker(pytest.mark.filterwarnings(f"ignore:{what} encountered:RuntimeWarning"))


@pytest.fixture
def shared_data() -> Path:
    """The folder of real corpora; a test that uses it is marked ``corpus``."""
    return SHARED_DATA
