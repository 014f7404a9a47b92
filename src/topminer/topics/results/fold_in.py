"""Topics of new documents: Gibbs sampling with the words of the topics fixed.

With φ_kw = (β + N_wk) / (Vβ + N_k) fixed, a clique w_1 … w_W of document d has topic k with probability
proportional to::

    Π_j (α_k + N_dk + j) φ_kw          j = 0 … W - 1, w = the word j

and documents do not depend on each other. Each document is sampled by itself, its cliques in their order.
Its random numbers follow from the seed and its words, so a document gets the same topics whatever other
documents there are. The first sweep adds one clique after another; later sweeps sample each clique again.
The topics of a document are the mean of (α_k + N_dk) / (Σα + N_d) over the sweeps after burn-in.

Documents are sampled in blocks, so small that φ of all words of a block is a table of a few megabytes (with
many topics there is a second one of the same size, see kernels/fold_in_sparse.py). A document that is too
long for that gets a table as large as its distinct words need. Within a block, several documents are sampled
side by side (kernels/fold_in_dense.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import read_only, starts_of
from topminer.engines.local import map_in_order
from topminer.errors import InputError
from topminer.jit.lanes import aligned
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import NONE, Pieces, Rule, pieces_of
from topminer.progress import Progress, silent
from topminer.topics.kernels.block import MAX_WORDS, row_length
from topminer.topics.kernels.fold_in import sample_documents
from topminer.topics.kernels.new_documents import UNKNOWN, NewDocuments

# Half the sum of |θ - θ after 5,000 sweeps|, averaged over 200 abstracts, with 100 topics: 0.18 after 20
# sweeps, 0.12 after 50, 0.08 after 100, 0.06 after 200, 0.04 after 400. The first sweep already uses φ, so a
# tenth of the sweeps is enough as burn-in (benchmarks/bench_fold_in.py --accuracy).
N_SWEEPS, BURN_IN = 100, 10
TABLE_BYTES, MAX_TOKENS = 4 << 20, 1 << 14  # of a block of documents
FEW_TOKENS = 100  # of a block: each gets a row of its own, since finding equal words would take longer


class Inferred(NamedTuple):
    """Topics of new documents."""

    doc_topic: NDArray[np.float64]  # (documents, topics), the mean over samples; rows sum to 1
    clique_topic: NDArray[np.int32]  # of each clique, in the last sample; -1: skipped
    n_skipped: int  # cliques with a word that was never seen


class Words(NamedTuple):
    """The words of a block of documents, and φ of each."""

    rows: NDArray[np.int64]  # row of each token's word, from token `offset` on; -1: never seen
    offset: int
    phi: NDArray[np.float32]  # by row and topic, flat, rows padded


def fold_in(
    partition: Partition,
    word_topic: NDArray[np.int32],
    tokens: NDArray[np.int64],
    alpha: NDArray[np.float64],
    beta: float,
    *,
    n_sweeps: int = N_SWEEPS,
    burn_in: int = BURN_IN,
    seed: int = 0,
    n_threads: int = 1,
    split: Rule = NONE,
    progress: Progress = silent,
) -> Inferred:
    """Infer the topics of documents that the topics were not fitted to.

    Word ids of ``partition`` are rows of ``word_topic``, N_wk (words, topics); -1 is a word that was never
    seen. ``tokens`` are N_k. The result depends on the seed and not on the number of threads. ``split`` says
    how documents are divided into pieces, each of which is sampled like a document.
    """
    pieces = pieces_of(partition, split)
    end = pieces.partition.doc_start[1:]
    folding = Folding(pieces.partition, end, word_topic, tokens, alpha, beta, n_sweeps, burn_in, seed)
    doc_topic, clique_topic = fold_in_pieces(pieces, folding, n_threads, progress)
    return Inferred(doc_topic, clique_topic, int(np.count_nonzero(clique_topic == UNKNOWN)))


def fold_in_pieces(
    pieces: Pieces, folding: Folding, n_threads: int = 1, progress: Progress = silent
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the topics of documents, and of cliques; those of cliques that are not sampled are `UNKNOWN`.

    ``folding`` has the pieces as documents.
    """
    partition, first_piece = pieces.partition, pieces.first_piece
    piece_topic = np.empty((len(partition), folding.n_topics))
    clique_topic = np.full(partition.n_cliques, UNKNOWN, np.int32)

    def run(block: slice) -> int:
        folding.run(block, folding.words(block), piece_topic[block], clique_topic)
        return int(block.stop)

    for done in map_in_order(run, folding.blocks(), n_threads):
        n_done = int(np.searchsorted(first_piece, done, "right")) - 1
        progress("inferring topics", n_done, first_piece.size - 1, "documents")
    if first_piece.size - 1 == len(partition):
        return piece_topic, clique_topic
    n_tokens = starts_of(np.diff(partition.clique_start) * (clique_topic != UNKNOWN))[partition.doc_start]
    alpha_sum = float(folding.alpha[: folding.n_topics].sum(dtype=np.float64))
    return document_topics(piece_topic, np.diff(n_tokens), first_piece, alpha_sum), clique_topic


