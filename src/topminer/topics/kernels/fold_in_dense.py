"""New documents with up to `MAX_DENSE` topics: each clique weighs all topics, four documents at a time.

A clique can be drawn only when the clique before it in its document has its topic, so one document leaves a
core waiting most of the time. Documents do not depend on each other. So four of them are sampled side by
side, each in a stream of its own: all four sum up their weights, then all four draw, then all four count. A
stream whose document ends starts the next document. When no documents are left to start, the streams that
remain go on one after another. A document gets the same topics in any stream.

One stream alone (a single text) waits for two things that it need not wait for, and both are avoided. The
next clique is taken out of the counts before the topic of this one is drawn. And the processor may load
counts before it knows where the drawn topic will be counted; when it finds that the place is the same, it
starts again. So the addresses of these loads depend on the topic drawn before.
"""

from __future__ import annotations

import numpy as np

from topminer.jit import Int, bare_kernel, inlined, part
from topminer.jit.lanes import (
    WIDTH,
    Counts,
    Floats,
    at_most,
    before,
    every,
    first,
    first_above,
    lane,
    last,
    load,
    load_counts,
    number_of,
    only,
    prefix_sum,
    seldom,
    store,
)
from topminer.topics.kernels.block import MAX_WORDS
from topminer.topics.kernels.draw import uniform
from topminer.topics.kernels.new_documents import (
    INDEX,
    LEAST,
    Cliques,
    NewDocuments,
    draw_plain,
    finish_documents,
    list_cliques,
    rows_of,
    sum_topics,
)
from topminer.topics.kernels.streams import (
    N_STREAMS,
    ROW,
    Streams,
    count,
    end_sweep,
    following_clique,
    move,
    start_next,
)

ZERO, ONE, TWO, THREE = (np.int64(s) for s in range(N_STREAMS))


@bare_kernel
def sample_dense(documents: NewDocuments, cliques: Cliques, streams: Streams) -> None:
    """Sample all documents."""
    list_cliques(documents, cliques)
    size: Int = np.int64(0)
    while size < N_STREAMS and start_next(documents, cliques, streams, size):
        size += 1
    while size > 0:
        together = size == N_STREAMS
        if together:
            _sum_words(documents, cliques, streams)
            for s in range(N_STREAMS):
                if cliques.n_words[INDEX(streams.at[s])] != 1:
                    store(streams.below, s * WIDTH, _sum(documents, cliques, streams, s))
                _prepare(documents, cliques, streams, s)
            _draw_all(documents, streams)
        final = size - 1
        for number in range(size):  # from the last to the first: the last may take the place of another
            s = (final - number) % N_STREAMS  # LLVM sees that it is not negative
            topic = streams.topic[s]
            if not together:
                below = _sum(documents, cliques, streams, s)
                topic = _draw(documents, streams, s, below, _prepare(documents, cliques, streams, s))
            is_done = _count_drawn(documents, cliques, streams, s, topic) >= documents.n_sweeps
            if is_done and not start_next(documents, cliques, streams, s):
                size -= 1
                move(documents, streams, size, s)
    finish_documents(documents, cliques)


@inlined
def _sum(documents: NewDocuments, cliques: Cliques, streams: Streams, s: Int) -> Floats:
    """Sum the weights of all topics. Return the totals of the lanes, summed up from the first lane on."""
    at = streams.at[s]
    n_words, added = np.int64(cliques.n_words[INDEX(at)]), every(np.float32(0))
    if n_words <= MAX_WORDS:
        rows = rows_of(documents, cliques, at, n_words)
        start = s * ROW + (streams.topic[s] >> 63)  # plus 0: the loads wait for the topic, see above
        added = sum_topics(
            streams.alpha_n_dk, start, documents.phi, rows, n_words, documents.alpha.size, streams.scale[s],
            streams.sums, s * ROW,
        )  # fmt: skip
    return prefix_sum(added)


@inlined
def _sum_words(documents: NewDocuments, cliques: Cliques, streams: Streams) -> None:
    """Sum the weights of all topics, of all streams together, as if all cliques were words."""
    phi, alpha_n_dk, sums, below = documents.phi, streams.alpha_n_dk, streams.sums, streams.below
    row, at = cliques.row, streams.at
    row_0, row_1, row_2, row_3 = row[INDEX(at[0])], row[INDEX(at[1])], row[INDEX(at[2])], row[INDEX(at[3])]
    added_0 = every(np.float32(0))
    added_1, added_2, added_3 = added_0, added_0, added_0
    for v in range(0, documents.alpha.size, WIDTH):
        added_0 = added_0 + load(alpha_n_dk, v) * load(phi, row_0 + v)
        added_1 = added_1 + load(alpha_n_dk, v + ROW) * load(phi, row_1 + v)
        added_2 = added_2 + load(alpha_n_dk, v + 2 * ROW) * load(phi, row_2 + v)
        added_3 = added_3 + load(alpha_n_dk, v + 3 * ROW) * load(phi, row_3 + v)
        store(sums, v, added_0)
        store(sums, v + ROW, added_1)
        store(sums, v + 2 * ROW, added_2)
        store(sums, v + 3 * ROW, added_3)
    store(below, 0, prefix_sum(added_0))
    store(below, WIDTH, prefix_sum(added_1))
    store(below, 2 * WIDTH, prefix_sum(added_2))
    store(below, 3 * WIDTH, prefix_sum(added_3))


