"""Where output goes: standard output for what was asked for, standard error for everything else.

A corpus may hold any text at all. So nothing printed here is read as markup, and control characters that
could move the cursor or turn the line around never reach the terminal.
"""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console

from topminer.text.printable import printable

visible = printable  # texts from outside, as a terminal can show them


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def output(quiet: bool = False) -> Console:
    """Return the console for results: standard output."""
    return _Console(quiet=quiet, markup=False, emoji=False, highlight=False)


def messages(quiet: bool = False) -> Console:
    """Return the console for messages and progress: standard error."""
    return _Console(stderr=True, quiet=quiet, markup=False, emoji=False, highlight=False)
