"""Documents in memory, of any supported kind, to batches of a Polars column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, MappingView, Sequence, Set
from itertools import chain, islice
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from topminer.errors import InputError
from topminer.text.provenance import Skipped
from topminer.text.reading.columns import slice_bounds
from topminer.text.scan.tokens import TOKEN_START, TOKEN_STOP

Document: TypeAlias = str | Sequence[str] | None

_START, _STOP = chr(TOKEN_START), chr(TOKEN_STOP)
_NO_CONTROLS = {0: " ", TOKEN_START: " ", TOKEN_STOP: " "}
_AT_A_TIME = 256
_SURROGATE = re.compile("[\ud800-\udfff]")


class Batch(NamedTuple):
    """Some documents, in their order."""

    texts: pl.Series  # String, no nulls
    ids: pl.Series | None = None  # String; None: documents are numbered from 1 on
    times: pl.Series | None = None  # Datetime in microseconds, null where unknown; None: there are no times
    marked: pl.Series | None = None  # the texts with marks around the tokens; None: tokens must be found


def documents_in(texts: Iterable[Document] | Any, batch_bytes: int, skipped: Skipped) -> Iterator[Batch]:
    """Yield batches of all documents, in order; ``skipped`` counts the characters that are replaced."""
    if batch_bytes < 1:
        raise InputError(f"batch_bytes must be at least 1, not {batch_bytes}")
    _check_iterable(texts)
    for batch in _batches_of(texts, batch_bytes, skipped):
        skipped.count_nuls(batch.texts)
        yield batch


def _check_iterable(texts: Any) -> None:
    """Raise an error unless ``texts`` is an ordered collection of documents."""
    if isinstance(texts, str | bytes | bytearray):
        raise InputError("expected an iterable of documents, not one string; put it into a list")
    if hasattr(texts, "columns"):
        raise InputError("expected one column of documents, not a table; choose its column of texts")
    if isinstance(texts, Mapping):
        raise InputError(
            "expected an iterable of documents, not a mapping; give its texts, as in list(texts.values())"
        )
    if isinstance(texts, set | frozenset):
        raise InputError("expected documents in an order, which a set does not have; give a list")
    if not isinstance(texts, Iterable) and not hasattr(texts, "__getitem__"):
        raise InputError(f"expected an iterable of documents, not {type(texts).__name__}")


def _batches_of(texts: Any, batch_bytes: int, skipped: Skipped) -> Iterator[Batch]:
    column = _as_column(texts)
    if column is None:
        yield from _from_objects(texts, batch_bytes, skipped)
    elif column.dtype == pl.String:
        for start, stop in slice_bounds(column, batch_bytes):
            yield Batch(column[start:stop].fill_null(""))
    elif column.dtype == pl.List(pl.String):
        yield from _from_objects(column, batch_bytes, skipped)
    else:
        raise InputError(
            f"the column of documents holds {column.dtype}; expected strings or lists of strings"
        )


def _as_column(texts: Any) -> pl.Series | None:
    """Return a column of Polars or Arrow as a Polars column, which makes no Python objects; else None."""
    if isinstance(texts, pl.Series):
        return texts.cast(pl.String) if texts.dtype in (pl.Categorical, pl.Enum) else texts
    module = type(texts).__module__.split(".")[0]
    if module == "pyarrow" and hasattr(texts, "__arrow_c_stream__") | hasattr(texts, "__arrow_c_array__"):
        return _as_column(pl.Series(texts))
    return None


def _from_objects(texts: Iterable[Any], batch_bytes: int, skipped: Skipped) -> Iterator[Batch]:
    """Yield batches of Python objects: all strings or all lists of tokens, as the first of them is."""
    lists: bool | None = None
    number = first = 1  # the next document, and the first one in the batch
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
        size += sum(map(len, chain.from_iterable(some) if lists else some))
        if size >= batch_bytes:
            yield from _batches(batch, bool(lists), batch_bytes, first, skipped)
            batch, size, first = [], 0, number
    yield from _batches(batch, bool(lists), batch_bytes, first, skipped)


def _batches(
    documents: list[Any], lists: bool, batch_bytes: int, first: int, skipped: Skipped
) -> Iterator[Batch]:
    """Make columns of documents of one kind; ``first`` is the number of the first one."""
    if lists:
        cleaned = [[token.translate(_NO_CONTROLS) for token in document or []] for document in documents]
        marked = [" ".join(f"{_START}{token}{_STOP}" for token in tokens) for tokens in cleaned]
        texts = text_column([" ".join(tokens) for tokens in cleaned], first, skipped)
        yield Batch(texts, marked=text_column(marked))
    else:
        texts = text_column([document or "" for document in documents], first, skipped)
        for start, stop in slice_bounds(texts, batch_bytes):
            yield Batch(texts.slice(start, stop - start))


def _checked(document: Any, number: int) -> str | list[str]:
    """Return a document as a string or a list of strings; None and NaN become empty."""
    if isinstance(document, str):
        return document
    _check_not_a_row(document, number)
    if document is None or type(document).__name__ == "NAType":  # the latter is pandas'
        return ""
    if isinstance(document, Real) and document != document:
        return ""
    if isinstance(document, Iterable) and not isinstance(document, bytes | bytearray | memoryview):
        tokens = list(document)
        for token in tokens:
            if not isinstance(token, str):
                kind = type(token).__name__
                raise InputError(f"document {number} has a token of type {kind}; expected strings")
        return tokens
    raise InputError(
        f"document {number} is of type {type(document).__name__}; expected a string or a list of tokens"
    )


def _check_not_a_row(document: Any, number: int) -> None:
    """Refuse a row of a table, whose keys or fields would be taken for tokens, and a set."""
    kind = type(document).__name__
    is_row = hasattr(document, "keys") and not hasattr(document, "dtype")  # a column of pandas has both
    if isinstance(document, Mapping | MappingView) or is_row or hasattr(document, "_fields"):
        raise InputError(
            f"document {number} is of type {kind}; expected a string or a list of tokens; choose the column "
            'of texts, as in [row["text"] for row in rows], or give a file to Corpus.read(path, text="…")'
        )
    if isinstance(document, Set):
        raise InputError(
            f"document {number} is of type {kind}, which has no order; expected a string or a list of tokens"
        )


def text_column(texts: list[str], first: int = 1, skipped: Skipped | None = None) -> pl.Series:
    """Make a column. Half a surrogate pair, which is not a character, becomes U+FFFD and is counted."""
    try:
        return pl.Series(texts, dtype=pl.String)
    except UnicodeEncodeError:
        repaired = [_SURROGATE.subn("\ufffd", text) for text in texts]
    if skipped is not None:
        skipped.undecodable_bytes += sum(n for _, n in repaired)
        found = next(number for number, (_, n) in enumerate(repaired, first) if n)
        skipped.first_undecodable = skipped.first_undecodable or f"document {found}"
    return pl.Series([text for text, _ in repaired], dtype=pl.String)


def mark_tokens(batch: Batch, pattern: str) -> Batch:
    """Set marks around the matches of a user's token pattern; characters equal to the marks become blanks."""
    texts = batch.texts.str.replace_all(f"[\\x00{_START}{_STOP}]", " ")
    try:
        return batch._replace(texts=texts, marked=texts.str.replace_all(pattern, f"{_START}${{0}}{_STOP}"))
    except pl.exceptions.ComputeError as error:
        reason, _, _ = str(error).partition("This error occurred in")  # not the place in our code
        reason = " ".join(reason.split())
        raise InputError(f"token pattern {pattern!r} cannot be used: {reason}") from None
