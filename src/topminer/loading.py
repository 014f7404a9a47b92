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
    """Load a model; whatever is damaged, foreign or from a newer topminer is refused.

    With ``documents=False`` nothing is read of the model's own documents. That is quicker, takes far less
    memory, and is enough for new ones: ``transform``, ``infer``, ``segment`` and ``score`` give what they
    always give, and so does ``explain``, but for counts of what is not frequent. Whatever needs the
    documents, such as ``topics``, raises an InputError.
    """
    path = Path(directory)
    if n_threads is not None:
        n_threads = n_threads_or_all(n_threads)
    reader = store.Reader(path, MODEL)
    stored = reader.stored() if documents else without_documents(reader)
    try:
        return ToPMine.restored(stored, store.read_json(path / RUN), documents=documents, n_threads=n_threads)
    except InputError as error:
        raise InputError(f"{path}: damaged: {error}") from None
    except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path}: damaged: the model lacks or does not know {error}") from None
