"""The corpus: flat arrays of kept tokens, and everything needed to show them as they were written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer import store
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.progress import Progress, silent
from topminer.store.formats import STORED_CORPUS
from topminer.text.build import build
from topminer.text.documents import Document, documents_in
from topminer.text.gathering import Gathered, Origin, tables_of_documents, without_paths
from topminer.text.ranges import choose, ranges, starts_of
from topminer.text.read import Reading, Skipped
from topminer.text.rules import StopWordPolicy, TextRules, fold

BATCH_BYTES = 4 << 20
_ARRAYS = ("stem_ids", "surface_ids", "gap_ids", "starts", "doc_start", "chunk_start")


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents as kept tokens. Made by :meth:`from_texts`, :meth:`read` or :meth:`load`; never changed.

    Attributes
    ----------
    stem_ids, surface_ids, gap_ids, starts : int32 arrays (tokens,)
        Of each kept token: its stem (a row of `vocabulary`), its surface (a row of `surfaces`), what
        stands between it and the kept token before it in its chunk (a row of `gaps`), and its first
        character in the document's text. It ends ``len(surface)`` characters further on.
    doc_start : int64 array (documents + 1,)
        First kept token of each document; a document without kept tokens is empty.
    chunk_start : int64 array (chunks + 1,)
        First kept token of each chunk; no chunk is empty, none crosses a document's end.
    vocabulary : polars.DataFrame
        ``stem``, ``surface`` (its most frequent one), ``count``; the most frequent first.
    surfaces : polars.DataFrame
        ``surface``, ``stem`` (id), ``count``; by first occurrence.
    gaps : polars.Series
        Texts that stand between kept tokens, stop words included; the first is one blank.
    ids, times, texts : polars.Series
        Of each document. `times` is None without a time column, `texts` with ``keep_texts=False``.
    rules : TextRules
        How the text was read.
    origin : Origin
        Where it came from, and what was skipped.

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
    surfaces: pl.DataFrame
    gaps: pl.Series
    ids: pl.Series
    times: pl.Series | None
    texts: pl.Series | None
    rules: TextRules
    origin: Origin

    def __post_init__(self) -> None:
        for array in self._arrays().values():
            array.flags.writeable = False

    # ------------------------------------------------------------------ making

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
        ids: Iterable[str] | None = None,
        keep_texts: bool = True,
        n_threads: int | None = None,
        progress: Progress = silent,
        batch_bytes: int = BATCH_BYTES,
    ) -> Corpus:
        """Make a corpus of documents in memory.

        Parameters
        ----------
        texts : iterable of str, or of lists of str
            Documents as strings (any iterable; a pandas, Polars or Arrow column), or as lists of tokens,
            whose text is then the tokens with blanks between. None and NaN are empty documents.
            Mappings, sets and rows of tables are refused: give ``[row["text"] for row in rows]``.
        language : str or None, default "english"
            Name or ISO code; chooses stop words and stemmer.
        stem : bool, default True
            Count words by their stem.
        stop_words : iterable of str, or pathlib.Path, or None
            None: the language's list. An empty list: none. A path: a file with one word a line.
        stop_word_policy : {"skip", "keep", "break"}
            Take stop words out before mining and show them again; keep them; or have them end a chunk.
        numbers : bool, default True
            Keep numbers; where not, they end a chunk.
        token_pattern : str or None
            A regular expression whose matches are the tokens, instead of the scanner's.
        ids : iterable of str or None
            Names of the documents; None: their numbers from 1.
        keep_texts : bool, default True
            Keep the texts beside the tokens.
        n_threads : int or None
            None: all cores. The result does not depend on it.
        progress : callable
            See :class:`topminer.progress.Progress`.
        batch_bytes : int
            Size of the batches worked on at a time. The result does not depend on it.

        Returns
        -------
        Corpus
            With as many documents as `texts` has, empty ones included.
        """
        rules = TextRules.choose(language, stem, stop_words, stop_word_policy, numbers, token_pattern)
        gathered, skipped = Gathered(rules, keep_texts), Skipped()
        batches = gathered.watch((batch, None, None) for batch in documents_in(texts, batch_bytes, skipped))
        built = build(batches, rules, n_threads_or_all(n_threads), progress)
        gathered.origin = Origin().with_skipped(skipped)
        return cls(**gathered.fields(built, ids)).or_nothing_kept()

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
        keep_texts: bool = True,
        n_threads: int | None = None,
        progress: Progress = silent,
        batch_bytes: int = BATCH_BYTES,
    ) -> Corpus:
        """Make a corpus of a file, a folder of text files, or standard input (``"-"``).

        Parameters
        ----------
        source : path
            .txt (one document a line), a folder of .txt, .csv, .tsv, .jsonl or .parquet; also .gz, .xz, .zst.
        text, id, time : str or None
            Names of columns. Without `text`, the column called "text" or the only text-like one is taken.
        format : {"txt", "csv", "tsv", "jsonl", "parquet"} or None
            None: as the file's name ends.
        encoding, errors : str
            How bytes become characters; `errors` is "replace" (counted and reported) or "strict".
        language, stem, stop_words, stop_word_policy, numbers, token_pattern
            As in :meth:`from_texts`.
        keep_texts, n_threads, progress, batch_bytes
            As in :meth:`from_texts`.

        Returns
        -------
        Corpus
            Blank documents are skipped and counted in ``origin``.
        """
        rules = TextRules.choose(language, stem, stop_words, stop_word_policy, numbers, token_pattern)
        reading = Reading(
            source,
            text=text,
            id=id,
            time=time,
            format=format,
            encoding=encoding,
            errors=errors,
            batch_bytes=batch_bytes,
        )
        gathered = Gathered(rules, keep_texts)
        batches = gathered.watch(((batch.texts, None), batch.ids, batch.times) for batch in reading)

        def told(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
            if total is None and reading.bytes_total:
                progress("Reading", reading.bytes_read, reading.bytes_total, "bytes")
            else:
                progress(stage, done, total, unit, note)

        built = build(batches, rules, n_threads_or_all(n_threads), told)
        gathered.origin = Origin.of(reading)
        return cls(**gathered.fields(built)).or_nothing_kept()

    @classmethod
    def bare(cls, vocabulary: pl.DataFrame, rules: TextRules, origin: Origin) -> Corpus:
        """The words of a corpus whose documents are elsewhere: enough to :meth:`encode` others."""
        none, start = np.zeros(0, np.int32), np.zeros(1, np.int64)
        arrays: dict[str, Any] = {name: start if name.endswith("_start") else none for name in _ARRAYS}
        return cls(
            **arrays,
            vocabulary=vocabulary,
            surfaces=pl.DataFrame(schema={"surface": pl.String, "stem": pl.Int32, "count": pl.Int64}),
            gaps=pl.Series("gap", [" "]),
            ids=pl.Series("id", [], pl.String),
            times=None,
            texts=None,
            rules=rules,
            origin=origin,
        )

    def encode(
        self, texts: Iterable[Document], *, n_threads: int | None = None, progress: Progress = silent
    ) -> Corpus:
        """New documents read by the same rules into the same vocabulary.

        The stem id of a word that this corpus does not have is -1. Documents may have no kept tokens at all.
        """
        gathered = Gathered(self.rules, keep_texts=True)
        batches = gathered.watch((batch, None, None) for batch in documents_in(texts, BATCH_BYTES))
        built = build(batches, self.rules, n_threads_or_all(n_threads), progress)
        return Corpus(**gathered.fields(built)).in_vocabulary_of(self)

    def in_vocabulary_of(self, other: Corpus) -> Corpus:
        """The same documents with the stem ids of another corpus, -1 for stems that it does not have."""
        if self.vocabulary is other.vocabulary:
            return self
        known = other.vocabulary.select("stem", id=pl.int_range(pl.len(), dtype=pl.Int32))
        mine = self.vocabulary.select("stem").join(known, on="stem", how="left", maintain_order="left")
        id_of = np.append(mine["id"].fill_null(-1).to_numpy(), np.int32(-1)).astype(np.int32)  # -1 stays -1
        return replace(
            self,
            stem_ids=id_of[self.stem_ids],
            vocabulary=other.vocabulary,
            surfaces=self.surfaces.with_columns(stem=pl.Series(id_of[self.surfaces["stem"].to_numpy()])),
        )

    def or_nothing_kept(self) -> Corpus:
        """The corpus itself, or an error if no token is kept: there would be nothing to mine."""
        if self.n_tokens:
            return self
        raise self.origin.nothing_kept(len(self))

    # ----------------------------------------------------------------- looking

    def __len__(self) -> int:
        return self.doc_start.size - 1

    @property
    def shape(self) -> tuple[int]:
        """(documents,): what scikit-learn looks for in whatever it takes rows of."""
        return (len(self),)

    def __repr__(self) -> str:
        return (
            f"Corpus({len(self):,} documents, {self.n_tokens:,} kept tokens, "
            f"{self.n_stems:,} stems, {self.n_chunks:,} chunks)"
        )

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
        """The character behind each kept token, in its document's text."""
        lengths = self.surfaces["surface"].str.len_chars().to_numpy().astype(np.int32)
        return self.starts + lengths[self.surface_ids]

    def stems(self) -> pl.Series:
        """The stem of each kept token; a word that the vocabulary does not have stands as it is, folded."""
        if self.n_stems == 0 or (self.n_tokens and self.stem_ids.min() < 0):
            written = self.surfaces["surface"].map_elements(fold, return_dtype=pl.String)
            known = self.surfaces["stem"] >= 0
            stem = self.vocabulary["stem"].extend_constant("", 1)
            shown = stem.gather(self.surfaces["stem"].to_numpy() % len(stem))
            by_surface = pl.select(pl.when(known).then(shown).otherwise(written)).to_series()
            return by_surface.gather(self.surface_ids)
        return self.vocabulary["stem"].gather(self.stem_ids)

    def to_lists(self) -> list[list[str]]:
        """Documents as lists of stems."""
        stems = self.stems().to_list()
        return [stems[start:stop] for start, stop in pairwise(self.doc_start.tolist())]

    def __getitem__(self, documents: int | slice | Sequence[int] | NDArray[Any]) -> Corpus:
        """Some of the documents, as a corpus with the same vocabulary: stem ids mean the same in both."""
        chosen = choose(documents, len(self))
        first, last = self.doc_start[chosen], self.doc_start[chosen + 1]
        tokens, doc_start = ranges(first, last), starts_of(last - first)
        first_chunk, last_chunk = np.searchsorted(self.chunk_start, [first, last])
        moved = np.repeat(doc_start[:-1] - first, last_chunk - first_chunk)
        chunk_start = np.append(self.chunk_start[ranges(first_chunk, last_chunk)] + moved, tokens.size)
        rows = pl.Series(chosen)
        return replace(
            self,
            stem_ids=self.stem_ids[tokens],
            surface_ids=self.surface_ids[tokens],
            gap_ids=self.gap_ids[tokens],
            starts=self.starts[tokens],
            doc_start=doc_start,
            chunk_start=chunk_start,
            ids=self.ids.gather(rows),
            times=None if self.times is None else self.times.gather(rows),
            texts=None if self.texts is None else self.texts.gather(rows),
        )

    # ----------------------------------------------------------------- storing

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in _ARRAYS}

    def stored(self, *, keep_paths: bool = True) -> store.Stored:
        """The corpus, to be written to a directory, with or without the names of files it came from."""
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
        """The corpus that was stored."""
        documents = stored.tables["documents"]
        return cls(
            **{name: stored.arrays[name] for name in _ARRAYS},
            vocabulary=stored.tables["vocabulary"],
            surfaces=stored.tables["surfaces"],
            gaps=stored.tables["gaps"]["gap"],
            ids=documents["id"],
            times=documents["time"] if "time" in documents.columns else None,
            texts=stored.tables["texts"]["text"] if "texts" in stored.tables else None,
            rules=TextRules.from_json(stored.facts["rules"]),
            origin=Origin(**stored.facts["origin"]),
        )

    def save(self, directory: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the corpus to a directory: JSON, .npy and Parquet, atomically (see topminer.store)."""
        store.write(Path(directory), STORED_CORPUS, self.stored(), overwrite=overwrite)

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Corpus:
        """Load what :meth:`save` wrote; whatever is damaged, foreign or too new is refused."""
        stored = store.read(Path(directory), STORED_CORPUS)
        try:
            return cls.restored(stored)
        except InputError as error:
            raise InputError(f"{directory}: damaged: {error}") from None
