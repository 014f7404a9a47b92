"""Algorithm 2 against two slow ones: one that looks at all pairs again and again, and the paper's heap."""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import phrases as oracle
from oracles.phrases import Document, Merge, Phrase
from planted import corpora, flatten, many, some

from topminer.phrases import segmentation
from topminer.phrases.mining import MAX_LENGTH, Mined, mine
from topminer.phrases.phrase_index import PhraseIndex, Stems, find_longest
from topminer.phrases.segmentation import ScoredPhrases, phrase_bounds, score_phrases
from topminer.phrases.sequence import Sequence

N_WORDS = 8
Prepared = tuple[PhraseIndex, ScoredPhrases]


def prepared(phrases: Mined, never: Iterable[Stems] = ()) -> Prepared:
    index = phrases.make_index()
    return index, score_phrases(phrases, index, never)


def strength_of(sequence: Sequence, known: Prepared, **options: Any) -> NDArray[np.float64]:
    index, scored = known
    return segmentation.segment(sequence, find_longest(sequence, index), scored, **options)


def merges_of(sequence: Sequence, known: Prepared) -> segmentation.Merges:
    index, scored = known
    return segmentation.find_merges(sequence, find_longest(sequence, index), scored)


def mined(documents: list[Document], min_support: int) -> Mined:
    return mine(flatten(documents).sequence, N_WORDS, min_support).mined


def stems_by_id(phrases: Mined) -> list[Phrase]:
    lengths = range(1, phrases.max_length + 1)
    return [tuple(row) for length in lengths for row in phrases.stems_of(length).tolist()]


def partitions(
    documents: list[Document], strength: NDArray[np.float64], threshold: float
) -> list[list[Phrase]]:
    """Each document's phrases at a threshold."""
    (stem_ids, *_), doc_start = flatten(documents)
    starts = phrase_bounds(strength, threshold)[:-1]
    cut = []
    for start, stop in pairwise(doc_start.tolist()):
        bounds = [*starts[(starts >= start) & (starts < stop)].tolist(), stop]
        cut.append([tuple(stem_ids[a:b].tolist()) for a, b in pairwise(bounds)])
    return cut


def thresholds(strength: NDArray[np.float64]) -> list[float]:
    """Every strength that occurs, what is between, and what is beyond."""
    found = np.unique(strength[np.isfinite(strength)])
    return [-math.inf, *found, *(found[1:] + found[:-1]) / 2, *np.nextafter(found, math.inf), math.inf]


def named(record: segmentation.Merges, phrases: Mined) -> list[Merge]:
    """Merges as the oracle has them."""
    stems = stems_by_id(phrases)
    found = []
    for boundary, left, right, joined, score, _ in zip(*map(np.ndarray.tolist, record), strict=True):
        assert stems[joined] == stems[left] + stems[right]
        found.append(Merge(boundary, stems[left], stems[right], score))
    return found


@pytest.mark.small
def test_worked_example() -> None:
    """Support: 0 1 and 1 2 twice, 0 three times, 1 three times, 2 twice, 0 1 2 once; ten tokens."""
    documents = [[[0, 1, 2, 3]], [[0, 1], [1, 2]], [[0, 4]]]
    phrases = mined(documents, 2)
    sequence = flatten(documents).sequence
    strength = strength_of(sequence, prepared(phrases))
    first, second = (2 - 3 * 3 / 10) / math.sqrt(2), (2 - 3 * 2 / 10) / math.sqrt(2)
    none = -math.inf
    assert strength.tolist() == [none, none, second, none, none, first, none, second, none, none]
    at_one = [[(0,), (1,), (2,), (3,)], [(0,), (1,), (1,), (2,)], [(0,), (4,)]]
    assert partitions(documents, strength, 1.0) == at_one
    at_second = [[(0,), (1, 2), (3,)], [(0,), (1,), (1, 2)], [(0,), (4,)]]
    assert partitions(documents, strength, second) == at_second


@pytest.mark.small
def test_of_equal_scores_the_leftmost_is_merged() -> None:
    """The text is: really really really."""
    documents = [[[0, 0, 0]]] * 5 + [[[1]]] * 100
    phrases = mined(documents, 2)
    record = merges_of(flatten(documents[:1]).sequence, prepared(phrases))
    assert [merge[:3] for merge in named(record, phrases)] == [(1, (0,), (0,)), (2, (0, 0), (0,))]


@pytest.mark.small
@many
@given(corpora(N_WORDS), st.integers(1, 4))
def test_every_threshold_at_once(documents: list[Document], min_support: int) -> None:
    """The partition at any threshold is what Algorithm 2 with that threshold gives, document by document."""
    sequence = flatten(documents).sequence
    strength = strength_of(sequence, prepared(mined(documents, min_support)))
    support = oracle.known(documents, min_support, MAX_LENGTH)
    score = oracle.paper_score(sequence.ids.size)
    for threshold in thresholds(strength):
        expected = [oracle.partition(document, support, score, threshold) for document in documents]
        assert partitions(documents, strength, threshold) == expected
    assert (strength[sequence.chunk_start[:-1]] == -math.inf).all()


