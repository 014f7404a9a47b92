"""What all tests share."""

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"

# The first example of a test may have to wait for a compiler.
settings.register_profile("topminer", deadline=None)
settings.load_profile("topminer")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    absent = pytest.mark.skip(reason=f"needs the corpora in ../{SHARED_DATA.relative_to(ROOT.parent)}")
    for item in items:
        if item.get_closest_marker("corpus") and not SHARED_DATA.is_dir():
            item.add_marker(absent)


@pytest.fixture
def shared_data() -> Path:
    """The folder of real corpora; a test that uses it is marked ``corpus``."""
    return SHARED_DATA
