"""The clock of a method: how long its stages take, and when to stop because the rest would take too long.

A method runs its sweeps as ``for sweep in stopwatch.steps("sampling", 1000, "sweeps")``. If a few of them
show that all would take longer than the budget allows, the loop ends early, and the time of the stage is
extrapolated, as the paper does for its slow rivals::

    budget 60 s;  3 of 1,000 sweeps took 3 s   →   1,000 s, extrapolated
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from topminer.progress import Progress, silent

FEW = 3  # steps before the rest is predicted from them
LEAST_SHARE = 0.02  # of the budget that must be spent on a stage before its end is predicted
LEAST_SECONDS = 1.0  # that are always enough for that


@dataclass
class Stage:
    """A part of a method's work."""

    name: str
    measured: float = 0.0  # seconds
    share: float = 1.0  # of the stage that was done

    @property
    def seconds(self) -> float:
        """How long all of it takes: measured, or extrapolated from the share that was done."""
        return self.measured / self.share


class Stopwatch:
    """Times the stages of one fit, and hands on how far they are.

    All stages together may take ``budget`` seconds. ``shared`` is what methods on the same corpus need alike
    and do once: see :meth:`once`.
    """

    def __init__(
        self,
        progress: Progress = silent,
        budget: float = math.inf,
        clock: Callable[[], float] = time.perf_counter,
        shared: dict[Any, tuple[Any, list[Stage]]] | None = None,
    ) -> None:
        self.progress, self.budget, self.clock = progress, budget, clock
        self.stages: list[Stage] = []
        self.shared = {} if shared is None else shared

    @property
    def seconds(self) -> float:
        """How long all stages take."""
        return math.fsum(stage.seconds for stage in self.stages)

    @property
    def extrapolated(self) -> bool:
        """Whether a stage was not done to its end."""
        return any(stage.share < 1 for stage in self.stages)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time what happens inside."""
        stage, start = Stage(name), self.clock()
        self.stages.append(stage)
        try:
            yield
        finally:
            stage.measured = self.clock() - start

    def once(self, key: Any, work: Callable[[], Any]) -> Any:
        """Do some work, or take over its result and its stages from a method that did the same before."""
        if key not in self.shared:
            n_before = len(self.stages)
            result = work()
            self.shared[key] = result, self.stages[n_before:]
        else:
            result, stages = self.shared[key]
            self.stages += stages
        return result

    def steps(
        self,
        name: str,
        n: int,
        unit: str,
        *,
        sizes: Sequence[float] | None = None,
        note: Callable[[], str] | None = None,
    ) -> Iterator[int]:
        """Yield 0 to ``n`` - 1, timed, as long as the budget allows.

        ``sizes`` says how large each step is against the others; with it, the first step is enough to predict
        the rest. ``note`` gives a few words for the progress bar.
        """
        stage, start = Stage(name), self.clock()
        before = self.seconds
        self.stages.append(stage)
        total, done = (float(n) if sizes is None else math.fsum(sizes)), 0.0
        for i in range(n):
            yield i
            done += 1.0 if sizes is None else sizes[i]
            stage.measured = self.clock() - start
            self.progress(name, i + 1, n, unit, "" if note is None else note())
            if i + 1 < n and self.too_long(
                before, stage.measured, done / total, sizes is not None or i + 1 >= FEW
            ):
                stage.share = done / total
                return
        stage.measured = self.clock() - start

    def too_long(self, before: float, spent: float, share: float, enough: bool = True) -> bool:
        """Whether to stop: ``spent`` seconds did ``share`` of a stage, ``before`` went into earlier ones.

        ``enough`` says whether so much was done that the rest can be predicted from it.
        """
        if before + spent > self.budget:
            return True
        looked = enough and spent >= min(LEAST_SECONDS, LEAST_SHARE * self.budget)
        # Predict early or not at all: a stage that is nearly done is finished, even if a little late.
        return looked and share < 0.5 and before + spent / share > self.budget
