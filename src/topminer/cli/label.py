"""``topminer label``: the user's own names of topics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from topminer.cli.command import spread
from topminer.cli.options import DirectoryArgument, ResultOptions, RunOptions, argument, flag
from topminer.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from topminer.cli.session import Session
    from topminer.topics.results.own_labels import Labels
    from topminer.views.tables import Table

EXAMPLES = [
    "topminer label titles-model",
    'topminer label titles-model 3 "Machine translation"',
    "topminer label titles-model 3 --reset",
]


@spread
def label(
    directory: DirectoryArgument,
    run: RunOptions,
    result: ResultOptions,
    topic: Annotated[int | None, argument("The number of a topic. Left out: all.", metavar="TOPIC")] = None,
    text: Annotated[list[str] | None, argument("What to call it. Left out: show it.", metavar="TEXT")] = None,
    reset: Annotated[
        bool, flag("Forget your name of TOPIC, or all of yours: back to automatic ones.", "--reset")
    ] = False,
) -> None:
    """Show what topics are called, or rename them.

    Topics are called after their foremost phrases until you rename them. Your names are kept beside the
    model, in labels.json, and are those of this model only: a later run that replaces it has other topics.
    """
    from topminer.cli.session import Session
    from topminer.topics.results.own_labels import Labels, update_labels

    session = Session(run)
    if reset and text:
        raise InputError("--reset forgets a name: give no TEXT with it")
    labels = Labels.read(directory)
    if topic is None and reset:
        update_labels(directory, Labels.cleared)
        session.say("All topics have their automatic labels again")
    elif topic is not None and (reset or text):
        number, new = topic, " ".join(text or [])
        name = update_labels(directory, lambda found: found.renamed(number, new)).names.get(topic)
        again = f"Topic {topic} has its automatic label again"
        session.say(again if name is None else f"Topic {topic} is now called {name}")
    else:
        session.show(_names(session, directory, labels, topic), result.format)
    if labels.foreign:
        fate = "are forgotten" if reset or text else "do not count"
        session.say(f"labels of another model, which was in {directory} before, {fate}", "dim")


@dataclass(frozen=True)
class TopicNames:
    """What topics are called, and what they would be called if they were not renamed."""

    rows: list[tuple[int, str, str]]  # number, name, automatic name

    def data(self) -> Any:
        """Return them for JSON."""
        return {"topics": [{"id": k, "label": name, "automatic": found} for k, name, found in self.rows]}

    def tables(self) -> list[Table]:
        """Return a row for each topic."""
        from topminer.views.tables import Column, Table

        return [Table([Column("topic"), Column("label"), Column("automatic")], self.rows)]

    def page(self, width: int | None) -> RenderableType:
        """Return the same table; the user's own names are bold."""
        from topminer.cli.render import drawn

        (table,) = self.tables()
        own = [i for i, (_, name, found) in enumerate(self.rows) if name != found]
        if not own:
            table = replace(table, columns=table.columns[:2], rows=[row[:2] for row in self.rows])
        return drawn(table, width, chosen=own)


def _names(session: Session, directory: Path, labels: Labels, topic: int | None) -> TopicNames:
    from topminer.topics.results.kept import keep, read_kept
    from topminer.topics.results.summary import Summary

    if topic is not None:
        labels.check(topic)
    kept = read_kept(directory) or keep(directory, Summary(session.model(directory)))
    rows = [(k, labels.names.get(k, name), name) for k, name in enumerate(kept.names)]
    return TopicNames([row for row in rows if topic in (None, row[0])])
