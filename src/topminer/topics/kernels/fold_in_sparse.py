"""New documents with more than `MAX_DENSE` topics: the weight of a topic is split in two, as in sparse.py.

The weight A_k Π_j φ_kw is a0_k Π_j φ_kw plus the rest (see the notation in __init__.py). The rest is zero
unless the topic occurs in the document, so it is computed for the topics on the document's list. The first
part does not depend on the document. For words, its running sums over all topics are computed once for each
row of φ, and a draw from them looks at one vector of each tile and then at the vectors of one tile. For
phrases, the total is computed once for each clique, and the running sums for each draw that needs them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import (
    WIDTH,
    Floats,
    aligned,
    at_most,
    before,
    every,
    first,
    first_above,
    gather,
    lane,
    last,
    load,
    load_counts,
    number_of,
    only,
    prefix_sum,
    store,
)
from topminer.topics.kernels.block import MAX_WORDS, ONE, TILE, list_factors
from topminer.topics.kernels.draw import draw_by_lanes, uniform
from topminer.topics.kernels.new_documents import (
    INDEX,
    LEAST,
    Cliques,
    NewDocuments,
    draw_plain,
    finish_documents,
    list_cliques,
    rows_of,
    scale_of,
    sum_topics,
)

ZERO = np.int64(0)


class Scratch(NamedTuple):
    """Arrays that the kernel overwrites for each document or each clique."""

    n_dk: NDArray[np.int32]
    topics: NDArray[np.int32]  # the list of the document's topics
    tokens: NDArray[np.int32]  # and the tokens of each
    entry_of: NDArray[np.int32]  # entry of each topic on the list; -1: none
    vector_of: NDArray[np.int32]  # for each lane, the vector that a draw falls into
    sums: NDArray[np.float32]  # running sums of weights, lane by lane
    smooth: NDArray[np.float32]  # of each clique, the sum of weights in a document without topics
    p_k: NDArray[np.float64]
    smooth_sums: NDArray[np.float32]  # by row of `phi`: running sums of weights in a document without topics


def make_scratch(documents: NewDocuments) -> Scratch:
    """Scratch for documents without topics."""
    n, most = documents.alpha.size, int(documents.end[-1] - documents.begin[0])
    rows = aligned(6 * n, np.int32).reshape(6, n)  # one array, since many small ones take time
    n_dk, topics, tokens, entry_of, vector_of, sums = rows
    entry_of[:] = -1
    return Scratch(
        n_dk, topics, tokens, entry_of, vector_of, sums.view(np.float32), np.empty(most, np.float32),
        np.zeros(documents.n_topics), aligned(documents.phi.size, np.float32),
    )  # fmt: skip


@bare_kernel
def sample_sparse(documents: NewDocuments, cliques: Cliques, scratch: Scratch) -> None:
    """Sample one document after another."""
    list_cliques(documents, cliques)
    alpha, n_topics, phi, n = documents.alpha, documents.n_topics, documents.phi, documents.alpha.size
    sums, topics, entry_of, vector_of = scratch.sums, scratch.topics, scratch.entry_of, scratch.vector_of
    _sum_rows(documents, scratch)
    for d in range(documents.begin.size):
        key, scale = cliques.key[d], scale_of(documents, d)
        i, size = 0, 0
        for sweep in range(documents.n_sweeps):
            for at in range(cliques.start[d], cliques.start[d + 1]):
                old, n_words = np.int64(cliques.topic[INDEX(at)]), np.int64(cliques.n_words[INDEX(at)])
                if old >= 0:
                    _count_on_list(scratch, old, -n_words)
                i += 1
                u = uniform(key, i)
                total, new = np.float32(0), np.int64(0)
                if n_words <= MAX_WORDS:
                    rows = rows_of(documents, cliques, at, n_words)
                    if old < 0:
                        if n_words == 1:
                            added = load(scratch.smooth_sums, rows[0] + n - WIDTH)
                        else:
                            added = sum_topics(alpha, ZERO, phi, rows, n_words, n, scale, sums, ZERO)
                        scratch.smooth[INDEX(at)] = first(last(prefix_sum(added)))
                    below = prefix_sum(_sum_list(scratch, size, alpha, phi, rows, n_words, scale))
                    on_list = first(last(below))
                    total = on_list + scratch.smooth[INDEX(at)]
                    drawn = u * total
                    if drawn < on_list:
                        entry = draw_by_lanes(sums, size, below, every(drawn), vector_of)
                        entry = entry if entry < size else np.int64(size - 1)
                        new = np.int64(topics[INDEX(entry if entry > 0 else 0)])
                    elif n_words == 1:
                        new = _draw_smooth(documents, scratch, rows[0], drawn - on_list)
                    else:
                        added = sum_topics(alpha, ZERO, phi, rows, n_words, n, scale, sums, ZERO)
                        below = prefix_sum(added)
                        found = draw_by_lanes(sums, n, below, every(drawn - on_list), vector_of)
                        new = found if found < n_topics else np.int64(n_topics - 1)
                if total < LEAST:
                    new = draw_plain(documents, cliques, at, scratch.n_dk, ZERO, scratch.p_k, u)
                cliques.topic[INDEX(at)] = new
                if old >= 0 and old != new and scratch.n_dk[INDEX(old)] == 0:
                    _remove_from_list(scratch, size, old)
                    size -= 1
                if entry_of[INDEX(new)] < 0:
                    entry_of[INDEX(new)], topics[INDEX(size)] = size, new
                    size += 1
                _count_on_list(scratch, new, n_words)
                if sweep >= documents.burn_in:
                    documents.doc_topic[d, new] += n_words
        while size > 0:
            scratch.n_dk[topics[size - 1]] = 0
            _remove_from_list(scratch, size, np.int64(topics[size - 1]))
            size -= 1
    finish_documents(documents, cliques)


@inlined
def _sum_rows(documents: NewDocuments, scratch: Scratch) -> None:
    """Sum the weights α_k φ_kw of all topics for each row of ``phi``."""
    alpha, phi, n, sums = documents.alpha, documents.phi, documents.alpha.size, scratch.smooth_sums
    for row in range(0, phi.size, n):
        added = every(np.float32(0))
        for v in range(0, n, WIDTH):
            added = added + load(alpha, v) * load(phi, row + v)
            store(sums, row + v, added)


@inlined
def _draw_smooth(documents: NewDocuments, scratch: Scratch, row: Int, drawn: np.float32) -> np.int64:
    """Draw a topic of a word from the weights α_k φ_kw: find the lane, the tile, and then the vector.

    The sums of a lane never fall from one vector to the next, so the last vector of a tile tells whether the
    draw falls behind the tile.
    """
    sums, vector_of, n = scratch.smooth_sums, scratch.vector_of, documents.alpha.size
    below = prefix_sum(load(sums, row + n - WIDTH))
    left = every(drawn) - before(below)
    in_lane = number_of(first_above(below, every(drawn)))
    in_lane = in_lane if in_lane < WIDTH else WIDTH - 1
    tiles = only(lane(WIDTH), 1)
    for v in range(TILE - WIDTH, n - WIDTH, TILE):
        tiles = tiles + only(at_most(load(sums, row + v), left), TILE)
    store(vector_of, 0, tiles)
    start = np.int64(vector_of[INDEX(in_lane)])
    end = start + TILE if start + TILE < n - WIDTH else n - WIDTH
    vectors = only(lane(WIDTH), 1)
    for v in range(start, end, WIDTH):
        vectors = vectors + only(at_most(load(sums, row + v), left), WIDTH)
    store(vector_of, 0, vectors)
    found = start + np.int64(vector_of[INDEX(in_lane)]) + np.int64(in_lane)
    return found if found < documents.n_topics else np.int64(documents.n_topics - 1)


@inlined
def _count_on_list(scratch: Scratch, topic: np.int64, by: Int) -> None:
    """Add ``by`` tokens of a topic that is on the document's list."""
    scratch.n_dk[INDEX(topic)] += by
    entry = np.int64(scratch.entry_of[INDEX(topic)])
    here = entry - entry % WIDTH
    store(scratch.tokens, here, load_counts(scratch.tokens, here) + only(lane(entry - here), by))


