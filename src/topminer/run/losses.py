"""What a run does when a worker is lost: it goes on with others, unless that happens again and again."""

from __future__ import annotations

from topminer.engines.contract import WorkerLost
from topminer.errors import InputError

MAX_LOSSES = 5  # lost workers in a row, without any progress between them


class TooManyLosses(InputError):
    """Workers were lost again and again."""


class Losses:
    """Counts the workers that were lost since the last progress."""

    def __init__(self) -> None:
        self._n_lost = 0

    def forget(self) -> None:
        """Start to count anew, since the run got further."""
        self._n_lost = 0

    def count(self, lost: WorkerLost) -> None:
        """Count another loss. Raise TooManyLosses if the run should give up."""
        self._n_lost += 1
        if self._n_lost == MAX_LOSSES:
            raise TooManyLosses(
                f"{lost}; that was the {MAX_LOSSES}th time in a row without getting any further. "
                "Are the nodes short of memory?"
            ) from lost
