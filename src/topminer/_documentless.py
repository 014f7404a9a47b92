"""Stored models without their documents: enough to show topics, and to work on new documents.

Tokens and documents are by far the largest part of a model, and are not read. An :class:`Absent` stands for
them, so that no code mistakes a model without documents for a model of no documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.phrases.types import PhraseTypes
from topminer.store import Reader, Stored
from topminer.text.corpus import Corpus

if TYPE_CHECKING:
    from topminer.phrases.miner import PhraseMiner
    from topminer.topics.model.topics import Topics

_TOKENS, _STARTS = ("stem_ids", "surface_ids", "gap_ids", "starts"), ("doc_start", "chunk_start")


class Absent:
    """Something that was not loaded. Any use of it raises an error that says so."""

    def _tell(self, *_: Any, **__: Any) -> NoReturn:
        raise InputError("the model was loaded without its documents: load(directory) has them")

    __array__ = __getitem__ = __iter__ = __len__ = _tell

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python itself asks, say to make a copy
            raise AttributeError(name)
        self._tell()

    def __repr__(self) -> str:
        return "<not loaded>"


class TypesOnly(Absent):
    """A partition of which nothing but the phrase types is loaded."""

    def __init__(self, corpus: Corpus, types: PhraseTypes) -> None:
        self.corpus = corpus
        self.type_start, self.type_stems, self.n_types = types.start, types.stems, types.start.size - 1
        self._types = types

    def instances(self) -> NDArray[np.int64]:
        """Return how many instances each type has."""
        return self._types.instances.copy()

    def surfaces(self) -> list[str]:
        """Return how each type of several words is shown."""
        return self._types.surfaces

    def type_surfaces(self) -> list[str]:
        """Return how each type is shown, single words first."""
        return [*self.corpus.vocabulary["surface"].to_list(), *self._types.surfaces]


def without_documents(reader: Reader, tokens: bool = False) -> Stored:
    """Read a stored model without its documents.

    Its corpus is empty, and an :class:`Absent` stands for what the topics know of documents. With ``tokens``
    the corpus has its stems and chunks, as one document: enough to count how often stems follow each other.
    """
    kept = [name for name in (*reader.arrays, *reader.tables) if not reader.is_of_documents(name)]
    read = {name: reader.whole(name) for name in kept}
    arrays: dict[str, Any] = {name: read.get(name, Absent()) for name in reader.arrays}
    arrays.update({f"corpus-{name}": np.zeros(0, np.int32) for name in _TOKENS})
    arrays.update({f"corpus-{name}": np.zeros(1, np.int64) for name in _STARTS})
    if tokens:
        stems, chunks = reader.array("corpus-stem_ids"), reader.array("corpus-chunk_start")
        document = np.array([0, stems.size])
        arrays |= {"corpus-stem_ids": stems, "corpus-chunk_start": chunks, "corpus-doc_start": document}
    surfaces = pl.DataFrame(schema={"surface": pl.String, "stem": pl.Int32, "count": pl.Int64})
    tables = {
        **{name: read[name] for name in reader.tables if name in read},
        "corpus-surfaces": surfaces,
        "corpus-gaps": pl.DataFrame({"gap": [" "]}),
        "corpus-documents": pl.DataFrame({"id": ["all"] if tokens else []}, {"id": pl.String}),
    }
    return Stored(reader.facts, arrays, tables)


def leave_documents_out(corpus: Corpus, types: PhraseTypes, miner: PhraseMiner | None) -> Any:
    """Mark a restored miner as having no documents. Return a stand-in for the partition."""
    if miner is not None:
        absent: Any = Absent()
        miner._partition = absent
    return TypesOnly(corpus, types)


def topics_without_documents(topics: Topics) -> Topics:
    """Return the same topics; what they know of documents is absent."""
    absent: Any = Absent()
    return topics._replace(doc_topic=absent, clique_topic=absent)
