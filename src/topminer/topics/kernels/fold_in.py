"""Gibbs sampling with the topics' words fixed: the kernels of fold_in.py.

With up to `MOST_DENSE` topics the weights of all topics are added up for each clique. With more they fall
into two parts, as in packed.py: the part of topics that the document does not have never changes, so its sum
is made once for each clique; the other part is zero but for the document's own topics, which stand on a list.
Phrases of many words take another way, in float64, as in long.py.
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
    every,
    first,
    floats,
    gather,
    lane,
    last,
    load,
    load_counts,
    only,
    prefix_sum,
    store,
)
from topminer.topics.kernels.draw import fall, uniform
from topminer.topics.sampler.latin_square import MOST_FEW, MOST_WORDS

MOST_DENSE = 384  # topics: about where both ways are as fast
LEAST = 1e-30  # a sum of weights below it may have lost digits: the clique is sampled in float64
FAR = 1e100
UNKNOWN, NOT_YET = -1, -2  # in place of a topic


class Documents(NamedTuple):
    """A block of documents, as the kernels see it. Topics and words as in fold_in.py."""

    stems: NDArray[np.int32]  # of all tokens
    clique_start: NDArray[np.int64]  # first token of each clique
    begin: NDArray[np.int64]  # first clique of each document,
    end: NDArray[np.int64]  # and the one after its last
    rows: NDArray[np.int64]  # of each token from `offset` on, the row of its word; -1: never seen
    offset: int
    share: NDArray[np.float32]  # phi by row and topic, flat, rows padded
    alpha: NDArray[np.float32]
    n_topics: int
    most: float  # divided by the largest factor of a document, what a share may be taken by
    n_sweeps: int
    burn_in: int
    key: np.uint64
    doc_topic: NDArray[np.float64]  # what is asked for, by document and topic,
    clique_topic: NDArray[np.int32]  # and by clique


class Room(NamedTuple):
    """Where a kernel keeps what it works on: one document at a time."""

    counts: NDArray[np.int32]  # tokens of each topic
    held: NDArray[np.float32]  # alpha more than that
    sums: NDArray[np.float32]  # of weights, up to each vector
    vector_of: NDArray[np.int32]  # for each lane, the vector into which a draw would fall
    at: NDArray[np.int64]  # where in `share` the words of a clique are
    weights: NDArray[np.float64]  # where float32 will not do
    # Many topics only: for each clique, the sum of weights of a document without any topics; the topics
    # of the document and the tokens of each; the place of each topic on that list, or -1.
    absent: NDArray[np.float32]
    on_list: NDArray[np.int32]
    tokens: NDArray[np.int32]
    place_of: NDArray[np.int32]


def sample_documents(documents: Documents) -> None:
    """Sample a block of documents; fills in their rows of ``doc_topic`` and their cliques' topics."""
    n, n_topics = documents.alpha.size, documents.n_topics
    listed = n_topics > MOST_DENSE
    longest = int((documents.end - documents.begin).max(initial=0)) if listed else 0
    room = Room(
        aligned(n, np.int32),
        aligned(n, np.float32),
        aligned(n, np.float32),
        aligned(2 * WIDTH, np.int32),
        np.zeros(MOST_WORDS, np.int64),
        np.zeros(n_topics),
        np.zeros(longest, np.float32),
        aligned(n, np.int32),
        aligned(n, np.int32),
        np.full(n, -1, np.int32),
    )
    if listed:
        _sample_listed(documents, room)
    elif n == MOST_FEW:
        _sample_few(documents, room)
    else:
        _sample_dense(documents, room)


@inlined
def _open(documents: Documents, d: Int) -> np.uint64:
    """Mark a document's cliques as not yet sampled, or unknown; the key of its random numbers."""
    stems, clique_start, clique_topic = documents.stems, documents.clique_start, documents.clique_topic
    rows, offset, key = documents.rows, documents.offset, documents.key
    for c in range(documents.begin[d], documents.end[d]):
        clique_topic[c] = NOT_YET
        for i in range(clique_start[c], clique_start[c + 1]):
            if rows[i - offset] < 0:
                clique_topic[c] = UNKNOWN
        if clique_topic[c] == NOT_YET:
            for i in range(clique_start[c], clique_start[c + 1]):
                key = (key ^ np.uint64(stems[i])) * np.uint64(0xBF58476D1CE4E5B9)
                key = key ^ (key >> np.uint64(32))
            key = (key + np.uint64(1)) * np.uint64(0x94D049BB133111EB)  # a clique's end
            key = key ^ (key >> np.uint64(29))
    for k in range(documents.n_topics):
        documents.doc_topic[d, k] = 0
    return key


@inlined
def _close(documents: Documents, d: Int) -> None:
    """Turn the tokens of each topic, over all samples, into the document's topics."""
    alpha, doc_topic, n_topics = documents.alpha, documents.doc_topic, documents.n_topics
    n_samples, total = documents.n_sweeps - documents.burn_in, 0.0
    for k in range(n_topics):
        doc_topic[d, k] += n_samples * np.float64(alpha[k])
        total += doc_topic[d, k]
    for k in range(n_topics):
        doc_topic[d, k] /= total


