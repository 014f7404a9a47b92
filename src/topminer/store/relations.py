"""What must hold between several arrays and tables of a stored thing: see :class:`.Relation`."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray


def documents_start_chunks(doc_start: NDArray[np.int64], chunk_start: NDArray[np.int64]) -> bool:
    """No chunk may reach into another document."""
    return bool((chunk_start[np.searchsorted(chunk_start, doc_start)] == doc_start).all())


def stems_are_distinct(vocabulary: pl.DataFrame) -> bool:
    """A stem has one row."""
    return vocabulary["stem"].n_unique() == vocabulary.height


def fewer_topics_are_tried(tried: pl.DataFrame) -> bool:
    """Each number of topics that was tried is smaller than the one before."""
    return bool(np.all(np.diff(tried["n_topics"].to_numpy()) < 0))


def phrases_form_a_tree(
    prefix: NDArray[np.int32],
    last: NDArray[np.int32],
    length_start: NDArray[np.int64],
    vocabulary: pl.DataFrame,
) -> bool:
    """Single words come first; every longer phrase is a phrase of one word less, and one more word."""
    n_stems = vocabulary.height
    if length_start.size < 3 or (length_start[1], length_start[2]) != (0, n_stems):
        return False
    if not (prefix[:n_stems] == -1).all() or not (last[:n_stems] == np.arange(n_stems)).all():
        return False
    length_of = np.repeat(np.arange(length_start.size - 1), np.diff(length_start))[n_stems:]
    above = prefix[n_stems:]
    inside = (above >= length_start[length_of - 1]) & (above < length_start[length_of])
    return bool(inside.all() and (np.diff(length_start[2:]) > 0).all())


def evidence_in_support(evidence: NDArray[np.int64], support: NDArray[np.int64]) -> bool:
    """What is counted as evidence is a place of the phrase."""
    return bool((evidence <= support).all())


def judged_have_statistics(judged: NDArray[np.int32], statistics: NDArray[np.float64]) -> bool:
    """Each judged phrase has a row of eight statistics (phrases/quality.py)."""
    return statistics.size == 8 * judged.size


def words_are_known(stem_ids: NDArray[np.int32], strength: NDArray[np.float64]) -> bool:
    """Phrases are mined from words of the vocabulary alone."""
    return bool(stem_ids.size == 0 or stem_ids.min() >= 0)


def chunks_are_apart(strength: NDArray[np.float64], chunk_start: NDArray[np.int64]) -> bool:
    """No merge joins a chunk's first token to the one before it."""
    return bool((strength[chunk_start[:-1]] == -np.inf).all())


def types_have_instances(
    type_start: NDArray[np.int64], instances: NDArray[np.int64], vocabulary: pl.DataFrame
) -> bool:
    """Single words are the first types; every type of several words has an instance."""
    n_stems = vocabulary.height
    return instances.size == n_stems + type_start.size - 1 and bool((instances[n_stems:] > 0).all())


def words_add_up(word_topic: NDArray[np.int32], tokens: NDArray[np.int64]) -> bool:
    """A topic has as many tokens as its words have in it."""
    return bool((word_topic.reshape(-1, tokens.size).sum(axis=0, dtype=np.int64) == tokens).all())


def documents_add_up(
    topic: NDArray[np.int32],
    tokens_there: NDArray[np.int32],
    tokens: NDArray[np.int64],
) -> bool:
    """A topic has as many tokens as documents have of it."""
    found = np.bincount(topic, tokens_there, tokens.size)
    return bool((found == tokens).all())


def pairs_ascend(first: NDArray[Any], second: NDArray[np.int32]) -> bool:
    """Pairs are sorted by their first number, then by their second, and none occurs twice."""
    rises = first[1:] > first[:-1]
    return bool((rises | ((first[1:] == first[:-1]) & (second[1:] > second[:-1]))).all())
