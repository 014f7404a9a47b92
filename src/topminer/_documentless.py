"""Stored models without their documents: enough to show topics, and to work on new documents.

Tokens and documents are by far the largest part of a model, and are not read. An :class:`Absent` stands for
them, so that no code mistakes a model without documents for a model of no documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.phrases.types import PhraseTypes
from topminer.store import Reader, Stored
from topminer.text.corpus import Corpus
from topminer.text.provenance import Origin
from topminer.text.rules import TextRules


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
    """A partition of which nothing but the phrase types is loaded.

    ``background_types(tie)`` gives the types of background entries, with variants tied or apart.
    """

    def __init__(
        self, corpus: Corpus, types: PhraseTypes, background_types: Callable[[bool], NDArray[np.int64]]
    ) -> None:
        self.corpus = corpus
        self.type_start, self.type_stems, self.n_types = types.start, types.stems, types.start.size - 1
        self._types, self.background_types = types, background_types

    def instances(self) -> NDArray[np.int64]:
        """Return how many instances each type has."""
        return self._types.instances.copy()

    def surfaces(self) -> list[str]:
        """Return how each type of several words is shown."""
        return self._types.surfaces

    def type_surfaces(self) -> list[str]:
        """Return how each type is shown, single words first."""
        return [*self.corpus.vocabulary["surface"].to_list(), *self._types.surfaces]


def without_documents(reader: Reader) -> Stored:
    """Read a stored model without its documents: an :class:`Absent` stands for each array of theirs."""
    kept = [name for name in (*reader.arrays, *reader.tables) if not reader.is_of_documents(name)]
    stored = reader.stored(kept)
    arrays: dict[str, Any] = {name: stored.arrays.get(name, Absent()) for name in reader.arrays}
    return Stored(stored.facts, arrays, stored.tables)


def bare_corpus(facts: Mapping[str, Any], vocabulary: pl.DataFrame) -> Corpus:
    """Return a stored corpus without its documents."""
    return Corpus.bare(vocabulary, TextRules.from_json(facts["rules"]), Origin(**facts["origin"]))
