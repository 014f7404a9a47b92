"""The back-off model of Turbo Topics and its permutation tests, against likelihoods computed in full."""

import random
from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import turbo as oracle
from scipy.stats import chisquare

from topminer.methods.rivals import permutation_test as permutation
from topminer.methods.rivals.back_off import (
    NOTHING,
    Events,
    TopicText,
    events,
    openings,
    topic_text,
    units_of,
)
from topminer.methods.rivals.permutation_test import (
    FAILED,
    NEVER,
    UNSURE,
    Followers,
    Int32s,
    Rule,
    drawn,
    gain,
    significant,
)


def text_of(documents: list[oracle.Document]) -> TopicText:
    """Documents with the topic 1, and others with the topic 0."""
    chunks = [chunk for document in documents for chunk in document]
    tokens = [token for chunk in chunks for token in chunk]
    stems = np.array([stem for stem, _ in tokens], np.int32)
    topics = np.array([in_topic for _, in_topic in tokens], np.int32)
    doc_start = np.cumsum([0, *(sum(map(len, document)) for document in documents)])
    chunk_start = np.cumsum([0, *map(len, chunks)])
    return topic_text(stems, openings(doc_start, chunk_start), topics, 1, doc_start)


def followers_of(found: Events) -> Followers:
    order = np.argsort(found.history, kind="stable")
    start = np.searchsorted(found.history[order], np.arange(found.frequency.size + 1))
    n_of = np.bincount(found.follower, minlength=found.frequency.size)
    by_n = np.array(sorted(np.flatnonzero(n_of), key=lambda v: n_of[v]), np.int32)
    return Followers(found.follower[order], start, n_of, by_n)


def random_documents(seed: int, n_words: int = 5, n_documents: int = 9) -> list[oracle.Document]:
    """A few phrases that come again and again among words, most of them with the topic."""
    choose = random.Random(seed)
    planted = [choose.choices(range(n_words), k=choose.choice([1, 1, 2, 3])) for _ in range(4)]
    documents = []
    for _ in range(n_documents):
        chunks = []
        for _ in range(choose.randrange(3)):
            stems = [stem for _ in range(3) for stem in choose.choice(planted)]
            chunks.append([(stem, choose.random() < 0.8) for stem in stems])
        documents.append(chunks)
    return documents


# ------------------------------------------------------------------------------------------- units

DATA, MINE, WITH, TREE, FAST = range(5)
WORKED = [
    [[(DATA, True), (MINE, True), (WITH, False), (TREE, True)], [(DATA, True), (MINE, True), (FAST, False)]]
]


def pairs_of(first: Int32s, second: Int32s) -> list[tuple[int, int]]:
    return list(zip(first.tolist(), second.tolist(), strict=True))


@pytest.mark.small
def test_worked_example_of_events() -> None:
    found = events(text_of(WORKED), units_of(5, [(DATA, MINE)]), 6)
    assert pairs_of(found.history, found.follower) == [(5, WITH), (NOTHING, 5), (5, FAST)]
    assert found.frequency.tolist() == [0, 0, 0, 1, 0, 2]


@pytest.mark.small
@given(st.integers(0, 10**6), st.sets(st.sampled_from([(0, 1), (1, 2), (0, 1, 2), (2, 2), (3, 0, 1, 2)])))
def test_events_are_those_of_plain_lists(seed: int, phrases: set[oracle.Unit]) -> None:
    documents, listed = random_documents(seed), sorted(phrases)
    found = events(text_of(documents), units_of(5, listed), 5 + len(listed))
    names = [(stem,) for stem in range(5)] + listed
    expected, frequency = oracle.events(documents, listed)
    pairs = pairs_of(found.history, found.follower)
    assert [(None if u == NOTHING else names[u], names[v]) for u, v in pairs] == expected
    assert found.frequency.tolist() == [frequency[name] for name in names]


@pytest.mark.small
def test_documents_without_the_topic_are_left_out() -> None:
    documents = [[[(0, False), (1, False)]], [], [[(1, True)], [(2, False)]]]
    text = text_of(documents)
    assert text.stems.tolist() == [1, 2]
    assert text.in_topic.tolist() == [True, False]
    assert text.opens.tolist() == [2, 1]
    nothing = events(text_of(documents[:2]), units_of(3, []), 3)
    assert nothing.history.size == nothing.follower.size == 0


# -------------------------------------------------------------------------------------------- gain


@pytest.mark.small
@given(st.integers(0, 10**6))
def test_gain_is_that_of_the_likelihood_in_full(seed: int) -> None:
    choose = random.Random(seed)
    found = [((choose.randrange(3),), (choose.randrange(4),)) for _ in range(choose.randrange(2, 40))]
    for u, v in set(found):
        x, c, n = found.count((u, v)), sum(h == u for h, _ in found), sum(w == v for _, w in found)
        assert gain(x, c, n, len(found)) == pytest.approx(oracle.gain(found, u, v), abs=1e-9)


