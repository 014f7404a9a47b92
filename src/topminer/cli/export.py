"""``topminer export``: a model for other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from topminer.cli.command import spread
from topminer.cli.options import RunOptions
from topminer.errors import InputError
from topminer.progress import silent

if TYPE_CHECKING:
    import polars as pl

    from topminer.pipeline import ToPMine
    from topminer.progress import Progress
    from topminer.topics.results.topic import Topic

EXAMPLES = [
    "topminer export titles-model --to csv",
    "topminer export titles-model --to parquet --only documents,segments --output tables",
    "topminer export titles-model --to latex --words 8 --phrases 12 --output topics.tex",
    "topminer export titles-model --to pyldavis",
]
TABLES = {"csv": ".csv", "json": ".jsonl", "parquet": ".parquet"}
FILES = {"markdown": ".md", "latex": ".tex", "pyldavis": "-pyldavis.json"}
PARTS = ("topics", "documents", "phrases", "segments")


@spread
def export(
    directory: Annotated[Path, typer.Argument(metavar="DIR", show_default=False, help="A model directory.")],
    to: Annotated[
        Literal["csv", "json", "parquet", "markdown", "latex", "pyldavis"],
        typer.Option(
            help="csv, json or parquet: a folder of tables. markdown, latex or pyldavis: one file.",
            metavar="FORMAT",
            show_default=False,
        ),
    ],
    run: RunOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            help="The folder or the file to write, - for standard output. Left out: named after DIR, here.",
            metavar="PATH",
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            help="Which tables to write, with commas between. Left out: topics,documents,phrases,segments.",
            metavar="NAME,…",
        ),
    ] = None,
    words: Annotated[int, typer.Option(help="Words to a topic.", metavar="N", min=0)] = 10,
    phrases: Annotated[int, typer.Option(help="Phrases to a topic.", metavar="N", min=0)] = 10,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that exist.", metavar="")
    ] = False,
) -> None:
    """Write a model for other programs.

    Tables are topics (their words and phrases), documents (the share of each topic), phrases (how often each
    stands in each topic) and segments (the documents, cut into phrases with their topics). In a .csv, texts
    that a spreadsheet would run as a formula get an apostrophe before them.

    LaTeX and Markdown have the topics side by side. A file for pyLDAvis is what its prepare takes:
    pyLDAvis.prepare(**json.load(open(FILE))).
    """
    target = _default(directory, to) if output is None else output
    if to in TABLES:
        chosen = _parts(only)
        _to_folder(directory, to, target, chosen, (words, phrases), overwrite, run)
    elif only is not None:
        raise InputError(f"--only chooses tables of csv, json and parquet; {to} is one file")
    else:
        _to_file(directory, to, target, (words, phrases), overwrite, run)


def _default(directory: Path, to: str) -> Path:
    name = _name(directory)
    return Path(f"{name}-{to}" if to in TABLES else f"{name}{FILES[to]}")


def _name(directory: Path) -> str:
    return directory.resolve().name or "model"


def _parts(only: str | None) -> list[str]:
    """Read the value of ``--only``.

    >>> _parts("phrases, topics")
    ['topics', 'phrases']
    """
    if only is None:
        return list(PARTS)
    asked = {name.strip() for name in only.split(",")}
    if not asked <= set(PARTS):
        raise InputError(f"--only must be some of {', '.join(PARTS)}, with commas between, not {only!r}")
    return [name for name in PARTS if name in asked]


# ------------------------------------------------------------------------------------------ one file


def _to_file(
    directory: Path, to: str, path: Path, n_shown: tuple[int, int], overwrite: bool, run: RunOptions
) -> None:
    from topminer.cli.files import check_target, replacing
    from topminer.cli.session import Session

    printed = path == Path("-")
    if not printed:
        check_target(path, [path.suffix.lower()], overwrite)
    session = Session(run)
    with session.progress() as progress:
        model = session.model(directory, documents=to == "pyldavis")
        pieces = _text(model, directory, to, n_shown, silent if printed else progress)
        if not printed:
            with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(pieces)
    if not printed:
        session.written(f"{model.lda_.n_topics:,} topics", path)
    elif not run.quiet:
        sys.stdout.writelines(pieces)


def _text(
    model: ToPMine, directory: Path, to: str, n_shown: tuple[int, int], progress: Progress
) -> Iterable[str]:
    from topminer.topics.results.own_labels import Labels

    match to:
        case "pyldavis":
            from topminer.views.export.pyldavis import pyldavis_json

            return pyldavis_json(model, progress=progress)
        case "latex":
            from topminer.views.topic_tables import as_latex

            return [as_latex(model.topics(*n_shown), _name(directory), Labels.read(directory).names)]
        case _:
            from topminer.views.topic_tables import as_markdown

            return [as_markdown(model.topics(*n_shown), Labels.read(directory).names) + "\n"]


# -------------------------------------------------------------------------------------- a folder of tables


class Table(NamedTuple):
    """A table to be written in batches."""

    batches: Iterable[pl.DataFrame]
    n_rows: int
    unit: str


def _to_folder(
    directory: Path,
    to: str,
    folder: Path,
    parts: list[str],
    n_shown: tuple[int, int],
    overwrite: bool,
    run: RunOptions,
) -> None:
    from topminer.cli.session import Session

    paths = {part: folder / f"{part}{_ending(part, to)}" for part in parts}
    _check_folder(folder, paths.values(), overwrite)
    session = Session(run)
    with session.progress() as progress:
        model = session.model(directory, documents=not {*parts} <= {"topics", "phrases"})
        with _made(folder):
            for part, path in paths.items():
                what = _write(model, part, path, n_shown, progress)
                session.say(f"{what} written to {path}")
    if "segments" in parts and model.corpus_.texts is None:
        session.messages.print(
            "the model has no texts (--no-texts): segments have places, and phrases as usually written",
            style="dim",
            soft_wrap=True,
        )


def _ending(part: str, to: str) -> str:
    return ".json" if (part, to) == ("topics", "json") else TABLES[to]


def _check_folder(folder: Path, paths: Iterable[Path], overwrite: bool) -> None:
    """Refuse what cannot or should not be written, before any work is done."""
    from topminer.cli.files import check_target

    if folder == Path("-"):
        raise InputError("tables are written to a folder, not to standard output")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; expected a folder to write tables to")
    if not folder.parent.is_dir():
        raise InputError(f"{folder}: there is no folder {folder.parent} to write to")
    if folder.is_dir():
        for path in paths:
            check_target(path, [path.suffix], overwrite)


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder; if nothing could be written to it, it is not left behind."""
    is_new = not folder.exists()
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror or error}") from None
    try:
        yield
    finally:
        if is_new and not any(folder.iterdir()):
            folder.rmdir()


