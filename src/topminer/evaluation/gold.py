"""Lists of phrases that people found good, read with the corpus's own rules so that stems meet stems.

A list is a ``.txt`` file with a phrase a line, or a ``.tsv`` or ``.csv`` file with a phrase and a judgement
(0: not a term, 1 and above: a term); or the keyphrases that each document was given. What the corpus would
count as one phrase is one here::

    Neural networks     1      good: one spelling that is a term is enough. Whoever refused the other
    neural network      0      looked at its form, and stems have none
    the matrix          1      a single word once the stop word is out: left out
    zymurgic algebra    1      a word that the corpus lacks: the phrase can not occur, left out

Punctuation inside a phrase is passed over: "input/output" is "input output".
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from topminer.errors import InputError
from topminer.methods.contract import Stems
from topminer.text.corpus import Corpus
from topminer.text.provenance import Skipped
from topminer.text.reading.decode import decoded
from topminer.text.reading.parquet import parquet_tables, spooled
from topminer.text.reading.reader import Reading
from topminer.text.reading.source import format_of, printable
from topminer.text.reading.stream import blocks, chunks, joined

BLOCK_BYTES = 1 << 20
BETWEEN = ";"  # keyphrases that are one string


class Gold(NamedTuple):
    """Phrases of two or more words that are known to be good, and perhaps some that are known not to be."""

    name: str
    good: frozenset[Stems]
    bad: frozenset[Stems]
    judged: bool  # whether there are bad ones; phrases on neither list then do not count
    n_unknown: int = 0  # phrases left out because the corpus lacks a word of theirs
    n_single: int = 0  # and because they are single words, or nothing
    n_strangers: int = 0  # rows of keyphrases whose name no document of the corpus has
    n_undecodable: int = 0
    first_undecodable: str | None = None

    def skipped(self) -> list[tuple[str, int, str]]:
        """What of the list is not used as it is: what it is, how often, and why."""
        rows = [
            ("phrases with an unknown word", self.n_unknown, "the corpus lacks it, so they can not occur"),
            ("single words", self.n_single, "left out: fewer than two kept tokens"),
            ("rows of keyphrases", self.n_strangers, "left out: no document of the corpus has their name"),
            ("undecodable bytes", self.n_undecodable, f"read as \ufffd; the first: {self.first_undecodable}"),
        ]
        return [(f"{self.name}: {what}", count, why) for what, count, why in rows if count]


def read_gold(path: str | PathLike[str], corpus: Corpus) -> Gold:
    """Read a list of good phrases, or of judged ones, with the rules and stem ids of a corpus.

    The file is .txt, .tsv or .csv, also compressed as .gz, .xz or .zst. A table may have a line of titles.
    """
    name = printable(fspath(path))
    format, skipped = format_of(name), Skipped()
    if format == "txt":
        phrases = [line for line in _text(path, skipped).split("\n") if line.strip()]
        judgements = None
    elif format in ("tsv", "csv"):
        phrases, judgements = _judged(name, _text(path, skipped), "\t" if format == "tsv" else ",")
    else:
        raise InputError(
            f"{name}: unknown ending; expected a list of phrases (.txt) or of judged phrases (.tsv, .csv), "
            "each also with .gz, .xz, .zst behind"
        )
    if not phrases:
        raise InputError(f"{name}: no phrases; expected one a line")
    stems, n_unknown, n_single = _usable(phrases, corpus)
    good = {each for i, each in stems.items() if judgements is None or judgements[i]}
    bad = set(stems.values()) - good
    label = Path(name).name.split(".")[0]
    return Gold(
        label,
        frozenset(good),
        frozenset(bad),
        judgements is not None,
        n_unknown,
        n_single,
        n_undecodable=skipped.undecodable_bytes,
        first_undecodable=skipped.first_undecodable,
    )


def gold_of_keyphrases(
    path: str | PathLike[str], corpus: Corpus, column: str = "keyphrases"
) -> tuple[Gold, list[frozenset[Stems]]]:
    """Read the keyphrases that documents were given: all of them together, and those of each document.

    The file is a .jsonl, .parquet, .csv or .tsv file, also compressed; keyphrases are a list of strings, or
    one string with ``;`` between. A document gets the keyphrases of the row with its name: the id column that
    the corpus was read with, else ``id``, else the number of the row. Documents that share a name share them.
    """
    name = printable(fspath(path))
    phrases: dict[str, int] = {}
    numbers_of: dict[str, set[int]] = {}
    for document, keyphrases in _keyphrases(path, column, corpus.origin.columns.get("id")):
        numbers = numbers_of.setdefault(document, set())
        numbers.update(phrases.setdefault(each, len(phrases)) for each in keyphrases)
    ids: list[str] = corpus.ids.to_list()
    n_strangers = len(numbers_of.keys() - set(ids))
    if n_strangers == len(numbers_of):
        raise InputError(f"{name}: no row has the name of a document of the corpus, such as {ids[0]!r}")
    stems, n_unknown, n_single = _usable(list(phrases), corpus)
    nothing: set[int] = set()
    documents = [frozenset(stems[i] for i in numbers_of.get(each, nothing) if i in stems) for each in ids]
    label = Path(name).name.split(".")[0]
    gold = Gold(label, frozenset(stems.values()), frozenset(), False, n_unknown, n_single, n_strangers)
    return gold, documents


def _usable(phrases: Sequence[str], corpus: Corpus) -> tuple[dict[int, Stems], int, int]:
    """The stems of each phrase that can occur, by its number; how many can not, how many are no phrases."""
    encoded = corpus.encode(phrases)
    stem_ids, start = encoded.stem_ids.tolist(), encoded.doc_start.tolist()
    usable: dict[int, Stems] = {}
    n_unknown = n_single = 0
    for i in range(len(phrases)):
        stems = tuple(stem_ids[start[i] : start[i + 1]])
        if len(stems) < 2:
            n_single += 1
        elif min(stems) < 0:
            n_unknown += 1
        else:
            usable[i] = stems
    return usable, n_unknown, n_single


def _text(path: str | PathLike[str], skipped: Skipped) -> str:
    """A whole file as text, decompressed."""
    name = printable(fspath(path))
    pieces = chunks(Path(path), name, lambda n_bytes: None)
    return joined(decoded(pieces, name, "utf-8", "replace", skipped), name).decode()


def _judged(name: str, text: str, separator: str) -> tuple[list[str], list[bool]]:
    """Phrases, and whether each is good."""
    phrases: list[str] = []
    good: list[bool] = []
    for i, (line, fields) in enumerate(_records(name, text, separator)):
        if len(fields) < 2:
            raise InputError(
                f"{name}, line {line}: found {len(fields)} fields, expected a term and a judgement"
            )
        term, judgement = fields[0], fields[1].strip()
        if judgement.isdecimal():
            phrases.append(term)
            good.append(any(map(int, judgement)))  # digit by digit: int refuses thousands of them at once
        elif i:  # the first line may be one of titles
            raise InputError(
                f"{name}, line {line}: found the judgement {judgement!r}, expected 0 (not a term), "
                "or 1 or more (a term)"
            )
    return phrases, good


def _records(name: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Lines of a table with their numbers, blank ones left out; tab-separated values have no quotes."""
    lines = StringIO(text, newline="")
    quoted = separator == ","
    reader = csv.reader(lines) if quoted else csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE)
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield reader.line_num, fields
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: {error}") from None


