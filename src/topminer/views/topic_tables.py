"""Topics as tables: a row for each word and phrase, or side by side; as JSON, and as HTML for a notebook."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from itertools import zip_longest
from typing import Any

import polars as pl

from topminer.text.printable import printable
from topminer.topics.results.topic import Topic
from topminer.views.numbers import percent
from topminer.views.tables import Column, Table

SIDE_BY_SIDE = 5  # topics in a table
_TYPES = {
    "topic": pl.Int64,
    "weight": pl.Float64,
    "kind": pl.String,
    "rank": pl.Int64,
    "text": pl.String,
    "value": pl.Float64,
}

_LATEX_HEAD = """\
% Put \\usepackage{array,booktabs} into the preamble, and this where the tables belong: \\input{topics}
% Letters beyond Latin need XeLaTeX or LuaLaTeX, and a font that has them."""


def topics_data(topics: Sequence[Topic]) -> dict[str, Any]:
    """Return topics for JSON."""
    plain = [
        {
            "id": int(topic.id),
            "weight": float(topic.weight),
            "background": topic.background,
            "words": [{"word": word, "p": float(p)} for word, p in topic.words],
            "phrases": [{"phrase": phrase, "frequency": float(n)} for phrase, n in topic.phrases],
        }
        for topic in topics
    ]
    return {"topics": plain}


def as_json(topics: Sequence[Topic]) -> str:
    """Return topics as a JSON object."""
    return json.dumps(topics_data(topics), indent=1, ensure_ascii=False)


def as_csv(topics: Sequence[Topic]) -> str:
    """Return topics as CSV with a row for each word and each phrase."""
    return topic_table(topics).csv()


def topic_table(topics: Sequence[Topic]) -> Table:
    """Return topics as a table with a row for each word and each phrase."""
    return Table([Column(name) for name in _TYPES], topic_rows(topics).rows())


def topic_rows(topics: Sequence[Topic]) -> pl.DataFrame:
    """Return the same rows as a frame."""
    rows = [
        (topic.id, topic.weight, kind, rank, text, value)
        for topic in topics
        for kind, ranked in (("word", topic.words), ("phrase", topic.phrases))
        for rank, (text, value) in enumerate(ranked, 1)
    ]
    return pl.DataFrame(rows, _TYPES, orient="row")


def side_by_side(
    topics: Sequence[Topic], names: Mapping[int, str] | None = None, *, weights: bool = True
) -> list[Table]:
    """Return topics side by side, a few to a table: their words, and below them their phrases.

    ``names`` are the user's own, shown beside the numbers, and ``weights`` behind them.
    """
    groups = [topics[i : i + SIDE_BY_SIDE] for i in range(0, len(topics), SIDE_BY_SIDE)]
    return [_beside(group, names or {}, weights) for group in groups]


def _beside(topics: Sequence[Topic], names: Mapping[int, str], weights: bool) -> Table:
    columns = [Column("")]
    for topic in topics:
        head = f"Topic {topic.id}: {names[topic.id]}" if topic.id in names else f"Topic {topic.id}"
        facts = [percent(topic.weight)] * weights + ["background"] * topic.background
        columns.append(Column(head + (f" ({', '.join(facts)})" if facts else "")))
    words = list(zip_longest(*([word for word, _ in topic.words] for topic in topics), fillvalue=""))
    phrases = list(zip_longest(*([phrase for phrase, _ in topic.phrases] for topic in topics), fillvalue=""))
    rows = [
        ("" if i else kind, *texts)
        for kind, ranked in (("1-grams", words), ("n-grams", phrases))
        for i, texts in enumerate(ranked)
    ]
    return Table(columns, rows, rules=(0, len(words)))


def as_markdown(topics: Sequence[Topic], names: Mapping[int, str] | None = None) -> str:
    """Return topics side by side as Markdown."""
    return "\n\n".join(table.markdown() for table in side_by_side(topics, names))


def as_latex(topics: Sequence[Topic], title: str, names: Mapping[int, str] | None = None) -> str:
    """Return topics as LaTeX tables, as in the paper; ``title`` says in captions what they are topics of."""
    tables = [_LATEX_HEAD]
    for i, table in enumerate(side_by_side(topics, names, weights=False)):
        ids = [topic.id for topic in topics[i * SIDE_BY_SIDE : (i + 1) * SIDE_BY_SIDE]]
        which = f"Topic {ids[0]}" if len(ids) == 1 else f"Topics {ids[0]} to {ids[-1]}"
        caption = f"{which} of {title}: most likely words, most frequent phrases."
        tables.append(table.latex(caption, f"tab:topics-{i + 1}"))
    return "\n\n".join(tables) + "\n"


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
