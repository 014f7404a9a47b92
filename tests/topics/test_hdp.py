"""The hierarchical Dirichlet process: tables by Stirling numbers, and the whole step by enumeration."""

import itertools

import numpy as np
import pytest
from assigned import histograms
from numpy.typing import NDArray
from oracles import hdp as oracle
from oracles import topics as plain
from oracles.topics import Document
from scipy.special import expit, gammaln, logsumexp
from scipy.stats import chisquare, kstest

from topminer.topics.model.hdp import LEAST_WEIGHT, TopLevel, count_tables, sample_top_level
from topminer.topics.model.histograms import Histograms, count, count_by_topic

pytestmark = pytest.mark.small

Floats = NDArray[np.float64]

# A word twice in a phrase, a phrase that shares words with others, an empty document.
DOCUMENTS: list[Document] = [[(0, 0), (1,)], [(0,), (1, 2), (0,)], [], [(2,)]]
N_WORDS, BETA = 3, 0.3
N_CLIQUES = sum(map(len, DOCUMENTS))


def of_counts(doc_topic: NDArray[np.int64]) -> Histograms:
    """Histograms of a table (documents, topics). The words are of no matter."""
    documents, topics = np.nonzero(doc_topic)
    return Histograms(
        *count_by_topic(topics.astype(np.int32), doc_topic[documents, topics]),
        count(doc_topic.sum(axis=1)),
        count(np.zeros(0, np.int64)),
        doc_topic.sum(axis=0),
        N_WORDS,
    )


def of_state(state: NDArray[np.int64], n_topics: int) -> Histograms:
    return histograms(DOCUMENTS, plain.shaped(state.tolist(), DOCUMENTS), n_topics, N_WORDS)


def errors(found: Floats, expected: Floats, n_batches: int = 50) -> Floats:
    """By how many standard errors the means of a chain's rows are off; errors from the means of batches."""
    batches = np.stack([batch.mean(axis=0) for batch in np.array_split(found, n_batches)])
    error = batches.std(axis=0, ddof=1) / n_batches**0.5
    return (found.mean(axis=0) - expected) / np.maximum(error, 1e-12)


# ------------------------------------------------------------------------------------------ tables


@pytest.mark.parametrize("x", [0.02, 0.7, 6.0])
@pytest.mark.parametrize("counts", [[1], [5], [1, 3, 3], [1, 1, 2, 4, 9]])
def test_tables_have_the_distribution_of_stirling_numbers(counts: list[int], x: float) -> None:
    """Chi-square over 20,000 topics with the same counts; p > 1e-4."""
    n = 20_000
    distinct, times = np.unique(counts, return_counts=True)
    topic = np.repeat(np.arange(n, dtype=np.int32), distinct.size)
    given = count(np.array(counts))._replace(n=np.tile(distinct, n), times=np.tile(times, n))
    found = np.bincount(
        count_tables(topic, given, np.full(n, x), np.random.default_rng(1)), minlength=sum(counts) + 1
    )
    assert found.size == sum(counts) + 1
    expected = n * oracle.tables(counts, x)
    common = expected > 5
    rare = np.array([found[~common].sum()]), np.array([expected[~common].sum()])
    seen = np.append(found[common], rare[0][rare[1] > 0])
    wanted = np.append(expected[common], rare[1][rare[1] > 0])
    if wanted.size == 1:
        assert seen.tolist() == [n]
    else:
        assert chisquare(seen, wanted * (n / wanted.sum())).pvalue > 1e-4


def test_tables_of_the_chinese_restaurant_itself() -> None:
    """The distribution with Stirling numbers, guest by guest."""
    rng, n, x = np.random.default_rng(2), 20_000, 0.7
    opens = rng.random((n, 7)) < x / (x + np.arange(7))
    found = np.bincount(opens.sum(axis=1), minlength=8)
    expected = n * oracle.tables([7], x)
    assert found[0] == expected[0] == 0
    assert chisquare(found[1:], expected[1:]).pvalue > 1e-4


