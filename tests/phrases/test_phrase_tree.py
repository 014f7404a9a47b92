"""The tree of mined phrases, against counting by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import phrases as oracle
from oracles.phrases import Document
from planted import corpora, flatten, many

from topminer.jit import kernel
from topminer.phrases.mining import MAX_LENGTH, Mined, mine
from topminer.phrases.phrase_index import find_longest
from topminer.phrases.phrase_tree import PhraseTree, count_beginnings, count_broken
from topminer.phrases.phrase_tree import beginning as beginning_in_kernels

pytestmark = pytest.mark.small

N_WORDS = 5


@kernel
def beginning(id: int, length: int, tree: PhraseTree) -> int:
    return beginning_in_kernels(id, length, tree)


def tree_of(mined: Mined) -> PhraseTree:
    return PhraseTree(mined.prefix, mined.length_start)


def places(longest: NDArray[np.int32], mined: Mined) -> list[tuple[int, int, int]]:
    """The phrase, the first atom and the end of every place, from the longest phrase of each atom."""
    found = []
    for first, id in enumerate(longest.tolist()):
        for length in range(1, len(mined.words_of(id)) + 1):
            found.append((beginning(id, length, tree_of(mined)), first, first + length))
    return found


def test_worked_example() -> None:
    text = flatten([[[0, 1, 2], [1, 2]], [[0, 1, 2]]]).sequence
    mined, longest = mine(text, n_stems=3, min_support=2)
    found = [mined.words_of(id) for id in longest.tolist()]
    assert found == [[0, 1, 2], [1, 2], [2], [1, 2], [2], [0, 1, 2], [1, 2], [2]]
    assert [beginning(longest[0], length, tree_of(mined)) for length in (1, 2, 3, 4, 9)] == [0, 3, 5, -1, -1]


@many
@given(corpora(N_WORDS), st.integers(1, 4))
def test_every_frequent_phrase_has_its_places(documents: list[Document], min_support: int) -> None:
    text = flatten(documents).sequence
    mined, longest = mine(text, N_WORDS, min_support)
    np.testing.assert_array_equal(find_longest(text, mined.make_index()), longest)
    support = oracle.frequent(documents, min_support, MAX_LENGTH)
    count = count_beginnings(longest, tree_of(mined))
    long = range(N_WORDS, count.size)
    assert {tuple(mined.words_of(id)): count[id] for id in long} == {
        phrase: n for phrase, n in support.items() if len(phrase) > 1
    }
    for id, first, end in places(longest, mined):
        assert mined.words_of(id) == text.ids[first:end].tolist()


@many
@given(corpora(N_WORDS), st.integers(1, 3), st.data())
def test_places_inside_tokens(documents: list[Document], min_support: int, data: st.DataObject) -> None:
    text = flatten(documents).sequence
    n = text.ids.size
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), np.bool_)
    inside[text.chunk_start[:-1]] = False
    mined, longest = mine(text, N_WORDS, min_support)
    expected = np.zeros(mined.prefix.size, np.int64)
    for id, first, end in places(longest, mined):
        expected[id] += inside[first] or (end < n and inside[end])
    for all_mined in (False, True):
        found = count_broken(longest, inside, tree_of(mined), all_mined=all_mined)
        np.testing.assert_array_equal(found, expected)


def test_unknown_words_start_nothing() -> None:
    mined = mine(flatten([[[0, 1]], [[0, 1]]]).sequence, 2, 2).mined
    text = flatten([[[0, -1, 0, 1]]]).sequence
    longest = find_longest(text, mined.make_index())
    assert longest.tolist() == [0, -1, 2, 1]
    assert count_beginnings(longest, tree_of(mined)).tolist() == [2, 1, 1]