@pytest.mark.small
@many
@given(corpora(N_WORDS), st.integers(1, 4))
def test_merges_in_order(documents: list[Document], min_support: int) -> None:
    phrases = mined(documents, min_support)
    support = oracle.known(documents, min_support, MAX_LENGTH)
    score = oracle.paper_score(phrases.n_tokens)
    for document in documents:
        sequence = flatten([document]).sequence
        record = merges_of(sequence, prepared(phrases))
        assert named(record, phrases) == list(oracle.all_merges(document, support, score))
        # The lowest score so far in a stretch is the lowest so far in the document.
        assert np.array_equal(record.strength, np.minimum.accumulate(record.score))
        strength = np.full(sequence.ids.size, -math.inf)
        strength[record.boundary] = record.strength
        assert np.array_equal(strength_of(sequence, prepared(phrases)), strength)


@pytest.mark.small
@some
@given(corpora(N_WORDS), corpora(N_WORDS + 2), st.integers(1, 4))
def test_new_documents(documents: list[Document], new: list[Document], min_support: int) -> None:
    """Words never seen, here the two last ones, are phrases of their own."""
    phrases = mined(documents, min_support)
    new = [[[word if word < N_WORDS else -1 for word in chunk] for chunk in document] for document in new]
    strength = strength_of(flatten(new).sequence, prepared(phrases))
    support = oracle.known(documents, min_support, MAX_LENGTH)
    score = oracle.paper_score(phrases.n_tokens) if phrases.n_tokens else None
    for threshold in thresholds(strength):
        expected = [oracle.partition(document, support, score, threshold) for document in new]
        assert partitions(new, strength, threshold) == expected


@pytest.mark.small
@some
@given(corpora(N_WORDS), st.integers(1, 3), st.data())
def test_own_phrases(documents: list[Document], min_support: int, data: st.DataObject) -> None:
    """Some boundaries are glued from the start, some phrases never formed."""
    phrases = mined(documents, min_support)
    support = oracle.known(documents, min_support, MAX_LENGTH)
    score = oracle.paper_score(phrases.n_tokens)
    stems = stems_by_id(phrases)
    forbidden = data.draw(st.sets(st.sampled_from(stems), max_size=4))
    known = prepared(phrases, never=forbidden)
    for document in documents:
        sequence = flatten([document]).sequence
        glued = np.array(
            data.draw(st.lists(st.booleans(), min_size=sequence.ids.size, max_size=sequence.ids.size)), bool
        )
        expected = list(oracle.all_merges(document, support, score, forbidden, np.flatnonzero(glued)))
        sequence = sequence._replace(glued=glued)
        record = merges_of(sequence, known)
        assert named(record, phrases) == expected
        strength = strength_of(sequence, known)
        is_first = np.isin(np.arange(sequence.ids.size), sequence.chunk_start)
        assert np.array_equal(strength == math.inf, glued & ~is_first)
        assert np.array_equal(strength[record.boundary], record.strength)
        assert np.isfinite(strength).sum() == record.boundary.size


@pytest.mark.parametrize("n_words", [1, 2, 3, 20])
@pytest.mark.parametrize("n_tokens", [1000, 5000])
def test_long_chunks(n_words: int, n_tokens: int) -> None:
    """Thousands of tokens without an end of a chunk."""
    rng = np.random.default_rng(n_words)
    document = [np.minimum(rng.zipf(1.5, n_tokens) - 1, n_words - 1).tolist()]
    sequence = flatten([document]).sequence
    phrases = mine(sequence, n_words, 5).mined
    support = oracle.known([document], 5, MAX_LENGTH)
    score = oracle.paper_score(n_tokens)
    strength = strength_of(sequence, prepared(phrases))
    found = np.unique(strength[np.isfinite(strength)])
    for threshold in (-math.inf, *found[:: max(1, found.size // 4)], 2.0, 4.0):
        [phrases_found] = partitions([document], strength, threshold)
        assert phrases_found == oracle.partition(document, support, score, threshold)


def test_threads_and_ranges_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    stem_ids = np.minimum(rng.zipf(1.3, 100_000) - 1, 99).astype(np.int32)
    sequence = Sequence(stem_ids, np.unique([0, *rng.integers(0, 100_000, 20_000), 100_000]))
    known = prepared(mine(sequence, 100, 5).mined)
    expected = strength_of(sequence, known)
    assert np.isfinite(expected).mean() > 0.2
    for size, n_threads in ((1 << 15, 2), (1000, 3), (300, 1)):
        monkeypatch.setattr(segmentation, "_RANGE", size)
        assert np.array_equal(strength_of(sequence, known, n_threads=n_threads), expected)
    done: list[int] = []
    strength_of(sequence, known, progress=lambda stage, n, total, unit: done.append(n))
    assert done == sorted(set(done))
    assert done[-1] == sequence.ids.size


def test_huge_counts() -> None:
    """Counts beyond 32 bits, without a corpus of that size."""
    phrases = Mined(
        prefix=np.array([-1, -1, 0], np.int32),
        last=np.array([0, 1, 1], np.int32),
        evidence=np.array([2**40, 2**35, 2**33]),
        support=np.array([2**40, 2**35, 2**33]),
        length_start=np.array([0, 0, 2, 3]),
        n_tokens=2**45,
        min_support=2**32,
        reached_max_length=False,
    )
    strength = strength_of(Sequence(np.array([0, 1], np.int32), np.array([0, 2])), prepared(phrases))
    assert strength[1] == (2**33 - 2**30) / math.sqrt(2**33)
