"""The clock of a method."""

import math

import pytest

from topminer.methods.stopwatch import FEW, Stopwatch

pytestmark = pytest.mark.small


class Clock:
    """A clock that goes on by as much as it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def run(
    budget: float, seconds: float, n: int = 100, sizes: list[float] | None = None
) -> tuple[Stopwatch, int]:
    clock = Clock()
    stopwatch = Stopwatch(budget=budget, clock=clock)
    done = 0
    for i in stopwatch.steps("sampling", n, "sweeps", sizes=sizes):
        clock.now += seconds * (1 if sizes is None else sizes[i])
        done += 1
    return stopwatch, done


def test_within_the_budget_all_steps_are_done_and_the_time_is_measured() -> None:
    stopwatch, done = run(budget=math.inf, seconds=2.0)
    assert (done, stopwatch.extrapolated) == (100, False)
    assert stopwatch.seconds == pytest.approx(200)


def test_what_would_take_too_long_is_timed_on_a_few_steps() -> None:
    stopwatch, done = run(budget=60, seconds=1.0)
    assert (done, stopwatch.extrapolated) == (FEW, True)
    assert stopwatch.seconds == pytest.approx(100)
    assert stopwatch.stages[0].share == pytest.approx(FEW / 100)


def test_with_sizes_the_first_step_tells() -> None:
    stopwatch, done = run(budget=50, seconds=1.0, n=3, sizes=[10.0, 30.0, 60.0])
    assert (done, stopwatch.extrapolated) == (1, True)
    assert stopwatch.seconds == pytest.approx(100)


def test_what_is_nearly_done_is_finished() -> None:
    clock = Clock()
    stopwatch = Stopwatch(budget=100, clock=clock)
    done = 0
    for i in stopwatch.steps("sampling", 100, "sweeps"):
        clock.now += 0.5 if i < 60 else 1.6  # 94 seconds; halfway it would have been foretold as 50
        done += 1
    assert (done, stopwatch.extrapolated) == (100, False)


def test_a_spent_budget_ends_the_steps_wherever_they_are() -> None:
    clock = Clock()
    stopwatch = Stopwatch(budget=10, clock=clock)
    for i in stopwatch.steps("sampling", 10, "sweeps"):
        clock.now += 0.1 if i < 7 else 20
    assert stopwatch.extrapolated
    assert stopwatch.stages[0].share == pytest.approx(0.8)


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
    assert stopwatch.seconds == pytest.approx(9.5 + 5)


def test_progress_is_handed_on() -> None:
    told = []
    stopwatch = Stopwatch(lambda *report: told.append(report))
    for _ in stopwatch.steps("sampling", 2, "sweeps", note=lambda: "fine"):
        pass
    assert told == [("sampling", 1, 2, "sweeps", "fine"), ("sampling", 2, 2, "sweeps", "fine")]


def test_no_steps_take_no_time() -> None:
    stopwatch, done = run(budget=1, seconds=1, n=0)
    assert (done, stopwatch.extrapolated, stopwatch.seconds) == (0, False, 0.0)
