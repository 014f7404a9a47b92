"""The trials of one part: how many were made, and which of them failed."""

import random
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Trials:
    """Trials of one part, until enough are made or the part's time is over.

    ``for chance in trials:`` gives each trial a random number generator of its own, so that trial 17 of a
    seed is the same whatever was tried before it.
    """

    name: str
    wanted: int
    seconds: float
    seed: int
    folder: Path  # an empty one, for whatever the trials write
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    first: int = 0  # number of the first trial: with ``wanted=1`` it is made alone
    note: str = ""  # shown in the table beside the numbers
    failed_trials: set[int] = field(default_factory=set)
    started: float = field(default_factory=time.monotonic)

    def __iter__(self) -> Iterator[random.Random]:
        end = self.started + self.seconds
        while self.tried < self.wanted and (time.monotonic() < end or self.tried == 0):
            self.tried += 1
            yield random.Random(f"{self.seed} {self.name} {self.number}")

    @property
    def number(self) -> int:
        """The number of the trial at hand."""
        return self.first + self.tried - 1

    def failed(self, what: str, number: int | None = None) -> None:
        """Note that the trial at hand failed, or that of a number, and how to repeat it."""
        number = self.number if number is None else number
        self.failed_trials.add(number)
        again = f"--part {shlex.quote(self.name)} --seed {self.seed} --trial {number}"
        self.failures.append(f"{again}: {what}")