@pytest.mark.small
@given(st.integers(2, 60), st.data())
def test_gain_grows_with_the_pair_and_falls_with_the_follower(total: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(1, total - 1))
    n = data.draw(st.integers(1, total - 1))
    chance = c * n // total + 1
    grown = [gain(x, c, n, total) for x in range(chance, min(c, n) + 1)]
    assert all(a < b for a, b in pairwise(grown))
    x = data.draw(st.integers(1, c))
    fallen = [max(gain(x, c, m, total), 0) for m in range(x, total)]
    assert all(a >= b for a, b in pairwise(fallen))
    assert gain(c * n // total, c, n, total) == 0  # no more than by chance


# ------------------------------------------------------------------------------------ permutations


def events_of(pairs: list[tuple[int, int]], n_units: int) -> Events:
    history, follower = np.array(pairs, np.int32).reshape(-1, 2).T.copy()
    return Events(history, follower, np.zeros(n_units, np.int64))


@pytest.mark.small
def test_places_are_the_earliest_in_any_order() -> None:
    unit = [0, 0, 1, 1, 1, 2]
    followers = followers_of(events_of([(0, v) for v in unit], 4))
    orders = drawn(followers, 5, 4, np.uint64(77))
    places: dict[tuple[int, int], int] = {}
    for number in range(5):
        seen: Counter[int] = Counter()
        for i, v in enumerate(oracle.shuffled(unit, 77, number)[:4]):
            seen[v] += 1
            places[v, seen[v]] = min(places.get((v, seen[v]), NEVER), i + 1)
    expected = [places.get((v, t), NEVER) for v, n in ((0, 2), (1, 3), (2, 1)) for t in range(1, n + 1)]
    assert orders.place.tolist() == expected
    assert orders.pool.tolist() == unit  # shuffles are undone


def test_orders_are_fair() -> None:
    followers = followers_of(events_of([(0, v) for v in range(6)], 6))
    firsts: Counter[tuple[int, ...]] = Counter()
    for key in range(3000):
        place = drawn(followers, 1, 6, np.uint64(key * 7919)).place
        firsts[tuple(np.argsort(place)[:2].tolist())] += 1
    assert chisquare([firsts[pair] for pair in permutations(range(6), 2)]).pvalue > 1e-3


@pytest.mark.parametrize("n_permutations, n_allowed", [(6, 0), (9, 1), (12, 4)])
@pytest.mark.parametrize("seed", range(12))
def test_answers_are_those_of_all_permutations(seed: int, n_permutations: int, n_allowed: int) -> None:
    choose = random.Random(seed)
    likes = {(0, 1): 12, (0, 2): 8, (0, 3): 5, (1, 0): 6, (2, 4): 4}
    pairs = [pair for pair, n in likes.items() for _ in range(choose.randrange(n + 1))]
    pairs += [(choose.choice([NOTHING, 0, 1, 2, 3, 4]), choose.randrange(5)) for _ in range(15)]
    choose.shuffle(pairs)
    followers = followers_of(events_of(pairs, 5))
    depth = int(np.diff(followers.start).max())
    orders = drawn(followers, n_permutations, depth, np.uint64(seed))
    rule, histories = Rule(2, n_permutations, n_allowed), np.arange(5, dtype=np.int32)
    found = significant(followers, orders, histories, rule)
    named = [(None if u == NOTHING else (u,), (v,)) for u, v in pairs]
    number = {None: NOTHING, **{(v,): v for v in range(5)}}
    expected = []
    for u in range(5):
        accepted = oracle.phrases_behind(named, (u,), number, 2, n_permutations, n_allowed, seed)
        expected += [(u, v) for (v,) in accepted]
    assert pairs_of(*found) == expected


def test_places_settle_what_drawing_would() -> None:
    """Most tests are foretold, and an answer never differs from what drawing the orders says."""
    n_settled = 0
    for seed in range(40):
        choose = random.Random(seed)
        pairs = [(choose.randrange(4), choose.choice([0, 1, 1, 2, 3])) for _ in range(60)]
        pairs += [(0, 1)] * choose.randrange(12) + [(0, 2)] * choose.randrange(20)
        followers = followers_of(events_of(pairs, 4))
        tests = Rule(2, 10, 0)
        orders = drawn(followers, 10, int(np.diff(followers.start).max()), np.uint64(seed))
        left_out = np.array([3] if seed % 2 else [], np.int32)
        is_left_out = np.zeros(4, np.bool_)
        is_left_out[left_out] = True
        c = int(followers.start[1]) - int((followers.unit[: followers.start[1]] == 3).sum()) * (seed % 2)
        reach = np.array([choose.randrange(2, 20) for _ in range(4)], np.int32)
        reach[reach > np.minimum(c, followers.n_of)] = NEVER
        reach[left_out] = NEVER
        answer = permutation._foretold(orders, followers.by_n, reach, c, left_out, 0)
        by_drawing = permutation._is_significant(orders, c, reach, is_left_out, tests, np.zeros(4, np.int32))
        if answer != UNSURE:
            n_settled += 1
            assert by_drawing == (answer != FAILED)
    assert 20 < n_settled < 40
