"""``topminer compare``: all methods on the same tokens, judged by the same measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from topminer._parameters import MOST_TOPICS
from topminer.cli.command import spread
from topminer.cli.options import CorpusArgument, ResultOptions, RunOptions, TextOptions, flag, number, option
from topminer.cli.phrase_options import PhraseOptions
from topminer.errors import InputError
from topminer.memory import require_drawing

if TYPE_CHECKING:
    from rich.console import RenderableType

    from topminer.cli.session import Session
    from topminer.evaluation.compare import Comparison
    from topminer.evaluation.gold import Gold
    from topminer.evaluation.intrusion import Question
    from topminer.methods.contract import Phrase, Stems
    from topminer.text.corpus import Corpus
    from topminer.views.tables import Table

EXAMPLES = [
    "topminer compare titles.txt --topics 5 --output compared",
    "topminer compare papers.csv --topics 50 --methods topmine,lda,tng --output compared",
    "topminer compare papers.csv --topics 50 --budget 120 --gold terms.txt --output compared",
]
METHODS = "topmine,paper,lda,kert,tng,turbo,pdlda"
DATA, PAGE, SHEETS = "compare.json", "compare.html", "sheets"
UNFINISHED = "compare-unfinished.json"
COHERENCE = ("npmi_words", "npmi_phrases", "cv_words", "cv_phrases")
N_FIRST = "100"  # phrases whose quality is shown

GoldOption = Annotated[
    list[Path] | None,
    option(
        "Good phrases, one a line, or with a judgement behind a tab (0: not good). May be repeated.",
        metavar="FILE",
    ),
]
WindowOption = Annotated[
    int | None, number("Count NPMI over windows of so many kept tokens. Left out: documents.", min=2)
]
KeyphrasesOption = Annotated[
    str | None,
    option("The column of the documents' own keyphrases: one more list of good phrases.", metavar="NAME"),
]


@spread
def compare(
    corpus: CorpusArgument,
    topics: Annotated[
        int, option("How many topics.", metavar="K", show_default=False, min=1, max=MOST_TOPICS)
    ],
    output: Annotated[
        Path, option("The directory to write the results to.", metavar="DIR", show_default=False)
    ],
    text: TextOptions,
    mining: PhraseOptions,
    run: RunOptions,
    result: ResultOptions,
    methods: Annotated[str, option("Which methods, with commas between.", metavar="NAME,NAME,…")] = METHODS,
    sweeps: Annotated[int, number("How many sweeps each method does.", min=1)] = 1000,
    seed: Annotated[int, number("The same seed gives the same topics.", min=0)] = 0,
    budget: Annotated[
        float,
        option(
            "Seconds for each method. One that would take longer is timed on a few sweeps.",
            metavar="SECONDS",
            min=0.1,
        ),
    ] = 600.0,
    gold: GoldOption = None,
    keyphrases: KeyphrasesOption = None,
    window: WindowOption = None,
    perplexity: Annotated[
        bool, option("Compare PhraseLDA's perplexity with LDA's.", "--perplexity/--no-perplexity")
    ] = True,
    scaling: Annotated[
        bool, option("Time ToPMine's parts on growing samples.", "--scaling/--no-scaling")
    ] = True,
    overwrite: Annotated[bool, flag("Replace an earlier comparison.", "--overwrite")] = False,
) -> None:
    """Compare ToPMine with LDA and the paper's other methods.

    ToPMine is run twice: topmine as the options here say, paper as the paper has it. All methods see the same
    tokens and do the same number of sweeps, on one thread unless --threads says more; priors stay as they
    are. Writes DIR/compare.json, a page DIR/compare.html, and forms for people who judge.
    """
    from topminer.cli.session import Session
    from topminer.warming.jobs import jobs_of_comparison

    names = _names(methods)
    if keyphrases is not None and corpus == "-":
        raise InputError("--keyphrases reads the corpus again: give a file, not standard input")
    _check(output, overwrite)
    require_drawing()  # now, and not when all methods are done
    mined = mining.settings()
    session = Session(run)
    session.compile_first(jobs_of_comparison(topics, names))
    with session.progress() as progress:
        read = text.read(corpus, run, progress)
        from topminer import store
        from topminer.evaluation.compare import Settings
        from topminer.evaluation.compare import compare as run_all
        from topminer.methods.contract import check

        check(read, topics, seed)
        session.skipped_of(read)
        settings = Settings(
            topics, sweeps, seed, budget, n_threads=run.threads or 1, window=window, mining=mined
        )
        golds = read_golds(gold, read, session)
        own = read_keyphrases(keyphrases, corpus, read, session)
        output.mkdir(parents=True, exist_ok=True)
        unfinished = output / UNFINISHED
        unfinished.unlink(missing_ok=True)
        try:
            comparison = run_all(
                read,
                names,
                settings,
                golds=golds,
                keyphrases=own,
                perplexity=perplexity,
                scaling=scaling,
                progress=progress,
                after=lambda data: store.write_json(unfinished, data),
            )
        except KeyboardInterrupt:
            if unfinished.exists():
                session.say(f"Unfinished. What there is: {unfinished}")
            raise
        _write_all(output, comparison, seed)
        unfinished.unlink(missing_ok=True)
    session.show(Compared(comparison.data), result.format)
    session.say(f"Written to {output / PAGE}")


@dataclass(frozen=True)
class Compared:
    """A comparison: a row for each method."""

    found: Mapping[str, Any]  # what compare.json holds

    def data(self) -> Mapping[str, Any]:
        """Return it for JSON."""
        return self.found

    def tables(self) -> list[Table]:
        """Return a row for each method, and a table of phrase quality if there are lists of good phrases."""
        from topminer.views.numbers import seconds_text
        from topminer.views.tables import Column, Table

        columns = [
            Column("method", ""),
            Column("extrapolated", "", lambda value: "~" if value else ""),
            Column("seconds", "time", seconds_text),
            Column("ratio", "× LDA", ".2f"),
            Column("npmi_words", "NPMI words", ".3f", 1),
            Column("npmi_phrases", "phrases", ".3f", 1),
            Column("cv_words", "C_V words", ".3f", 1, expendable=2),
            Column("cv_phrases", "phrases", ".3f", 1, expendable=1),
            Column("intruders", "intruders", ".0%", 1),
        ]
        rows = [
            [
                method["title"],
                method["extrapolated"],
                method["seconds"],
                method.get("ratio"),
                *(at(method, "coherence", name) for name in COHERENCE),
                at(method, "intrusion", "share"),
            ]
            for method in self.found["methods"]
        ]
        return [Table(columns, rows), *self._qualities()]

    def _qualities(self) -> Iterator[Table]:
        from topminer.views.tables import Column, Table

        methods = self.found["methods"]
        lists: list[Any] = max((method.get("quality") or [] for method in methods), key=len, default=[])
        for i, each in enumerate(lists):
            rows = [
                [method["title"], at(method, "quality", i, "precision", N_FIRST)]
                for method in methods
                if method.get("quality")
            ]
            columns = [Column("method", ""), Column("precision", f"of the first {N_FIRST}", ".0%", 1)]
            yield Table(columns, rows, title=f"Phrases in {each['gold']}")

    def page(self, width: int | None) -> RenderableType:
        """Return the tables, and below them what a reader has to know."""
        from rich.text import Text

        from topminer.cli.render import drawn, page, section
        from topminer.text.printable import printable

        table, *qualities = self.tables()
        sections = [section(printable(each.title), drawn(each, width)) for each in qualities]
        return page(drawn(table, width), *sections, *(Text(line, "dim") for line in self._notes()))

    def _notes(self) -> Iterator[str]:
        from topminer.text.printable import printable

        methods = self.found["methods"]
        if any(method.get("intrusion") for method in methods):
            yield "intruders: found by an automatic annotator (NPMI), not by people"
        if any(method["extrapolated"] for method in methods):
            yield "~ extrapolated: the budget allowed a few steps only"
        for method in methods:
            if method.get("failed"):
                yield f"{method['title']} was not run: {printable(method['failed'])}"


def at(found: Any, *place: str | int) -> Any:
    """Return what stands at a place of nested mappings and lists; None where nothing does.

    >>> at({"a": [{"b": 1}]}, "a", 0, "b"), at({"a": None}, "a", "b")
    (1, None)
    """
    for key in place:
        try:
            found = found[key]
        except (KeyError, IndexError, TypeError):
            return None
    return found


def _write_all(output: Path, comparison: Comparison, seed: int) -> None:
    """Write data, page and forms to a folder beside their places, then move them all there.

    An earlier comparison stays as it was until the new one is complete.
    """
    topics_of = {name: [topic.phrases for topic in found.topics] for name, found in comparison.found.items()}
    try:
        with TemporaryDirectory(prefix=".unfinished-", dir=output) as name:
            folder = Path(name)
            write(folder, comparison.data)
            write_forms(folder / SHEETS, topics_of, comparison.asked, seed)
            (output / SHEETS).mkdir(exist_ok=True)
            for path in [*(folder / SHEETS).iterdir(), folder / PAGE, folder / DATA]:
                path.replace(output / path.relative_to(folder))
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror or error}") from None


def write_forms(
    folder: Path,
    topics_of: Mapping[str, Sequence[Sequence[Phrase]]],
    asked: Sequence[Question],
    seed: int,
) -> None:
    """Write forms and sheets for people, and the keys that say which method a question is of.

    People get a form or a sheet. The keys stay with the person who scores the answers.
    """
    from topminer.cli.files import make_folder, write_file
    from topminer.evaluation.judgements import write_lists, write_questions
    from topminer.evaluation.ratings import rating_lists
    from topminer.views.forms import intrusion_form, rating_form

    make_folder(folder)
    lists = rating_lists(topics_of, seed=seed)
    write_questions(folder, asked)
    write_lists(folder, lists)
    write_file(folder / "intrusion.html", intrusion_form(asked, "Which phrase does not belong?"))
    write_file(folder / "ratings.html", rating_form(lists, "How good are these lists of phrases?"))


def write(directory: Path, data: dict[str, Any]) -> None:
    """Write the data and the page of a comparison."""
    from topminer import store
    from topminer.cli.files import write_file
    from topminer.views.comparison import comparison_page

    store.write_json(directory / DATA, data)
    write_file(directory / PAGE, comparison_page(data))


def read_golds(paths: list[Path] | None, corpus: Corpus, session: Session) -> list[Gold]:
    """Read the lists of good phrases that were asked for, and say what of them is left out."""
    from topminer.evaluation.gold import read_gold

    golds = [read_gold(path, corpus) for path in paths or ()]
    for gold in golds:
        session.skipped(gold.skipped())
    return golds


def read_keyphrases(
    column: str | None, source: str, corpus: Corpus, session: Session
) -> list[frozenset[Stems]] | None:
    """Read each document's own keyphrases from the file of the corpus, and say what of them is left out."""
    from topminer.evaluation.gold import gold_of_keyphrases

    if column is None:
        return None
    gold, keyphrases = gold_of_keyphrases(source, corpus, column)
    session.skipped(gold.skipped())
    return keyphrases


def _names(given: str) -> list[str]:
    """Read the value of ``--methods``.

    >>> _names("lda, topmine")
    ['lda', 'topmine']
    """
    names = [name.strip().lower() for name in given.split(",") if name.strip()]
    known = METHODS.split(",")
    for name in names or [""]:
        if name not in known:
            found = f"there is no {name!r}; " if name else ""
            raise InputError(f"--methods: {found}expected some of {', '.join(known)}")
    return list(dict.fromkeys(names))


def _check(output: Path, overwrite: bool) -> None:
    if output.exists() and not output.is_dir():
        raise InputError(f"{output}: is a file; expected a directory to write to")
    if (output / "model.json").exists():
        raise InputError(f"{output}: holds a model; expected another directory")
    if (output / DATA).exists() and not overwrite:
        raise InputError(f"{output}: holds a comparison already; --overwrite replaces it")
