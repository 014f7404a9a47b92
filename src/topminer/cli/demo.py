"""``topminer demo``: a first look that needs no data."""

from __future__ import annotations

import shlex
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.text import Text

from topminer.cli.command import spread
from topminer.cli.options import OverwriteOption, RunOptions, option
from topminer.errors import InputError
from topminer.memory import require_drawing

if TYPE_CHECKING:
    from rich.console import RenderableType

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
        option(
            f"The .html file to write the report to. Left out: topminer-demo.html, or {REPORT} in the "
            "folder of --keep.",
            metavar="FILE",
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        option(f"A folder to leave the texts in, as {CORPUS}, and the model, as {MODEL}.", metavar="DIR"),
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Try topminer on the language reference that comes with Python.

    The whole method: its paragraphs are read, mined, cut into phrases and modelled, and the topics are shown
    here and in a report for the browser. Nothing is downloaded.
    """
    from topminer.cli.files import check_target, write_file
    from topminer.cli.session import Session
    from topminer.demo import paragraphs
    from topminer.warming.jobs import jobs_of_run

    _check(keep, overwrite)
    page = report or (keep / REPORT if keep else Path("topminer-demo.html"))
    check_target(page, (".html", ".htm"), overwrite=True)
    require_drawing()
    session = Session(run)
    with session.progress(jobs_of_run(N_TOPICS)) as progress:
        from topminer.pipeline import ToPMine
        from topminer.views.report_page import report as page_of

        model = ToPMine(N_TOPICS, n_sweeps=N_SWEEPS, random_state=0, n_threads=run.threads)
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always", UserWarning)
            model.fit(paragraphs(), progress=progress)
        if keep is not None:
            _leave(keep, model)
        write_file(page, page_of(model, title=TITLE, progress=progress))
    for doubt in doubts:
        session.say(f"Warning: {doubt.message}", "yellow")
    session.show_page(lambda width: _page(width, model, page, keep))


def _page(width: int | None, model: ToPMine, report: Path, kept: Path | None) -> RenderableType:
    """Return the corpus, its phrases and its topics one below the other, and what to try next."""
    from topminer.cli.findings import Findings, TopPhrases
    from topminer.cli.inspect import Inspection
    from topminer.cli.render import page, section
    from topminer.cli.topics import TopicLists
    from topminer.text.describe import describe

    miner, corpus = model.miner_, model.corpus_
    assert miner is not None
    facts = replace(describe(corpus), name="The language reference that comes with Python, by paragraphs")
    phrases = Findings.of(miner, corpus, TopPhrases.of(miner, model.partition_, "instances", 10))
    topics = TopicLists(model.topics(8, 8))
    next_steps = [("See all of it in a browser", str(report))]
    if kept is not None:
        explore = f"topminer serve {shlex.quote(str(kept / MODEL))} --open"
        next_steps.append(("See every document of it", explore))
    next_steps.append(("Then try a corpus of your own", "topminer run FILE --topics 20 --output DIR"))
    return page(
        Inspection(facts).page(width),
        "",
        replace(phrases, name="Its phrases").page(width),
        section("Its topics", topics.page(width and width - 2)),
        "",
        *(Text.assemble(f"{what + ':':<32}", (step, "bold cyan")) for what, step in next_steps),
    )


def _check(keep: Path | None, overwrite: bool) -> None:
    """Refuse a folder that holds such things already; make one that is missing."""
    from topminer.cli.files import make_folder

    if keep is None:
        return
    make_folder(keep)
    for path in (keep / CORPUS, keep / MODEL):
        if path.exists() and not overwrite:
            raise InputError(f"{path}: exists already; --overwrite replaces it")


def _leave(folder: Path, model: ToPMine) -> None:
    """Write the corpus, a document a line, and the model."""
    from topminer.cli.files import write_file
    from topminer.demo import paragraphs

    write_file(folder / CORPUS, "".join(f"{text}\n" for text in paragraphs()))
    model.save(folder / MODEL, overwrite=True)
