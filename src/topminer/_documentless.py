"""Stored models without their documents: all that is needed to work on new ones, and no more.

What belongs to tokens or documents, by far the most of a model, is not read. An :class:`Absent` stands
for it, so that nobody takes a model without documents for a model of none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import polars as pl

from topminer.errors import InputError
from topminer.store import Reader, Stored

if TYPE_CHECKING:
    from topminer.phrases.miner import PhraseMiner
    from topminer.topics.model.phraselda import PhraseLDA

_TOKENS, _STARTS = ("stem_ids", "surface_ids", "gap_ids", "starts"), ("doc_start", "chunk_start")


class Absent:
    """What was not loaded: whoever uses it is told so."""

    def _tell(self, *_: Any, **__: Any) -> NoReturn:
        raise InputError("the model was loaded without its documents: load(directory) has them")

    __array__ = __getitem__ = __iter__ = __len__ = _tell

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python itself asks, say to make a copy
            raise AttributeError(name)
        self._tell()

    def __repr__(self) -> str:
        return "<not loaded>"


def without_documents(reader: Reader) -> Stored:
    """A stored model whose corpus has no documents; absent is what its topics know of them."""
    kept = [name for name in (*reader.arrays, *reader.tables) if not reader.is_of_documents(name)]
    read = {name: reader.whole(name) for name in kept}
    stored = Stored(
        reader.facts,
        {name: read[name] for name in reader.arrays if name in read},
        {name: read[name] for name in reader.tables if name in read},
    )
    arrays: dict[str, Any] = {name: Absent() for name in reader.arrays} | dict(stored.arrays)
    arrays.update({f"corpus-{name}": np.zeros(0, np.int32) for name in _TOKENS})
    arrays.update({f"corpus-{name}": np.zeros(1, np.int64) for name in _STARTS})
    surfaces = pl.DataFrame(schema={"surface": pl.String, "stem": pl.Int32, "count": pl.Int64})
    tables = {
        "corpus-surfaces": surfaces,
        "corpus-gaps": pl.DataFrame({"gap": [" "]}),
        "corpus-documents": pl.DataFrame(schema={"id": pl.String}),
    }
    return Stored(stored.facts, arrays, {**stored.tables, **tables})


def leave_documents_out(miner: PhraseMiner | None, lda: PhraseLDA) -> Any:
    """Mark the restored steps as having no documents. Return a stand-in for the partition."""
    absent: Any = Absent()
    lda.leave_documents_out(absent)
    if miner is not None:
        miner._partition = absent
    return absent
