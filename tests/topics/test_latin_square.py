"""The Latin square: which shard samples which group when, and that nothing is left out."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from chains import documents_and_words, partition_of, random_documents
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config
from oracles.topics import Document

from topminer.topics.kernels.block import path_for, row_length
from topminer.topics.sampler.blocks import tasks
from topminer.topics.sampler.latin_square import (
    LONG,
    MAX_AUTO_SHARDS,
    N_KINDS,
    PHRASE,
    RARE,
    TOKENS_PER_SHARD,
    TWO_WORDS,
    WORD,
    arrange_cliques,
    arrange_types,
    cliques_of,
    n_shards_for,
    shard_bounds,
    type_table,
)
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.word_topic_counts import allocated, empty_counts

pytestmark = pytest.mark.small
EXAMPLES = 100 if not config.DISABLE_JIT else 10


# ---------------------------------------------------------------------------------- the numbers


def test_number_of_shards() -> None:
    sizes = 0, 99_999, 100_000, 799_999, 800_000, 5_000_000, 10_000_000, 10**12
    assert [n_shards_for(n, "dense") for n in sizes] == [1, 1, 2, 2, 4, 4, 8, 64]
    assert [n_shards_for(n, "registers") for n in sizes] == [1, 1, 2, 2, 4, 4, 8, 64]
    assert [n_shards_for(n, "sparse") for n in sizes] == [1, 1, 2, 2, 2, 2, 4, 64]


@given(st.integers(0, 10**10), st.sampled_from(["registers", "dense", "sparse"]))
def test_number_of_shards_is_a_power_of_two_that_never_falls(n_tokens: int, path: str) -> None:
    n_shards = n_shards_for(n_tokens, path)
    assert n_shards & (n_shards - 1) == 0 and 1 <= n_shards <= MAX_AUTO_SHARDS
    assert n_shards <= n_shards_for(n_tokens + 1, path) <= n_shards_for(2 * n_tokens + 1, path)
    if 4 < n_shards < MAX_AUTO_SHARDS:
        tokens_per_shard = TOKENS_PER_SHARD * (2 if path == "sparse" else 1)
        assert 2**-0.5 <= n_tokens / n_shards / tokens_per_shard <= 2**0.5


@given(st.integers(0, 40), st.integers(1, 20), st.sampled_from(["registers", "dense", "sparse", "plain"]))
def test_tasks_have_every_block_once_and_use_all_threads(n_blocks: int, n_threads: int, path: str) -> None:
    found = tasks(n_blocks, n_threads, path)
    assert [i for task in found for i in task] == list(range(n_blocks))
    assert len(found) >= min(n_blocks, n_threads)
    if path in ("sparse", "plain"):
        assert all(len(task) == 1 for task in found)
    elif n_blocks >= 2 * n_threads:
        assert sum(len(task) == 2 for task in found) == n_blocks // 2


def test_paths_and_rows() -> None:
    assert [path_for(k) for k in (1, 16)] == ["registers"] * 2
    assert [path_for(k) for k in (17, 200, 201)] == ["dense", "dense", "sparse"]
    assert [row_length(k) for k in (1, 16, 17, 24, 25)] == [16, 16, 24, 24, 32]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_latin_square(n: int) -> None:
    """In each phase no group twice; in a sweep every shard has every group."""
    sampler = Sampler.of(partition_of(random_documents(0, 10, 8), 8), 2, np.ones(2), 0.1, n_shards=n)
    blocks: list[tuple[int, int]] = []
    for number, shard in enumerate(sampler.here.shards):
        prepare = shard.prepare
        shard.prepare = lambda group, *rest, number=number, prepare=prepare: (  # type: ignore[method-assign]
            blocks.append((number, group)) or prepare(group, *rest)
        )
    sampler.sweep()
    phases = [[group for _, group in sorted(blocks[i : i + n])] for i in range(0, n * n, n)]
    assert len(phases) == n
    assert all(sorted(groups) == list(range(n)) for groups in phases)
    assert all(sorted(groups) == list(range(n)) for groups in zip(*phases, strict=True))


def test_keys_of_all_blocks_differ() -> None:
    sampler = Sampler.of(partition_of([[(0,)]], 1), 2, np.ones(2), 0.1, seed=3)
    other = Sampler.of(partition_of([[(0,)]], 1), 2, np.ones(2), 0.1, seed=4)
    blocks = [(sweep, phase, shard) for sweep in range(5) for phase in range(4) for shard in range(4)]
    keys = [chain.layout.key(*block) for chain in (sampler, other) for block in blocks]
    assert len(set(keys)) == len(keys)
    assert keys[: len(blocks)] == [sampler.layout.key(*block) for block in blocks]


# --------------------------------------------------------------------------------- the documents


@given(documents_and_words(), st.integers(1, 6))
def test_shards_are_neighbours_of_like_size(corpus: tuple[list[Document], int], n_shards: int) -> None:
    documents, n_words = corpus
    bounds = shard_bounds(partition_of(documents, n_words), n_shards).tolist()
    assert (bounds[0], bounds[-1], len(bounds)) == (0, len(documents), n_shards + 1)
    assert bounds == sorted(bounds)
    sizes = [sum(map(len, documents[a:b])) for a, b in pairwise(bounds)]
    longest = max(map(len, documents), default=0)
    assert max(sizes) <= sum(sizes) / n_shards + longest


# ------------------------------------------------------------------------------------- the types


@settings(max_examples=EXAMPLES)
@given(documents_and_words(), st.integers(1, 20), st.integers(1, 4))
def test_every_type_has_one_place(corpus: tuple[list[Document], int], n_topics: int, n_groups: int) -> None:
    documents, n_words = corpus
    partition = partition_of(documents, n_words)
    types, in_phrases = arrange_types(type_table(partition), n_topics, n_groups)
    instances = partition.instances()
    assert sorted(types.type_of.tolist()) == np.flatnonzero(instances).tolist()
    assert types.type_of[types.t_of[types.type_of]].tolist() == types.type_of.tolist()
    assert (types.t_of[instances == 0] == -1).all()
    phrases = {clique for document in documents for clique in document if len(clique) > 1}
    assert np.flatnonzero(in_phrases).tolist() == sorted({word for phrase in phrases for word in phrase})
    assert types.max_words == max(map(len, phrases), default=1)

    start = types.t_start.tolist()
    assert (start[0], start[-1], len(start)) == (0, types.type_of.size, n_groups * N_KINDS + 1)
    sizes, seen = [], set[int]()
    for group in range(n_groups):
        for kind in range(N_KINDS):
            at = types.type_of[start[group * N_KINDS + kind] : start[group * N_KINDS + kind + 1]].tolist()
            assert at == sorted(at)
            for type_id in at:
                n = types.word_start[type_id + 1] - types.word_start[type_id]
                frequent = (
                    in_phrases[type_id] or instances[type_id] >= row_length(n_topics) if n == 1 else None
                )
                expected = [WORD if frequent else RARE, TWO_WORDS, PHRASE, PHRASE, LONG][min(n, 5) - 1]
                assert kind == expected
        sizes.append(instances[types.type_of[start[group * N_KINDS] : start[(group + 1) * N_KINDS]]].sum())
        heads = {
            types.words[types.word_start[t]]
            for t in types.type_of[start[group * N_KINDS] : start[(group + 1) * N_KINDS]]
        }
        assert heads.isdisjoint(seen)
        seen |= heads
    by_first_word = np.bincount(types.words[types.word_start[:-1]], instances)
    assert max(sizes) - min(sizes) <= by_first_word.max(initial=0)


@given(documents_and_words(), st.integers(1, 20), st.integers(1, 4))
@settings(max_examples=EXAMPLES)
def test_every_word_is_counted_in_one_place(
    corpus: tuple[list[Document], int], n_topics: int, n_groups: int
) -> None:
    """Every word has a row, except rare words, which have a slot for each token."""
    partition = partition_of(*corpus)
    types, in_phrases = arrange_types(type_table(partition), n_topics, n_groups)
    instances = partition.instances()
    counts = empty_counts(types, in_phrases, instances[types.type_of], n_topics)
    groups = [allocated(group, n_topics) for group in counts.groups]
    rows = counts.row_of[counts.row_of >= 0]
    assert sorted(rows.tolist()) == list(range(rows.size))
    n_rows = (counts.n_wk_shared.size + sum(group.n_wk_own.size for group in groups)) // row_length(n_topics)
    assert n_rows == rows.size
    assert (counts.row_of[in_phrases == 1] * row_length(n_topics) < counts.n_wk_shared.size).all()
    for number, group in enumerate(groups):
        start = types.t_start[number * N_KINDS + RARE : number * N_KINDS + RARE + 2]
        rare = types.type_of[slice(*start)]
        assert np.diff(group.z_rare_start).tolist() == instances[rare].tolist()
        assert (counts.row_of[rare] == -1).all() and group.first_rare_t == start[0]
        assert group.z_rare.size == instances[rare].sum() and (instances[rare] < row_length(n_topics)).all()


# ----------------------------------------------------------------------------------- the cliques


@settings(max_examples=EXAMPLES)
@given(documents_and_words(), st.integers(1, 4), st.randoms())
def test_every_clique_has_one_slot(corpus: tuple[list[Document], int], n_shards: int, random: Random) -> None:
    """Words never seen have none. Of a type, each document's first clique comes before all others."""
    documents, n_words = corpus
    documents = [
        [(-1,) if len(clique) == 1 and random.random() < 0.2 else clique for clique in document]
        for document in documents
    ]
    partition = partition_of(documents, n_words)
    types, _ = arrange_types(type_table(partition), 3, n_shards)
    bounds = shard_bounds(partition, n_shards).tolist()
    for first, last in pairwise(bounds):
        clique_start, d_of, slot_of = arrange_cliques(types, *cliques_of(partition, first, last))
        cliques = [(d - first, clique) for d in range(first, last) for clique in documents[d]]
        assert sorted(slot_of[slot_of >= 0].tolist()) == list(range(d_of.size))
        assert ((slot_of < 0) == [clique == (-1,) for _, clique in cliques]).all()
        assert (clique_start[0], clique_start[-1]) == (0, d_of.size)
        for slot, (d, clique) in zip(slot_of.tolist(), cliques, strict=True):
            if slot < 0:
                continue
            type_id = types.type_of[np.searchsorted(clique_start, slot, side="right") - 1]
            words = types.words[types.word_start[type_id] : types.word_start[type_id + 1]]
            assert (d_of[slot], tuple(words.tolist())) == (d, clique)
        for start, stop in pairwise(clique_start.tolist()):
            row = d_of[start:stop].tolist()
            distinct = sorted(set(row))
            assert row[: len(distinct)] == distinct


def test_nothing_depends_on_path_or_threads() -> None:
    """The same partition, the same square, byte by byte; it does not know the path or the threads."""
    documents = random_documents(1, 60, 40)
    made = [
        Sampler.of(
            partition_of(documents, 40), 9, np.ones(9), 0.1, n_shards=3, n_threads=n, path=path, seed=n
        )
        for n, path in ((1, "registers"), (2, "sparse"))
    ]
    for one, other in zip(*[chain.here.shards for chain in made], strict=True):
        assert all(a.tobytes() == b.tobytes() for a, b in zip(one.cliques, other.cliques, strict=True))
    for a, b in zip(*[chain.layout.types[:-1] for chain in made], strict=True):
        assert a.tobytes() == b.tobytes()
    made[1].close()
