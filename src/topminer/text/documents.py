"""Documents in memory, of whatever kind, to batches of a Polars column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from topminer.errors import InputError
from topminer.text.scan import TOKEN_START, TOKEN_STOP

Document: TypeAlias = str | Sequence[str] | None
Batch: TypeAlias = tuple[pl.Series, pl.Series | None]  # texts, and the same with marked tokens if there are

_START, _STOP = chr(TOKEN_START), chr(TOKEN_STOP)
_NO_CONTROLS = {0: " ", TOKEN_START: " ", TOKEN_STOP: " "}
_AT_A_TIME = 256
_SURROGATE = re.compile("[\ud800-\udfff]")


def documents_in(texts: Iterable[Document] | Any, batch_bytes: int) -> Iterator[Batch]:
    """Yield batches of documents, in order, none left out."""
    if batch_bytes < 1:
        raise InputError(f"batch_bytes must be at least 1, not {batch_bytes}")
    if isinstance(texts, str | bytes):
        raise InputError("expected an iterable of documents, not one string; put it into a list")
    if hasattr(texts, "columns"):
        raise InputError("expected one column of documents, not a table; choose its column of texts")
    column = _as_column(texts)
    if column is None:
        yield from _from_objects(texts, batch_bytes)
    elif column.dtype == pl.String:
        for part in in_batches(column, batch_bytes):
            yield part.fill_null(""), None
    elif column.dtype == pl.List(pl.String):
        yield from _from_objects(column, batch_bytes)
    else:
        raise InputError(
            f"the column of documents holds {column.dtype}; expected strings or lists of strings"
        )


def _as_column(texts: Any) -> pl.Series | None:
    """``texts`` as a Polars column if it is a column of Polars or Arrow, which costs no Python objects."""
    if isinstance(texts, pl.Series):
        return texts.cast(pl.String) if texts.dtype in (pl.Categorical, pl.Enum) else texts
    module = type(texts).__module__.split(".")[0]
    if module == "pyarrow" and hasattr(texts, "__arrow_c_stream__") | hasattr(texts, "__arrow_c_array__"):
        return _as_column(pl.Series(texts))
    return None


def _from_objects(texts: Iterable[Any], batch_bytes: int) -> Iterator[Batch]:
    """Documents that are Python objects: strings or lists of tokens, the first of them says which."""
    lists: bool | None = None
    number = 1
    batch: list[Any] = []
    size = 0
    remaining = iter(texts)
    while some := list(islice(remaining, _AT_A_TIME)):
        if lists or not all(type(document) is str for document in some):
            some = [_checked(document, number + i) for i, document in enumerate(some)]
            if lists is None:
                lists = next((isinstance(document, list) for document in some if document), None)
            for i, document in enumerate(some):
                if document and isinstance(document, list) is not lists:
                    expected = "a list of tokens" if lists else "a string"
                    raise InputError(
                        f"document {number + i}: expected {expected}, as the documents before it"
                    )
        elif lists is None and any(some):
            lists = False
        number += len(some)
        batch += some
        size += sum(map(len, some))
        if size >= batch_bytes:
            yield from _batches(batch, bool(lists), batch_bytes)
            batch, size = [], 0
    yield from _batches(batch, bool(lists), batch_bytes)


def _batches(documents: list[Any], lists: bool, batch_bytes: int) -> Iterator[Batch]:
    if lists:
        cleaned = [[token.translate(_NO_CONTROLS) for token in document or []] for document in documents]
        marked = [" ".join(f"{_START}{token}{_STOP}" for token in tokens) for tokens in cleaned]
        yield _column([" ".join(tokens) for tokens in cleaned]), _column(marked)
    else:
        for part in in_batches(_column([document or "" for document in documents]), batch_bytes):
            yield part, None


def _checked(document: Any, number: int) -> str | list[str]:
    """A document as a string or a list of strings; None and NaN are empty."""
    if isinstance(document, str):
        return document
    if document is None or type(document).__name__ == "NAType":  # the latter is pandas'
        return ""
    if isinstance(document, Real) and document != document:
        return ""
    if isinstance(document, Iterable) and not isinstance(document, bytes):
        tokens = list(document)
        for token in tokens:
            if not isinstance(token, str):
                kind = type(token).__name__
                raise InputError(f"document {number} has a token of type {kind}; expected strings")
        return tokens
    raise InputError(
        f"document {number} is of type {type(document).__name__}; expected a string or a list of tokens"
    )


def _column(texts: list[str]) -> pl.Series:
    try:
        return pl.Series(texts, dtype=pl.String)
    except UnicodeEncodeError:  # half a surrogate pair is no character
        return pl.Series([_SURROGATE.sub("\ufffd", text) for text in texts], dtype=pl.String)


def mark_tokens(texts: pl.Series, pattern: str) -> Batch:
    """Set marks around the matches of a user's token pattern; the marks' own characters become blanks."""
    texts = texts.str.replace_all(f"[\\x00{_START}{_STOP}]", " ")
    try:
        return texts, texts.str.replace_all(pattern, f"{_START}${{0}}{_STOP}")
    except pl.exceptions.ComputeError as error:
        reason = " ".join(str(error).partition("This error occurred in")[0].split())  # not where in our code
        raise InputError(f"token pattern {pattern!r} cannot be used: {reason}") from None


def in_batches(texts: pl.Series, batch_bytes: int) -> Iterator[pl.Series]:
    """Cut a column into slices of about ``batch_bytes`` bytes, at least one document each."""
    if texts.is_empty():
        return
    ends = np.cumsum(texts.str.len_bytes().fill_null(0).to_numpy(), dtype=np.int64)
    n_batches = max(1, round(int(ends[-1]) / batch_bytes))
    cuts = np.searchsorted(ends, ends[-1] / n_batches * np.arange(1, n_batches), side="left") + 1
    for start, stop in pairwise(np.unique([0, *cuts, len(texts)]).tolist()):
        yield texts[start:stop]
