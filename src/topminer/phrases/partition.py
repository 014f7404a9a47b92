"""The partition: documents cut into phrase instances, which together are the documents' kept tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import choose, ranges, starts_of
from topminer.containers.strings import SPARE, Strings, StringTable
from topminer.phrases.segmentation import phrase_starts
from topminer.text.corpus import Corpus
from topminer.text.surface import phrase_surfaces


class _Types(NamedTuple):
    ids: NDArray[np.int32]  # of each clique
    start: NDArray[np.int64]
    stems: NDArray[np.int32]


class Several(NamedTuple):
    """The cliques of several words."""

    cliques: NDArray[np.int64]  # which they are
    numbers: NDArray[np.int32]  # of their types, by first occurrence
    types: Strings  # a phrase type is a distinct run of stems, and a run of stems is a string of bytes


def several_words(stem_ids: NDArray[np.int32], clique_start: NDArray[np.int64]) -> Several:
    """Find the phrase types of several words: clique i is the stems from ``clique_start[i]`` on."""
    lengths = np.diff(clique_start)
    long = np.flatnonzero(lengths > 1)
    starts = clique_start[long]
    interner = StringTable()
    stems = np.append(stem_ids, np.zeros(SPARE // 4 + stem_ids.size % 2, np.int32))
    numbers = interner.add(stems.view(np.uint64), 4 * starts, 4 * (starts + lengths[long]))
    return Several(long, numbers, interner.since())


def all_types(several: Strings, n_stems: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Where the stems of each type start, and the stems: the single words, then types of several words."""
    bounds = several.bounds // 4
    stems = several.words.view(np.int32)[bounds[0] : bounds[-1]]
    return (
        np.concatenate((np.arange(n_stems), n_stems + bounds - bounds[0])),
        np.concatenate((np.arange(n_stems, dtype=np.int32), stems)),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Partition:
    """A corpus cut into phrase instances.

    Attributes
    ----------
    corpus : Corpus
        What is cut.
    clique_start : int64 array (cliques + 1,)
        First kept token of each phrase instance. An instance is what PhraseLDA calls a clique.
    doc_start : int64 array (documents + 1,)
        First clique of each document.
    type_ids : int32 array (cliques,)
        Phrase type of each clique. A single word's type is its stem id, -1 for a word never seen in the
        corpus that was mined; longer phrases follow from ``corpus.n_stems`` on, by first occurrence.
    type_start, type_stems : int64 array (types + 1,), int32 array
        Type i is the stems ``type_stems[type_start[i]:type_start[i + 1]]``.
    strength : float64 array (tokens,) or None
        The lowest score among the merges that joined each token to the one before it (see
        segmentation.py): what :meth:`at` needs to cut at another threshold.
    """

    corpus: Corpus
    clique_start: NDArray[np.int64]
    doc_start: NDArray[np.int64]
    strength: NDArray[np.float64] | None = None

    @classmethod
    def of_words(cls, corpus: Corpus) -> Partition:
        """Every kept token alone: PhraseLDA on it is LDA."""
        return cls(corpus, np.arange(corpus.n_tokens + 1), corpus.doc_start)

    @classmethod
    def from_strength(cls, corpus: Corpus, strength: NDArray[np.float64], threshold: float) -> Partition:
        """Join tokens over every boundary of at least ``threshold``."""
        starts = np.append(phrase_starts(strength, threshold), corpus.n_tokens)
        return cls(corpus, starts, np.searchsorted(starts, corpus.doc_start), strength)

    def at(self, threshold: float) -> Partition:
        """The partition at another threshold; nothing is mined or merged again.

        A threshold below the one that was mined for may miss phrases too rare for that one.
        """
        if self.strength is None:
            raise ValueError("this partition has no record of merges; make it with PhraseMiner.transform")
        return Partition.from_strength(self.corpus, self.strength, threshold)

    @cached_property
    def _types(self) -> _Types:
        """Phrase types, found when they are first asked for."""
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
        """The stems of all types, one behind the other."""
        return self._types.stems

    def __len__(self) -> int:
        return self.doc_start.size - 1

    @property
    def shape(self) -> tuple[int]:
        """(documents,): what scikit-learn looks for in whatever it takes rows of."""
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
        """Some of the documents, with the same types."""
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
        """Documents as lists of phrases, a phrase a tuple of stems (its folded word where it has none)."""
        words = self.corpus.stems().to_list()
        phrases = [tuple(words[start:stop]) for start, stop in pairwise(self.clique_start.tolist())]
        return [phrases[start:stop] for start, stop in pairwise(self.doc_start.tolist())]

    def instances(self) -> NDArray[np.int64]:
        """How many instances each type has."""
        return np.bincount(self.type_ids[self.type_ids >= 0], minlength=self.n_types)

    def surfaces(self) -> list[str]:
        """How each type of several words is shown, from type ``corpus.n_stems`` on."""
        lengths = np.diff(self.clique_start)
        long = np.flatnonzero(lengths > 1)
        kinds = self.type_ids[long].astype(np.int64) - self.corpus.n_stems
        n_kinds = self.n_types - self.corpus.n_stems
        return phrase_surfaces(self.corpus, self.clique_start[long], lengths[long], kinds, n_kinds)

    def type_surfaces(self) -> list[str]:
        """How each type is shown, single words first."""
        words: list[str] = self.corpus.vocabulary["surface"].to_list()
        return words + self.surfaces()

    def spans(self) -> pl.DataFrame:
        """Phrase instances with their characters: document (row), start, stop, type, length in words."""
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
