"""Seatings: conserved, exact, and gone when everybody has left."""

from __future__ import annotations

from collections import Counter, defaultdict

import corpora
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.pdlda import recount, rising, stirling
from scipy import stats

from topminer import Corpus
from topminer.methods.rivals import pitman_yor as restaurants
from topminer.methods.rivals.pdlda import chain_of, seated, swept
from topminer.methods.rivals.pdlda_sampler import CONTINUE, START, Chain, sweep
from topminer.methods.rivals.pitman_yor import Restaurants, open_restaurants
from topminer.methods.rivals.seating import chance, unseat

WORDS = ["red", "green", "blue", "white", "black"]

Documents = list[list[list[int]]]


def corpus_of(documents: Documents) -> Corpus:
    """A corpus of chunks of numbered words."""
    return corpora.corpus_of([[[WORDS[word] for word in chunk] for chunk in chunks] for chunks in documents])


def chunks_of(corpus: Corpus) -> Documents:
    """The same, numbered as the corpus does."""
    chunks = np.split(corpus.stem_ids, corpus.chunk_start[1:-1])
    doc_of = np.searchsorted(corpus.doc_start, corpus.chunk_start[:-1], "right") - 1
    documents: Documents = [[] for _ in range(len(corpus))]
    for doc, chunk in zip(doc_of.tolist(), chunks, strict=True):
        documents[doc].append(chunk.tolist())
    return documents


def started(corpus: Corpus, n_topics: int, max_length: int, seed: int) -> tuple[Restaurants, Chain]:
    """Any phrases and topics, and everybody seated."""
    generator = np.random.default_rng(seed)
    chain = chain_of(corpus, n_topics, max_length, generator)
    length = 0
    for i in range(corpus.n_tokens):
        if chain.first[i] or length == max_length or generator.random() < 0.4:
            length = 1
        else:
            length += 1
            chain.starts[i], chain.topics[i] = 0, chain.topics[i - 1]
    state = open_restaurants(n_topics, corpus.n_stems, max_length, seed, 0.5, 1.0)
    return seated(state, chain), chain


def seatings(state: Restaurants) -> dict[tuple[tuple[int, ...], int], list[int]]:
    """The sizes of the tables by (context, word), read by following the restaurants from the topics on."""
    n_dense = state.n_words * (state.n_topics + 1)
    context_of: dict[int, tuple[int, ...]] = {0: ()} | {k + 1: (k,) for k in range(state.n_topics)}
    rows = {divmod(row, state.n_topics + 1)[::-1]: state.rows[row] for row in range(n_dense)}
    hashed = [row for row in state.rows[n_dense:] if row[restaurants.NODE]]
    assert len(hashed) == state.counters[restaurants.N_SLOTS]
    rows |= {(int(row[restaurants.NODE]), int(row[restaurants.WORD])): row for row in hashed}
    waiting = list(context_of)
    while waiting:
        node = waiting.pop()
        for (other, word), row in rows.items():
            if other == node and row[restaurants.CHILD]:
                child = int(row[restaurants.CHILD])
                assert child not in context_of
                context_of[child] = (*context_of[node], word)
                waiting.append(child)
    found = {}
    for (node, word), row in rows.items():
        n, t, at = (int(row[f]) for f in (restaurants.CUSTOMERS, restaurants.TABLES, restaurants.SIZES))
        assert (n > 0) == (t > 0)
        if n:
            found[context_of[node], word] = [n] if t == 1 else state.sizes[at : at + t].tolist()
            assert sum(found[context_of[node], word]) == n
            assert min(found[context_of[node], word]) > 0
    totals: dict[tuple[int, ...], list[int]] = defaultdict(lambda: [0, 0])
    for (context, _), sizes in found.items():
        totals[context][0] += sum(sizes)
        totals[context][1] += len(sizes)
    for node, context in context_of.items():
        assert state.nodes[node, : restaurants.DEPTH].tolist() == totals[context]
        assert state.nodes[node, restaurants.DEPTH] == len(context)
        assert len(context) < 2 or totals[context][0] > 0  # else it would be closed
    return found


def check_seatings(state: Restaurants, chain: Chain, documents: Documents) -> None:
    """Customers are the tokens of the context and the tables of longer contexts; coins are as thrown."""
    found = seatings(state)
    tokens, coins = recount(documents, chain.starts.tolist(), chain.topics.tolist(), chain.max_length)
    expected = Counter(tokens)
    for (context, word), sizes in found.items():
        if context:
            expected[context[:-1], word] += len(sizes)
    assert {key: sum(sizes) for key, sizes in found.items()} == expected
    n_dense = state.n_words * (state.n_topics + 1)
    for row in range(n_dense):
        word, k = divmod(row, state.n_topics + 1)
        if k:
            thrown = [coins[k - 1, word, face] for face in (0, 1)]
            assert state.rows[row, [restaurants.CONTINUED, restaurants.STARTED]].tolist() == thrown


chunks = st.lists(st.integers(0, 4), min_size=1, max_size=7)
random_documents = st.lists(st.lists(chunks, min_size=1, max_size=3), min_size=1, max_size=4)


