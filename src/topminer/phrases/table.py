"""Every frequent phrase in a table: how it is written, how often it occurs, how significant it is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.phrases.mining import Mined
from topminer.phrases.partition import Partition, stems_as_text, surfaces_of
from topminer.phrases.phrase_index import (
    PhraseIndex,
    Places,
    Stems,
    extend,
    find_places,
    ids_of,
    index_phrases,
    sequence_ids,
    supports_of,
)
from topminer.phrases.scores import Scorer, significances
from topminer.phrases.sequence import Int64s, Sequence
from topminer.text.corpus import Corpus
from topminer.text.surface import phrase_surfaces

_BATCH = 1 << 18  # places whose surfaces are compared at a time


def suffixes(mined: Mined, index: PhraseIndex) -> Int64s:
    """Return each phrase without its first word, by id; -1 for a single word."""
    suffix = np.full(mined.support.size, -1)
    for length in range(2, mined.max_length + 1):
        ids = np.arange(mined.length_start[length], mined.length_start[length + 1])
        last = mined.last[ids].astype(np.int64)
        suffix[ids] = last if length == 2 else extend(index, suffix[mined.prefix[ids]], last)
    return suffix


def extended_supports(mined: Mined) -> Int64s:
    """Return the largest support of a phrase with one more word at either end, by id; 0: none is frequent."""
    extended = np.zeros(mined.support.size, np.int64)
    for shorter in (mined.prefix, suffixes(mined, mined.make_index())):
        np.maximum.at(extended, shorter[mined.n_stems :], mined.support[mined.n_stems :])
    return extended


def best_scores(mined: Mined, index: PhraseIndex, scorer: Scorer) -> NDArray[np.float64]:
    """Return the significance of each phrase of several words, by id: that of its best split into two."""
    scores = np.full(mined.support.size, -np.inf)
    suffix = suffixes(mined, index)
    for length in range(2, mined.max_length + 1):
        ids = np.arange(mined.length_start[length], mined.length_start[length + 1])
        rights = [suffix[ids]]  # longest first
        for _ in range(length - 2):
            rights.append(suffix[rights[-1]])
        left = mined.prefix[ids]
        for right in reversed(rights):
            f1, f2, f12 = mined.support[left], mined.support[right], mined.support[ids]
            score = significances(f1, f2, f12, mined.n_tokens, scorer.code)
            scores[ids] = np.maximum(scores[ids], score)
            left = mined.prefix[left]
    return scores


def ids_of_types(index: PhraseIndex, partition: Partition) -> Int64s:
    """Return the mined phrase that each type of a partition is; -1: a rare phrase that is always whole."""
    return ids_of(index, partition.type_stems, partition.type_start)


def instances_of(index: PhraseIndex, partition: Partition) -> Int64s:
    """Return how many instances of each mined phrase a partition has, by id."""
    ids, instances = ids_of_types(index, partition), np.zeros(index.goes_on.size, np.int64)
    instances[ids[ids >= 0]] = partition.instances()[ids >= 0]
    return instances


def surfaces_at(corpus: Corpus, places: Places, length: Int64s) -> list[str]:
    """Return how each phrase is written most often, given its places and its length; "": it has no place.

    A bounded number of places is looked at at a time, unless one phrase has more.
    """
    cuts = np.searchsorted(places.start, np.arange(0, places.first.size, _BATCH))
    surfaces: list[str] = []
    for first, last in pairwise(np.unique([0, *cuts, length.size]).tolist()):
        n_places = np.diff(places.start[first : last + 1])
        surfaces += phrase_surfaces(
            corpus,
            places.first[places.start[first] : places.start[last]].astype(np.int64),
            np.repeat(length[first:last], n_places),
            np.repeat(np.arange(last - first), n_places),
            last - first,
        )
    return surfaces


def phrase_table(
    mined: Mined, index: PhraseIndex, scorer: Scorer, partition: Partition, always: list[Stems]
) -> pl.DataFrame:
    """Return every frequent phrase of two or more words, the one with most instances first.

    ``partition`` is that of the corpus the phrases were mined from. Columns: phrase (its surface), stems
    (joined by a blank), length, support, instances (in the partition; may be 0), significance. Phrases in
    ``always`` that are not frequent are included, with a significance of inf.
    """
    corpus, n_stems = partition.corpus, mined.n_stems
    ids = np.arange(n_stems, mined.support.size)
    length = mined.length_of(ids.astype(np.int32))
    number = np.maximum(np.arange(mined.support.size) - n_stems, -1)
    places = find_places(Sequence.of(corpus), index, number, ids.size)
    stems: list[pl.Series] = [pl.Series(dtype=pl.String)]
    names = corpus.vocabulary["stem"]
    for n_words in range(2, mined.max_length + 1):
        words = mined.stems_of(n_words)
        columns = [names.gather(words[:, i]).alias(str(i)) for i in range(n_words)]
        stems.append(pl.DataFrame(columns).select(pl.concat_str(pl.all(), separator=" ")).to_series())
    table = pl.DataFrame(
        {
            "phrase": pl.Series(surfaces_at(corpus, places, length), dtype=pl.String),
            "stems": pl.concat(stems),
            "length": length,
            "support": mined.support[ids],
            "instances": instances_of(index, partition)[ids],
            "significance": best_scores(mined, index, scorer)[ids],
        }
    )
    distinct = list(dict.fromkeys(always))
    rare = [distinct[i] for i in np.flatnonzero(sequence_ids(index, distinct) < 0)]
    if rare:
        table = pl.concat([table, _rare_rows(rare, partition).cast(table.schema)])
    return table.sort(["instances", "support", "stems"], descending=[True, True, False])


def _rare_rows(phrases: list[Stems], partition: Partition) -> pl.DataFrame:
    """Return rows for phrases that are whole only because the user said so, if the partition has them."""
    corpus = partition.corpus
    index, ids = index_phrases(phrases, corpus.n_stems)
    type_of = np.full(index.goes_on.size, -1)
    found = ids_of(index, partition.type_stems, partition.type_start)
    type_of[found[found >= 0]] = np.flatnonzero(found >= 0)
    is_there = type_of[ids] >= 0
    types = type_of[ids][is_there]
    return pl.DataFrame(
        {
            "phrase": surfaces_of(partition, types),
            "stems": stems_as_text(partition, types),
            "length": np.diff(partition.type_start)[types],
            "support": supports_of(corpus, phrases)[is_there],
            "instances": partition.instances()[types],
            "significance": np.full(types.size, np.inf),
        }
    )
