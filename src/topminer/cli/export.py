"""``topminer export``: a model for other programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from topminer.cli.command import spread
from topminer.cli.files import (
    check_target,
    make_folder,
    replacing,
    reported,
    write_batches,
    write_file,
    write_table,
)
from topminer.cli.options import (
    AllOption,
    NPhrasesOption,
    NWordsOption,
    OverwriteOption,
    RunOptions,
    argument,
    option,
)
from topminer.errors import InputError
from topminer.progress import silent

if TYPE_CHECKING:
    from topminer.cli.session import Session
    from topminer.pipeline import ToPMine
    from topminer.progress import Progress
    from topminer.topics.results.topic import Topic

EXAMPLES = [
    "topminer export titles-model --to csv",
    "topminer export titles-model --to parquet --only documents,segments --output tables",
    "topminer export titles-model --to latex --n-words 8 --n-phrases 12 --output topics.tex",
    "topminer export titles-model --to pyldavis",
]
TABLES = {"csv": ".csv", "json": ".jsonl", "parquet": ".parquet"}
FILES = {"markdown": ".md", "latex": ".tex", "pyldavis": "-pyldavis.json"}
PARTS = ("topics", "documents", "phrases", "segments")


@spread
def export(
    directory: Annotated[Path, argument("A model directory.", metavar="DIR")],
    to: Annotated[
        Literal["csv", "json", "parquet", "markdown", "latex", "pyldavis"],
        option(
            "csv, json or parquet: a folder of tables. markdown, latex or pyldavis: one file.",
            metavar="FORMAT",
            show_default=False,
        ),
    ],
    run: RunOptions,
    output: Annotated[
        Path | None,
        option(
            "The folder or the file to write, - for standard output. Left out: named after DIR, here.",
            metavar="PATH",
        ),
    ] = None,
    only: Annotated[
        str | None,
        option(
            "Which tables to write, with commas between. Left out: topics,documents,phrases,segments.",
            metavar="NAME,…",
        ),
    ] = None,
    n_words: NWordsOption = 10,
    n_phrases: NPhrasesOption = 10,
    all: AllOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Write a model for other programs.

    Tables are topics (their words and phrases), documents (the share of each topic), phrases (how often each
    stands in each topic) and segments (the documents, cut into phrases with their topics). In a .csv, texts
    that a spreadsheet would run as a formula get an apostrophe before them.

    LaTeX and Markdown have the topics side by side. A file for pyLDAvis is what its prepare takes:
    pyLDAvis.prepare(**json.load(open(FILE))).
    """
    from topminer.cli.session import Session

    session, name = Session(run), _name(directory)
    listing: dict[str, Any] = {"n_words": n_words, "n_phrases": n_phrases, "all": all}
    if to in TABLES:
        folder, paths = _paths(output or Path(f"{name}-{to}"), to, only, overwrite)
        _to_folder(session, directory, folder, paths, listing)
        return
    if only is not None:
        raise InputError(f"--only chooses tables of csv, json and parquet; {to} is one file")
    path = output or Path(f"{name}{FILES[to]}")
    if path != Path("-"):
        check_target(path, [path.suffix.lower()], overwrite)
    _to_file(session, directory, path, to, listing)


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


def _to_file(session: Session, directory: Path, path: Path, to: str, listing: Mapping[str, Any]) -> None:
    printed = path == Path("-")
    with session.progress() as progress:
        model = session.model(directory, documents=to == "pyldavis")
        pieces = _text(model, directory, to, listing, silent if printed else progress)
        if not printed:
            with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(pieces)
    if not printed:
        session.written(f"{model.lda_.topic_weight_.size:,} topics", path)
    elif not session.quiet:
        sys.stdout.writelines(pieces)


def _text(
    model: ToPMine, directory: Path, to: str, listing: Mapping[str, Any], progress: Progress
) -> Iterable[str]:
    from topminer.topics.results.own_labels import Labels
    from topminer.views.export import pyldavis_json
    from topminer.views.topic_tables import as_latex, as_markdown

    if to == "pyldavis":
        return pyldavis_json(model, progress=progress)
    topics, labels = model.topics(**listing), Labels.read(directory).names
    if to == "latex":
        return [as_latex(topics, _name(directory), labels)]
    return [as_markdown(topics, labels) + "\n"]


# -------------------------------------------------------------------------------------- a folder of tables


def _paths(folder: Path, to: str, only: str | None, overwrite: bool) -> tuple[Path, dict[str, Path]]:
    """Return the folder and the file of each table; refuse what cannot or should not be written."""
    paths = {part: folder / f"{part}{TABLES[to]}" for part in _parts(only)}
    if "topics" in paths and to == "json":
        paths["topics"] = folder / "topics.json"
    if folder == Path("-"):
        raise InputError("tables are written to a folder, not to standard output")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; expected a folder to write tables to")
    if not folder.parent.is_dir():
        raise InputError(f"{folder}: there is no folder {folder.parent} to write to")
    if folder.is_dir():
        for path in paths.values():
            check_target(path, [path.suffix], overwrite)
    return folder, paths


def _to_folder(
    session: Session, directory: Path, folder: Path, paths: dict[str, Path], listing: Mapping[str, Any]
) -> None:
    with session.progress() as progress:
        model = session.model(directory, documents=not {*paths} <= {"topics", "phrases"})
        with _made(folder):
            for part, path in paths.items():
                if part == "topics":
                    written = _write_topics(model.topics(**listing), path)
                else:
                    written = _write_batches(model, part, path, progress)
                session.written(written, path)
    if "segments" in paths and model.corpus_.texts is None:
        session.say(
            "the model has no texts (--no-texts): segments have places, and phrases as usually written", "dim"
        )


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder; if nothing could be written to it, it is not left behind."""
    is_new = not folder.exists()
    make_folder(folder)
    try:
        yield
    finally:
        if is_new and not any(folder.iterdir()):
            folder.rmdir()


def _write_topics(topics: list[Topic], path: Path) -> str:
    """Write the table of topics, and return how many they are."""
    from topminer.views.topic_tables import as_csv, as_json, topic_rows

    if path.suffix == ".parquet":
        write_table(topic_rows(topics), path)
    else:
        text = as_csv(topics) if path.suffix == ".csv" else as_json(topics)
        write_file(path, text.removesuffix("\n") + "\n")
    return f"{len(topics):,} topics"


def _write_batches(model: ToPMine, part: str, path: Path, progress: Progress) -> str:
    """Write another table, and return what it holds."""
    from topminer.views.export import batches_of, with_times_as_texts

    table = batches_of(model, part, flat=path.suffix == ".csv")
    batches = reported(table.batches, table.n_rows, progress, f"Writing {part}", "rows")
    if path.suffix != ".parquet":
        batches = with_times_as_texts(batches, model.corpus_.times)
    write_batches(batches, path)
    return f"{table.n_rows:,} {table.unit}"