@pytest.mark.small
@given(random_documents, st.integers(1, 3), st.integers(1, 4), st.integers(0, 2**32))
def test_customers_are_conserved(documents: Documents, n_topics: int, max_length: int, seed: int) -> None:
    corpus = corpus_of(documents)
    state, chain = started(corpus, n_topics, max_length, seed)
    check_seatings(state, chain, chunks_of(corpus))
    for _ in range(3):
        state = swept(state, chain)
        check_seatings(state, chain, chunks_of(corpus))
    for j in range(corpus.n_tokens - 1, -1, -1):
        start = j - int(np.argmax(chain.starts[j::-1]))
        unseat(state, chain.stems, j, start, int(chain.topics[j]), chain.trace, restaurants.LEFT)
    assert not state.rows[:, restaurants.CUSTOMERS :].any()
    assert not state.nodes[:, : restaurants.DEPTH].any()
    assert state.counters[restaurants.N_SLOTS] == 0


@pytest.mark.small
@given(random_documents, st.integers(1, 3), st.integers(0, 2**32))
def test_chances_of_all_words_sum_to_one(documents: Documents, n_topics: int, seed: int) -> None:
    corpus = corpus_of(documents)
    state, chain = started(corpus, n_topics, 3, seed)
    state.discount[:] = 0.1, 0.9, 0.3, 0.6
    for j in range(corpus.n_tokens):
        start = j - int(np.argmax(chain.starts[j::-1]))
        for topic in range(n_topics):
            total, stems = 0.0, chain.stems.copy()
            for stems[j] in range(corpus.n_stems):
                total += chance(state, stems, j, start, topic)
            assert total == pytest.approx(1)


@pytest.mark.small
def test_chances_by_hand() -> None:
    """Two customers with one word, then a third: at ⟨⟩ one table and at ⟨0⟩ one or two."""
    corpus = corpus_of([[[0], [0], [1]]])
    state, chain = started(corpus, 1, 1, seed=3)
    a, b = 0.5, 1.0
    sizes = seatings(state)
    root = sizes[(), 0]
    n_root, t_root = sum(map(sum, [root, sizes[(), 1]])), len(root) + len(sizes[(), 1])
    above = (sum(root) - a * len(root) + (b + a * t_root) / 2) / (b + n_root)
    t_topic = len(sizes[(0,), 0]) + len(sizes[(0,), 1])
    expected = (2 - a * len(sizes[(0,), 0]) + (b + a * t_topic) * above) / (b + 3)
    assert chance(state, chain.stems, 0, 0, 0) == pytest.approx(expected)


@pytest.mark.parametrize(("a", "b"), [(0.2, 1.5), (0.7, 0.3)])
def test_tables_are_as_frequent_as_they_should_be(a: float, b: float) -> None:
    """One topic, one word, no phrases: only tables are left to be drawn."""
    n, n_draws = 6, 6000
    state, chain = started(corpus_of([[[0]] * n]), 1, 1, seed=5)
    state.discount[:], state.strength[:] = a, b
    expected = {}
    for t in range(1, n + 1):
        for above in range(1, t + 1):
            p = rising(b, t, a) * stirling(n, t, a) / rising(b, n)
            expected[t, above] = p * rising(b, above, a) * stirling(t, above, a) / rising(b, t)
    assert sum(expected.values()) == pytest.approx(1)
    seen: Counter[tuple[int, int]] = Counter()
    for _ in range(n_draws):
        state = swept(state, chain)
        state = swept(state, chain)
        t = int(state.nodes[1, restaurants.ALL_TABLES])
        assert t == state.nodes[0, restaurants.ALL]
        seen[t, int(state.nodes[0, restaurants.ALL_TABLES])] += 1
    keys = [key for key, p in expected.items() if p * n_draws >= 5]
    observed = [seen[key] for key in keys]
    ideal = np.array([expected[key] for key in keys])
    assert stats.chisquare(observed, ideal / ideal.sum() * sum(observed)).pvalue > 1e-4


def long_corpus() -> Corpus:
    """Many contexts: more than there is room for at first."""
    generator = np.random.default_rng(0)
    return corpora.corpus_of([[f"w{word}" for word in generator.integers(300, size=40)] for _ in range(60)])


def test_restaurants_grow() -> None:
    """Everything is where it was."""
    corpus = long_corpus()
    state, chain = started(corpus, 3, 4, seed=1)
    small = open_restaurants(3, corpus.n_stems, 4, 1, 0.5, 1.0)
    for name in ("rows", "nodes", "sizes"):
        assert len(getattr(state, name)) > len(getattr(small, name))
    state = swept(state, chain)
    check_seatings(state, chain, chunks_of(corpus))


def test_restaurants_grow_in_the_middle_of_a_sweep() -> None:
    """First every word is a phrase; then almost all coins say that a phrase continues."""
    corpus = long_corpus()
    chain = chain_of(corpus, 3, 4, np.random.default_rng(1))
    state = seated(open_restaurants(3, corpus.n_stems, 4, 1, 0.5, 1.0), chain)
    n_rows = len(state.rows)
    chain.priors[[CONTINUE, START]] = 50.0, 0.1
    stopped = sweep(state, chain, 0, 0)
    assert 0 < stopped < corpus.n_tokens
    check_seatings(state, chain, chunks_of(corpus))
    state = swept(state, chain)
    assert len(state.rows) > n_rows
    check_seatings(state, chain, chunks_of(corpus))
