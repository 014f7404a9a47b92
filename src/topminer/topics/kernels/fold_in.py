"""Gibbs sampling of new documents, with the words of the topics fixed (see results/fold_in.py).

Documents are sampled one after another. With up to `MAX_DENSE` topics, each clique weighs all topics. With
more topics, the weight is split in two as in sparse.py: the part a0_k Π_j φ_kw does not depend on the
document, so its sum is computed once for each clique; the other part is zero unless the topic occurs in the
document, so it is computed for the topics on the document's list. With 1,000 topics that takes two thirds of
the time; with up to `MAX_DENSE` it gains nothing. Cliques whose weights leave the range of
float32 are sampled in float64, as in plain.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import (
    WIDTH,
    aligned,
    every,
    first,
    floats,
    lane,
    last,
    load,
    load_counts,
    only,
    prefix_sum,
    store,
)
from topminer.topics.kernels.block import MAX_WORDS, ONE
from topminer.topics.kernels.draw import draw_by_lanes, uniform
from topminer.topics.kernels.new_documents import (
    UNKNOWN,
    DocumentScratch,
    NewDocuments,
    draw_plain,
    finish_document,
    scale_of,
    start_document,
    sum_list,
    sum_topics,
)

MAX_DENSE = 384  # topics: about where both ways take the same time
LEAST = 1e-30  # a smaller sum of weights may have lost digits: the clique is sampled in float64


def sample_documents(documents: NewDocuments) -> None:
    """Sample new documents; write their rows of ``doc_topic`` and the topics of their cliques."""
    n, n_topics = documents.alpha.size, documents.n_topics
    has_lists = n_topics > MAX_DENSE
    most_cliques = int((documents.end - documents.begin).max(initial=0)) if has_lists else 0
    rows = aligned(7 * n, np.int32).reshape(7, n)  # one array, since many small ones take time
    n_dk, vector_of, topics, tokens, entry_of = rows[:5]
    alpha_n_dk, sums = rows[5:].view(np.float32)
    entry_of[:] = -1
    scratch = DocumentScratch(
        n_dk, alpha_n_dk, sums, vector_of, np.zeros(MAX_WORDS, np.int64), np.zeros(n_topics),
        np.zeros(most_cliques, np.float32), topics, tokens, entry_of,
    )  # fmt: skip
    if has_lists:
        _sample_sparse(documents, scratch)
    else:
        _sample_dense(documents, scratch)


@inlined
def _count(scratch: DocumentScratch, alpha: NDArray[np.float32], topic: np.int64, by: Int) -> None:
    """Add ``by`` tokens of a topic to the document."""
    here = topic - topic % WIDTH
    n_dk = load_counts(scratch.n_dk, here) + only(lane(topic - here), by)
    store(scratch.n_dk, here, n_dk)
    store(scratch.alpha_n_dk, here, load(alpha, here) + floats(n_dk))


@bare_kernel
def _sample_dense(documents: NewDocuments, scratch: DocumentScratch) -> None:
    """Sample with all topics weighed."""
    alpha, n_topics, phi, rows = documents.alpha, documents.n_topics, documents.phi, documents.rows
    n, clique_start, clique_topic = alpha.size, documents.clique_start, documents.clique_topic
    doc_topic, offset, row_at, sums = documents.doc_topic, documents.offset, scratch.row_at, scratch.sums
    for d in range(doc_topic.shape[0]):
        begin, end = documents.begin[d], documents.end[d]
        key, scale = start_document(documents, d), scale_of(documents, d)
        for v in range(0, n, WIDTH):
            store(scratch.n_dk, v, only(lane(WIDTH), 1))
            store(scratch.alpha_n_dk, v, load(alpha, v))
        i = 0
        for sweep in range(documents.n_sweeps):
            for c in range(begin, end):
                old, token = np.int64(clique_topic[c]), clique_start[c]
                if old == UNKNOWN:
                    continue
                n_words = clique_start[c + 1] - token
                if old >= 0:
                    _count(scratch, alpha, old, -n_words)
                i += 1
                u = uniform(key, i)
                total, new = np.float32(0), np.int64(0)
                row_at[0] = rows[token - offset] * n
                if n_words <= MAX_WORDS:
                    if n_words == 1:  # LLVM knows the number, so that loops over words disappear
                        added = sum_topics(scratch.alpha_n_dk, phi, row_at, ONE, n, scale, sums)
                    else:
                        for j in range(1, n_words):
                            row_at[j] = rows[token - offset + j] * n
                        added = sum_topics(scratch.alpha_n_dk, phi, row_at, n_words, n, scale, sums)
                    below = prefix_sum(added)
                    total = first(last(below))
                    found = draw_by_lanes(sums, n, below, every(u) * last(below), scratch.vector_of)
                    new = found if found < n_topics else np.int64(n_topics - 1)
                if total < LEAST:
                    new = draw_plain(documents, scratch, token, n_words, u)
                clique_topic[c] = new
                _count(scratch, alpha, new, n_words)
                if sweep >= documents.burn_in:
                    doc_topic[d, new] += n_words
        finish_document(documents, d)


@inlined
def _count_on_list(scratch: DocumentScratch, topic: np.int64, by: Int) -> None:
    """Add ``by`` tokens of a topic that is on the document's list."""
    scratch.n_dk[topic] += by
    entry = np.int64(scratch.entry_of[topic])
    here = entry - entry % WIDTH
    store(scratch.tokens, here, load_counts(scratch.tokens, here) + only(lane(entry - here), by))


