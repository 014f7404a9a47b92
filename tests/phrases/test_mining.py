"""Algorithm 1 against plain counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import phrases as oracle
from oracles.phrases import Document
from planted import corpora, flatten, many, some

from topminer import InputError
from topminer.phrases import candidates, mining
from topminer.phrases.mining import MAX_LENGTH, Mined, mine
from topminer.phrases.sequence import Sequence

N_WORDS = 8


def listed(mined: Mined) -> dict[tuple[int, ...], int]:
    """Frequent phrases and their support, in the order of their ids."""
    found = {}
    for length in range(1, mined.max_length + 1):
        ids = slice(mined.length_start[length], mined.length_start[length + 1])
        frequent = mined.support[ids] >= mined.min_support
        stems = map(tuple, mined.stems_of(length)[frequent].tolist())
        found.update(zip(stems, mined.support[ids][frequent].tolist(), strict=True))
    return found


def in_blocks(sequence: Sequence, min_support: int, n_blocks: int, max_length: int | None = None) -> Mined:
    """Mine in as many blocks as there would be threads, but on one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_MIN_BLOCK", 1)
        patch.setattr(candidates, "map_in_order", lambda function, items, n_threads: map(function, items))
        return mine(sequence, N_WORDS, min_support, max_length, n_blocks).mined


def assert_same(one: Mined, other: Mined) -> None:
    for name, a, b in zip(Mined._fields, one, other, strict=True):
        np.testing.assert_array_equal(a, b, name)


@pytest.mark.small
def test_worked_example() -> None:
    sequence = flatten([[[0, 1, 2], [0, 1, 2]], [], [[1, 2]]]).sequence
    mined = mine(sequence, n_stems=3, min_support=2).mined
    assert mined.prefix.tolist() == [-1, -1, -1, 0, 1, 3]
    assert mined.last.tolist() == [0, 1, 2, 1, 2, 2]
    assert mined.support.tolist() == [2, 3, 3, 2, 3, 2]
    assert mined.length_start.tolist() == [0, 0, 3, 5, 6]
    assert mined.length_of(np.arange(6)).tolist() == [1, 1, 1, 2, 2, 3]
    assert mined.stems_of(2).tolist() == [[0, 1], [1, 2]]
    assert mined.stems_of(3).tolist() == [[0, 1, 2]]
    assert (mined.n_stems, mined.max_length, mined.n_tokens) == (3, 3, 8)
    assert not mined.reached_max_length


@pytest.mark.small
@many
@given(corpora(N_WORDS), st.integers(1, 4), st.integers(1, 3))
def test_counts_every_frequent_phrase(documents: list[Document], min_support: int, n_blocks: int) -> None:
    mined = in_blocks(flatten(documents).sequence, min_support, n_blocks)
    expected = oracle.frequent(documents, min_support, MAX_LENGTH)
    assert listed(mined) == expected
    longer = [phrase for phrase in listed(mined) if len(phrase) > 1]
    assert longer == [phrase for phrase in expected if len(phrase) > 1]  # ids go by first occurrence


@some
@given(corpora(N_WORDS), st.integers(1, 4), st.integers(1, 6))
def test_max_length(documents: list[Document], min_support: int, max_length: int) -> None:
    mined = in_blocks(flatten(documents).sequence, min_support, 2, max_length)
    assert listed(mined) == oracle.frequent(documents, min_support, max_length)
    longer = oracle.frequent(documents, min_support, max_length + 1)
    if any(len(phrase) > max_length for phrase in longer):
        assert mined.reached_max_length
    if mined.reached_max_length:
        assert mined.max_length == max_length


@pytest.mark.small
@pytest.mark.parametrize("documents", [[], [[]], [[[0]]], [[[0], [0]], [[0], [1]]]])
def test_nothing_to_join(documents: list[Document]) -> None:
    sequence = flatten(documents).sequence
    mined = mine(sequence, n_stems=2, min_support=1).mined
    assert mined.max_length == 1
    assert not mined.reached_max_length


