"""The clock of a method."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from topminer.methods.stopwatch import FEW, Stopwatch

pytestmark = pytest.mark.small


class Clock:
    """A clock that goes on by as much as it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def run(budget: float, seconds: Callable[[int], float], n: int = 100, **given: Any) -> tuple[Stopwatch, int]:
    """Take steps that last so many seconds each; how many were taken until the budget ended them."""
    clock = Clock()
    stopwatch, done = Stopwatch(budget=budget, clock=clock), 0
    for i in stopwatch.steps("sampling", n, "sweeps", **given):
        clock.now += seconds(i)
        done += 1
    return stopwatch, done


SIZES = [10.0, 30.0, 60.0]


@pytest.mark.parametrize(
    ("budget", "seconds", "given", "n_done", "extrapolated", "total"),
    [
        (math.inf, lambda i: 2.0, {}, 100, False, 200),
        (60, lambda i: 1.0, {}, FEW, True, 100),  # what would take too long is timed on a few steps
        (50, SIZES.__getitem__, {"n": 3, "sizes": SIZES}, 1, True, 100),  # with sizes the first step tells
        # What is nearly done is finished: halfway 50 seconds would have been predicted.
        (100, lambda i: 0.5 if i < 60 else 1.6, {}, 100, False, 94),
        (
            10,
            lambda i: 0.1 if i < 7 else 20,
            {"n": 10},
            8,
            True,
            20.7 / 0.8,
        ),  # a spent budget ends it anywhere
        (1, lambda i: 1.0, {"n": 0}, 0, False, 0),
    ],
)
def test_steps_end_with_the_budget(
    budget: float,
    seconds: Callable[[int], float],
    given: dict[str, Any],
    n_done: int,
    extrapolated: bool,
    total: float,
) -> None:
    stopwatch, done = run(budget, seconds, **given)
    assert (done, stopwatch.extrapolated) == (n_done, extrapolated)
    assert stopwatch.seconds == pytest.approx(total)


def test_earlier_stages_count() -> None:
    clock = Clock()
    stopwatch = Stopwatch(budget=10, clock=clock)
    with stopwatch.stage("mining"):
        clock.now += 9.5
    done = 0
    for _ in stopwatch.steps("sampling", 100, "sweeps"):
        clock.now += 0.05
        done += 1
    assert done < 100
    assert stopwatch.stages[0].seconds == 9.5
    assert stopwatch.stages[1].share == pytest.approx(done / 100)
    assert stopwatch.seconds == pytest.approx(9.5 + 5)


def test_progress_is_handed_on() -> None:
    told = []
    stopwatch = Stopwatch(lambda *report: told.append(report))
    for _ in stopwatch.steps("sampling", 2, "sweeps", note=lambda: "fine"):
        pass
    assert told == [("sampling", 1, 2, "sweeps", "fine"), ("sampling", 2, 2, "sweeps", "fine")]
