"""Tables, sections and lists as a terminal shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rich.bar import Bar
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from topminer.text.printable import printable
from topminer.views.tables import Table

GAP = 2  # between columns
NARROW, WIDE = 20, 40  # a text is folded to no less than this to spare a column, or that for bars
BEST = "bold green"
UNLIMITED = 100_000  # characters of a line that goes into a pipe or a file


def page(*parts: RenderableType | None) -> Group:
    """Return the parts that are there, one below the other."""
    return Group(*(part for part in parts if part is not None))


def section(title: str, body: RenderableType) -> Group:
    """Return a part of a page under its title, or below an empty line."""
    return Group(Text(f"\n{title}" if title else "", style="bold cyan"), indented(body))


def indented(body: RenderableType, by: int = 2) -> Padding:
    """Return something moved to the right; unlike ``Padding.indent`` without blanks behind it."""
    return Padding(body, (0, 0, 0, by), expand=False)


def drawn(
    table: Table,
    width: int | None,
    *,
    chosen: Iterable[int] = (),
    marked: Iterable[int] = (),
    dim: Iterable[int] = (),
    lines: Mapping[int, str] = MappingProxyType({}),
    bars: int | None = None,
) -> Grid:
    """Return a table for a terminal.

    The best value of a column is green. Where there is too little room, long texts are folded, and columns
    that can be spared are left out.

    ``width`` is how wide it may be; None: nothing is left out, folded or cut. Rows in ``chosen`` are bold,
    those in ``dim`` are dim, and those in ``marked`` start with a ▸; ``lines`` says what stands above a row,
    in the first column of texts. The values of column ``bars`` are bold, and are drawn as bars if there is
    room for them.
    """
    texts = [[printable(text) for text in table.texts(row)] for row in table.rows]
    for n in marked:
        texts[n][0] = f"▸ {texts[n][0]}"
    widths = [
        max([cell_len(column.title), *(cell_len(row[i]) for row in texts)])
        for i, column in enumerate(table.columns)
    ]
    shown = _fitting(table, widths, width)
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim")
    room = (width or 0) - sum(
        GAP + (widths[i] if table.is_number(i) else min(widths[i], WIDE)) for i in shown
    )
    bar = _bars(table.values(bars), min(24, room)) if bars is not None and room >= 8 else None
    for i in shown:
        head, style = table.columns[i].title, "bold" if i == bars else ""
        if table.is_number(i):
            grid.add_column(head, justify="right", no_wrap=True, style=style)
        else:
            grid.add_column(head, overflow="fold", max_width=WIDE if bar else None)
    if bar:
        grid.add_column()
    style_of = dict.fromkeys(chosen, "bold") | dict.fromkeys(dim, "dim")
    n_before = [table.is_number(i) for i in shown].index(False) if lines else 0
    best = [table.best(i) for i in range(len(table.columns))]
    for n, (row, values) in enumerate(zip(texts, table.rows, strict=True)):
        if n in lines:
            grid.add_row(*[""] * n_before, Text(lines[n], "yellow"))
        cells: list[RenderableType] = [
            Text(row[i], BEST if best[i] is not None and values[i] == best[i] else "") for i in shown
        ]
        grid.add_row(*cells, *([bar(n)] if bar else []), style=style_of.get(n, ""))
    return grid


def _fitting(table: Table, widths: Sequence[int], width: int | None) -> list[int]:
    """Return which columns are shown: those that can be spared go until the others have room."""
    shown, columns = list(range(len(widths))), table.columns
    needed = [widths[i] if table.is_number(i) else min(widths[i], NARROW) for i in shown]
    for i in sorted(shown, key=lambda i: -columns[i].expendable):
        if width is None or sum(needed[j] + GAP for j in shown) <= width or not columns[i].expendable:
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
