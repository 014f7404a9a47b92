"""``topminer resume``: go on with a run that was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topminer.cli.options import EngineOptions, spread

if TYPE_CHECKING:
    from topminer.checkpoint import Checkpoint

EXAMPLES = [
    "topminer resume titles-model",
    "topminer resume /shared/pages-model --engine ray --ray-address auto",
]


@spread
def resume(
    directory: Annotated[
        Path,
        typer.Argument(metavar="DIR", show_default=False, help="The directory of a run that was stopped."),
    ],
    run: EngineOptions,
) -> None:
    """Go on with a run that was stopped, or died.

    The model will be the one that an undisturbed run gives, byte for byte.
    """
    from topminer.checkpoint import Checkpoint, Finished
    from topminer.cli.console import messages

    try:
        checkpoint = Checkpoint.resume(directory)
    except Finished as done:
        messages(run.quiet).print(str(done), soft_wrap=True)
        return
    with checkpoint:
        finished(checkpoint, directory, run, resumed=True)


def finished(checkpoint: Checkpoint, directory: Path, run: EngineOptions, resumed: bool = False) -> None:
    """Do what is left of a run, and show what it found."""
    from topminer.cli import topics_view
    from topminer.cli.console import messages, output, visible
    from topminer.cli.model import loaded
    from topminer.cli.progress import shown_on
    from topminer.cli.report import NAME, write_report
    from topminer.cli.work import work_on

    run.limit_polars()
    told, console = messages(run.quiet), output(run.quiet)
    work = work_on(checkpoint, directory, run, told, resumed)
    try:
        with shown_on(told) as progress:
            model = work.done(progress)
    except KeyboardInterrupt:
        work.interrupted()
        raise
    told.print(f"Model written to {visible(str(directory))}", soft_wrap=True)
    if model is None:
        return
    if work.plan["report"]:
        with shown_on(told) as progress:
            # A model that keeps no texts shows none.
            stored = model if work.plan["keep_texts"] else loaded(directory, run.threads)
            write_report(stored, directory, directory / NAME, None, progress)
    console.print(topics_view.drawn(model.topics(), console.width))
    if work.plan["report"]:
        told.print(f"Report: {visible(str(directory / NAME))}", soft_wrap=True)
