"""Files that commands write: refused early, whole or not at all.

A file is written beside its place under another name, and takes its own when it is complete: a crash or
Ctrl-C leaves what was there before.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from topminer.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from topminer.progress import Progress


def check_target(path: Path, endings: Iterable[str], overwrite: bool) -> None:
    """Refuse a file that cannot or should not be written, before any work is done."""
    allowed = list(endings)
    if path.suffix.lower() not in allowed:
        expected = " or ".join([", ".join(allowed[:-1]), allowed[-1]])
        raise InputError(f"{path}: cannot tell the format; expected a name that ends with {expected}")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; expected the name of a file to write")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent} to write to")
    if path.exists() and not overwrite:
        raise InputError(f"{path}: exists already; --overwrite replaces it")


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror or error}") from None


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to; what was written there then takes the place of ``path``."""
    from polars.exceptions import PolarsError

    from topminer.store import unfinished as store

    try:
        with store.replacing(path) as unfinished:
            yield unfinished
    except (OSError, PolarsError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be written: {reason}") from None


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file, in UTF-8 if it is text."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as .csv, without formulas, .jsonl or .parquet, as the name ends."""
    from topminer._spreadsheets import without_formulas

    with replacing(path) as unfinished:
        match path.suffix.lower():
            case ".csv":
                without_formulas(table).write_csv(unfinished)
            case ".jsonl":
                table.write_ndjson(unfinished)
            case _:
                table.write_parquet(unfinished, compression="zstd")


def write_lines(batches: Iterable[pl.DataFrame], path: Path, column: str) -> None:
    """Write one column of texts, a line each; line ends within a text become blanks."""
    with replacing(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="\n") as file:
        for batch in batches:
            file.writelines(" ".join(text.splitlines()) + "\n" for text in batch[column])


def write_batches(batches: Iterable[pl.DataFrame], path: Path) -> None:
    """Write a table that comes in batches, as its name ends; only a batch at a time is in memory."""
    from topminer._spreadsheets import without_formulas

    with replacing(path) as unfinished:
        if path.suffix.lower() == ".parquet":
            _gather_parquet(batches, unfinished)
            return
        with unfinished.open("wb") as file:
            for number, batch in enumerate(batches):
                if path.suffix.lower() == ".csv":
                    without_formulas(batch).write_csv(file, include_header=number == 0)
                else:
                    batch.write_ndjson(file)


def reported(
    batches: Iterable[pl.DataFrame],
    n_rows: int,
    progress: Progress,
    stage: str = "Writing",
    unit: str = "documents",
) -> Iterator[pl.DataFrame]:
    """Pass on batches, and report how many rows are written."""
    done = 0
    for batch in batches:
        yield batch
        done += len(batch)
        progress(stage, done, n_rows, unit)


def _gather_parquet(batches: Iterable[pl.DataFrame], path: Path) -> None:
    """Write each batch to a file of its own, then all of them, streaming, to one."""
    import polars as pl

    folder = path.with_name(f"{path.name}-parts")
    folder.mkdir()
    parts: list[Path] = []
    try:
        for batch in batches:
            parts.append(folder / f"{len(parts)}.arrow")
            batch.write_ipc(parts[-1], compression="lz4")
        pl.scan_ipc(parts, glob=False).sink_parquet(path, compression="zstd")
    finally:
        shutil.rmtree(folder)