def test_each_topic_has_its_own_prior_and_counts() -> None:
    """Topics of one call, against their expected numbers of tables."""
    rng = np.random.default_rng(3)
    doc_topic = rng.integers(0, 9, (5, 4)) * rng.integers(0, 2, (5, 4))
    doc_topic[:, 2] = 0
    prior = np.array([0.01, 1.5, 0.4, 8.0])
    counts = of_counts(doc_topic)
    found = np.array([count_tables(counts.topic, counts.doc_topic, prior, rng) for _ in range(4000)])
    expected = np.array(
        [sum(x / (x + j) for n in doc_topic[:, k].tolist() for j in range(n)) for k, x in enumerate(prior)]
    )
    assert (found[:, 2] == 0).all()
    assert (np.abs(errors(found, expected)) < 4).all()


# ----------------------------------------------------------------------------- topics that stand


@pytest.mark.parametrize("counts", [[[3, 1], [0, 2], [4, 0]], [[5, 0], [2, 0]]])
def test_weights_and_concentrations_of_fixed_topics(counts: list[list[int]]) -> None:
    """Long-run means of Ψ, ln α and ln γ, against quadrature; in the second case, one topic is empty."""
    table = np.array(counts)
    grid = np.exp(oracle.two_topics(table) - logsumexp(oracle.two_topics(table)))
    psi = expit(oracle.LOGIT)
    of_psi, of_alpha = grid.sum(axis=1), grid.sum(axis=0)
    expected = [of_psi @ psi, of_psi @ psi**2, of_psi @ psi**20]
    expected += [of_alpha @ oracle.CONCENTRATION, of_alpha @ np.exp(-np.exp(oracle.CONCENTRATION))]
    expected += [expected_log_gamma(of_psi)]
    top, rng, given = TopLevel.start(2), np.random.default_rng(4), of_counts(table)
    rows = []
    for _ in range(8000):
        top = sample_top_level(top, given, rng)
        one = top.weight[0]
        rows.append([one, one**2, one**20, np.log(top.alpha), np.exp(-top.alpha), np.log(top.gamma)])
    assert (np.abs(errors(np.array(rows, float), np.array(expected))) < 4).all()


def expected_log_gamma(of_psi: Floats) -> float:
    """E ln γ, by the distribution of the weight of the first of two topics."""
    gamma, x = np.exp(oracle.CONCENTRATION)[:, None], oracle.LOGIT[None, :]
    logs = gammaln(gamma) - 2 * gammaln(gamma / 2) - gamma / 2 * (np.logaddexp(0, x) + np.logaddexp(0, -x))
    logs += oracle.log_prior(oracle.CONCENTRATION)[:, None]
    given_psi = np.exp(logs - logsumexp(logs, axis=0))
    return float(oracle.CONCENTRATION @ given_psi @ of_psi)


# ------------------------------------------------------------------------ topics that are sampled