@inlined
def _remove_from_list(scratch: Scratch, size: Int, topic: np.int64) -> None:
    """Remove a topic from a list of ``size`` topics; the last entry takes its place."""
    topics, tokens, entry_of = scratch.topics, scratch.tokens, scratch.entry_of
    entry, final = np.int64(entry_of[topic]), size - 1
    topics[entry], tokens[entry] = topics[final], tokens[final]
    entry_of[topics[entry]] = entry
    entry_of[topic] = -1
    topics[final], tokens[final] = 0, 0


@inlined
def _sum_list(
    scratch: Scratch,
    size: Int,
    alpha: NDArray[np.float32],
    phi: NDArray[np.float32],
    rows: tuple[Int, Int, Int, Int],
    n_words: Int,
    scale: np.float32,
) -> Floats:
    """Sum what the document's tokens add to the weights of the ``size`` topics on its list."""
    sums, added, by = scratch.sums, every(np.float32(0)), every(scale)
    for e in range(0, size, WIDTH):
        topics = load_counts(scratch.topics, e)
        tokens = load(scratch.tokens, e)
        if n_words == 1:
            weights = list_factors(alpha, topics, tokens, ONE) * gather(phi, rows[0], topics)
        else:
            weights = list_factors(alpha, topics, tokens, n_words) * gather(phi, rows[0], topics)
            weights = weights * (gather(phi, rows[1], topics) * by)
            if n_words > 2:
                weights = weights * (gather(phi, rows[2], topics) * by)
            if n_words > 3:
                weights = weights * (gather(phi, rows[3], topics) * by)
        added = added + weights
        store(sums, e, added)
    return added
