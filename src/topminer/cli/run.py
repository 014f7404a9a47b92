"""``topminer run``: a corpus in, a model directory out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from topminer.cli.command import spread
from topminer.cli.options import (
    CorpusArgument,
    EngineOptions,
    FileOptions,
    OverwriteOption,
    TextOptions,
    TopicOptions,
    option,
)
from topminer.cli.phrase_options import PhraseOptions
from topminer.memory import require_drawing

EXAMPLES = [
    "topminer run titles.txt --topics 5 --output titles-model",
    "topminer run notes.txt --topics auto --output notes-model",
    "topminer run papers.csv --text-column abstract --topics 50 --output papers --seed 7",
    "topminer run tickets.jsonl.zst --topics 30 --sweeps 500 --output tickets --no-texts",
    "topminer run reviews.txt --topics 20 --output words-only --no-phrases",
    "topminer run /shared/pages --topics 200 --output /shared/pages-model --engine ray --ray-address auto",
]


@spread
def run(
    corpus: CorpusArgument,
    output: Annotated[
        Path, option("The directory to write the model to.", metavar="DIR", show_default=False)
    ],
    modelling: TopicOptions,
    text: TextOptions,
    mining: PhraseOptions,
    run: EngineOptions,
    phrases: Annotated[
        bool, option("Model phrases; without, single words (LDA).", "--phrases/--no-phrases")
    ] = True,
    texts: Annotated[bool, option("Keep the documents' texts in the model.", "--texts/--no-texts")] = True,
    report: Annotated[bool, option("Write DIR/report.html beside the model.", "--report/--no-report")] = True,
    checkpoint_every: Annotated[
        float, option("Seconds between states kept for topminer resume.", metavar="SECONDS", min=0)
    ] = 30.0,
    overwrite: OverwriteOption = False,
) -> None:
    """Find the topics of a corpus, described by words and phrases.

    Reads the corpus, mines its phrases, cuts the documents into them, samples topics and writes a model
    directory, with a report in it. A run that is stopped goes on with topminer resume.
    """
    if report:
        require_drawing("raise the limit, or leave the report out (--no-report)")
    from topminer.cli.work import Work
    from topminer.run.checkpoint import Checkpoint
    from topminer.run.places import Places, forget, remember
    from topminer.text.reading.reader import Reading

    places = Places(corpus if corpus == "-" else str(Path(corpus).absolute()), run.ray_address)
    plan: dict[str, Any] = {
        "corpus": Path(corpus).name,
        "reading": text.reading(paper=mining.paper),
        "filters": text.filters(is_on_cluster=run.place.get("engine") == "ray"),
        "model": {
            **mining.settings(),
            **modelling.settings(paper=mining.paper, is_on_cluster=run.place.get("engine") == "ray"),
            "phrases": phrases,
        },
        "keep_texts": texts,
        "report": report,
        "checkpoint_every": checkpoint_every,
        "engine": run.place.get("engine", "local"),
        "elsewhere": run.ray_address is not None,
    }
    if corpus != "-":  # check the file before --overwrite removes the earlier run
        Reading(corpus, **FileOptions.reading(text))
    plan["id"] = remember(places)
    try:
        checkpoint = Checkpoint.begin(output, plan, overwrite=overwrite)
    except BaseException:
        forget(plan["id"])
        raise
    with checkpoint:
        Work(checkpoint, output, run, places).finish()
