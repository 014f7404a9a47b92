"""In how many documents of a topic a phrase stands: what the best order ranks phrases by.

The topics of a phrase's own instances say little: the sampler draws one topic for each, and a phrase of three
instances has one topic easily. Its documents say more. Let θ_dk(P) be the share of topic k in document d, in
which phrase P counts as five words however long and frequent it is: a document that is nothing but the phrase
has the phrase's topics, and in a long document the rest decides. Then

    e_k(P)    Σ over documents with P of θ_dk(P)      the documents with P that are the topic's
    n(P)      number of documents with P

Two documents hold "frequent pattern", once each, with topic 0. The rest of the first is 15 words, 10 of topic
0; the rest of the second is 5 words of topic 1. Then e_0 = 15 / 20 + 5 / 10 = 1.25, and n = 2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.phrases.partition import Partition
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.frequency import TopicalFrequency

OWN_WORDS = 5.0  # how many words of its document a phrase counts as
DIGITS = 3  # of e_k that are kept


class DocumentFrequency(NamedTuple):
    """Documents of each chosen entry, and of each of its topics, both in ascending order."""

    documents: NDArray[np.int64]  # n(P)
    in_topic: NDArray[np.float64]  # e_k(P), where the entry has topical frequency


def document_frequency(
    partition: Partition,
    lda: PhraseLDA,
    entry_of: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    frequency: TopicalFrequency,
) -> DocumentFrequency:
    """Count the documents of chosen entries.

    ``entry_of`` is the entry of each phrase type, ``chosen`` a flag of each entry, ``frequency`` the topical
    frequency of all entries. ``lda`` was fitted to ``partition``.
    """
    from scipy import sparse

    n_documents, n_topics = len(partition), lda.topic_weight_.size
    row_of: NDArray[np.int64] = np.where(chosen, np.cumsum(chosen) - 1, -1)
    # Words that the model does not know have a type of their own, behind all others.
    rows = np.append(row_of[entry_of], -1)[partition.type_ids]
    listed = np.flatnonzero(rows >= 0)
    rows, topics = rows[listed], lda.clique_topic_[listed]
    lengths = np.diff(partition.clique_start)[listed]
    in_document = np.searchsorted(partition.doc_start, listed, "right") - 1
    pairs, pair_of = np.unique(rows * n_documents + in_document, return_inverse=True)
    row, document = np.divmod(pairs, n_documents)
    n_rows = int(chosen.sum())
    n_dk, n_d = _tokens(lda, n_documents)
    weight = 1.0 / (n_d[document] - np.bincount(pair_of, lengths) + OWN_WORDS)
    own = OWN_WORDS / np.bincount(pair_of)[pair_of] - lengths  # the phrase's words leave, five come
    whole = sparse.csr_array((weight, (row, document)), shape=(n_rows, n_documents)) @ n_dk
    whole = whole + sparse.csr_array((weight[pair_of] * own, (rows, topics)), shape=(n_rows, n_topics))
    here = chosen[frequency.types]
    keys: NDArray[np.int64] = row_of[frequency.types[here]] * n_topics + frequency.topics[here]
    in_topic = np.maximum(_values(whole, keys), 0.0)  # rounding errors could be below 0
    return DocumentFrequency(np.bincount(row, minlength=n_rows), in_topic.round(DIGITS))


def _tokens(lda: PhraseLDA, n_documents: int) -> tuple[Any, NDArray[np.int64]]:
    """Return the tokens of documents in topics, a sparse array, and in all topics."""
    from scipy import sparse

    documents, topics, tokens = lda.document_topics()
    shape = (n_documents, lda.topic_weight_.size)
    n_dk = sparse.csr_array((tokens.astype(np.float64), (documents, topics)), shape=shape)
    return n_dk, np.bincount(documents, tokens, n_documents).astype(np.int64)


def _values(table: Any, keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the values of a sparse array at keys, which are row * columns + column."""
    table.sum_duplicates()
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    known = np.append(rows * table.shape[1] + table.indices, -1)
    places = np.searchsorted(known[:-1], keys)
    values: NDArray[np.float64] = np.where(known[places] == keys, np.append(table.data, 0.0)[places], 0.0)
    return values
