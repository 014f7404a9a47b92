"""Phrases and threshold sweeps, drawn for a person or written as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rich import console as rich
from rich.bar import Bar
from rich.cells import cell_len
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from topminer.cli.console import visible
from topminer.cli.drawing import WIDEST, percent, section

if TYPE_CHECKING:
    from topminer.phrases.miner import PhraseMiner
    from topminer.phrases.sweep import Example, Extent, SweepStep
    from topminer.text.corpus import Corpus

NARROW = 70  # where a long head is shortened
WIDEST_PHRASE = 40  # where there is something beside it: longer ones go on in the next line
NARROWEST_LIST = 28  # of phrases, with another list beside it
NARROWEST_PHRASE = 20  # columns of the table go until there is so much room
NARROWEST_BAR, WIDEST_BAR = 8, 24
GAP = 3  # between lists side by side

_NOTHING = (
    "No phrase is frequent enough and reaches the threshold. --threshold-sweep shows what others would give."
)

Row = dict[str, Any]  # of PhraseMiner.phrases_


@dataclass(frozen=True)
class TopPhrases:
    """The top of all phrases, or of those of each length."""

    order: str  # the column they are ordered by
    by_length: bool
    n_phrases: int  # frequent ones, shown or not
    extent: Extent
    rows: list[Row]


@dataclass(frozen=True)
class Findings:
    """What was mined, and what of it is shown."""

    name: str
    n_documents: int
    n_kept: int
    min_support: int
    significance: float
    quality: float | None  # the lowest of a phrase; None: nothing was judged
    max_length: int | None
    reached_max_length: bool
    shown: TopPhrases | list[SweepStep]

    @classmethod
    def of(cls, miner: PhraseMiner, corpus: Corpus, shown: TopPhrases | list[SweepStep]) -> Findings:
        """Gather what ``miner`` found in ``corpus``."""
        return cls(
            name=corpus.origin.name,
            n_documents=len(corpus),
            n_kept=corpus.n_tokens,
            min_support=miner.min_support_,
            significance=miner.significance,
            quality=miner.settings.cut,
            max_length=miner.max_length,
            reached_max_length=miner.reached_max_length_,
            shown=shown,
        )


def as_json(findings: Findings, encoding: str = "utf-8") -> str:
    """Return the findings as a JSON object, in ASCII unless ``encoding`` can hold every character."""
    plain = asdict(findings)
    shown = plain.pop("shown")
    if isinstance(findings.shown, TopPhrases):
        plain |= {"n_phrases": shown["n_phrases"], **shown["extent"], "phrases": shown["rows"]}
    else:
        plain["sweep"] = shown
    if math.isinf(findings.significance):
        plain["significance"] = None
    return json.dumps(plain, indent=2, ensure_ascii=not encoding.lower().startswith("utf"))


def drawn(findings: Findings, width: int) -> rich.RenderableType:
    """Return the findings as a page of at most ``width`` characters."""
    width = min(width, WIDEST)
    shown = findings.shown
    parts: list[rich.RenderableType] = [Text(visible(findings.name), "bold"), ""]
    parts.append(Padding.indent(_overview(findings), 2))
    if not isinstance(shown, TopPhrases):
        parts += section("Threshold sweep", _sweep(shown, findings.significance, width))
    elif not shown.rows:
        parts += ["", Text(_NOTHING, "yellow")]
    elif shown.by_length:
        parts += section(f"Top phrases of each length by {shown.order}", _lists(shown, width))
    else:
        parts += section(f"Top phrases by {shown.order}", _table(shown, width))
    if findings.reached_max_length:
        parts += ["", _limit(findings.max_length)]
    return rich.Group(*parts)


def _overview(findings: Findings) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    table.add_row(f"{findings.n_documents:,}", "documents")
    shown = findings.shown
    often = f"each {findings.min_support:,} times or more"
    if not isinstance(shown, TopPhrases):
        table.add_row(f"{findings.n_kept:,}", "kept tokens")
        table.add_row(f"{findings.min_support:,}", "minimum support")
        return table
    inside = f"{percent(shown.extent.coverage)} of them inside phrases of several words"
    table.add_row(f"{findings.n_kept:,}", "kept tokens", inside)
    table.add_row(f"{shown.n_phrases:,}", "frequent phrases", often)
    reached = f"{shown.extent.n_instances:,} of them, at significance {findings.significance:g} or more"
    if findings.quality is not None:
        reached += f" and quality {findings.quality:g} or more"
    table.add_row(f"{shown.extent.n_types:,}", "have instances", reached)
    return table


def _limit(max_length: int | None) -> Text:
    if max_length is not None:
        return Text(f"Phrases of more than {max_length} words may be frequent too; none was formed.", "dim")
    from topminer.phrases.mining import MAX_LENGTH

    return Text(
        f"Phrases of {MAX_LENGTH} words are frequent, and longer ones were not looked for. Is text repeated? "
        "--max-length sets another limit.",
        "yellow",
    )


def _table(top: TopPhrases, width: int) -> Table:
    """Set the phrases in a table, with a bar for what they are ordered by where there is room."""
    rows, order = top.rows, top.order
    heads = {"length": "words", "instances": "instances", "support": "support"}
    if any(row["evidence"] != row["support"] for row in rows) or order == "evidence":
        heads["evidence"] = "evidence"  # without repeated text it is the support
    heads["significance"] = "signif." if width < NARROW else "significance"
    heads["quality"] = "quality"
    values = {column: [_number(row[column]) for row in rows] for column in heads}
    taken = {column: max(map(len, [head, *values[column]])) + 2 for column, head in heads.items()}
    for column in ("length", "evidence", "significance", "quality", "support", "instances"):
        if width - 2 - sum(taken.values()) < NARROWEST_PHRASE and column != order and column in heads:
            del heads[column], taken[column]
    room = width - 2 - sum(taken.values())
    longest = max(cell_len(row["phrase"]) for row in rows)
    bar_width = min(WIDEST_BAR, room - 2 - min(longest, WIDEST_PHRASE))
    if bar_width < NARROWEST_BAR:
        bar_width = 0
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("phrase", max_width=max(1, room - bar_width - 2 * (bar_width > 0)), overflow="fold")
    for column, head in heads.items():
        table.add_column(head, justify="right", no_wrap=True, style="bold" if column == order else "")
    if bar_width:
        table.add_column()
    most = max(row[order] or 0 for row in rows)
    for i, row in enumerate(rows):
        bar = [Bar(max(most, 1e-9), 0, row[order] or 0, width=bar_width, color="blue")] if bar_width else []
        table.add_row(visible(row["phrase"]), *(values[column][i] for column in heads), *bar)
    return table


def _lists(top: TopPhrases, width: int) -> rich.RenderableType:
    """Set the lists of each length side by side, as many as there is room for, and then below them."""
    lists = [
        _list(length, list(rows), top.order, width - 2)
        for length, rows in groupby(top.rows, itemgetter("length"))
    ]
    shelves: list[list[tuple[int, Table]]] = [[]]
    for each in lists:
        if shelves[-1] and sum(w + GAP for w, _ in [*shelves[-1], each]) > width - 2 + GAP:
            shelves.append([])
        shelves[-1].append(each)
    drawn: list[rich.RenderableType] = []
    for shelf in shelves:
        grid = Table.grid(padding=(0, GAP, 0, 0))
        grid.add_row(*(table for _, table in shelf))
        drawn += ["", grid] if drawn else [grid]
    return rich.Group(*drawn)


def _list(length: int, rows: list[Row], order: str, width: int) -> tuple[int, Table]:
    """One length's phrases, half of ``width`` wide if need be, and how wide they are."""
    values = [_number(row[order]) for row in rows]
    title = f"{length} words"
    value_width = max(map(len, values))
    room = min(WIDEST_PHRASE, (width - GAP) // 2 - value_width - 2)
    if room < NARROWEST_LIST:
        room = width - value_width - 2
    phrase_width = min(room, max(len(title), *(cell_len(row["phrase"]) for row in rows)))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(title, width=phrase_width, overflow="fold")
    table.add_column(width=value_width, justify="right", style="dim", no_wrap=True)
    for row, value in zip(rows, values, strict=True):
        table.add_row(visible(row["phrase"]), value)
    return phrase_width + 2 + value_width, table


def _sweep(steps: list[SweepStep], current: float, width: int) -> rich.RenderableType:
    """Give each threshold a row of numbers, and below it what came and what went."""
    heads = ("threshold", "phrases", "instances", "words", "coverage")
    drawn: list[rich.RenderableType] = [_numbers([*heads, ""], "dim", width)]
    widest = max(step.coverage for step in steps)
    for step in steps:
        here = step.threshold == current
        numbers = [
            f"{'▸ ' if here else ''}{step.threshold:g}",
            f"{step.n_types:,}",
            f"{step.n_instances:,}",
            f"{step.mean_length:.2f}",
            percent(step.coverage),
        ]
        bar = Bar(widest or 1, 0, step.coverage, color="blue")
        drawn.append(_numbers([*numbers, bar], "bold" if here else "", width))
        for sign, colour, n, examples in (
            ("+", "green", step.n_gained, step.gained),
            ("−", "red", step.n_lost, step.lost),
        ):
            if n:
                drawn.append(_examples(f"{sign} {n:,}", colour, examples, width))
    return rich.Group(*drawn)


def _numbers(cells: list[Any], style: str, width: int) -> Table:
    widths = (9, 9, 10, 6, 8)
    table = Table.grid(padding=(0, 1))
    for cell_width in widths:
        table.add_column(width=cell_width, justify="right", no_wrap=True)
    table.add_column(width=max(1, min(40, width - 4 - sum(widths) - len(widths))))
    table.add_row(*cells, style=style)
    return table


def _examples(head: str, colour: str, examples: tuple[Example, ...], width: int) -> Text:
    """Name the examples that fit into one line."""
    line = Text(" " * 4, no_wrap=True, overflow="ellipsis").append(f"{head:<9}", colour)
    for i, example in enumerate(examples):
        piece = Text(" · " if i else "", "dim")
        piece.append(visible(example.phrase), "not dim").append(f" ×{example.instances:,}", "dim")
        if i and line.cell_len + piece.cell_len > width - 2:
            break
        line.append_text(piece)
    return line


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"
