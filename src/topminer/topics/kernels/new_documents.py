"""New documents as the kernels that sample them see them, and the steps that those kernels share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined
from topminer.jit.lanes import WIDTH, Floats, every, load, store
from topminer.topics.kernels.block import MAX_WORDS
from topminer.topics.kernels.draw import draw, rescale

UNKNOWN, NOT_YET = -1, -2  # instead of a topic: a word was never seen; not sampled yet
# Of an index. Numba looks whether a signed one is negative, which would take a fourth of the time here.
INDEX = np.uint64
LEAST = np.float32(1e-30)  # a smaller sum of weights may have lost digits: the clique is sampled in float64


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


class Cliques(NamedTuple):
    """The cliques to be sampled, document by document: those whose words are all known."""

    start: NDArray[np.int64]  # first of these cliques of each document, and one past the last of all
    key: NDArray[np.uint64]  # of each document's random numbers
    token: NDArray[np.int64]  # first token of each clique, counted from `offset`
    row: NDArray[np.int64]  # where in `phi` the row of its first word starts
    n_words: NDArray[np.int32]
    topic: NDArray[np.int32]


def room_for_cliques(documents: NewDocuments) -> Cliques:
    """Arrays for the cliques of documents: views of two, since many small ones take time."""
    n_documents, most = documents.begin.size, int(documents.end[-1] - documents.begin[0])
    numbers, small = np.empty(2 * (most + n_documents) + 1, np.int64), np.empty(2 * most, np.int32)
    of_cliques, of_documents = numbers[: 2 * most], numbers[2 * most :]
    return Cliques(
        of_documents[n_documents:], of_documents[:n_documents].view(np.uint64),
        of_cliques[:most], of_cliques[most:], small[:most], small[most:],
    )  # fmt: skip


@inlined
def list_cliques(documents: NewDocuments, cliques: Cliques) -> None:
    """List the cliques to be sampled; mark the others in ``clique_topic``.

    The key of a document's random numbers depends on the seed and on its known words alone.
    """
    stems, clique_start, clique_topic = documents.stems, documents.clique_start, documents.clique_topic
    rows, offset = documents.rows, documents.offset
    size = np.int64(0)
    for d in range(documents.begin.size):
        cliques.start[d] = size
        key = documents.key
        for c in range(documents.begin[d], documents.end[d]):
            first, end = clique_start[c], clique_start[c + 1]
            clique_topic[c] = NOT_YET
            for i in range(first, end):
                if rows[i - offset] < 0:
                    clique_topic[c] = UNKNOWN
            if clique_topic[c] == NOT_YET:
                for i in range(first, end):
                    key = (key ^ np.uint64(stems[i])) * np.uint64(0xBF58476D1CE4E5B9)
                    key = key ^ (key >> np.uint64(32))
                key = (key + np.uint64(1)) * np.uint64(0x94D049BB133111EB)  # the end of a clique
                key = key ^ (key >> np.uint64(29))
                cliques.token[size] = first - offset
                cliques.row[size] = rows[first - offset] * documents.alpha.size
                cliques.n_words[size], cliques.topic[size] = end - first, NOT_YET
                size += 1
        cliques.key[d] = key
        for k in range(documents.n_topics):
            documents.doc_topic[d, k] = 0
    cliques.start[documents.begin.size] = size


@inlined
def finish_documents(documents: NewDocuments, cliques: Cliques) -> None:
    """Write the topics of all cliques. Turn tokens by topic, summed over all samples, into probabilities."""
    alpha, doc_topic, n_topics = documents.alpha, documents.doc_topic, documents.n_topics
    clique_topic, n_samples = documents.clique_topic, documents.n_sweeps - documents.burn_in
    for d in range(documents.begin.size):
        at = cliques.start[d]
        for c in range(documents.begin[d], documents.end[d]):
            if clique_topic[c] != UNKNOWN:
                clique_topic[c] = cliques.topic[at]
                at += 1
        total = 0.0
        for k in range(n_topics):
            doc_topic[d, k] += n_samples * np.float64(alpha[k])
            total += doc_topic[d, k]
        for k in range(n_topics):
            doc_topic[d, k] /= total


@inlined
def scale_of(documents: NewDocuments, d: Int) -> np.float32:
    """Return what multiplies φ of all words of a phrase but the first: sums of weights stay in range."""
    clique_start = documents.clique_start
    n_tokens = clique_start[documents.end[d]] - clique_start[documents.begin[d]]
    return np.float32(documents.max_scale / (n_tokens + MAX_WORDS))


@inlined
def rows_of(documents: NewDocuments, cliques: Cliques, at: Int, n_words: Int) -> tuple[Int, Int, Int, Int]:
    """Return where in ``phi`` the rows of a clique's words start. A word that it lacks has any row."""
    n, first, token = documents.alpha.size, cliques.row[INDEX(at)], cliques.token[INDEX(at)]
    second, third, fourth = first, first, first
    if n_words > 1:
        second = documents.rows[INDEX(token + 1)] * n
        if n_words > 2:
            third = documents.rows[INDEX(token + 2)] * n
            if n_words > 3:
                fourth = documents.rows[INDEX(token + 3)] * n
    return first, second, third, fourth


@inlined
def sum_topics(
    alpha_n_dk: NDArray[np.float32],
    start: Int,
    phi: NDArray[np.float32],
    rows: tuple[Int, Int, Int, Int],
    n_words: Int,
    n: Int,
    scale: np.float32,
    sums: NDArray[np.float32],
    at: Int,
) -> Floats:
    """Sum the weights Π_j (α_k + N_dk + j) φ_kw of all topics, lane by lane; store the running sums.

    ``start`` is where the document's α_k + N_dk start, ``at`` where the sums start.
    """
    added, by = every(np.float32(0)), every(scale)
    one, two, three = every(np.float32(1)), every(np.float32(2)), every(np.float32(3))
    if n_words == 1:  # LLVM knows the number, so that loops over words disappear
        for v in range(0, n, WIDTH):
            added = added + load(alpha_n_dk, start + v) * load(phi, rows[0] + v)
            store(sums, at + v, added)
    else:
        for v in range(0, n, WIDTH):
            document = load(alpha_n_dk, start + v)
            weights = document * load(phi, rows[0] + v)
            weights = weights * (document + one) * (load(phi, rows[1] + v) * by)
            if n_words > 2:
                weights = weights * (document + two) * (load(phi, rows[2] + v) * by)
            if n_words > 3:
                weights = weights * (document + three) * (load(phi, rows[3] + v) * by)
            added = added + weights
            store(sums, at + v, added)
    return added


@inlined
def draw_plain(
    documents: NewDocuments,
    cliques: Cliques,
    at: Int,
    n_dk: NDArray[np.int32],
    start: Int,
    p_k: NDArray[np.float64],
    u: np.float32,
) -> np.int64:
    """Draw the topic of a clique of any length in float64. The document's counts are from ``start`` on."""
    alpha, phi, n_topics = documents.alpha, documents.phi, documents.n_topics
    n_words = np.int64(cliques.n_words[at])
    for k in range(n_topics):
        p_k[k] = 1.0
    for j in range(n_words):
        row = documents.rows[cliques.token[at] + j] * alpha.size
        largest = 0.0
        for k in range(n_topics):
            p_k[k] *= (np.float64(alpha[k]) + n_dk[start + k] + j) * np.float64(phi[row + k])
            largest = p_k[k] if p_k[k] > largest else largest
        if j < n_words - 1:
            rescale(p_k, n_topics, largest)
    return draw(p_k, n_topics, u)
