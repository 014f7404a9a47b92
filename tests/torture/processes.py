"""Work in a process of its own: whatever it does to its memory, this process can tell how it ended."""

import ctypes
import faulthandler
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

TRACEBACK = "Traceback (most recent call last)"
PANIC = "panicked at"  # how a library in Rust reports a bug
INTERRUPTED = 130
GIGABYTE = 1 << 30
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Ending:
    """How a process ended: its exit code (negative: the signal that killed it) and what it printed."""

    code: int
    printed: str
    hung: bool = False
    interrupted: bool = False  # whether it was asked to stop, because its work may take any time

    @property
    def complaint(self) -> str | None:
        """What is wrong with this ending; None if the work was done (0) or refused in one clear line (2)."""
        if self.hung:
            return f"did not end in time: {self.printed[-500:]}"
        if self.code < 0:
            return f"killed by {signal.Signals(-self.code).name}: {self.printed[-500:]}"
        if TRACEBACK in self.printed or PANIC in self.printed:
            return f"traceback: {_last_lines(self.printed)}"
        if self.interrupted and self.code == INTERRUPTED:
            return None
        if self.code not in (0, 2):
            return f"exit code {self.code}: {self.printed[-500:]}"
        errors = [line for line in self.printed.splitlines() if line.startswith("topminer: error:")]
        if self.code == 2 and len(errors) != 1:
            return f"refused without one clear line: {self.printed[-500:]}"
        return None


def _last_lines(printed: str) -> str:
    """The error at the end of a traceback, and the last place of topminer in it, and then the end of all."""
    lines = printed.splitlines()
    errors = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Exit|Interrupt|Warning)\b", line)]
    places = [line.strip() for line in lines if "/topminer/" in line and line.strip().startswith("File")]
    return f"{''.join(errors[-1:])[:300]} in {''.join(places[-1:])}\n{printed[-1200:]}"


def in_child(
    work: Callable[..., int | None],
    *arguments: Any,
    seconds: float = 120,
    memory: int | None = None,
    interrupt_after: float | None = None,
) -> Ending:
    """Fork, run ``work`` there, and see how it ends. An InputError counts as a refusal, as for a command.

    Import what ``work`` needs before the first call: children then start with it. Do not run Polars or
    threads before: a fork would leave their locks held for ever. See preload.py. A child that takes longer
    than ``seconds`` is killed, and hung. It may allocate ``memory`` bytes: work on small files that needs
    more would take a machine down. With ``interrupt_after`` it gets SIGINT after so many seconds, for work
    that may rightly take any time: ending with exit code 130 is then no failure.
    """
    return Child(work, *arguments, memory=memory).ending(seconds, interrupt_after)


class Child:
    """A child that runs ``work`` while this process goes on: see :func:`in_child`."""

    def __init__(self, work: Callable[..., int | None], *arguments: Any, memory: int | None = None) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _be_child(self._output.fileno(), work, arguments, memory)

    def ending(self, seconds: float = 120, interrupt_after: float | None = None) -> Ending:
        """Wait until the child ends."""
        status, hung, interrupted = _wait(self.pid, seconds, interrupt_after)
        with self._output as output:
            output.seek(0)
            printed = output.read().decode("utf-8", "replace")
        return Ending(os.waitstatus_to_exitcode(status), printed, hung, interrupted)


def run_topminer(*arguments: str, seconds: float = 120) -> Ending:
    """Run ``topminer ARGUMENTS`` in a child."""
    from topminer.cli import main

    return in_child(main, list(arguments), seconds=seconds)


def run_process(
    arguments: list[str],
    *,
    limit: tuple[int, int] | None = None,
    is_time_to_kill: Callable[[], bool] = lambda: False,
    seconds: float = 300.0,
) -> Ending:
    """Run ``topminer ARGUMENTS`` as a process that shares nothing with this one.

    It may be below a ``limit``, a resource and a number of bytes, and is killed when the time has come.
    """

    def set_limit() -> None:
        if limit is not None:
            resource.setrlimit(limit[0], (limit[1], limit[1]))

    end = time.monotonic() + seconds
    with tempfile.TemporaryFile() as output:
        command = [sys.executable, "-m", "topminer", *arguments]
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        process = subprocess.Popen(command, **streams, preexec_fn=set_limit)
        while process.poll() is None and time.monotonic() < end and not is_time_to_kill():
            time.sleep(0.001)
        hung = process.poll() is None and time.monotonic() >= end
        process.kill()
        process.wait()
        output.seek(0)
        return Ending(process.returncode, output.read().decode("utf-8", "replace"), hung)


def _be_child(
    output: int, work: Callable[..., int | None], arguments: tuple[Any, ...], memory: int | None
) -> None:
    code = 1
    try:
        os.setsid()
        faulthandler.disable()
        if sys.platform == "linux":  # a child never outlives this process
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
            resource.setrlimit(resource.RLIMIT_FSIZE, (memory, memory))
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


def _wait(child: int, seconds: float, interrupt_after: float | None) -> tuple[int, bool, bool]:
    """Wait for a child: its status, whether it hung, and whether it was interrupted.

    One that hangs is killed with its whole group.
    """
    start, pause, interrupted = time.monotonic(), 0.001, False
    while (passed := time.monotonic() - start) < seconds:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status, False, interrupted
        if interrupt_after is not None and passed > interrupt_after and not interrupted:
            os.kill(child, signal.SIGINT)
            interrupted = True
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    os.killpg(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1], True, interrupted
