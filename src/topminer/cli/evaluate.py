"""``topminer evaluate``: how good a model is, and what people say of it or of a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from topminer._parameters import MOST_SEEDS
from topminer.cli.command import spread
from topminer.cli.compare import (
    DATA,
    SHEETS,
    GoldOption,
    KeyphrasesOption,
    WindowOption,
    read_golds,
    read_keyphrases,
    write,
    write_forms,
)
from topminer.cli.options import ResultOptions, RunOptions, argument, number, option
from topminer.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from topminer.pipeline import ToPMine
    from topminer.views.tables import Table

EXAMPLES = [
    "topminer evaluate titles-model",
    "topminer evaluate titles-model --gold terms.txt --no-perplexity",
    "topminer evaluate titles-model --output evaluation.json",
    "topminer evaluate titles-model --forms for-anna-and-ben",
    "topminer evaluate compared --answers anna.csv --answers ben.csv --ratings anna-ratings.csv",
]
SHOWN_TOPICS, SHOWN_PHRASES = 30, 3  # on the page of a terminal


@spread
def evaluate(
    directory: Annotated[
        Path, argument("A model directory, or one that topminer compare wrote.", metavar="DIR")
    ],
    run: RunOptions,
    result: ResultOptions,
    gold: GoldOption = None,
    keyphrases: KeyphrasesOption = None,
    corpus: Annotated[
        str | None,
        option(
            "The file that the model's documents were read from. Needed with --keyphrases if the model "
            "was made by somebody else, or on another machine.",
            metavar="CORPUS",
        ),
    ] = None,
    window: WindowOption = None,
    reference: Annotated[
        Path | None, option("Count which words occur together in these texts instead.", metavar="CORPUS")
    ] = None,
    perplexity: Annotated[
        bool, option("Measure perplexity on held-out documents.", "--perplexity/--no-perplexity")
    ] = True,
    repeats: Annotated[
        int,
        number(
            "Fits that are compared to see how stable topics are, this model among them; 1: none.",
            min=1,
            max=MOST_SEEDS,
        ),
    ] = 3,
    seeds: Annotated[
        int | None,
        option("Earlier than --repeats: fits beside this model.", hidden=True, min=0, max=MOST_SEEDS - 1),
    ] = None,
    sweeps: Annotated[
        int, number("Sweeps of these models, and of those of held-out perplexity.", min=1)
    ] = 200,
    seed: Annotated[int, number("Of questions and further models.", min=0)] = 0,
    forms: Annotated[
        Path | None, option("Write forms and sheets with questions for people here.", metavar="FOLDER")
    ] = None,
    key: Annotated[
        Path | None,
        option("The folder that --forms wrote: it has the key to --answers and --ratings.", metavar="FOLDER"),
    ] = None,
    sheets: Annotated[Path | None, option("An earlier name of --forms and --key.", hidden=True)] = None,
    answers: Annotated[
        list[Path] | None,
        option("A person's answers to the questions of intrusion. May be repeated.", metavar="FILE"),
    ] = None,
    ratings: Annotated[
        list[Path] | None, option("An expert's ratings of the topics. May be repeated.", metavar="FILE")
    ] = None,
    output: Annotated[
        Path | None, option("Also write the measures to this .json file.", metavar="FILE")
    ] = None,
) -> None:
    """Measure how good a model is.

    Coherence, diversity, intruders, phrase quality, perplexity and stability. People can judge too: --forms
    writes forms and sheets with the paper's questions and lists to be rated; --answers and --ratings score
    what they filled in, for a model or for a comparison.
    """
    from topminer.cli.session import Session

    session = Session(run)
    if answers or ratings:
        people = _judged(directory, key or sheets, answers or [], ratings or [])
        session.show(Judged(people), result.format)
        return
    if (directory / DATA).exists():
        raise InputError(
            f"{directory}: holds a comparison, which is measured already; give --answers or --ratings"
        )
    if output is not None and output.suffix.lower() != ".json":
        raise InputError(f"{output}: expected a name that ends with .json")
    with session.progress() as progress:
        model = session.model(directory)
        if folder := forms or sheets:
            _write_forms_of(model, folder, seed)
            session.say(f"Forms and sheets written to {folder}; keep the keys")
            return
        from topminer import store
        from topminer.evaluation.evaluate import evaluate as measure
        from topminer.text.corpus import Corpus

        rules = asdict(model.corpus_.rules) | {"keep_texts": False, "n_threads": run.threads}
        found = measure(
            model.lda_,
            model.partition_,
            window=window,
            golds=read_golds(gold, model.corpus_, session),
            keyphrases=read_keyphrases(
                keyphrases, _source(directory, keyphrases, corpus), model.corpus_, session
            ),
            reference=None if reference is None else Corpus.read(reference, **rules),
            n_sweeps=sweeps,
            repeats=repeats if seeds is None else seeds + 1,
            perplexity=perplexity,
            seed=seed,
            progress=progress,
        )
        if output is not None:
            store.write_json(output, found)
    session.show(Evaluated(found), result.format)
    if output is not None:
        session.say(f"Written to {output}")


@dataclass(frozen=True)
class Evaluated:
    """The measures of a model: a row for each topic, and what holds for all."""

    found: Mapping[str, Any]

    def data(self) -> Mapping[str, Any]:
        """Return them for JSON."""
        return self.found

    def tables(self) -> list[Table]:
        """Return a row for each topic, and a row for each other measure."""
        from topminer.evaluation.contract import mean
        from topminer.views.tables import Column, Table

        columns = [
            Column("topic"),
            Column("phrases", ""),
            Column("weight", "share", ".1%"),
            Column("npmi_words", "NPMI words", ".3f"),
            Column("npmi_phrases", "phrases", ".3f", expendable=1),
            Column("cv_words", "C_V words", ".3f", expendable=3),
            Column("cv_phrases", "phrases", ".3f", expendable=2),
            Column("exclusivity", "exclusive", ".2f"),
            Column("documents", "leads", ",d", expendable=4),
            Column("stability", form=".2f"),
            Column("nearest", form="d", expendable=5),
            Column("similarity", "similar", ".2f", expendable=5),
        ]
        topics = self.found["topics"]
        rows = [
            [
                topic["id"],
                ", ".join((topic["phrases"] or topic["words"])[:SHOWN_PHRASES]),
                *(topic[column.name] for column in columns[2:]),
            ]
            for topic in topics
        ]
        means = {
            "weight": 1 / len(topics),
            **self.found["coherence"],
            **{name: mean(topic[name] for topic in topics) for name in ("exclusivity", "similarity")},
            "stability": self.found["stability"],
        }
        rows.append([None, "mean of all topics", *(means.get(column.name) for column in columns[2:])])
        facts = [Column("measure", ""), Column("value", ""), Column("about", "")]
        return [Table(columns, rows), Table(facts, list(self._facts()))]

    def page(self, width: int | None) -> RenderableType:
        """Return both tables, with the first topics."""
        from topminer.cli.render import drawn, page, section

        topics, facts = self.tables()
        topics = replace(topics, rows=[*topics.rows[:-1][:SHOWN_TOPICS], topics.rows[-1]])
        return page(drawn(topics, width, chosen=[len(topics.rows) - 1]), section("", drawn(facts, width)))

    def _facts(self) -> Iterator[tuple[str, str, str]]:
        found = self.found
        yield from _sureness(found)
        for kind, share in found["diversity"].items():
            if share is not None:
                yield f"diversity of {kind}", f"{share:.2f}", "share of distinct ones among all topics' first"
        if asked := found["intrusion"]:
            about = f"by the annotator {asked['annotator']}, not by people"
            yield "intruders found", f"{asked['right']:g} of {asked['asked']}", about
        for each in found["quality"]:
            shares = [f"{share:.0%} of {n}" for n, share in each["precision"].items() if share is not None]
            recall = (
                "" if each["recall"] is None else f"; recall {each['recall']:.0%} of {each['relevant']:,}"
            )
            yield "good phrases", f"{', '.join(shares)}{recall}", each["gold"]
        for curve in (found["perplexity"] or {}).get("curves", ()):
            sweep, value = curve["points"][-1]
            about = f"{math.log2(value):.3f} bits a word, after {sweep:,} sweeps"
            yield f"held-out perplexity, {curve['model']}", f"{value:,.1f}", about


def _sureness(found: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Whether the sweeps were enough, how sure the topics are, and whether one of them is too large."""
    verdict, n_topics = found["verdict"], len(found["topics"])
    gain, sweeps = verdict["gain"], f"{verdict['sweeps']:,} sweeps"
    if gain is None:
        yield "likelihood", "not known", f"{sweeps} are too few to say whether it still rises"
    else:
        state = "flat" if verdict["flat"] else "still rising"
        yield "likelihood", state, f"{gain:+.4f} a token in the last 100 of {sweeps}"
    if verdict["difference"] is not None:
        agree = "agree" if verdict["agree"] else "disagree"
        yield "chains", agree, f"their log likelihoods differ by {verdict['difference']:.4f} a token"
        stable = f"{verdict['stable_topics']:,} of {n_topics:,}"
        yield "stable topics", stable, "in the mean the other chains have one with a cosine of 0.8 or more"
    if verdict["large_topic"] is not None:
        yield "largest topic", f"{found['topics'][0]['weight']:.0%}", verdict["large_topic"]


