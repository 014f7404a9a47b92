"""``topminer evaluate``: how good a model is, and what people say of it or of a comparison."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from topminer._parameters import MOST_SEEDS
from topminer.cli.command import spread
from topminer.cli.compare import DATA, SHEETS, GoldOption, KeyphrasesOption, WindowOption
from topminer.cli.options import RunOptions
from topminer.errors import InputError

if TYPE_CHECKING:
    from topminer.pipeline import ToPMine
    from topminer.text.corpus import Corpus

EXAMPLES = [
    "topminer evaluate titles-model",
    "topminer evaluate titles-model --gold terms.txt --no-perplexity",
    "topminer evaluate titles-model --sheets for-anna-and-ben",
    "topminer evaluate compared --answers anna.csv --answers ben.csv --ratings anna-ratings.csv",
]
NAME = "evaluation.json"


@spread
def evaluate(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", show_default=False, help="A model directory, or one that topminer compare wrote."
        ),
    ],
    run: RunOptions,
    gold: GoldOption = None,
    keyphrases: KeyphrasesOption = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            help="The file that the model's documents were read from. Needed with --keyphrases if the model "
            "was made by somebody else, or on another machine.",
            metavar="CORPUS",
        ),
    ] = None,
    window: WindowOption = None,
    reference: Annotated[
        Path | None,
        typer.Option(help="Count which words occur together in these texts instead.", metavar="CORPUS"),
    ] = None,
    perplexity: Annotated[
        bool, typer.Option("--perplexity/--no-perplexity", help="Measure perplexity on held-out documents.")
    ] = True,
    seeds: Annotated[
        int,
        typer.Option(
            help="Models with other seeds, to see how stable topics are.", metavar="N", min=0, max=MOST_SEEDS
        ),
    ] = 2,
    sweeps: Annotated[
        int,
        typer.Option(help="Sweeps of these models, and of those of held-out perplexity.", metavar="N", min=1),
    ] = 200,
    seed: Annotated[int, typer.Option(help="Of questions and further models.", metavar="N", min=0)] = 0,
    sheets: Annotated[
        Path | None,
        typer.Option(
            help="Write questions for people into this folder; --answers and --ratings find their key there.",
            metavar="FOLDER",
        ),
    ] = None,
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            help="A person's answers to the questions of intrusion. May be repeated.", metavar="FILE"
        ),
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(help="An expert's ratings of the topics. May be repeated.", metavar="FILE"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help=f"The .json file to write. Left out: {NAME} in DIR.", metavar="FILE"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the measures as one JSON object.", metavar="")
    ] = False,
) -> None:
    """Measure how good a model is.

    Coherence, diversity, intruders, phrase quality, perplexity and stability. People can judge too: --sheets
    writes forms and sheets with the paper's questions and lists to be rated; --answers and --ratings score
    what they filled in, for a model or for a comparison.
    """
    if answers or ratings:
        _judged(directory, sheets, answers or [], ratings or [], run, as_json)
        return
    if (directory / DATA).exists():
        raise InputError(
            f"{directory}: holds a comparison, which is measured already; give --answers or --ratings"
        )
    target = output or directory / NAME
    if output is not None and output.suffix.lower() != ".json":
        raise InputError(f"{output}: expected a name that ends with .json")
    from topminer.cli import evaluate_view
    from topminer.cli.session import Session

    session = Session(run)
    console = session.output
    with session.progress() as progress:
        model = session.model(directory)
        if sheets is not None:
            _write_sheets(model, sheets, seed)
            session.say(f"Forms and sheets written to {sheets}; keep the keys")
            return
        from topminer import store
        from topminer.cli.compare import read_golds, read_keyphrases
        from topminer.evaluation.evaluated import evaluated

        found = evaluated(
            model.lda_,
            model.partition_,
            window=window,
            golds=read_golds(gold, model.corpus_, session),
            keyphrases=read_keyphrases(
                keyphrases, _source(directory, keyphrases, corpus), model.corpus_, session
            ),
            reference=None if reference is None else _reference(model, reference, run),
            n_sweeps=sweeps,
            n_seeds=seeds,
            perplexity=perplexity,
            seed=seed,
            progress=progress,
        )
        store.write_json(target, found)
    if as_json:
        import json

        console.print(json.dumps(found, ensure_ascii=not console.encoding.startswith("utf")), soft_wrap=True)
    else:
        console.print(evaluate_view.drawn(found, console.width))
    session.say(f"Written to {target}")


def _source(directory: Path, keyphrases: str | None, corpus: str | None) -> str:
    """The file that the model's documents were read from, if that is needed: their keyphrases are there.

    A model does not decide which file is opened: it is named here, or was recorded when this user made the
    model.
    """
    from topminer import store
    from topminer.pipeline import RUN
    from topminer.run.places import recall

    source = corpus or recall(store.read_json(directory / RUN).get("id")).corpus
    if keyphrases is not None and (source is None or not Path(source).exists()):
        found = "name it with --corpus FILE" if source is None else f"it is not there: {source}"
        raise InputError(f"--keyphrases reads the model's corpus again; {found}")
    return str(source)


def _reference(model: ToPMine, path: Path, run: RunOptions) -> Corpus:
    """Another corpus, read by the rules of the model's own."""
    from topminer.text.corpus import Corpus

    rules = asdict(model.corpus_.rules)
    return Corpus.read(path, **rules, keep_texts=False, n_threads=run.threads)


def _write_sheets(model: ToPMine, folder: Path, seed: int) -> None:
    from topminer.cli.sheets import write_sheets
    from topminer.evaluation.evaluated import NAME as METHOD
    from topminer.evaluation.intrusion import questions
    from topminer.evaluation.sheets import KEY
    from topminer.methods.topmine import topics_of

    if (folder / KEY).exists():
        raise InputError(f"{folder}: holds questions already, and maybe answers; expected another folder")
    topics = [topic.phrases or topic.words for topic in topics_of(model.lda_, model.partition_)]
    write_sheets(folder, {METHOD: topics}, questions({METHOD: topics}, seed=seed), seed)


def _judged(
    directory: Path,
    sheets: Path | None,
    answers: list[Path],
    ratings: list[Path],
    run: RunOptions,
    as_json: bool,
) -> None:
    """Score what people filled in; that of a comparison is written into its page."""
    from topminer.cli import evaluate_view
    from topminer.cli.sheets import scored

    comparison = (directory / DATA).exists()
    folder = sheets or (directory / SHEETS if comparison else None)
    if folder is None:
        raise InputError("--sheets must name the folder the questions were written to: their key is there")
    people = scored(folder, answers, ratings)
    if comparison:
        from topminer import store
        from topminer.cli.compare import write

        data = store.read_json(directory / DATA)
        if "methods" not in data:
            raise InputError(f"{directory / DATA}: damaged: expected what topminer compare writes")
        write(directory, {**data, "people": people})
    from topminer.cli.session import Session

    console = Session(run).output
    if as_json:
        import json

        console.print(json.dumps(people), soft_wrap=True)
    else:
        console.print(evaluate_view.judged(people))
