"""Search in the documents' texts: an index in SQLite (FTS5), made when it is first asked for.

The index lies beside the model in ``search.sqlite``, or in a temporary file where that cannot be written. It
holds no texts, only where each word stands, and the name of the model it was made from: that of another model
is made anew. A query is data: words, and phrases in quotation marks, all of which a document must have.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from topminer.views.explorer.words import folded_words, spaced

FILE = "search.sqlite"
BATCH, BATCH_BYTES = 5_000, 4 << 20  # documents, and how long they are at most
PATIENCE = 0.2  # seconds: an index that is made in less is not worth a word
MOST_TERMS = 32  # of a query; more are left out
SHORTEST_PREFIX = 2  # characters: a shorter last word is meant whole
_FORMAT = 1
# Words come folded and with blanks between: to this tokenizer all that is not ASCII is part of a word.
_SCHEMA = {
    "about": "CREATE TABLE about (format INTEGER, model TEXT, n_documents INTEGER)",
    "texts": "CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='ascii')",
}


@dataclass(frozen=True)
class Term:
    """A word, or words that must stand side by side; the last of them may go on."""

    words: tuple[str, ...]
    is_prefix: bool = False

    def matches(self, words: list[str], at: int) -> bool:
        """Whether the term stands among ``words`` from ``at`` on."""
        here = words[at : at + len(self.words)]
        if len(here) < len(self.words) or here[:-1] != list(self.words[:-1]):
            return False
        return here[-1].startswith(self.words[-1]) if self.is_prefix else here[-1] == self.words[-1]


class Unavailable(RuntimeError):
    """A file beside the model, the index or labels.json, cannot be read or made."""


@dataclass(frozen=True)
class Building:
    """The index is not there yet."""

    done: int
    total: int


@dataclass(frozen=True)
class Hits:
    """Rows of the documents found, the best first, and how many there are in all."""

    total: int
    rows: list[int]


def terms_of(query: str) -> list[Term]:
    """What a query asks for.

    >>> terms_of('mining "frequent patterns" tre')
    [Term(words=('mining',), is_prefix=False), Term(words=('frequent', 'patterns'), is_prefix=False), \
Term(words=('tre',), is_prefix=True)]
    """
    terms: list[Term] = []
    is_open = False
    for number, part in enumerate(query.split('"')):
        for item in [part] if number % 2 else part.split():
            if words := tuple(folded_words(item)):
                terms.append(Term(words))
                is_open = number % 2 == 0
    terms = terms[:MOST_TERMS]
    if terms and is_open and len(terms[-1].words[-1]) >= SHORTEST_PREFIX:
        terms[-1] = Term(terms[-1].words, is_prefix=True)
    return terms


def match_of(terms: list[Term]) -> str:
    """Terms in the language of FTS5. Words have letters, digits and marks only: nothing can go wrong."""
    return " AND ".join(f'"{" ".join(term.words)}"' + " *" * term.is_prefix for term in terms)


class SearchIndex:
    """The index of some texts; ``model`` names the model that they belong to."""

    def __init__(self, texts: pl.Series, directory: Path, model: str) -> None:
        self._texts, self._model = texts, model
        self._path = directory / FILE
        self._own: Path | None = None  # a temporary folder
        self._is_ready = False
        self._is_damaged = False
        self._done = 0
        self._error: Exception | None = None
        self._builder: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def find(self, terms: list[Term], offset: int, limit: int) -> Hits | Building:
        """Documents that have all terms; where there is no index yet, it is begun."""
        if not terms:
            return Hits(0, [])
        if not self._ready_or_begun():
            self.wait(PATIENCE)
            if not self._ready_or_begun():
                return Building(self._done, len(self._texts))
        try:
            return self._found(match_of(terms), offset, limit)
        except (sqlite3.DatabaseError, ValueError):  # damaged, or gone
            with self._lock:
                self._is_ready, self._is_damaged = False, True
            self._ready_or_begun()
            return Building(0, len(self._texts))

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the index is made, if it is being made; no longer than some seconds."""
        builder = self._builder
        if builder is not None:
            builder.join(seconds)

    def close(self) -> None:
        """Give up what is being made, and leave nothing temporary behind."""
        self._closing.set()
        self.wait()
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)

    def _found(self, match: str, offset: int, limit: int) -> Hits:
        with closing(_opened(self._path)) as database:
            (total,) = database.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (match,)).fetchone()
            rows = database.execute(
                "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank, rowid LIMIT ? OFFSET ?",
                (match, limit, offset),
            ).fetchall()
        numbers = [row - 1 for (row,) in rows]
        if not all(0 <= number < len(self._texts) for number in numbers):
            raise ValueError("the index is of other documents")
        return Hits(total, numbers)

    # ------------------------------------------------------------------ making

    def _ready_or_begun(self) -> bool:
        """Whether the index is there; where it is not, somebody is at it from now on."""
        if self._is_ready:
            return True
        with self._lock:
            if self._builder is not None and self._builder.is_alive():
                return False
            if self._error is not None:
                error, self._error = self._error, None  # the next one who asks has it tried again
                reason = getattr(error, "strerror", None) or error  # without the path
                raise Unavailable(f"the search index cannot be made: {reason}")
            if not self._is_ready:
                self._is_ready = self._is_current()
            if not self._is_ready and not self._closing.is_set():
                self._done = 0
                self._builder = threading.Thread(target=self._build, name="search index", daemon=True)
                self._builder.start()
            return self._is_ready

    def _is_current(self) -> bool:
        """Whether the file is this model's index, and just what we write."""
        if self._is_damaged or not self._path.is_file():
            return False
        try:
            with closing(_opened(self._path)) as database:
                schema = database.execute("SELECT name, type, sql FROM sqlite_schema").fetchall()
                found = {name: sql for name, _, sql in schema if not name.startswith("texts_")}
                if found != _SCHEMA or any(kind != "table" for _, kind, _ in schema):
                    return False
                about = database.execute("SELECT * FROM about").fetchall()
        except sqlite3.DatabaseError:
            return False
        return bool(about == [(_FORMAT, self._model, len(self._texts))])

    def _build(self) -> None:
        try:
            try:
                self._write(self._path)
            except (OSError, sqlite3.Error):
                self._own = self._own or Path(tempfile.mkdtemp(prefix="topminer-"))
                self._path = self._own / FILE
                self._done = 0
                self._write(self._path)
        except Exception as error:
            self._error = error

    def _write(self, path: Path) -> None:
        with _unfinished(path) as (name, database):
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("PRAGMA synchronous = OFF")
            database.execute("BEGIN")
            for statement in _SCHEMA.values():
                database.execute(statement)
            for first, stop in _batches(self._texts):
                if self._closing.is_set():
                    return
                words = spaced([text or "" for text in self._texts[first:stop].to_list()])
                database.executemany(
                    "INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(words, first + 1)
                )
                self._done = stop
            database.execute("INSERT INTO texts (texts) VALUES ('optimize')")
            database.execute("INSERT INTO about VALUES (?, ?, ?)", (_FORMAT, self._model, len(self._texts)))
            database.execute("COMMIT")
            database.close()
            os.replace(name, path)
            self._is_ready, self._is_damaged = True, False


def _batches(texts: pl.Series) -> Iterator[tuple[int, int]]:
    """Cut texts into batches that are small in memory, unless a text by itself is not."""
    behind = texts.str.len_bytes().fill_null(0).cast(pl.Int64).cum_sum().to_numpy()
    first, before = 0, 0
    while first < len(texts):
        full = int(np.searchsorted(behind, before + BATCH_BYTES, "right"))
        stop = min(max(full, first + 1), first + BATCH)
        yield first, min(stop, len(texts))
        first, before = stop, int(behind[min(stop, len(texts)) - 1])


def _opened(path: Path) -> sqlite3.Connection:
    """A file to read from, whoever wrote it."""
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    database.execute("PRAGMA trusted_schema = OFF")
    return database


@contextmanager
def _unfinished(path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """A database under a name of its own, which is gone in the end if it was not renamed."""
    name = path.with_name(f".{path.name}-unfinished-{secrets.token_hex(8)}")
    os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # never through somebody's link
    try:
        with closing(sqlite3.connect(name, isolation_level=None)) as database:
            yield name, database
    finally:
        name.unlink(missing_ok=True)
