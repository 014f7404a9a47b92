"""Topics as text for other programs: JSON, CSV, Markdown, and HTML for a notebook.

JSON and CSV carry every text as it is. Markdown and HTML are for a person, so characters that would be obeyed
rather than shown are replaced, as on any page, and what the format would read as its own is escaped.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import zip_longest

from topminer._spreadsheets import without_formula
from topminer.text.printable import printable
from topminer.topics.results.topic import Topic
from topminer.views.wording import percent

SIDE_BY_SIDE = 5  # topics in a Markdown table

_ACTIVE_IN_MARKDOWN = re.compile(r"[\\`*_~^$\[\]|]")


def as_json(topics: Sequence[Topic], encoding: str = "utf-8") -> str:
    """Return topics as a JSON object, in ASCII unless ``encoding`` can hold every character."""
    plain = [
        {
            "id": int(topic.id),
            "weight": float(topic.weight),
            "words": [{"word": word, "p": float(p)} for word, p in topic.words],
            "phrases": [{"phrase": phrase, "frequency": float(n)} for phrase, n in topic.phrases],
        }
        for topic in topics
    ]
    return json.dumps({"topics": plain}, indent=1, ensure_ascii=not encoding.lower().startswith("utf"))


def as_csv(topics: Sequence[Topic]) -> str:
    """Return topics as a table with a row for each word and each phrase.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    lines = [_csv_line(["topic", "weight", "kind", "rank", "text", "value"])]
    for topic in topics:
        for kind, ranked in (("word", topic.words), ("phrase", topic.phrases)):
            for rank, (text, value) in enumerate(ranked, 1):
                cells = [topic.id, float(topic.weight), kind, rank, without_formula(text), float(value)]
                lines.append(_csv_line(cells))
    return "".join(lines)


def _csv_line(cells: Iterable[object]) -> str:
    # A writer may quote only the characters of its own line end: with this one both \r and \n in a text.
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def as_markdown(topics: Sequence[Topic], names: Mapping[int, str] | None = None) -> str:
    """Return topics side by side, a few to a table: their words, and below them their phrases.

    ``names`` are the user's own, shown beside the numbers.
    """
    groups = [topics[i : i + SIDE_BY_SIDE] for i in range(0, len(topics), SIDE_BY_SIDE)]
    return "\n\n".join("\n".join(_markdown_table(group, names or {})) for group in groups)


def _markdown_table(topics: Sequence[Topic], names: Mapping[int, str]) -> Iterator[str]:
    yield _markdown_row("", *(_markdown_head(topic, names.get(topic.id)) for topic in topics))
    yield _markdown_row(*["---"] * (1 + len(topics)))
    words = [[word for word, _ in topic.words] for topic in topics]
    phrases = [[phrase for phrase, _ in topic.phrases] for topic in topics]
    for label, columns in (("1-grams", words), ("n-grams", phrases)):
        for i, texts in enumerate(zip_longest(*columns, fillvalue="")):
            yield _markdown_row("" if i else label, *map(_markdown_text, texts))


def _markdown_head(topic: Topic, name: str | None) -> str:
    called = "" if name is None else f": {_markdown_text(name)}"
    return f"Topic {topic.id}{called} ({percent(topic.weight)})"


def _markdown_row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_text(text: str) -> str:
    r"""Escape what Markdown would take for its own.

    >>> print(_markdown_text("a|b <i> *c*"))
    a\|b &lt;i&gt; \*c\*
    """
    return escape(_ACTIVE_IN_MARKDOWN.sub(r"\\\g<0>", printable(text)), quote=False)


def as_html(topics: Sequence[Topic]) -> str:
    """Return topics as an HTML table with a row for each, to be set into a page."""
    heads = "".join(
        f'<th style="text-align: left">{head}</th>' for head in ("topic", "weight", "words", "phrases")
    )
    lines = [
        '<table class="tex2jax_ignore mathjax_ignore">',  # notebooks would set $…$ as formulas
        f"<thead><tr>{heads}</tr></thead>",
        "<tbody>",
        *(_html_row(topic) for topic in topics),
        "</tbody>",
        "</table>",
    ]
    return "\n".join(lines)


def _html_row(topic: Topic) -> str:
    words = ", ".join(printable(word) for word, _ in topic.words)
    phrases = ", ".join(printable(phrase) for phrase, _ in topic.phrases)
    cells = [
        f'<td style="text-align: right">{text}</td>' for text in (topic.id, escape(percent(topic.weight)))
    ]
    cells += [f'<td dir="auto" style="text-align: start">{escape(text)}</td>' for text in (words, phrases)]
    return f"<tr>{''.join(cells)}</tr>"
