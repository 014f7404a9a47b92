"""Time in tests: a clock that does not depend on the machine, and how long to wait for something certain."""

from collections.abc import Callable
from itertools import count

ENOUGH = 600.0  # seconds: no machine is so slow; what is not there by then never comes


def ticking(seconds: float = 1.0) -> Callable[[], float]:
    """Return a clock that is ``seconds`` later each time somebody looks at it."""
    looks = count()
    return lambda: next(looks) * seconds