@inlined
def _scale(documents: Documents, d: Int) -> Floats:
    """By what every share of a phrase but the first is taken: no sum of weights leaves float32's range."""
    clique_start = documents.clique_start
    n_tokens = clique_start[documents.end[d]] - clique_start[documents.begin[d]]
    return every(np.float32(documents.most / (n_tokens + MOST_WORDS)))


@inlined
def _add_up(
    held: NDArray[np.float32],
    share: NDArray[np.float32],
    at: NDArray[np.int64],
    n_words: Int,
    n: Int,
    scale: Floats,
    sums: NDArray[np.float32],
) -> Floats:
    """The weights of a clique in a document that has ``held`` tokens, alpha included: sums over vectors."""
    added = every(np.float32(0))
    at_0 = at[0]
    for v in range(0, n, WIDTH):
        document = load(held, v)
        weights = document * load(share, at_0 + v)
        for j in range(1, n_words):
            weights = weights * (document + every(np.float32(j))) * (load(share, at[j] + v) * scale)
        added = added + weights
        store(sums, v, added)
    return added


@inlined
def _add_up_list(
    room: Room,
    size: Int,
    alpha: NDArray[np.float32],
    share: NDArray[np.float32],
    n_words: Int,
    scale: Floats,
) -> Floats:
    """What the document's tokens add to the weights of the ``size`` topics it has: sums over vectors."""
    on_list, tokens, at, sums = room.on_list, room.tokens, room.at, room.sums
    added = every(np.float32(0))
    for e in range(0, size, WIDTH):
        listed = load_counts(on_list, e)
        weights = load(tokens, e)
        if n_words > 1:
            without = gather(alpha, 0, listed)
            document = without + weights
            weights, factor = document, without
            for j in range(1, n_words):
                weights = weights * (document + every(np.float32(j)))
                factor = factor * (without + every(np.float32(j)))
            weights = weights - factor
        weights = weights * gather(share, at[0], listed)
        for j in range(1, n_words):
            weights = weights * (gather(share, at[j], listed) * scale)
        added = added + weights
        store(sums, e, added)
    return added


@inlined
def _fall_plain(documents: Documents, room: Room, token: Int, n_words: Int, u: np.float32) -> np.int64:
    """The topic into which a draw falls, for a phrase of any length from ``token`` on."""
    alpha, share, n_topics = documents.alpha, documents.share, documents.n_topics
    counts, weights = room.counts, room.weights
    for k in range(n_topics):
        weights[k] = 1.0
    total = 0.0
    for j in range(n_words):
        at = documents.rows[token - documents.offset + j] * alpha.size
        largest, total = 0.0, 0.0
        for k in range(n_topics):
            weights[k] *= (np.float64(alpha[k]) + counts[k] + j) * np.float64(share[at + k])
            largest = max(largest, weights[k])
            total += weights[k]
        if j < n_words - 1 and (largest < 1 / FAR or largest > FAR):
            factor = FAR if largest < 1 else 1 / FAR
            for k in range(n_topics):
                weights[k] *= factor
    drawn = total * np.float64(u)
    topic = np.int64(0)
    while topic < n_topics - 1 and drawn >= weights[topic]:
        drawn -= weights[topic]
        topic += np.int64(1)
    return topic


@inlined
def _count(room: Room, alpha: NDArray[np.float32], topic: np.int64, by: Int) -> None:
    """Give the document ``by`` more tokens of a topic."""
    here = topic - topic % WIDTH
    counts = load_counts(room.counts, here) + only(lane(topic - here), by)
    store(room.counts, here, counts)
    store(room.held, here, load(alpha, here) + floats(counts))


@inlined
def _sample_rows(documents: Documents, room: Room, n: Int) -> None:
    """All topics at once; ``n``, the topics with padding, may be known when this is compiled."""
    alpha, n_topics, share, rows = documents.alpha, documents.n_topics, documents.share, documents.rows
    clique_start, clique_topic, doc_topic = (
        documents.clique_start,
        documents.clique_topic,
        documents.doc_topic,
    )
    offset, burn_in, held, sums, at = documents.offset, documents.burn_in, room.held, room.sums, room.at
    for d in range(doc_topic.shape[0]):
        begin, end = documents.begin[d], documents.end[d]
        key, scale = _open(documents, d), _scale(documents, d)
        for v in range(0, n, WIDTH):
            store(room.counts, v, only(lane(WIDTH), 1))
            store(held, v, load(alpha, v))
        i = 0
        for sweep in range(documents.n_sweeps):
            for c in range(begin, end):
                old, token = np.int64(clique_topic[c]), clique_start[c]
                if old == UNKNOWN:
                    continue
                n_words = clique_start[c + 1] - token
                if old >= 0:
                    _count(room, alpha, old, -n_words)
                i += 1
                u = uniform(key, i)
                total, new = np.float32(0), np.int64(0)
                at[0] = rows[token - offset] * n
                if n_words <= MOST_WORDS:
                    if n_words == 1:
                        added = _add_up(held, share, at, 1, n, scale, sums)
                    else:
                        for j in range(1, n_words):
                            at[j] = rows[token - offset + j] * n
                        added = _add_up(held, share, at, n_words, n, scale, sums)
                    below = prefix_sum(added)
                    total = first(last(below))
                    new = min(
                        fall(room.sums, n, below, every(u) * last(below), room.vector_of),
                        np.int64(n_topics - 1),
                    )
                if total < LEAST:
                    new = _fall_plain(documents, room, token, n_words, u)
                clique_topic[c] = new
                _count(room, alpha, new, n_words)
                if sweep >= burn_in:
                    doc_topic[d, new] += n_words
        _close(documents, d)


