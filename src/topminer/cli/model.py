"""The model directory that a command is given, and the documents beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from topminer.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from topminer.pipeline import ToPMine
    from topminer.text.corpus import Corpus


def is_model(directory: Path) -> bool:
    """Whether a run wrote, or is to write, a model here."""
    from topminer.checkpoint import has_run

    return (directory / "model.json").exists() or has_run(directory)


def loaded(directory: Path, threads: int | None) -> ToPMine:
    """Load the model, or say how to come by it."""
    from topminer.checkpoint import has_run
    from topminer.pipeline import load

    if has_run(directory) and not (directory / "model.json").exists():
        raise InputError(
            f"{directory}: no model yet, the run is not done: `topminer resume {directory}` goes on with it"
        )
    return load(directory, n_threads=threads)


def tell_skipped(corpus: Corpus, told: Console) -> None:
    """Say what was left out of a corpus on the way."""
    from topminer.cli.console import visible
    from topminer.text.facts import skipped

    for what, count, where in skipped(corpus):
        told.print(f"{what}: {count:,} ({visible(where)})", style="dim", soft_wrap=True)
