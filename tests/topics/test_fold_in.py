"""New documents: against enumeration, and what they may not depend on."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import chains
import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from topminer import Partition
from topminer.errors import InputError
from topminer.topics.kernels import fold_in as kernels
from topminer.topics.results.fold_in import Inferred, fold_in

JIT_IS_ON = not numba.config.DISABLE_JIT
LETTERS = "abcdef"

# Documents as lists of phrases, a phrase a string of one-letter words; "?" was never seen.
Documents = list[list[str]]


def partition_of(documents: Documents, n_words: int = 6) -> Partition:
    """Documents cut as they are written; word ids are the letters' places in the alphabet."""
    return chains.partition_of(
        [[tuple(map(LETTERS.find, phrase)) for phrase in document] for document in documents], n_words
    )


class Model:
    """Topics with random words."""

    def __init__(self, n_topics: int, n_words: int = 6, most: int = 9) -> None:
        random = np.random.default_rng(n_topics)
        self.word_topic = random.integers(0, most, (n_words, n_topics)).astype(np.int32)
        self.tokens = self.word_topic.sum(axis=0, dtype=np.int64)
        self.alpha = random.uniform(0.1, 1, n_topics)
        self.beta = 0.1
        self.phi = (self.beta + self.word_topic) / (n_words * self.beta + self.tokens)

    def infer(self, partition: Partition, **options: Any) -> Inferred:
        return fold_in(partition, self.word_topic, self.tokens, self.alpha, self.beta, **options)


def posterior(model: Model, document: list[str]) -> dict[tuple[int, ...], float]:
    """How likely every way is to give the phrases topics: each in turn, after those before it."""
    weights = {}
    for topics in itertools.product(range(model.alpha.size), repeat=len(document)):
        held, weight = model.alpha.copy(), 1.0
        for phrase, k in zip(document, topics, strict=True):
            for word in phrase:
                weight *= held[k] * model.phi[LETTERS.index(word), k]
                held[k] += 1
        weights[topics] = weight
    total = math.fsum(weights.values())
    return {topics: weight / total for topics, weight in weights.items()}


def mean_theta(model: Model, document: list[str]) -> NDArray[np.float64]:
    theta = np.zeros(model.alpha.size)
    for topics, share in posterior(model, document).items():
        held = model.alpha.copy()
        for phrase, k in zip(document, topics, strict=True):
            held[k] += len(phrase)
        theta += share * held / held.sum()
    return theta


