"""``topminer inspect``: what topminer sees in a corpus, before anything is mined."""

from __future__ import annotations

from typing import Annotated

import typer

from topminer.cli.command import spread
from topminer.cli.options import CorpusArgument, RunOptions, TextOptions

EXAMPLES = [
    "topminer inspect titles.txt",
    "topminer inspect papers.csv --text-column abstract --id-column doi",
    "topminer inspect reden.jsonl.zst --language german --stop-word-policy break",
    "zcat news.jsonl.gz | topminer inspect - --format jsonl --json",
]


@spread
def inspect(
    corpus: CorpusArgument,
    text: TextOptions,
    run: RunOptions,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the facts as one JSON object.", metavar="")
    ] = False,
) -> None:
    """Show what topminer sees in a corpus.

    Documents, words, chunks and scripts, the most frequent words, what was skipped and why, and a few
    documents cut into chunks: a look tells whether the right column was read in the right language.
    """
    from topminer.cli import corpus_view
    from topminer.cli.console import messages, output
    from topminer.cli.progress import shown_on

    with shown_on(messages(run.quiet)) as progress:
        read = text.read(corpus, run, progress)
        from topminer.text.describe import describe

        facts = describe(read)
    console = output(run.quiet)
    if as_json:
        console.print(corpus_view.as_json(facts, console.encoding), soft_wrap=True)
    else:
        console.print(corpus_view.drawn(facts, console.width))
