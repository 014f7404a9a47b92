"""``topminer phrases``: the phrases of a corpus, before any topic is looked for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from topminer.cli.command import spread
from topminer.cli.options import CorpusArgument, RunOptions, TextOptions
from topminer.cli.phrase_options import PhraseOptions
from topminer.errors import InputError

if TYPE_CHECKING:
    from topminer.cli.phrases_view import TopPhrases
    from topminer.phrases.advice import Advice
    from topminer.phrases.miner import PhraseMiner
    from topminer.phrases.partition import Partition
    from topminer.phrases.sweep import SweepStep
    from topminer.progress import Progress

EXAMPLES = [
    "topminer phrases titles.txt",
    "topminer phrases papers.csv --text-column abstract --by-length --top 15",
    "topminer phrases papers.csv --threshold-sweep",
    "topminer phrases news.jsonl --output phrases.csv --segmented marked.txt",
]
OUTPUTS = (".csv", ".jsonl", ".parquet")
SEGMENTED = (".txt", ".jsonl", ".parquet")
THRESHOLDS = "1,2,3,4,5,6,8,10,15,20"
TOP, TOP_OF_LENGTH = 30, 10


@spread
def phrases(
    corpus: CorpusArgument,
    text: TextOptions,
    mining: PhraseOptions,
    run: RunOptions,
    top: Annotated[
        int | None,
        typer.Option(
            help=f"How many phrases to show. Left out: {TOP}, or {TOP_OF_LENGTH} of each length.",
            metavar="N",
            min=1,
        ),
    ] = None,
    order: Annotated[
        Literal["instances", "support", "evidence", "significance", "quality"],
        typer.Option(
            help="What comes first: most instances, support, evidence, significance or quality.",
            metavar="ORDER",
        ),
    ] = "instances",
    by_length: Annotated[
        bool, typer.Option("--by-length", help="Show the top phrases of each length.", metavar="")
    ] = False,
    threshold_sweep: Annotated[
        bool,
        typer.Option(
            "--threshold-sweep",
            help="Show, instead of the top phrases, what each threshold would give.",
            metavar="",
        ),
    ] = False,
    thresholds: Annotated[
        str | None,
        typer.Option(
            help=f"Thresholds to sweep over, with commas between. Left out: {THRESHOLDS}.", metavar="X,X,…"
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Write every frequent phrase to a .csv, .jsonl or .parquet file.", metavar="FILE"),
    ] = None,
    segmented: Annotated[
        Path | None,
        typer.Option(
            help="Write every document with its phrases marked to a .txt, .jsonl or .parquet file.",
            metavar="FILE",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that exist.", metavar="")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what is shown as one JSON object.", metavar="")
    ] = False,
) -> None:
    """Find the phrases of a corpus.

    Phrases are words that stand together often, and more often than chance would have it. Shown are
    those with most instances in the documents, once these are cut into phrases.
    """
    from topminer.cli import phrases_view
    from topminer.cli.console import messages
    from topminer.cli.console import output as results
    from topminer.cli.model import tell_advice
    from topminer.cli.progress import shown_on

    _check_files(output, segmented, overwrite)
    sweeping = threshold_sweep or thresholds is not None
    steps = _thresholds(THRESHOLDS if thresholds is None else thresholds) if sweeping else []
    miner = mining.miner(run)
    told, console = messages(run.quiet), results(run.quiet)
    with shown_on(told) as progress:
        read = text.read(corpus, run, progress)
        _mine_for(steps, miner, read.n_tokens)
        partition = miner.fit_transform(read, progress=progress)
        shown = _sweep(partition, steps) if steps else top_phrases(miner, partition, order, top, by_length)
        written = list(_write(miner, partition, output, segmented, progress))
    findings = phrases_view.Findings.of(miner, read, shown)
    if as_json:
        console.print(phrases_view.as_json(findings, console.encoding), soft_wrap=True)
    else:
        console.print(phrases_view.drawn(findings, console.width))
    if not steps:
        tell_advice(_advice(miner, partition), told)
    for line in written:
        told.print(line, soft_wrap=True)


def _check_files(output: Path | None, segmented: Path | None, overwrite: bool) -> None:
    from topminer.cli.files import check_target

    if output is not None:
        check_target(output, OUTPUTS, overwrite)
    if segmented is not None:
        check_target(segmented, SEGMENTED, overwrite)
    if output is not None and segmented is not None and output.resolve() == segmented.resolve():
        raise InputError(f"{output}: given for both --output and --segmented; expected two files")


def _thresholds(given: str) -> list[float]:
    """Read the value of ``--thresholds``, from low to high.

    >>> _thresholds("8, 2,4")
    [2.0, 4.0, 8.0]
    """
    try:
        thresholds = sorted({float(number) for number in given.split(",")})
    except ValueError:
        thresholds = []
    if not thresholds or not all(0 <= threshold < math.inf for threshold in thresholds):
        raise InputError(
            f"--thresholds must be numbers from 0 on with commas between, such as 2,4,8, not {given!r}"
        )
    return thresholds


def _mine_for(thresholds: list[float], miner: PhraseMiner, n_tokens: int) -> None:
    """Ask for no more support than the lowest threshold needs, unless the user has said how much."""
    from topminer.phrases.scores import resolve_support

    if thresholds and miner.min_support == "auto":
        lowest = min(*thresholds, miner.significance)
        miner.min_support = resolve_support("auto", n_tokens, lowest)


def _sweep(partition: Partition, thresholds: list[float]) -> list[SweepStep]:
    from topminer.phrases.sweep import threshold_sweep

    return threshold_sweep(partition, thresholds)


def top_phrases(
    miner: PhraseMiner, partition: Partition, order: str, n: int | None, by_length: bool
) -> TopPhrases:
    """Choose the first in ``order``; by instances, only those that have any."""
    from topminer.cli.phrases_view import TopPhrases
    from topminer.phrases.sweep import extent

    table = miner.phrases_
    listed = table.filter(table["instances"] > 0) if order == "instances" else table
    listed = listed.sort(order, descending=True, nulls_last=True, maintain_order=True)
    if by_length:
        first = listed.group_by("length", maintain_order=True).head(min(n or TOP_OF_LENGTH, len(table)))
        chosen = first.select(table.columns).sort("length", maintain_order=True)
    else:
        chosen = listed.head(min(n or TOP, len(table)))
    return TopPhrases(order, by_length, len(table), extent(partition), chosen.to_dicts())


def _advice(miner: PhraseMiner, partition: Partition) -> Advice | None:
    from topminer.phrases.advice import MiningSummary, advice
    from topminer.phrases.sweep import extent

    corpus, found = partition.corpus, extent(partition)
    return advice(
        MiningSummary.of(
            corpus,
            miner,
            n_documents=len(corpus),
            n_tokens=corpus.n_tokens,
            n_phrases=found.n_types,
            n_instances=found.n_instances,
        )
    )


def _write(
    miner: PhraseMiner, partition: Partition, output: Path | None, segmented: Path | None, progress: Progress
) -> Iterator[str]:
    """Write the files that were asked for, and tell of each."""
    from topminer.cli.console import visible
    from topminer.cli.files import reported, write_batches, write_lines, write_table
    from topminer.phrases.document_slices import marked_documents

    if output is not None:
        write_table(miner.phrases_, output)
        yield f"{len(miner.phrases_):,} phrases written to {visible(str(output))}"
    if segmented is not None:
        documents = reported(marked_documents(partition), len(partition), progress)
        if segmented.suffix.lower() == ".txt":
            write_lines(documents, segmented, "marked")
        else:
            write_batches(documents, segmented)
        yield f"{len(partition):,} documents written to {visible(str(segmented))}"
