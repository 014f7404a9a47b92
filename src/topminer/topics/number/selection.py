"""Some documents, to find the number of topics on: most are sampled, the others are held out.

They are a partition of their own, which has only what sampling and scoring need. Words and phrase types that
do not occur in it are left out, so that tables by word stay small if the corpus is much larger::

    types of the corpus     0 1 2 3 4 5      0 to 3 are words, 4 = (1 3) and 5 = (0 2)
    documents chosen        2 4 | 2
    words that occur        1 2 3
    types of the selection  0 1 2 3          3 = (0 2), the words 1 and 3
    type_of                 1 2 3 4
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import ranges, starts_of
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus
from topminer.text.provenance import Origin
from topminer.text.rules import TextRules
from topminer.topics.sampler.latin_square import TypeTable

MOST_TOKENS = 1_000_000  # more would cost time, and hardly change the number that is found
START_TOKENS = 200_000  # of documents for topics to start with
FEWEST_DOCUMENTS = 20
HELD_OUT, FEWEST_HELD_OUT = 0.1, 20  # of the chosen documents, but never more than half of them


class Settings(NamedTuple):
    """What a search depends on, besides the documents."""

    beta: float  # at first
    seed: int
    fits_beta: bool = True
    n_threads: int = 1


class Rows(NamedTuple):
    """Numbers of documents, ascending."""

    sampled: NDArray[np.int64]
    held_out: NDArray[np.int64]


# Choose some of the documents, given their number, their tokens and a seed.
Choose = Callable[[int, int, int], Rows]


class Selection(NamedTuple):
    """The documents that were chosen."""

    sampled: Partition
    held_out: Partition
    type_of: NDArray[np.int64]  # the type in the corpus of each type here


def choose_rows(n_documents: int, n_tokens: int, seed: int) -> Rows:
    """Choose documents at random, the same for the same seed."""
    if n_documents < FEWEST_DOCUMENTS:
        raise InputError(
            f"the number of topics can be found from {FEWEST_DOCUMENTS} documents on, here are "
            f"{n_documents:,}: give a number"
        )
    share = min(1.0, MOST_TOKENS / max(n_tokens, 1))
    n_chosen = max(FEWEST_DOCUMENTS, round(share * n_documents))
    n_held_out = min(max(round(HELD_OUT * n_chosen), FEWEST_HELD_OUT), n_chosen // 2)
    chosen = np.random.Generator(np.random.Philox(seed)).permutation(n_documents)[:n_chosen]
    return Rows(np.sort(chosen[n_held_out:]), np.sort(chosen[:n_held_out]))


Cliques = tuple[NDArray[np.int32], NDArray[np.int64]]  # types of cliques, and where each document starts


def choose_for_start(n_documents: int, n_tokens: int, seed: int) -> Rows:
    """Choose documents to find topics on from which a chain starts. None are held out."""
    n_chosen = round(min(1.0, START_TOKENS / max(n_tokens, 1)) * n_documents)
    chosen = np.random.Generator(np.random.Philox(seed)).permutation(n_documents)[:n_chosen]
    return Rows(np.sort(chosen), np.zeros(0, np.int64))


def select(partition: Partition, rows: Rows) -> Selection:
    """Select documents of a partition in this process."""
    types = TypeTable(
        partition.type_stems, partition.type_start, np.zeros(0, np.int64), partition.corpus.n_stems
    )
    return selection_of(types, *(cliques_in(partition.type_ids, partition.doc_start, each) for each in rows))


def cliques_in(type_ids: NDArray[np.int32], doc_start: NDArray[np.int64], rows: NDArray[np.int64]) -> Cliques:
    """Return the types of the cliques of some documents, without unknown words, and where each starts."""
    first, last = doc_start[rows], doc_start[rows + 1]
    types = type_ids[ranges(first, last)]
    known_before = starts_of(types >= 0)
    return types[types >= 0], known_before[starts_of(last - first)]


def joined_cliques(parts: Sequence[Cliques]) -> Cliques:
    """Join the documents of several parts of a corpus."""
    lengths = [np.diff(start) for _, start in parts]
    return np.concatenate([types for types, _ in parts]), starts_of(np.concatenate(lengths))


def selection_of(
    types: TypeTable,
    sampled: Cliques,
    held_out: Cliques,
) -> Selection:
    """Make a selection of documents given as :func:`cliques_in` returns them."""
    occurs = np.zeros(types.start.size - 1, np.bool_)
    occurs[sampled[0]] = occurs[held_out[0]] = True
    several = np.flatnonzero(occurs[types.n_words :]) + types.n_words
    stems = types.stems[ranges(types.start[several], types.start[several + 1])]
    occurs[stems] = True
    words = np.flatnonzero(occurs[: types.n_words])
    type_of = np.concatenate([words, several])
    number = np.full(occurs.size, -1, np.int32)
    number[type_of] = np.arange(type_of.size, dtype=np.int32)
    lengths = np.diff(types.start)[type_of]
    start, own_stems = starts_of(lengths), np.append(number[words], number[stems])
    first, second = (
        _partition(words.size, start, own_stems, number[type_ids], doc_start)
        for type_ids, doc_start in (sampled, held_out)
    )
    return Selection(first, second, type_of)


def _partition(
    n_words: int,
    type_start: NDArray[np.int64],
    type_stems: NDArray[np.int32],
    type_ids: NDArray[np.int32],
    doc_start: NDArray[np.int64],
) -> Partition:
    """Make a partition of cliques, without texts."""
    first = type_start[type_ids]
    clique_start = starts_of(type_start[type_ids + 1] - first)
    stem_ids = type_stems[ranges(first, type_start[type_ids + 1])]
    start, nothing = clique_start[doc_start], np.zeros(0, np.int32)
    corpus = Corpus(
        stem_ids=stem_ids,
        surface_ids=nothing,
        gap_ids=nothing.copy(),
        starts=nothing.copy(),
        doc_start=start,
        chunk_start=np.unique(start),
        vocabulary=pl.DataFrame({"stem": np.arange(n_words)}),
        times=None,
        texts=None,
        rules=TextRules.choose(None),
        origin=Origin(),
        surfaces=pl.DataFrame(),
        gaps=pl.Series(dtype=pl.String),
        ids=pl.Series(dtype=pl.String),
    )
    return Partition.of_types(corpus, clique_start, doc_start, type_ids, type_start, type_stems)
