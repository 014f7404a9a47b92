"""Algorithm 1 against plain counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import phrases as oracle
from oracles.phrases import Document
from planted import Flat, corpora, flatten, many, some

from topminer import InputError
from topminer.phrases import candidates, mining
from topminer.phrases.mining import MAX_LENGTH, Phrases, mine

N_WORDS = 8


def listed(phrases: Phrases) -> dict[tuple[int, ...], int]:
    """Frequent phrases and their support, in the order of their ids."""
    found = {}
    for length in range(1, phrases.max_length + 1):
        ids = slice(phrases.length_start[length], phrases.length_start[length + 1])
        frequent = phrases.support[ids] >= phrases.min_support
        stems = map(tuple, phrases.stems_of(length)[frequent].tolist())
        found.update(zip(stems, phrases.support[ids][frequent].tolist(), strict=True))
    return found


def in_blocks(corpus: Flat, min_support: int, n_blocks: int, max_length: int | None = None) -> Phrases:
    """Mine in as many blocks as there would be threads, but on one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_SMALL_BLOCK", 1)
        patch.setattr(candidates, "map_in_order", lambda function, items, n_threads: map(function, items))
        return mine(corpus.stem_ids, corpus.chunk_start, N_WORDS, min_support, max_length, n_blocks)


def assert_same(one: Phrases, other: Phrases) -> None:
    for name, a, b in zip(Phrases._fields, one, other, strict=True):
        np.testing.assert_array_equal(a, b, name)


@pytest.mark.small
def test_worked_example() -> None:
    corpus = flatten([[[0, 1, 2], [0, 1, 2]], [], [[1, 2]]])
    phrases = mine(corpus.stem_ids, corpus.chunk_start, n_stems=3, min_support=2)
    assert phrases.prefix.tolist() == [-1, -1, -1, 0, 1, 3]
    assert phrases.last.tolist() == [0, 1, 2, 1, 2, 2]
    assert phrases.support.tolist() == [2, 3, 3, 2, 3, 2]
    assert phrases.length_start.tolist() == [0, 0, 3, 5, 6]
    assert phrases.length_of(np.arange(6)).tolist() == [1, 1, 1, 2, 2, 3]
    assert phrases.stems_of(2).tolist() == [[0, 1], [1, 2]]
    assert phrases.stems_of(3).tolist() == [[0, 1, 2]]
    assert (phrases.n_stems, phrases.max_length, phrases.n_tokens) == (3, 3, 8)
    assert not phrases.reached_max_length


@pytest.mark.small
@many
@given(corpora(N_WORDS), st.integers(1, 4), st.integers(1, 3))
def test_counts_every_frequent_phrase(documents: list[Document], min_support: int, n_blocks: int) -> None:
    phrases = in_blocks(flatten(documents), min_support, n_blocks)
    expected = oracle.frequent(documents, min_support, MAX_LENGTH)
    assert listed(phrases) == expected
    longer = [phrase for phrase in listed(phrases) if len(phrase) > 1]
    assert longer == [phrase for phrase in expected if len(phrase) > 1]  # ids go by first occurrence


@some
@given(corpora(N_WORDS), st.integers(1, 4), st.integers(1, 6))
def test_max_length(documents: list[Document], min_support: int, max_length: int) -> None:
    phrases = in_blocks(flatten(documents), min_support, 2, max_length)
    assert listed(phrases) == oracle.frequent(documents, min_support, max_length)
    longer = oracle.frequent(documents, min_support, max_length + 1)
    if any(len(phrase) > max_length for phrase in longer):
        assert phrases.reached_max_length
    if phrases.reached_max_length:
        assert phrases.max_length == max_length


@some
@given(corpora(N_WORDS), st.integers(1, 4))
def test_blocks_cannot_be_seen(documents: list[Document], min_support: int) -> None:
    corpus = flatten(documents)
    whole = in_blocks(corpus, min_support, 1)
    for n_blocks in (2, 3, 7):
        assert_same(in_blocks(corpus, min_support, n_blocks), whole)


def test_threads_cannot_be_seen() -> None:
    words = random_words(300_000, 500)
    corpus = flatten([[words[i : i + 7]] for i in range(0, len(words), 7)])
    alone = mine(corpus.stem_ids, corpus.chunk_start, 500, 20)
    assert alone.max_length > 2
    for n_threads in (2, 3, 4):
        assert_same(mine(corpus.stem_ids, corpus.chunk_start, 500, 20, n_threads=n_threads), alone)


@some
@given(corpora(N_WORDS), st.integers(1, 4))
def test_conservation(documents: list[Document], min_support: int) -> None:
    corpus = flatten(documents)
    phrases = mine(corpus.stem_ids, corpus.chunk_start, N_WORDS, min_support)
    assert phrases.support[:N_WORDS].sum() == phrases.n_tokens == corpus.stem_ids.size
    longer = slice(N_WORDS, None)
    assert (phrases.support[longer] >= min_support).all()
    assert (phrases.support[longer] <= phrases.support[phrases.prefix[longer]]).all()
    assert (phrases.support[longer] <= phrases.support[phrases.last[longer]]).all()
    ids = np.arange(phrases.support.size)
    assert np.array_equal(phrases.length_of(ids[longer]), 1 + phrases.length_of(phrases.prefix[longer]))


