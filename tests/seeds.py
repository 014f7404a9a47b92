"""Where the tests' chance comes from: fixed seeds, unless ``make test-random`` gives others.

With fixed seeds a test does the same each time: alone or with others, in any order, with ``CI`` set or not.
"""

import random
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

Anything = TypeVar("Anything")

# No time is measured: neither an example's, which may have to wait for a compiler, nor that of drawing it.
TIMELESS: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
FIXED, RANDOM = "fixed", "random"


def use_fixed_seeds() -> None:
    """Have Hypothesis draw the same examples each time, unless ``--hypothesis-profile=random`` is given."""
    for name, is_fixed in ((FIXED, True), (RANDOM, False)):
        settings.register_profile(name, derandomize=is_fixed, database=None, print_blob=True, **TIMELESS)
    settings.load_profile(FIXED)
    # Hypothesis also draws constants that it finds in the modules imported so far. Which these are depends on
    # the tests that ran before in the same process, so it is told that there are none.
    if hasattr(providers, "_get_local_constants"):
        providers._get_local_constants = providers.Constants


def shuffled(items: list[pytest.Item], seed: int) -> list[pytest.Item]:
    """Shuffle the files, and the tests in each: a file's tests stay together, as they share fixtures."""
    files: dict[Any, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    chance = random.Random(seed)
    return [
        item for file in in_any_order(list(files.values()), chance) for item in in_any_order(file, chance)
    ]


def in_any_order(things: list[Anything], chance: random.Random) -> list[Anything]:
    return chance.sample(things, len(things))
