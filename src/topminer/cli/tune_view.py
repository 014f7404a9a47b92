"""A grid of models, drawn for a person or written as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich import console as rich
from rich.table import Table
from rich.text import Text

from topminer.cli.render import section
from topminer.cli.session import WIDEST
from topminer.text.printable import printable as visible

if TYPE_CHECKING:
    from topminer.evaluation.recommending import Point
    from topminer.evaluation.tuning import Tuning

BEST, TAKEN = "green", "▸ "
NUMBERS_WIDTH = 21  # of topics and thresholds


@dataclass(frozen=True)
class Tried:
    """What was tried, and what came of it."""

    name: str
    n_documents: int
    n_kept: int
    n_sweeps: int
    n_seeds: int
    seed: int
    found: Tuning
    command: str | None  # that makes the recommended model


def as_json(tried: Tried, encoding: str = "utf-8") -> str:
    """Return it as a JSON object, in ASCII unless ``encoding`` can hold every character."""
    plain = {name: value for name, value in vars(tried).items() if name not in ("found", "command")}
    found = tried.found
    plain["points"] = [_plain(point) for point in found.points]
    plain["recommended"] = None if found.recommended is None else _plain(found.recommended)
    plain |= {"why": found.why, "command": tried.command}
    return json.dumps(plain, indent=2, ensure_ascii=not encoding.lower().startswith("utf"), allow_nan=False)


def _plain(point: Point) -> dict[str, Any]:
    """A point as JSON has it: an infinite threshold is null."""
    return asdict(point) | {"threshold": None if math.isinf(point.threshold) else point.threshold}


def drawn(tried: Tried, width: int) -> rich.RenderableType:
    """Return it as a page of at most ``width`` characters; the command that is next stands below it.

    A page wraps its lines, and a command has to be copied as it is.
    """
    width = min(width, WIDEST)
    n_models = tried.n_seeds * len(tried.found.points)
    models = "1 model" if n_models == 1 else f"{n_models:,} models"
    size = f"{tried.n_documents:,} documents · {tried.n_kept:,} kept tokens"
    facts = f"{size} · {models}, {tried.n_sweeps:,} sweeps each"
    parts: list[rich.RenderableType] = [Text(visible(tried.name), "bold"), "", Text(f"  {facts}", "dim")]
    parts.append(section("The grid", _table(tried.found, width)))
    title = "Recommended" if tried.found.recommended is not None else "Nothing is recommended"
    reasons = Table.grid(padding=(0, 1))
    for line in tried.found.why:
        reasons.add_row("•", line)
    parts.append(section(title, reasons))
    if tried.command is not None:
        parts.append(Text("\nNext", "bold cyan"))
    return rich.Group(*parts)


Column = tuple[str, Callable[["Point"], float | None], str, int]  # head, value, format, 1 if higher is better

_COLUMNS: tuple[Column, ...] = (
    ("perplexity", lambda point: point.perplexity, ",.1f", -1),
    ("±", lambda point: point.perplexity_error, ",.1f", 0),
    ("coherence", lambda point: point.coherence, ".3f", 1),
    ("of phrases", lambda point: point.phrase_coherence, ".3f", 1),
    ("stability", lambda point: point.stability, ".2f", 1),
    ("phrases", lambda point: point.n_phrases, ",d", 0),
    ("seconds", lambda point: point.seconds, ",.1f", 0),
)
_FIRST_TO_GO = ("seconds", "±", "phrases", "of phrases")  # where there is no room for all


def _table(found: Tuning, width: int) -> Table:
    """A row for each point; the best of each column in green, what is recommended in bold."""
    columns = [each for each in _COLUMNS if any(each[1](point) is not None for point in found.points)]
    for head in _FIRST_TO_GO:
        if sum(_width(each, found.points) for each in columns) > width - 2 - NUMBERS_WIDTH:
            columns = [each for each in columns if each[0] != head]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("topics", "threshold", *(column[0] for column in columns)):
        table.add_column(head, justify="right", no_wrap=True)
    best = {column[0]: _best(column, found.points) for column in columns}
    for point in found.points:
        taken = point is found.recommended
        threshold = "none" if math.isinf(point.threshold) else f"{point.threshold:g}"
        cells = [Text(f"{TAKEN if taken else ''}{point.n_topics:,}"), Text(threshold)]
        for head, value_of, form, _ in columns:
            value = value_of(point)
            style = BEST if value is not None and value == best[head] else ""
            cells.append(Text("–" if value is None else f"{value:{form}}", style))
        table.add_row(*cells, style="bold" if taken else "")
    return table


def _width(column: Column, points: tuple[Point, ...]) -> int:
    """Of a column, with the room behind it."""
    known = [value for point in points if (value := column[1](point)) is not None]
    return max(len(column[0]), *(len(f"{value:{column[2]}}") for value in known)) + 2


def _best(column: Column, points: tuple[Point, ...]) -> float | None:
    known = [value for point in points if (value := column[1](point)) is not None]
    return max(known, key=lambda value: column[3] * value) if column[3] and known else None
