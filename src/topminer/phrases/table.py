"""Every frequent phrase in a table: how it is written, how often it occurs, how significant it is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.phrases.mining import Phrases
from topminer.phrases.own import supports
from topminer.phrases.partition import Partition
from topminer.phrases.segmentation import Joins, occurrences
from topminer.phrases.significance import significances
from topminer.text.surface import phrase_surfaces


def find(
    phrases: Phrases, prefix: NDArray[np.int64], last: NDArray[np.int32], length: int
) -> NDArray[np.int64]:
    """Ids of the phrases of ``length`` words made of ``prefix`` and one more word; -1: not frequent."""
    if length > phrases.max_length or phrases.length_start[length] == phrases.length_start[length + 1]:
        return np.full(prefix.size, -1)
    first, behind = phrases.length_start[length], phrases.length_start[length + 1]
    keys = phrases.prefix[first:behind].astype(np.int64) * phrases.n_stems + phrases.last[first:behind]
    order = np.argsort(keys)
    wanted = prefix * phrases.n_stems + last
    nearest = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), keys.size - 1)]
    found = (prefix >= 0) & (last >= 0) & (keys[nearest] == wanted)
    return np.where(found, first + nearest, -1)


def phrase_ids(phrases: Phrases, stems: NDArray[np.int32]) -> NDArray[np.int64]:
    """Ids of sequences of stems, a row each; -1: not frequent."""
    ids = stems[:, 0].astype(np.int64)
    for length in range(2, stems.shape[1] + 1):
        ids = find(phrases, ids, stems[:, length - 1], length)
    return ids


def suffixes(phrases: Phrases) -> NDArray[np.int64]:
    """Each phrase without its first word, by id; -1 for a single word."""
    suffix = np.full(phrases.support.size, -1)
    for length in range(2, phrases.max_length + 1):
        ids = np.arange(phrases.length_start[length], phrases.length_start[length + 1])
        if length == 2:
            suffix[ids] = phrases.last[ids]
        else:
            suffix[ids] = find(phrases, suffix[phrases.prefix[ids]], phrases.last[ids], length - 1)
    return suffix


def extended_supports(phrases: Phrases) -> NDArray[np.int64]:
    """The largest support among the frequent phrases with one more word at either end, by id; 0: none."""
    extended = np.zeros(phrases.support.size, np.int64)
    several = slice(phrases.n_stems, None)
    for shorter in (phrases.prefix[several].astype(np.int64), suffixes(phrases)[several]):
        np.maximum.at(extended, shorter, phrases.support[several])
    return extended


def best_scores(phrases: Phrases, scorer: int) -> NDArray[np.float64]:
    """The significance of each phrase of several words: that of its best cut into two, by id."""
    scores = np.full(phrases.support.size, -np.inf)
    suffix = suffixes(phrases)
    for length in range(2, phrases.max_length + 1):
        ids = np.arange(phrases.length_start[length], phrases.length_start[length + 1])
        left, right = phrases.prefix[ids].astype(np.int64), phrases.last[ids].astype(np.int64)
        rights = [suffix[ids]]  # longest first
        for _ in range(length - 2):
            rights.append(suffix[rights[-1]])
        for right in reversed(rights):
            score = significances(
                phrases.support[left], phrases.support[right], phrases.support[ids], phrases.n_tokens, scorer
            )
            scores[ids] = np.maximum(scores[ids], score)
            left = phrases.prefix[left].astype(np.int64)
    return scores


def ids_of_types(phrases: Phrases, partition: Partition) -> NDArray[np.int64]:
    """The phrase that each type of a partition is; -1: not frequent, but always whole."""
    lengths = np.diff(partition.type_start)
    ids = np.arange(lengths.size)
    for length in np.unique(lengths[phrases.n_stems :]).tolist():
        types = phrases.n_stems + np.flatnonzero(lengths[phrases.n_stems :] == length)
        stems = partition.type_stems[partition.type_start[types][:, None] + np.arange(length)]
        ids[types] = phrase_ids(phrases, stems)
    return ids


def instances_of(phrases: Phrases, partition: Partition) -> NDArray[np.int64]:
    """How many instances of each phrase a partition has, by phrase id."""
    ids, instances = ids_of_types(phrases, partition), np.zeros(phrases.support.size, np.int64)
    instances[ids[ids >= 0]] = partition.instances()[ids >= 0]
    return instances


def phrase_table(
    phrases: Phrases, known: Joins, partition: Partition, always: list[tuple[int, ...]]
) -> pl.DataFrame:
    """Every frequent phrase of two or more words, the most frequent first.

    ``partition`` is that of the corpus the phrases were mined from. Columns: phrase (its surface), stems
    (joined by a blank), length, support, instances (in the partition; may be 0), significance. Phrases
    that are ``always`` whole and yet not frequent are there too, with a significance of inf.
    """
    corpus, n_stems = partition.corpus, phrases.n_stems
    n_phrases = phrases.support.size - n_stems
    first, length, phrase = occurrences(corpus.stem_ids, corpus.chunk_start, known)
    surfaces = phrase_surfaces(corpus, first, length, phrase - n_stems, n_phrases)
    ids = np.arange(n_stems, phrases.support.size)
    stems: list[pl.Series] = [pl.Series(dtype=pl.String)]
    names = corpus.vocabulary["stem"]
    for n_words in range(2, phrases.max_length + 1):
        words = phrases.stems_of(n_words)
        columns = [names.gather(words[:, i]).alias(str(i)) for i in range(n_words)]
        stems.append(pl.DataFrame(columns).select(pl.concat_str(pl.all(), separator=" ")).to_series())
    table = pl.DataFrame(
        {
            "phrase": pl.Series(surfaces, dtype=pl.String),
            "stems": pl.concat(stems),
            "length": phrases.length_of(ids.astype(np.int32)),
            "support": phrases.support[ids],
            "instances": instances_of(phrases, partition)[ids],
            "significance": best_scores(phrases, known.scorer)[ids],
        }
    )
    rare = [stems for stems in dict.fromkeys(always) if phrase_ids(phrases, np.array([stems]))[0] < 0]
    if rare:
        table = pl.concat([table, _rare_rows(rare, partition).select(table.columns).cast(table.schema)])
    return table.sort(["instances", "support", "stems"], descending=[True, True, False])


def _rare_rows(always: list[tuple[int, ...]], partition: Partition) -> pl.DataFrame:
    """Rows for phrases that are whole only because the user said so; those that never occur are left out."""
    corpus = partition.corpus
    names = corpus.vocabulary["stem"].to_list()
    counts, first = partition.instances(), corpus.n_stems
    bounds = partition.type_start[first:].tolist()
    types = {
        tuple(partition.type_stems[start:stop].tolist()): i
        for i, (start, stop) in enumerate(pairwise(bounds))
    }
    surfaces = partition.surfaces()
    rows = [
        (surfaces[types[stems]], stems, support, int(counts[first + types[stems]]))
        for stems, support in zip(always, supports(corpus, always), strict=True)
        if stems in types
    ]
    return pl.DataFrame(
        {
            "phrase": [phrase for phrase, _, _, _ in rows],
            "stems": [" ".join(names[stem] for stem in stems) for _, stems, _, _ in rows],
            "length": [len(stems) for _, stems, _, _ in rows],
            "support": [support for _, _, support, _ in rows],
            "instances": [instances for _, _, _, instances in rows],
            "significance": [float("inf")] * len(rows),
        }
    )
