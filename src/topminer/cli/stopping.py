"""Ctrl-C and SIGTERM while something runs that would rather come to a good end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PATIENCE = 1.5  # seconds


class Stop:
    """Whether somebody asked to stop."""

    def __init__(self) -> None:
        self.signum: int | None = None
        self._before: dict[int, Callable[[int, FrameType | None], object]] = {}

    def now(self) -> None:
        """Stop, as the signal would have done at once."""
        if self.signum is not None:
            self._before[self.signum](self.signum, None)


@contextmanager
def gently() -> Iterator[Stop]:
    """Let the first signal only be noted: who runs inside looks at it, tidies up, and calls ``now``.

    If that takes too long, or a second signal comes, the run is stopped wherever it is.
    """
    stop = Stop()

    def ask(signum: int, frame: FrameType | None) -> None:
        if stop.signum is not None:
            stop.now()
        stop.signum = signum
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    def insist(signum: int, frame: FrameType | None) -> None:
        stop.now()

    for heard in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(heard)
        if callable(handler):
            stop._before[heard] = handler
            signal.signal(heard, ask)
    alarm = signal.signal(signal.SIGALRM, insist)
    try:
        yield stop
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)
        for heard_before, handler in stop._before.items():
            signal.signal(heard_before, handler)
