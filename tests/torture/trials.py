"""The trials of one part: how many were made, and which of them failed."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Trials:
    """Trials of one part, until enough are made or the part's time is over.

    ``for chance in trials:`` gives each trial a random number generator of its own, so that trial 17 of a seed is
    the same whatever was tried before it.
    """

    name: str
    wanted: int
    seconds: float
    seed: int
    folder: Path  # an empty one, for whatever the trials write
    tried: int = 0
    failures: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[random.Random]:
        end = time.monotonic() + self.seconds
        while self.tried < self.wanted and time.monotonic() < end:
            number = self.tried
            self.tried += 1
            yield random.Random(f"{self.seed} {self.name} {number}")

    def failed(self, what: str) -> None:
        """Note that the trial at hand failed, and how to repeat it."""
        self.failures.append(f"{self.name}, seed {self.seed}, trial {self.tried - 1}: {what}")
