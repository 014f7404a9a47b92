"""Background phrases: the test against a slow one, and what it declares on planted data."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import background as oracle

from topminer.topics.results.background import (
    DELTA,
    LEAST_DOCUMENTS,
    RATE,
    background,
    delta_for,
    discoveries,
)

Document = list[tuple[int, int, int]]  # phrase type, topic, words


def result_of(documents: list[Document], n_types: int, n_topics: int, **how: Any):
    """Test phrases of documents that are given clique by clique, as PhraseLDA would leave them."""
    cliques = [clique for document in documents for clique in document]
    lengths = np.array([length for _, _, length in cliques], np.int64)
    topics = np.array([topic for _, topic, _ in cliques], np.int32)
    sizes = np.array([len(document) for document in documents], np.int64)
    rows = np.repeat(np.arange(len(documents)), sizes)
    counts = np.zeros((len(documents), n_topics), np.int32)
    np.add.at(counts, (rows, topics), lengths)
    held, held_topics = np.nonzero(counts)
    weight = counts.sum(axis=0) / max(counts.sum(), 1)

    class Partition(SimpleNamespace):
        def __len__(self) -> int:
            return len(documents)

    partition = Partition(
        type_ids=np.array([kind for kind, _, _ in cliques], np.int32),
        n_types=n_types,
        doc_start=np.concatenate(([0], np.cumsum(sizes))),
        clique_start=np.concatenate(([0], np.cumsum(lengths))),
    )
    lda = SimpleNamespace(
        document_topics=lambda: (held, held_topics.astype(np.int32), counts[held, held_topics]),
        clique_topic_=topics,
        n_threads=2,
        topic_weight_=weight,
    )
    return background(partition, lda, **{"delta": DELTA, **how}), weight  # type: ignore[arg-type]


@pytest.mark.small
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_it_is_the_slow_one(data) -> None:
    n_topics = data.draw(st.integers(1, 4))
    clique = st.tuples(st.integers(0, 3), st.integers(0, n_topics - 1), st.integers(1, 3))
    documents = data.draw(st.lists(st.lists(clique, max_size=5), min_size=12, max_size=40))
    found, weight = result_of(documents, 4, n_topics)
    for kind in range(4):
        expected = oracle.tested(documents, kind, weight.tolist(), DELTA, LEAST_DOCUMENTS)
        if expected is None:
            assert np.isnan(found.p[kind]) and not found.declared[kind]
        else:
            assert found.divergence[kind] == pytest.approx(expected[0], abs=1e-9)
            assert found.p[kind] == pytest.approx(expected[1], abs=1e-4)


@pytest.mark.small
def test_an_example_by_hand() -> None:
    # Phrase 0 stands in 10 documents of topic 0 and 10 of topic 1, phrase 1 in 20 of topic 0.
    documents = [[(0, 0, 2), (2 + i % 2, i % 2, 4)] for i in range(20)]
    documents += [[(1, 0, 2), (2, 0, 4)] for _ in range(20)] + [[(3, 1, 10)] for _ in range(8)]
    found, weight = result_of(documents, 4, 2)
    half = 0.5 * np.log(0.5 / weight[0]) + 0.5 * np.log(0.5 / weight[1])
    assert found.divergence[0] == pytest.approx(half)
    assert found.divergence[1] == pytest.approx(np.log(1 / weight[0]))
    assert found.p[1] == 1.0 and found.p[0] < 0.5


@pytest.mark.small
def test_variants_are_tested_together() -> None:
    documents = [[(i % 2, 0, 1), (2 + i % 4, i % 4, 3)] for i in range(16)]
    apart, _ = result_of(documents, 6, 4)
    together, _ = result_of(documents, 6, 4, group_of=np.array([0, 0, 1, 2, 3, 4]))
    assert np.isnan(apart.p[:2]).all() and not np.isnan(together.p[0])


@pytest.mark.small
def test_of_two_topics_little_is_much() -> None:
    # Three times as often in one as in the other: near the mean, but of two topics not background.
    documents = [[(0, 0, 1), (1, int(i % 4 == 0), 4)] for i in range(400)] + [[(2, 1, 800)]]
    usual, _ = result_of(documents, 3, 2)
    assert usual.declared[0] and usual.divergence[0] < DELTA
    assert not result_of(documents, 3, 2, delta=None)[0].declared[0]


@pytest.mark.small
def test_where_documents_are_alike_little_is_much() -> None:
    twenty = np.full(20, 0.05)
    assert [delta_for(twenty, each) for each in (1.0, 0.5, 0.3, 0.0, -0.1)] == [0.2, 0.2, 0.12, 0.0, 0.0]
    assert delta_for(np.array([0.5, 0.5, 0.0]), 0.9) == pytest.approx(0.1 * np.log(2))
    assert delta_for(np.array([0.5, 0.5]), 0.05) == pytest.approx(0.02)
    # Two kinds of documents, nearly alike: 60 and 40 % of a topic. Phrase 0 is in one kind only.
    documents = [[(1 + j % 2, int(j >= 6 - 2 * (i % 2)), 1) for j in range(10)] for i in range(400)]
    documents = [[*each, (0, 0, 1)] if i % 2 == 0 else each for i, each in enumerate(documents)]
    assert result_of(documents, 3, 2, delta=delta_for(np.array([0.5, 0.5])))[0].p[1] < 1
    assert not result_of(documents, 3, 2, delta=None)[0].declared.any()


@pytest.mark.small
def test_nothing_at_all_and_one_topic() -> None:
    assert result_of([], 0, 3)[0].declared.size == 0
    assert not result_of([[(0, 0, 1), (1, 0, 1)]] * 50, 2, 1)[0].declared.any()


@pytest.mark.small
def test_discoveries_are_those_of_benjamini_and_hochberg() -> None:
    p = np.array([0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216])
    assert discoveries(p, 0.05).tolist() == [True, True] + [False] * 8  # the example of their paper's kind
    assert discoveries(np.full(3, np.nan), 0.05).tolist() == [False] * 3
    # A large p may stand below the line that a smaller one misses: all below it are declared.
    assert discoveries(np.array([0.04, 0.045, 0.049]), 0.05).all()


class Planted:
    """A corpus of documents with topics, and phrases put into documents of one's choice."""

    def __init__(self, seed: int, n_topics: int, n_documents: int = 2_000, length: int = 30) -> None:
        self.random = np.random.default_rng(seed)
        prior = self.random.dirichlet(np.ones(n_topics)) * 2 + 0.02
        shares = self.random.dirichlet(prior, n_documents)
        self.words = np.array([self.random.multinomial(length, share / share.sum()) for share in shares])
        self.shares, self.weight = self.words / length, self.words.sum(axis=0) / self.words.sum()
        self.n_topics, self.phrases = n_topics, []

    def plant(self, n: int, chances: np.ndarray | None = None) -> None:
        """Put a phrase into ``n`` documents, by chance or by these chances."""
        self.phrases.append(self.random.choice(len(self.words), n, p=chances))

    def at_the_border(self) -> np.ndarray:
        """Chances with which the documents of a phrase have topic shares whose KL is δ: just topical."""
        towards = self.shares @ self.random.normal(size=self.n_topics)
        low, high = 0.0, 60.0
        for _ in range(50):
            middle = (low + high) / 2
            chances = np.exp(middle * (towards - towards.max()))
            chances /= chances.sum()
            near = oracle.divergence((chances @ self.shares).tolist(), self.weight.tolist()) < DELTA
            low, high = (middle, high) if near else (low, middle)
        return chances

    def result(self):
        documents: list[Document] = [
            [(len(self.phrases), k, int(n)) for k, n in enumerate(row) if n] for row in self.words
        ]
        for kind, rows in enumerate(self.phrases):
            for row in rows:
                documents[row].append((kind, int(self.words[row].argmax()), 2))
        return result_of(documents, len(self.phrases) + 1, self.n_topics)[0]


@pytest.mark.parametrize("n_topics", [4, 20])
def test_the_false_discovery_rate_holds(n_topics: int) -> None:
    """Half of the phrases are as little topical as a topical phrase can be: the hardest case there is."""
    shares = []
    for seed in range(8):
        planted = Planted(seed, n_topics)
        sizes = planted.random.integers(20, 300, 60)
        for n in sizes:
            planted.plant(int(n), planted.at_the_border())
        for n in sizes:
            planted.plant(int(n))
        declared = planted.result().declared
        shares.append(declared[:60].sum() / max(declared.sum(), 1))
    assert np.mean(shares) <= RATE


def test_frequent_background_is_caught_and_rare_topical_phrases_are_spared() -> None:
    planted = Planted(1, 10)
    topical = planted.shares[:, 3] / planted.shares[:, 3].sum()
    for n, chances in ((300, None), (15, topical), (300, topical), (8, None)):  # the last: no evidence
        for _ in range(10):
            planted.plant(n, chances)
    declared = planted.result().declared[:40].reshape(4, 10)
    assert declared[0].all() and not declared[1:].any()
