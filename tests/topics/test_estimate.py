"""Estimates of memory and time, compared with what a fit needs."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from chains import FAST, clique_topics, doc_topic, partition_of, random_documents
from numba.core import config

from topminer import Corpus, Partition, PhraseLDA
from topminer.errors import InputError
from topminer.topics.sampler.chain import Schedule
from topminer.topics.sampler.estimate import (
    NANOSECONDS,
    THREADS_EFFICIENCY,
    check_memory,
    copies_bytes,
    doc_topic_bytes,
    entries_expected,
    estimate,
    n_samples_in,
    pairs_expected,
    peak_bytes,
    plan_of,
    sampler_bytes,
)
from topminer.topics.sampler.sampler import Sampler

GIGABYTE = 10**9


def sampler_of(partition: Partition, n_topics: int, n_shards: int, path: str | None = None) -> Sampler:
    return Sampler.of(partition, n_topics, np.full(n_topics, 0.1), 0.01, n_shards=n_shards, path=path)


def size_of(*arrays: Any) -> int:
    return sum(array.nbytes for array in arrays)


def bytes_of(sampler: Sampler) -> int:
    """All arrays that a sampler has beside the partition's."""
    types, words = sampler.layout.types, sampler.here.words
    total = size_of(types.type_of, types.t_of, types.t_start, sampler.layout.in_phrases, sampler.layout.sizes)
    total += size_of(words.row_of, words.n_wk_shared)
    total += sum(size_of(group.n_wk_own, group.z_rare_start, group.z_rare) for group in words.groups)
    return total + sum(size_of(shard.z, *shard.cliques, *shard.doc_topic) for shard in sampler.here.shards)


# ----------------------------------------------------------------------------------------- bytes


@pytest.mark.small
@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("path", FAST)
def test_sampler_is_as_large_as_estimated(path: str, n_shards: int) -> None:
    n_topics = {"registers": 11, "dense": 40, "sparse": 250}[path]
    documents = [*random_documents(1, 60, 40, 20), [], [(-1,), (2,), (-1,)]]  # with words never seen
    partition = partition_of(documents, 45)  # and words without a token
    sampler, plan = sampler_of(partition, n_topics, n_shards), plan_of(partition, n_topics, n_shards)
    layout = plan.layout
    assert (layout.path, layout.n_shards, layout.n_tokens) == (path, n_shards, sampler.n_tokens)
    assert sampler_bytes(plan) == bytes_of(sampler)


@pytest.mark.parametrize("longest", [255, 256, 2**16 - 1, 2**16])
@pytest.mark.parametrize("path", FAST)
def test_documents_of_any_length(path: str, longest: int) -> None:
    partition = partition_of([[(0,)] * longest, [(1,)], []], 2)
    sampler, plan = sampler_of(partition, 12, 1, path), plan_of(partition, 12, 1, path)
    assert doc_topic_bytes(plan) == size_of(*sampler.here.shards[0].doc_topic)


@pytest.mark.small
def test_nothing_at_all() -> None:
    for documents in ([], [[]]):
        plan = plan_of(partition_of(documents, 3), 1)
        assert sampler_bytes(plan) == bytes_of(sampler_of(partition_of(documents, 3), 1, 1))
        assert estimate(partition_of(documents, 3), 1, 10).seconds == 0


@pytest.mark.small
def test_every_block_has_copies_of_shared_rows() -> None:
    partition = partition_of([[(0, 1)] * 3, [(2, 3, 4), (2,), (5,)]], 6)
    sampler, plan = sampler_of(partition, 20, 2), plan_of(partition, 20, 2)
    with sampler.here.workspace() as workspace:
        copies = workspace.copies
        assert copies_bytes(plan) == size_of(copies.n_wk, copies.copy_of, copies.row_of) == 5 * (4 * 24 + 8)
    assert copies_bytes(plan_of(partition, 20, 1)) == 0


@pytest.mark.small
def test_pairs_and_entries_are_not_missed_by_far() -> None:
    partition = partition_of(random_documents(2, 200, 60, 30), 60)
    plan, sampler = plan_of(partition, 40, 2), sampler_of(partition, 40, 2)
    random_entries = doc_topic(sampler)[0].size
    assert entries_expected(plan) == pytest.approx(random_entries, rel=0.05)
    assert plan_of(partition, 1).sizes.size == entries_expected(plan_of(partition, 1)) == 200
    # Whatever the topics are, one sample has no more pairs than this.
    keys = partition.type_ids * 40 + clique_topics(sampler)
    assert np.unique(keys).size <= np.minimum(plan.instances, 40).sum()
    assert pairs_expected(plan, 1) < pairs_expected(plan, 10) < np.minimum(plan.instances, 40).sum()


