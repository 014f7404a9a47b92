"""The model directory that a command is given, and the documents beside it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from topminer.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from topminer.phrases.advice import Advice
    from topminer.pipeline import ToPMine
    from topminer.text.corpus import Corpus


def is_model(directory: Path) -> bool:
    """Whether a run wrote, or is to write, a model here."""
    from topminer.run.checkpoint import has_run

    return (directory / "model.json").exists() or has_run(directory)


def loaded(directory: Path, threads: int | None, *, documents: bool = True) -> ToPMine:
    """Load the model, with its documents or without, or say how to come by it."""
    from topminer.loading import load

    _check_done(directory)
    return load(directory, documents=documents, n_threads=threads)


def loaded_to_explain(directory: Path, threads: int | None) -> ToPMine:
    """Load what explaining a text needs of a model."""
    from topminer.loading import load_to_explain

    _check_done(directory)
    return load_to_explain(directory, threads)


def _check_done(directory: Path) -> None:
    """Raise InputError if the run that makes the model is not done."""
    from topminer.run.checkpoint import has_run

    if has_run(directory) and not (directory / "model.json").exists():
        raise InputError(
            f"{directory}: no model yet, the run is not done: `topminer resume {directory}` goes on with it"
        )


def tell_skipped(corpus: Corpus, told: Console) -> None:
    """Say what was left out of a corpus on the way."""
    from topminer.text.describe import skipped

    tell_rows(skipped(corpus), told)


def tell_advice(advice: Advice | None, told: Console) -> None:
    """Say why there are hardly any phrases, and what to try."""
    if advice is not None:
        told.print(f"Warning: {advice.text(as_options=True)}", style="yellow", soft_wrap=True)


def tell_rows(skipped: Iterable[tuple[str, int, str]], told: Console) -> None:
    """Say what was left out: what it is, how often, and what became of it."""
    from topminer.cli.console import visible

    for what, count, where in skipped:
        told.print(f"{visible(what)}: {count:,} ({visible(where)})", style="dim", soft_wrap=True)