@inlined
def _prepare(documents: NewDocuments, cliques: Cliques, streams: Streams, s: Int) -> np.float32:
    """Take the next clique out of the counts. Return the random number of this one."""
    following = following_clique(streams, s)
    topic = np.int64(cliques.topic[INDEX(following)])
    if topic >= 0 and following != streams.at[s]:
        count(streams, documents.alpha, s, topic, -np.int64(cliques.n_words[INDEX(following)]))
    streams.n_drawn[s] += 1
    u = uniform(streams.key[s], streams.n_drawn[s])
    streams.u[s] = u
    return u


@inlined
def _draw(documents: NewDocuments, streams: Streams, s: Int, below: Floats, u: np.float32) -> np.int64:
    """Draw a topic (see draw.py)."""
    drawn = every(u) * last(below)
    left = drawn - before(below)
    vectors = only(lane(WIDTH), 1)
    for v in range(0, documents.alpha.size - WIDTH, WIDTH):
        vectors = vectors + only(at_most(load(streams.sums, v + s * ROW), left), WIDTH)
    return _topic_in(documents, streams, s, vectors, below, drawn)


@inlined
def _draw_all(documents: NewDocuments, streams: Streams) -> None:
    """Draw a topic in each stream, in all together."""
    sums, u, topic = streams.sums, streams.u, streams.topic
    below_0, below_1 = load(streams.below, 0), load(streams.below, WIDTH)
    below_2, below_3 = load(streams.below, 2 * WIDTH), load(streams.below, 3 * WIDTH)
    drawn_0, drawn_1 = every(u[0]) * last(below_0), every(u[1]) * last(below_1)
    drawn_2, drawn_3 = every(u[2]) * last(below_2), every(u[3]) * last(below_3)
    left_0, left_1 = drawn_0 - before(below_0), drawn_1 - before(below_1)
    left_2, left_3 = drawn_2 - before(below_2), drawn_3 - before(below_3)
    vectors_0 = only(lane(WIDTH), 1)
    vectors_1, vectors_2, vectors_3 = vectors_0, vectors_0, vectors_0
    for v in range(0, documents.alpha.size - WIDTH, WIDTH):
        vectors_0 = vectors_0 + only(at_most(load(sums, v), left_0), WIDTH)
        vectors_1 = vectors_1 + only(at_most(load(sums, v + ROW), left_1), WIDTH)
        vectors_2 = vectors_2 + only(at_most(load(sums, v + 2 * ROW), left_2), WIDTH)
        vectors_3 = vectors_3 + only(at_most(load(sums, v + 3 * ROW), left_3), WIDTH)
    topic[0] = _topic_in(documents, streams, ZERO, vectors_0, below_0, drawn_0)
    topic[1] = _topic_in(documents, streams, ONE, vectors_1, below_1, drawn_1)
    topic[2] = _topic_in(documents, streams, TWO, vectors_2, below_2, drawn_2)
    topic[3] = _topic_in(documents, streams, THREE, vectors_3, below_3, drawn_3)


@inlined
def _topic_in(
    documents: NewDocuments, streams: Streams, s: Int, vectors: Counts, below: Floats, drawn: Floats
) -> np.int64:
    """Return the topic in the lane that the draw falls into; -1 if the sum of weights is too small."""
    n_topics, vector_of = documents.n_topics, streams.vector_of
    store(vector_of, s * WIDTH, vectors)
    in_lane = number_of(first_above(below, drawn))
    in_lane = in_lane if in_lane < WIDTH else WIDTH - 1
    found = np.int64(vector_of[INDEX(s * WIDTH + in_lane)]) + np.int64(in_lane)
    topic = found if found < n_topics else np.int64(n_topics - 1)
    if seldom(bool(first(last(below)) < LEAST)):
        topic = np.int64(-1)
    return topic


@part
def _draw_plain(documents: NewDocuments, cliques: Cliques, streams: Streams, s: Int) -> np.int64:
    """Draw a topic in float64. The next clique, which is out of the counts, is in them meanwhile."""
    at, following = streams.at[s], following_clique(streams, s)
    topic, by = np.int64(cliques.topic[following]), cliques.n_words[following]
    is_out = topic >= 0 and following != at
    if is_out:
        streams.n_dk[s * ROW + topic] += by
    drawn = draw_plain(documents, cliques, at, streams.n_dk, s * ROW, streams.p_k, streams.u[s])
    if is_out:
        streams.n_dk[s * ROW + topic] -= by
    return drawn


@inlined
def _count_drawn(documents: NewDocuments, cliques: Cliques, streams: Streams, s: Int, topic: Int) -> np.int64:
    """Count the clique that was drawn and go on to the next. Return how many sweeps are done."""
    if seldom(bool(topic < 0)):
        topic = _draw_plain(documents, cliques, streams, s)
    at, samples = streams.at[s], streams.samples
    streams.topic[s], cliques.topic[INDEX(at)] = topic, topic
    added = count(streams, documents.alpha, s, topic, np.int64(cliques.n_words[INDEX(at)]))
    here = s * ROW + topic - topic % WIDTH
    store(samples, here, load_counts(samples, here) + added)
    following = following_clique(streams, s)
    streams.at[s] = following
    if seldom(bool(following <= at)):
        if following == at:  # the only clique: it is out of the counts whenever it is sampled
            count(streams, documents.alpha, s, topic, -np.int64(cliques.n_words[at]))
        end_sweep(documents, streams, s)
    return np.int64(streams.sweep[s])
