"""Where given phrases stand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer import Corpus
from topminer.phrases.occurrences import find

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
    expected = []
    for start, stop in pairwise(corpus.chunk_start.tolist()):
        for i in range(start, stop):
            for length in range(1, stop - i + 1):
                here = tuple(corpus.stem_ids[i : i + length].tolist())
                expected += [(i, number) for number, phrase in enumerate(phrases) if phrase == here]
    first, which = find(corpus, phrases)
    assert list(zip(first.tolist(), which.tolist(), strict=True)) == expected


def test_no_phrases_and_empty_ones_stand_nowhere() -> None:
    corpus = corpus_of([[0, 1]])
    assert [each.tolist() for each in find(corpus, [])] == [[], []]
    assert [each.tolist() for each in find(corpus, [()])] == [[], []]
