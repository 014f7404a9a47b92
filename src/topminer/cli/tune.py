"""``topminer tune``: how many topics, and which threshold."""

from __future__ import annotations

import math
import shlex
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from topminer._parameters import MOST_SEEDS, MOST_TOPICS
from topminer.cli.command import spread
from topminer.cli.options import CorpusArgument, ResultOptions, RunOptions, TextOptions, flag, number, option
from topminer.cli.phrase_options import MiningOptions
from topminer.errors import InputError
from topminer.memory import require_drawing

if TYPE_CHECKING:
    from rich.console import RenderableType

    from topminer.evaluation.recommend import Point
    from topminer.evaluation.tune import Tuning
    from topminer.views.tables import Table

EXAMPLES = [
    "topminer tune titles.txt",
    "topminer tune papers.csv --text-column abstract --topics 10,20,40,80 --thresholds 2,3,4",
    "topminer tune news.jsonl --thresholds 4,none --repeats 2 --sweeps 100",
    "topminer tune tickets.jsonl.zst --output tickets-tuning",
]
NO_PHRASES = "none"
FILES = ("tune.json", "tune.svg", "tune.html")


@spread
def tune(
    corpus: CorpusArgument,
    text: TextOptions,
    mining: MiningOptions,
    run: RunOptions,
    result: ResultOptions,
    topics: Annotated[
        str | None,
        option(
            "Numbers of topics to try, with commas between. Left out: by the corpus's size, from 2 or 5 "
            "up to 160.",
            metavar="K,K,…",
        ),
    ] = None,
    thresholds: Annotated[
        str | None,
        option(
            "Thresholds to try, with commas between; none keeps every word alone. Left out: 2,4, and 8 "
            "from a million kept tokens on.",
            metavar="X,X,…",
        ),
    ] = None,
    sweeps: Annotated[int, number("How often every phrase is sampled, in each model.", min=1)] = 200,
    repeats: Annotated[
        int,
        number(
            "Fits of each model, with different seeds; with 1, stability is not known.", min=1, max=MOST_SEEDS
        ),
    ] = 3,
    seed: Annotated[int, number("The first seed. The same one gives the same numbers.", min=0)] = 0,
    output: Annotated[
        Path | None, option("The directory to write tune.json, tune.svg and tune.html to.", metavar="DIR")
    ] = None,
    overwrite: Annotated[bool, flag("Replace files that exist.", "--overwrite")] = False,
) -> None:
    """Find how many topics suit a corpus, and which threshold.

    Tries a grid of models on nine documents in ten, and judges each by the perplexity of the others, by the
    coherence of its words and phrases, and by whether other seeds find the same topics. Recommends one, and
    says why.
    """
    numbers = None if topics is None else _numbers(topics)
    limits = None if thresholds is None else _thresholds(thresholds)
    _check_output(output, overwrite)
    if output is not None:
        require_drawing()  # now, and not when all models are made
    miner = mining.miner_at(min(limits or [0.0]), run)
    from topminer.cli.session import Session
    from topminer.evaluation.tune import tune as try_all
    from topminer.text.printable import printable
    from topminer.warming.jobs import jobs_of_run

    session = Session(run)
    with session.progress(jobs_of_run(*(numbers or [20]))) as progress:
        read = text.read(corpus, run, progress, paper=mining.paper)
        session.skipped_of(read)
        found = try_all(
            read,
            numbers,
            limits,
            miner=miner,
            n_sweeps=sweeps,
            repeats=repeats,
            seed=seed,
            n_threads=run.threads,
            progress=progress,
        )
    tried = Tried(
        name=Path(read.origin.name).name,
        n_documents=len(read),
        n_kept=read.n_tokens,
        n_sweeps=sweeps,
        n_seeds=repeats,
        seed=seed,
        found=found,
        command=_next_command(corpus, found, text, mining, seed),
    )
    session.show(tried, result.format)
    if tried.command is not None and result.format == "table":
        # Apart from the page, which wraps its lines: a command has to be copied as it is.
        session.output.print(f"  {printable(tried.command)}", style="bold", soft_wrap=True)
    if output is not None:
        _write(tried, output)
        session.say(f"{', '.join(FILES)} written to {output}")