def _keyphrases(path: str | PathLike[str], column: str, named: str | None) -> Iterator[tuple[str, list[str]]]:
    """The name of each row, and its keyphrases."""
    name = printable(fspath(path))
    for number, own, given in _rows(path, name, column, named):
        keyphrases = given.split(BETWEEN) if isinstance(given, str) else given or []
        if not isinstance(keyphrases, list) or not all(isinstance(each, str) for each in keyphrases):
            raise InputError(
                f"{name}, row {number}: {column!r} holds {str(given)[:40]}, expected a list of strings, "
                f"or a string with {BETWEEN} between"
            )
        yield str(number if own is None or own == "" else own), [each for each in keyphrases if each.strip()]


def _rows(
    path: str | PathLike[str], name: str, column: str, named: str | None
) -> Iterator[tuple[int | str, Any, Any]]:
    """Of each row its number, its name and what stands in the column."""
    format = format_of(name)
    if format == "jsonl":
        for number, row in _objects(path, name, column):
            yield number, row.get(named or "id"), row.get(column)
    elif format == "parquet":
        rows = (row for table in _tables(path, name, column, named) for row in table.iter_rows(named=True))
        for number, row in enumerate(rows, 1):
            yield number, row.get(named or "id"), row.get(column)
    elif format in ("csv", "tsv"):
        for batch in Reading(path, text=column, id=named):
            assert batch.ids is not None
            for own, text in zip(batch.ids, batch.texts, strict=True):
                yield own, own, text
    else:
        raise InputError(f"{name}: unknown ending; expected .jsonl, .parquet, .csv or .tsv")


def _objects(path: str | PathLike[str], name: str, column: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a .jsonl file, with their lines."""
    found: dict[str, None] = {}
    pieces = decoded(chunks(Path(path), name, lambda n_bytes: None), name, "utf-8", "replace", Skipped())
    lines = (line for block in blocks(pieces, BLOCK_BYTES, name) for line in BytesIO(block))
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}, line {number}: not valid JSON ({error})") from None
        if not isinstance(row, dict):
            shown = line.decode().strip()[:40]
            raise InputError(f"{name}, line {number}: found {shown}, expected a JSON object")
        found |= dict.fromkeys(row)
        yield number, row
    _check_column(name, column, list(found))


def _tables(path: str | PathLike[str], name: str, column: str, named: str | None) -> Iterator[pl.DataFrame]:
    """The columns of a Parquet file that are needed, in parts."""

    def choose(columns: list[str]) -> list[str]:
        _check_column(name, column, columns)
        return [each for each in dict.fromkeys((named or "id", column)) if each in columns]

    pieces = chunks(Path(path), name, lambda n_bytes: None)
    return spooled(pieces, name, lambda copy: parquet_tables(copy, name, choose))


def _check_column(name: str, column: str, columns: Sequence[str]) -> None:
    if column not in columns:
        raise InputError(
            f"{name}: no column {column!r}; its columns are {', '.join(map(repr, columns)) or 'none'}"
        )
