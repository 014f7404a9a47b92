"""A comparison in the terminal: a row for each method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from topminer.cli.console import visible

NONE = Text("–", "dim")
# Head, where the number stands, how it is written.
COLUMNS = (
    ("NPMI words", ("coherence", "npmi_words"), ".3f"),
    ("NPMI phrases", ("coherence", "npmi_phrases"), ".3f"),
    ("C_V phrases", ("coherence", "cv_phrases"), ".3f"),
    ("diversity", ("diversity", "phrases"), ".2f"),
    ("intruders", ("intrusion", "share"), ".0%"),
)


def drawn(data: Mapping[str, Any], width: int) -> RenderableType:
    """Return the table of a comparison, best values in bold."""
    rows = data["methods"]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("", "time", "× LDA"):
        table.add_column(head, justify="right" if head else "left", no_wrap=True)
    columns = [*COLUMNS, *_quality(rows)]
    for head, _, _ in columns:
        table.add_column(head, justify="right")
    best = [
        max((value for row in rows if (value := at(row, place)) is not None), default=None)
        for _, place, _ in columns
    ]
    for row in rows:
        cells = [
            number(at(row, place), form, at(row, place) is not None and at(row, place) == first)
            for (_, place, form), first in zip(columns, best, strict=True)
        ]
        table.add_row(Text(row["title"], "bold"), _time(row), number(row.get("ratio"), ".2f", False), *cells)
    failed = [
        Text(f"{row['title']} was not run: {visible(row['failed'])}", "dim")
        for row in rows
        if row.get("failed")
    ]
    parts: list[RenderableType] = [table, *failed]
    if any(row["extrapolated"] for row in rows):
        parts.append(Text("~ extrapolated: the budget allowed a few steps only", "dim"))
    if any(row.get("intrusion") for row in rows):
        parts.append(Text("intruders: found by an automatic annotator (NPMI), not by people", "dim"))
    return Group(*parts)


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


def _quality(rows: list[Mapping[str, Any]]) -> list[tuple[str, tuple[Any, ...], str]]:
    """The precision of each gold list at 100 phrases, or at as many as there are."""
    lists = max((row.get("quality") or [] for row in rows), key=len, default=[])
    return [
        (f"good of 100 ({visible(each['gold'])})", ("quality", i, "precision", "100"), ".0%")
        for i, each in enumerate(lists)
    ]


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