class Enumerated:
    """All states of the tiny corpus, so that a state is drawn, given αΨ, without a Markov chain."""

    def __init__(self, n_topics: int) -> None:
        self.n_topics = n_topics
        self.states = oracle.shaped_states(N_CLIQUES, n_topics)
        self.counts = oracle.tokens_by_document(DOCUMENTS, self.states, n_topics)
        self.histograms = [of_counts(each) for each in self.counts]
        lengths = [len(clique) for document in DOCUMENTS for clique in document]
        topic_of = np.repeat(self.states, lengths, axis=1)
        self.is_topic = (topic_of[:, :, None] == np.arange(n_topics)).astype(float)

    def words_part(self, words: NDArray[np.int64]) -> Floats:
        """The logarithm of the words' part of the joint, for each state."""
        is_word = (words[None, :] == np.arange(N_WORDS)[:, None]).astype(float)
        n_wk = (is_word @ self.is_topic).astype(int)
        rises = np.append(0.0, np.cumsum(np.log(BETA + np.arange(words.size))))
        totals = np.append(0.0, np.cumsum(np.log(N_WORDS * BETA + np.arange(words.size))))
        part: Floats = rises[n_wk].sum(axis=(1, 2)) - totals[n_wk.sum(axis=1)].sum(axis=1)
        return part

    def draw(self, prior: Floats, words_part: Floats, rng: np.random.Generator) -> int:
        """Draw a state from its distribution, given the words and the prior αΨ."""
        most = int(self.counts.max())
        logs = np.log(prior[:, None] + np.arange(most)[None, :])
        rises = np.hstack([np.zeros((self.n_topics, 1)), np.cumsum(logs, axis=1)])
        total = words_part + rises[np.arange(self.n_topics), self.counts].sum(axis=(1, 2))
        shares = np.cumsum(np.exp(total - total.max()))
        return int(np.searchsorted(shares, rng.random() * shares[-1], "right"))


WORDS = np.array([word for document in DOCUMENTS for clique in document for word in clique])


@pytest.mark.parametrize("n_topics", [2, 3])
def test_the_words_part_and_the_draw_are_the_oracles(n_topics: int) -> None:
    every, alpha = Enumerated(n_topics), [0.4, 1.1, 0.05][:n_topics]
    expected = plain.posterior(DOCUMENTS, n_topics, alpha, BETA, N_WORDS)
    rng, part = np.random.default_rng(5), every.words_part(WORDS)
    found = np.bincount(
        [every.draw(np.array(alpha), part, rng) for _ in range(4000)], minlength=len(expected)
    )
    shares = np.array([expected[tuple(state)] for state in every.states.tolist()])
    error = np.sqrt(np.maximum(4000 * shares * (1 - shares), 1))
    assert (np.abs(found - 4000 * shares) / error < 5).all()


def test_two_ways_to_integrate_agree() -> None:
    """Quadrature over Ψ, and tables with Dirichlet's formula: what both oracles of the joint rest on."""
    every = Enumerated(2)
    for counts in every.counts[::9]:
        by_grid = logsumexp(oracle.two_topics(counts))
        assert oracle.documents_part(counts) == pytest.approx(by_grid, abs=1e-5)


@pytest.mark.parametrize("n_topics", [2, 3])
def test_long_run_frequencies_are_those_of_the_joint(n_topics: int) -> None:
    """Chains that draw all topics, and then what is above them, against sums over all states.

    States that differ by the numbers of their topics alone are counted together. Their frequencies may be
    off by four standard errors, and by four and a half if there are more than fifty.
    """
    every = Enumerated(n_topics)
    part = every.words_part(WORDS)
    same, number = np.unique([_renumbered(state) for state in every.states], axis=0, return_inverse=True)
    first = np.unique(number, return_index=True)[1]
    documents = np.array([oracle.documents_part(every.counts[i]) for i in first])[number]
    exact = np.exp(part + documents - logsumexp(part + documents))
    expected = np.bincount(number, exact)
    top, rng = TopLevel.start(n_topics), np.random.default_rng(6)
    n, found = 8000, []
    for _ in range(n):
        state = every.draw(top.prior, part, rng)
        top = sample_top_level(top, every.histograms[state], rng)
        found.append(number[state])
    rows = np.zeros((n, len(same)))
    rows[np.arange(n), found] = 1
    frequent = n * expected > 60
    assert expected[frequent].sum() > 0.75
    off = errors(rows[:, frequent], expected[frequent])
    assert np.abs(off).max() < (4 if off.size <= 50 else 4.5)
    n_used = same.max(axis=1) + 1
    share = np.array([expected[n_used == k].sum() for k in range(1, n_topics + 1)])
    used = (n_used[found][:, None] == np.arange(1, n_topics + 1)).astype(float)
    assert (np.abs(errors(used, share)) < 4).all()


