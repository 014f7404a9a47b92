"""``topminer demo``: a first look that needs no data."""

from __future__ import annotations

from topminer.cli.options import RunOptions, spread

EXAMPLES = ["topminer demo"]
THRESHOLD = 2.0  # the corpus is small
N_TOPICS, N_SWEEPS = 8, 500


@spread
def demo(run: RunOptions) -> None:
    """Try topminer on the language reference that comes with Python.

    The whole method: its paragraphs are read, mined, cut into phrases and modelled. Nothing is downloaded,
    and nothing is written.
    """
    from dataclasses import replace

    from rich.text import Text

    from topminer.cli import corpus_view, phrases_view, topics_view
    from topminer.cli.console import messages, output
    from topminer.cli.drawing import section
    from topminer.cli.phrases import top_phrases
    from topminer.cli.progress import shown_on
    from topminer.demo import paragraphs

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
            "\nNow try a corpus of your own:  ",
            ("topminer run FILE --topics 20 --output DIR", "bold cyan"),
        )
    )
