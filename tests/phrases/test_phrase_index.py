"""The index of stem sequences: places of phrases, ids of phrases, against plain search."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer import Corpus
from topminer.phrases.phrase_index import index_phrases, places_of, sequence_ids

pytestmark = pytest.mark.small

WORDS = "abcd"


def corpus_of(chunks: list[list[int]]) -> Corpus:
    """One document, a chunk of single letters after the other."""
    text = ". ".join(" ".join(WORDS[word] for word in chunk) for chunk in chunks)
    return Corpus.from_texts([text], language=None, stem=False)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=8), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple), max_size=8, unique=True),
)
def test_every_place_and_none_across_a_chunks_end(chunks, wanted) -> None:
    corpus = corpus_of(chunks)
    id_of = {stem: i for i, stem in enumerate(corpus.vocabulary["stem"])}
    phrases = [tuple(id_of.get(WORDS[word], 99) for word in phrase) for phrase in wanted]
    expected: list[list[int]] = [[] for _ in phrases]
    for start, stop in pairwise(corpus.chunk_start.tolist()):
        for i in range(start, stop):
            for length in range(1, stop - i + 1):
                here = tuple(corpus.stem_ids[i : i + length].tolist())
                for number, phrase in enumerate(phrases):
                    if phrase == here:
                        expected[number].append(i)
    start, first = places_of(corpus, phrases)
    assert [first[a:b].tolist() for a, b in pairwise(start.tolist())] == expected


def test_no_phrases_and_empty_ones_stand_nowhere() -> None:
    corpus = corpus_of([[0, 1]])
    assert [each.tolist() for each in places_of(corpus, [])] == [[0], []]
    assert [each.tolist() for each in places_of(corpus, [()])] == [[0, 0], []]


phrases = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple), max_size=8)


@given(phrases, phrases)
def test_ids(indexed: list[tuple[int, ...]], asked: list[tuple[int, ...]]) -> None:
    """Phrases and their beginnings have ids, distinct ones; a word's id is its stem."""
    index, ids = index_phrases(indexed, 4)
    known = {phrase[:n] for phrase in indexed for n in range(1, len(phrase) + 1)} | {(i,) for i in range(4)}
    assert index.goes_on.size == len(known)
    assert sequence_ids(index, indexed).tolist() == ids.tolist()
    found = dict(zip(asked, sequence_ids(index, asked).tolist(), strict=True))
    assert {phrase for phrase, id in found.items() if id >= 0} == known.intersection(asked)
    assert all(id == phrase[0] for phrase, id in found.items() if len(phrase) == 1)
    every = sequence_ids(index, known).tolist()
    assert sorted(every) == list(range(len(known)))
    for phrase, id in zip(known, every, strict=True):
        assert index.goes_on[id] == any(longer[:-1] == phrase for longer in known)


def test_phrases_outside_the_vocabulary_have_no_id() -> None:
    index, ids = index_phrases([(0, 1), (), (0, 4), (-1, 0), (3,)], 4)
    assert ids.tolist() == [4, -1, -1, -1, 3]
    assert sequence_ids(index, [(0, -1), (0, 3), (0, 1, 2)]).tolist() == [-1, -1, -1]


@pytest.mark.small
def test_places_of_single_words_are_those_found_beside_longer_phrases() -> None:
    corpus = Corpus.from_texts(["a b a c", "c b", "", "b b a"], None, False, [])
    words = [(corpus.vocabulary["stem"].to_list().index(word),) for word in "cab"]
    alone, beside = places_of(corpus, words), places_of(corpus, [*words, (words[0][0], words[2][0])])
    assert alone.start.tolist() == beside.start[:4].tolist() == [0, 2, 5, 9]
    assert alone.first.tolist() == beside.first[:9].tolist() == [3, 4, 0, 2, 8, 1, 5, 6, 7]
    none = places_of(corpus, [(-1,), (99,)])
    assert (none.start.tolist(), none.first.size) == ([0, 0, 0], 0)
