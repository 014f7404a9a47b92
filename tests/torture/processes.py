"""Work in a process of its own: whatever it does to its memory, this process can tell how it ended."""

import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True)
class Ending:
    """How a process ended: its exit code (negative: the signal that killed it) and what it printed."""

    code: int
    printed: str
    hung: bool = False

    @property
    def complaint(self) -> str | None:
        """What is wrong with this ending; None if the work was done (0) or refused in one clear line (2)."""
        if self.hung:
            return "did not end in time"
        if self.code < 0:
            return f"killed by {signal.Signals(-self.code).name}: {self.printed[-500:]}"
        if TRACEBACK in self.printed:
            return f"traceback: {self.printed[-1500:]}"
        if self.code not in (0, 2):
            return f"exit code {self.code}: {self.printed[-500:]}"
        errors = [line for line in self.printed.splitlines() if line.startswith("topminer: error:")]
        if self.code == 2 and len(errors) != 1:
            return f"refused without one clear line: {self.printed[-500:]}"
        return None


def in_child(work: Callable[..., int | None], *arguments: Any, seconds: float = 120) -> Ending:
    """Fork, run ``work`` there, and see how it ends. An InputError counts as a refusal, as on the command line.

    Import what ``work`` needs before the first call: children then start with it. Do not run Polars or threads
    before: a fork would leave their locks held for ever.
    """
    with tempfile.TemporaryFile() as output:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _be_child(output.fileno(), work, arguments)
        status, hung = _wait(child, seconds)
        output.seek(0)
        printed = output.read().decode("utf-8", "replace")
    return Ending(os.waitstatus_to_exitcode(status), printed, hung)


def run_topminer(*arguments: str, seconds: float = 120) -> Ending:
    """Run ``topminer ARGUMENTS`` in a child."""
    from topminer.cli import main

    return in_child(main, list(arguments), seconds=seconds)


def _be_child(output: int, work: Callable[..., int | None], arguments: tuple[Any, ...]) -> None:
    code = 1
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        code = _answer(work, arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _answer(work: Callable[..., int | None], arguments: tuple[Any, ...]) -> int:
    from topminer.errors import InputError

    try:
        return work(*arguments) or 0
    except InputError as error:
        print(f"topminer: error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BaseException:
        traceback.print_exc()
        return 1


def _wait(child: int, seconds: float) -> tuple[int, bool]:
    """Wait for a child and give its status; one that takes too long is killed with its whole group."""
    end, pause = time.monotonic() + seconds, 0.001
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status, False
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    os.killpg(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1], True
