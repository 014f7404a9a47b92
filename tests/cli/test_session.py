"""A command's session: results in every format, bars on terminals, silence elsewhere."""

import io
import json
from types import SimpleNamespace

import pytest
from clocks import ticking
from numba import config, njit
from rich.console import Console

from topminer.cli import render, session
from topminer.cli.options import RunOptions
from topminer.cli.session import Session
from topminer.views.tables import Column, Table

LONG = "phrase " * 30 + "end"


class Phrases:
    """A result with a long text, a formula, Markdown, and a number."""

    def data(self):
        return {"phrases": ["ü", LONG]}

    def tables(self):
        return [
            Table([Column("phrase"), Column("count")], [(LONG, 12_345), ("=1+1", 2), ("a|b", None)], "First"),
            Table([Column("x")], [(1,)], "Second"),
        ]

    def page(self, width):
        return render.section("Phrases", render.drawn(self.tables()[0], width))


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("csv", f"phrase,count\n{LONG},12345\n'=1+1,2\na|b,\n"),
        (
            "markdown",
            f"## First\n\n| phrase | count |\n| --- | ---: |\n| {LONG} | 12,345 |\n| =1+1 | 2 |\n"
            "| a\\|b | – |\n\n## Second\n\n| x |\n| ---: |\n| 1 |\n",
        ),
        (
            "table",  # as wide as it has to be, with no blanks at the ends of lines
            f"\nPhrases\n  {'phrase':<{len(LONG)}}   count\n  {LONG}  12,345\n"
            f"  {'=1+1':<{len(LONG)}}       2\n  {'a|b':<{len(LONG)}}       –\n",
        ),
    ],
)
def test_every_format_is_whole_in_a_pipe(capsys, monkeypatch, format: str, expected: str) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    Session(RunOptions()).show(Phrases(), format)
    assert capsys.readouterr() == (expected, "")
    Session(RunOptions(quiet=True)).show(Phrases(), format)
    assert capsys.readouterr() == ("", "")


def test_json_is_one_object_in_any_encoding(capsys, monkeypatch) -> None:
    Session(RunOptions()).show(Phrases(), "json")
    out = capsys.readouterr().out
    assert json.loads(out) == Phrases().data() and "ü" in out
    monkeypatch.setattr("rich.console.Console.encoding", "ascii")
    Session(RunOptions()).show(Phrases(), "json")
    assert capsys.readouterr().out.isascii()


@pytest.mark.parametrize(("columns", "n_lines"), [(60, 10), (200, 8), (300, 8)])
def test_a_terminal_folds_what_is_too_long(columns: int, n_lines: int) -> None:
    shown = Session(RunOptions())
    shown.output = screen(width=columns)
    shown.output.file.isatty = lambda: True
    shown.show(Phrases())
    lines = shown.output.file.getvalue().splitlines()
    assert max(map(len, lines)) <= min(columns, session.WIDEST)
    assert len(lines) == n_lines


def screen(*, terminal: bool = True, quiet: bool = False, width: int = 100) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, quiet=quiet, width=width, color_system=None)


def session_on(console: Console) -> Session:
    running = Session(RunOptions())
    running.messages = console
    return running


def report(console: Console, total: int | None = 2_000_000) -> str:
    """What is written while two million tokens are read."""
    with session_on(console).progress() as bar:
        bar("reading", 0, total, "tokens")
        bar("reading", 1_234_567, total, "tokens")
        if bar._display:
            bar._display.refresh()
        bar("reading", 2_000_000, total, "tokens")
    return console.file.getvalue()


@pytest.fixture
def impatient(monkeypatch) -> None:
    monkeypatch.setattr(session, "SHOW_AFTER", 0.0)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("width", "total", "count"),
    [(100, 2_000_000, "1,234,567 of 2,000,000"), (100, None, "1,234,567"), (60, None, "")],
)
def test_a_bar_shows_stage_count_and_total(width: int, total: int | None, count: str) -> None:
    shown = report(screen(width=width), total)
    assert "reading" in shown and count in shown
    assert (" of " in shown, "1,234,567" in shown) == (" of " in count, bool(count))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("width", "has_note"), [(100, True), (80, False)])
def test_a_note_gives_way_to_the_time_that_is_left(width: int, has_note: bool) -> None:
    console = screen(width=width)
    with session_on(console).progress() as bar:
        for done in (0, 100_000):
            bar("Sampling topics", done, 200_000, "sweeps", "log likelihood -2.381")
        bar._display.refresh()
    shown = console.file.getvalue()
    assert "100,000 of 200,000" in shown
    assert ("log likelihood -2.381" in shown) == has_note
    assert "…" not in shown


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("console", [screen(terminal=False), screen(quiet=True)])
def test_no_terminal_or_quiet_no_bar(console: Console) -> None:
    assert report(console) == ""


@pytest.mark.parametrize(("seconds", "is_shown"), [(0.0, False), (0.2, False), (0.6, True)])
def test_what_is_done_soon_shows_no_bar(seconds: float, is_shown: bool, monkeypatch) -> None:
    monkeypatch.setattr(session, "time", SimpleNamespace(monotonic=ticking(seconds / 2)))
    assert ("reading" in report(screen())) == is_shown


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the JIT is off")
@pytest.mark.parametrize("terminal", [True, False])
def test_compilation_is_told_once(terminal: bool) -> None:
    @njit
    def half(x: float) -> float:
        return x / 2

    console = screen(terminal=terminal)
    with session_on(console).progress():
        half(1.0)
        half(1)
    assert console.file.getvalue() == "Compiling kernels (first run only) …\n"
