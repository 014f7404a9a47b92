"""Bars on terminals, silence elsewhere."""

import io
from types import SimpleNamespace

import pytest
from clocks import ticking
from numba import config, njit
from rich.console import Console

from topminer.cli import progress
from topminer.cli.progress import shown_on


def screen(*, terminal: bool = True, quiet: bool = False, width: int = 100) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, quiet=quiet, width=width, color_system=None)


def report(console: Console, total: int | None = 2_000_000) -> str:
    """What is written while two million tokens are read."""
    with shown_on(console) as bar:
        bar("reading", 0, total, "tokens")
        bar("reading", 1_234_567, total, "tokens")
        if bar._display:
            bar._display.refresh()
        bar("reading", 2_000_000, total, "tokens")
    return console.file.getvalue()


@pytest.fixture
def impatient(monkeypatch) -> None:
    monkeypatch.setattr(progress, "SHOW_AFTER", 0.0)


@pytest.mark.usefixtures("impatient")
def test_a_bar_shows_stage_count_and_total() -> None:
    shown = report(screen())
    assert "reading" in shown
    assert "1,234,567 of 2,000,000" in shown


@pytest.mark.usefixtures("impatient")
def test_a_bar_of_unknown_length_shows_the_count_alone() -> None:
    shown = report(screen(), total=None)
    assert "1,234,567" in shown
    assert " of " not in shown


@pytest.mark.usefixtures("impatient")
def test_a_narrow_terminal_does_without_counts() -> None:
    shown = report(screen(width=60))
    assert "reading" in shown
    assert "1,234,567" not in shown


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("width", "has_note"), [(100, True), (80, False)])
def test_a_note_gives_way_to_the_time_that_is_left(width: int, has_note: bool) -> None:
    console = screen(width=width)
    with shown_on(console) as bar:
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
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=ticking(seconds / 2)))
    assert ("reading" in report(screen())) == is_shown


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the JIT is off")
@pytest.mark.parametrize("terminal", [True, False])
def test_compilation_is_told_once(terminal: bool) -> None:
    @njit
    def half(x: float) -> float:
        return x / 2

    console = screen(terminal=terminal)
    with shown_on(console):
        half(1.0)
        half(1)
    assert console.file.getvalue() == "Compiling kernels (first run only) …\n"


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.31, "0.3"), (7.25, "7.2"), (48_100, "48 k"), (3_241_000, "3.2 M"), (22e6, "22 M"), (1.5e9, "1.5 G")],
)
def test_short_numbers(number: float, text: str) -> None:
    assert progress.short(number) == text
