"""Ctrl-C and SIGTERM while something runs that would rather come to a good end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOP_TIMEOUT = 1.5  # seconds between the first signal and the next safe point
HAS_ALARM = hasattr(signal, "setitimer")  # Windows has none


class Stop:
    """Whether the user asked to stop."""

    def __init__(self) -> None:
        self.signum: int | None = None
        self._before: dict[int, Callable[[int, FrameType | None], object]] = {}

    def asked(self) -> bool:
        """Return whether a signal arrived. From then on, only a second signal stops the run at once."""
        asked = self.signum is not None
        if asked:
            _wake_after(0)
        return asked

    def now(self) -> None:
        """Stop, as the signal would have done."""
        if self.signum is not None:
            self._before[self.signum](self.signum, None)


@contextmanager
def graceful_stop() -> Iterator[Stop]:
    """Only record the first signal. The code inside checks it at a safe point, and then calls ``now``.

    The run is stopped wherever it is if that takes too long or if a second signal arrives, and at the end of
    the block at the latest.
    """
    stop = Stop()

    def ask(signum: int, frame: FrameType | None) -> None:
        if stop.signum is not None:
            stop.now()
        stop.signum = signum
        _wake_after(STOP_TIMEOUT)

    def insist(signum: int, frame: FrameType | None) -> None:
        stop.now()

    for heard in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(heard)
        if callable(handler):
            stop._before[heard] = handler
            signal.signal(heard, ask)
    alarm = signal.signal(signal.SIGALRM, insist) if HAS_ALARM else None
    try:
        yield stop
    finally:
        _wake_after(0)
        if HAS_ALARM:
            signal.signal(signal.SIGALRM, alarm)
        for heard_before, handler in stop._before.items():
            signal.signal(heard_before, handler)
    stop.now()


def _wake_after(seconds: float) -> None:
    """Set the alarm; 0 turns it off."""
    if HAS_ALARM:
        signal.setitimer(signal.ITIMER_REAL, seconds)
