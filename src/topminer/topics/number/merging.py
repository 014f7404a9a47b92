"""Which topics to merge: the pairs whose union lowers the joint likelihood of words and topics least.

With lnΓ(x + n) - lnΓ(x) written as rise(x, n), the joint falls by this much if topics i and j become one,
whose prior in documents is the sum of the two priors::

    loss(i, j) =   Σ_w [rise(β, n_wi) + rise(β, n_wj) - rise(β, n_wi + n_wj)]
                 - [rise(Vβ, n_i) + rise(Vβ, n_j) - rise(Vβ, n_i + n_j)]
                 + Σ_d [rise(α_i, n_di) + rise(α_j, n_dj) - rise(α_i + α_j, n_di + n_dj)]

The first two lines say that the words of both topics are predicted less well; the third says that documents
need not choose between the two any more. So two parts of one topic, which stand in the same documents, cost
less than two topics that happen to share words. The loss decides the order of merges, not when to stop.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topminer.containers.arrays import ranges
from topminer.topics.model.histograms import count_by_topic
from topminer.topics.model.likelihood import rise

NEIGHBOURS = 8  # of each topic by words, and as many by documents: the pairs that are looked at
PAIRS_AT_ONCE = 256  # whose losses are computed together: bounds the memory

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]


def topics_to_merge(
    words: sparse.csc_array, documents: sparse.csc_array, alpha: Floats, beta: float, n: int
) -> Int64s:
    """Return for each topic the topic that it becomes: itself, unless it is one of ``n`` that are given up.

    ``words`` are the tokens of words in topics, (words, topics), and ``documents`` those of documents. Pairs
    are taken in the order of their losses, each topic in one pair at most. Of each pair the topic with fewer
    tokens is given up, unless it has more than the mean: large topics that stand in the same documents are
    no parts of one topic.
    """
    becomes = np.arange(alpha.size)
    if n <= 0 or alpha.size < 2:
        return becomes
    tokens = words.sum(axis=0)
    first, second = similar_pairs(words, documents)
    losses = merge_losses(words, documents, alpha, beta, first, second)
    used: set[int] = set()
    most = tokens.sum() / alpha.size
    for i in np.argsort(losses, kind="stable").tolist():
        pair = int(first[i]), int(second[i])
        smaller, larger = sorted(pair, key=lambda topic: (tokens[topic], -topic))
        if used.isdisjoint(pair) and tokens[smaller] <= most:
            used.update(pair)
            becomes[smaller] = larger
        if len(used) >= 2 * n:
            break
    return becomes


def similar_pairs(*counts: sparse.csc_array) -> tuple[Int64s, Int64s]:
    """Return pairs of topics that are similar in one of the tables, each once, the smaller number first."""
    pairs = [np.zeros((2, 0), np.int64)]
    for table in counts:
        norms = np.sqrt((table * table).sum(axis=0))
        cosine = (table.T @ table).toarray() / np.maximum(np.outer(norms, norms), 1e-300)
        np.fill_diagonal(cosine, -1.0)
        n = min(NEIGHBOURS, cosine.shape[0] - 1)
        nearest = np.argsort(-cosine, axis=1, kind="stable")[:, :n]
        own = np.repeat(np.arange(cosine.shape[0]), n)
        pairs.append(np.sort(np.stack([own, nearest.ravel()]), axis=0))
    distinct = np.unique(np.concatenate(pairs, axis=1), axis=1)
    return distinct[0], distinct[1]


def merge_losses(
    words: sparse.csc_array,
    documents: sparse.csc_array,
    alpha: Floats,
    beta: float,
    first: Int64s,
    second: Int64s,
) -> Floats:
    """Return by how much the joint likelihood falls, in nats, if each of some pairs of topics becomes one."""
    n_k, v_beta = words.sum(axis=0), words.shape[0] * beta
    x, own = alpha[first] + alpha[second], _sums_of_rises(documents, np.arange(alpha.size), alpha)
    loss: Floats = (
        rise(v_beta, n_k[first] + n_k[second]) - rise(v_beta, n_k[first]) - rise(v_beta, n_k[second])
    )
    loss += own[first] + own[second]  # as if no word and no document had both topics
    loss -= _sums_of_rises(documents, first, x) + _sums_of_rises(documents, second, x)
    betas = np.full(first.size, beta)
    for start in range(0, first.size, PAIRS_AT_ONCE):
        some = slice(start, start + PAIRS_AT_ONCE)
        loss[some] += _where_both(words, first[some], second[some], betas[some])
        loss[some] += _where_both(documents, first[some], second[some], x[some])
    return loss


def _where_both(table: sparse.csc_array, first: Int64s, second: Int64s, prior: Floats) -> Floats:
    """Return Σ rise(x, a) + rise(x, b) - rise(x, a + b) over the rows where a pair's counts a, b are > 0."""
    a, b = table[:, first], table[:, second]
    a, b = a.multiply(b.astype(np.bool_)).tocsc(), b.multiply(a.astype(np.bool_)).tocsc()
    a.sort_indices()
    b.sort_indices()
    pair = np.repeat(np.arange(first.size), np.diff(a.indptr))
    x = prior[pair]
    terms = rise(x, a.data) + rise(x, b.data) - rise(x, a.data + b.data)
    return np.bincount(pair, terms, first.size).astype(np.float64)


def _sums_of_rises(table: sparse.csc_array, topics: Int64s, prior: Floats) -> Floats:
    """Return Σ rise(x, n) over the counts n of each of some topics, with a prior x for each."""
    topic_of = np.repeat(np.arange(table.shape[1], dtype=np.int32), np.diff(table.indptr))
    topic, counts = count_by_topic(topic_of, table.data.astype(np.int64))
    start = np.searchsorted(topic, np.arange(table.shape[1] + 1))
    entries = ranges(start[topics], start[topics + 1])
    of = np.repeat(np.arange(topics.size), start[topics + 1] - start[topics])
    terms = counts.times[entries] * rise(prior[of], counts.n[entries])
    return np.bincount(of, terms, topics.size).astype(np.float64)
