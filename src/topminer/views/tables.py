"""Tables as text for other programs and for people: CSV, JSON, Markdown, LaTeX.

CSV and JSON carry every value as it is, but in CSV a text that a spreadsheet would run as a formula gets an
apostrophe before it. Markdown and LaTeX are for people: numbers are formatted, characters that would be
obeyed rather than shown are replaced, and what the format would read as its own is escaped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from topminer._spreadsheets import without_formula
from topminer.text.printable import printable
from topminer.views.numbers import NOTHING, number

_ACTIVE_IN_MARKDOWN = re.compile(r"[\\`*_~^$\[\]|]")
_ACTIVE_IN_LATEX = {
    **{char: f"\\{char}" for char in "{}$&#%_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\symbol{34}",  # of German and other languages it is a command
}
_LIGATURES = re.compile("(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")  # two hyphens would be a dash
_ROOM, _WIDEST = 0.76, 0.3  # of a line of LaTeX: for all columns but the first, for one of them


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str  # in CSV and JSON
    head: str | None = None  # for people; None: the same
    form: str | Callable[[Any], str] = ""  # how a number is written for people
    better: int = 0  # 1 or -1: the highest or the lowest number is the best and is marked; 0: none is
    expendable: int = 0  # a narrow terminal leaves out the highest first; 0: never this column

    @property
    def title(self) -> str:
        """Return what people read above the column."""
        return self.name if self.head is None else self.head

    def text(self, value: Any) -> str:
        """Return a value as people read it."""
        if value is None or isinstance(value, str):
            return NOTHING if value is None else value
        return self.form(value) if callable(self.form) else number(value, self.form)


@dataclass(frozen=True)
class Table:
    """Rows of texts and numbers under their columns; None stands where there is no value."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    rules: Sequence[int] = (0,)  # the rows that LaTeX draws a line above

    def values(self, i: int) -> list[Any]:
        """Return the values of column ``i``."""
        return [row[i] for row in self.rows]

    def best(self, i: int) -> Any:
        """Return the best value of column ``i``; None if no value is better than others."""
        better = self.columns[i].better
        known = [value for value in self.values(i) if value is not None]
        return max(known, key=lambda value: better * value) if better and known else None

    def is_number(self, i: int) -> bool:
        """Whether column ``i`` holds numbers, which are set to the right."""
        return not any(isinstance(value, str) for value in self.values(i))

    def records(self) -> list[dict[str, Any]]:
        """Return the rows for JSON: values by the names of their columns."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def csv(self) -> str:
        """Return the table as CSV."""
        rows = (
            [without_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in self.rows
        )
        return "".join(map(_csv_line, [[column.name for column in self.columns], *rows]))

    def markdown(self) -> str:
        """Return the table as Markdown, under its title if it has one."""
        aligned = ["---:" if self.rows and self.is_number(i) else "---" for i in range(len(self.columns))]
        lines = [_markdown_row(column.title for column in self.columns), f"| {' | '.join(aligned)} |"]
        lines += [_markdown_row(self.texts(row)) for row in self.rows]
        return "\n".join([*([f"## {markdown_text(self.title)}", ""] if self.title else []), *lines])

    def latex(self, caption: str, label: str) -> str:
        """Return the table as LaTeX: the first column as wide as it is, the others of equal widths."""
        n_wide = len(self.columns) - 1
        column = rf">{{\raggedright\arraybackslash}}p{{{min(_WIDEST, _ROOM / n_wide):.3f}\linewidth}}"
        lines = [
            r"\begin{table}[tbp]",
            r"\centering\small\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{latex_text(caption)}}}",
            rf"\label{{{label}}}",
            rf"\begin{{tabular}}{{@{{}}l*{{{n_wide}}}{{{column}}}@{{}}}}",
            r"\toprule",
            _latex_row(column.title for column in self.columns),
        ]
        for i, row in enumerate(self.rows):
            lines += [*([r"\midrule"] if i in self.rules else []), _latex_row(self.texts(row))]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"])

    def texts(self, row: Sequence[Any]) -> list[str]:
        """Return the cells of a row as people read them."""
        return [column.text(value) for column, value in zip(self.columns, row, strict=True)]


def _csv_line(cells: Sequence[object]) -> str:
    # A writer quotes only the characters of its own line end: with this one both \r and \n in a text.
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def _latex_row(cells: Iterable[str]) -> str:
    # A cell before the first & is never a bracket, which \\ of the row before would take for its own.
    return rf"{' & '.join(map(latex_text, cells))} \\"


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(markdown_text, cells))} |"


def markdown_text(text: str) -> str:
    r"""Escape what Markdown would take for its own.

    >>> print(markdown_text("a|b <i> *c*"))
    a\|b &lt;i&gt; \*c\*
    """
    return escape(_ACTIVE_IN_MARKDOWN.sub(r"\\\g<0>", printable(text)), quote=False)


def latex_text(text: str) -> str:
    r"""Escape what LaTeX would take for its own.

    >>> print(latex_text("50% of C_1 & {x} -- a\\b"))
    50\% of C\_1 \& \{x\} -{}- a\textbackslash{}b
    """
    escaped = "".join(_ACTIVE_IN_LATEX.get(char, char) for char in printable(text))
    return _LIGATURES.sub("{}", escaped)
