r"""Files to documents, in batches of bounded size.

    >>> import io
    >>> reading = Reading(io.BytesIO(b"a first text\n\na third one\n"))
    >>> [batch.ids.to_list() for batch in reading], reading.skipped.blank_documents
    ([['1', '3']], 1)

All formats are read the same way: pieces of bytes (:mod:`.stream`) are decoded to UTF-8 (:mod:`.decode`), cut
into blocks of whole records and parsed to rows (:mod:`.delimited`, :mod:`.jsonlines`, :mod:`.parquet`). Rows
without text are left out and counted here.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from copy import copy
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO

import polars as pl

from topminer.errors import InputError
from topminer.text.documents import Batch
from topminer.text.provenance import Skipped
from topminer.text.reading.columns import Columns, Rows, Sample, check, choose
from topminer.text.reading.decode import check_encoding, decoded
from topminer.text.reading.delimited import delimited_rows
from topminer.text.reading.jsonlines import json_rows
from topminer.text.reading.parquet import can_be_read_in_place, merged, parquet_rows, split, spooled
from topminer.text.reading.plain import file_rows, line_rows
from topminer.text.reading.source import Unit, find_source
from topminer.text.reading.stream import MAX_RECORD_BYTES, chunks, too_long
from topminer.text.reading.times import parse_times

SEPARATORS = {"csv": ord(","), "tsv": ord("\t")}


class Reading:
    """The documents of one source, in batches of bounded size.

    Iterate over it for the batches, which have no blank texts. A document's id is that of the id column, else
    its row or line (from 1), in a folder of texts its relative path. The parameters are those of
    :meth:`.Corpus.read`; times are read only if named. Most errors are found while iterating. Several
    processes may share the work: :meth:`split` returns a reading for each, which can be pickled.

    While iterating, ``columns`` are those that are read as text, id and time, ``skipped`` is what was left
    out or replaced so far, and ``bytes_read`` of ``bytes_total`` (None: unknown) is for progress bars.
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
        if self._source.format == "txt" and (asked := self._asked.by_role()):
            named = next(iter(asked.values()))
            raise InputError(
                f"{self._source.name}: column {named!r} was asked for, but plain text has no columns"
            )
        self._encoding = encoding
        self._errors = errors
        self._batch_bytes = batch_bytes
        self._settled = Columns()
        self._is_whole = True
        self.name = self._source.name
        self.bytes_total = self._source.n_bytes
        self._begin()

    def units(self) -> list[Unit]:
        """Return the parts of the source that can be read by themselves: files, or rows of large files."""
        if self._source.format != "parquet":
            return list(self._source.units)
        return [part for unit in self._source.units for part in split(unit)]

    def settle(self) -> None:
        """Choose the columns to read, by the first file that has any."""
        self._begin()
        for unit in self._source.units if self._source.format != "txt" else ():
            next(self._table_rows(unit), None)
            if self.columns.text is not None:
                break
        self._settled = self.columns

    def split(self, n: int) -> list[Reading]:
        """Return readings of ``n`` stretches of the source, in order, of about equal size.

        Together they yield the documents of the whole source, with the same ids, times and counts. An empty
        stretch is not an error. Call :meth:`settle` first.
        """
        units = self.units()
        ends = list(accumulate(unit.n_bytes or 0 for unit in units))
        total = ends[-1] if ends else 0
        # A unit belongs to the stretch that contains its middle.
        middles = [2 * end - (unit.n_bytes or 0) for end, unit in zip(ends, units, strict=True)]
        bounds = [0, *(bisect_left(middles, 2 * total * i / n) for i in range(1, n)), len(units)]
        return [self._only(units[start:stop]) for start, stop in pairwise(bounds)]

    def _only(self, units: list[Unit]) -> Reading:
        """Return a reading of some units. Its paths are absolute: another process may read them."""
        reading = copy(self)
        units = [
            unit._replace(file=unit.file.absolute()) if isinstance(unit.file, Path) else unit
            for unit in merged(units)
        ]
        reading._source = self._source._replace(units=units)
        reading._is_whole = False
        reading.bytes_total = reading._source.n_bytes
        reading._begin()
        return reading

    def _begin(self) -> None:
        """Reset what an earlier iteration counted."""
        self.columns = self._settled
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
        if self._is_whole and not any_text:
            raise self.nothing()

    def nothing(self) -> InputError:
        """Return the error of a source without documents."""
        n_blank = self.skipped.blank_documents
        if n_blank == 0 and self.bytes_read == 0 and not self.bytes_total:
            return InputError(f"{self.name} is empty")
        return InputError(f"no documents in {self.name}" + (f": {n_blank} blank ones" if n_blank else ""))

    def _rows(self) -> Iterator[Rows]:
        """Read the units of the source, one after the other."""
        source = self._source
        if source.format != "txt":
            for unit in source.units:
                for rows in self._table_rows(unit):
                    yield _numbered_in(unit, rows) if source.is_folder else rows
        elif source.is_folder:
            yield from file_rows(((unit, self._decoded(unit)) for unit in source.units), self._batch_bytes)
        else:
            for unit in source.units:
                yield from line_rows(self._decoded(unit), unit.name, self._batch_bytes)

    def _table_rows(self, unit: Unit) -> Iterator[Rows]:
        """Read a unit that has columns."""
        choose, size = partial(self._choose, unit.name), self._batch_bytes
        if self._source.format == "jsonl":
            return json_rows(self._decoded(unit), unit.name, size, choose)
        if self._source.format in SEPARATORS:
            separator = SEPARATORS[self._source.format]
            return delimited_rows(self._decoded(unit), unit.name, separator, size, choose)
        if isinstance(unit.file, Path) and can_be_read_in_place(unit):
            return parquet_rows(unit.file, unit, size, choose, self._count)
        pieces = chunks(unit.file, unit.name, self._count)
        return spooled(
            pieces, unit.name, lambda path: parquet_rows(path, unit, size, choose, lambda n_bytes: None)
        )

    def _decoded(self, unit: Unit) -> Iterator[bytes]:
        """Read a file as UTF-8."""
        pieces = chunks(unit.file, unit.name, self._count)
        return decoded(pieces, unit.name, self._encoding, self._errors, self.skipped)

    def _count(self, n_bytes: int) -> None:
        """Count bytes as read."""
        self.bytes_read += n_bytes

    def _choose(self, source: str, names: Sequence[str], sample: Sample) -> Columns:
        """Choose the columns; further parts of a table have those of the first."""
        if self.columns.text is not None:
            check(self.columns, names, source)
        else:
            self.columns = choose(self._asked, names, sample, source)
        return self.columns

    def _batch(self, rows: Rows) -> Batch:
        """Leave out blank documents, add ids, and parse times."""
        frame = pl.DataFrame({"text": rows.columns["text"], "id": rows.numbers.cast(pl.String)})
        n_bytes = frame["text"].str.len_bytes()
        if (i := n_bytes.arg_max()) is not None and n_bytes[i] > MAX_RECORD_BYTES:
            raise too_long(rows.place(i), "a document")
        if (ids := rows.columns.get("id")) is not None:
            frame = frame.with_columns(id=pl.when(ids != "").then(ids).otherwise("id"))
        if (times := rows.columns.get("time")) is not None:
            frame = frame.with_columns(time=parse_times(times, rows.place))
        kept = frame.filter(pl.col("text").str.strip_chars() != "")
        self.skipped.blank_documents += frame.height - kept.height
        self.skipped.count_nuls(kept["text"])
        return Batch(kept["text"], kept["id"], None if times is None else kept["time"])


def _numbered_in(unit: Unit, rows: Rows) -> Rows:
    """Add the file to the numbers of rows, where a source has several files."""
    return rows._replace(numbers=pl.select(pl.format("{}:{}", pl.lit(unit.id), rows.numbers)).to_series())
