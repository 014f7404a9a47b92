"""``topminer label``: the user's own names of topics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topminer.cli.command import spread
from topminer.cli.options import RunOptions
from topminer.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from topminer.topics.results.own_labels import Labels

EXAMPLES = [
    "topminer label titles-model",
    'topminer label titles-model 3 "Machine translation"',
    "topminer label titles-model 3 --reset",
]


@spread
def label(
    directory: Annotated[Path, typer.Argument(metavar="DIR", show_default=False, help="A model directory.")],
    run: RunOptions,
    topic: Annotated[
        int | None,
        typer.Argument(metavar="TOPIC", show_default=False, help="The number of a topic. Left out: all."),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", show_default=False, help="What to call it. Left out: show it."),
    ] = None,
    reset: Annotated[
        bool,
        typer.Option(
            "--reset", help="Forget your name of TOPIC, or all of yours: back to automatic ones.", metavar=""
        ),
    ] = False,
) -> None:
    """Show what topics are called, or rename them.

    Topics are called after their foremost phrases until you rename them. Your names are kept beside the
    model, in labels.json, and are those of this model only: a later run that replaces it has other topics.
    """
    from topminer.cli.console import messages, output, visible
    from topminer.topics.results.own_labels import Labels, update_labels

    run.limit_polars()
    told = messages(run.quiet)
    if reset and text:
        raise InputError("--reset forgets a name: give no TEXT with it")
    labels = Labels.read(directory)
    if reset:
        _forget(directory, topic, told)
    elif topic is not None and text:
        number, new = topic, " ".join(text)
        name = update_labels(directory, lambda found: found.renamed(number, new)).names.get(topic)
        told.print(
            f"Topic {topic} has its automatic label again"
            if name is None
            else f"Topic {topic} is now called {visible(name)}",
            soft_wrap=True,
        )
    else:
        output(run.quiet).print(_shown(directory, labels, topic, run))
    if labels.foreign:
        fate = "are forgotten" if reset or text else "do not count"
        told.print(
            f"labels of another model, which was in {visible(str(directory))} before, {fate}",
            style="dim",
            soft_wrap=True,
        )


def _forget(directory: Path, topic: int | None, told: Console) -> None:
    from topminer.topics.results.own_labels import update_labels

    update_labels(directory, lambda found: found.cleared() if topic is None else found.renamed(topic, ""))
    whose = (
        "All topics have their automatic labels"
        if topic is None
        else f"Topic {topic} has its automatic label"
    )
    told.print(f"{whose} again")


def _shown(directory: Path, labels: Labels, topic: int | None, run: RunOptions) -> Table:
    """A row for each topic: its number, what it is called, and what it would be called if not renamed."""
    from rich.table import Table
    from rich.text import Text

    from topminer.cli.console import visible
    from topminer.cli.model import loaded
    from topminer.topics.results.kept import keep, read_kept
    from topminer.topics.results.summary import Summary

    if topic is not None:
        labels.check(topic)
    kept = read_kept(directory) or keep(directory, Summary(loaded(directory, run.threads)))
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(justify="right")
    for number, found in enumerate(kept.names):
        if topic not in (None, number):
            continue
        own = labels.names.get(number)
        called = Text(visible(found)) if own is None else Text(visible(own), "bold")
        grid.add_row(
            Text(f"Topic {number}", "dim"), called, Text("" if own is None else visible(found), "dim")
        )
    return grid
