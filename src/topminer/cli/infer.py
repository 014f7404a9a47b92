"""``topminer infer``: topics and phrases of new documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from topminer.cli.command import spread
from topminer.cli.options import (
    DirectoryArgument,
    EngineOptions,
    FileOptions,
    OverwriteOption,
    argument,
    option,
)

if TYPE_CHECKING:
    import polars as pl

    from topminer.cli.session import Session
    from topminer.engines.contract import Engine

EXAMPLES = [
    "topminer infer titles-model new-titles.txt --output new-topics.jsonl",
    "topminer infer papers new.csv --text-column abstract --id-column doi --output shares.csv",
    "topminer infer papers new/ --engine ray --ray-address auto --output new-topics.parquet",
]
OUTPUTS = (".jsonl", ".csv", ".parquet")


@spread
def infer(
    directory: DirectoryArgument,
    new: Annotated[str, argument("New documents, in any form of CORPUS.", metavar="NEW")],
    output: Annotated[
        Path, option("The .jsonl, .csv or .parquet file to write.", metavar="FILE", show_default=False)
    ],
    file: FileOptions,
    run: EngineOptions,
    overwrite: OverwriteOption = False,
) -> None:
    """Find the topics of new documents, and of the phrases in them.

    Texts are read and cut as the model's own were, and its topics stay as they are. Of each document the
    share of every topic is written, and its phrases with their places in the text and their topics; in a
    .csv the phrases are JSON. Words that the model does not know are skipped and counted.
    """
    from topminer.cli.files import check_target, write_batches
    from topminer.cli.session import Session

    check_target(output, OUTPUTS, overwrite)
    session = Session(run)
    is_csv = output.suffix.lower() == ".csv"
    with session.progress() as progress:
        from topminer.run.inference import BATCH_BYTES, Inference, stretches_of
        from topminer.run.inference_worker import as_it_is
        from topminer.text.describe import skipped_in
        from topminer.text.reading.reader import Reading

        model = session.model(directory, documents=False)
        reading = Reading(new, **file.reading(), batch_bytes=BATCH_BYTES)
        with _workers(run, session) as (start, n_nodes):
            stretches = None if n_nodes is None else stretches_of(reading, n_nodes)
            inference = Inference(
                model, reading, stretches, shape=_flat if is_csv else as_it_is, folder=output.parent
            )
            write_batches(inference.frames(start, progress), output)
    found = inference.found
    session.written(f"{found.n_documents:,} documents", output)
    session.skipped(skipped_in(found.origin, found.n_without_tokens))
    if found.n_unknown:
        session.say(f"{found.n_unknown:,} words that the model does not know were skipped", "dim")


@contextmanager
def _workers(run: EngineOptions, session: Session) -> Iterator[tuple[Callable[[], Engine], int | None]]:
    """Give what makes an engine, and how many nodes it has; None: all is done in this process."""
    if run.place.get("engine") == "ray":
        with session.cluster(run.ray_address) as cluster:
            yield cluster.engine, cluster.n_nodes
    else:
        from topminer.engines.local import LocalEngine

        yield lambda: LocalEngine(run.threads), None


def _flat(documents: pl.DataFrame) -> pl.DataFrame:
    """Return a column for each topic, and phrases as JSON."""
    import json

    import numpy as np
    import polars as pl

    shares = np.array(documents["topics"].to_list())
    columns = [pl.Series(f"topic_{k}", shares[:, k]) for k in range(shares.shape[1])]
    phrases = [json.dumps(each, ensure_ascii=False) for each in documents["phrases"].to_list()]
    return pl.DataFrame([documents["id"], *columns, pl.Series("phrases", phrases)])