@dataclass(frozen=True)
class Judged:
    """What people said: a row for each method."""

    people: Mapping[str, Any]

    def data(self) -> Mapping[str, Any]:
        """Return it for JSON."""
        return self.people

    def tables(self) -> list[Table]:
        """Return a row for each method, and how far people agree."""
        from topminer.views.tables import Column, Table

        intrusion, ratings = self.people.get("intrusion") or {}, self.people.get("ratings") or {}
        coherence, quality = ratings.get("coherence") or {}, ratings.get("quality") or {}
        columns = [
            Column("method", ""),
            Column("right", "intruders found", ".1f", 1),
            Column("asked", form=",d"),
            Column("coherence", "coherence (z)", "+.2f", 1),
            Column("quality", "phrase quality (z)", "+.2f", 1),
        ]
        rows = []
        for name in dict.fromkeys([*intrusion, *coherence, *quality]):
            score = intrusion.get(name) or {}
            figures = score.get("right"), score.get("asked"), coherence.get(name), quality.get(name)
            rows.append([name, *figures])
        agreements = [
            ("intrusion", self.people.get("alpha")),
            ("coherence", ratings.get("alpha_coherence")),
            ("phrase quality", ratings.get("alpha_quality")),
        ]
        agreed = [[what, alpha] for what, alpha in agreements if alpha is not None]
        alphas = Table([Column("agreement"), Column("alpha", "Krippendorff's α", ".2f")], agreed)
        return [Table(columns, rows), *([alphas] if agreed else [])]

    def page(self, width: int | None) -> RenderableType:
        """Return the tables one below the other."""
        from topminer.cli.render import drawn, page, section

        first, *others = self.tables()
        return page(drawn(first, width), *(section("", drawn(each, width)) for each in others))


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


