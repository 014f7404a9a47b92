"""Search in the documents' texts: an index in SQLite (FTS5), built when it is first needed.

The index lies in the user's cache folder, in a file named after the model's digest. It has the places of
words and no texts. Where no file can be written, the index is in memory. A query is data: words, and phrases
in quotation marks, all of which a document must have.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from topminer.store.unfinished import remove_abandoned, replacing
from topminer.user_cache import user_cache
from topminer.views.explorer.words import folded_words, spaced

FORMAT = 2
MAX_INDEXES = 10  # in the cache folder: those that were not used for longest are removed
BATCH, BATCH_BYTES = 5_000, 4 << 20  # documents, and how long they are at most
SHORT_WAIT = 0.2  # seconds: an index that is built in less is not worth a message
MAX_TERMS = 32  # of a query; more are left out
SHORTEST_PREFIX = 2  # characters: a shorter last word is meant whole
# Words come folded and with blanks between: to this tokenizer all that is not ASCII is part of a word.
SCHEMA = "CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='ascii')"


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
    """The index cannot be built."""


@dataclass(frozen=True)
class Building:
    """The index is being built: ``done`` of ``total`` documents are in it."""

    done: int
    total: int


@dataclass(frozen=True)
class Hits:
    """Rows of the documents found, the best first, and how many there are in all."""

    total: int
    rows: list[int]


def terms_of(query: str) -> list[Term]:
    """Return what a query asks for.

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
    terms = terms[:MAX_TERMS]
    if terms and is_open and len(terms[-1].words[-1]) >= SHORTEST_PREFIX:
        terms[-1] = Term(terms[-1].words, is_prefix=True)
    return terms


def match_of(terms: list[Term]) -> str:
    """Return terms in the language of FTS5. Words have letters, digits and marks only: no syntax gets in."""
    return " AND ".join(f'"{" ".join(term.words)}"' + " *" * term.is_prefix for term in terms)


def cache_folder() -> Path | None:
    """Return the folder of indexes in the user's cache; None if the user has no home."""
    cache = user_cache()
    return cache and cache / "search"


