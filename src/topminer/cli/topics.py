"""``topminer topics``: the topics of a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from topminer.cli.command import spread
from topminer.cli.options import RunOptions

EXAMPLES = [
    "topminer topics titles-model",
    "topminer topics titles-model --words 5 --phrases 20",
    "topminer topics titles-model --order relevance --all",
    "topminer topics titles-model --format markdown > topics.md",
]


@spread
def topics(
    directory: Annotated[Path, typer.Argument(metavar="DIR", show_default=False, help="A model directory.")],
    run: RunOptions,
    format: Annotated[
        Literal["table", "markdown", "csv", "json"],
        typer.Option(help="table, markdown, csv or json.", metavar="FORMAT"),
    ] = "table",
    words: Annotated[int, typer.Option(help="Words to a topic.", metavar="N", min=0)] = 10,
    phrases: Annotated[int, typer.Option(help="Phrases to a topic.", metavar="N", min=0)] = 10,
    order: Annotated[
        Literal["frequency", "kert", "relevance"],
        typer.Option(help="Phrases by frequency, as in the paper, by KERT's score or by relevance."),
    ] = "frequency",
    relevance: Annotated[
        float,
        typer.Option(
            help="1: the most frequent phrases, 0: those found nowhere else.", metavar="X", min=0, max=1
        ),
    ] = 0.6,
    all: Annotated[
        bool,
        typer.Option(
            "--all", help="Show every phrase by itself, also variants and phrases of no topic.", metavar=""
        ),
    ] = False,
    hide_background: Annotated[bool, typer.Option("--hide-background", hidden=True)] = False,
    tie_variants: Annotated[bool, typer.Option("--tie-variants", hidden=True)] = False,
) -> None:
    """Show the topics of a model: their words and their phrases."""
    from topminer.cli import topics_view
    from topminer.cli.console import output

    run.limit_polars()
    from topminer.cli.model import loaded
    from topminer.topics.results.own_labels import Labels
    from topminer.views.topic_tables import as_csv, as_json, as_markdown

    model = loaded(directory, run.threads, documents=False)  # quick, and enough
    tie = False if all else tie_variants or None
    background = True if all else False if hide_background else None
    found = model.topics(words, phrases, order=order, lam=relevance, tie=tie, background=background)
    console, names = output(run.quiet), Labels.read(directory).names
    match format:
        case "table":
            console.print(topics_view.drawn(found, console.width, names))
            return
        case "markdown":
            text = as_markdown(found, names)
        case "csv":
            text = as_csv(found)
        case "json":
            text = as_json(found, console.encoding)
    if not run.quiet:
        sys.stdout.write(text.removesuffix("\n") + "\n")  # Rich would expand tabs
