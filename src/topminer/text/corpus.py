"""The corpus: flat arrays of kept tokens, and the tables needed to show them as they were written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer import store
from topminer.containers.arrays import choose
from topminer.containers.deferred import Deferred
from topminer.containers.strings import Strings, StringTable
from topminer.errors import InputError
from topminer.progress import Progress, silent
from topminer.store.formats import STORED_CORPUS
from topminer.text.corpus_fields import (
    ARRAYS,
    BATCH_BYTES,
    fields_from_reading,
    fields_from_stored,
    fields_from_texts,
    selected_tokens,
    tables_of_documents,
)
from topminer.text.documents import Document
from topminer.text.filtering import filtered
from topminer.text.kinds import KindsParameter
from topminer.text.provenance import Origin, without_paths
from topminer.text.reading.reader import Reading
from topminer.text.rules import StopWordPolicy, TextRules, fold
from topminer.text.surface import Writing
from topminer.text.words import Roles, Vocabulary


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents as kept tokens. Made by :meth:`from_texts`, :meth:`read` or :meth:`load`; immutable.

    Attributes
    ----------
    stem_ids, surface_ids, gap_ids, starts : int32 arrays (tokens,)
        Of each kept token: its stem (a row of `vocabulary`), its surface (a row of `surfaces`), the
        text between it and the kept token before it in its chunk (a row of `gaps`), and its first
        character in the document's text. It ends ``len(surface)`` characters after that.
    doc_start : int64 array (documents + 1,)
        First kept token of each document; a document without kept tokens is empty.
    chunk_start : int64 array (chunks + 1,)
        First kept token of each chunk; no chunk is empty, none crosses a document's end.
    vocabulary : polars.DataFrame
        ``stem``, ``surface`` (the one that is shown), ``count``; the most frequent first.
    surfaces : polars.DataFrame
        ``surface``, ``stem`` (id), ``count``; by first occurrence.
    gaps : polars.Series
        Texts between kept tokens, stop words included; the first is one blank.
    ids, times, texts : polars.Series
        Of each document. `times` is None without a time column, `texts` with ``keep_texts=False``.
    rules, origin : TextRules, Origin
        How the text was read; where the corpus came from, and what was left out.

    Examples
    --------
    >>> from topminer import Corpus
    >>> corpus = Corpus.from_texts(["Mining frequent patterns, and frequent pattern trees."])
    >>> corpus.to_lists()
    [['mine', 'frequent', 'pattern', 'frequent', 'pattern', 'tree']]
    >>> corpus.n_chunks
    2
    """

    stem_ids: NDArray[np.int32]
    surface_ids: NDArray[np.int32]
    gap_ids: NDArray[np.int32]
    starts: NDArray[np.int32]
    doc_start: NDArray[np.int64]
    chunk_start: NDArray[np.int64]
    vocabulary: pl.DataFrame
    times: pl.Series | None
    texts: pl.Series | None
    rules: TextRules
    origin: Origin
    surfaces: Deferred[pl.DataFrame] = Deferred()
    gaps: Deferred[pl.Series] = Deferred()
    ids: Deferred[pl.Series] = Deferred()

    def __post_init__(self) -> None:
        for array in self._arrays().values():
            array.flags.writeable = False

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[Document],
        language: str | None = "english",
        stem: bool = True,
        stop_words: Iterable[str] | PathLike[str] | None = None,
        stop_word_policy: StopWordPolicy = "skip",
        *,
        numbers: bool = True,
        token_pattern: str | None = None,
        kinds: KindsParameter = "auto",
        add_stop_words: Iterable[str] | PathLike[str] | None = None,
        ids: Iterable[str] | None = None,
        keep_texts: bool = True,
        n_threads: int | None = None,
        progress: Progress = silent,
        batch_bytes: int = BATCH_BYTES,
    ) -> Corpus:
        """Make a corpus from documents in memory.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            Documents as strings (any iterable; a pandas, Polars or Arrow column), or as lists of tokens,
            whose text is then the tokens joined by blanks. None and NaN are empty documents.
            Mappings, sets and rows of tables are refused: give ``[row["text"] for row in rows]``.
        language : str or None, default "english"
            Name or ISO code; chooses stop words and stemmer.
        stem : bool, default True
            Count words by their stem.
        stop_words, add_stop_words : iterable of str, or pathlib.Path, or None
            None: the language's list. An empty list: none. A path: a file with one word a line. Those of
            `add_stop_words` are added.
        stop_word_policy : {"skip", "keep", "break"}
            What stop words do: be left out before mining and shown again; be kept; or end a chunk.
        numbers : bool, default True
            Keep numbers; otherwise they are left out and end a chunk.
        token_pattern : str or None
            A regular expression whose matches are the tokens. None: the scanner finds them.
        kinds : "auto", mapping or None
            What becomes of URLs, markup and so on (docs/text.md): a mapping from kinds to "drop", "skip" or
            "keep" changes the defaults. None: the text is read as it stands.
        ids : iterable of str or None
            Names of the documents; None: their numbers from 1.
        keep_texts : bool, default True
            Keep the documents' texts too.
        n_threads, batch_bytes : int or None, int
            Threads (None: all cores), and the size of batches. The result does not depend on them.
        progress : callable
            See :class:`topminer.progress.Progress`.

        Returns
        -------
        Corpus
            With as many documents as `texts` has, empty ones included.
        """
        rules = TextRules.choose(
            language, stem, stop_words, stop_word_policy, numbers, token_pattern, kinds, add_stop_words
        )
        fields = fields_from_texts(
            texts, rules, n_threads, progress, ids=ids, keep_texts=keep_texts, batch_bytes=batch_bytes
        )
        return cls(**fields).require_tokens()

    @classmethod
    def read(
        cls,
        source: str | PathLike[str] | IO[bytes],
        text: str | None = None,
        id: str | None = None,
        time: str | None = None,
        *,
        format: str | None = None,
        encoding: str = "utf-8",
        errors: str = "replace",
        language: str | None = "english",
        stem: bool = True,
        stop_words: Iterable[str] | PathLike[str] | None = None,
        stop_word_policy: StopWordPolicy = "skip",
        numbers: bool = True,
        token_pattern: str | None = None,
        kinds: KindsParameter = "auto",
        add_stop_words: Iterable[str] | PathLike[str] | None = None,
        keep_texts: bool = True,
        n_threads: int | None = None,
        progress: Progress = silent,
        batch_bytes: int = BATCH_BYTES,
    ) -> Corpus:
        """Make a corpus from a file, a folder of files, or standard input (``"-"``).

        Blank documents are skipped and counted in ``origin``.

        Parameters
        ----------
        source : path
            .txt (one document a line), a folder of .txt, .csv, .tsv, .jsonl or .parquet; also .gz, .xz, .zst.
        text, id, time : str or None
            Names of columns. Without `text`, the column called "text" or the only text-like one is taken.
        format : {"txt", "csv", "tsv", "jsonl", "parquet"} or None
            None: by the ending of the file's name.
        encoding, errors : str
            How bytes are decoded; `errors` is "replace" (counted and reported) or "strict" (an error).
        language, stem, …, batch_bytes
            As in :meth:`from_texts`.
        """
        rules = TextRules.choose(
            language, stem, stop_words, stop_word_policy, numbers, token_pattern, kinds, add_stop_words
        )
        columns = {"text": text, "id": id, "time": time, "format": format}
        reading = Reading(source, **columns, encoding=encoding, errors=errors, batch_bytes=batch_bytes)
        found = fields_from_reading(reading, rules, n_threads, progress, keep_texts=keep_texts)
        return cls(**found).require_tokens()

    @classmethod
    def bare(cls, vocabulary: pl.DataFrame, rules: TextRules, origin: Origin) -> Corpus:
        """Make a corpus without documents: its vocabulary is enough to :meth:`encode` other documents."""
        fields = fields_from_texts((), rules, 1, silent, keep_texts=False)
        return cls(**fields | {"vocabulary": vocabulary, "origin": origin})

    def encode(
        self, texts: Iterable[Document], *, n_threads: int | None = None, progress: Progress = silent
    ) -> Corpus:
        """Return new documents, read by the same rules, as a corpus with the same vocabulary.

        The stem id of a word that this corpus does not have is -1. Documents may have no kept tokens at all.
        """
        return Corpus(**fields_from_texts(texts, self.rules, n_threads, progress, known=self._known))

    def filtered(self, *, min_df: float = 1, max_df: float = 1.0, dedupe: bool = False) -> Corpus:
        """Return the corpus without words that are in fewer or more documents than these (docs/text.md).

        Floats are shares of the documents. ``dedupe`` leaves out near duplicates too.
        """
        return filtered(self, min_df, max_df, dedupe).require_tokens()

    def in_vocabulary_of(self, other: Corpus) -> Corpus:
        """Return the same documents with the stem ids of another corpus, -1 for unknown stems."""
        if self.vocabulary is other.vocabulary:
            return self
        found = other._known.ids.find_strings(Strings.from_series(self.vocabulary["stem"]))
        id_of = np.append(found, np.int32(-1))  # an id that is -1 already stays -1
        stem = pl.Series("stem", id_of[self.surfaces["stem"].to_numpy()])
        surfaces = self.surfaces.with_columns(stem)
        return replace(self, stem_ids=id_of[self.stem_ids], vocabulary=other.vocabulary, surfaces=surfaces)

    writing = cached_property(Writing.of)  # how its words are written, to show its phrases

    @cached_property
    def _known(self) -> Vocabulary:
        """What :meth:`encode` needs; made once, so that encoding a few documents is quick."""
        ids = StringTable()
        ids.add_strings(Strings.from_series(self.vocabulary["stem"]))
        return Vocabulary(self.vocabulary, ids, Roles(self.rules))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def require_tokens(self) -> Corpus:
        """Return the corpus itself; raise an error if no token is kept, since there is nothing to mine."""
        if not self.n_tokens:
            raise self.origin.nothing_kept(len(self))
        return self

    def __len__(self) -> int:
        return self.doc_start.size - 1

    @property
    def shape(self) -> tuple[int]:
        """(documents,): scikit-learn reads it from anything that it selects rows of."""
        return (len(self),)

    def __repr__(self) -> str:
        counted = f"{self.n_tokens:,} kept tokens, {self.n_stems:,} stems, {self.n_chunks:,} chunks"
        return f"Corpus({len(self):,} documents, {counted})"

    @property
    def n_tokens(self) -> int:
        """Number of kept tokens: the L of the paper's equation 1."""
        return self.stem_ids.size

    @property
    def n_stems(self) -> int:
        """Number of distinct stems: the paper's V."""
        return self.vocabulary.height

    @property
    def n_chunks(self) -> int:
        """Number of chunks."""
        return self.chunk_start.size - 1

    @property
    def stops(self) -> NDArray[np.int32]:
        """The character after each kept token, in its document's text."""
        lengths = self.surfaces["surface"].str.len_chars().to_numpy().astype(np.int32)
        return self.starts + lengths[self.surface_ids]

    def stems(self) -> pl.Series:
        """Return the stem of each kept token; for a word outside the vocabulary, its folded surface."""
        if self.n_stems == 0 or (self.n_tokens and self.stem_ids.min() < 0):
            stem, surfaces = self.vocabulary["stem"], self.surfaces.select("surface", "stem").iter_rows()
            shown = [stem[i] if i >= 0 else fold(surface) for surface, i in surfaces]
            return pl.Series("stem", shown, dtype=pl.String).gather(self.surface_ids)
        return self.vocabulary["stem"].gather(self.stem_ids)

    def to_lists(self) -> list[list[str]]:
        """Return the documents as lists of stems."""
        stems = self.stems().to_list()
        return [stems[start:stop] for start, stop in pairwise(self.doc_start.tolist())]

    def __getitem__(self, documents: int | slice | Sequence[int] | NDArray[Any]) -> Corpus:
        """Return some of the documents, as a corpus with the same vocabulary and stem ids."""
        chosen = choose(documents, len(self))
        rows = pl.Series(chosen)
        return replace(
            self,
            **selected_tokens(self._arrays(), chosen),
            ids=self.ids.gather(rows),
            times=None if self.times is None else self.times.gather(rows),
            texts=None if self.texts is None else self.texts.gather(rows),
        )

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in ARRAYS}

    def stored(self, *, keep_paths: bool = True) -> store.Stored:
        """Return what is written to a directory, with or without the names of the files it came from."""
        tables = {
            "vocabulary": self.vocabulary,
            "surfaces": self.surfaces,
            "gaps": pl.DataFrame({"gap": self.gaps}),
            **tables_of_documents(self.ids, self.times, self.texts),
        }
        facts = {"rules": self.rules.to_json(), "origin": asdict(self.origin)}
        return store.Stored(facts if keep_paths else without_paths(facts), self._arrays(), tables)

    @classmethod
    def restored(cls, stored: store.Stored) -> Corpus:
        """Return the corpus that was stored."""
        return cls(**fields_from_stored(stored))

    def save(self, directory: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the corpus to a directory: JSON, .npy and Parquet, atomically (see topminer.store)."""
        store.write(Path(directory), STORED_CORPUS, self.stored(), overwrite=overwrite)

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Corpus:
        """Load what :meth:`save` wrote. A directory that is damaged, foreign or too new is refused."""
        stored = store.read(Path(directory), STORED_CORPUS)
        try:
            return cls.restored(stored)
        except InputError as error:
            raise InputError(f"{directory}: damaged: {error}") from None
