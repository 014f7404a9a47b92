"""Leaving out words by the number of documents that have them, and near-duplicate documents.

This is done when a corpus has been read. The result is the corpus that would have been read if the documents
were not there, and if common words were in the list of stop words::

    words in fewer than min_df documents    left out; a chunk ends there, as at an unknown word
    words in more than max_df documents     become stop words of the corpus's rules
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer._parameters import number, whole
from topminer.containers.arrays import starts_of
from topminer.containers.strings import Strings
from topminer.errors import InputError
from topminer.text.duplicates import duplicates_of
from topminer.text.rules import fold
from topminer.text.scan.keep import DROP, KEEP
from topminer.text.words import Roles, in_order

if TYPE_CHECKING:
    from topminer.text.corpus import Corpus


def filtered(corpus: Corpus, min_df: float, max_df: float, dedupe: bool) -> Corpus:
    """Return the corpus without rare words, common words and, if asked for, near duplicates."""
    _check(min_df, max_df, corpus.rules.stop_word_policy)
    if corpus.stem_ids.min(initial=0) < 0:
        raise InputError("these documents were encoded by another corpus; filter that one before")
    if dedupe:
        corpus = _without_duplicates(corpus)
    least, most = _documents(min_df, len(corpus)), _documents(max_df, len(corpus))
    if least <= 1 and most >= len(corpus):
        return corpus
    return _within(corpus, least, most)


def _without_duplicates(corpus: Corpus) -> Corpus:
    """Leave out near duplicates, and count them."""
    is_duplicate = duplicates_of(corpus.stem_ids, corpus.doc_start) >= 0
    if not is_duplicate.any():
        return corpus
    origin, n_tokens = corpus.origin, int(np.diff(corpus.doc_start)[is_duplicate].sum())
    origin = replace(
        origin,
        n_duplicates=origin.n_duplicates + int(is_duplicate.sum()),
        n_duplicate_tokens=origin.n_duplicate_tokens + n_tokens,
    )
    every = np.full(corpus.surfaces.height, KEEP, np.uint8)
    return replace(_with_roles(corpus[~is_duplicate], every), origin=origin)


def _within(corpus: Corpus, least: float, most: float) -> Corpus:
    """Return the corpus without words that are in fewer than ``least`` or more than ``most`` documents."""
    df = document_frequency(corpus)
    count, origin = corpus.vocabulary["count"].to_numpy(), corpus.origin
    origin = replace(
        origin,
        n_stop_words=origin.n_stop_words + int(count[df > most].sum()),
        n_rare_words=origin.n_rare_words + int(count[df < least].sum()),
    )
    surface, stem = corpus.surfaces["surface"], corpus.surfaces["stem"].to_numpy()
    is_common = df[stem] > most
    common = surface.filter(pl.Series(is_common))
    stop_words = {*corpus.rules.stop_words, *map(fold, common.to_list())}
    rules = replace(corpus.rules, stop_words=tuple(sorted(stop_words)))
    role = np.where(df[stem] < least, DROP, KEEP).astype(np.uint8)
    role[is_common] = Roles(rules).of(Strings.from_series(common)).role
    return replace(_with_roles(corpus, role), rules=rules, origin=origin)


def _check(min_df: float, max_df: float, policy: str) -> None:
    """Raise an error unless both are numbers of documents, or shares between 0 and 1."""
    for name, df in (("min_df", min_df), ("max_df", max_df)):
        if isinstance(df, Integral):
            whole(name, df, 1)
        else:
            number(name, df, 0, 1)
    if policy == "keep" and (max_df != 1.0 or isinstance(max_df, Integral)):
        raise InputError('max_df makes stop words, and stop_word_policy="keep" keeps them: choose one')


def document_frequency(corpus: Corpus) -> NDArray[np.int64]:
    """Return how many documents have each stem."""
    from scipy.sparse import csr_array

    ones = np.ones(corpus.n_tokens, np.bool_)
    shape = len(corpus), corpus.n_stems
    words = csr_array((ones, corpus.stem_ids, corpus.doc_start), shape, copy=True)
    words.sum_duplicates()
    return np.bincount(words.indices, minlength=corpus.n_stems)


def _documents(df: float, n_documents: int) -> float:
    """Return a number of documents, which may be given as a share of them."""
    return df if isinstance(df, Integral) else df * n_documents


def _with_roles(corpus: Corpus, role: NDArray[np.uint8]) -> Corpus:
    """Return the corpus with its kept tokens only, given the role of each surface, and counted anew."""
    of_token = role[corpus.surface_ids]
    kept = np.flatnonzero(of_token == KEEP)
    n_kept, n_dropped = starts_of(of_token == KEEP), starts_of(of_token == DROP)
    chunk = np.repeat(np.arange(corpus.n_chunks), np.diff(corpus.chunk_start))[kept]
    opens = np.ones(kept.size, np.bool_)
    opens[1:] = (np.diff(chunk) > 0) | (np.diff(n_dropped[kept]) > 0)
    gap_ids, gaps = _by_occurrence(*_joined_gaps(corpus, kept, opens), first=0)
    surface_ids, surfaces = _by_occurrence(corpus.surface_ids[kept], corpus.surfaces)
    counts = np.bincount(surface_ids, minlength=surfaces.height)
    vocabulary, stem = in_order(
        corpus.vocabulary["stem"], surfaces["stem"].to_numpy(), counts, surfaces["surface"]
    )
    stem_of = stem[surfaces["stem"].to_numpy()]
    return replace(
        corpus,
        stem_ids=stem_of[surface_ids],
        surface_ids=surface_ids,
        gap_ids=gap_ids,
        starts=corpus.starts[kept],
        doc_start=n_kept[corpus.doc_start],
        chunk_start=np.append(np.flatnonzero(opens), kept.size),
        vocabulary=vocabulary,
        surfaces=surfaces.with_columns(stem=stem_of, count=counts),
        gaps=gaps["gap"],
    )


def _joined_gaps(
    corpus: Corpus, kept: NDArray[np.int64], opens: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], pl.DataFrame]:
    """Return the gap before each kept token, and all gaps. Words that are skipped become part of gaps."""
    gap_ids = np.where(opens, np.int32(0), corpus.gap_ids[kept])
    skipped = np.diff(kept, prepend=-1) - 1
    joined = np.flatnonzero((skipped > 0) & ~opens)
    gaps = pl.DataFrame({"gap": corpus.gaps})
    if not joined.size:
        return gap_ids, gaps
    surface = corpus.surfaces["surface"]
    texts = pl.Series("gap", [""] * joined.size)
    token, stop = kept[joined] - skipped[joined], kept[joined]
    while (token < stop).any():
        more = pl.Series(token < stop)
        gap, word = (
            each.gather(ids[token])
            for each, ids in ((corpus.gaps, corpus.gap_ids), (surface, corpus.surface_ids))
        )
        texts = pl.select(pl.when(more).then(texts + gap + word).otherwise(texts)).to_series()
        token = np.minimum(token + 1, stop)
    texts = texts + corpus.gaps.gather(corpus.gap_ids[stop])
    gaps = pl.concat([gaps, texts.unique(maintain_order=True).to_frame("gap")]).unique(maintain_order=True)
    found = texts.to_frame("gap").join(gaps.with_row_index(), on="gap", maintain_order="left")
    gap_ids[joined] = found["index"].to_numpy()
    return gap_ids, gaps


def _by_occurrence(
    ids: NDArray[np.int32], table: pl.DataFrame, first: int | None = None
) -> tuple[NDArray[np.int32], pl.DataFrame]:
    """Number rows of a table by first occurrence, and leave out those without any. ``first`` is number 0."""
    given = ids if first is None else np.append(np.int32(first), ids)
    used, place = np.unique(given, return_index=True)
    order = used[np.argsort(place)]
    number_of = np.empty(table.height, np.int32)
    number_of[order] = np.arange(order.size)
    return number_of[ids], table[order]