@pytest.fixture(params=["rows", "list"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of sampling, whatever the number of topics."""
    if request.param == "list":
        monkeypatch.setattr(kernels, "MAX_DENSE", 0)
    return str(request.param)


TINY = [
    ["a", "b", "a"],
    ["aba", "c", "cc"],  # a word repeated in a phrase
    ["abcdef", "a", "fe"],  # a long phrase
    ["d"],
]


@pytest.mark.small
@pytest.mark.parametrize("n_topics", [2, 3, 20])
def test_mean_is_the_posterior_mean(path: str, n_topics: int) -> None:
    model = Model(n_topics)
    n_sweeps, tolerance = (1_000_000, 0.01) if JIT_IS_ON else (300, 0.5)
    found = model.infer(partition_of(TINY), n_sweeps=n_sweeps, burn_in=10).doc_topic
    for row, document in zip(found, TINY, strict=True):
        np.testing.assert_allclose(row, mean_theta(model, document), atol=tolerance)


@pytest.mark.skipif(not JIT_IS_ON, reason="thousands of runs")
@pytest.mark.parametrize("document", TINY)
def test_last_sample_is_from_the_posterior(path: str, document: list[str]) -> None:
    """Chi-squared over many seeds, on all phrases together; they mix slowly, hence many sweeps."""
    model, partition, n = Model(2), partition_of([document]), 3000
    counts: dict[tuple[int, ...], int] = {}
    for seed in range(n):
        topics = tuple(model.infer(partition, n_sweeps=300, burn_in=0, seed=seed).clique_topic.tolist())
        counts[topics] = counts.get(topics, 0) + 1
    exact = posterior(model, document)
    chi = sum((counts.get(topics, 0) - n * share) ** 2 / (n * share) for topics, share in exact.items())
    freedom = len(exact) - 1
    assert chi < freedom + 5 * math.sqrt(2 * freedom)


@pytest.mark.small
def test_one_sweep_adds_cliques_in_turn(path: str) -> None:
    """After one sweep, the mean is that of the one sample."""
    model, document = Model(3), ["ab", "c", "d"]
    found = model.infer(partition_of([document]), n_sweeps=1, burn_in=0)
    held = model.alpha + np.bincount(found.clique_topic, [2, 1, 1], minlength=3)
    np.testing.assert_allclose(found.doc_topic[0], held / held.sum(), rtol=1e-6)


def some_documents() -> Documents:
    random = np.random.default_rng(1)
    return [
        ["".join(random.choice([*"abcdef?"], random.integers(1, 7))) for _ in range(random.integers(0, 12))]
        for _ in range(40)
    ]


@pytest.mark.small
def test_neither_threads_nor_neighbours_nor_place_matter(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    documents, model = some_documents(), Model(20)
    partition = partition_of(documents)
    settings = {"n_sweeps": 5, "burn_in": 1, "seed": 3}
    whole = model.infer(partition, **settings)
    monkeypatch.setattr("topminer.topics.results.fold_in.MAX_TOKENS", 20)
    for again in (model.infer(partition, n_threads=3, **settings), model.infer(partition, **settings)):
        assert again.doc_topic.tobytes() == whole.doc_topic.tobytes()
        assert again.clique_topic.tobytes() == whole.clique_topic.tobytes()
    order = np.random.default_rng(2).permutation(len(documents))
    moved = model.infer(partition_of([documents[d] for d in order]), **settings)
    assert moved.doc_topic.tobytes() == whole.doc_topic[order].tobytes()
    alone = model.infer(partition_of([documents[7]]), **settings)
    assert alone.doc_topic[0].tobytes() == whole.doc_topic[7].tobytes()
    other_seed = model.infer(partition, **settings | {"seed": 4})
    assert other_seed.clique_topic.tolist() != whole.clique_topic.tolist()


MANY = 30  # phrases: several vectors of topics, and documents much longer than others
UNEVEN: Documents = [
    ["ab", "c", "d"] * MANY,
    [],
    ["a"],  # the only clique is never in the counts while it is sampled
    ["?", "b?"],
    ["abcdef", "a", "fedcba", "b"],
    ["abc", "abcd", "e?", "ab", "f"] * 3,
    ["abcdef"],
    ["f", "e"],
    ["cd"] * MANY,
    ["e", "?"],
]


@pytest.mark.small
@pytest.mark.parametrize("n_documents", range(1, len(UNEVEN) + 1))
@pytest.mark.parametrize("reverse", [False, True])
def test_a_document_gets_the_same_topics_in_any_company(path: str, n_documents: int, reverse: bool) -> None:
    """Documents are sampled side by side, and each may end first, last, or alone."""
    documents = UNEVEN[:n_documents][:: -1 if reverse else 1]
    model, settings = Model(40), {"n_sweeps": 7, "burn_in": 2, "seed": 5}
    together = model.infer(partition_of(documents), **settings)
    alone = [model.infer(partition_of([document]), **settings) for document in documents]
    assert together.doc_topic.tobytes() == b"".join(each.doc_topic.tobytes() for each in alone)
    assert together.clique_topic.tobytes() == b"".join(each.clique_topic.tobytes() for each in alone)


def random_numbers(document: list[str], seed: int) -> Iterator[float]:
    """The random numbers of a document: SplitMix64, keyed by the seed and the words that are known."""
    wide = (1 << 64) - 1
    key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    for phrase in document:
        if "?" not in phrase:
            for word in phrase:
                key = ((key ^ LETTERS.index(word)) * 0xBF58476D1CE4E5B9) & wide
                key ^= key >> 32
            key = ((key + 1) * 0x94D049BB133111EB) & wide
            key ^= key >> 29
    while True:
        key = (key + 0x9E3779B97F4A7C15) & wide
        bits = ((key ^ key >> 30) * 0xBF58476D1CE4E5B9) & wide
        bits = ((bits ^ bits >> 27) * 0x94D049BB133111EB) & wide
        yield ((bits ^ bits >> 31) >> 41) / 2**23


def slowly(model: Model, document: list[str], n_sweeps: int, burn_in: int, seed: int) -> Any:
    """Sample one document in float64: its mean θ, and the topics of its phrases."""
    n_topics, numbers = model.alpha.size, random_numbers(document, seed)
    by_lanes = sorted(range(n_topics), key=lambda k: (k % 8, k))  # how topics lie on the line of a draw
    in_order = range(n_topics)
    topics: list[int] = [-1] * len(document)
    held, mean = model.alpha.copy(), np.zeros(n_topics)
    for sweep in range(n_sweeps):
        for i, phrase in enumerate(document):
            if "?" in phrase:
                continue
            if sweep:
                held[topics[i]] -= len(phrase)
            weights = np.ones(n_topics)
            for j, word in enumerate(phrase):
                weights *= (held + j) * model.phi[LETTERS.index(word)]
            order = list(by_lanes if len(phrase) <= 4 else in_order)
            reached = np.cumsum(weights[order])
            topics[i] = order[int(np.searchsorted(reached, next(numbers) * reached[-1], "right"))]
            held[topics[i]] += len(phrase)
        mean += held / held.sum() * (sweep >= burn_in) / (n_sweeps - burn_in)
    return mean, topics


@pytest.mark.small
@pytest.mark.parametrize("n_topics", [3, 8, 17, 40, 384 if JIT_IS_ON else 70])
def test_side_by_side_is_as_one_by_one(n_topics: int) -> None:
    model, documents = Model(n_topics), [*UNEVEN, *some_documents()]
    found = model.infer(partition_of(documents), n_sweeps=6, burn_in=2, seed=9)
    start = 0
    for document, row in zip(documents, found.doc_topic, strict=True):
        mean, topics = slowly(model, document, 6, 2, 9)
        assert found.clique_topic[start : start + len(document)].tolist() == topics
        np.testing.assert_allclose(row, mean, rtol=1e-5)
        start += len(document)


@pytest.mark.skipif(JIT_IS_ON, reason="kernels have constants in them")
def test_samples_that_do_not_fit_into_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    model, partition = Model(20), partition_of(UNEVEN)
    found = model.infer(partition, n_sweeps=5, burn_in=2)
    monkeypatch.setattr("topminer.topics.kernels.streams.MOST_TOKENS", 0)
    assert model.infer(partition, n_sweeps=5, burn_in=2).doc_topic.tobytes() == found.doc_topic.tobytes()


@pytest.mark.small
def test_words_never_seen_are_skipped_and_counted(path: str) -> None:
    model = Model(5)
    settings = {"n_sweeps": 5, "burn_in": 1}
    found = model.infer(partition_of([["?", "ab", "?", "c"], ["?"], ["a?"]]), **settings)
    known = model.infer(partition_of([["ab", "c"]]), **settings)
    assert found.n_skipped == 4
    assert (found.clique_topic < 0).tolist() == [True, False, True, False, True, True]
    np.testing.assert_array_equal(found.clique_topic[[1, 3]], known.clique_topic)
    np.testing.assert_array_equal(found.doc_topic[0], known.doc_topic[0])
    np.testing.assert_allclose(found.doc_topic[1:], [model.alpha / model.alpha.sum()] * 2, rtol=1e-6)


@pytest.mark.small
def test_empty_documents_have_the_prior(path: str) -> None:
    model = Model(3)
    found = model.infer(partition_of([[], ["a"], []]), n_sweeps=3, burn_in=0)
    np.testing.assert_allclose(found.doc_topic[[0, 2]], [model.alpha / model.alpha.sum()] * 2, rtol=1e-6)
    nothing = model.infer(partition_of([[], []])[:0])
    assert nothing.doc_topic.shape == (0, 3) and nothing.clique_topic.size == 0 and nothing.n_skipped == 0


@pytest.mark.small
@pytest.mark.parametrize("n_topics", [1, 2, 16, 17, 40])
def test_rows_sum_to_one(path: str, n_topics: int) -> None:
    found = Model(n_topics).infer(partition_of(some_documents()), n_sweeps=4, burn_in=1)
    np.testing.assert_allclose(found.doc_topic.sum(axis=1), 1, rtol=1e-12)
    assert found.doc_topic.min() > 0
    assert found.clique_topic.max() < n_topics


def two_sided(tokens: int, n_topics: int = 2) -> Model:
    """Topic 0 has only the word a, the last topic only b; both are huge."""
    model = Model(n_topics)
    model.word_topic[:] = 0
    model.word_topic[0, 0] = model.word_topic[1, -1] = tokens
    model.tokens = model.word_topic.sum(axis=0, dtype=np.int64)
    return model


@pytest.mark.small
def test_products_that_leave_the_range_of_floats(path: str) -> None:
    """Every share of these phrases is about 1e-10; 64 words of them are 1e-640."""
    model = two_sided(10**9)
    documents = [["cd" * 32, "a" * 64, "b" * 64], ["cdef", "aaaa"], ["cde"], ["c" * 200, "b" * 200]]
    found = model.infer(partition_of(documents), n_sweeps=4, burn_in=1)
    assert np.all(np.isfinite(found.doc_topic))
    topics = found.clique_topic.tolist()
    assert topics[1:3] == [0, 1] and topics[4] == 0 and topics[7] == 1


@pytest.mark.parametrize("n_topics", [3, 400])
def test_a_long_document(n_topics: int) -> None:
    """A hundred thousand tokens, in words and phrases of four."""
    model = two_sided(10**6, n_topics)
    n = 100_000 if JIT_IS_ON else 100
    partition = partition_of([["a", "a", "a", "bbbb", "a"] * (n // 8)])
    found = model.infer(partition, n_sweeps=5, burn_in=2)
    assert found.doc_topic[0, [0, -1]] == pytest.approx([0.5, 0.5], abs=0.003 if JIT_IS_ON else 0.5)
    np.testing.assert_allclose(found.doc_topic.sum(), 1, rtol=1e-12)


@pytest.mark.small
def test_progress_reaches_the_end() -> None:
    reports: list[tuple[str, int, int | None, str]] = []
    Model(2).infer(
        partition_of([["a"]] * 5), n_sweeps=1, burn_in=0, progress=lambda *report: reports.append(report)
    )
    assert reports[-1] == ("inferring topics", 5, 5, "documents")


@pytest.mark.small
def test_documents_of_another_vocabulary_are_refused() -> None:
    with pytest.raises(InputError, match="made of 2 words, the documents of 6"):
        Model(2, n_words=2).infer(partition_of([["a"]]))
