"""The commands, in the order a newcomer meets them."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any

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
)
from topminer.cli.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable

app = typer.Typer(
    name="topminer",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="New here? Run [bold]topminer demo[/bold].",
)


def _add(run: Callable[..., None], *examples: str) -> None:
    paragraphs = cleandoc(run.__doc__ or "").split("\n\n")
    app.command(
        cls=Command,
        help="\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs),
        epilog="\n".join(["[bold]Examples[/bold]", *(f"[dim]$[/dim] {example}" for example in examples)]),
    )(run)


_add(demo.demo, *demo.EXAMPLES)
_add(run.run, *run.EXAMPLES)
_add(topics.topics, *topics.EXAMPLES)
_add(report.report, *report.EXAMPLES)
_add(serve.serve, *serve.EXAMPLES)
_add(label.label, *label.EXAMPLES)
_add(export.export, *export.EXAMPLES)
_add(infer.infer, *infer.EXAMPLES)
_add(resume.resume, *resume.EXAMPLES)
_add(inspect.inspect, *inspect.EXAMPLES)
_add(phrases.phrases, *phrases.EXAMPLES)
_add(explain.explain, *explain.EXAMPLES)
_add(tune.tune, *tune.EXAMPLES)
_add(evaluate.evaluate, *evaluate.EXAMPLES)
_add(compare.compare, *compare.EXAMPLES)


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
