"""Tables and charts as HTML: the small parts that every section of the page is made of.

The best figure of a column stands in bold with a star, and is called the best to who does not see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from topminer.text.printable import printable
from topminer.views.charts.svg import to_svg
from topminer.views.comparison.measures import OURS, Measure, methods_of
from topminer.views.comparison.summary import cut_short
from topminer.views.harmless import check_svg
from topminer.views.numbers import NOTHING, headed, listing

if TYPE_CHECKING:
    import altair as alt


_NUMBER = ' class="number"'
_TAG = re.compile("<[^>]*>")
_UNIT = re.compile(r"(?<=\d) (?=(?:%|s|min|h|days)(?!\w))")


class Column(NamedTuple):
    """A column of figures: its head, and the HTML of its cells by the name of the method."""

    head: str
    cells: Mapping[str, str]
    number: bool = True


def safe(text: object) -> str:
    """A text from outside, as it can stand in a page."""
    return escape(printable(str(text)))


def name(text: object) -> str:
    """A name from outside, which keeps its direction to itself."""
    return f"<bdi>{safe(text)}</bdi>"


def sentence(text: str) -> str:
    """A sentence of ours, with texts from outside in it; its numbers keep their units on the same line."""
    return _UNIT.sub("&nbsp;", safe(text))


def column(measure: Measure, beside: Mapping[str, str] | None = None) -> Column:
    """The column of a measure, its best figures marked; ``beside`` is HTML that follows figures."""
    best, after = measure.best(), beside or {}
    cells = {}
    for method, value in measure.values.items():
        shown = escape(measure.text(value))
        cells[method] = (mark_best(shown) if method in best else shown) + after.get(method, "")
    return Column(escape(headed(measure.title)), cells)


def mark_best(shown: str) -> str:
    """A figure that is the best of its column, as HTML."""
    return f'<strong class="best">{shown}<span class="unseen"> (best)</span></strong>'


def table(data: Mapping[str, Any], caption: str, columns: Iterable[Column], *, whole: bool = False) -> str:
    """A table of methods, a row each.

    Parameters
    ----------
    data : mapping
        The comparison.
    caption : str
        What the table shows, as HTML.
    columns : iterable of Column
    whole : bool, default False
        Whether methods without any figure have a row too. Otherwise the caption names them.
    """
    columns = list(columns)
    rows, without = [], []
    for method in methods_of(data):
        own = method["name"]
        if not whole and not any(own in each.cells for each in columns):
            without.append(str(method["title"]))
            continue
        cells = [_cell(each.cells.get(own, NOTHING), number=each.number) for each in columns]
        ours = ' class="ours"' if own == OURS else ""
        rows.append(f'<tr{ours}><th scope="row">{titled(method)}</th>{"".join(cells)}</tr>')
    if without:
        caption += f" No figures of {safe(listing(without))}."
    heads = [_head(each.head, number=each.number) for each in columns]
    return framed(caption, _head("Method") + "".join(heads), rows)


def titled(method: Mapping[str, Any]) -> str:
    """What a method is called; with a mark, if it was cut short."""
    short = ' <abbr title="cut short">~</abbr>' if cut_short(method) else ""
    return name(method["title"]) + short


def plain_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of numbers, all given as HTML; the first of each row is its head."""
    lines = [
        f'<tr><th scope="row">{row[0]}</th>{"".join(_cell(cell) for cell in row[1:])}</tr>' for row in rows
    ]
    return framed(caption, "".join(_head(head, number=i > 0) for i, head in enumerate(heads)), lines)


def framed(caption: str, head: str, rows: Iterable[str]) -> str:
    """A table that scrolls within itself where there is no room."""
    body, label = "\n".join(rows), _TAG.sub("", caption).partition(". ")[0]
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}"><table>\n'
        f"<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def chart(drawn: alt.TopLevelMixin, title: str, key: str = "") -> str:
    """A chart with its title above; ``key`` is HTML that explains its marks."""
    svg = to_svg(drawn, title)
    check_svg(title, svg)
    labelled = svg.replace("<svg ", f'<svg aria-label="{safe(title)}" ', 1)
    below = f'<p class="key">{key}</p>' if key else ""
    return (
        f'<figure class="chart" aria-label="{safe(title)}"><figcaption>{safe(title)}</figcaption>'
        f'<div class="drawing">{labelled}</div>{below}</figure>'
    )


def beside(*parts: str) -> str:
    """Parts that stand side by side, where there is room; nothing, if there are none."""
    inside = "\n".join(part for part in parts if part)
    return f'<div class="beside">\n{inside}\n</div>' if inside else ""


def section(anchor: str, title: str, *parts: str) -> str:
    """A section of the page; nothing, if it has no parts."""
    inside = "\n".join(part for part in parts if part)
    if not inside:
        return ""
    return (
        f'<section id="{anchor}" aria-labelledby="{anchor}-title">\n'
        f'<h2 id="{anchor}-title">{title}</h2>\n{inside}\n</section>'
    )


def _head(text: str, *, number: bool = False) -> str:
    return f'<th scope="col"{_NUMBER if number else ""}>{text}</th>'


def _cell(inside: str, *, number: bool = True) -> str:
    return f"<td{_NUMBER if number else ''}>{inside}</td>"