class SearchIndex:
    """The index of a model's texts, under the model's digest. Any number of threads may search."""

    def __init__(self, texts: pl.Series, digest: str) -> None:
        folder = cache_folder()
        self._texts, self._path = texts, folder and folder / f"{digest}-{FORMAT}.sqlite"
        self._database: sqlite3.Connection | None = None  # used by one thread at a time, under the lock
        self._lock = threading.Lock()
        self._builder: threading.Thread | None = None
        self._done = 0
        self._error: Exception | None = None
        self._closing = threading.Event()

    def find(self, terms: list[Term], offset: int, limit: int) -> Hits | Building:
        """Return documents that have all terms. Without an index, begin to build it."""
        if not terms:
            return Hits(0, [])
        for seconds in (SHORT_WAIT, 0):
            with self._lock:
                self._open_or_build()
                if self._database is not None:
                    try:
                        return self._hits(self._database, match_of(terms), offset, limit)
                    except (sqlite3.DatabaseError, ValueError):
                        self._discard()
                        self._open_or_build()
            self.wait(seconds)
        return Building(self._done, len(self._texts))

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the index is built, if it is being built; no longer than some seconds."""
        builder = self._builder
        if builder is not None:
            builder.join(seconds)

    def close(self) -> None:
        """Stop building, and close the index."""
        self._closing.set()
        self.wait()
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _hits(self, database: sqlite3.Connection, match: str, offset: int, limit: int) -> Hits:
        (total,) = database.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (match,)).fetchone()
        found = database.execute(
            "SELECT rowid - 1 FROM texts WHERE texts MATCH ? ORDER BY rank, rowid LIMIT ? OFFSET ?",
            (match, limit, offset),
        )
        rows = [row for (row,) in found]
        if not all(0 <= row < len(self._texts) for row in rows):
            raise ValueError("the index is damaged: it has rows that the corpus has not")
        return Hits(total, rows)

    # ------------------------------------------------------------------ building

    def _open_or_build(self) -> None:
        """Open the index, or start a thread that builds it. The caller has the lock."""
        if self._database is not None or (self._builder is not None and self._builder.is_alive()):
            return
        if self._error is not None:
            error, self._error = self._error, None  # the next search tries again
            reason = getattr(error, "strerror", None) or error  # without the path
            raise Unavailable(f"the search index cannot be made: {reason}")
        self._database = _opened(self._path)
        if self._database is None and not self._closing.is_set():
            self._done = 0
            self._builder = threading.Thread(target=self._build, name="search index", daemon=True)
            self._builder.start()

    def _discard(self) -> None:
        """Remove a damaged index."""
        if self._database is not None:
            self._database.close()
            self._database = None
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink()

    def _build(self) -> None:
        """Build the index in a file, or in memory if the file cannot be written."""
        try:
            database = None
            if self._path is not None:
                with suppress(OSError, sqlite3.Error):
                    self._write(self._path)
                    database = _opened(self._path)
            if database is None:
                database = self._in_memory()
        except _Closed:
            return
        except Exception as error:
            self._error = error
            return
        with self._lock:
            self._database = database

    def _write(self, path: Path) -> None:
        """Write the index to a file, whole or not at all. Only the user can read the folder."""
        folder = path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        remove_abandoned(folder)
        with replacing(path) as new, closing(_connected(new, "nolock=1")) as database:
            self._fill(database)
        _remove_oldest(folder)

    def _in_memory(self) -> sqlite3.Connection:
        database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            self._fill(database)
        except BaseException:
            database.close()
            raise
        return database

    def _fill(self, database: sqlite3.Connection) -> None:
        self._done = 0
        database.execute("PRAGMA journal_mode = OFF")  # a file that is not complete is never opened
        database.execute("PRAGMA synchronous = OFF")
        database.execute("BEGIN")
        database.execute(SCHEMA)
        for first, stop in _batches(self._texts):
            if self._closing.is_set():
                raise _Closed
            words = spaced([text or "" for text in self._texts[first:stop].to_list()])
            database.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(words, first + 1))
            self._done = stop
        database.execute("INSERT INTO texts (texts) VALUES ('optimize')")
        database.execute("COMMIT")


class _Closed(Exception):
    """The explorer is closed: the index is not needed any more."""


def _batches(texts: pl.Series) -> Iterator[tuple[int, int]]:
    """Cut texts into batches that are small in memory, unless a text by itself is not."""
    behind = texts.str.len_bytes().fill_null(0).cast(pl.Int64).cum_sum().to_numpy()
    first, before = 0, 0
    while first < len(texts):
        full = int(np.searchsorted(behind, before + BATCH_BYTES, "right"))
        stop = min(max(full, first + 1), first + BATCH, len(texts))
        yield first, stop
        first, before = stop, int(behind[stop - 1])


def _opened(path: Path | None) -> sqlite3.Connection | None:
    """Open an index, and mark it as used now; None if there is none that can be opened."""
    if path is None or not path.is_file():
        return None
    with suppress(OSError, sqlite3.Error):
        os.utime(path)
        return _connected(path, "mode=ro&immutable=1")
    return None


def _connected(path: Path, options: str) -> sqlite3.Connection:
    """Connect to a file without locks. Some network disks have none, and a complete file never changes."""
    name = f"{path.resolve().as_uri()}?{options}"
    return sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False)


def _remove_oldest(folder: Path) -> None:
    """Remove the indexes that were not used for longest."""
    with suppress(OSError):
        indexes = sorted(folder.glob("*.sqlite"), key=lambda path: path.stat().st_mtime)
        for path in indexes[:-MAX_INDEXES]:
            path.unlink(missing_ok=True)