@inlined
def _remove_from_list(scratch: DocumentScratch, size: Int, topic: np.int64) -> None:
    """Remove a topic from a list of ``size`` topics; the last entry takes its place."""
    topics, tokens, entry_of = scratch.topics, scratch.tokens, scratch.entry_of
    entry, final = np.int64(entry_of[topic]), size - 1
    topics[entry], tokens[entry] = topics[final], tokens[final]
    entry_of[topics[entry]] = entry
    entry_of[topic] = -1
    topics[final], tokens[final] = 0, 0


@bare_kernel
def _sample_sparse(documents: NewDocuments, scratch: DocumentScratch) -> None:
    """Sample with many topics: the list of the document's topics, and the sum over all topics."""
    alpha, n_topics, phi, rows = documents.alpha, documents.n_topics, documents.phi, documents.rows
    clique_start, clique_topic = documents.clique_start, documents.clique_topic
    doc_topic, offset, n = documents.doc_topic, documents.offset, alpha.size
    row_at, sums, topics, entry_of = scratch.row_at, scratch.sums, scratch.topics, scratch.entry_of
    for d in range(doc_topic.shape[0]):
        begin, end = documents.begin[d], documents.end[d]
        key, scale = start_document(documents, d), scale_of(documents, d)
        i, size = 0, 0
        for sweep in range(documents.n_sweeps):
            for c in range(begin, end):
                old, token = np.int64(clique_topic[c]), clique_start[c]
                if old == UNKNOWN:
                    continue
                n_words = clique_start[c + 1] - token
                if old >= 0:
                    _count_on_list(scratch, old, -n_words)
                i += 1
                u = uniform(key, i)
                total, new = np.float32(0), np.int64(0)
                if n_words <= MAX_WORDS:
                    for j in range(n_words):
                        row_at[j] = rows[token - offset + j] * n
                    if old < 0:
                        added = sum_topics(alpha, phi, row_at, n_words, n, scale, sums)
                        scratch.smooth[c - begin] = first(last(prefix_sum(added)))
                    if n_words == 1:  # LLVM knows the number, so that loops over words disappear
                        added = sum_list(scratch, size, alpha, phi, ONE, scale)
                    else:
                        added = sum_list(scratch, size, alpha, phi, n_words, scale)
                    below = prefix_sum(added)
                    on_list = first(last(below))
                    total = on_list + scratch.smooth[c - begin]
                    drawn = u * total
                    if drawn < on_list:
                        entry = draw_by_lanes(sums, size, below, every(drawn), scratch.vector_of)
                        entry = entry if entry < size else np.int64(size - 1)
                        new = np.int64(topics[entry if entry > 0 else 0])
                    else:
                        below = prefix_sum(sum_topics(alpha, phi, row_at, n_words, n, scale, sums))
                        found = draw_by_lanes(sums, n, below, every(drawn - on_list), scratch.vector_of)
                        new = found if found < n_topics else np.int64(n_topics - 1)
                if total < LEAST:
                    new = draw_plain(documents, scratch, token, n_words, u)
                clique_topic[c] = new
                if old >= 0 and old != new and scratch.n_dk[old] == 0:
                    _remove_from_list(scratch, size, old)
                    size -= 1
                if entry_of[new] < 0:
                    entry_of[new], topics[size] = size, new
                    size += 1
                _count_on_list(scratch, new, n_words)
                if sweep >= documents.burn_in:
                    doc_topic[d, new] += n_words
        while size > 0:
            scratch.n_dk[topics[size - 1]] = 0
            _remove_from_list(scratch, size, np.int64(topics[size - 1]))
            size -= 1
        finish_document(documents, d)
