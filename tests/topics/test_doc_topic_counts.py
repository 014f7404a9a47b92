"""Topics of documents, in rows and in lists: both hold what a Counter would."""

from collections import Counter

import numpy as np
import pytest
from chains import documents_and_words, partition_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config
from numpy.typing import NDArray
from oracles.topics import Document

from topminer.jit import kernel
from topminer.jit.lanes import WIDTH
from topminer.topics.kernels.topic_lists import LIST_BLOCK, find, move, put
from topminer.topics.sampler.doc_topic_counts import empty_counts, entries, recount
from topminer.topics.sampler.latin_square import (
    arrange_cliques,
    arrange_types,
    cliques_of,
    row_length,
    type_table,
)

pytestmark = pytest.mark.small
BEHIND = 7  # numbers before and behind a list, which must not change


@kernel
def put_one(n_dk: NDArray[np.uint16], start: int, size: int, topic: int, tokens: int) -> int:
    return put(n_dk, start, size, topic, find(n_dk, start, size, topic), tokens)


@kernel
def move_one(n_dk: NDArray[np.uint16], start: int, size: int, old: int, new: int, tokens: int) -> int:
    old_at, new_at = find(n_dk, start, size, old), find(n_dk, start, size, new)
    return move(n_dk, start, size, old_at, new, new_at, tokens)


def listed(n_dk: NDArray[np.uint16], start: int, size: int) -> dict[int, int]:
    """A document's list, read entry by entry; no topic is on it twice."""
    found: dict[int, int] = {}
    for e in range(size):
        at = start + e // WIDTH * LIST_BLOCK + e % WIDTH
        assert int(n_dk[at]) not in found
        found[int(n_dk[at])] = int(n_dk[at + WIDTH])
    return found


@settings(max_examples=100 if not config.DISABLE_JIT else 10)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 5)), min_size=1, max_size=40), st.data())
def test_lists(cliques: list[tuple[int, int]], data: st.DataObject) -> None:
    """Cliques with topics and tokens, put on a list one by one; then their topics change."""
    start = LIST_BLOCK
    end = start + -(-len(cliques) // WIDTH) * LIST_BLOCK
    n_dk = np.zeros(end + LIST_BLOCK, np.uint16)
    n_dk[:start] = n_dk[end:] = BEHIND
    size, expected = 0, Counter[int]()
    for topic, tokens in cliques:
        size = put_one(n_dk, start, size, topic, tokens)
        expected[topic] += tokens
        assert listed(n_dk, start, size) == expected
    for _ in range(20):
        i, new = data.draw(st.integers(0, len(cliques) - 1)), data.draw(st.integers(0, 40))
        old, tokens = cliques[i]
        if new == old:
            continue
        cliques[i] = (new, tokens)
        size = move_one(n_dk, start, size, old, new, tokens)
        expected[old] -= tokens
        expected[new] += tokens
        assert listed(n_dk, start, size) == +expected
        used = {
            start + e // WIDTH * LIST_BLOCK + e % WIDTH + half for e in range(size) for half in (0, WIDTH)
        }
        assert not any(n_dk[at] for at in range(start, end) if at not in used)
    assert (n_dk[:start] == BEHIND).all() and (n_dk[end:] == BEHIND).all()


@settings(max_examples=50 if not config.DISABLE_JIT else 10)
@given(documents_and_words(), st.integers(1, 20), st.booleans(), st.data())
def test_recount(
    corpus: tuple[list[Document], int], n_topics: int, as_lists: bool, data: st.DataObject
) -> None:
    documents, n_words = corpus
    partition = partition_of(documents, n_words)
    types, _ = arrange_types(type_table(partition), n_topics, 1)
    cliques = arrange_cliques(types, *cliques_of(partition, 0, len(documents)))
    n, n_cliques = row_length(n_topics), partition.n_cliques
    counts = empty_counts(cliques, len(documents), n_topics, n, 99, as_lists)
    for _ in range(2):  # earlier counts are forgotten
        row = data.draw(st.lists(st.integers(0, n_topics - 1), min_size=n_cliques, max_size=n_cliques))
        topics = np.zeros(n_cliques, np.uint16)
        topics[cliques.slot_of] = row
        recount(counts, cliques, types, topics, n)
        expected, at = Counter[tuple[int, int]](), iter(row)
        for d, document in enumerate(documents):
            for clique in document:
                expected[d, next(at)] += len(clique)
        found = [tuple(entry) for entry in np.array(entries(counts, len(documents), n)).T.tolist()]
        assert {(d, k): tokens for d, k, tokens in found} == expected
        assert len(found) == len(expected)
        assert [d for d, _, _ in found] == sorted(d for d, _, _ in found)


@pytest.mark.parametrize(("longest", "dtype"), [(65_535, np.uint16), (65_536, np.int32)])
@pytest.mark.parametrize("as_lists", [False, True])
def test_counts_are_wide_enough(longest: int, dtype: type[np.integer], as_lists: bool) -> None:
    partition = partition_of([[(0,)]], 1)
    types, _ = arrange_types(type_table(partition), 1, 1)
    cliques = arrange_cliques(types, *cliques_of(partition, 0, 1))
    assert empty_counts(cliques, 1, 1, 16, longest, as_lists).n_dk.dtype == dtype
