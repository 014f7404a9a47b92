"""The partition: each document as phrase instances, whose concatenation is the document's kept tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import choose, count_known, ranges, starts_of
from topminer.containers.mapped import mapped, unload
from topminer.containers.strings import SPARE, Strings, StringTable
from topminer.phrases.segmentation import phrase_bounds
from topminer.text.corpus import Corpus
from topminer.text.surface import phrase_surfaces

_PIECE = 1 << 16  # cliques that are looked at at a time


class _Types(NamedTuple):
    ids: NDArray[np.int32]  # the type of each clique
    start: NDArray[np.int64]
    stems: NDArray[np.int32]


class Several(NamedTuple):
    """The cliques of several words."""

    cliques: NDArray[np.int64]  # their numbers among all cliques
    numbers: NDArray[np.int32]  # the type of each, numbered by first occurrence
    types: Strings  # the stems of each type, as a string of bytes


def several_words(
    stem_ids: NDArray[np.int32], clique_start: NDArray[np.int64], table: StringTable | None = None
) -> Several:
    """Find the phrase types of several words; clique i starts at token ``clique_start[i]``.

    A ``table`` numbers types alike in several partitions.
    """
    table = StringTable() if table is None else table
    long = np.flatnonzero(clique_start[1:] - clique_start[:-1] > 1)
    numbers = np.empty(long.size, np.int32)
    for at in range(0, long.size, _PIECE):  # the table reads stems from a copy with room behind the last one
        piece = slice(at, at + _PIECE)
        first, stop = clique_start[long[piece]], clique_start[long[piece] + 1]
        n_stems = int(stop[-1] - first[0])
        stems = np.zeros(n_stems + SPARE // 4 + n_stems % 2, np.int32)
        stems[:n_stems] = stem_ids[first[0] : stop[-1]]
        numbers[piece] = table.add(stems.view(np.uint64), 4 * (first - first[0]), 4 * (stop - first[0]))
    return Several(long, numbers, table.since())


def all_types(several: Strings, n_stems: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where the stems of each type start, and the stems: single words first, then the others."""
    bounds = several.bounds // 4
    stems = several.words.view(np.int32)[bounds[0] : bounds[-1]]
    return (
        np.concatenate((np.arange(n_stems), n_stems + bounds - bounds[0])),
        np.concatenate((np.arange(n_stems, dtype=np.int32), stems)),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Partition:
    """A corpus segmented into phrase instances.

    Attributes
    ----------
    corpus : Corpus
        The documents.
    clique_start : int64 array (cliques + 1,)
        First kept token of each phrase instance. PhraseLDA calls an instance a clique.
    doc_start : int64 array (documents + 1,)
        First clique of each document.
    type_ids : int32 array (cliques,)
        Phrase type of each clique. The type of a single word is its stem id, -1 for a word that the mined
        corpus does not have. Types of several words have numbers from ``corpus.n_stems`` on, by first
        occurrence.
    type_start, type_stems : int64 array (types + 1,), int32 array
        Type i is the stems ``type_stems[type_start[i]:type_start[i + 1]]``.
    strength : float64 array (tokens,) or None
        The lowest score among the merges that joined each token to the token before it (see
        segmentation.py). :meth:`at` needs it to segment at another threshold.
    """

    corpus: Corpus
    clique_start: NDArray[np.int64]
    doc_start: NDArray[np.int64]
    strength: NDArray[np.float64] | None = None

    @classmethod
    def of_words(cls, corpus: Corpus) -> Partition:
        """Make every kept token an instance of its own: PhraseLDA on this partition is LDA."""
        return cls(corpus, np.arange(corpus.n_tokens + 1), corpus.doc_start)

    @classmethod
    def from_strength(cls, corpus: Corpus, strength: NDArray[np.float64], threshold: float) -> Partition:
        """Join tokens over every boundary whose strength is at least ``threshold``."""
        bounds = phrase_bounds(strength, threshold)
        return cls(corpus, bounds, np.searchsorted(bounds, corpus.doc_start), strength)

    @classmethod
    def of_types(
        cls,
        corpus: Corpus,
        clique_start: NDArray[np.int64],
        doc_start: NDArray[np.int64],
        type_ids: NDArray[np.int32],
        type_start: NDArray[np.int64],
        type_stems: NDArray[np.int32],
    ) -> Partition:
        """Make a partition whose types are numbered already."""
        partition = cls(corpus, clique_start, doc_start)
        partition.__dict__["_types"] = _Types(type_ids, type_start, type_stems)
        return partition

    def at(self, threshold: float) -> Partition:
        """Return the partition at another threshold, without mining or merging again.

        At a lower threshold than the miner's, phrases that were too rare for the miner are missing.
        """
        if self.strength is None:
            raise ValueError("this partition has no record of merges; make it with PhraseMiner.transform")
        return Partition.from_strength(self.corpus, self.strength, threshold)

    def mapped(self, folder: Path | None) -> Partition:
        """Return the same partition, with its long arrays in files of ``folder`` instead of in memory."""
        strength = None if self.strength is None else mapped(self.strength, folder)
        same = replace(self, clique_start=mapped(self.clique_start, folder), strength=strength)
        same.__dict__["_types"] = self._types._replace(ids=mapped(self._types.ids, folder))
        return same

    @cached_property
    def _types(self) -> _Types:
        """The phrase types, found at first use."""
        stem_ids, n_stems = self.corpus.stem_ids, self.corpus.n_stems
        several = several_words(stem_ids, self.clique_start)
        ids = stem_ids[self.clique_start[:-1]]
        ids[several.cliques] = n_stems + several.numbers
        return _Types(ids, *all_types(several.types, n_stems))

    @property
    def type_ids(self) -> NDArray[np.int32]:
        """The phrase type of each clique."""
        return self._types.ids

    @property
    def type_start(self) -> NDArray[np.int64]:
        """Where the stems of each type start in `type_stems`."""
        return self._types.start

    @property
    def type_stems(self) -> NDArray[np.int32]:
        """The stems of all types, one type after the other."""
        return self._types.stems

    def __len__(self) -> int:
        return self.doc_start.size - 1

    @property
    def shape(self) -> tuple[int]:
        """(documents,); scikit-learn needs it to choose rows."""
        return (len(self),)

    def __repr__(self) -> str:
        n_long = int((np.diff(self.clique_start) > 1).sum())
        return f"Partition({len(self):,} documents, {self.n_cliques:,} phrases, {n_long:,} of several words)"

    @property
    def n_cliques(self) -> int:
        """Number of phrase instances, single words included."""
        return self.clique_start.size - 1

    @property
    def n_types(self) -> int:
        """Number of phrase types, single words included."""
        return self.type_start.size - 1

    def __getitem__(self, documents: int | slice | Sequence[int] | NDArray[Any]) -> Partition:
        """Return some of the documents, with the same types."""
        chosen = choose(documents, len(self))
        corpus = self.corpus[chosen]
        first, last = self.doc_start[chosen], self.doc_start[chosen + 1]
        cliques = ranges(first, last)
        lengths = self.clique_start[cliques + 1] - self.clique_start[cliques]
        tokens = ranges(self.corpus.doc_start[chosen], self.corpus.doc_start[chosen + 1])
        some = Partition(
            corpus,
            starts_of(lengths),
            starts_of(last - first),
            None if self.strength is None else self.strength[tokens],
        )
        some.__dict__["_types"] = self._types._replace(ids=self.type_ids[cliques])
        return some

    def to_lists(self) -> list[list[tuple[str, ...]]]:
        """Return documents as lists of phrases, each a tuple of stems; an unknown word stands folded."""
        words = self.corpus.stems().to_list()
        phrases = [tuple(words[start:stop]) for start, stop in pairwise(self.clique_start.tolist())]
        return [phrases[start:stop] for start, stop in pairwise(self.doc_start.tolist())]

    def instances(self) -> NDArray[np.int64]:
        """Return how many instances each type has."""
        return count_known(self.type_ids, self.n_types)

    def surfaces(self) -> list[str]:
        """Return how each type of several words is shown, from type ``corpus.n_stems`` on."""
        return self._surfaces

    @cached_property
    def _surfaces(self) -> list[str]:
        return surfaces_of(self, np.arange(self.corpus.n_stems, self.n_types))

    def show_as(self, surfaces: list[str]) -> None:
        """Take over the surfaces of types of several words, which were stored."""
        self.__dict__["_surfaces"] = surfaces

    def type_surfaces(self) -> list[str]:
        """Return how each type is shown, single words first."""
        words: list[str] = self.corpus.vocabulary["surface"].to_list()
        return words + self.surfaces()

    def spans(self) -> pl.DataFrame:
        """Return where phrase instances stand: document (row), start, stop, type, length in words."""
        first, last = self.clique_start[:-1], self.clique_start[1:] - 1
        return pl.DataFrame(
            {
                "document": np.repeat(np.arange(len(self)), np.diff(self.doc_start)),
                "start": self.corpus.starts[first],
                "stop": self.corpus.stops[last],
                "type": self.type_ids,
                "length": np.diff(self.clique_start),
            }
        )


def surfaces_of(partition: Partition, types: NDArray[np.int64]) -> list[str]:
    """Return how each of some distinct types of several words is shown; "" if it has no instance."""
    number = np.full(partition.n_types + 1, -1, np.int32)  # the last: unknown words, whose type is -1
    number[types] = np.arange(types.size)
    numbers = number[partition.type_ids]
    cliques = np.flatnonzero(numbers >= 0)
    first = partition.clique_start[cliques]
    length = partition.clique_start[cliques + 1] - first
    unload(partition.type_ids, partition.clique_start)
    return phrase_surfaces(partition.corpus, first, length, numbers[cliques].astype(np.int64), types.size)


def stems_as_text(partition: Partition, types: NDArray[np.integer]) -> pl.Series:
    """Return the stems of each of some types, joined by a blank."""
    distinct, which = np.unique(types, return_inverse=True)
    first, last = partition.type_start[distinct], partition.type_start[distinct + 1]
    stems = partition.corpus.vocabulary["stem"].gather(partition.type_stems[ranges(first, last)]).to_list()
    texts = [" ".join(stems[start:stop]) for start, stop in pairwise(starts_of(last - first).tolist())]
    return pl.Series(texts, dtype=pl.String).gather(which)