def random_words(n: int, n_words: int, seed: int = 0) -> list[int]:
    """Words as in a text: a few frequent ones, many rare ones."""
    rng = np.random.default_rng(seed)
    return np.minimum(rng.zipf(1.3, n) - 1, n_words - 1).tolist()


@pytest.mark.parametrize("min_support", [1, 2, 5, 50, 300])
def test_many_candidates_share_cells(min_support: int) -> None:
    words = random_words(60_000, 5_000)
    documents = [[words[i : i + 7]] for i in range(0, len(words), 7)]
    sequence = flatten(documents).sequence
    mined = mine(sequence, 5_000, min_support, n_threads=2).mined
    assert listed(mined) == oracle.frequent(documents, min_support, MAX_LENGTH)


@pytest.mark.parametrize("min_support", [200, 1_000])
def test_cell_counts_exclude_most_rare_candidates(min_support: int) -> None:
    """Guards against cells of one byte for a support of 1,000: all of them would be full."""
    words = np.array(random_words(1_000_000, 20_000), np.int32)
    sequence = Sequence(words, np.append(np.arange(0, words.size, 9), words.size))
    blocks = candidates.Blocks(sequence, 20_000, 1)
    blocks.start(blocks.count_stems() >= min_support)
    cells = blocks.count_by_cell(2, blocks.n_candidates, min_support)
    keys, count = blocks.count_likely(2, cells, min_support)
    n_frequent = int((count >= min_support).sum())
    assert n_frequent > 50
    assert keys.size < 6 * n_frequent


@pytest.mark.parametrize("n_blocks", [1, 2, 3])
def test_support_beyond_a_byte(n_blocks: int) -> None:
    """A small cell counts to 255, a large one on, and several blocks are added up."""
    sequence = flatten([[[0, 1]]] * 300 + [[[1, 2]]] * 299 + [[[2, 0]]] * 256 + [[[0, 2, 1]]]).sequence
    mined = in_blocks(sequence, 300, n_blocks)
    assert listed(mined) == {(0,): 557, (1,): 600, (2,): 556, (0, 1): 300}


def test_large_vocabulary() -> None:
    n_stems = 2**21 + 3
    words = [n_stems - 1 - word for word in random_words(5_000, 50)]
    documents = [[words[i : i + 9]] for i in range(0, len(words), 9)]
    sequence = flatten(documents).sequence
    mined = mine(sequence, n_stems, 3).mined
    assert listed(mined) == oracle.frequent(documents, 3, MAX_LENGTH)


def test_periodic_text_stops_at_max_length() -> None:
    """Every sequence of a periodic text is frequent, at any length."""
    n = 30_000
    sequence = Sequence(np.tile(np.arange(3, dtype=np.int32), n // 3), np.array([0, n]))
    mined = mine(sequence, 3, min_support=10).mined
    assert mined.reached_max_length
    assert np.array_equal(np.diff(mined.length_start)[1:], np.full(MAX_LENGTH, 3))
    for length in range(1, MAX_LENGTH + 1):
        support = mined.support[mined.length_start[length] : mined.length_start[length + 1]]
        assert support.sum() == n - length + 1


@pytest.mark.small
def test_progress_and_inputs_left_alone() -> None:
    sequence = flatten([[[0, 1, 2], [0, 1, 2]]]).sequence
    before = sequence.ids.copy()
    lengths: list[int] = []
    mine(sequence, 3, 2, progress=lambda stage, done, total, unit: lengths.append(done))
    assert lengths == [2, 3]
    assert np.array_equal(sequence.ids, before)


def test_more_phrases_than_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining, "_MAX_PHRASES", 4)
    sequence = flatten([[[0, 1, 2], [0, 1, 2]]]).sequence
    with pytest.raises(InputError, match="ask for more support"):
        mine(sequence, 3, 2)