@bare_kernel
def _sample_few(documents: Documents, room: Room) -> None:
    """Up to sixteen topics: two vectors."""
    _sample_rows(documents, room, MOST_FEW)


@bare_kernel
def _sample_dense(documents: Documents, room: Room) -> None:
    """More than that."""
    _sample_rows(documents, room, documents.alpha.size)


@inlined
def _count_on_list(room: Room, topic: np.int64, by: Int) -> None:
    """Give the document ``by`` more tokens of a topic that is on its list."""
    room.counts[topic] += by
    place = np.int64(room.place_of[topic])
    here = place - place % WIDTH
    store(room.tokens, here, load_counts(room.tokens, here) + only(lane(place - here), by))


@inlined
def _strike(room: Room, size: Int, topic: np.int64) -> None:
    """Take a topic off a list of ``size`` topics: the last one takes its place."""
    on_list, tokens, place_of = room.on_list, room.tokens, room.place_of
    place, final = np.int64(place_of[topic]), size - 1
    on_list[place], tokens[place] = on_list[final], tokens[final]
    place_of[on_list[place]] = place
    place_of[topic] = -1
    on_list[final], tokens[final] = 0, 0


@bare_kernel
def _sample_listed(documents: Documents, room: Room) -> None:
    """Many topics."""
    alpha, n_topics, share, rows = documents.alpha, documents.n_topics, documents.share, documents.rows
    clique_start, clique_topic, doc_topic = (
        documents.clique_start,
        documents.clique_topic,
        documents.doc_topic,
    )
    offset, burn_in, n, absent = documents.offset, documents.burn_in, alpha.size, room.absent
    counts, at, sums, on_list, place_of = room.counts, room.at, room.sums, room.on_list, room.place_of
    for d in range(doc_topic.shape[0]):
        begin, end = documents.begin[d], documents.end[d]
        key, scale = _open(documents, d), _scale(documents, d)
        i, size = 0, 0
        for sweep in range(documents.n_sweeps):
            for c in range(begin, end):
                old, token = np.int64(clique_topic[c]), clique_start[c]
                if old == UNKNOWN:
                    continue
                n_words = clique_start[c + 1] - token
                if old >= 0:
                    _count_on_list(room, old, -n_words)
                i += 1
                u = uniform(key, i)
                total, new = np.float32(0), np.int64(0)
                if n_words <= MOST_WORDS:
                    for j in range(n_words):
                        at[j] = rows[token - offset + j] * n
                    if old < 0:
                        added = _add_up(alpha, share, at, n_words, n, scale, sums)
                        absent[c - begin] = first(last(prefix_sum(added)))
                    if n_words == 1:
                        added = _add_up_list(room, size, alpha, share, 1, scale)
                    else:
                        added = _add_up_list(room, size, alpha, share, n_words, scale)
                    below = prefix_sum(added)
                    listed = first(last(below))
                    total = listed + absent[c - begin]
                    drawn = u * total
                    if drawn < listed:
                        entry = fall(room.sums, size, below, every(drawn), room.vector_of)
                        new = np.int64(on_list[min(entry, np.int64(max(size - 1, 0)))])
                    else:
                        below = prefix_sum(_add_up(alpha, share, at, n_words, n, scale, sums))
                        new = min(
                            fall(room.sums, n, below, every(drawn - listed), room.vector_of),
                            np.int64(n_topics - 1),
                        )
                if total < LEAST:
                    new = _fall_plain(documents, room, token, n_words, u)
                clique_topic[c] = new
                if old >= 0 and old != new and counts[old] == 0:
                    _strike(room, size, old)
                    size -= 1
                if place_of[new] < 0:
                    place_of[new], on_list[size] = size, new
                    size += 1
                _count_on_list(room, new, n_words)
                if sweep >= burn_in:
                    doc_topic[d, new] += n_words
        while size > 0:
            counts[on_list[size - 1]] = 0
            _strike(room, size, np.int64(on_list[size - 1]))
            size -= 1
        _close(documents, d)