def document_topics(
    piece_topic: NDArray[np.float64],
    n_tokens: NDArray[np.int64],
    first_piece: NDArray[np.int64],
    alpha_sum: float,
) -> NDArray[np.float64]:
    """Return the topics of documents, given those of their pieces, whose rows sum to 1.

    As in the sampled documents, the weight of topic k is the sum of α_k + N_pk over the pieces p.

    >>> pieces = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    >>> document_topics(pieces, np.array([29, 9, 3]), np.array([0, 2, 3]), 1.0)
    array([[0.725, 0.275],
           [0.5  , 0.5  ]])
    """
    weighted = piece_topic * (n_tokens + alpha_sum)[:, None]
    found: NDArray[np.float64] = np.add.reduceat(weighted, first_piece[:-1])
    found /= found.sum(axis=1, keepdims=True)
    alone = np.diff(first_piece) == 1
    found[alone] = piece_topic[first_piece[:-1][alone]]
    return found


class Folding:
    """Documents to be sampled, each up to but not including clique ``end``, and fixed topics."""

    def __init__(
        self,
        partition: Partition,
        end: NDArray[np.int64],
        word_topic: NDArray[np.int32],
        tokens: NDArray[np.int64],
        alpha: NDArray[np.float64],
        beta: float,
        n_sweeps: int,
        burn_in: int,
        seed: int,
    ) -> None:
        n_words, self.n_topics = word_topic.shape
        if n_words != partition.corpus.n_stems:
            raise InputError(
                f"the topics are made of {n_words:,} words, the documents of {partition.corpus.n_stems:,}: "
                "read new documents with the vocabulary of the model"
            )
        self.partition, self.end = partition, end
        self.word_topic, self.beta = np.ascontiguousarray(word_topic, np.int32), beta
        self.n_sweeps, self.burn_in = n_sweeps, burn_in
        self.key = _key(seed)
        self.n = row_length(self.n_topics)
        self.alpha, self.inverse = aligned(2 * self.n, np.float32).reshape(2, self.n)
        self.alpha[: self.n_topics] = alpha
        self.inverse[: self.n_topics] = 1 / (n_words * beta + tokens)
        # A weight has two factors for each word: one of the document, and one of the word, which is at most
        # 1.
        self.max_scale = (1e37 / self.n_topics) ** (1 / MAX_WORDS) / max(float(alpha.max()), 1.0)

    def of(self, partition: Partition, end: NDArray[np.int64]) -> Folding:
        """Return the same topics with other documents."""
        same = copy(self)
        same.partition, same.end = partition, end
        return same

    def blocks(self) -> Iterator[slice]:
        """Divide the documents into blocks, so that the table of a block's words is small."""
        most = min(MAX_TOKENS, max(1, TABLE_BYTES // self.alpha.nbytes))
        token_start, start = self.partition.corpus.doc_start, 0
        while start < len(self.partition):
            stop = int(np.searchsorted(token_start, token_start[start] + most, "right")) - 1
            stop = min(max(stop, start + 1), len(self.partition))
            yield slice(start, stop)
            start = stop

    def words(self, block: slice) -> Words:
        """Return the words of a block, including those after `end` of its documents."""
        corpus = self.partition.corpus
        start, stop = int(corpus.doc_start[block.start]), int(corpus.doc_start[block.stop])
        words = stems = corpus.stem_ids[start:stop]
        rows = np.arange(stems.size)
        if stems.size > FEW_TOKENS:
            words, rows = np.unique(stems, return_inverse=True)
        phi = aligned(words.size * self.n, np.float32)
        table = phi.reshape(-1, self.n)[:, : self.n_topics]
        table[:] = self.word_topic[words]  # the row of an unknown word has no meaning
        table += np.float32(self.beta)
        table *= self.inverse[: self.n_topics]
        return Words(np.where(stems < 0, -1, rows), start, phi)

    def run(
        self, block: slice, words: Words, doc_topic: NDArray[np.float64], clique_topic: NDArray[np.int32]
    ) -> None:
        """Write ``doc_topic``, a row for each document of the block, and its part of ``clique_topic``."""
        partition = self.partition
        sample_documents(
            NewDocuments(
                read_only(partition.corpus.stem_ids), read_only(partition.clique_start),
                read_only(partition.doc_start[:-1][block]), read_only(self.end[block]),
                *words, self.alpha, self.n_topics, self.max_scale,
                self.n_sweeps, self.burn_in, self.key, doc_topic, clique_topic,
            )
        )  # fmt: skip


@lru_cache(maxsize=8)
def _key(seed: int) -> np.uint64:
    """Return the key of all random numbers; computing it takes longer than many a short document."""
    return np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
