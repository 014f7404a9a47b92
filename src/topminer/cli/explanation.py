"""An explanation as it is shown: the merge tree of a text, its merges, and why other words stay apart.

The tree is drawn in box-drawing characters: a word to a row, merges from left to right::

    Mining    ──┬──┊╌╌┐
    frequent  ──┘  ┊  ╎
    patterns  ─────┊╌╌┘

A phrase goes on in the row of its first word. The dotted line is the threshold: each line that reaches it is
a phrase, and what would be merged beyond it is drawn with dashes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from topminer.cli.render import UNLIMITED, drawn, indented, page, section
from topminer.text.printable import printable
from topminer.views.numbers import expected_text, quality_text, score_beside, threshold_text
from topminer.views.tables import Column, Table
from topminer.views.wording import STATISTICS, judged_text, quality_terms, terms, verdict, why

if TYPE_CHECKING:
    from topminer.phrases.explain import Explanation, Phrase

MERGED, ALONE, BEYOND, THRESHOLD, GLUED = "green", "dim", "dim", "yellow", "magenta"
STEPS = (4, 3, 2, 1)  # characters from one merge to the next, as far as there is room
NUMBERS = ("score", "seen", "expected")


@dataclass(frozen=True)
class ExplanationResult:
    """An explanation in each form that ``--format`` knows."""

    explained: Explanation

    def data(self) -> Any:
        """Return it for JSON, which knows no infinite threshold."""
        threshold = self.explained.threshold
        return asdict(self.explained) | {"threshold": None if math.isinf(threshold) else threshold}

    def tables(self) -> list[Table]:
        """Return the merges, the judged phrases, and the neighbours that stay apart."""
        merges = self._merges()
        happens = ["yes" if merge.happens else "no" for merge in self.explained.merges]
        rows = [[*row, each] for row, each in zip(merges.rows, happens, strict=True)]
        statistics = [Column(name, title, quality_text) for name, title in STATISTICS.items()]
        judged = [
            [each.phrase.text, each.quality, verdict(each), *(each.parts.get(name) for name in STATISTICS)]
            for each in self.explained.judgements
        ]
        return [
            Table([*merges.columns, Column("merged")], rows, "Merges, in order"),
            Table(
                [Column("phrase"), Column("quality", None, quality_text), Column("verdict"), *statistics],
                judged,
                "Quality of the finished phrases",
            ),
            self._neighbours(),
        ]

    def page(self, width: int | None) -> RenderableType:
        """Return the text with its phrases, the tree, and the tables below it."""
        explained, room = self.explained, (width or UNLIMITED) - 2
        merges, neighbours = self._merges(), self._neighbours()
        n_happen = sum(merge.happens for merge in explained.merges)
        line = {n_happen: f"╌╌ threshold {threshold_text(explained.threshold)} ╌╌"}
        beyond = range(n_happen, len(explained.merges))
        return page(
            Group(self._phrases(), "") if explained.text.strip() else None,
            Text(terms(explained), "dim"),
            section("Merge tree", self._tree(room))
            if explained.tokens
            else Text("\nNo word of this text takes part in mining.", "yellow"),
            section(merges.title, drawn(merges, room, dim=beyond, lines=line)) if explained.merges else None,
            section("Quality of the finished phrases", self._judgements(room))
            if explained.judgements
            else None,
            section(neighbours.title, drawn(neighbours, room)) if explained.neighbours else None,
        )

    def _merges(self) -> Table:
        """Return the merges; the lowest score so far only where it differs from the score."""
        threshold = self.explained.threshold

        def score(value: float) -> str:
            return score_beside(value, threshold)

        columns = [
            Column("order", ""),
            Column("left"),
            Column("right"),
            Column("f(left)", expendable=4),
            Column("f(right)", expendable=4),
            Column("seen", expendable=1),
            Column("expected", None, expected_text, expendable=2),
            Column("score", None, score),
            Column("lowest", None, score, expendable=3),
        ]
        rows = [
            [
                i,
                merge.left.text,
                merge.right.text,
                merge.left.count,
                merge.right.count,
                merge.observed,
                merge.expected,
                merge.score,
                merge.strength,
            ]
            for i, merge in enumerate(self.explained.merges, 1)
        ]
        if all(row[-1] == row[-2] for row in rows):
            columns.pop()
            rows = [row[:-1] for row in rows]
        return Table(columns, rows, "Merges, in order")

    def _neighbours(self) -> Table:
        rows = [
            (pair.left.text, pair.right.text, why(pair, self.explained)) for pair in self.explained.neighbours
        ]
        return Table([Column("left"), Column("right"), Column("why")], rows, "Why the others stay apart")

    def _phrases(self) -> Text:
        """Return the text with its phrases of several words in brackets; what is not kept is dim."""
        text = Text()
        for phrase, piece in self.explained.pieces:
            if phrase is None:
                text.append(printable(piece), "dim")
            elif phrase.length == 1:
                text.append(printable(piece), "bold")
            else:
                text.append("[", MERGED).append(printable(piece), f"bold {MERGED}").append("]", MERGED)
        return text

    def _tree(self, width: int) -> RenderableType:
        """Draw a row for each word: its branch, and the merge that joins it to the words above."""
        label = f"threshold {threshold_text(self.explained.threshold)}"
        words = list(self._words())
        widest = max(len(label), width * 2 // 5)
        words_width = min(widest, max(len(label), *(word.cell_len for word in words)))
        numbers = self._numbers()
        columns = list(zip([Text(head, "dim") for head in NUMBERS], *numbers, strict=True))
        if not any(score for score, *_ in numbers):
            columns.clear()
        while True:
            taken = sum(2 + max(cell.cell_len for cell in column) for column in columns)
            tree = TreeDrawing(self.explained, width - words_width - 2 - taken)
            if tree.rows or not columns:
                break
            columns.pop()  # the numbers are in the table of merges as well
        if not tree.rows:
            return Text("The tree is too deep for so few columns; --output FILE.svg draws it.", "yellow")
        table = Grid.grid(padding=(0, 2, 0, 0))
        table.add_column(width=words_width, overflow="fold")
        table.add_column(width=tree.width, no_wrap=True)
        for _ in columns:
            table.add_column(justify="right", no_wrap=True)
        leader = Text("╌" * tree.threshold_column + "┐", THRESHOLD)
        table.add_row(Text(label, THRESHOLD, justify="right"), leader, *(head for head, *_ in columns))
        chunk = 0
        for i, token in enumerate(self.explained.tokens):
            if token.chunk != chunk:
                table.add_row(Text("╶╶╶", "dim"), Text(" " * tree.threshold_column + "┊", THRESHOLD))
            chunk = token.chunk
            table.add_row(words[i], tree.rows[i], *(column[i + 1] for column in columns))
        return table

    def _words(self) -> Iterator[Text]:
        """Yield each kept token with what stands behind it, so that the words can be read downwards."""
        several = [phrase for phrase in self.explained.phrases if phrase.length > 1]
        in_phrase = {i for phrase in several for i in range(phrase.first, phrase.behind)}
        ends = [*(token.start for token in self.explained.tokens[1:]), len(self.explained.text)]
        for i, (token, end) in enumerate(zip(self.explained.tokens, ends, strict=True)):
            behind = printable(self.explained.text[token.end : end]).rstrip()
            style = f"bold {MERGED}" if i in in_phrase else "bold"
            yield Text.assemble((printable(token.text), style), (behind, "dim"))

    def _numbers(self) -> list[list[Text]]:
        """Return, for each token, the numbers of the merge that joins it to the one before it."""
        rows = [
            [Text("always" if token.glued else "", GLUED), Text(), Text()] for token in self.explained.tokens
        ]
        for merge in self.explained.merges:
            score = score_beside(merge.score, self.explained.threshold)
            numbers = [score, f"{merge.observed:,}", expected_text(merge.expected)]
            style = MERGED if merge.happens else BEYOND
            rows[merge.right.first] = [Text(number, style) for number in numbers]
        return rows

    def _judgements(self, width: int) -> RenderableType:
        """Return the judged phrases with their qualities; below each, what adds most to it or takes most."""
        shown = [printable(each.phrase.text) for each in self.explained.judgements]
        qualities = [judged_text(each, self.explained) for each in self.explained.judgements]
        phrase_width, quality_width = min(width * 3 // 5, max(map(cell_len, shown))), max(map(len, qualities))
        parts: list[RenderableType] = [Text(quality_terms(self.explained), "dim")]
        for text, quality, each in zip(shown, qualities, self.explained.judgements, strict=True):
            style = MERGED if each.stays else BEYOND
            row = Grid.grid(padding=(0, 2, 0, 0))
            row.add_column(width=phrase_width, overflow="fold")
            row.add_column(width=quality_width, justify="right", no_wrap=True)
            row.add_column(no_wrap=True)
            row.add_row(Text(text, style), quality, Text(verdict(each), style))
            parts.append(row)
            by_size = sorted(each.parts.items(), key=lambda part: -abs(part[1]))
            statistics = [f"{STATISTICS[name]} {quality_text(value)}" for name, value in by_size if value]
            parts += [indented(Text(line, "dim")) for line in _lines(statistics, width - 2)]
        return Group(*parts)


def _lines(pieces: list[str], width: int) -> list[str]:
    """Set pieces in lines, with dots between; no line ends inside a piece.

    >>> _lines(["one +1.0", "two +2.0", "three +3.0"], 20)
    ['one +1.0 · two +2.0', 'three +3.0']
    """
    lines: list[str] = []
    for piece in pieces:
        if lines and len(lines[-1]) + 3 + len(piece) <= width:
            lines[-1] += f" · {piece}"
        else:
            lines.append(piece)
    return lines


def _joined(cells: list[tuple[str, str]]) -> Text:
    runs = groupby(cells, key=itemgetter(1))
    return Text.assemble(*(("".join(cell for cell, _ in run), style) for style, run in runs))


class TreeDrawing:
    """The rows of a merge tree, one for each token; none if it cannot be drawn in ``width`` characters."""

    def __init__(self, explained: Explanation, width: int) -> None:
        self._level: dict[Phrase, int] = dict.fromkeys(explained.units, 0)
        self._n_merged = self._n_levels = 1
        self._give_levels(explained)
        self._indent = 2 * any(unit.always for unit in explained.units)
        room = width - self._indent - 3
        self._step = next((step for step in STEPS if step * self._n_levels <= room), 0)
        self.threshold_column = self._indent + self._step * self._n_merged + 2
        self.width = self._indent + self._step * self._n_levels + 3
        self._cells = [[(" ", "")] * self.width for _ in explained.tokens]
        if self._step:
            self._draw(explained)
        self.rows = [_joined(row) for row in self._cells] if self._step else []

    def _give_levels(self, explained: Explanation) -> None:
        """Put each node one level above its parts, and beyond the threshold above all on this side of it."""
        for happens in (True, False):
            for merge in explained.merges:
                if merge.happens is happens:
                    lowest = 0 if happens else self._n_merged
                    parts = self._level[merge.left], self._level[merge.right]
                    self._level[merge.made] = 1 + max(lowest, *parts)
                    self._n_levels = max(self._n_levels, self._level[merge.made])
            if happens:
                self._n_merged = self._n_levels

    def _is_beyond(self, phrase: Phrase) -> bool:
        return self._level[phrase] > self._n_merged

    def _column(self, phrase: Phrase) -> int:
        """Where a phrase is made, and its line starts."""
        if self._level[phrase] == 0:
            return 1 if phrase.always else -1
        return self._indent + self._step * self._level[phrase] + (2 if self._is_beyond(phrase) else -1)

    def _draw(self, explained: Explanation) -> None:
        for row in self._cells:
            row[self.threshold_column] = ("┊", THRESHOLD)
        for phrase in explained.finished:
            self._draw_line(phrase, self.threshold_column, "─", MERGED if phrase.length > 1 else ALONE)
        for unit in explained.units:
            if unit.always:
                self._draw_glued(unit)
        for merge in explained.merges:
            dash, bar, style = ("─", "│", MERGED) if merge.happens else ("╌", "╎", BEYOND)
            at = self._column(merge.made)
            for part in (merge.left, merge.right):
                self._draw_line(part, at, dash, style)
                if self._is_beyond(part):
                    self._cells[part.first][self._column(part)] = ("┬", style)
            for between in range(merge.left.first + 1, merge.right.first):
                self._cells[between][at] = (bar, style)
            self._cells[merge.left.first][at] = ("┬" if merge.happens else "┐", style)
            self._cells[merge.right.first][at] = ("┘", style)

    def _draw_line(self, phrase: Phrase, stop: int, dash: str, style: str) -> None:
        """Draw the line of a phrase up to a column; one that ends beyond the threshold starts there."""
        start = self._column(phrase) + 1
        if stop > self.threshold_column:
            start = max(start, self.threshold_column + 1)
        self._cells[phrase.first][start:stop] = [(dash, style)] * (stop - start)

    def _draw_glued(self, unit: Phrase) -> None:
        """Hold together, from the start, what is always whole."""
        for row in range(unit.first, unit.behind):
            corner = "╦" if row == unit.first else "╝" if row == unit.behind - 1 else "╣"
            self._cells[row][:2] = [("═", GLUED), (corner, GLUED)]