def _write(model: ToPMine, part: str, path: Path, n_shown: tuple[int, int], progress: Progress) -> str:
    """Write one table, and say how much it is."""
    from topminer.cli.files import write_batches, write_csv

    if part == "topics":
        found = model.topics(*n_shown)
        _write_topics(found, path)
        return f"{len(found):,} topics"
    table = _table(model, part, is_flat=path.suffix == ".csv")
    batches = _reported(table, f"Writing {part}", progress)
    if path.suffix == ".parquet":
        write_batches(batches, path)
        return f"{table.n_rows:,} {table.unit}"
    from topminer.views.export.plain import time_format, with_times_as_texts

    format = time_format(model.corpus_.times)
    batches = (with_times_as_texts(batch, format) for batch in batches)
    if path.suffix == ".csv":
        write_csv(batches, path)
    else:
        write_batches(batches, path)
    return f"{table.n_rows:,} {table.unit}"


def _write_topics(topics: list[Topic], path: Path) -> None:
    from topminer.cli.files import replacing, write_table
    from topminer.views.export.topics import topic_rows
    from topminer.views.topic_tables import as_csv, as_json

    if path.suffix == ".parquet":
        write_table(topic_rows(topics), path)
        return
    as_text: Callable[[list[Topic]], str] = as_csv if path.suffix == ".csv" else as_json
    with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        file.write(as_text(topics).removesuffix("\n") + "\n")


def _table(model: ToPMine, part: str, is_flat: bool) -> Table:
    match part:
        case "documents":
            from topminer.views.export.documents import document_topics

            return Table(document_topics(model), len(model.partition_), "documents")
        case "phrases":
            from topminer.views.export.phrases import phrase_topics

            n_pairs = model.lda_.frequency_.types.size
            return Table(phrase_topics(model), n_pairs, "pairs of a phrase and a topic")
    from topminer.views.export.segments import instances, segments

    if is_flat:
        return Table(instances(model), model.partition_.n_cliques, "phrase instances")
    return Table(segments(model), len(model.partition_), "documents with their phrases")


def _reported(table: Table, stage: str, progress: Progress) -> Iterator[pl.DataFrame]:
    done = 0
    for batch in table.batches:
        yield batch
        done += len(batch)
        progress(stage, done, table.n_rows, "rows")
