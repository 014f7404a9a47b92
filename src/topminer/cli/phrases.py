"""``topminer phrases``: the phrases of a corpus, before any topic is looked for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from topminer.cli.command import spread
from topminer.cli.options import (
    CorpusArgument,
    OverwriteOption,
    ResultOptions,
    RunOptions,
    TextOptions,
    flag,
    number,
    option,
)
from topminer.cli.phrase_options import PhraseOptions
from topminer.errors import InputError

if TYPE_CHECKING:
    from topminer.phrases.advice import Advice
    from topminer.phrases.miner import PhraseMiner
    from topminer.phrases.partition import Partition
    from topminer.phrases.sweep import SweepStep
    from topminer.progress import Progress

EXAMPLES = [
    "topminer phrases titles.txt",
    "topminer phrases papers.csv --text-column abstract --by-length --n-phrases 15",
    "topminer phrases papers.csv --thresholds 2,4,8",
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
    result: ResultOptions,
    n_phrases: Annotated[
        int | None,
        number(f"How many phrases to show. Left out: {TOP}, or {TOP_OF_LENGTH} of each length.", min=1),
    ] = None,
    order: Annotated[
        Literal["instances", "support", "evidence", "significance", "quality"],
        option(
            "What comes first: most instances, support, evidence, significance or quality.", metavar="ORDER"
        ),
    ] = "instances",
    by_length: Annotated[bool, flag("Show the top phrases of each length.", "--by-length")] = False,
    thresholds: Annotated[
        str | None,
        option(
            "Show, instead of the top phrases, what each of these thresholds would give; "
            f"auto: {THRESHOLDS}.",
            metavar="X,X,…|auto",
        ),
    ] = None,
    threshold_sweep: Annotated[
        bool, option("An earlier name of --thresholds auto.", "--threshold-sweep", hidden=True)
    ] = False,
    output: Annotated[
        Path | None, option("Write every frequent phrase to a .csv, .jsonl or .parquet file.", metavar="FILE")
    ] = None,
    segmented: Annotated[
        Path | None,
        option(
            "Write every document with its phrases marked to a .txt, .jsonl or .parquet file.", metavar="FILE"
        ),
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Find the phrases of a corpus.

    Phrases are words that stand together often, and more often than chance would have it. Shown are
    those with most instances in the documents, once these are cut into phrases.
    """
    from topminer.cli.findings import Findings, TopPhrases
    from topminer.cli.session import Session

    _check_files(output, segmented, overwrite)
    asked = "auto" if threshold_sweep and thresholds is None else thresholds
    steps = [] if asked is None else _thresholds(THRESHOLDS if asked == "auto" else asked)
    miner = mining.miner(run)
    session = Session(run)
    with session.progress() as progress:
        read = text.read(corpus, run, progress, paper=mining.paper)
        _mine_for(steps, miner, read.n_tokens)
        partition = miner.fit_transform(read, progress=progress)
        shown: TopPhrases | list[SweepStep]
        if steps:
            from topminer.phrases.sweep import threshold_sweep as sweep

            shown = sweep(partition, steps)
        else:
            n = n_phrases or (TOP_OF_LENGTH if by_length else TOP)
            shown = TopPhrases.of(miner, partition, order, n, by_length)
        written = list(_write(miner, partition, output, segmented, progress))
    session.show(Findings.of(miner, read, shown), result.format)
    if not steps:
        session.warn(_advice(miner, partition))
    for what, path in written:
        session.written(what, path)


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
) -> Iterator[tuple[str, Path]]:
    """Write the files that were asked for. Yield what was written, and where."""
    from topminer.cli.files import reported, write_batches, write_lines, write_table
    from topminer.phrases.document_slices import marked_documents

    if output is not None:
        write_table(miner.phrases_, output)
        yield f"{len(miner.phrases_):,} phrases", output
    if segmented is not None:
        documents = reported(marked_documents(partition), len(partition), progress)
        if segmented.suffix.lower() == ".txt":
            write_lines(documents, segmented, "marked")
        else:
            write_batches(documents, segmented)
        yield f"{len(partition):,} documents", segmented
