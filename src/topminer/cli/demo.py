"""``topminer demo``: a first look that needs no data."""

from __future__ import annotations

from topminer.cli.options import RunOptions, spread

EXAMPLES = ["topminer demo"]
THRESHOLD = 2.0  # the corpus is small


@spread
def demo(run: RunOptions) -> None:
    """Try topminer on the language reference that comes with Python.

    Nothing is downloaded, and nothing is written.
    """
    from dataclasses import replace

    from rich.text import Text

    from topminer.cli import corpus_view, phrases_view
    from topminer.cli.console import messages, output
    from topminer.cli.phrases import top_phrases
    from topminer.cli.progress import shown_on
    from topminer.demo import paragraphs

    with shown_on(messages(run.quiet)) as progress:
        run.limit_polars()
        from topminer.phrases.miner import PhraseMiner
        from topminer.text.corpus import Corpus
        from topminer.text.facts import describe

        corpus = Corpus.from_texts(paragraphs(), n_threads=run.threads, progress=progress)
        miner = PhraseMiner(significance=THRESHOLD, n_threads=run.threads)
        partition = miner.fit_transform(corpus, progress=progress)
        shown = top_phrases(miner, partition, "instances", 10, by_length=True)
        facts = replace(describe(corpus), name="The language reference that comes with Python, by paragraphs")
    console = output(run.quiet)
    console.print(corpus_view.drawn(facts, console.width))
    findings = replace(phrases_view.Findings.of(miner, corpus, shown), name="Its phrases")
    console.print()
    console.print(phrases_view.drawn(findings, console.width))
    console.print(
        Text.assemble(
            "\nNow try a corpus of your own:  ",
            ("topminer phrases FILE", "bold cyan"),
            "  or  ",
            ("topminer inspect FILE", "bold cyan"),
        )
    )
