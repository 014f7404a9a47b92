"""``topminer topics``: the topics of a model, side by side as in the paper's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from topminer.cli.command import spread
from topminer.cli.options import (
    AllOption,
    DirectoryArgument,
    NPhrasesOption,
    NWordsOption,
    ResultOptions,
    RunOptions,
    option,
)
from topminer.cli.wrapping import wrapped
from topminer.text.printable import printable

if TYPE_CHECKING:
    from topminer.topics.results.topic import Topic
    from topminer.views.tables import Table

EXAMPLES = [
    "topminer topics titles-model",
    "topminer topics titles-model --n-words 5 --n-phrases 20",
    "topminer topics titles-model --order relevance --lambda 0.4",
    "topminer topics titles-model --all --format markdown > topics.md",
]
FITTING = 0.9  # of the texts take one line; longer ones are wrapped to set more topics side by side
USUAL = 110  # characters of a line that goes into a pipe, unless a text is longer
GAP = 3


@spread
def topics(
    directory: DirectoryArgument,
    run: RunOptions,
    result: ResultOptions,
    n_words: NWordsOption = 10,
    n_phrases: NPhrasesOption = 10,
    order: Annotated[
        Literal["best", "frequency", "kert", "relevance"] | None,
        option(
            "Phrases by documents, quality and lift together (best), by frequency as in the paper, by KERT's "
            "score or by relevance. Left out: best, or frequency for a model of run --paper.",
            metavar="best|frequency|kert|relevance",
        ),
    ] = None,
    lam: Annotated[
        float,
        option(
            "Of relevance. 1: the most frequent words and phrases, 0: those found nowhere else.",
            "--lambda",
            metavar="X",
            min=0,
            max=1,
        ),
    ] = 0.6,
    all: AllOption = False,
    hide_background: Annotated[
        bool, option("What is done anyway, but with --all.", "--hide-background", hidden=True)
    ] = False,
    tie_variants: Annotated[
        bool, option("What is done anyway, but with --all.", "--tie-variants", hidden=True)
    ] = False,
) -> None:
    """Show the topics of a model: their words and their phrases.

    Words and phrases that describe no topic in particular are left out, the variants of a phrase are counted
    together, and topics that are in most documents at an even share are the last. With --all every phrase is
    shown by itself. A model of run --paper shows them so anyway.
    """
    from topminer.cli.render import UNLIMITED
    from topminer.cli.session import Session
    from topminer.topics.results.own_labels import Labels

    session = Session(run)
    model = session.model(directory, documents=False)  # quick, and enough
    tie = True if tie_variants and not all else None
    background = False if hide_background and not all else None
    found = model.topics(n_words, n_phrases, order=order, lam=lam, tie=tie, background=background, all=all)
    is_flat = result.format == "csv"
    lists = TopicLists(found, Labels.read(directory).names, is_flat)
    session.show(lists, result.format, widest=UNLIMITED)


@dataclass(frozen=True)
class TopicLists:
    """Topics as they are shown, with the names that the user gave them."""

    topics: Sequence[Topic]
    names: Mapping[int, str] = field(default_factory=dict)
    is_flat: bool = False  # as a table with a row for each word and each phrase

    def data(self) -> Any:
        """Return them for JSON."""
        from topminer.views.topic_tables import topics_data

        return topics_data(self.topics)

    def tables(self) -> list[Table]:
        """Return them as tables: flat, or side by side."""
        from topminer.views.topic_tables import side_by_side, topic_table

        return [topic_table(self.topics)] if self.is_flat else side_by_side(self.topics, self.names)

    def page(self, width: int | None) -> RenderableType:
        """Return them side by side: their words, and below them their phrases."""
        if not self.topics:
            return Text("No topics.", "dim")
        n_columns, column = self._columns(width)
        heaviest = max(topic.weight for topic in self.topics)
        parts: list[RenderableType] = []
        for i in range(0, len(self.topics), n_columns):
            block = _block(self.topics[i : i + n_columns], column, heaviest, self.names)
            parts += ["", block] if parts else [block]
        return Group(*parts)

    def _columns(self, width: int | None) -> tuple[int, int]:
        """Return how many topics stand side by side, and how wide each is.

        As many as fit if FITTING of the texts take one line, but no more than it takes for blocks of one
        size: room left over shows longer texts on one line.
        """
        topics = self.topics
        texts = [text for topic in topics for text in [*_words(topic), *_phrases(topic)]]
        lengths = sorted(map(cell_len, texts)) or [0]
        heads = max(_head(topic).cell_len for topic in topics)
        names = [cell_len(printable(self.names.get(topic.id, ""))) for topic in topics]
        longest = max(heads, lengths[-1], *names)
        usual = max(heads, lengths[int(FITTING * (len(lengths) - 1))])
        needed = longest if width is None else usual
        room = (width or USUAL) + GAP
        n_blocks = -(-len(topics) // max(1, room // (needed + GAP)))
        n_columns = -(-len(topics) // n_blocks)
        return n_columns, longest if width is None else max(1, min(longest, room // n_columns - GAP))


def _block(topics: Sequence[Topic], column: int, heaviest: float, names: Mapping[int, str]) -> Grid:
    grid = Grid.grid(padding=(0, GAP, 0, 0))
    for _ in topics:
        grid.add_column(width=column, overflow="fold")
    grid.add_row(*map(_head, topics))
    if any(topic.id in names for topic in topics):
        grid.add_row(*(Text(wrapped(printable(names.get(topic.id, "")), column), "bold") for topic in topics))
    grid.add_row(*(_weight(topic.weight / (heaviest or 1), column) for topic in topics))
    for words in zip_longest(*map(_words, topics), fillvalue=""):
        grid.add_row(*(Text(wrapped(word, column)) for word in words))
    if any(topic.phrases for topic in topics):
        grid.add_row(*[Text("─" * column, "dim")] * len(topics))
        lists = [[Text(wrapped(phrase, column)) for phrase in _phrases(topic)] for topic in topics]
        nothing = Text("no phrases", "dim")
        for phrases in zip_longest(*(each or [nothing] for each in lists), fillvalue=Text()):
            grid.add_row(*phrases)
    return grid


def _head(topic: Topic) -> Text:
    from topminer.views.numbers import percent

    facts = f"{percent(topic.weight)}  background" if topic.background else percent(topic.weight)
    return Text.assemble((f"Topic {topic.id}", "bold"), "  ", (facts, "dim"))


def _weight(share: float, column: int) -> Text:
    """Return a line below the head, heavy as far as the topic is beside the heaviest."""
    heavy = round(share * column)
    return Text.assemble(("━" * heavy, "blue"), ("─" * (column - heavy), "dim"))


def _words(topic: Topic) -> list[str]:
    return [printable(word) for word, _ in topic.words]


def _phrases(topic: Topic) -> list[str]:
    return [printable(phrase) for phrase, _ in topic.phrases]
