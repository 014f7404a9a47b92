"""The kernel of topical n-grams draws from the log-gamma joint of the model, and keeps its counts."""

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy

import numpy as np
import pytest
from corpora import needs_jit
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import tng as oracle
from oracles.tng import Assigned, Document
from scipy.stats import chi2

from topminer.jit import Int, bare_kernel
from topminer.jit.lanes import WIDTH, store
from topminer.methods.rivals import tng_kernel
from topminer.methods.rivals.tng_kernel import Priors, State, _add, _count_all, _flags, _place, _weights

PRIORS = Priors(0.7, 0.05, 0.1, 0.02)
SMOOTH = Priors(1.0, 0.5, 0.15, 0.5)
# The same word side by side, thrice and across a chunk's end; a pair that occurs once, chunks of one token,
# empty documents.
EVERY_KIND: list[Document] = [
    [],
    [[0, 0, 0], [0, 1, 0, 1], [2]],
    [],
    [[1, 0, 0], [0, 3]],
    [[1, 1, 1, 1]],
    [[2]],
    [],
]


@bare_kernel
def weigh(state: State, i: Int, weights: NDArray[np.float32]) -> None:
    """The weights that token ``i`` is drawn by, (flags, topics) flat; the state stays as it is."""
    n, doc_start = state.alpha.size, state.text.doc_start
    d = np.searchsorted(doc_start, i, "right") - 1
    state.document[:] = 0
    for j in range(doc_start[d], doc_start[d + 1]):
        _add(state.document, 0, np.int64(state.topics[j]), 1)
    topic, flag, place = np.int64(state.topics[i]), np.int64(state.flags[i]), _place(state, i, n)
    for by in (-1, 1):  # a loop: what is inlined once is compiled sooner
        _count_all(state, place, topic, flag, by, n)
        if by < 0:
            flags = _flags(state, place, n)
            for v in range(0, n, WIDTH):
                flag_0, flag_1 = _weights(state, place, flags, v, n)
                store(weights, v, flag_0)
                store(weights, n + v, flag_1)


def text_of(documents: list[Document], n_words: int) -> tng_kernel.Text:
    chunks = [chunk for document in documents for chunk in document]
    words = np.array([word for chunk in chunks for word in chunk], np.int32)
    chunk_start = np.cumsum([0, *map(len, chunks)])
    doc_start = np.cumsum([0, *(sum(map(len, document)) for document in documents)])
    return tng_kernel.read(words, doc_start, chunk_start, n_words)


def begun(documents: list[Document], n_words: int, n_topics: int, priors: Priors, seed: int = 0) -> State:
    return tng_kernel.start(text_of(documents, n_words), n_topics, priors, seed)


def assigned(state: State) -> Assigned:
    return tuple(state.topics.tolist()), tuple(state.flags.tolist())


def conditional(state: State, i: int) -> NDArray[np.float64]:
    """What the kernel draws token ``i`` by, (flags, topics); to ask for it changes no count."""
    weights, before = np.empty(2 * state.alpha.size, np.float32), deepcopy(state)
    weigh(state, i, weights)
    for old, new in zip(before[1:6], state[1:6], strict=True):
        assert np.array_equal(old, new)
    assert not weights.reshape(2, -1)[:, state.n_topics :].any()
    found = weights.reshape(2, -1)[:, : state.n_topics].astype(np.float64)
    return found / found.sum()


def assert_conditionals(documents: list[Document], n_words: int, state: State, priors: Priors) -> None:
    for i in range(state.topics.size):
        expected = oracle.conditional(documents, assigned(state), i, priors, state.n_topics, n_words)
        assert conditional(state, i) == pytest.approx(np.array(expected), rel=1e-5, abs=0), i


