"""The plain kernel of equation 7: its worked example, and that the fast kernels agree with it."""

import numpy as np
import pytest
from chains import Lone, clique_topics, partition_of, random_documents, set_topics, share_of_each
from numpy.testing import assert_array_equal
from oracles.topics import Document

from topminer.topics.sampler.sampler import Sampler

N_WORDS = 60


@pytest.mark.small
def test_worked_example() -> None:
    """The example of the module's docstring: the clique "a a", the words a, b and c, two topics."""
    documents: list[Document] = [[(0, 0), (1,)], [(0,), (0,)], [(2,)]]
    partition = partition_of(documents, 3)
    sampler = Sampler.of(partition, 2, np.ones(2), 0.5, path="plain", n_shards=1)
    set_topics(sampler, partition, [1, 0, 0, 0, 1])
    shard = sampler.here.shards[0]
    found = share_of_each(Lone(sampler, shard, int(shard.cliques.slot_of[0])).draw, 2)
    weights = np.array([2 * 2.5 / 4.5 * 3 * 3.5 / 5.5, 1 * 0.5 / 2.5 * 2 * 1.5 / 3.5])
    assert weights == pytest.approx([2.121, 0.171], abs=1e-3)
    assert found == pytest.approx((weights / weights.sum()).tolist(), abs=1e-4)
    assert found[0] == pytest.approx(0.925, abs=1e-3)


@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("n_topics", [1, 2, 5, 8])
@pytest.mark.parametrize("path", ["registers", "dense"])
def test_the_same_draws_with_up_to_eight_topics(path: str, n_topics: int, n_shards: int) -> None:
    """Topics then lie in one vector, and a draw by lanes goes through them in the same order.

    A draw may differ where float32 rounds a bound between two topics: none does in these chains.
    """
    documents = random_documents(n_topics, 80, N_WORDS)
    partition, alpha = partition_of(documents, N_WORDS), np.full(n_topics, 0.2)
    fast, plain = (
        Sampler.of(partition, n_topics, alpha, 0.05, path=each, n_shards=n_shards) for each in (path, "plain")
    )
    for _ in range(5):
        fast.sweep()
        plain.sweep()
        assert_array_equal(clique_topics(fast), clique_topics(plain))
        assert_array_equal(fast.word_topic(), plain.word_topic())
