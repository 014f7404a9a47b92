"""Progress, drawn on standard error: a bar for whatever takes longer than half a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

SHOW_AFTER = 0.5  # seconds before a bar appears
ROOM_FOR_COUNTS, ROOM_FOR_NOTE = 75, 95  # characters


@contextmanager
def shown_on(console: Console) -> Iterator[Bar]:
    """Draw on ``console`` the progress of what runs inside, and say when kernels have to be compiled."""
    from topminer.jit import on_compile

    bar = Bar(console)
    told = threading.Event()

    def tell(kernel: str) -> None:
        if not told.is_set():
            told.set()
            console.print("Compiling kernels (first run only) …", style="dim")

    try:
        with on_compile(tell):
            yield bar
    finally:
        bar.stop()


class Bar:
    """A :class:`topminer.progress.Progress` that draws one stage at a time, and only on a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._since = 0.0
        self._display: Progress | None = None

    def __call__(self, stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        """Report that ``done`` of ``total`` ``unit`` of ``stage`` are done."""
        if not self._console.is_terminal or self._console.quiet:
            return
        if stage != self._stage:
            self.stop()
            self._stage, self._since = stage, time.monotonic()
        if self._display is None and time.monotonic() - self._since >= SHOW_AFTER:
            self._display = self._start(stage, total, unit)
        if self._display is not None:
            self._display.update(self._display.task_ids[0], completed=done, total=total, note=note)

    def stop(self) -> None:
        """Take the bar off the screen."""
        if self._display is not None:
            self._display.stop()
        self._display = None

    def _start(self, stage: str, total: int | None, unit: str) -> Progress:
        columns = [
            TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis")),
            BarColumn(bar_width=None),
            _Count(Column(no_wrap=True)),
            _Rate(Column(no_wrap=True)),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[note]}", style="dim", table_column=Column(no_wrap=True)),
        ]
        if self._console.width < ROOM_FOR_NOTE:
            del columns[5]
        if self._console.width < ROOM_FOR_COUNTS:
            del columns[2]
        display = Progress(*columns, console=self._console, transient=True, expand=True)
        display.add_task(stage, total=total, unit=unit, note="")
        display.start()
        return display


class _Count(ProgressColumn):
    def render(self, task: Task) -> Text:
        done = f"{int(task.completed):,}"
        return Text(done if task.total is None else f"{done} of {int(task.total):,}", style="dim")


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{short(speed)} {task.fields['unit']}/s", style="dim")


def short(number: float) -> str:
    """Return ``number`` to two or three digits and a thousand, million or billion.

    >>> short(3_241_000), short(48_100), short(7.25)
    ('3.2 M', '48 k', '7.2')
    """
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k"), (1, "")):
        if number >= size:
            return f"{number / size:.{1 if number < 10 * size else 0}f}{letter}"
    return f"{number:.1f}"
