"""``topminer demo``: a first look that needs no data."""

from __future__ import annotations

import shlex
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topminer.cli.command import spread
from topminer.cli.options import RunOptions
from topminer.errors import InputError
from topminer.memory import require_drawing

if TYPE_CHECKING:
    from topminer.pipeline import ToPMine

EXAMPLES = ["topminer demo", "topminer demo --report reference.html", "topminer demo --keep demo"]
TITLE = "The language reference of Python"
N_TOPICS, N_SWEEPS = 8, 500
CORPUS, MODEL, REPORT = "reference.txt", "model", "report.html"  # what --keep leaves behind


@spread
def demo(
    run: RunOptions,
    report: Annotated[
        Path | None,
        typer.Option(
            help=f"The .html file to write the report to. Left out: topminer-demo.html, or {REPORT} in the "
            "folder of --keep.",
            metavar="FILE",
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            help=f"A folder to leave the texts in, as {CORPUS}, and the model, as {MODEL}.", metavar="DIR"
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what an earlier demo left there.", metavar="")
    ] = False,
) -> None:
    """Try topminer on the language reference that comes with Python.

    The whole method: its paragraphs are read, mined, cut into phrases and modelled, and the topics are shown
    here and in a report for the browser. Nothing is downloaded.
    """
    from dataclasses import replace

    from rich.text import Text

    from topminer.cli import corpus_view, phrases_view, topics_view
    from topminer.cli.console import messages, output
    from topminer.cli.drawing import section
    from topminer.cli.files import check_target, replacing
    from topminer.cli.phrases import top_phrases
    from topminer.cli.progress import shown_on
    from topminer.demo import paragraphs

    _check(keep, overwrite)
    page = report or (keep / REPORT if keep else Path("topminer-demo.html"))
    check_target(page, (".html", ".htm"), overwrite=True)
    require_drawing()
    told = messages(run.quiet)
    with shown_on(told) as progress:
        run.limit_polars()
        from topminer.pipeline import ToPMine
        from topminer.text.describe import describe

        model = ToPMine(N_TOPICS, n_sweeps=N_SWEEPS, random_state=0, n_threads=run.threads)
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always", UserWarning)
            model.fit(paragraphs(), progress=progress)
        if keep is not None:
            _leave(keep, model)
        miner, corpus = model.miner_, model.corpus_
        assert miner is not None
        shown = top_phrases(miner, model.partition_, "instances", 10, by_length=False)
        from topminer.views.report import report as page_of

        html = page_of(model, title=TITLE, progress=progress)
        with replacing(page) as unfinished:
            unfinished.write_text(html, encoding="utf-8")
        facts = replace(describe(corpus), name="The language reference that comes with Python, by paragraphs")
    for doubt in doubts:
        told.print(f"Warning: {doubt.message}", style="yellow", soft_wrap=True)
    console = output(run.quiet)
    console.print(corpus_view.drawn(facts, console.width))
    findings = replace(phrases_view.Findings.of(miner, corpus, shown), name="Its phrases")
    console.print()
    console.print(phrases_view.drawn(findings, console.width))  # ends with a blank line
    for part in section("Its topics", topics_view.drawn(model.topics(8, 8), console.width - 2)):
        console.print(part)
    explore = f"topminer serve {shlex.quote(str(keep / MODEL))} --open" if keep else None
    console.print(
        Text.assemble(
            "\nSee all of it in a browser:     ",
            (str(page), "bold cyan"),
            *(("\nSee every document of it:       ", (explore, "bold cyan")) if explore else ()),
            "\nThen try a corpus of your own:  ",
            ("topminer run FILE --topics 20 --output DIR", "bold cyan"),
        )
    )


def _check(keep: Path | None, overwrite: bool) -> None:
    """Refuse a folder that holds such things already; make one that is missing."""
    if keep is None:
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{keep}: cannot be made: {error.strerror}") from None
    for path in (keep / CORPUS, keep / MODEL):
        if path.exists() and not overwrite:
            raise InputError(f"{path}: exists already; --overwrite replaces it")


def _leave(folder: Path, model: ToPMine) -> None:
    """Write the corpus, a document a line, and the model."""
    from topminer.cli.files import replacing
    from topminer.demo import paragraphs

    with replacing(folder / CORPUS) as unfinished:
        unfinished.write_text("".join(f"{text}\n" for text in paragraphs()), encoding="utf-8")
    model.save(folder / MODEL, overwrite=True)
