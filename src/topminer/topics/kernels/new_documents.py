"""New documents as the kernels of fold_in.py see them, and the steps that those kernels share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined
from topminer.jit.lanes import WIDTH, Floats, every, gather, load, load_counts, store
from topminer.topics.kernels.block import MAX_WORDS, list_factors
from topminer.topics.kernels.draw import draw, rescale

UNKNOWN, NOT_YET = -1, -2  # instead of a topic: a word was never seen; not sampled yet


class NewDocuments(NamedTuple):
    """Some new documents, and where to write their topics."""

    stems: NDArray[np.int32]  # of all tokens
    clique_start: NDArray[np.int64]  # first token of each clique
    begin: NDArray[np.int64]  # first clique of each document
    end: NDArray[np.int64]  # one past its last clique
    rows: NDArray[np.int64]  # row of each token's word, from token `offset` on; -1: the word was never seen
    offset: int
    phi: NDArray[np.float32]  # by row and topic, flat, rows padded
    alpha: NDArray[np.float32]
    n_topics: int
    max_scale: float  # see `scale_of`
    n_sweeps: int
    burn_in: int
    key: np.uint64
    doc_topic: NDArray[np.float64]  # written: by document and topic
    clique_topic: NDArray[np.int32]  # written: by clique


class DocumentScratch(NamedTuple):
    """Arrays that a kernel overwrites for each document or each clique."""

    n_dk: NDArray[np.int32]
    alpha_n_dk: NDArray[np.float32]  # α_k + N_dk
    sums: NDArray[np.float32]  # running sums of weights, lane by lane
    vector_of: NDArray[np.int32]  # for each lane, the vector that a draw falls into
    row_at: NDArray[np.int64]  # where in `phi` the row of each word of the clique starts
    p_k: NDArray[np.float64]
    # Many topics only.
    smooth: NDArray[np.float32]  # of each clique, the sum of weights in a document without topics
    topics: NDArray[np.int32]  # the list of the document's topics
    tokens: NDArray[np.int32]  # and the tokens of each
    entry_of: NDArray[np.int32]  # entry of each topic on the list; -1: none


@inlined
def start_document(documents: NewDocuments, d: Int) -> np.uint64:
    """Mark the cliques of a document as unknown or not yet sampled. Return the key of its random numbers.

    The key depends on the seed and on the document's known words alone.
    """
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
            key = (key + np.uint64(1)) * np.uint64(0x94D049BB133111EB)  # the end of a clique
            key = key ^ (key >> np.uint64(29))
    for k in range(documents.n_topics):
        documents.doc_topic[d, k] = 0
    return key


@inlined
def finish_document(documents: NewDocuments, d: Int) -> None:
    """Turn tokens by topic, summed over all samples, into probabilities of topics."""
    alpha, doc_topic, n_topics = documents.alpha, documents.doc_topic, documents.n_topics
    n_samples, total = documents.n_sweeps - documents.burn_in, 0.0
    for k in range(n_topics):
        doc_topic[d, k] += n_samples * np.float64(alpha[k])
        total += doc_topic[d, k]
    for k in range(n_topics):
        doc_topic[d, k] /= total


@inlined
def scale_of(documents: NewDocuments, d: Int) -> Floats:
    """Return what multiplies φ of all words of a phrase but the first: sums of weights stay in range."""
    clique_start = documents.clique_start
    n_tokens = clique_start[documents.end[d]] - clique_start[documents.begin[d]]
    return every(np.float32(documents.max_scale / (n_tokens + MAX_WORDS)))


@inlined
def sum_topics(
    alpha_n_dk: NDArray[np.float32],
    phi: NDArray[np.float32],
    row_at: NDArray[np.int64],
    n_words: Int,
    n: Int,
    scale: Floats,
    sums: NDArray[np.float32],
) -> Floats:
    """Sum the weights Π_j (α_k + N_dk + j) φ_kw of all topics, lane by lane; store the running sums."""
    added = every(np.float32(0))
    first_row = row_at[0]
    for v in range(0, n, WIDTH):
        document = load(alpha_n_dk, v)
        weights = document * load(phi, first_row + v)
        for j in range(1, n_words):
            weights = weights * (document + every(np.float32(j))) * (load(phi, row_at[j] + v) * scale)
        added = added + weights
        store(sums, v, added)
    return added


@inlined
def sum_list(
    scratch: DocumentScratch,
    size: Int,
    alpha: NDArray[np.float32],
    phi: NDArray[np.float32],
    n_words: Int,
    scale: Floats,
) -> Floats:
    """Sum what the document's tokens add to the weights of the ``size`` topics on its list."""
    row_at, sums = scratch.row_at, scratch.sums
    added = every(np.float32(0))
    for e in range(0, size, WIDTH):
        topics = load_counts(scratch.topics, e)
        weights = list_factors(alpha, topics, load(scratch.tokens, e), n_words)
        weights = weights * gather(phi, row_at[0], topics)
        for j in range(1, n_words):
            weights = weights * (gather(phi, row_at[j], topics) * scale)
        added = added + weights
        store(sums, e, added)
    return added


@inlined
def draw_plain(
    documents: NewDocuments, scratch: DocumentScratch, token: Int, n_words: Int, u: np.float32
) -> np.int64:
    """Draw the topic of a phrase of any length, from ``token`` on, in float64."""
    alpha, phi, n_topics, p_k = documents.alpha, documents.phi, documents.n_topics, scratch.p_k
    for k in range(n_topics):
        p_k[k] = 1.0
    for j in range(n_words):
        row = documents.rows[token - documents.offset + j] * alpha.size
        largest = 0.0
        for k in range(n_topics):
            p_k[k] *= (np.float64(alpha[k]) + scratch.n_dk[k] + j) * np.float64(phi[row + k])
            largest = p_k[k] if p_k[k] > largest else largest
        if j < n_words - 1:
            rescale(p_k, n_topics, largest)
    return draw(p_k, n_topics, u)