@pytest.mark.small
@pytest.mark.parametrize("documents", [[], [[]], [[[0]]], [[[0], [0]], [[0], [1]]]])
def test_nothing_to_join(documents: list[Document]) -> None:
    corpus = flatten(documents)
    phrases = mine(corpus.stem_ids, corpus.chunk_start, n_stems=2, min_support=1)
    assert phrases.max_length == 1
    assert not phrases.reached_max_length


def random_words(n: int, n_words: int, seed: int = 0) -> list[int]:
    """Words as in a text: a few frequent ones, many rare ones."""
    rng = np.random.default_rng(seed)
    return np.minimum(rng.zipf(1.3, n) - 1, n_words - 1).tolist()


@pytest.mark.parametrize("min_support", [1, 2, 5, 50, 300])
def test_many_candidates_share_cells(min_support: int) -> None:
    words = random_words(60_000, 5_000)
    documents = [[words[i : i + 7]] for i in range(0, len(words), 7)]
    corpus = flatten(documents)
    phrases = mine(corpus.stem_ids, corpus.chunk_start, 5_000, min_support, n_threads=2)
    assert listed(phrases) == oracle.frequent(documents, min_support, MAX_LENGTH)


@pytest.mark.parametrize("min_support", [200, 1_000])
def test_most_of_what_is_rare_is_sifted_out(min_support: int) -> None:
    """Cells of a byte would all be full long before they hold 1,000."""
    words = np.array(random_words(1_000_000, 20_000), np.int32)
    blocks = candidates.Blocks(words, np.append(np.arange(0, words.size, 9), words.size), 20_000, 1)
    blocks.start(blocks.stems() >= min_support)
    cells = blocks.roughly(2, blocks.n_candidates, min_support)
    keys, count = blocks.likely(2, cells, min_support)
    n_frequent = int((count >= min_support).sum())
    assert n_frequent > 50
    assert keys.size < 6 * n_frequent


@pytest.mark.parametrize("n_blocks", [1, 2, 3])
def test_support_beyond_a_byte(n_blocks: int) -> None:
    """A small cell counts to 255, a large one on, and several blocks are added up."""
    corpus = flatten([[[0, 1]]] * 300 + [[[1, 2]]] * 299 + [[[2, 0]]] * 256 + [[[0, 2, 1]]])
    phrases = in_blocks(corpus, 300, n_blocks)
    assert listed(phrases) == {(0,): 557, (1,): 600, (2,): 556, (0, 1): 300}


def test_large_vocabulary() -> None:
    n_stems = 2**21 + 3
    words = [n_stems - 1 - word for word in random_words(5_000, 50)]
    documents = [[words[i : i + 9]] for i in range(0, len(words), 9)]
    corpus = flatten(documents)
    phrases = mine(corpus.stem_ids, corpus.chunk_start, n_stems, 3)
    assert listed(phrases) == oracle.frequent(documents, 3, MAX_LENGTH)


def test_periodic_text_stops_at_max_length() -> None:
    """Every sequence of a periodic text is frequent, as long as you like."""
    n = 30_000
    stem_ids, chunk_start = np.tile(np.arange(3, dtype=np.int32), n // 3), np.array([0, n])
    phrases = mine(stem_ids, chunk_start, 3, min_support=10)
    assert phrases.reached_max_length
    assert np.array_equal(np.diff(phrases.length_start)[1:], np.full(MAX_LENGTH, 3))
    for length in range(1, MAX_LENGTH + 1):
        support = phrases.support[phrases.length_start[length] : phrases.length_start[length + 1]]
        assert support.sum() == n - length + 1


def test_one_sentence_again_and_again() -> None:
    sentence, n_times = np.arange(12, dtype=np.int32), 20_000
    phrases = mine(np.tile(sentence, n_times), np.arange(0, 12 * n_times + 1, 12), 12, min_support=100)
    assert np.array_equal(np.diff(phrases.length_start)[1:], np.arange(12, 0, -1))
    assert (phrases.support == n_times).all()
    assert not phrases.reached_max_length


@pytest.mark.small
def test_progress_and_inputs_left_alone() -> None:
    corpus = flatten([[[0, 1, 2], [0, 1, 2]]])
    before = corpus.stem_ids.copy()
    lengths: list[int] = []
    mine(*corpus[:2], 3, 2, progress=lambda stage, done, total, unit: lengths.append(done))
    assert lengths == [2, 3]
    assert np.array_equal(corpus.stem_ids, before)


def test_more_phrases_than_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining, "_MOST_PHRASES", 4)
    corpus = flatten([[[0, 1, 2], [0, 1, 2]]])
    with pytest.raises(InputError, match="ask for more support"):
        mine(*corpus[:2], 3, 2)
