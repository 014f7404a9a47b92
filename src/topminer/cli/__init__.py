"""The command line: the only room that prints. This module says how every run of it ends.

==== =====================================================================
code a run that
==== =====================================================================
0    did what it was asked
1    met a bug: traceback, and a line that says so
2    was given bad input or usage: one clear line
130  was interrupted (Ctrl-C); 143: was asked to end by SIGTERM
141  had its output closed by its reader, as in ``topminer … | head -1``
==== =====================================================================
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# What libraries say when memory, or the room below a limit, is used up.
LACK_OF_MEMORY = (
    "Cannot allocate memory",
    "cannot allocate memory",
    "failed to map segment",
    "can't start new thread",
    "ThreadPoolBuildError",
)
NEEDS_LESS = "fewer topics, fewer documents or a smaller sample need less"

DONE, BUG, BAD_INPUT, READER_GONE = 0, 1, 2, 141

STOP_TIMEOUT = 1.5  # seconds between the first signal and the next safe point
COMPLETE = "_TOPMINER_COMPLETE"  # the variable by which a shell asks for completions
HAS_ALARM = hasattr(signal, "setitimer")  # Windows has none


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    with _interruptible() as signals:
        try:
            _prepare_streams()
            code = _run(sys.argv[1:] if arguments is None else arguments)
            sys.stdout.flush()
        except BaseException as error:
            # What interrupts an import may come out of it as another error: the signal is what counts.
            code = _interrupted(signals[0]) if signals else _explained(error)
        _drop_unwritable_output()
    return code


def _run(arguments: list[str]) -> int:
    import typer

    from topminer.cli.app import command

    if COMPLETE in os.environ:  # the shell asks what could stand at the cursor
        return int(command().main([], "topminer", complete_var=COMPLETE) or DONE)
    try:
        with command().make_context("topminer", list(arguments)) as context:
            context.command.invoke(context)
    except typer.Exit as ending:
        return ending.exit_code
    except typer.TyperException as error:
        message = error.format_message().removesuffix(".").replace("Value error, ", "")
        _error(message[:1].lower() + message[1:])
        context = getattr(error, "ctx", None)
        print(f"Try '{context.command_path if context else 'topminer'} --help'.", file=sys.stderr)
        return BAD_INPUT
    return DONE


def _explained(error: BaseException) -> int:
    from topminer.errors import InputError

    match error:
        case SystemExit() if not isinstance(error.__context__, BrokenPipeError):
            return error.code if isinstance(error.code, int) else BUG
        case InputError():
            return _error(str(error))
        case BrokenPipeError() | SystemExit():
            return READER_GONE
        case _ if (lack := _lack_of_memory(error)) is not None:
            return _error(lack)
        case OSError():
            reason = error.strerror or str(error) or type(error).__name__
            return _error(f"{error.filename}: {reason}" if error.filename else reason)
    traceback.print_exception(error)
    print("topminer: this is a bug in topminer; please report it with the lines above", file=sys.stderr)
    return BUG


def _lack_of_memory(error: BaseException) -> str | None:
    """What to say where an error, or what caused it, is for want of memory; None where it is not."""
    cause: BaseException | None = error
    while cause is not None:
        reason = " ".join(str(cause).split())
        if isinstance(cause, MemoryError) or any(sign in reason for sign in LACK_OF_MEMORY):
            break
        cause = cause.__cause__ or cause.__context__
    else:
        return None
    from topminer.memory import available_bytes, size

    free = available_bytes(reserve=0)  # what the work had taken is free again
    what = f"out of memory: {reason}" if reason else "out of memory"
    there = "" if free is None else f"; without this work {size(free)} are free"
    return f"{what}{there}: {'raise the limit' if isinstance(error, ImportError) else NEEDS_LESS}"


def _error(message: str) -> int:
    """Say what was wrong on one line, whatever odd characters a file's name or text brings along."""
    one_line = " ".join(message.split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in one_line)
    print(f"topminer: error: {shown}", file=sys.stderr)
    return BAD_INPUT


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Let Ctrl-C and SIGTERM unwind the run; a second one ends it on the spot. Gives the signals received."""
    received: list[int] = []

    def stop(signum: int, frame: FrameType | None) -> None:
        if received:
            os._exit(128 + signum)
        received.append(signum)
        raise KeyboardInterrupt

    before = {signum: signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)}
    heard = [signum for signum, handler in before.items() if handler is not signal.SIG_IGN]
    for signum in heard:
        signal.signal(signum, stop)
    try:
        yield received
    finally:
        for signum in heard:
            signal.signal(signum, before[signum])


def _interrupted(signum: int) -> int:
    print("topminer: interrupted" if signum == signal.SIGINT else "topminer: terminated", file=sys.stderr)
    return 128 + signum


def _prepare_streams() -> None:
    """Let nothing fail because an output is closed, or because its encoding lacks a character."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def _drop_unwritable_output() -> None:
    """Keep Python from complaining, on its way out, about output nobody can take any more."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ------------------------------------------------------------------------------- stopping at a safe point


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
