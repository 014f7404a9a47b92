"""``topminer infer``: topics and phrases of new documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topminer.cli.options import FileOptions, RunOptions, spread

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = [
    "topminer infer titles-model new-titles.txt --output new-topics.jsonl",
    "topminer infer papers new.csv --text-column abstract --id-column doi --output shares.csv",
]
OUTPUTS = (".jsonl", ".csv", ".parquet")


@spread
def infer(
    directory: Annotated[Path, typer.Argument(metavar="DIR", show_default=False, help="A model directory.")],
    new: Annotated[
        str, typer.Argument(metavar="NEW", show_default=False, help="New documents, in any form of CORPUS.")
    ],
    output: Annotated[
        Path,
        typer.Option(help="The .jsonl, .csv or .parquet file to write.", metavar="FILE", show_default=False),
    ],
    file: FileOptions,
    run: RunOptions,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a file that exists.", metavar="")
    ] = False,
) -> None:
    """Find the topics of new documents, and of the phrases in them.

    Texts are read and cut as the model's own were, and its topics stay as they are. Of each document the
    share of every topic is written, and its phrases with their places in the text and their topics; in a
    .csv the phrases are JSON. Words that the model does not know are skipped and counted.
    """
    from topminer.cli.console import messages, visible
    from topminer.cli.files import check_target, reported, write_batches, write_csv
    from topminer.cli.model import loaded, tell_skipped
    from topminer.cli.progress import shown_on

    check_target(output, OUTPUTS, overwrite)
    run.limit_polars()
    told = messages(run.quiet)
    with shown_on(told) as progress:
        from topminer.text.corpus import Corpus

        model = loaded(directory, run.threads)
        rules = model.corpus_.rules.to_json()
        read = Corpus.read(new, **file.reading(), **rules, n_threads=run.threads, progress=progress)
        partition, inferred = model.infer(read, progress=progress)
        from topminer.topics.documents import documents_with_topics

        documents = reported(documents_with_topics(partition, inferred), len(partition), progress)
        if output.suffix.lower() == ".csv":
            write_csv(map(_flat, documents), output)
        else:
            write_batches(documents, output)
    told.print(f"{len(partition):,} documents written to {visible(str(output))}", soft_wrap=True)
    tell_skipped(read, told)
    if inferred.n_skipped:
        told.print(f"{inferred.n_skipped:,} words that the model does not know were skipped", style="dim")


def _flat(documents: pl.DataFrame) -> pl.DataFrame:
    """A column for each topic, and phrases as JSON."""
    import json

    import numpy as np
    import polars as pl

    shares = np.array(documents["topics"].to_list())
    columns = [pl.Series(f"topic_{k}", shares[:, k]) for k in range(shares.shape[1])]
    phrases = [json.dumps(each, ensure_ascii=False) for each in documents["phrases"].to_list()]
    return pl.DataFrame([documents["id"], *columns, pl.Series("phrases", phrases)])
