"""What every command has: where it prints, its progress, and the model it is given.

Results go to standard output, everything else to standard error. A corpus may hold any text at all, so
nothing printed here is read as markup, and control characters that could move the cursor or turn the line
around never reach the terminal.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from rich.console import Console, RenderableType

from topminer.cli.render import UNLIMITED
from topminer.errors import InputError
from topminer.text.printable import printable
from topminer.views.numbers import short

if TYPE_CHECKING:
    from rich.progress import Progress as Display

    from topminer.cli.options import RunOptions
    from topminer.engines.ray import Cluster
    from topminer.phrases.advice import Advice
    from topminer.pipeline import ToPMine
    from topminer.progress import Progress
    from topminer.text.corpus import Corpus
    from topminer.views.tables import Table

WIDEST = 110  # characters: longer lines are hard to read
COMPILING = "Compiling kernels (first run only) …"
SHOW_AFTER = 0.5  # seconds before a progress bar appears
ROOM_FOR_COUNTS, ROOM_FOR_NOTE = 75, 95  # characters


class Result(Protocol):
    """What a command found, in each form that ``--format`` knows."""

    def data(self) -> Any:
        """Return it for JSON."""

    def tables(self) -> list[Table]:
        """Return it as tables: all of them for Markdown, the first for CSV."""

    def page(self, width: int | None) -> RenderableType:
        """Return it for a terminal ``width`` characters wide; None: nothing may be cut."""


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError


class Session:
    """One run of a command: ``output`` is the console for results, ``messages`` for everything else."""

    def __init__(self, run: RunOptions) -> None:
        self.quiet, self.threads = run.quiet, run.threads
        plain: dict[str, Any] = {"quiet": run.quiet, "markup": False, "emoji": False, "highlight": False}
        self.messages = _Console(stderr=True, **plain)
        self.output = _Console(**plain)

    # ------------------------------------------------------------------ printing

    def show(self, result: Result, format: str = "table", widest: int = WIDEST) -> None:
        """Print a result: the one way out."""
        if self.quiet:
            return
        match format:
            case "json":
                ascii_only = not self.output.encoding.lower().startswith("utf")
                text = json.dumps(result.data(), indent=2, ensure_ascii=ascii_only, allow_nan=False)
            case "csv":
                text = result.tables()[0].csv()
            case "markdown":
                text = "\n\n".join(table.markdown() for table in result.tables())
            case _:
                return self.show_page(result.page, widest)
        sys.stdout.write(text.removesuffix("\n") + "\n")  # Rich would expand tabs

    def show_page(self, draw: Callable[[int | None], RenderableType], widest: int = WIDEST) -> None:
        """Print a page as wide as the terminal; in a pipe, no line of it is wrapped or cut."""
        if self.quiet:
            return
        width = min(self.output.width, widest) if self.output.file.isatty() else None
        self.output.width = width or UNLIMITED
        if width is not None:
            self.output.print(draw(width))
            return
        with self.output.capture() as captured:
            self.output.print(draw(None))
        lines = captured.get().removesuffix("\n").split("\n")
        self.output.file.writelines(f"{line.rstrip()}\n" for line in lines)

    def say(self, text: object, style: str = "") -> None:
        """Print one line on standard error."""
        self.messages.print(printable(str(text)), style=style, soft_wrap=True)

    def written(self, what: str, path: Path, more: str = "") -> None:
        """Say what was written where, and more about it."""
        self.say(f"{what} written to {path}{more and f'  ({more})'}")

    def warn(self, advice: Advice | None) -> None:
        """Say why there are hardly any phrases, and what to try."""
        if advice is not None:
            self.say(f"Warning: {advice.text(as_options=True)}", "yellow")

    def skipped(self, rows: Iterable[tuple[str, int, str]]) -> None:
        """Say what was left out: what it is, how often, and what became of it."""
        for what, count, where in rows:
            self.say(f"{what}: {count:,} ({where})", "dim")

    def skipped_of(self, corpus: Corpus) -> None:
        """Say what was left out of a corpus when it was read."""
        from topminer.text.describe import skipped

        self.skipped(skipped(corpus))

    @contextmanager
    def progress(self, needs: Sequence[str] = ()) -> Iterator[Progress]:
        """Draw the progress of what runs inside, and say when kernels have to be compiled.

        ``needs`` are jobs of :mod:`topminer.warming.jobs`: a helper does all but the first, from the last on.
        """
        bar = Bar(self.messages)
        try:
            with self._compiling(needs, bar):
                yield bar
        finally:
            bar.stop()

    def compile_first(self, needs: Sequence[str]) -> None:
        """Compile what is missing now, on all cores: later it would take time from what is timed."""
        from topminer.warming.processes import CompilationFailed, compile_all, n_processes_for

        n_processes = n_processes_for(self.threads)
        with self.progress() as progress, suppress(CompilationFailed):  # then it is compiled when it is used
            said = False
            for done, expected in compile_all(n_processes, needs) if n_processes > 1 else ():
                if not said:
                    said = True
                    self.say(COMPILING, "dim")
                progress("Compiling", done, expected, "functions")

    @contextmanager
    def _compiling(self, needs: Sequence[str], bar: Bar) -> Iterator[None]:
        """Draw how much of what is missing has been compiled, by this process and its helper."""
        from topminer.jit import on_compile

        n_functions = expected = 0
        helper = None

        def draw() -> None:
            done = n_functions + (helper.n_functions if helper else 0)
            bar("Compiling", done, max(expected, done) if expected else None, "functions")

        def compiling(function: str) -> None:
            nonlocal n_functions
            if n_functions == 0:
                self.say(COMPILING, "dim")
            n_functions += 1
            draw()

        with ExitStack() as stack:
            if needs:
                from topminer.warming.processes import helper as helper_for
                from topminer.warming.processes import n_missing

                expected = n_missing(needs)
                helper = stack.enter_context(helper_for(needs, self.threads))
            if helper is not None:
                helper.on_wait = draw
            stack.enter_context(on_compile(compiling))
            yield

    # ------------------------------------------------------------------- opening

    def model(self, directory: Path, *, documents: bool = True) -> ToPMine:
        """Load a model, with its documents or without, or say how to come by it."""
        from topminer.loading import load

        check_done(directory)
        return load(directory, documents=documents, n_threads=self.threads)

    def explainer(self, directory: Path) -> ToPMine:
        """Load what explaining a text needs of a model."""
        from topminer.loading import load_to_explain

        check_done(directory)
        return load_to_explain(directory, self.threads)

    @contextmanager
    def cluster(self, address: str | None) -> Iterator[Cluster]:
        """Connect to a Ray cluster, or start one, and say so."""
        what = "Starting Ray here" if address is None else f"Joining the Ray cluster at {address}"
        self.say(f"{what} …", "dim")
        from topminer.engines.ray import connect  # takes seconds by itself

        with connect(address, self.threads) as cluster:
            yield cluster


def is_model(directory: Path) -> bool:
    """Whether a run wrote, or is to write, a model here."""
    from topminer.run.checkpoint import has_run

    return (directory / "model.json").exists() or has_run(directory)


def check_done(directory: Path) -> None:
    """Raise InputError if the run that makes the model is not done."""
    from topminer.run.checkpoint import has_run

    if has_run(directory) and not (directory / "model.json").exists():
        raise InputError(
            f"{directory}: no model yet, the run is not done: `topminer resume {directory}` goes on with it"
        )


class Bar:
    """A :class:`topminer.progress.Progress` that draws one stage at a time, and only on a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._since = 0.0
        self._display: Display | None = None

    def __call__(self, stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        """Report that ``done`` of ``total`` ``unit`` of ``stage`` are done."""
        if not self._console.is_terminal or self._console.quiet:
            return
        if stage != self._stage:
            self.stop()
            self._stage, self._since = stage, time.monotonic()
        if self._display is None and time.monotonic() - self._since >= SHOW_AFTER:
            self._display = self._start(stage, total)
        if self._display is not None:
            count = f"{done:,}" if total is None else f"{done:,} of {total:,}"
            task = self._display.tasks[0]
            speed = task.finished_speed or task.speed
            rate = "" if speed is None else f"{short(speed)} {unit}/s"
            self._display.update(task.id, completed=done, total=total, note=note, count=count, rate=rate)

    def stop(self) -> None:
        """Take the bar off the screen."""
        if self._display is not None:
            self._display.stop()
        self._display = None

    def _start(self, stage: str, total: int | None) -> Display:
        from rich.progress import BarColumn, ProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Display
        from rich.table import Column

        whole = Column(no_wrap=True)
        columns: list[ProgressColumn] = [
            TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis")),
            BarColumn(bar_width=None),
        ]
        if self._console.width >= ROOM_FOR_COUNTS:
            columns.append(TextColumn("{task.fields[count]}", style="dim", table_column=whole))
        columns.append(TextColumn("{task.fields[rate]}", style="dim", table_column=whole))
        columns.append(TimeRemainingColumn(compact=True))
        if self._console.width >= ROOM_FOR_NOTE:
            columns.append(TextColumn("{task.fields[note]}", style="dim", table_column=whole))
        display = Display(*columns, console=self._console, transient=True, expand=True)
        display.add_task(stage, total=total, note="", count="", rate="")
        display.start()
        return display
