"""What a corpus knows beside its tokens: where it came from, its documents' names, times and texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from topminer.errors import InputError
from topminer.text.build import Built
from topminer.text.documents import mark_tokens
from topminer.text.rules import TextRules

_NO_TEXT = pl.Series(dtype=pl.String)


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
        origin = replace(
            self.origin,
            n_found=built.n_found,
            n_stop_words=lexicon.n_stop_words,
            n_numbers_dropped=lexicon.n_numbers_dropped,
        )
        if ids is not None:
            names = _named(list(ids))
        else:
            names = _together(self._ids, "id") if self._ids else _numbered(n_documents)
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
            times=_together(self._times, "time") if self._times else None,
            texts=_together([_NO_TEXT, *self._texts], "text") if self._keep_texts else None,
            rules=self.rules,
            origin=origin,
        )


def _together(parts: list[pl.Series], name: str) -> pl.Series:
    return pl.concat(parts, rechunk=False).alias(name)


def _named(ids: list[str]) -> pl.Series:
    for number, name in enumerate(ids, 1):
        if not isinstance(name, str):
            raise InputError(f"ids: number {number} is of type {type(name).__name__}; expected a string")
    return pl.Series("id", ids, dtype=pl.String)


def _numbered(n: int) -> pl.Series:
    return pl.int_range(1, n + 1, eager=True).cast(pl.String).alias("id")
