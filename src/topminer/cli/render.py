"""Tables, sections and lists as a terminal shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rich.bar import Bar
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from topminer.text.printable import printable
from topminer.views.tables import Column, Table

GAP = 2  # between columns
BEST = "bold green"


def page(*parts: RenderableType | None) -> Group:
    """Return the parts that are there, one below the other."""
    return Group(*(part for part in parts if part is not None))


def section(title: str, body: RenderableType) -> Group:
    """Return a part of a page under its title."""
    return Group(Text(f"\n{title}", style="bold cyan"), indented(body))


def indented(body: RenderableType, by: int = 2) -> Padding:
    """Return something moved to the right; unlike ``Padding.indent`` without blanks behind it."""
    return Padding(body, (0, 0, 0, by), expand=False)


def drawn(table: Table, width: int | None, *, chosen: Iterable[int] = (), bars: int | None = None) -> Grid:
    """Return a table for a terminal.

    The best value of a column is green. Columns that can be spared go first if there is too little room.

    Parameters
    ----------
    table : Table
    width : int or None
        How wide it may be; None: nothing is left out or cut.
    chosen : iterable of int
        The rows that are bold.
    bars : int or None
        The column whose values are drawn as bars, if there is room for them.
    """
    texts = [[printable(text) for text in table.texts(row)] for row in table.rows]
    widths = [
        max([cell_len(column.title), *(cell_len(row[i]) for row in texts)])
        for i, column in enumerate(table.columns)
    ]
    shown = _fitting(table.columns, widths, width)
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim")
    for i in shown:
        number = table.is_number(i)
        justify = "right" if number else "left"
        grid.add_column(table.columns[i].title, justify=justify, no_wrap=number, overflow="fold")  # type: ignore[arg-type]
    room = (width or 0) - sum(widths[i] + GAP for i in shown)
    bar = _bars(table.values(bars), min(24, room)) if bars is not None and room >= 8 else None
    if bar:
        grid.add_column()
    bold, best = set(chosen), [table.best(i) for i in range(len(table.columns))]
    for n, (row, values) in enumerate(zip(texts, table.rows, strict=True)):
        cells: list[RenderableType] = [
            Text(row[i], BEST if best[i] is not None and values[i] == best[i] else "") for i in shown
        ]
        grid.add_row(*cells, *([bar(n)] if bar else []), style="bold" if n in bold else "")
    return grid


def _fitting(columns: Sequence[Column], widths: Sequence[int], width: int | None) -> list[int]:
    """Return which columns are shown: those that can be spared go until the others have room."""
    shown = list(range(len(columns)))
    for i in sorted(shown, key=lambda i: -columns[i].expendable):
        if width is None or sum(widths[j] + GAP for j in shown) <= width or not columns[i].expendable:
            break
        shown.remove(i)
    return shown


def _bars(values: list[Any], width: int) -> Callable[[int], Bar]:
    most = max([value or 0 for value in values], default=0)
    return lambda n: Bar(max(most, 1e-9), 0, values[n] or 0, width=width, color="blue")


def facts(rows: Iterable[tuple[str, str, str]]) -> Grid:
    """Return rows of a number, what it counts, and more about it."""
    grid = Grid.grid(padding=(0, GAP))
    grid.add_column(justify="right", style="bold", no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(style="dim")
    for row in rows:
        grid.add_row(*map(printable, row))
    return grid
