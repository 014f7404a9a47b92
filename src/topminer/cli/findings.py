"""What a miner found, as ``topminer phrases`` and ``topminer demo`` show it: top phrases, or a sweep."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rich.bar import Bar
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from topminer.cli.render import GAP, WIDE, drawn, facts, page, section
from topminer.phrases.mining import MAX_LENGTH
from topminer.phrases.sweep import Example, Extent, SweepStep, extent
from topminer.text.printable import printable
from topminer.views.numbers import percent
from topminer.views.tables import Column, Table

if TYPE_CHECKING:
    from topminer.phrases.miner import PhraseMiner
    from topminer.phrases.partition import Partition
    from topminer.text.corpus import Corpus

NARROWEST_LIST = 28  # of phrases, with another list beside it
USUAL = 110  # characters of a line that goes into a pipe
SWEEP_WIDTHS = (9, 9, 10, 6, 8)  # of the numbers in a row of a sweep

_NOTHING = "No phrase is frequent enough and reaches the threshold. --thresholds auto shows what others give."


@dataclass(frozen=True)
class TopPhrases:
    """The top of all phrases, or of those of each length."""

    order: str  # the column they are ordered by
    by_length: bool
    n_phrases: int  # frequent ones, shown or not
    extent: Extent
    rows: list[dict[str, Any]]  # of PhraseMiner.phrases_

    @classmethod
    def of(
        cls,
        miner: PhraseMiner,
        partition: Partition,
        order: str,
        n: int,
        by_length: bool = False,
    ) -> TopPhrases:
        """Choose the first ``n`` in ``order``; by instances, only those that have any."""
        table = miner.phrases_
        listed = table.filter(table["instances"] > 0) if order == "instances" else table
        listed = listed.sort(order, descending=True, nulls_last=True, maintain_order=True)
        if by_length:
            first = listed.group_by("length", maintain_order=True).head(min(n, len(table)))
            chosen = first.select(table.columns).sort("length", maintain_order=True)
        else:
            chosen = listed.head(min(n, len(table)))
        return cls(order, by_length, len(table), extent(partition), chosen.to_dicts())

    def table(self) -> Table:
        """Return the phrases as a table; the evidence only where it is not the support."""
        spared = {"length": 6, "evidence": 5, "significance": 4, "quality": 3, "support": 2, "instances": 1}
        if self.order != "evidence" and all(row["evidence"] == row["support"] for row in self.rows):
            del spared["evidence"]
        columns = [Column("phrase")]
        for name in ("length", "instances", "support", "evidence", "significance", "quality"):
            if name in spared:
                head = "words" if name == "length" else None
                columns.append(Column(name, head, expendable=0 if name == self.order else spared[name]))
        return Table(columns, [[row[column.name] for column in columns] for row in self.rows])

    def page(self, width: int | None) -> RenderableType:
        """Return the phrases as a table with bars, or as a list for each length."""
        if not self.rows:
            return Text(f"\n{_NOTHING}", "yellow")
        room = None if width is None else width - 2
        if self.by_length:
            return section(f"Top phrases of each length by {self.order}", self._lists(room))
        table = self.table()
        (ordered_by,) = (i for i, column in enumerate(table.columns) if column.name == self.order)
        return section(f"Top phrases by {self.order}", drawn(table, room, bars=ordered_by))

    def _lists(self, width: int | None) -> RenderableType:
        """Set the lists of each length side by side, as many as there is room for."""
        lists = []
        for length, rows in groupby(self.rows, itemgetter("length")):
            table = Table(
                [Column(f"{length} words"), Column(self.order, "")],
                [(row["phrase"], row[self.order]) for row in rows],
            )
            grid = drawn(table, width)
            if width is not None:
                taken = GAP + max(len(table.columns[1].text(value)) for value in table.values(1))
                half = min(WIDE, (width - GAP) // 2 - taken)
                grid.columns[0].max_width = half if half >= NARROWEST_LIST else width - taken
            lists.append(grid)
        if width is None:
            return Group(*(part for grid in lists for part in (grid, "")))
        return Columns(lists, padding=(1, GAP + 1))


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

    def data(self) -> Any:
        """Return them for JSON."""
        plain = asdict(self)
        shown = plain.pop("shown")
        if isinstance(self.shown, TopPhrases):
            plain |= {"n_phrases": shown["n_phrases"], **shown["extent"], "phrases": shown["rows"]}
        else:
            plain["sweep"] = shown
        if math.isinf(self.significance):
            plain["significance"] = None
        return plain

    def tables(self) -> list[Table]:
        """Return the phrases, or a row for each threshold."""
        if isinstance(self.shown, TopPhrases):
            return [self.shown.table()]
        names = ("threshold", "n_types", "n_instances", "mean_length", "coverage", "n_gained", "n_lost")
        heads = ("threshold", "phrases", "instances", "words", "coverage", "gained", "lost")
        forms: dict[str, Any] = {"threshold": "g", "mean_length": ".2f", "coverage": percent}
        columns = [Column(name, head, forms.get(name, "")) for name, head in zip(names, heads, strict=True)]
        return [Table(columns, [[getattr(step, name) for name in names] for step in self.shown])]

    def page(self, width: int | None) -> RenderableType:
        """Return the facts, and below them the phrases or the sweep."""
        shown = self.shown
        if isinstance(shown, TopPhrases):
            below = shown.page(width)
        else:
            below = section("Threshold sweep", _swept(shown, self.significance, width))
        limit = self._limit() if self.reached_max_length else None
        return page(Text(printable(self.name), "bold"), section("", self._overview()), below, limit)

    def _overview(self) -> RenderableType:
        shown = self.shown
        documents = (f"{self.n_documents:,}", "documents", "")
        if not isinstance(shown, TopPhrases):
            kept, support = f"{self.n_kept:,}", f"{self.min_support:,}"
            return facts([documents, (kept, "kept tokens", ""), (support, "minimum support", "")])
        extent = shown.extent
        inside = f"{percent(extent.coverage)} of them inside phrases of several words"
        reached = f"{extent.n_instances:,} of them, at significance {self.significance:g} or more"
        if self.quality is not None:
            reached += f" and quality {self.quality:g} or more"
        return facts(
            [
                documents,
                (f"{self.n_kept:,}", "kept tokens", inside),
                (f"{shown.n_phrases:,}", "frequent phrases", f"each {self.min_support:,} times or more"),
                (f"{extent.n_types:,}", "have instances", reached),
            ]
        )

    def _limit(self) -> Text:
        if (most := self.max_length) is not None:
            return Text(f"\nPhrases of more than {most} words may be frequent too; none was formed.", "dim")
        return Text(
            f"\nPhrases of {MAX_LENGTH} words are frequent, and longer ones were not looked for. "
            "Is text repeated? --max-length sets another limit.",
            "yellow",
        )


def _swept(steps: list[SweepStep], current: float, width: int | None) -> RenderableType:
    """Give each threshold a row of numbers, and below it examples of what came and what went."""
    bar_width = max(1, min(40, (width or USUAL) - 4 - sum(SWEEP_WIDTHS) - len(SWEEP_WIDTHS)))
    heads = ["threshold", "phrases", "instances", "words", "coverage", ""]
    parts: list[RenderableType] = [_numbers(heads, "dim", bar_width)]
    widest = max(step.coverage for step in steps)
    for step in steps:
        here = step.threshold == current
        numbers = [
            f"{'▸ ' if here else ''}{step.threshold:g}",
            f"{step.n_types:,}",
            f"{step.n_instances:,}",
            f"{step.mean_length:.2f}",
            percent(step.coverage),
            Bar(widest or 1, 0, step.coverage, color="blue"),
        ]
        parts.append(_numbers(numbers, "bold" if here else "", bar_width))
        if step.n_gained:
            parts.append(_examples(f"+ {step.n_gained:,}", "green", step.gained, width))
        if step.n_lost:
            parts.append(_examples(f"− {step.n_lost:,}", "red", step.lost, width))
    return Group(*parts)


def _numbers(cells: list[Any], style: str, bar_width: int) -> Grid:
    grid = Grid.grid(padding=(0, 1))
    for width in SWEEP_WIDTHS:
        grid.add_column(width=width, justify="right", no_wrap=True)
    grid.add_column(width=bar_width)
    grid.add_row(*cells, style=style)
    return grid


def _examples(head: str, colour: str, examples: tuple[Example, ...], width: int | None) -> Text:
    """Name the examples that fit into one line."""
    line = Text(" " * 4, overflow="fold").append(f"{head:<9}", colour)
    for i, example in enumerate(examples):
        piece = Text(" · " if i else "", "dim")
        piece.append(printable(example.phrase), "not dim").append(f" ×{example.instances:,}", "dim")
        if i and width is not None and line.cell_len + piece.cell_len > width - 2:
            break
        line.append_text(piece)
    return line
