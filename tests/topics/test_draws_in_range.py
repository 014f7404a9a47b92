"""Every draw is one of the topics, and all counts follow from it, whatever the priors and weights are."""

import math
from typing import Any

import numpy as np
import pytest
from chains import (
    Lone,
    assert_counts_follow,
    key_for,
    partition_of,
    paths_and_topics,
    random_documents,
    set_topics,
)
from numba.core import config

from topminer import Partition
from topminer.topics.results.fold_in import Folding
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.shard import Shard

pytestmark = [pytest.mark.small, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

# Priors for which float32 weights overflow, vanish or are not numbers. PhraseLDA refuses all of them.
EXTREMES = [0.0, -1.0, -1e30, 1e-300, 1e-45, 1e-40, 1e30, 3e38, 1e300, math.inf, -math.inf, math.nan]
PRIORS = [pair for bad in EXTREMES for pair in ((bad, 0.01), (0.1, bad), (bad, bad))]
PRIORS = PRIORS[::8] if config.DISABLE_JIT else PRIORS
N_WORDS = 12
DOCUMENTS = random_documents(1, 8, N_WORDS)


@pytest.fixture(scope="module")
def partition() -> Partition:
    return partition_of(DOCUMENTS, N_WORDS)


@pytest.mark.parametrize(("path", "n_topics"), paths_and_topics(1, 5, 16, 20, 70))
def test_sampling(monkeypatch: pytest.MonkeyPatch, partition: Partition, path: str, n_topics: int) -> None:
    prepare = Shard.prepare
    for alpha, beta in PRIORS:

        def hostile(shard: Shard, *given: Any, alpha: float = alpha, beta: float = beta) -> Any:
            prepared = prepare(shard, *given)
            block = prepared.block
            block.alpha[:n_topics] = alpha
            block.v_beta_n_k[:] = block.n_k + beta * N_WORDS
            return prepared._replace(block=block._replace(beta=beta, v_beta=beta * N_WORDS))

        monkeypatch.setattr(Shard, "prepare", hostile)
        sampler = Sampler.of(partition, n_topics, np.full(n_topics, 0.1), 0.01, n_shards=2, path=path)
        for _ in range(3):
            sampler.sweep()
        assert_counts_follow(sampler, DOCUMENTS, N_WORDS)


@pytest.mark.parametrize("n_topics", [1, 5, 16, 20, 400])
def test_new_documents(partition: Partition, n_topics: int) -> None:
    counts = np.random.default_rng(0).integers(0, 9, (N_WORDS, n_topics)).astype(np.int32)
    tokens = counts.sum(axis=0, dtype=np.int64)
    whole = slice(0, len(partition))
    for alpha, beta in PRIORS:
        folding = Folding(
            partition, partition.doc_start[1:], counts, tokens, np.full(n_topics, 0.1), 0.01, 3, 1, seed=0
        )
        folding.alpha[:n_topics] = alpha
        folding.beta, folding.inverse[:n_topics] = beta, 1 / (tokens + beta * N_WORDS)
        doc_topic = np.empty((len(partition), n_topics))
        topics = np.full(partition.n_cliques, -9, np.int32)
        folding.run(whole, folding.words(whole), doc_topic, topics)
        assert topics.min() >= 0 and topics.max() < n_topics


# A draw close to the end of a lane, found by search: where the list alone was searched, it fell behind the
# topics of the document's list in float32, into an entry that is free.
@pytest.mark.parametrize(
    ("words", "n_held", "topics", "draw"),
    [
        ("1322122131311311232111233221223321312332", 10, "288814e26111d5d936432a537a4049", 7142668),
        ("1211221222113221232123233121232321312332", 13, "b62a69063b6648aa843b7bbab62acd", 7618414),
    ],
)
def test_rounding_never_leads_behind_the_end_of_a_list(
    words: str, n_held: int, topics: str, draw: int
) -> None:
    """Guards against a topic that is counted behind a list's end, where the next one would overwrite it."""
    documents = [[(0,), *((int(word),) for word in words)], [(0,)] * len(topics)]
    partition = partition_of(documents, 4)
    sampler = Sampler.of(partition, 15, np.full(15, 0.1), 0.5, n_shards=1, path="sparse")
    held = [i % n_held for i in range(len(words))]
    set_topics(sampler, partition, [1, *held, *(int(topic, 16) for topic in topics)])
    (shard,) = sampler.here.shards
    slot = int(shard.cliques.slot_of[0])
    changes = Lone(sampler, shard, slot).step(key_for(draw, slot))
    sampler.n_k = sampler.n_k + changes.n_k  # as the end of a sweep would
    assert_counts_follow(sampler, documents, 4)
