"""Topics side by side, as in the paper's tables: their words, and below them their phrases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from topminer.cli.console import visible
from topminer.cli.drawing import percent

if TYPE_CHECKING:
    from topminer.topics.results.topic import Topic

NARROWEST_COLUMN = 20  # where a text is that long: more topics would not fit side by side
GAP = 3

_NONE = Text("no phrases", "dim")


def drawn(topics: Sequence[Topic], width: int, names: Mapping[int, str] | None = None) -> RenderableType:
    """Return topics as a page of at most ``width`` characters; ``names`` are the user's own."""
    if not topics:
        return Text("No topics.", "dim")
    n_columns, column = _columns(topics, width)
    heaviest = max(topic.weight for topic in topics)
    parts: list[RenderableType] = []
    for i in range(0, len(topics), n_columns):
        block = _block(topics[i : i + n_columns], column, heaviest, names or {})
        parts += ["", block] if parts else [block]
    return Group(*parts)


def _columns(topics: Sequence[Topic], width: int) -> tuple[int, int]:
    """How many topics stand side by side, and how wide each is.

    As many as fit, but no more than it takes for blocks of one size: room left over shows longer texts.
    """
    heads = max(_head(topic).cell_len for topic in topics)
    texts = (cell_len(text) for topic in topics for text in [*_words(topic), *_phrases(topic)])
    longest = max(heads, max(texts, default=0))
    fit = max(1, (width + GAP) // (min(longest, NARROWEST_COLUMN) + GAP))
    n_blocks = -(-len(topics) // fit)
    n_columns = -(-len(topics) // n_blocks)
    return n_columns, max(1, min(longest, (width + GAP) // n_columns - GAP))


def _block(topics: Sequence[Topic], column: int, heaviest: float, names: Mapping[int, str]) -> Table:
    grid = Table.grid(padding=(0, GAP, 0, 0))
    for _ in topics:
        grid.add_column(width=column, no_wrap=True, overflow="ellipsis")
    grid.add_row(*map(_head, topics))
    if any(topic.id in names for topic in topics):
        grid.add_row(*(_fitted(visible(names.get(topic.id, "")), column, "bold") for topic in topics))
    grid.add_row(*(_weight(topic.weight / (heaviest or 1), column) for topic in topics))
    for words in zip_longest(*map(_words, topics), fillvalue=""):
        grid.add_row(*(_fitted(word, column) for word in words))
    if any(topic.phrases for topic in topics):
        grid.add_row(*[Text("─" * column, "dim")] * len(topics))
        lists = [[_fitted(phrase, column) for phrase in _phrases(topic)] for topic in topics]
        for phrases in zip_longest(*(each or [_NONE] for each in lists), fillvalue=Text()):
            grid.add_row(*phrases)
    return grid


def _head(topic: Topic) -> Text:
    return Text.assemble((f"Topic {topic.id}", "bold"), "  ", (percent(topic.weight), "dim"))


def _weight(share: float, column: int) -> Text:
    """A line below the head, heavy as far as the topic is beside the heaviest."""
    heavy = round(share * column)
    return Text.assemble(("━" * heavy, "blue"), ("─" * (column - heavy), "dim"))


def _words(topic: Topic) -> list[str]:
    return [visible(word) for word, _ in topic.words]


def _phrases(topic: Topic) -> list[str]:
    return [visible(phrase) for phrase, _ in topic.phrases]


def _fitted(text: str, column: int, style: str = "") -> Text:
    """A text, shortened where it must be, with no blank before its end."""
    if cell_len(text) > column:
        text = f"{set_cell_size(text, column - 1).rstrip()}…"
    return Text(text, style)