def _renumbered(state: NDArray[np.int64]) -> list[int]:
    """Topics numbered in the order in which they occur."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(topic, len(numbers)) for topic in state.tolist()]


def test_words_that_are_drawn_again_and_again_leave_the_joint_as_it_is() -> None:
    """Geweke's test, in a form that is valid for the unnormalised joint.

    Geweke compares two ways to draw from the joint of parameters and data. PhraseLDA cannot be simulated
    forwards, because the normaliser of the phrase constraint is unknown. But the unnormalised joint is LDA's
    joint where all words of each clique have one topic, and 0 elsewhere. So one way is to draw from LDA's
    story, where everything is normalised, and to keep the draws in which all cliques agree. The other way
    draws words, topics, and what is above them, each given all others. Words, given topics, are Dirichlet
    and multinomial as in LDA, since the constraint is on topics alone.
    """
    n_topics, rng = 2, np.random.default_rng(7)
    alpha, gamma, weight, topics = _accepted(n_topics, 300_000, rng)
    assert alpha.size > 10_000
    first = _words_given(topics, n_topics, rng)
    forwards = _measured(alpha, gamma, weight[:, 0], topics, first)

    every = Enumerated(n_topics)
    lengths = [len(clique) for document in DOCUMENTS for clique in document]
    token_topics = np.repeat(every.states, lengths, axis=1)
    top, words, rows = TopLevel.start(n_topics), WORDS, []
    for _ in range(8000):
        state = every.draw(top.prior, every.words_part(words), rng)
        top = sample_top_level(top, every.histograms[state], rng)
        words = _words_given(token_topics[state : state + 1], n_topics, rng)[0]
        rows.append((top.alpha, top.gamma, top.weight[0], token_topics[state], words))
    backwards = _measured(*(np.array(column) for column in zip(*rows, strict=True)))
    mean = forwards.mean(axis=0)
    both = errors(backwards, mean) / np.sqrt(
        1 + (forwards.var(axis=0) / len(forwards)) / _squared_error(backwards)
    )
    assert (np.abs(both) < 4).all(), both


def _accepted(
    n_topics: int, n: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats, NDArray[np.int64]]:
    """Draw α, γ, Ψ and the topics of tokens from LDA's story; keep those in which cliques agree."""
    alpha, gamma = rng.gamma(oracle.SHAPE, 1 / oracle.RATE, (2, n))
    parts = rng.standard_gamma(np.repeat(gamma[:, None] / n_topics, n_topics, axis=1))
    weight = np.maximum(parts, 1e-300)
    weight /= weight.sum(axis=1, keepdims=True)
    topics, agrees = np.zeros((n, WORDS.size), np.int64), np.ones(n, bool)
    at = 0
    for document in DOCUMENTS:
        n_dk, so_far = np.zeros((n, n_topics)), 0
        for clique in document:
            for j in range(len(clique)):
                shares = np.cumsum(alpha[:, None] * weight + n_dk, axis=1) / (alpha + so_far)[:, None]
                drawn = np.minimum((rng.random(n)[:, None] > shares).sum(axis=1), n_topics - 1)
                topics[:, at] = drawn
                n_dk[np.arange(n), drawn] += 1
                agrees &= (j == 0) | (drawn == topics[:, at - 1])
                at, so_far = at + 1, so_far + 1
    return alpha[agrees], gamma[agrees], weight[agrees], topics[agrees]


