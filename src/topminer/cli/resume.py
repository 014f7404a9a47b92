"""``topminer resume``: go on with a run that was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from topminer.cli.command import spread
from topminer.cli.options import EngineOptions, argument, option
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
    directory: Annotated[Path, argument("The directory of a run that was stopped.", metavar="DIR")],
    run: EngineOptions,
    corpus: Annotated[
        str | None,
        option(
            "The corpus that the run was reading. Needed if the run was started by somebody else, or on "
            "another machine, and was stopped before all of it was read.",
            metavar="CORPUS",
        ),
    ] = None,
) -> None:
    """Go on with a run that was stopped, or died.

    The model will be the one that an undisturbed run gives, byte for byte. A run that was started elsewhere
    visits no file and no cluster that is not named here: --corpus and --ray-address name them again.
    """
    from topminer.cli.session import Session
    from topminer.cli.work import Work
    from topminer.run.checkpoint import Checkpoint, Finished

    try:
        checkpoint = Checkpoint.resume(directory)
    except Finished as done:
        Session(run).say(done)
        return
    with checkpoint:
        if checkpoint.plan["report"]:
            require_drawing()
        Work(checkpoint, directory, run, _places(checkpoint, run, corpus), resumed=True).finish()


def _places(checkpoint: Checkpoint, run: EngineOptions, corpus: str | None) -> Places:
    """Return the places that the rest of a run visits: named now, or recorded at its start."""
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
