r"""Files to documents, in batches of bounded size.

    >>> import io
    >>> reading = Reading(io.BytesIO(b"a first text\n\na third one\n"))
    >>> [batch.ids.to_list() for batch in reading], reading.skipped.blank_documents
    ([['1', '3']], 1)

One way for all formats: pieces of bytes (:mod:`.stream`) become UTF-8 (:mod:`.decode`), are cut into
blocks of whole records and parsed to rows (:mod:`.delimited`, :mod:`.jsonlines`, :mod:`.parquet`), and
what holds no text is left out and counted here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

import polars as pl

from topminer.errors import InputError
from topminer.text.reading.columns import Columns, Rows, Sample, choose
from topminer.text.reading.decode import Skipped, check_encoding, decoded
from topminer.text.reading.delimited import delimited_rows
from topminer.text.reading.jsonlines import json_rows
from topminer.text.reading.parquet import parquet_rows, spooled
from topminer.text.reading.plain import file_rows, line_rows
from topminer.text.reading.source import Part, find_source
from topminer.text.reading.stream import chunks, compression_of
from topminer.text.reading.times import parse_times

__all__ = ["Batch", "Columns", "Reading", "Skipped"]

SEPARATORS = {"csv": ord(","), "tsv": ord("\t")}


class Batch(NamedTuple):
    """Some documents, in the order of the source."""

    texts: pl.Series
    """String; no nulls, no blank ones."""
    ids: pl.Series
    """String; from the id column, else the row or line (from 1), for a folder of texts the relative path."""
    times: pl.Series | None
    """Datetime in microseconds, null where unknown; None when no time column was asked for."""


class Reading:
    """The documents of one source, in batches of bounded size.

    Iterate over it for the batches. What was taken and what was skipped is known as far as
    the iteration has come.

    Parameters
    ----------
    source : path, "-" or binary file
        A .txt (one document a line), .csv, .tsv, .jsonl or .parquet file, each also with .gz, .xz or .zst
        behind; a folder of .txt files (each one document) or of parts of one table; "-" for standard input.
    text, id, time : str, optional
        The columns to read. Without a name, the text is the column called "text", else the only one that
        looks like texts; the id is the column called "id", if there is one; times are read only if named.
    format : {"txt", "csv", "tsv", "jsonl", "parquet"}, optional
        The format, where the ending of the name does not tell it.
    encoding, errors : str
        How bytes become text. ``errors="replace"`` puts U+FFFD for what cannot be decoded, ``"strict"``
        refuses it.
    batch_bytes : int
        How much text a batch holds, about. The documents do not depend on it.

    Attributes
    ----------
    name : str
        What messages call the source.
    columns : Columns
        The columns taken as text, id and time, once the first batch is read; None where there is none.
    skipped : Skipped
        What was left out or replaced.
    bytes_read, bytes_total : int
        How much of the file was read, and its size (None where nobody knows), for progress bars.

    Raises
    ------
    InputError
        If the source cannot be read; the message names file and line. Much shows only while iterating.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | IO[bytes],
        *,
        text: str | None = None,
        id: str | None = None,
        time: str | None = None,
        format: str | None = None,
        encoding: str = "utf-8",
        errors: str = "replace",
        batch_bytes: int = 4 << 20,
    ) -> None:
        check_encoding(encoding, errors)
        if batch_bytes < 1:
            raise InputError(f"batch_bytes is {batch_bytes}; it must be at least 1")
        self._source = find_source(source, format)
        self._asked = Columns(text, id, time)
        if self._source.format == "txt" and any(self._asked):
            named = next(filter(None, self._asked))
            raise InputError(
                f"{self._source.name}: column {named!r} was asked for, but plain text has no columns"
            )
        self._encoding = encoding
        self._errors = errors
        self._batch_bytes = batch_bytes
        self.name = self._source.name
        self.bytes_total = self._source.n_bytes
        self._begin()

    def _begin(self) -> None:
        """Forget what an earlier iteration has counted."""
        self.columns = Columns()
        self.skipped = Skipped()
        self.bytes_read = 0

    def __iter__(self) -> Iterator[Batch]:
        self._begin()
        any_text = False
        for rows in self._rows():
            batch = self._batch(rows)
            if not batch.texts.is_empty():
                any_text = True
                yield batch
        if any_text:
            return
        n_blank = self.skipped.blank_documents
        if n_blank == 0 and self.bytes_read == 0 and not self.bytes_total:
            raise InputError(f"{self.name} is empty")
        raise InputError(f"no documents in {self.name}" + (f": {n_blank} blank ones" if n_blank else ""))

    def _rows(self) -> Iterator[Rows]:
        """Read the parts of the source, one behind the other."""
        source = self._source
        if source.format != "txt":
            for part in source.parts:
                for rows in self._table_rows(part):
                    yield _numbered_in(part, rows) if source.is_folder else rows
        elif source.is_folder:
            yield from file_rows(((part.id, self._decoded(part)) for part in source.parts), self._batch_bytes)
        else:
            yield from line_rows(self._decoded(source.parts[0]), self._batch_bytes)

    def _table_rows(self, part: Part) -> Iterator[Rows]:
        """Read one file that has columns."""
        choose, size = partial(self._choose, part.name), self._batch_bytes
        if self._source.format == "jsonl":
            return json_rows(self._decoded(part), part.name, size, choose)
        if self._source.format in SEPARATORS:
            separator = SEPARATORS[self._source.format]
            return delimited_rows(self._decoded(part), part.name, separator, size, choose)
        if isinstance(part.file, Path) and not compression_of(part.name):
            return parquet_rows(part.file, part.name, size, choose, self._count)
        pieces = chunks(part.file, part.name, self._count)
        return spooled(pieces, lambda path: parquet_rows(path, part.name, size, choose, lambda n_bytes: None))

    def _decoded(self, part: Part) -> Iterator[bytes]:
        """Read one file as UTF-8."""
        pieces = chunks(part.file, part.name, self._count)
        return decoded(pieces, part.name, self._encoding, self._errors, self.skipped)

    def _count(self, n_bytes: int) -> None:
        """Count bytes as read."""
        self.bytes_read += n_bytes

    def _choose(self, source: str, names: Sequence[str], sample: Sample) -> Columns:
        """Choose the columns; further parts of a table have those of the first."""
        asked = self.columns if self.columns.text else self._asked
        self.columns = choose(asked, names, sample, source)
        return self.columns

    def _batch(self, rows: Rows) -> Batch:
        """Leave out what is blank, name the documents, and parse times."""
        frame = pl.DataFrame({"text": rows.columns["text"], "id": rows.numbers.cast(pl.String)})
        if (ids := rows.columns.get("id")) is not None:
            frame = frame.with_columns(id=pl.when(ids != "").then(ids).otherwise("id"))
        if (times := rows.columns.get("time")) is not None:
            frame = frame.with_columns(time=parse_times(times, rows.place))
        kept = frame.filter(pl.col("text").str.strip_chars() != "")
        self.skipped.blank_documents += frame.height - kept.height
        self.skipped.nul_characters += int(kept["text"].str.count_matches("\0", literal=True).sum())
        return Batch(kept["text"], kept["id"], None if times is None else kept["time"])


def _numbered_in(part: Part, rows: Rows) -> Rows:
    """Name rows by their file too, where there are several."""
    return rows._replace(numbers=pl.select(pl.format("{}:{}", pl.lit(part.id), rows.numbers)).to_series())
