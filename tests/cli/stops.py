"""A run of topminer in a process that stops itself when it is about to change its folder.

As a script: ``python stops.py once|always FOLDER FILE ARGUMENTS…`` runs topminer with these arguments. When
FILE exists in FOLDER, the process stops, as SIGSTOP does, before the next change below FOLDER, or before
every one, until SIGCONT comes. Meanwhile a test can look at the folder, or kill the process.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Events of Python's audit hooks; with an open folder (dir_fd) as last detail a path is that in the folder.
CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def start(*command: object, **more: Any) -> subprocess.Popen[str]:
    """Start Python with these arguments, and with its outputs as pipes."""
    return subprocess.Popen(
        [sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        # A shell's background jobs ignore Ctrl-C, and so do their children unless told otherwise.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **more,
    )


@contextmanager
def stopping(how: str, folder: Path, file: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Run topminer so that it stops; it is ended at the end if it still runs."""
    with start(__file__, how, folder, file, *arguments) as process:
        try:
            yield process
        finally:
            process.kill()


def is_stopped(process: subprocess.Popen[str]) -> bool:
    """Wait until a process stops or ends; whether it stopped."""
    state = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    assert state is not None
    return state.si_code == os.CLD_STOPPED


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for the end of a process; its exit code, and what it wrote to standard output and error."""
    from clocks import ENOUGH  # the script does without

    out, err = process.communicate(timeout=ENOUGH)
    return process.returncode, out, err


def _stop_at_changes(always: bool, folder: str, file: str) -> None:
    left = [None]

    def hook(event: str, details: tuple[Any, ...]) -> None:
        if event == "open":
            is_change = details[2] & WRITING and str(details[0]).startswith(folder)
        else:
            is_change = event in CHANGES and (details[-1] != -1 or str(details[0]).startswith(folder))
        if is_change and (left or always) and os.path.exists(os.path.join(folder, file)):
            left.clear()
            os.kill(os.getpid(), signal.SIGSTOP)

    sys.addaudithook(hook)


if __name__ == "__main__":
    from topminer.cli import main

    how, folder, file, *arguments = sys.argv[1:]
    _stop_at_changes(how == "always", folder, file)
    sys.exit(main(arguments))
