"""``topminer demo``: a first look that needs no data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from topminer.cli.options import RunOptions, spread

EXAMPLES = ["topminer demo", "topminer demo --report reference.html"]
TITLE = "The language reference of Python"
THRESHOLD = 2.0  # the corpus is small
N_TOPICS, N_SWEEPS = 8, 500


@spread
def demo(
    run: RunOptions,
    report: Annotated[Path, typer.Option(help="The .html file to write the report to.", metavar="FILE")] = (
        Path("topminer-demo.html")
    ),
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

    check_target(report, (".html", ".htm"), overwrite=True)
    with shown_on(messages(run.quiet)) as progress:
        run.limit_polars()
        from topminer.pipeline import ToPMine
        from topminer.text.facts import describe

        model = ToPMine(
            N_TOPICS, significance=THRESHOLD, n_sweeps=N_SWEEPS, random_state=0, n_threads=run.threads
        ).fit(paragraphs(), progress=progress)
        miner, corpus = model.miner_, model.corpus_
        assert miner is not None
        shown = top_phrases(miner, model.partition_, "instances", 10, by_length=False)
        from topminer.views.report import report as page_of

        html = page_of(model, title=TITLE, progress=progress)
        with replacing(report) as unfinished:
            unfinished.write_text(html, encoding="utf-8")
        facts = replace(describe(corpus), name="The language reference that comes with Python, by paragraphs")
    console = output(run.quiet)
    console.print(corpus_view.drawn(facts, console.width))
    findings = replace(phrases_view.Findings.of(miner, corpus, shown), name="Its phrases")
    console.print()
    console.print(phrases_view.drawn(findings, console.width))  # ends with a blank line
    for part in section("Its topics", topics_view.drawn(model.topics(8, 8), console.width - 2)):
        console.print(part)
    console.print(
        Text.assemble(
            "\nSee all of it in a browser:     ",
            (str(report), "bold cyan"),
            "\nThen try a corpus of your own:  ",
            ("topminer run FILE --topics 20 --output DIR", "bold cyan"),
        )
    )