def _write_forms_of(model: ToPMine, folder: Path, seed: int) -> None:
    from topminer.evaluation.evaluate import NAME
    from topminer.evaluation.intrusion import questions
    from topminer.evaluation.judgements import KEY
    from topminer.methods.topmine import topics_of

    if (folder / KEY).exists():
        raise InputError(f"{folder}: holds questions already, and maybe answers; expected another folder")
    topics = {NAME: [topic.phrases or topic.words for topic in topics_of(model.lda_, model.partition_)]}
    write_forms(folder, topics, questions(topics, seed=seed), seed)


def _judged(directory: Path, key: Path | None, answers: list[Path], ratings: list[Path]) -> dict[str, Any]:
    """Score what people filled in; the scores of a comparison are written into its page."""
    from topminer.evaluation.judgements import scored

    comparison = (directory / DATA).exists()
    folder = key or (directory / SHEETS if comparison else None)
    if folder is None:
        raise InputError("--key must name the folder that --forms wrote: the key to the answers is there")
    people = scored(folder, answers, ratings)
    if comparison:
        from topminer import store

        data = store.read_json(directory / DATA)
        if "methods" not in data:
            raise InputError(f"{directory / DATA}: damaged: expected what topminer compare writes")
        write(directory, {**data, "people": people})
    return people