def _words_given(topics: NDArray[np.int64], n_topics: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw words one after the other, given those before in the same topic; a row for each row of topics."""
    n, n_tokens = topics.shape
    n_wk, row = np.full((n, n_topics, N_WORDS), BETA), np.arange(n)
    words = np.zeros_like(topics)
    for i in range(n_tokens):
        shares = np.cumsum(n_wk[row, topics[:, i]], axis=1)
        drawn = (rng.random(n)[:, None] * shares[:, -1:] > shares).sum(axis=1)
        words[:, i] = drawn
        n_wk[row, topics[:, i], drawn] += 1
    return words


def _measured(
    alpha: Floats, gamma: Floats, weight: Floats, topics: NDArray[np.int64], words: NDArray[np.int64]
) -> Floats:
    """Functions of all variables, (draws, functions)."""
    together = [topics[:, i] == topics[:, j] for i, j in itertools.combinations((0, 2, 3, 7), 2)]
    alike = [words[:, i] == words[:, j] for i, j in ((0, 1), (0, 3), (4, 5))]
    of_weight = [weight, weight**2, weight > 0.999]
    columns = [np.log(alpha), alpha, np.log(gamma), gamma, *of_weight, *together, *alike]
    return np.stack([np.asarray(each, float) for each in columns], axis=1)


def _squared_error(found: Floats, n_batches: int = 50) -> Floats:
    batches = np.stack([batch.mean(axis=0) for batch in np.array_split(found, n_batches)])
    variance: Floats = batches.var(axis=0, ddof=1) / n_batches
    return np.maximum(variance, 1e-24)


# ------------------------------------------------------------------------------------- edge cases


def test_without_tokens_the_priors_remain() -> None:
    given, rng = of_counts(np.zeros((3, 4), np.int64)), np.random.default_rng(8)
    tops = [sample_top_level(TopLevel.start(4), given, rng) for _ in range(3000)]
    prior = "gamma", (oracle.SHAPE, 0, 1 / oracle.RATE)
    for found in ([top.alpha for top in tops], [top.gamma for top in tops]):
        assert kstest(found, *prior).pvalue > 1e-4
    assert (np.abs(errors(np.array([top.weight for top in tops]), np.full(4, 0.25))) < 4).all()


def test_weights_of_empty_topics_can_die() -> None:
    """Two topics have all tokens, 198 have none. The weight of these together is that of the model."""
    n_topics = 200
    table = np.zeros((300, n_topics), np.int64)
    table[:200, 0], table[100:, 1] = 9, 5
    top, rng, given = TopLevel.start(n_topics), np.random.default_rng(9), of_counts(table)
    dead, rows = [], []
    for i in range(2500):
        top = sample_top_level(top, given, rng)
        if i >= 100:
            dead.append((top.weight[2:] < 1e-12).mean())
            rows.append([top.weight[2:].sum(), top.weight[2:101].sum() - top.weight[101:].sum()])
    assert np.mean(dead) > 0.8
    assert (top.weight >= LEAST_WEIGHT).all() and top.weight.sum() == pytest.approx(1)
    assert n_topics * LEAST_WEIGHT < 1e-20  # what the bound itself adds to all empty topics
    total = np.array(rows)
    assert total[:, 0].mean() < 0.02
    assert abs(errors(total, np.zeros(2))[1]) < 4


@pytest.mark.parametrize("weight", [LEAST_WEIGHT, 1e-6])
def test_a_topic_with_hardly_any_weight_grows_if_it_has_tokens(weight: float) -> None:
    table, rng = np.array([[5, 5]] * 20), np.random.default_rng(10)
    top = TopLevel(np.array([weight, 1 - weight]), 1.0, 1.0)
    grown = sample_top_level(top, of_counts(table), rng)
    assert grown.weight[0] > 0.1


def test_depends_on_the_generator_and_the_arguments_alone() -> None:
    table = np.array([[3, 0, 7], [1, 4, 0]])
    top, given = TopLevel.start(3), of_counts(table)
    before = top.weight.copy()

    def philox(sweep: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[1, sweep]))

    found = [sample_top_level(top, given, philox(sweep)) for sweep in (5, 5, 10)]
    assert found[0].weight.tolist() == found[1].weight.tolist() != found[2].weight.tolist()
    assert found[0][1:] == found[1][1:] != found[2][1:]
    np.testing.assert_array_equal(top.weight, before)
