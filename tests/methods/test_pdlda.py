"""PD-LDA: the posterior, its priors, and what a user gets."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from oracles.pdlda import Priors, posterior, rising
from scipy import stats
from test_pitman_yor import Documents, chunks_of, corpus_of, started

from topminer import Corpus
from topminer.methods.rivals import pdlda_priors
from topminer.methods.rivals.pdlda import PDLDA, swept, topic_word
from topminer.methods.rivals.pdlda_priors import (
    Seating,
    log_likelihood,
    resample_alpha,
    resample_coins,
    resampled,
    seating_of,
    slice_drawn,
)
from topminer.methods.rivals.pdlda_sampler import ALPHA, CONTINUE, START
from topminer.methods.rivals.seating import chance

PRIORS = Priors(0.4, 0.7, 0.6, (0.3, 0.5, 0.2, 0.6), (0.8, 0.4, 1.1, 0.5))


LEARNING = ["kernel", "margin", "classifier", "training", "label", "feature"]
DATABASES = ["database", "index", "join", "transaction", "table", "schema"]


def planted() -> Corpus:
    """Two topics of single words, and a phrase in each."""
    generator = np.random.default_rng(0)
    texts = []
    for phrase, words in (("support vector machine", LEARNING), ("query plan", DATABASES)) * 150:
        parts = [*generator.choice(words, 4).tolist(), phrase]
        generator.shuffle(parts)
        texts.append(" ".join(parts))
    return Corpus.from_texts(texts, stop_words=[], stem=False)


def pvalue(seen: Counter[object], expected: dict[object, float]) -> float:
    """Of the chi-square test, what is rare being put together."""
    n = seen.total()
    assert set(seen) <= set(expected)
    often = {key: p * n for key, p in expected.items() if p * n >= 5}
    observed, ideal = [seen[key] for key in often], list(often.values())
    rest = n - sum(ideal)
    if rest > 1e-9 * n:
        observed.append(n - sum(observed))
        ideal.append(rest)
    return float(stats.chisquare(observed, ideal).pvalue)


@pytest.mark.parametrize(
    ("documents", "n_topics", "max_length"),
    [
        ([[[0, 1, 0, 1]]], 2, 3),
        ([[[0, 0, 0]], [[0, 0]]], 2, 3),  # one coin and one table for all
        ([[[0, 1], [0, 1]], [[1, 0]]], 2, 2),  # phrases as long as may be
        ([[[0, 1, 1, 0, 1]]], 1, 3),
        ([[[0], [1]], [], [[0, 0]]], 3, 1),
    ],
)
def test_samples_are_drawn_from_the_posterior(documents: Documents, n_topics: int, max_length: int) -> None:
    corpus = corpus_of(documents)
    n = max_length + 1
    priors = PRIORS._replace(discount=PRIORS.discount[:n], strength=PRIORS.strength[:n])
    expected = posterior(chunks_of(corpus), n_topics, corpus.n_stems, max_length, priors)
    state, chain = started(corpus, n_topics, max_length, seed=11)
    chain.priors[[ALPHA, CONTINUE, START]] = priors.alpha, priors.continues, priors.starts
    state.discount[:], state.strength[:] = priors.discount, priors.strength
    seen: Counter[object] = Counter()
    for number in range(24_000):
        state = swept(state, chain)
        if number % 4 == 0:
            seen[tuple(zip(chain.starts.tolist(), chain.topics.tolist(), strict=True))] += 1
    assert pvalue(seen, expected) > 1e-4


@pytest.mark.small
def test_likelihood_of_a_seating_by_hand() -> None:
    """Restaurants with tables of 3 and 1, and with one table of 2."""
    one = np.ones(2, np.int64)
    seating = Seating(
        (np.array([2, 4]), one), (np.array([1, 2]), one), (np.array([1, 2, 3]), np.ones(3, np.int64))
    )
    a, b = 0.3, 0.9
    first = (b + a) / ((b + 1) * (b + 2) * (b + 3)) * (1 - a) * (2 - a)
    second = (1 - a) / (b + 1)
    assert log_likelihood(seating, a, b) == pytest.approx(np.log(first * second))


@pytest.mark.small
def test_seatings_are_counted_for_the_priors() -> None:
    state, _ = started(corpus_of([[[0, 1, 0, 1, 2]] * 3]), 2, 3, seed=2)
    for depth in range(4):
        seating = seating_of(state, depth)
        customers, tables, sizes = (int(n @ times) for n, times in seating)
        assert customers == sizes
        assert tables == seating.sizes[1].sum()
        if depth < 3:
            assert customers >= sum(seating_of(state, depth + 1).sizes[1])
    assert sum(seating_of(state, 1).sizes[1]) == seating_of(state, 0).customers[0][0]


def draws_follow(draws: list[float], grid: np.ndarray, log_density: np.ndarray) -> bool:
    """Whether draws fall into ten equally probable parts of a density on a grid equally often."""
    p = np.exp(log_density - log_density.max())
    middle = (p[1:] + p[:-1]) / 2 * np.diff(grid)
    below = np.append(0, np.cumsum(middle)) / middle.sum()
    share = np.interp(draws, grid, below)
    observed = np.bincount(np.minimum((share * 10).astype(int), 9), minlength=10)
    return bool(stats.chisquare(observed).pvalue > 1e-4)


@pytest.mark.small
def test_slices_of_a_normal_density() -> None:
    generator = np.random.default_rng(1)
    draws = [0.0]
    for _ in range(4000):
        draws.append(slice_drawn(lambda x: -(x**2) / 2, draws[-1], generator))
    assert stats.kstest(draws[1::4], "norm").pvalue > 1e-4


def test_discount_and_strength_follow_their_posterior() -> None:
    ones = np.array([6, 4, 2], np.int64)
    seating = Seating(
        (np.array([3, 5, 8]), ones), (np.array([1, 2, 5]), ones), (np.array([1, 2, 4]), np.array([8, 10, 4]))
    )
    generator = np.random.default_rng(2)
    a, b, draws = 0.5, 1.0, []
    for number in range(4500):
        a, b = resampled(seating, a, b, generator)
        if number % 3 == 0:
            draws.append((a, b))
    grid_a, grid_b = np.linspace(1e-4, 1 - 1e-4, 120), np.geomspace(1e-4, 20, 160)
    log_p = np.array([[log_likelihood(seating, a, b) - b for b in grid_b] for a in grid_a])
    of_a = np.log(np.trapezoid(np.exp(log_p), grid_b, axis=1))
    of_b = np.log(np.trapezoid(np.exp(log_p), grid_a, axis=0))
    assert draws_follow([a for a, _ in draws], grid_a, of_a)
    assert draws_follow([b for _, b in draws], grid_b, of_b)


def test_alpha_and_coins_follow_their_posteriors() -> None:
    corpus = corpus_of([[[0, 1, 2, 0, 1]], [[1, 1], [2, 0, 1]], [[2]]] * 4)
    state, chain = started(corpus, 2, 3, seed=4)
    generator = np.random.default_rng(3)
    grid = np.geomspace(1e-4, 25, 400)
    held = [
        [np.sum((chain.topics[i:j] == k) & (chain.starts[i:j] == 1)) for k in range(2)]
        for i, j in pairwise(corpus.doc_start.tolist())
    ]
    log_p = -grid
    for m, n in held:
        log_p += np.log(rising(grid, m) * rising(grid, n) / rising(2 * grid, m + n))
    draws = []
    for _ in range(3000):
        resample_alpha(chain, generator)
        draws.append(float(chain.priors[ALPHA]))
    assert draws_follow(draws[::2], grid, log_p)

    rows = state.rows[: state.n_words * 3].reshape(state.n_words, 3, -1)[:, 1:, :2].reshape(-1, 2).tolist()
    few = np.geomspace(1e-3, 25, 80)
    table = -few[:, None] - few
    for m, n in rows:
        table += np.log(rising(few[:, None], m) * rising(few, n) / rising(few[:, None] + few, m + n))
    pairs = []
    for number in range(4500):
        resample_coins(state, chain, generator)
        if number % 3 == 0:
            pairs.append(chain.priors[[CONTINUE, START]].tolist())
    for axis in (0, 1):
        log_p = np.log(np.trapezoid(np.exp(table - table.max()), few, axis=1 - axis))
        assert draws_follow([pair[axis] for pair in pairs], few, log_p)


def test_planted_phrases_are_found() -> None:
    """Whole, in one topic each; a word that follows by chance may come to be counted to them."""
    found = PDLDA(n_sweeps=60).fit(planted(), 2, seed=1)
    assert {topic.phrases[0].text for topic in found.topics} == {"support vector machine", "query plan"}
    for topic in found.topics:
        phrase = topic.phrases[0].text
        assert sum(other.score for other in topic.phrases if phrase in other.text) > 140
        words = {word.text for word in topic.words[:5]} - {"support", "query"}
        assert words <= set(LEARNING) or words <= set(DATABASES)


@pytest.mark.small
def test_no_phrase_crosses_the_end_of_a_chunk_or_is_too_long() -> None:
    corpus = corpus_of([[[0, 1, 2, 3, 4]], [[0, 1], [2, 3]], [[0, 1], [2, 3, 0, 1]]] * 3)
    chunks = [tuple(chunk) for document in chunks_of(corpus) for chunk in document]
    for max_length in (2, 3):
        method = PDLDA(n_sweeps=4, max_length=max_length)
        for seed in range(3):
            topics = method.fit(corpus, 2, seed).topics
            for stems in (phrase.stems for topic in topics for phrase in topic.phrases):
                n = len(stems)
                assert 2 <= n <= max_length
                assert any(stems == chunk[i : i + n] for chunk in chunks for i in range(len(chunk)))


@pytest.mark.small
def test_words_of_a_topic_are_as_probable_as_the_first_of_a_phrase() -> None:
    corpus = corpus_of([[[0, 1, 2, 0]], [[3, 1]]])
    state, chain = started(corpus, 2, 3, seed=6)
    p = topic_word(state)
    assert p.sum(axis=1) == pytest.approx(1)
    for j in range(corpus.n_tokens):
        for k in range(2):
            assert p[k, chain.stems[j]] == pytest.approx(chance(state, chain.stems, j, j, k))


@pytest.mark.small
def test_priors_stay_where_they_are_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> float:
        raise AssertionError

    corpus = corpus_of([[[0, 1, 2]]])
    monkeypatch.setattr(pdlda_priors, "slice_drawn", never)
    (note,) = PDLDA(n_sweeps=2, alpha=0.25, resample_interval=0).fit(corpus, 2).notes
    assert note.startswith("alpha 0.25; coins 1 (continue), 1 (start); discounts 0.50")
    with pytest.raises(AssertionError):
        PDLDA(n_sweeps=2, alpha=0.25, resample_interval=2).fit(corpus, 2)
