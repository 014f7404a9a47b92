"""A merge tree in box-drawing characters: a word to a row, merges from left to right.

::

    Mining    ──┬──┊╌╌┐
    frequent  ──┘  ┊  ╎
    patterns  ─────┊╌╌┘

A phrase goes on in the row of its first word. The dotted line is the threshold: each line that reaches it is
a phrase, and what would be merged beyond it is drawn with dashes.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from topminer.phrases.explain import Explanation, Phrase

MERGED, ALONE, BEYOND, THRESHOLD, GLUED = "green", "dim", "dim", "yellow", "magenta"
STEPS = (4, 3, 2, 1)  # characters from one merge to the next, as far as there is room


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
