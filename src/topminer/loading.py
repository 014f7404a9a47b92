"""A model directory becomes a model again."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import polars as pl

from topminer import store
from topminer._documentless import without_documents
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.pipeline import RUN, ToPMine
from topminer.store.formats import MODEL


def load(directory: str | PathLike[str], *, documents: bool = True, n_threads: int | None = None) -> ToPMine:
    """Load a model. A model that is damaged, foreign or from a newer topminer is refused.

    With ``documents=False`` the model's own documents are not read. That is quicker, takes far less memory,
    and is enough for its topics and for new documents: ``topics``, ``transform``, ``infer``, ``segment`` and
    ``score`` give what they always give. ``explain`` does not count what is not frequent. Whatever else needs
    the documents raises an InputError.
    """
    reader = store.Reader(Path(directory), MODEL)
    return _restored(
        reader, without_documents(reader) if not documents else reader.stored(), documents, n_threads
    )


def load_tokens(directory: Path, n_threads: int | None = None) -> ToPMine:
    """Load a model without its documents, but with their stems: ``explain`` counts what is not frequent."""
    reader = store.Reader(directory, MODEL)
    return _restored(reader, without_documents(reader, tokens=True), False, n_threads)


def _restored(reader: store.Reader, stored: store.Stored, documents: bool, n_threads: int | None) -> ToPMine:
    path = reader.directory
    if n_threads is not None:
        n_threads = n_threads_or_all(n_threads)
    try:
        return ToPMine.restored(stored, store.read_json(path / RUN), documents=documents, n_threads=n_threads)
    except InputError as error:
        raise InputError(f"{path}: damaged: {error}") from None
    except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path}: damaged: the model lacks or does not know {error}") from None
