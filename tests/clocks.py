"""A clock for tests: it goes on by itself, whatever the machine is doing."""

from collections.abc import Callable
from itertools import count


def ticking(seconds: float = 1.0) -> Callable[[], float]:
    """Return a clock that is ``seconds`` later each time somebody looks at it."""
    looks = count()
    return lambda: next(looks) * seconds
