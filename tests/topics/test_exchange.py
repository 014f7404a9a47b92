"""What processes send each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from chains import partition_of, random_documents
from local_workers import local_engine

from topminer.phrases.pieces import NONE, pieces_of
from topminer.topics.sampler.exchange import Changes, add, narrowed, own
from topminer.topics.sampler.latin_square import Documents, documents_of, shard_bounds
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.worker import ShardWorker

N_WORDS, N_TOPICS, N_SHARDS = 40, 6, 5


def changes(cells: list[int], by: list[int]) -> Changes:
    return Changes(np.zeros(2, np.int64), np.array(cells, np.int64), np.array(by, np.int32))


@pytest.mark.small
@pytest.mark.parametrize(
    ("cells", "by", "kinds"),
    [
        ([], [], "u4 i2"),
        ([0, 2**32 - 1], [32767, -32767], "u4 i2"),
        ([0, 2**32], [1, -1], "i8 i2"),
        ([0, 1], [1, 32768], "u4 i4"),
        ([0, 1], [1, -32768], "u4 i4"),
    ],
)
def test_small_numbers_travel_in_few_bytes_and_none_is_lost(
    cells: list[int], by: list[int], kinds: str
) -> None:
    sent = narrowed(changes(cells, by))
    assert f"{sent.cells.dtype.str[1:]} {sent.by.dtype.str[1:]}" == kinds
    assert sent.cells.tolist() == cells and sent.by.tolist() == by


@pytest.mark.small
@pytest.mark.parametrize("largest", [1, 40_000])
def test_changes_are_added_as_if_they_had_not_travelled(largest: int) -> None:
    rng = np.random.default_rng(3)
    cells, by = rng.integers(0, 50, 200), rng.integers(-largest, largest + 1, 200)
    expected = np.zeros(50, np.int64)
    np.add.at(expected, cells, by)
    table = np.zeros(50, np.int32)
    sent = narrowed(changes(cells.tolist(), by.tolist()))
    for array in sent:
        array.flags.writeable = False
    add(table, sent)
    assert table.tolist() == expected.tolist()


@pytest.mark.small
def test_what_came_from_elsewhere_becomes_ones_own() -> None:
    foreign = changes([1], [2])
    foreign.by.flags.writeable = False
    mine = own(foreign)
    assert mine.cells is foreign.cells  # may be changed already
    assert mine.by is not foreign.by and mine.by.flags.writeable and mine.by.tolist() == [2]
    assert own("text") == "text" and own(None) is None


def on_workers(local: Sampler, documents: list[Documents], n_workers: int) -> Sampler:
    """The same chain with its shards dealt out to workers."""
    bounds = [N_SHARDS * worker // n_workers for worker in range(n_workers + 1)]
    first_doc = np.cumsum([0, *(each.first_piece.size - 1 for each in documents)]).tolist()
    arguments = [
        (local.layout, first, first_doc[first], 1, *documents[first:last]) for first, last in pairwise(bounds)
    ]
    workers = local_engine(1, n_workers).place(ShardWorker, arguments)
    return Sampler(workers, local.layout, list(pairwise(bounds)), local.alpha, local.beta)


@pytest.mark.parametrize("n_workers", [1, 2, 3, 5])
def test_every_worker_passes_on_every_group_once_a_sweep(n_workers: int) -> None:
    partition = partition_of(random_documents(5, 60, N_WORDS), N_WORDS)
    local = Sampler.of(partition, N_TOPICS, np.full(N_TOPICS, 0.5), 0.01, n_shards=N_SHARDS, seed=1)
    bounds = pairwise(shard_bounds(partition, N_SHARDS).tolist())
    pieces = pieces_of(partition, NONE)
    documents = [documents_of(pieces, first, last) for first, last in bounds]
    sampler = on_workers(local, documents, n_workers)

    groups = sum(group.n_wk_own.nbytes + group.z_rare.nbytes for group in local.here.words.groups)
    for n_sweeps in (1, 2):
        local.sweep()
        before = sampler.bytes_moved
        sampler.sweep()
        assert sampler.n_k.tolist() == local.n_k.tolist()
        moved = sampler.bytes_moved - before
        assert sampler.n_sampled == n_sweeps
        if n_workers == 1:
            assert moved == 0
        else:
            of_changes = moved - n_workers * groups
            tokens = N_SHARDS**2 * local.n_k.nbytes  # of every block, beside the cells it changed
            assert of_changes >= (n_workers - 1) * tokens
            assert of_changes % (n_workers - 1) == 0
            assert (of_changes // (n_workers - 1) - tokens) % (4 + 2) == 0  # a cell and its change
