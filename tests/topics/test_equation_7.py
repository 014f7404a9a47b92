"""The kernels draw from the corrected equation 7, and so, in the long run, from the joint of the appendix.

A draw is a function of one number between 0 and 1. The tests choose that number, so that the kernels'
probabilities can be measured and need not be estimated.
"""

import math
from collections import Counter
from collections.abc import Iterable
from functools import cache

import numpy as np
import pytest
from chains import (
    DRAWS,
    PATHS,
    Lone,
    clique_topics,
    documents_and_words,
    key_for,
    partition_of,
    parts_of_draw,
    paths_and_topics,
    random_documents,
    set_topics,
    share_of_each,
    slots,
    stationary,
    tokens_of_others,
    transitions,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba.core import config
from numpy.typing import NDArray
from oracles import topics as oracle
from oracles.topics import Document
from scipy.stats import chisquare

from topminer._parameters import ALPHA_RANGE, BETA_RANGE
from topminer.jit import kernel
from topminer.topics.kernels.draw import uniform
from topminer.topics.sampler.sampler import Sampler

JIT = not config.DISABLE_JIT


@kernel
def numbers(key: np.uint64, n: int) -> np.ndarray:
    found = np.empty(n, np.float32)
    for i in range(n):
        found[i] = uniform(key, i)
    return found


# ---------------------------------------------------------------------------------------- numbers


@pytest.mark.small
@given(st.integers(0, DRAWS - 1), st.integers(0, 300))
def test_a_key_can_be_found_for_any_number(draw: int, i: int) -> None:
    assert numbers(key_for(draw, i), i + 1)[i] == draw / DRAWS


@pytest.mark.small
def test_numbers_are_never_one() -> None:
    top = np.float32((DRAWS - 1) / DRAWS)
    assert numbers(key_for(DRAWS - 1, 0), 1)[0] == top < 1
    totals = np.nextafter(
        np.float32(2.0) ** np.arange(-100, 100, dtype=np.float32), np.float32([[0], [1e38]])
    )
    assert (totals * top < totals).all()


@pytest.mark.parametrize("key", [0, 1, 2**63, 0x9E3779B97F4A7C15])
def test_numbers_are_even(key: int) -> None:
    """Chi-square over 256 bins, of numbers and of pairs of neighbours; p > 1e-4."""
    drawn = (numbers(np.uint64(key), 200_001) * 256).astype(int)
    assert chisquare(np.bincount(drawn, minlength=256)).pvalue > 1e-4
    pairs = drawn[:-1:2] // 16 * 16 + drawn[1::2] // 16
    assert chisquare(np.bincount(pairs, minlength=256)).pvalue > 1e-4


# ----------------------------------------------------------------------------------- conditionals


def assert_conditionals(
    documents: list[Document],
    n_words: int,
    topics: list[int],
    alpha: list[float],
    beta: float,
    path: str,
    n_shards: int = 1,
    only: int | None = None,
    off: float = 1e-4,
) -> None:
    """The kernels' probabilities of every clique (or of ``only`` one) are those of the joint."""
    partition = partition_of(documents, n_words)
    sampler = Sampler.of(partition, len(alpha), np.array(alpha), beta, path=path, n_shards=n_shards)
    set_topics(sampler, partition, topics)
    shape = oracle.shaped(topics, documents)
    for i, (shard, slot, d, g) in enumerate(slots(sampler, documents)):
        if only is not None and i != only:
            continue
        expected = oracle.conditional(documents, shape, d, g, alpha, beta, n_words)
        others = tokens_of_others(documents, shape, d, g, len(alpha))
        parts = parts_of_draw(shard, slot, expected, alpha, others, len(documents[d][g]))
        found = share_of_each(Lone(sampler, shard, slot).draw, len(alpha), parts)
        assert found == pytest.approx(expected, abs=off), (documents[d][g], d, g)


# A phrase with a word twice, a long one, words alone that are also in phrases, frequent ones that are not,
# rare ones; a document that has one of each, an empty one, one of a single word.
EVERY_KIND: list[Document] = [
    [(0, 1), (0,), (3,), (1, 0, 1), (4,), (0, 1, 2, 0, 0), (3,), (5,)],
    [],
    [(0, 1), (0, 1), (3,), (3,), (0, 0), (0, 1, 2, 0, 0), (2, 1, 0, 0), (4,)],
    [(3,)],
    [(3,)] * 14 + [(0, 0)],
    [(3,)] * 12 + [(1,), (2,), (1, 0, 1)],
]
KINDS = {  # the first clique of each kind in the documents above
    "phrase": 0, "shared word": 1, "word": 2, "word twice": 3, "rare": 4, "long": 5, "double": 12, "lone": 16,
}  # fmt: skip


def model(n_topics: int, n_cliques: int, seed: int = 0) -> tuple[list[int], list[float]]:
    """Topics, and very different alphas."""
    rng = np.random.default_rng([seed, n_topics])
    weights = rng.random(n_topics) ** 2  # some topics are hardly used
    topics = rng.choice(n_topics, n_cliques, p=weights / weights.sum())
    return topics.tolist(), (10 ** rng.uniform(-2, 0.7, n_topics)).tolist()


def test_every_kind_is_one() -> None:
    """The corpus has all kinds of types: shared rows, rows of one group, and rare words."""
    sampler = Sampler.of(partition_of(EVERY_KIND, 6), 3, np.ones(3), 0.1)
    assert (np.diff(sampler.layout.types.t_start) > 0).all()
    assert sampler.here.words.n_wk_shared.size and sampler.here.words.groups[0].n_wk_own.size
    assert sampler.here.words.groups[0].z_rare.size
    flat = [clique for document in EVERY_KIND for clique in document]
    assert [flat[i] for i in KINDS.values()] == [
        (0, 1), (0,), (3,), (1, 0, 1), (4,), (0, 1, 2, 0, 0), (0, 0), (3,),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("path", "n_topics"), paths_and_topics(1, 2, 3, 9, 13, 20))
def test_conditionals_of_every_kind(path: str, n_topics: int, kind: str) -> None:
    topics, alpha = model(n_topics, sum(map(len, EVERY_KIND)))
    for old in {0, n_topics - 1}:
        topics[KINDS[kind]] = old  # it is taken out of all counts: nothing depends on it
        assert_conditionals(EVERY_KIND, 6, topics, alpha, 0.05, path, only=KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", PATHS)
def test_conditionals_where_there_are_several_shards(path: str, kind: str) -> None:
    """A block's first clique reads what the others read: the current counts."""
    topics, alpha = model(9, sum(map(len, EVERY_KIND)))
    assert_conditionals(EVERY_KIND, 6, topics, alpha, 0.05, path, n_shards=2, only=KINDS[kind])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", BETA_RANGE)
@pytest.mark.parametrize("alpha", ALPHA_RANGE)
@pytest.mark.parametrize("path", PATHS)
def test_conditionals_at_the_ends_of_the_priors_domains(
    path: str, alpha: float, beta: float, kind: str
) -> None:
    """Float32 gives another topic than exact numbers for at most one draw in a hundred (docs/topics.md)."""
    topics, _ = model(9, sum(map(len, EVERY_KIND)))
    assert_conditionals(EVERY_KIND, 6, topics, [alpha] * 9, beta, path, only=KINDS[kind], off=0.01)


@pytest.mark.parametrize("path", ["dense", "sparse", "plain"])
def test_conditionals_of_many_topics(path: str) -> None:
    """More topics than a document has tokens, in more than one vector of sums over blocks."""
    topics, alpha = model(140, sum(map(len, EVERY_KIND)))
    for kind in ("phrase", "word", "rare", "long"):
        assert_conditionals(EVERY_KIND, 6, topics, alpha, 0.05, path, only=KINDS[kind])


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("clique", [(0,), (0, 0), (0, 1, 0, 2), (0,) * 6], ids=len)
def test_conditionals_of_the_only_clique(path: str, clique: tuple[int, ...]) -> None:
    """Without any other tokens only the prior is left."""
    alpha = [0.5, 0.1, 2.0]
    assert_conditionals([[clique]], 3, [1], alpha, 0.1, path)
    assert_conditionals([[], [clique], []], 3, [0], alpha, 0.1, path)


@pytest.mark.small
@settings(max_examples=60 if JIT else 10)
@given(documents_and_words(), st.data())
@pytest.mark.parametrize("path", PATHS)
def test_conditionals_of_any_corpus(
    path: str, corpus: tuple[list[Document], int], data: st.DataObject
) -> None:
    documents, n_words = corpus
    n_cliques = sum(map(len, documents))
    assume(n_cliques)
    n_topics = data.draw(st.integers(1, 5))
    topics = data.draw(st.lists(st.integers(0, n_topics - 1), min_size=n_cliques, max_size=n_cliques))
    alpha = data.draw(st.lists(st.floats(0.01, 5), min_size=n_topics, max_size=n_topics))
    beta = data.draw(st.floats(0.005, 2))
    only = data.draw(st.integers(0, n_cliques - 1))
    assert_conditionals(documents, n_words, topics, alpha, beta, path, only=only)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("n_copies", [2_000, 40_000])
@pytest.mark.parametrize("n_words", [2, 3, 4, 5])
def test_conditionals_of_a_frequent_phrase(path: str, n_words: int, n_copies: int) -> None:
    """Guards against products of counts that leave the range of a float.

    The documents are short and the same phrase again and again; both topics explain it equally well.
    """
    phrase = tuple(range(n_words))
    partition = partition_of([[phrase]] * n_copies, n_words)
    sampler = Sampler.of(partition, 2, np.array([0.5, 1.5]), 0.01, path=path, n_shards=1)
    set_topics(sampler, partition, np.arange(n_copies) % 2)
    lone = Lone(sampler, sampler.here.shards[0], 0)  # the document has no other clique
    found = share_of_each(lone.draw, 2)
    absent = np.prod([(0.5 + j) / (1.5 + j) for j in range(n_words)])
    assert found[0] == pytest.approx(absent / (1 + absent), abs=1e-3)


@pytest.mark.parametrize("longest", [10, 100_000])
@pytest.mark.parametrize("n_words", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("path", PATHS)
def test_conditionals_in_a_huge_corpus(path: str, n_words: int, longest: int) -> None:
    """As if there were billions of tokens: no product of counts may leave the range of a float.

    The counts of words and topics are put in by hand, and the length of the corpus's longest document.
    """
    documents: list[Document] = [[(0, 1, 2, 3, 4), (0, 1, 2, 3), (0, 1, 2), (0, 1), (0,), (5,)]]
    alpha, beta, n_topics = [0.5, 1.5, 0.01, 0.3], 0.01, 4
    partition = partition_of(documents, 1000)
    rng = np.random.default_rng(n_words)
    for size in (10**5, 10**9):
        sampler = Sampler.of(partition, n_topics, np.array(alpha), beta, path=path, n_shards=1)
        set_topics(sampler, partition, [0, 0, 0, 1, 1, 2])
        shard, old = sampler.here.shards[0], int(n_words <= 2)
        shard.longest = longest
        of_topic, of_both = rng.uniform(0.4, 1, (1, n_topics)), rng.uniform(0.5, 1, (5, n_topics))
        of_word = (size**of_topic * of_both).astype(int)
        of_word[:, 3] = 1  # a large topic that hardly has these words
        sampler.here.n_k = sampler.n_k = 3 * of_word.sum(0) + size
        rows = sampler.here.words.n_wk_shared.reshape(-1, shard.n)
        rows[sampler.here.words.row_of[:5], :n_topics] = of_word

        in_document = np.array([12, 3, 1, 0])
        expected = np.ones(n_topics)
        taken = np.arange(n_topics) == old
        for j in range(n_words):
            expected *= alpha + in_document - n_words * taken + j
            expected *= beta + of_word[j] - taken
            expected /= 1000 * beta + sampler.n_k - n_words * taken + j
        expected /= expected.sum()
        slot = int(shard.cliques.slot_of[5 - n_words])
        others = (in_document - n_words * taken).tolist()
        parts = parts_of_draw(shard, slot, expected.tolist(), alpha, others, n_words)
        found = share_of_each(Lone(sampler, shard, slot).draw, n_topics, parts)
        assert found == pytest.approx(expected.tolist(), abs=1e-4)


@pytest.mark.parametrize(("path", "n_topics"), paths_and_topics(3, 16, 40))
def test_a_sweep_is_one_clique_after_the_other(path: str, n_topics: int) -> None:
    """What kernels keep in registers and scratch agrees with the counts: the same topics are drawn."""
    documents = random_documents(n_topics, 30, 20)
    partition = partition_of(documents, 20)
    whole, apart = (
        Sampler.of(partition, n_topics, np.full(n_topics, 0.3), 0.05, path=path, n_shards=1) for _ in range(2)
    )
    for sweep in range(1, 4):
        whole.sweep()
        for slot in range(partition.n_cliques):
            changes = Lone(apart, apart.here.shards[0], slot).step(apart.layout.key(sweep, 0, 0))
            apart.here.n_k = apart.here.n_k + changes.n_k
        np.testing.assert_array_equal(clique_topics(whole), clique_topics(apart))
        np.testing.assert_array_equal(whole.word_topic(), apart.word_topic())


# ----------------------------------------------------------------------------------- the long run

# A double word, a long phrase with a word twice, words in phrases, one that is in none.
TINY: list[Document] = [[(0, 0), (1,)], [(0,), (1, 1, 0, 1, 0)], [(2,), (1, 1)]]
N_WORDS, BETA = 3, 0.5


def visited(path: str, alpha: list[float], thin: int, n: int) -> Counter[tuple[int, ...]]:
    """How often a chain is found in each state, every ``thin`` sweeps."""
    partition = partition_of(TINY, N_WORDS)
    sampler = Sampler.of(partition, len(alpha), np.array(alpha), BETA, path=path, n_shards=1, seed=1)
    found: Counter[tuple[int, ...]] = Counter()
    for _ in range(n):
        for _ in range(thin):
            sampler.sweep()
        found[tuple(clique_topics(sampler).tolist())] += 1
    return found


def p_value(
    found: Counter[tuple[int, ...]], shares: Iterable[float], states: Iterable[tuple[int, ...]]
) -> float:
    """Chi-square; states expected less than ten times are taken together."""
    n = found.total()
    expected = {state: share * n for state, share in zip(states, shares, strict=True)}
    often = [state for state, times in expected.items() if times >= 10]
    seen, wanted = [found[state] for state in often], [expected[state] for state in often]
    return float(chisquare([*seen, n - sum(seen)], [*wanted, n - sum(wanted)]).pvalue)


@cache
def long_run(alpha: tuple[float, ...]) -> tuple[dict[tuple[int, ...], float], NDArray[np.float64], int]:
    """Where a chain will be, where it would be by equation 7 as printed, and how many sweeps are enough
    for less than 1 % of any correlation to be left.
    """
    sampler = Sampler.of(partition_of(TINY, N_WORDS), len(alpha), np.array(alpha), BETA, n_shards=1)
    order = np.argsort(sampler.here.shards[0].cliques.slot_of).tolist()
    exact = oracle.posterior(TINY, len(alpha), alpha, BETA, N_WORDS)
    sweep = transitions(TINY, order, alpha, BETA, N_WORDS)
    np.testing.assert_allclose(stationary(sweep), list(exact.values()), atol=1e-12)
    as_printed = stationary(transitions(TINY, order, alpha, BETA, N_WORDS, corrected=False))
    slowest = np.sort(np.abs(np.linalg.eigvals(sweep)))[-2]
    return exact, as_printed, math.ceil(math.log(0.01) / math.log(slowest))


@pytest.mark.parametrize("path", PATHS)
def test_long_run(path: str) -> None:
    """Visited states against full enumeration, p > 1e-4; against equation 7 as printed, p < 1e-12."""
    alpha = (1.0, 2.0)
    exact, as_printed, thin = long_run(alpha)
    found = visited(path, list(alpha), thin, 2_000)
    assert p_value(found, exact.values(), exact) > 1e-4
    assert p_value(found, as_printed.tolist(), exact) < 1e-12
