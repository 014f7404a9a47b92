"""The chain: nothing is lost, nothing depends on the machine, and planted topics are found."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from chains import (
    PATHS,
    Lone,
    assert_counts_follow,
    clique_topics,
    documents_and_words,
    partition_of,
    parts_of_draw,
    paths_and_topics,
    random_documents,
    set_topics,
    share_of_each,
    tokens_of_others,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba.core import config
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from oracles import topics as oracle
from oracles.topics import Document
from scipy.stats import f_oneway

from topminer.topics.model.likelihood import log_likelihood
from topminer.topics.sampler.sampler import Sampler

JIT = not config.DISABLE_JIT
SHARDS = (1, 2, 3, 4)
EXAMPLES = 60 if JIT else 5


def chain(
    documents: list[Document],
    n_words: int,
    n_topics: int,
    n_sweeps: int = 0,
    alpha: float = 0.2,
    **options: object,
) -> Sampler:
    """A chain that has run for some sweeps."""
    partition = partition_of(documents, n_words)
    sampler = Sampler.of(partition, n_topics, np.full(n_topics, alpha), 0.05, **options)  # type: ignore[arg-type]
    for _ in range(n_sweeps):
        sampler.sweep()
    return sampler


# ------------------------------------------------------------------------------------ conservation


@pytest.mark.parametrize("n_shards", SHARDS)
@pytest.mark.parametrize(("path", "n_topics"), paths_and_topics(3, 12, 40))
def test_counts_follow_the_topics(path: str, n_topics: int, n_shards: int) -> None:
    """After every sweep; with shared rows, rows of one group, and rare words; with empty documents."""
    documents = [[], *random_documents(n_shards, 60, 60), [], [(59,), (-1,)], [(-1,)]]
    sampler = chain(documents, 60, n_topics, path=path, n_shards=n_shards)
    groups = sampler.here.words.groups
    assert sampler.here.words.n_wk_shared.any()
    assert any(g.z_rare.size for g in groups) and any(g.n_wk_own.any() for g in groups)
    assert_counts_follow(sampler, documents, 60)
    for _ in range(4):
        before = clique_topics(sampler)
        sampler.sweep()
        assert_counts_follow(sampler, documents, 60)
        assert (clique_topics(sampler) != before).mean() > 0.01


@pytest.mark.small
@settings(max_examples=40 if JIT else 10)
@given(documents_and_words(), st.integers(1, 12), st.sampled_from(SHARDS), st.integers(0, 99))
@pytest.mark.parametrize("path", PATHS)
def test_counts_follow_the_topics_of_any_corpus(
    path: str, corpus: tuple[list[Document], int], n_topics: int, n_shards: int, seed: int
) -> None:
    documents, n_words = corpus
    sampler = chain(documents, n_words, n_topics, path=path, n_shards=n_shards, seed=seed)
    for _ in range(2):
        sampler.sweep()
        assert_counts_follow(sampler, documents, n_words)


@pytest.mark.small
@pytest.mark.parametrize("n_shards", [1, 4])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "documents", [[], [[]], [[], [], []], [[(-1,)]], [[(0,)]], [[(0, 1)], [(0,)]]], ids=str
)
def test_hardly_any_documents(documents: list[Document], path: str, n_shards: int) -> None:
    """None, empty ones, none with a known word, fewer than shards."""
    sampler = chain(documents, 2, 3, 2, path=path, n_shards=n_shards)
    assert_counts_follow(sampler, documents, 2)
    assert sampler.histograms().n_k.tolist() == sampler.n_k.tolist()
    assert math.isfinite(sampler.log_predictive())
    if not sampler.n_tokens:
        assert sampler.log_predictive() == 0
        assert log_likelihood(sampler.histograms(), sampler.alpha, sampler.beta) == 0


# ----------------------------------------------------------------------------------- long documents


@pytest.mark.parametrize("length", [65_535, 65_536])
@pytest.mark.parametrize("path", PATHS)
def test_a_very_long_document(path: str, length: int) -> None:
    """Nearly all of it in one topic: one count has nearly all tokens, around and beyond 16 bits."""
    document: Document = [(0, 1), (0, 1, 0, 1, 2), (3,)] * (length // 8)
    document += [(3,)] * (length % 8)
    documents: list[Document] = [[(4,), (0, 1)], document, [(3,), (4,)]]
    partition = partition_of(documents, 5)
    assert partition.corpus.n_tokens == length + 5
    alpha = [0.5, 0.1]
    sampler = Sampler.of(partition, 2, np.array(alpha), 0.05, path=path, n_shards=1)
    assert sampler.here.shards[0].doc_topic.n_dk.dtype == (np.uint16 if length < 2**16 else np.int32)
    set_topics(sampler, partition, np.zeros(partition.n_cliques))
    assert_counts_follow(sampler, documents, 5)
    for _ in range(2):
        sampler.sweep()
        assert_counts_follow(sampler, documents, 5)
    topics = oracle.shaped(clique_topics(sampler).tolist(), documents)
    for d, g in ((0, 1), (1, 0), (1, 1), (1, 2), (2, 0)):
        expected = oracle.equation_7(documents, topics, d, g, alpha, 0.05, 5)
        (shard,) = sampler.here.shards
        slot = int(shard.cliques.slot_of[partition.doc_start[d] + g])
        others = tokens_of_others(documents, topics, d, g, 2)
        parts = parts_of_draw(shard, slot, expected, alpha, others, len(documents[d][g]))
        found = share_of_each(Lone(sampler, shard, slot).draw, 2, parts)
        assert found == pytest.approx(expected, abs=1e-4)


# -------------------------------------------------------------------------------------- determinism


@pytest.mark.parametrize("n_shards", [1, 2, 4])
@pytest.mark.parametrize("n_topics", [5, 40, 250])
def test_threads_cannot_be_seen(n_topics: int, n_shards: int) -> None:
    """Equal with one thread and with two, twice; another seed is another chain."""
    documents = random_documents(n_topics, 400, 300, 12)
    found = []
    for n_threads, seed in ((1, 7), (2, 7), (2, 7), (2, 8)):
        sampler = chain(documents, 300, n_topics, 5, n_shards=n_shards, n_threads=n_threads, seed=seed)
        assert sampler.path == {5: "registers", 40: "dense", 250: "sparse"}[n_topics]
        found.append((clique_topics(sampler).tolist(), sampler.log_predictive()))
        sampler.close()
    assert found[0] == found[1] == found[2]
    assert (np.array(found[2][0]) != found[3][0]).mean() > 0.1


@pytest.mark.small
@settings(max_examples=EXAMPLES)
@given(
    documents_and_words(),
    st.sampled_from([("registers", 3), ("registers", 16), ("dense", 3), ("dense", 21)]),
    st.integers(2, 5),
    st.integers(0, 1),
)
def test_two_blocks_side_by_side_are_two_blocks_one_after_the_other(
    corpus: tuple[list[Document], int], path_and_topics: tuple[str, int], n_shards: int, more: int
) -> None:
    """The same topics, whichever blocks share a loop: with few threads all do, with many threads none."""
    documents, n_words = corpus
    documents, (path, n_topics) = documents * (1 + 3 * more), path_and_topics
    found = []
    for n_threads in (1, n_shards - 1, n_shards):
        sampler = chain(documents, n_words, n_topics, 3, path=path, n_shards=n_shards, n_threads=n_threads)
        assert_counts_follow(sampler, documents, n_words)
        found.append(clique_topics(sampler).tolist())
        sampler.close()
    assert found[0] == found[1] == found[2]


def test_copies_of_an_interrupted_block_are_not_read() -> None:
    """Memory for copies of shared rows is used by one block after another, and freed at the end."""
    documents = random_documents(1, 100, 60)
    one, other = (chain(documents, 60, 9, 1, n_shards=2) for _ in range(2))
    assert len(one.here._free) == 2  # two blocks are sampled side by side
    for copies, *_ in one.here._free:
        copies.n_wk[:] = 999
        copies.copy_of[:] = 0
        copies.n_copies[0] = 1
    one.sweep()
    other.sweep()
    assert_array_equal(clique_topics(one), clique_topics(other))
    one.close()
    assert not one.here._free


def short_chains() -> list[list[int]]:
    """What must be the same with the JIT and without."""
    documents = random_documents(2, 8, 30)
    return [
        clique_topics(chain(documents, 30, n_topics, 2, path=path, n_shards=n_shards)).tolist()
        for path, n_topics in (("registers", 5), ("dense", 5), ("dense", 20), ("sparse", 5), ("sparse", 70))
        for n_shards in (1, 2)
    ]


@pytest.mark.skipif(not JIT, reason="compares with the JIT")
def test_the_same_without_the_jit() -> None:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent), *filter(None, sys.path)])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    script = "from test_sampler import short_chains; print(short_chains())"
    command = [sys.executable, "-W", "ignore::RuntimeWarning", "-c", script]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == str(short_chains())


# --------------------------------------------------------------------------------- path and path


@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("n_topics", [9, 16])
def test_few_topics_are_sampled_alike_in_registers_and_in_memory(n_topics: int, n_shards: int) -> None:
    """The same numbers fall into the same topics; up to eight topics, test_plain.py compares them."""
    documents = random_documents(n_topics, 80, 60)
    registers, dense = (
        chain(documents, 60, n_topics, 5, path=path, n_shards=n_shards) for path in ("registers", "dense")
    )
    assert_array_equal(clique_topics(registers), clique_topics(dense))


@pytest.mark.parametrize("n_shards", [1, 3])
def test_paths_agree_in_distribution(n_shards: int) -> None:
    """Analysis of variance of the joint and of the largest topic, over 60 short chains each; p > 1e-4."""
    documents = random_documents(0, 30, 30)
    joint, largest = {}, {}
    for number, path in enumerate(PATHS):
        chains = [
            chain(documents, 30, 9, 10, path=path, n_shards=n_shards, seed=1000 * number + seed)
            for seed in range(60)
        ]
        joint[path] = [log_likelihood(c.histograms(), c.alpha, c.beta) for c in chains]
        largest[path] = [c.n_k.max() for c in chains]
    assert f_oneway(*joint.values()).pvalue > 1e-4
    assert f_oneway(*largest.values()).pvalue > 1e-4


def test_shards_hardly_matter() -> None:
    """With several shards the chain is an approximation: its joint stays within a hundredth."""
    documents = random_documents(0, 300, 60)
    joint = {}
    for n_shards in (1, 4):
        chains = [chain(documents, 60, 9, 30, n_shards=n_shards, seed=seed) for seed in range(10)]
        joint[n_shards] = np.mean([log_likelihood(c.histograms(), c.alpha, c.beta) for c in chains])
    assert joint[4] == pytest.approx(joint[1], rel=0.01)


# ----------------------------------------------------------------------------------- planted topics


def planted(seed: int, n_topics: int = 4) -> tuple[list[Document], NDArray[np.int64]]:
    """Documents of one topic each; each has ten words and three phrases of its own, one with a word twice."""
    rng = np.random.default_rng(seed)
    documents, topics = [], []
    for d in range(60 * n_topics):
        k = d % n_topics
        words = [(10 * k + word,) for word in rng.integers(0, 10, 12).tolist()]
        first = 10 * k
        phrases = [(first, first + 1), (first + 2, first + 3, first + 2), tuple(range(first, first + 6))]
        documents.append(words + [phrases[i] for i in rng.integers(0, 3, 3).tolist()])
        topics += [k] * 15
    return documents, np.array(topics)


@pytest.mark.parametrize("n_shards", [1, 4])
@pytest.mark.parametrize("path", PATHS)
def test_planted_topics_are_found(path: str, n_shards: int) -> None:
    """Every clique in its topic, but for one in a hundred."""
    documents, topics = planted(0)
    sampler = chain(documents, 40, 4, 60, alpha=0.1, path=path, n_shards=n_shards, seed=2)
    table = np.zeros((4, 4), int)
    np.add.at(table, (topics, clique_topics(sampler)), 1)
    assert sorted(table.argmax(1).tolist()) == [0, 1, 2, 3]
    assert table.max(1).sum() > 0.99 * topics.size
    by_word = sampler.word_topic().reshape(4, 10, 4).sum(1)
    assert by_word.max(1).sum() > 0.99 * sampler.n_tokens


# ------------------------------------------------------------------------- how well topics explain


@pytest.mark.small
@settings(max_examples=40 if JIT else 10)
@given(documents_and_words(), st.integers(1, 12), st.sampled_from(SHARDS), st.data())
@pytest.mark.parametrize("path", PATHS)
def test_joint_and_predictive(
    path: str, corpus: tuple[list[Document], int], n_topics: int, n_shards: int, data: st.DataObject
) -> None:
    """Against the oracle's joint, and against p(word | document) written out."""
    documents, n_words = corpus
    assume(any(documents))
    alpha = data.draw(st.lists(st.floats(0.01, 5), min_size=n_topics, max_size=n_topics))
    beta = data.draw(st.floats(0.005, 2))
    partition = partition_of(documents, n_words)
    sampler = Sampler.of(partition, n_topics, np.array(alpha), beta, path=path, n_shards=n_shards)
    sampler.sweep()
    row = clique_topics(sampler).tolist()
    topics = oracle.shaped(row, documents)
    joint = oracle.joint(documents, topics, alpha, beta, n_words)
    assert log_likelihood(sampler.histograms(), sampler.alpha, beta) == pytest.approx(
        joint, rel=1e-10, abs=1e-10
    )

    counts, logs = oracle.tables(documents, topics), []
    for d, document in enumerate(documents):
        for word in (word for clique in document for word in clique):
            shares = [
                (alpha[k] + counts.in_document[d, k]) / (sum(alpha) + counts.lengths[d])
                * (beta + counts.of_word[word, k]) / (n_words * beta + counts.of_topic[k])
                for k in range(n_topics)
            ]  # fmt: skip
            logs.append(math.log(math.fsum(shares)))
    assert sampler.log_predictive() == pytest.approx(math.fsum(logs), rel=1e-5, abs=1e-5 * len(logs))
