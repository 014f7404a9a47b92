"""Where output goes: standard output for what was asked for, standard error for everything else.

A corpus may hold any text at all. So nothing printed here is read as markup, and control characters that
could move the cursor or turn the line around never reach the terminal.
"""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console

# C0 and C1 controls, and the marks that turn the direction of the text around them.
_UNSEEMLY = [*range(0x00, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_VISIBLE = {code: "·" for code in _UNSEEMLY} | {ord(blank): " " for blank in "\t\n\v\f\r\x85"}


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


def output(quiet: bool = False) -> Console:
    """Return the console for results: standard output."""
    return _Console(quiet=quiet, markup=False, emoji=False, highlight=False)


def messages(quiet: bool = False) -> Console:
    """Return the console for messages and progress: standard error."""
    return _Console(stderr=True, quiet=quiet, markup=False, emoji=False, highlight=False)


def visible(text: str) -> str:
    r"""Return ``text`` on one line, with ``·`` for characters a terminal would obey rather than show.

    >>> visible("red\x1b[31m\nalert")
    'red·[31m alert'
    """
    return text.translate(_VISIBLE)