@pytest.mark.small
def test_samples_are_those_of_the_schedule() -> None:
    for n_sweeps in (1, 2, 10, 11, 19, 50, 200, 1000):
        schedule = Schedule(n_sweeps, 0, 0)
        taken = [sweep for sweep in range(1, n_sweeps + 1) if schedule.samples(sweep)]
        assert n_samples_in(n_sweeps) == len(taken) >= 1


@pytest.mark.small
def test_more_of_anything_takes_more() -> None:
    partition = partition_of(random_documents(3, 120, 50, 20), 50)
    # Another path may need less memory for documents: each path by itself.
    for path, topics in [("registers", (2, 9, 16)), ("dense", (17, 64, 200)), ("sparse", (201, 300, 2000))]:
        peaks = [peak_bytes(plan_of(partition, n, 2, path), 1, 1) for n in topics]
        assert peaks == sorted(peaks)
        assert estimate(partition, topics[0], 9, n_shards=2).n_bytes == peaks[0]
        assert estimate(partition, topics[0], 9).seconds <= estimate(partition, topics[2], 9).seconds
    for n_topics in (10, 100, 300):
        found = [estimate(partition[:n], n_topics, 10) for n in (0, 1, 30, 60, 120)]
        assert found == sorted(found)
        assert [each.seconds for each in found] == sorted(each.seconds for each in found)
    plan = plan_of(partition, 250, 4)
    assert peak_bytes(plan, 1, 2) <= peak_bytes(plan, 1, 4)
    assert peak_bytes(plan, 1, 4) <= peak_bytes(plan, 10, 4)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="300,000 tokens are too many for plain Python")
def test_peak_of_a_fit() -> None:
    """Arrays are counted as NumPy makes them: how much of them is resident depends on the system."""
    rng = np.random.default_rng(0)
    topics = rng.integers(0, 100, (6000, 4))[np.arange(6000)[:, None], rng.integers(0, 4, (6000, 50))]
    words = (topics + 100 * (150 * rng.random((6000, 50)) ** 3).astype(int)).tolist()
    corpus = Corpus.from_texts([[f"w{i}" for i in row] for row in words], language=None, stop_words=[])
    starts = np.flatnonzero(np.arange(corpus.n_tokens + 1) % 10 != 7)  # now and then a phrase of two words
    partition = Partition(corpus, starts, np.searchsorted(starts, corpus.doc_start))
    model = PhraseLDA(250, n_sweeps=20, random_state=0, n_threads=1)
    model.fit(partition[:50])  # kernels are compiled
    tracemalloc.start()
    try:
        model.fit(partition)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.7 < estimate(partition, 250, 20).n_bytes / peak < 1.3


# --------------------------------------------------------------------------------------- seconds


@pytest.mark.small
def test_seconds_by_hand() -> None:
    partition = partition_of([[(0,), (1,), (0, 1)]] * 4 + [[(-1,)]], 2)
    word, phrase, _ = NANOSECONDS["registers"]
    assert estimate(partition, 5, 100).seconds == pytest.approx(400e-9 * (2 * word + phrase))
    both, again, topic = NANOSECONDS["sparse"]
    assert both == again
    alone = estimate(partition, 1000, 100, n_shards=2).seconds
    assert alone == pytest.approx(1200e-9 * (both + 1000 * topic))
    # Two shards are work for two threads, not for three.
    for n_threads in (2, 3):
        together = estimate(partition, 1000, 100, n_shards=2, n_threads=n_threads).seconds
        assert together == pytest.approx(alone / 2 / THREADS_EFFICIENCY)


# -------------------------------------------------------------------------------- what there is


@pytest.mark.small
def test_too_much_is_refused_with_both_numbers() -> None:
    needed, free = int(31.2 * GIGABYTE), int(22.9 * GIGABYTE)
    with pytest.raises(InputError, match=r"needs about 31\.2 GB, 22\.9 GB are free: fewer topics, or fewer"):
        check_memory(needed, free)
    with pytest.raises(InputError, match=r"31\.2 GB on 10\.0\.0\.7, 22\.9 GB are free: .* or more nodes"):
        check_memory(needed, free, "10.0.0.7")
    check_memory(needed, needed)
    check_memory(needed, None)