@dataclass(frozen=True)
class Tried:
    """What was tried, and what is recommended."""

    name: str
    n_documents: int
    n_kept: int
    n_sweeps: int
    n_seeds: int  # fits of each point
    seed: int
    found: Tuning
    command: str | None  # that makes the recommended model

    def data(self) -> dict[str, Any]:
        """Return it for JSON."""
        plain = {name: value for name, value in vars(self).items() if name not in ("found", "command")}
        found = self.found
        plain["points"] = [_plain(point) for point in found.points]
        plain["recommended"] = None if found.recommended is None else _plain(found.recommended)
        return plain | {"why": found.why, "command": self.command}

    def tables(self) -> list[Table]:
        """Return a row for each point of the grid."""
        from topminer.evaluation.recommend import FORMS
        from topminer.views.tables import Column, Table

        columns = [
            Column("n_topics", "topics"),
            Column("threshold", form=lambda value: "none" if math.isinf(value) else f"{value:g}"),
            Column("perplexity", form=FORMS["perplexity"], better=-1),
            Column("perplexity_error", "±", ",.1f", expendable=3),
            Column("coherence", form=FORMS["coherence"], better=1),
            Column("phrase_coherence", "of phrases", ".3f", 1, expendable=1),
            Column("stability", form=FORMS["stability"], better=1),
            Column("n_phrases", "phrases", ",d", expendable=2),
            Column("seconds", form=",.1f", expendable=4),
        ]
        rows = [[getattr(point, column.name) for column in columns] for point in self.found.points]
        kept = [i for i in range(len(columns)) if any(row[i] is not None for row in rows)]
        return [Table([columns[i] for i in kept], [[row[i] for i in kept] for row in rows])]

    def page(self, width: int | None) -> RenderableType:
        """Return the grid and the recommendation; the command that makes the model stands below the page."""
        from rich.table import Table as Grid
        from rich.text import Text

        from topminer.cli.render import drawn, page, section
        from topminer.text.printable import printable
        from topminer.views.numbers import counted

        found = self.found
        models = counted(self.n_seeds * len(found.points), "model")
        facts = f"{self.n_documents:,} documents · {self.n_kept:,} kept tokens · {models}"
        taken = [i for i, point in enumerate(found.points) if point is found.recommended]
        inside = None if width is None else width - 2
        reasons = Grid.grid(padding=(0, 1))
        for line in found.why:
            reasons.add_row("•", line)
        return page(
            Text(printable(self.name), "bold"),
            Text(f"\n  {facts}, {self.n_sweeps:,} sweeps each", "dim"),
            section("The grid", drawn(self.tables()[0], inside, chosen=taken, marked=taken)),
            section("Recommended" if taken else "Nothing is recommended", reasons),
            None if self.command is None else Text("\nNext", "bold cyan"),
        )


def _plain(point: Point) -> dict[str, Any]:
    """Return a point as JSON has it: an infinite threshold is null."""
    return asdict(point) | {"threshold": None if math.isinf(point.threshold) else point.threshold}


def _numbers(given: str) -> list[int]:
    """Read the value of ``--topics``.

    >>> _numbers("20, 5,10")
    [5, 10, 20]
    """
    try:
        numbers = {int(each) if each.strip().isdecimal() else 0 for each in given.split(",")}
    except ValueError:  # Python reads no number of thousands of digits
        numbers = {0}
    if not 1 <= min(numbers) <= max(numbers) <= MOST_TOPICS:
        raise InputError(
            f"--topics must be whole numbers from 1 to {MOST_TOPICS:,} with commas between, such as 5,10,20, "
            f"not {given!r}"
        )
    return sorted(numbers)


def _thresholds(given: str) -> list[float]:
    """Read the value of ``--thresholds``.

    >>> _thresholds("none, 8,2")
    [2.0, 8.0, inf]
    """
    try:
        limits = {math.inf if each.strip() == NO_PHRASES else float(each) for each in given.split(",")}
    except ValueError:
        limits = {-1.0}
    if not all(limit >= 0 for limit in limits):
        raise InputError(
            "--thresholds must be numbers from 0 on with commas between, or none, such as 2,4,none, "
            f"not {given!r}"
        )
    return sorted(limits)


def _check_output(output: Path | None, overwrite: bool) -> None:
    """Refuse a directory that cannot or should not be written to, before any work is done."""
    if output is None:
        return
    if output.exists() and not output.is_dir():
        raise InputError(f"{output}: is a file; expected a directory to write to")
    there = next((name for name in FILES if (output / name).exists()), None)
    if there and not overwrite:
        raise InputError(f"{output / there}: exists already; --overwrite replaces it")


def _next_command(
    corpus: str, found: Tuning, text: TextOptions, mining: MiningOptions, seed: int
) -> str | None:
    """What to type to get the recommended model, from the same words and phrases."""
    point = found.recommended
    if point is None:
        return None
    name = "corpus" if corpus == "-" else Path(corpus).name.split(".")[0] or "corpus"
    words = ["topminer", "run", corpus, *_options(text), "--topics", str(point.n_topics)]
    if math.isinf(point.threshold):
        words.append("--no-phrases")
    else:
        words += ["--significance", f"{point.threshold:g}", *_options(mining)]
    if seed:
        words += ["--seed", str(seed)]
    return shlex.join([*words, "--output", f"{name}-model"])


def _options(group: Any) -> list[str]:
    """The options of a group that are not as they are by default, as they are typed.

    >>> _options(TextOptions(text_column="abstract", stem=False))
    ['--text-column', 'abstract', '--no-stem']
    """
    typed: list[str] = []
    for field in fields(group):
        value, option = getattr(group, field.name), field.name.replace("_", "-")
        if value == field.default:
            continue
        if isinstance(value, bool):
            typed.append(f"--{option}" if value else f"--no-{option}")
        else:
            typed += [f"--{option}", str(value)]
    return typed


def _write(tried: Tried, output: Path) -> None:
    """Write the numbers, the chart and the page."""
    import json

    from topminer.cli.files import write_file
    from topminer.views.charts.svg import Drawing
    from topminer.views.charts.tuning import TITLE, tuning
    from topminer.views.tuning import tuning_page

    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror or error}") from None
    drawing = Drawing(tuning(tried.found))
    page = tuning_page(tried.found, drawing.svg(TITLE), tried.name, tried.command)
    numbers = json.dumps(tried.data(), indent=2, ensure_ascii=False, allow_nan=False)
    contents = (numbers + "\n", drawing.svg(TITLE, standalone=True), page)
    for name, content in zip(FILES, contents, strict=True):
        write_file(output / name, content)
