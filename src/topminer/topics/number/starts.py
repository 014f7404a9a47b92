"""Topics to start a chain with: a non-negative factorisation of the counts of words in documents.

A chain that starts with random topics ends in one of many local optima, and two seeds in two of them. These
topics depend on the documents only, and hardly change if a few documents do::

    counts (documents, words)  ≈  (documents, topics) · (topics, words),  nothing below 0

The factors start with the singular vectors of the largest singular values (NNDSVD, Boutsidis and Gallopoulos
2008). Of each pair of vectors, the positive or the negative part is a topic, whichever is larger. Some
sweeps of coordinate descent over the topics follow (HALS, Cichocki and Phan 2009).

The counts of the start are rounded to whole tokens, so that the last bits of a product do not matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from topminer.progress import Progress, silent
from topminer.topics.number.selection import Selection, Settings
from topminer.topics.sampler.start import Start

STAGE = "Finding topics to start with"
N_STEPS = 30  # of coordinate descent
N_MORE, N_POWERS = 10, 6  # singular vectors besides those needed, and products with the counts

Floats = NDArray[np.float64]


def factorised_start(
    selection: Selection, n_topics: int, settings: Settings, progress: Progress = silent
) -> Start:
    """Find ``n_topics`` topics to start a chain with, the heaviest first; one without tokens is possible.

    They depend on the documents alone.
    """
    counts = word_counts(selection)
    n_words = counts.shape[1]
    table = np.zeros((n_words, n_topics), np.int32)
    if counts.nnz:
        with threadpool_limits(1, "blas"):  # else sums depend on the number of cores
            tokens = _factorised(counts, min(n_topics, *counts.shape), progress)
        table[:, : tokens.shape[1]] = np.rint(tokens * (counts.sum() / tokens.sum()))
    order = np.argsort(-table.sum(axis=0), kind="stable")
    return Start(selection.type_of[:n_words], np.ascontiguousarray(table[:, order]), settings.beta)


def _factorised(counts: sparse.csr_array, n: int, progress: Progress) -> Floats:
    """Return the weight of each word in each topic, (words, n)."""
    documents, words = nonnegative_vectors(counts, n)
    for step in range(N_STEPS):
        _descend(documents, counts @ words, words.T @ words)
        _descend(words, counts.T @ documents, documents.T @ documents)
        progress(STAGE, step + 1, N_STEPS, "steps")
    weights: Floats = documents.sum(axis=0) * words
    return weights


def word_counts(selection: Selection) -> sparse.csr_array:
    """Count the words of the documents, (documents, words)."""
    corpus = selection.sampled.corpus
    document = np.repeat(np.arange(corpus.doc_start.size - 1), np.diff(corpus.doc_start))
    known = corpus.stem_ids >= 0
    entries = np.ones(np.count_nonzero(known)), (document[known], corpus.stem_ids[known])
    return sparse.csr_array(entries, shape=(corpus.doc_start.size - 1, corpus.n_stems))


def nonnegative_vectors(counts: sparse.csr_array, n: int) -> tuple[Floats, Floats]:
    """Return factors (documents, n) and (words, n) from the first ``n`` singular vectors: NNDSVD."""
    left, values, right = _singular_vectors(counts, n)
    documents, words = np.zeros_like(left), np.zeros_like(right)
    for k in range(n):
        parts = [(np.maximum(sign * left[:, k], 0), np.maximum(sign * right[:, k], 0)) for sign in (1, -1)]
        norms = [(np.linalg.norm(u), np.linalg.norm(v)) for u, v in parts]
        (u, v), (nu, nv) = max(zip(parts, norms, strict=True), key=lambda each: each[1][0] * each[1][1])
        if nu * nv > 0:
            size = np.sqrt(values[k] * nu * nv)
            documents[:, k], words[:, k] = size * u / nu, size * v / nv
    return documents, words


def _singular_vectors(counts: sparse.csr_array, n: int) -> tuple[Floats, Floats, Floats]:
    """Return the first ``n`` singular vectors and values, by subspace iteration."""
    stream = np.random.Generator(np.random.Philox(0))
    right = stream.standard_normal((counts.shape[1], min(n + N_MORE, *counts.shape)))
    for _ in range(N_POWERS):
        left, _ = np.linalg.qr(counts @ right)
        right, _ = np.linalg.qr(counts.T @ left)
    u, values, v = np.linalg.svd(counts @ right, full_matrices=False)
    return u[:, :n], values[:n], (right @ v.T)[:, :n]


def _descend(factor: Floats, target: Floats, gram: Floats) -> None:
    """Set each column of a factor in turn to the best one, given the other columns and the other factor."""
    for k in range(gram.shape[0]):
        if gram[k, k] > 0:
            step = (target[:, k] - factor @ gram[:, k]) / gram[k, k]
            factor[:, k] = np.maximum(factor[:, k] + step, 0)