def assert_counted(documents: list[Document], state: State) -> None:
    """Every count is what topics and flags say."""
    expected = oracle.counts(documents, *assigned(state))
    words, pairs = tng_kernel.tables(state)
    n_words, _, n_topics = words.shape
    tokens = oracle.tokens_of(documents)
    for w in range(n_words):
        for k in range(n_topics):
            alone, zeros, ones, after = words[w, :, k].tolist()
            assert (alone, zeros, ones) == (expected.alone[w, k], *(expected.flags[w, k, x] for x in (0, 1)))
            assert after == sum(n for (before, _, z), n in expected.paired.items() if (before, z) == (w, k))
    for i, row in enumerate(state.text.pairs.tolist()):
        if row:
            pair = tokens[i - 1].word, tokens[i].word
            assert pairs[row - 1].tolist() == [expected.paired[*pair, k] for k in range(n_topics)]
    assert state.tokens[:n_topics].tolist() == words[:, 0, :].sum(axis=0).tolist()
    assert sum(expected.alone.values()) + sum(expected.paired.values()) == len(tokens)
    # What pads the topics, the word that is none and the row of pairs that have none stay empty.
    assert int(state.counts.sum()) == int(words.sum())
    assert int(state.after.sum()) == int(pairs.sum())


chunks = st.lists(st.integers(0, 2), min_size=1, max_size=5)
corpora = st.lists(st.lists(chunks, max_size=3), min_size=1, max_size=4).filter(any)


@pytest.mark.small
@given(corpora, st.integers(1, 4), st.integers(0, 2**16), st.sampled_from([PRIORS, SMOOTH]))
@settings(max_examples=60)
def test_every_token_is_drawn_by_the_joint(
    documents: list[Document], n_topics: int, seed: int, priors: Priors
) -> None:
    assert_conditionals(documents, 3, begun(documents, 3, n_topics, priors, seed), priors)


@pytest.mark.small
@pytest.mark.parametrize("n_topics", [1, 2, 8, 9])
def test_every_kind_of_token(n_topics: int) -> None:
    for seed in range(3):
        state = begun(EVERY_KIND, 5, n_topics, PRIORS, seed)
        assert_conditionals(EVERY_KIND, 5, state, PRIORS)


@pytest.mark.small
@pytest.mark.parametrize("n_topics", [1, 3, 11])
def test_counts_are_kept(n_topics: int) -> None:
    state = begun(EVERY_KIND, 5, n_topics, PRIORS)
    assert_counted(EVERY_KIND, state)
    for sweep in range(5):
        tng_kernel.sweep(state, np.uint64(1000 + sweep))
        assert_counted(EVERY_KIND, state)
        assert not state.flags[state.text.begins[:-1] == 1].any()
        assert state.topics.max() < n_topics
    kept = deepcopy(state)
    tng_kernel.recount(state)
    for name in ("counts", "after", "tokens", "share"):
        assert np.array_equal(getattr(kept, name), getattr(state, name))


@pytest.mark.small
def test_rows_are_for_pairs_that_occur_more_than_once() -> None:
    text = text_of([[[0, 1, 2], [0, 1]], [[1, 0], [1, 0, 0]], [[2]]], 3)
    assert text.n_pairs == 3  # 0 1 and 1 0, and a row for all others
    assert text.pairs.tolist() == [0, 1, 0, 0, 1, 0, 2, 0, 2, 0, 0]
    assert text.begins.tolist() == [1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1]


# ------------------------------------------------------------------------------------ the long run

TINY: list[Document] = [[[0, 0, 1]], [[0, 0]]]


def p_value(observed: Mapping[Assigned, float], expected: dict[Assigned, float]) -> float:
    """Of Pearson's chi-square; rare states are put together."""
    n, cells, found, likely = sum(observed.values()), [], 0.0, 0.0
    for state in sorted(expected, key=expected.__getitem__):
        found, likely = found + observed.get(state, 0), likely + n * expected[state]
        if likely >= 10:
            cells.append((found, likely))
            found = likely = 0.0
    statistic = sum((o - e) ** 2 / e for o, e in cells)
    return float(chi2.sf(statistic, len(cells) - 1))


@needs_jit
def test_a_long_run_has_the_posterior_of_the_joint() -> None:
    """Against all 256 states of a tiny corpus; states of every fifth sweep are nearly independent."""
    expected = oracle.posterior(TINY, SMOOTH, 2, 2)
    state = begun(TINY, 2, 2, SMOOTH)
    observed: Counter[Assigned] = Counter()
    keys = np.random.default_rng(0).integers(2**63, size=250_000, dtype=np.uint64)
    for number, key in enumerate(keys):
        tng_kernel.sweep(state, key)
        if number % 5 == 4:
            observed[assigned(state)] += 1
    assert p_value(observed, expected) > 1e-4
