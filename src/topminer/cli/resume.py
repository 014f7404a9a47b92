"""``topminer resume``: go on with a run that was stopped."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topminer.cli.command import spread
from topminer.cli.options import EngineOptions
from topminer.errors import InputError
from topminer.memory import require_drawing

if TYPE_CHECKING:
    from topminer.run.checkpoint import Checkpoint
    from topminer.run.places import Places

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
    corpus: Annotated[
        str | None,
        typer.Option(
            help="The corpus that the run was reading. Needed if the run was started by somebody else, or on "
            "another machine, and was stopped before all of it was read.",
            metavar="CORPUS",
        ),
    ] = None,
) -> None:
    """Go on with a run that was stopped, or died.

    The model will be the one that an undisturbed run gives, byte for byte. A run that was started elsewhere
    visits no file and no cluster that is not named here: --corpus and --ray-address name them again.
    """
    from topminer.cli.console import messages
    from topminer.run.checkpoint import Checkpoint, Finished

    try:
        checkpoint = Checkpoint.resume(directory)
    except Finished as done:
        messages(run.quiet).print(str(done), soft_wrap=True)
        return
    with checkpoint:
        if checkpoint.plan["report"]:
            require_drawing()
        finished(checkpoint, directory, run, _places(checkpoint, run, corpus), resumed=True)


def _places(checkpoint: Checkpoint, run: EngineOptions, corpus: str | None) -> Places:
    """The places that the rest of a run visits: those named now, or recorded when the run was started."""
    from topminer.run.places import Places, recall

    plan, recorded = checkpoint.plan, recall(checkpoint.plan["id"])
    source = str(Path(corpus).absolute()) if corpus else recorded.corpus
    address = run.ray_address or (None if run.engine else recorded.ray_address)
    started_elsewhere = f"{checkpoint.directory}: the run was started elsewhere; name"
    if source is None and plan["corpus"] != "-" and checkpoint.reader("corpus") is None:
        raise InputError(f"{started_elsewhere} its corpus ({plan['corpus']}) again: --corpus FILE")
    if plan["elsewhere"] and address is None and run.engine is None:
        raise InputError(f"{started_elsewhere} its cluster again: --ray-address HOST:PORT, or --engine local")
    return Places(source, address)


def finished(
    checkpoint: Checkpoint, directory: Path, run: EngineOptions, places: Places, resumed: bool = False
) -> None:
    """Do what is left of a run, and show what it found."""
    from topminer.cli import topics_view
    from topminer.cli.console import messages, output, visible
    from topminer.cli.model import loaded
    from topminer.cli.progress import shown_on
    from topminer.cli.report import NAME, write_report
    from topminer.cli.work import Work

    run.limit_polars()
    told, console = messages(run.quiet), output(run.quiet)
    work = Work(checkpoint, directory, run, places, told, resumed)
    try:
        with shown_on(told) as progress:
            model = work.done(progress)
        written = f"Model written to {visible(str(directory))}  ({work.seconds['writing']:.1f} s)"
        told.print(written, soft_wrap=True)
        if model is not None and work.plan["report"]:
            start = time.perf_counter()
            with shown_on(told) as progress:
                # A model that keeps no texts shows none.
                stored = model if work.plan["keep_texts"] else loaded(directory, run.threads)
                write_report(stored, directory, directory / NAME, None, progress)
            work.seconds["report"] = time.perf_counter() - start
        checkpoint.finish()  # only now is nothing left to resume
    except KeyboardInterrupt:
        work.interrupted()
        raise
    if model is None:
        return
    console.print(topics_view.drawn(model.topics(), console.width))
    if work.plan["report"]:
        report = f"Report: {visible(str(directory / NAME))}  ({work.seconds['report']:.1f} s)"
        told.print(report, soft_wrap=True)
