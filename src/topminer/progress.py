"""How long work reports how far it is: a callback, drawn by whoever gave it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called now and then by anything that may take longer than two seconds."""

    def __call__(self, stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        """Report that ``done`` of ``total`` ``unit`` (None: nobody knows) of ``stage`` are done.

        ``note`` is anything else worth a glance, in a few words.
        """


def silent(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
    """Report to nobody."""
