"""The miner of frequent sets of words against all subsets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import patterns as oracle
from oracles.patterns import Pattern

from topminer.methods.rivals.itemsets import Miner, Patterns, search_bytes
from topminer.methods.rivals.transactions import Transactions

N_WORDS = 7
Topic = list[set[int]]
Counts = dict[Pattern, dict[int, tuple[int, int]]]  # of each pattern, by topic: its count, and extended


def transactions_of(topics: list[Topic]) -> Transactions:
    sets = [each for topic in topics for each in topic if each]
    return Transactions(
        np.cumsum([0, *map(len, sets)]),
        np.array([word for each in sets for word in each], np.int32),
        np.array([k for k, topic in enumerate(topics) for each in topic if each], np.int32),
    )


def read(found: Patterns) -> Counts:
    counts: Counts = {}
    entries = np.column_stack((found.pattern, found.topic, found.counts, found.extended))
    for i, topic, count, extended in entries.tolist():
        pattern = tuple(found.words[found.start[i] : found.start[i + 1]].tolist())
        assert topic not in counts.setdefault(pattern, {})
        counts[pattern][topic] = count, extended
    return counts


def miner_of(topics: list[Topic], min_support: int, n_words: int = N_WORDS, **options: int | None) -> Miner:
    transactions = transactions_of(topics)
    counts = transactions.word_counts(len(topics), n_words)
    return Miner(transactions, counts, min_support, **options)  # type: ignore[arg-type]


def mined(topics: list[Topic], min_support: int, n_words: int = N_WORDS, **options: int | None) -> Counts:
    miner = miner_of(topics, min_support, n_words, **options)
    found: Counts = {}
    for new in (*map(read, miner.search(miner.roots.tolist())), read(miner.rest())):
        assert not new.keys() & found.keys()
        found |= new
    assert miner.n_found == len(found)
    assert miner.rest().start.tolist() == [0]
    return found


def expected(topics: list[Topic], min_support: int, max_length: int | None = None) -> Counts:
    patterns = {p for sets in topics for p in oracle.frequent(sets, min_support, max_length)}
    return {
        pattern: {
            k: (n, oracle.extended(sets, pattern) if n >= min_support else 0)
            for k, sets in enumerate(topics)
            if (n := oracle.count(sets, pattern))
        }
        for pattern in patterns
    }


def databases() -> st.SearchStrategy[list[Topic]]:
    words = st.sets(st.integers(0, N_WORDS - 1), min_size=1)
    return st.lists(st.lists(words, max_size=12), min_size=1, max_size=3)


@pytest.mark.small
def test_worked_example() -> None:
    topics: list[Topic] = [[{0, 1, 2}, {0, 1, 2}, {0, 2}], [{0, 1}]]
    assert mined(topics, 2) == {
        (0,): {0: (3, 3), 1: (1, 0)},
        (1,): {0: (2, 2), 1: (1, 0)},
        (2,): {0: (3, 3)},
        (0, 1): {0: (2, 2), 1: (1, 0)},
        (0, 2): {0: (3, 2)},
        (1, 2): {0: (2, 2)},
        (0, 1, 2): {0: (2, 0)},
    }


@pytest.mark.small
@given(databases(), st.integers(1, 5), st.one_of(st.none(), st.integers(1, 5)), st.integers(1, 30))
def test_finds_every_frequent_set(
    topics: list[Topic], min_support: int, max_length: int | None, batch: int
) -> None:
    found = mined(topics, min_support, max_length=max_length, batch=batch)
    assert found == expected(topics, min_support, max_length)


@given(databases(), st.integers(2, 5), st.integers(1, 5))
def test_extensions_are_exact_from_the_least_on(topics: list[Topic], min_support: int, least: int) -> None:
    found, exact = mined(topics, min_support, least_extended=least), expected(topics, min_support)
    assert found.keys() == exact.keys()
    for pattern, by_topic in exact.items():
        assert found[pattern].keys() == by_topic.keys()
        for k, (count, extended) in by_topic.items():
            assert found[pattern][k][0] == count
            if extended >= least:
                assert found[pattern][k][1] == extended
            else:
                assert found[pattern][k][1] <= extended


@given(databases(), st.integers(1, 4), st.integers(1, 6))
def test_parts_are_all_roots(topics: list[Topic], min_support: int, most: int) -> None:
    miner = miner_of(topics, min_support)
    parts = miner.parts(most)
    assert sorted(root for part in parts for root in part) == miner.roots.tolist()[::-1]
    assert len(parts) <= most
    assert {len(part) for part in parts} <= {len(miner.roots) // max(1, len(parts)) + i for i in range(2)}
    frequent = {pattern[0] for pattern in expected(topics, min_support, 1)}
    assert miner.roots.tolist() == sorted(frequent, reverse=True)


def test_longer_random_sets() -> None:
    random = np.random.default_rng(0)
    topics = [
        [set(random.permutation(60)[: random.integers(1, 25)].tolist()) for _ in range(60)] for _ in range(3)
    ]
    miner = miner_of(topics, 7, 60, max_length=3, batch=20)
    assert len(list(miner.search(miner.roots.tolist()))) > 10
    found = mined(topics, 7, 60, max_length=3, batch=20)
    assert found == expected(topics, 7, 3)
    assert max(map(len, found)) == 3


def test_memory_is_counted() -> None:
    random = np.random.default_rng(1)
    topics = [[set(random.permutation(200)[:30].tolist()) for _ in range(300)]]
    transactions = transactions_of(topics)
    miner = Miner(transactions, transactions.word_counts(1, 200), 4, 4, batch=1000)
    groups = miner._stack, miner._scratch, miner._found, miner._transactions, miner.index
    n_bytes = sum(array.nbytes for group in groups for array in group)
    counted = search_bytes(transactions, 200, 4, 4, batch=1000)
    assert n_bytes <= counted <= 2 * n_bytes  # some is needed for a moment only
