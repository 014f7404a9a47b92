"""Streams: documents of the dense kernel that are sampled side by side (see fold_in_dense.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined, part
from topminer.jit.lanes import WIDTH, Counts, aligned, floats, lane, load, load_counts, only, store
from topminer.topics.kernels.new_documents import Cliques, NewDocuments, scale_of

MAX_DENSE = 384  # topics: about where the dense and the sparse kernel take the same time for one document
N_STREAMS = 4
# Where the rows of streams 0 to 3 start: at constants, so that one register points to all of them.
ROW = np.int64(MAX_DENSE)
MOST_TOKENS = 1 << 31  # in all samples of a document: more do not fit into a count


class Streams(NamedTuple):
    """The documents that are sampled side by side, and arrays that are overwritten for each clique."""

    n_started: NDArray[np.int64]  # an array of one number: documents
    document: NDArray[np.int64]
    begin: NDArray[np.int64]  # its first clique
    end: NDArray[np.int64]  # one past its last clique
    at: NDArray[np.int64]  # the clique to be sampled
    sweep: NDArray[np.int64]
    n_drawn: NDArray[np.int64]  # cliques of the document
    topic: NDArray[np.int64]  # the last one drawn; -1: the clique is to be sampled in float64
    key: NDArray[np.uint64]  # of the document's random numbers
    u: NDArray[np.float32]  # the last of them
    scale: NDArray[np.float32]  # see `scale_of`
    below: NDArray[np.float32]  # totals of the lanes, summed up from the first lane on
    vector_of: NDArray[np.int32]  # for each lane, the vector that a draw falls into
    # A row for each stream.
    n_dk: NDArray[np.int32]
    alpha_n_dk: NDArray[np.float32]  # α_k + N_dk
    sums: NDArray[np.float32]  # running sums of weights, lane by lane
    samples: NDArray[np.int32]  # tokens by topic, summed over the samples
    p_k: NDArray[np.float64]


def make_streams(documents: NewDocuments) -> Streams:
    """Streams without documents: views of a few arrays, since many small ones take time."""
    size, lanes = N_STREAMS * MAX_DENSE, N_STREAMS * WIDTH
    counts = aligned(4 * size + 2 * lanes, np.int32)
    weights = counts[2 * size :].view(np.float32)
    n_started, document, begin, end, at, sweep, n_drawn, topic = np.zeros((8, N_STREAMS), np.int64)
    return Streams(
        n_started, document, begin, end, at, sweep, n_drawn, topic, np.zeros(N_STREAMS, np.uint64),
        np.zeros(N_STREAMS, np.float32), np.zeros(N_STREAMS, np.float32),
        weights[2 * size : 2 * size + lanes], counts[4 * size + lanes :],
        counts[:size], weights[:size], weights[size : 2 * size], counts[size : 2 * size],
        np.empty(documents.n_topics),
    )  # fmt: skip


@part
def start_next(documents: NewDocuments, cliques: Cliques, streams: Streams, s: Int) -> bool:
    """Start the next document that has cliques in stream s. Return False if there is none."""
    d, n_documents, start = streams.n_started[0], documents.begin.size, cliques.start
    while d < n_documents and start[d] == start[d + 1]:
        d += 1
    streams.n_started[0] = d + 1
    if d >= n_documents:
        return False
    streams.document[s], streams.key[s] = d, cliques.key[d]
    streams.begin[s], streams.end[s] = start[d], start[d + 1]
    streams.at[s], streams.sweep[s], streams.n_drawn[s] = start[d], 0, 0
    streams.scale[s] = scale_of(documents, d)
    for v in range(0, documents.alpha.size, WIDTH):
        store(streams.n_dk, s * ROW + v, only(lane(WIDTH), 1))
        store(streams.samples, s * ROW + v, only(lane(WIDTH), 1))
        store(streams.alpha_n_dk, s * ROW + v, load(documents.alpha, v))
    return True


@inlined
def move(documents: NewDocuments, streams: Streams, old: Int, new: Int) -> None:
    """Move a document from one stream to another."""
    streams.document[new], streams.key[new] = streams.document[old], streams.key[old]
    streams.begin[new], streams.end[new] = streams.begin[old], streams.end[old]
    streams.at[new] = streams.at[old]
    streams.sweep[new], streams.n_drawn[new] = streams.sweep[old], streams.n_drawn[old]
    streams.scale[new] = streams.scale[old]
    for v in range(0, documents.alpha.size, WIDTH):
        store(streams.n_dk, new * ROW + v, load_counts(streams.n_dk, old * ROW + v))
        store(streams.samples, new * ROW + v, load_counts(streams.samples, old * ROW + v))
        store(streams.alpha_n_dk, new * ROW + v, load(streams.alpha_n_dk, old * ROW + v))


@inlined
def count(streams: Streams, alpha: NDArray[np.float32], s: Int, topic: Int, by: Int) -> Counts:
    """Add ``by`` tokens of a topic to the document of stream s. Return what was added."""
    here = topic - topic % WIDTH
    added = only(lane(topic - here), by)
    n_dk = load_counts(streams.n_dk, s * ROW + here) + added
    store(streams.n_dk, s * ROW + here, n_dk)
    store(streams.alpha_n_dk, s * ROW + here, load(alpha, here) + floats(n_dk))
    return added


@inlined
def following_clique(streams: Streams, s: Int) -> np.int64:
    """Return the clique after the one to be sampled: after the last, the first."""
    following = streams.at[s] + 1
    return np.int64(following if following < streams.end[s] else streams.begin[s])


@inlined
def end_sweep(documents: NewDocuments, streams: Streams, s: Int) -> None:
    """Count the sweep; a sample is taken after each sweep behind the burn-in."""
    streams.sweep[s] += 1
    d, sweep, samples = streams.document[s], streams.sweep[s], streams.samples
    n_tokens = documents.clique_start[documents.end[d]] - documents.clique_start[documents.begin[d]]
    is_large = n_tokens * documents.n_sweeps >= MOST_TOKENS
    if sweep > documents.burn_in and (is_large or sweep == documents.n_sweeps):
        for k in range(documents.n_topics):
            documents.doc_topic[d, k] += samples[s * ROW + k]
    if sweep == documents.burn_in or is_large:
        for v in range(0, documents.alpha.size, WIDTH):
            store(samples, s * ROW + v, only(lane(WIDTH), 1))
