"""The commands, in the order a newcomer meets them."""

from __future__ import annotations

from inspect import cleandoc
from types import ModuleType
from typing import Annotated, Any

import typer

from topminer import __version__
from topminer.cli import (
    compare,
    demo,
    evaluate,
    explain,
    export,
    infer,
    inspect,
    label,
    phrases,
    report,
    resume,
    run,
    serve,
    topics,
    tune,
    warm,
)
from topminer.cli.command import Command

app = typer.Typer(
    name="topminer",
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="New here? Run [bold]topminer demo[/bold].",
)


def _add(module: ModuleType) -> None:
    """Add the command that is called as its module, with its examples below the help."""
    name = module.__name__.rpartition(".")[2]
    run = getattr(module, name)
    paragraphs = cleandoc(run.__doc__ or "").split("\n\n")
    app.command(
        cls=Command,
        help="\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs),
        epilog="\n".join(["[bold]Examples[/bold]", *(f"[dim]$[/dim] {each}" for each in module.EXAMPLES)]),
    )(run)


for _module in (demo, run, topics, report, serve, label, export, infer, resume, inspect, phrases, explain):
    _add(_module)
for _module in (tune, evaluate, compare, warm):
    _add(_module)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"topminer {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _topminer(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_version, help="Show the version and end.", metavar=""
        ),
    ] = False,
) -> None:
    """Topics described by phrases, from piles of text."""
    if context.invoked_subcommand is None:
        context.get_help()


def command() -> Any:
    """Return the whole command line as one command that can be run."""
    return typer.main.get_command(app)
