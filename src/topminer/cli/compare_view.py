"""A comparison in the terminal: a row for each method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from topminer.text.printable import printable as visible

NONE = Text("–", "dim")
# Head, where the number stands, how it is written.
COLUMNS = (
    ("NPMI words", ("coherence", "npmi_words"), ".3f"),
    ("phrases", ("coherence", "npmi_phrases"), ".3f"),
    ("C_V words", ("coherence", "cv_words"), ".3f"),
    ("phrases", ("coherence", "cv_phrases"), ".3f"),
    ("intruders", ("intrusion", "share"), ".0%"),
)
N_FIRST = "100"  # phrases whose quality is told


def drawn(data: Mapping[str, Any]) -> RenderableType:
    """Return the table of a comparison, best values in bold, and below it what else is known."""
    rows = data["methods"]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("", "time", "× LDA"):
        table.add_column(head, justify="right" if head else "left", no_wrap=True)
    for head, _, _ in COLUMNS:
        table.add_column(head, justify="right", no_wrap=True)
    known = [[at(row, place) for row in rows] for _, place, _ in COLUMNS]
    best = [max((value for value in values if value is not None), default=None) for values in known]
    for i, row in enumerate(rows):
        cells = [
            number(values[i], form, values[i] == first)
            for (_, _, form), values, first in zip(COLUMNS, known, best, strict=True)
        ]
        table.add_row(Text(row["title"], "bold"), _time(row), number(row.get("ratio"), ".2f", False), *cells)
    return Group(table, *_lines(rows))


def _lines(rows: list[Mapping[str, Any]]) -> Iterator[Text]:
    lists = max((row.get("quality") or [] for row in rows), key=len, default=[])
    for i, each in enumerate(lists):
        shares = ((row["title"], at(row, ("quality", i, "precision", N_FIRST))) for row in rows)
        told = ", ".join(f"{title} {share:.0%}" for title, share in shares if share is not None)
        yield Text(f"of the first {N_FIRST} phrases in {visible(each['gold'])}: {told or NONE.plain}")
    if any(row.get("intrusion") for row in rows):
        yield Text("intruders: found by an automatic annotator (NPMI), not by people", "dim")
    if any(row["extrapolated"] for row in rows):
        yield Text("~ extrapolated: the budget allowed a few steps only", "dim")
    for row in rows:
        if row.get("failed"):
            yield Text(f"{row['title']} was not run: {visible(row['failed'])}", "dim")


def at(row: Mapping[str, Any], place: tuple[Any, ...]) -> Any:
    """What stands at a place of nested mappings and lists; None where nothing does.

    >>> at({"a": [{"b": 1}]}, ("a", 0, "b")), at({"a": None}, ("a", "b"))
    (1, None)
    """
    value: Any = row
    for key in place:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def number(value: float | None, form: str, best: bool) -> Text:
    """A number, or that there is none."""
    return NONE if value is None else Text(format(value, form), "bold" if best else "")


def _time(row: Mapping[str, Any]) -> Text:
    if row["seconds"] is None:
        return NONE
    return Text(f"{'~' if row['extrapolated'] else ''}{span(row['seconds'])}")


def span(seconds: float) -> str:
    """A time in few characters.

    >>> span(0.42), span(75), span(9000), span(200_000)
    ('0.4 s', '75 s', '2.5 h', '2.3 days')
    """
    for size, unit in ((86_400, "days"), (3600, "h")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    if seconds >= 600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
