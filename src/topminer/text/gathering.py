"""What a corpus knows beside its tokens: where it came from, its documents' names, times and texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from topminer.errors import InputError
from topminer.text.build import Built
from topminer.text.documents import mark_tokens, text_column
from topminer.text.read import Reading, Skipped
from topminer.text.rules import TextRules
from topminer.text.vocabulary import Lexicon

_NO_TEXT = pl.Series(dtype=pl.String)
PATHS = ("name", "first_undecodable")  # the facts of an Origin that name files


@dataclass(frozen=True)
class Origin:
    """Where a corpus came from and what was left out on the way."""

    name: str = "texts"
    columns: dict[str, str] = field(default_factory=dict)
    n_found: int = 0  # tokens before stop words and numbers were taken out
    n_stop_words: int = 0
    n_numbers_dropped: int = 0
    n_blank_documents: int = 0
    n_undecodable: int = 0
    first_undecodable: str | None = None
    n_nul_characters: int = 0

    @classmethod
    def of(cls, reading: Reading) -> Origin:
        """What is known when all is read."""
        origin = cls(name=reading.name, columns=reading.columns.by_role())
        return origin.with_skipped(reading.skipped)

    def with_skipped(self, skipped: Skipped) -> Origin:
        """Add what a reading left out or replaced."""
        return replace(
            self,
            n_blank_documents=skipped.blank_documents,
            n_undecodable=skipped.undecodable_bytes,
            first_undecodable=skipped.first_undecodable,
            n_nul_characters=skipped.nul_characters,
        )

    def with_words(self, lexicon: Lexicon, n_found: int) -> Origin:
        """What is known when all words are."""
        return replace(
            self,
            n_found=n_found,
            n_stop_words=lexicon.n_stop_words,
            n_numbers_dropped=lexicon.n_numbers_dropped,
        )

    def nothing_kept(self, n_documents: int) -> InputError:
        """Say that no token is kept: there would be nothing to mine."""
        why = (
            f"of {self.n_found:,} tokens {self.n_stop_words:,} are stop words and "
            f"{self.n_numbers_dropped:,} are numbers left out"
        )
        if self.n_found == 0:
            why = "no letter or digit was found"
        return InputError(f"{self.name}: no kept tokens in {n_documents:,} documents: {why}")


def without_paths(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a stored corpus, except those that name files: a model does not tell where it was made."""
    origin = {name: value for name, value in facts["origin"].items() if name not in PATHS}
    return {**facts, "origin": origin}


class Gathered:
    """Keeps what the builder does not need, while batches pass through to it."""

    def __init__(self, rules: TextRules, keep_texts: bool) -> None:
        self.rules = rules
        self.origin = Origin()
        self._keep_texts = keep_texts
        self._texts: list[pl.Series] = []
        self._ids: list[pl.Series] = []
        self._times: list[pl.Series] = []

    def watch(
        self, batches: Iterable[tuple[Any, pl.Series | None, pl.Series | None]]
    ) -> Iterator[tuple[pl.Series, bool]]:
        """Pass on texts, with marks around their tokens where somebody else found them."""
        for (texts, marked), ids, times in batches:
            if marked is None and self.rules.token_pattern is not None:
                texts, marked = mark_tokens(texts, self.rules.token_pattern)
            if self._keep_texts:
                self._texts.append(texts)
            if ids is not None:
                self._ids.append(ids)
            if times is not None:
                self._times.append(times)
            yield (texts, False) if marked is None else (marked, True)

    def fields(self, built: Built, ids: Iterable[str] | None = None) -> dict[str, Any]:
        """The fields of the finished corpus."""
        lexicon = built.lexicon
        n_documents = built.doc_start.size - 1
        names = self.ids(n_documents) if ids is None else _named(list(ids))
        if len(names) != n_documents:
            raise InputError(
                f"{len(names):,} ids were given for {n_documents:,} documents; expected one for each"
            )
        return dict(
            stem_ids=built.columns.stem,
            surface_ids=built.columns.surface,
            gap_ids=built.columns.gap,
            starts=built.columns.start,
            doc_start=built.doc_start,
            chunk_start=built.chunk_start,
            vocabulary=lexicon.vocabulary,
            surfaces=lexicon.surfaces,
            gaps=built.gaps,
            ids=names,
            times=self.times(),
            texts=self.texts(),
            rules=self.rules,
            origin=self.origin.with_words(lexicon, built.n_found),
        )

    def ids(self, n_documents: int) -> pl.Series:
        """The documents' names, or their numbers."""
        return _together(self._ids, "id") if self._ids else _numbered(n_documents)

    def times(self) -> pl.Series | None:
        """The documents' times, if there are any."""
        return _together(self._times, "time") if self._times else None

    def texts(self) -> pl.Series | None:
        """The documents' texts, if they are kept."""
        return _together([_NO_TEXT, *self._texts], "text") if self._keep_texts else None


def tables_of_documents(
    ids: pl.Series, times: pl.Series | None, texts: pl.Series | None
) -> dict[str, pl.DataFrame]:
    """What is stored of documents beside their tokens."""
    tables = {"documents": pl.DataFrame({"id": ids} if times is None else {"id": ids, "time": times})}
    return tables if texts is None else {**tables, "texts": pl.DataFrame({"text": texts})}


def _together(parts: list[pl.Series], name: str) -> pl.Series:
    return pl.concat(parts, rechunk=False).alias(name)


def _named(ids: list[str]) -> pl.Series:
    for number, name in enumerate(ids, 1):
        if not isinstance(name, str):
            raise InputError(f"ids: number {number} is of type {type(name).__name__}; expected a string")
    return text_column(ids).alias("id")


def _numbered(n: int) -> pl.Series:
    return pl.int_range(1, n + 1, eager=True).cast(pl.String).alias("id")
