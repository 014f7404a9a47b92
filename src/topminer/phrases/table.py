"""Every frequent phrase in a table: how it is written, how often it occurs, how significant it is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl

from topminer.containers.arrays import starts_of
from topminer.phrases.fitted import Fitted
from topminer.phrases.mining import Mined, splits, suffixes
from topminer.phrases.partition import Partition, stems_as_text, surfaces_of
from topminer.phrases.phrase_index import (
    PhraseIndex,
    Places,
    Stems,
    find_places,
    ids_of,
    index_phrases,
    sequence_ids,
    supports_in,
)
from topminer.phrases.quality import WEIGHTS
from topminer.phrases.scores import significances
from topminer.phrases.sequence import Floats, Int64s, Sequence
from topminer.text.corpus import Corpus
from topminer.text.surface import phrase_surfaces

_BATCH = 1 << 18  # places whose surfaces are compared at a time


def extended_supports(mined: Mined) -> Int64s:
    """Return the largest support of a phrase with one more word at either end, by id; 0: none is frequent."""
    extended = np.zeros(mined.support.size, np.int64)
    for shorter in (mined.prefix, suffixes(mined, mined.make_index())):
        np.maximum.at(extended, shorter[mined.n_stems :], mined.support[mined.n_stems :])
    return extended


def best_scores(mined: Mined, index: PhraseIndex) -> Floats:
    """Return the significance of each phrase of several words, by id: that of its best split into two."""
    scores, f = np.full(mined.evidence.size, -np.inf), mined.evidence
    for split in splits(mined, index):
        score = significances(f[split.left], f[split.right], np.maximum(f[split.ids], 1), mined.n_tokens)
        scores[split.ids] = np.maximum(scores[split.ids], score)
    return scores


def ids_of_types(fitted: Fitted, partition: Partition, index: PhraseIndex | None = None) -> Int64s:
    """Return the phrase of an index that each type of a partition is; -1: none of them.

    The index is by default that of the mined phrases. Types that are tied are the same phrase. The type of a
    single word is that word, tied or not.
    """
    index = fitted.segmenter.stem_index if index is None else index
    atoms = fitted.ties.expanded(Sequence(partition.type_stems, partition.type_start))
    ids = ids_of(index, atoms.ids, atoms.chunk_start)
    ids[: index.n_stems] = np.arange(index.n_stems)
    return ids


def quality_of_types(fitted: Fitted, partition: Partition) -> Floats:
    """Return the quality of each type of a partition; NaN: a single word, or a phrase that was not judged."""
    ids = ids_of_types(fitted, partition)
    if fitted.judge is None:
        return np.full(ids.size, np.nan)
    judged = (ids >= 0) & (np.diff(partition.type_start) > 1)
    return np.where(judged, fitted.judge.quality[ids], np.nan)


def _instances(ids: Int64s, partition: Partition, n: int) -> Int64s:
    """Return how many instances each of ``n`` phrases has, given the phrase of each type."""
    known = ids >= 0
    return np.bincount(ids[known], partition.instances()[known], n).astype(np.int64)


def _places_of_tokens(atoms: Sequence, places: Places, length: Int64s) -> tuple[Places, Int64s]:
    """Turn places of atoms into places of two or more whole tokens; return these, and their lengths."""
    n_places = np.diff(places.start)
    first = places.first.astype(np.int64)
    length = np.repeat(length, n_places)
    if atoms.inside is None:
        return places, length
    starts_token = np.append(~atoms.inside, True)
    token_of = np.cumsum(starts_token) - 1
    first_token, n_tokens = token_of[first], token_of[first + length] - token_of[first]
    whole = starts_token[first] & starts_token[first + length] & (n_tokens > 1)
    kept = np.bincount(np.repeat(np.arange(n_places.size), n_places)[whole], minlength=n_places.size)
    return Places(starts_of(kept), first_token[whole]), n_tokens[whole]


def surfaces_at(corpus: Corpus, places: Places, length: Int64s) -> list[str]:
    """Return how each phrase is written most often, given its places and their lengths; "": it has no place.

    A bounded number of places is looked at at a time, unless one phrase has more.
    """
    cuts = np.searchsorted(places.start, np.arange(0, places.first.size, _BATCH))
    surfaces: list[str] = []
    for first, last in pairwise(np.unique([0, *cuts, places.start.size - 1]).tolist()):
        here = slice(places.start[first], places.start[last])
        surfaces += phrase_surfaces(
            corpus,
            places.first[here].astype(np.int64),
            length[here],
            np.repeat(np.arange(last - first), np.diff(places.start[first : last + 1])),
            last - first,
        )
    return surfaces


def phrase_table(fitted: Fitted, partition: Partition) -> pl.DataFrame:
    """Return every frequent phrase of two or more words, the one with most instances first.

    ``partition`` is that of the corpus the phrases were mined from. Phrases of the user's own that are always
    whole but not frequent are included, with a significance of inf. A sequence of atoms that only occurs
    inside one token is a word, and is left out.
    """
    mined, index, corpus = fitted.mined, fitted.segmenter.stem_index, partition.corpus
    n_stems, n = mined.n_stems, mined.evidence.size
    ids = np.arange(n_stems, n)
    length = mined.length_of(ids.astype(np.int32))
    atoms = fitted.ties.expanded(Sequence.of(corpus))
    places = find_places(atoms, index, np.maximum(np.arange(n) - n_stems, -1), ids.size)
    places, n_tokens = _places_of_tokens(atoms, places, length)
    stems: list[pl.Series] = [pl.Series(dtype=pl.String)]
    names = corpus.vocabulary["stem"]
    for n_words in range(2, mined.max_length + 1):
        words = mined.stems_of(n_words)
        columns = [names.gather(words[:, i]).alias(str(i)) for i in range(n_words)]
        stems.append(pl.DataFrame(columns).select(pl.concat_str(pl.all(), separator=" ")).to_series())
    instances = _instances(ids_of_types(fitted, partition), partition, n)
    quality = np.full(n, np.nan) if fitted.judge is None else fitted.judge.quality
    table = pl.DataFrame(
        {
            "phrase": pl.Series(surfaces_at(corpus, places, n_tokens), dtype=pl.String),
            "stems": pl.concat(stems),
            "length": length,
            "support": mined.support[ids],
            "evidence": mined.evidence[ids],
            "instances": instances[ids],
            "significance": best_scores(mined, index)[ids],
            "quality": pl.Series(quality[ids]).fill_nan(None),
        }
    ).filter(pl.Series((np.diff(places.start) > 0) & (mined.evidence[ids] >= mined.min_support)))
    distinct = list(dict.fromkeys(fitted.settings.always))
    rare = [distinct[i] for i in np.flatnonzero(sequence_ids(index, distinct) < 0)]
    if rare:
        table = pl.concat([table, _rare_rows(rare, fitted, partition).cast(table.schema)])
    return table.sort(["instances", "support", "stems"], descending=[True, True, False])


def _rare_rows(phrases: list[Stems], fitted: Fitted, partition: Partition) -> pl.DataFrame:
    """Return rows for phrases that are whole only because the user said so, if the partition has them."""
    corpus = partition.corpus
    index, ids = index_phrases(phrases, corpus.n_stems)
    type_of = np.full(index.goes_on.size, -1)
    found = ids_of_types(fitted, partition, index)
    type_of[found[found >= 0]] = np.flatnonzero(found >= 0)
    is_there = type_of[ids] >= 0
    types = type_of[ids][is_there]
    support = supports_in(fitted.ties.expanded(Sequence.of(corpus)), phrases, corpus.n_stems)[is_there]
    return pl.DataFrame(
        {
            "phrase": surfaces_of(partition, types),
            "stems": stems_as_text(partition, types),
            "length": np.diff(partition.type_start)[types],
            "support": support,
            "evidence": support,
            "instances": _instances(found, partition, index.goes_on.size)[ids[is_there]],
            "significance": np.full(types.size, np.inf),
            "quality": pl.Series([None] * types.size, dtype=pl.Float64),
        }
    )


def quality_table(fitted: Fitted) -> pl.DataFrame:
    """Return what each statistic adds to the quality of each judged phrase, the best phrase first.

    Columns: stems (joined by a blank), quality, and one for each of :data:`.WEIGHTS`. The intercept is the
    same for all.
    """
    judge, mined = fitted.judge, fitted.mined
    columns: dict[str, object] = {"stems": pl.Series(dtype=pl.String), "quality": pl.Series(dtype=pl.Float64)}
    if judge is not None:
        names = fitted.corpus.vocabulary["stem"].to_list()
        ids = judge.ids
        columns["stems"] = [" ".join(names[stem] for stem in mined.words_of(id)) for id in ids.tolist()]
        columns["quality"] = judge.quality[ids]
        for (name, weight), value in zip(WEIGHTS.items(), judge.statistics[ids].T, strict=True):
            columns[name] = weight * value
    return pl.DataFrame(columns).sort("quality", descending=True)
