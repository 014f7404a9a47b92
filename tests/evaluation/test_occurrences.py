"""In how many documents and windows phrases occur."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from corpora import corpus_of
from hypothesis import given
from hypothesis import strategies as st
from oracles import coherence as oracle

from topminer import Corpus
from topminer.errors import InputError
from topminer.evaluation.occurrences import EPSILON, Occurrences, npmi_of_counts

pytestmark = pytest.mark.small

WORDS = ("ant", "bee", "cat", "dog", "eel")
NOWHERE = "yak"  # a word of phrases that no document has
chunks = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)
documents_of_chunks = st.lists(st.lists(chunks, max_size=3), min_size=1, max_size=5).filter(any)
phrase = st.lists(st.sampled_from((*WORDS[:3], NOWHERE)), min_size=1, max_size=3).map(tuple)


def ids(corpus: Corpus, *words: str) -> tuple[int, ...]:
    stems = corpus.vocabulary["stem"].to_list()
    return tuple(stems.index(word) if word in stems else len(stems) + ord(word[0]) for word in words)


@given(
    documents_of_chunks,
    st.lists(phrase, min_size=1, max_size=3, unique=True),
    st.none() | st.integers(1, 9),
    st.booleans(),
)
def test_counts_are_those_of_all_windows_looked_at(
    documents: list[oracle.Document], phrases: list[oracle.Phrase], window: int | None, contiguous: bool
) -> None:
    corpus = corpus_of(documents)
    listed = [ids(corpus, *words) for words in phrases]
    found = Occurrences.of(corpus, listed, window=window, contiguous=contiguous)
    where = oracle.units(documents, window)
    assert found.n_units == len(where)
    for a, b in combinations_with_replacement(phrases, 2):
        first, second = ids(corpus, *a), ids(corpus, *b)
        alone, other = (oracle.count(where, contiguous, each) for each in (a, b))
        both = oracle.count(where, contiguous, a, b)
        assert found.counts([first, second]).tolist() == [[alone, both], [both, other]]
        for eps in (0.0, EPSILON):
            expected = oracle.npmi(where, contiguous, a, b, eps)
            assert found.npmi(first, second, eps) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("window", "first", "stop"), [(1, [0, 10, 13], [9, 11, 14]), (2, [0, 9, 11], [8, 10, 12])]
)
def test_runs_of_a_phrase_do_not_touch(window: int, first: list[int], stop: list[int]) -> None:
    corpus = corpus_of([[["ant"] * 9], [], [["ant", "bee", "bee", "ant"]]])
    found = Occurrences.of(corpus, [ids(corpus, "bee", "bee"), ids(corpus, "ant")], window=window)
    number = found.number_of[ids(corpus, "ant")]
    run = slice(found.start[number], found.start[number + 1])
    assert found.first[run].tolist() == first  # the unit behind the first run is the empty document
    assert found.stop[run].tolist() == stop


@pytest.mark.parametrize("contiguous", [True, False])
def test_words_that_a_vocabulary_has_not_are_no_phrase(contiguous: bool) -> None:
    corpus = corpus_of([[["ant", "bee"]]])
    other = corpus_of([[["ant", "cat", "dog"]]]).in_vocabulary_of(corpus)
    assert other.stem_ids.min() == -1
    strange, empty, ant = (-1,), (), ids(corpus, "ant")
    found = Occurrences.of(other, [strange, empty, ant], contiguous=contiguous)
    assert found.counts([strange, empty, ant]).diagonal().tolist() == [0, 0, 1]
    assert found.npmi(ant, strange) == found.npmi(strange, strange) == -1.0


def test_npmi_at_its_extremes() -> None:
    # Of 4 units: 2 phrases always together, one that is never with them, one everywhere, one nowhere.
    counts = np.array([[2, 2, 0, 2, 0], [2, 2, 0, 2, 0], [0, 0, 1, 1, 0], [2, 2, 1, 4, 0], [0] * 5])
    values = npmi_of_counts(counts, 4)
    assert values[0].tolist() == [1.0, 1.0, -1.0, 0.0, -1.0]
    assert values[3, 3] == 0.0
    assert values[4].tolist() == [-1.0] * 5
    as_gensim = npmi_of_counts(counts, 4, EPSILON)
    assert as_gensim[0, 2] == pytest.approx(-1 + np.log(1 / 8) / np.log(1e-12))
    assert as_gensim[3, 3] == -1.0
    assert np.abs(as_gensim - values)[:3, :2].max() < 0.1
    assert npmi_of_counts(np.zeros((2, 2), np.int64), 0).tolist() == [[-1.0, -1.0]] * 2


def test_nothing_asked() -> None:
    corpus = corpus_of([[["ant"]]])
    found = Occurrences.of(corpus, [])
    assert found.n_units == 1
    assert found.counts([]).shape == (0, 0)
    with pytest.raises(KeyError):
        found.counts([(0,)])


def test_progress_ends_and_what_is_refused() -> None:
    told: list[tuple[object, ...]] = []
    corpus = corpus_of(["ant bee"])
    Occurrences.of(corpus, [(0,)], progress=lambda *report: told.append(report[1:3]))
    assert told == [(0, 2), (2, 2)]
    with pytest.raises(InputError, match="the window must be a whole number from 1 on, or None, not 0"):
        Occurrences.of(corpus, [(0,)], window=0)
    for eps in (-0.1, 1.0, float("nan")):
        with pytest.raises(InputError, match="at least 0 and below 1"):
            npmi_of_counts(np.ones((1, 1), np.int64), 1, eps)
