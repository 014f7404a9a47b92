"""``topminer export``: a model for other programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
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

    from topminer.cli.session import Session
    from topminer.pipeline import ToPMine
    from topminer.progress import Progress
    from topminer.views.export import Batches

EXAMPLES = [
    "topminer export titles-model --to csv",
    "topminer export titles-model --to parquet --only documents,segments --output tables",
    "topminer export titles-model --to latex --n-words 8 --n-phrases 12 --output topics.tex",
    "topminer export titles-model --to pyldavis",
]
TABLES = {"csv": ".csv", "json": ".jsonl", "parquet": ".parquet"}
FILES = {"markdown": ".md", "latex": ".tex", "pyldavis": "-pyldavis.json"}
PARTS = ("topics", "documents", "phrases", "segments")


class Wanted(NamedTuple):
    """What is to be exported, and how."""

    directory: Path
    to: str
    n_shown: tuple[int, int]  # words and phrases of a topic
    overwrite: bool


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
    n_words: Annotated[int, typer.Option(help="Words to a topic.", metavar="N", min=0)] = 10,
    n_phrases: Annotated[int, typer.Option(help="Phrases to a topic.", metavar="N", min=0)] = 10,
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
    from topminer.cli.session import Session

    session, wanted = Session(run), Wanted(directory, to, (n_words, n_phrases), overwrite)
    name = _name(directory)
    if to in TABLES:
        _to_folder(session, wanted, output or Path(f"{name}-{to}"), _parts(only))
    elif only is not None:
        raise InputError(f"--only chooses tables of csv, json and parquet; {to} is one file")
    else:
        _to_file(session, wanted, output or Path(f"{name}{FILES[to]}"))


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


def _to_file(session: Session, wanted: Wanted, path: Path) -> None:
    from topminer.cli.files import check_target, replacing

    printed = path == Path("-")
    if not printed:
        check_target(path, [path.suffix.lower()], wanted.overwrite)
    with session.progress() as progress:
        model = session.model(wanted.directory, documents=wanted.to == "pyldavis")
        pieces = _text(model, wanted, silent if printed else progress)
        if not printed:
            with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(pieces)
    if not printed:
        session.written(f"{model.lda_.n_topics:,} topics", path)
    elif not session.quiet:
        sys.stdout.writelines(pieces)


def _text(model: ToPMine, wanted: Wanted, progress: Progress) -> Iterable[str]:
    if wanted.to == "pyldavis":
        from topminer.views.export import pyldavis_json

        return pyldavis_json(model, progress=progress)
    from topminer.topics.results.own_labels import Labels
    from topminer.views.topic_tables import as_latex, as_markdown

    topics, labels = model.topics(*wanted.n_shown), Labels.read(wanted.directory).names
    if wanted.to == "latex":
        return [as_latex(topics, _name(wanted.directory), labels)]
    return [as_markdown(topics, labels) + "\n"]


# -------------------------------------------------------------------------------------- a folder of tables


def _to_folder(session: Session, wanted: Wanted, folder: Path, parts: list[str]) -> None:
    paths = {part: folder / f"{part}{TABLES[wanted.to]}" for part in parts}
    if "topics" in parts and wanted.to == "json":
        paths["topics"] = folder / "topics.json"
    _check_folder(folder, paths.values(), wanted.overwrite)
    with session.progress() as progress:
        model = session.model(wanted.directory, documents=not {*parts} <= {"topics", "phrases"})
        with _made(folder):
            for part, path in paths.items():
                write = _write_topics if part == "topics" else _write_batches
                session.written(write(model, part, path, wanted, progress), path)
    if "segments" in parts and model.corpus_.texts is None:
        session.say(
            "the model has no texts (--no-texts): segments have places, and phrases as usually written", "dim"
        )


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


def _write_topics(model: ToPMine, part: str, path: Path, wanted: Wanted, progress: Progress) -> str:
    """Write the topics, and return how many they are."""
    from topminer.cli.files import replacing, write_table
    from topminer.views.topic_tables import as_csv, as_json, topic_rows

    topics = model.topics(*wanted.n_shown)
    if path.suffix == ".parquet":
        write_table(topic_rows(topics), path)
    else:
        text = as_csv(topics) if path.suffix == ".csv" else as_json(topics)
        with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
            file.write(text.removesuffix("\n") + "\n")
    return f"{len(topics):,} topics"


def _write_batches(model: ToPMine, part: str, path: Path, wanted: Wanted, progress: Progress) -> str:
    """Write another table, and return how much it is."""
    from topminer.cli.files import write_batches, write_csv
    from topminer.views.export import batches_of, with_times_as_texts

    table = batches_of(model, part, flat=path.suffix == ".csv")
    batches = _reported(table, f"Writing {part}", progress)
    if path.suffix != ".parquet":
        batches = with_times_as_texts(batches, model.corpus_.times)
    (write_csv if path.suffix == ".csv" else write_batches)(batches, path)
    return f"{table.n_rows:,} {table.unit}"


def _reported(table: Batches, stage: str, progress: Progress) -> Iterator[pl.DataFrame]:
    done = 0
    for batch in table.batches:
        yield batch
        done += len(batch)
        progress(stage, done, table.n_rows, "rows")
