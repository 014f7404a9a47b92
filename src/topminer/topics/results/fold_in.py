"""Topics of new documents: Gibbs sampling with the topics' words fixed.

With phi_kw = (beta + N_wk) / (V beta + N_k) fixed, a clique w_1 ... w_W of document d has topic k with
probability proportional to::

    product over j of (alpha_k + N_dk + j - 1) * phi_k,wj

and documents have nothing to do with each other. Each is sampled alone, its cliques in their order, with
random numbers of its own that follow from the seed and its words: a document gets the same topics whatever
other documents come with it. In the first sweep cliques are added one by one, later they are sampled anew.
The document's topics are the mean of (alpha_k + N_dk) / (sum of alpha + N_d) over the sweeps after burn-in.

Documents are sampled in blocks so small that the shares phi of all their words make a table of a few
megabytes. A document too long for that gets a table as large as it needs, of its distinct words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import ALPHA_RANGE, BETA_RANGE, number, whole
from topminer.engines.local import map_in_order
from topminer.errors import InputError
from topminer.jit import bare_kernel
from topminer.jit.lanes import aligned
from topminer.phrases.partition import Partition
from topminer.progress import Progress, silent
from topminer.topics.kernels.fold_in import UNKNOWN, Documents, sample_documents
from topminer.topics.sampler.latin_square import MOST_WORDS, row_length

# Half the sum of |theta - theta of 5,000 sweeps|, on average over 200 abstracts, with 100 topics: 0.18 after
# 20 sweeps, 0.12 after 50, 0.08 after 100, 0.06 after 200, 0.04 after 400. As the first sweep does not draw
# blindly, a tenth of the sweeps is enough of a burn-in (benchmarks/bench_fold_in.py --accuracy).
N_SWEEPS, BURN_IN = 100, 10
TABLE_BYTES, MOST_TOKENS = 4 << 20, 1 << 14  # of a block of documents


class Inferred(NamedTuple):
    """Topics of new documents."""

    doc_topic: NDArray[np.float64]  # (documents, topics), the mean over samples; rows sum to 1
    clique_topic: NDArray[np.int32]  # of each clique, the last sample's; -1: skipped
    n_skipped: int  # cliques with a word never seen


class Words(NamedTuple):
    """The words of a block of documents."""

    rows: NDArray[np.int64]  # of each token from `offset` on, the row of its word; -1: never seen
    offset: int
    share: NDArray[np.float32]  # phi by row and topic, flat, rows padded


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
    progress: Progress = silent,
) -> Inferred:
    """Infer the topics of documents that were not there when the topics were made.

    Parameters
    ----------
    partition : Partition
        The new documents. Word ids are rows of `word_topic`; -1 is a word never seen.
    word_topic : int32 array (words, topics)
        How many tokens of each word have each topic.
    tokens : int64 array (topics,)
        How many tokens have each topic.
    alpha, beta : float64 array (topics,), float
        The priors.
    n_sweeps, burn_in : int
        How often each clique is sampled, and how many of these sweeps do not count.
    seed, n_threads : int
        The result depends on the one and not on the other.
    progress : callable
        See :class:`topminer.progress.Progress`.
    """
    folding = Folding(
        partition, partition.doc_start[1:], word_topic, tokens, alpha, beta, n_sweeps, burn_in, seed
    )
    doc_topic = np.empty((len(partition), len(alpha)))
    clique_topic = np.empty(partition.n_cliques, np.int32)

    def run(block: slice) -> int:
        folding.run(block, folding.words(block), doc_topic[block], clique_topic)
        return int(block.stop)

    for done in map_in_order(run, folding.blocks(), n_threads):
        progress("inferring topics", done, len(partition), "documents")
    return Inferred(doc_topic, clique_topic, int(np.count_nonzero(clique_topic == UNKNOWN)))


class Folding:
    """Documents up to, and without, clique ``end`` of each, and the topics they are to be folded into."""

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
        _check(partition, word_topic, tokens, alpha, beta, n_sweeps, burn_in)
        n_words, self.n_topics = word_topic.shape
        self.partition, self.end = partition, end
        self.word_topic, self.beta = np.ascontiguousarray(word_topic, np.int32), beta
        self.n_sweeps, self.burn_in = n_sweeps, burn_in
        self.key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        self.n = row_length(self.n_topics)
        self.alpha, self.inverse = aligned(self.n, np.float32), aligned(self.n, np.float32)
        self.alpha[: self.n_topics] = alpha
        self.inverse[: self.n_topics] = 1 / (n_words * beta + tokens)
        # Weights have one factor of the document and one of the words for each word, the latter at most 1.
        self.most = (1e37 / self.n_topics) ** (1 / MOST_WORDS) / max(float(alpha.max()), 1.0)

    def blocks(self) -> Iterator[slice]:
        """Cut the documents into blocks, so that the table of a block's words is small."""
        most = min(MOST_TOKENS, max(1, TABLE_BYTES // self.alpha.nbytes))
        token_start, start = self.partition.corpus.doc_start, 0
        while start < len(self.partition):
            stop = int(np.searchsorted(token_start, token_start[start] + most, "right")) - 1
            stop = min(max(stop, start + 1), len(self.partition))
            yield slice(start, stop)
            start = stop

    def words(self, block: slice) -> Words:
        """The words of a block, also behind the ends of its documents."""
        corpus = self.partition.corpus
        start, stop = int(corpus.doc_start[block.start]), int(corpus.doc_start[block.stop])
        words, rows = np.unique(corpus.stem_ids[start:stop], return_inverse=True)
        n_unknown = int(words.size > 0 and words[0] < 0)
        share = aligned((words.size - n_unknown) * self.n, np.float32)
        _fill(share, self.word_topic, words[n_unknown:], self.inverse, self.beta)
        return Words(rows - n_unknown, start, share)

    def run(
        self,
        block: slice,
        words: Words,
        doc_topic: NDArray[np.float64],
        clique_topic: NDArray[np.int32],
    ) -> None:
        """Fill in ``doc_topic``, a row for each document of the block, and its part of ``clique_topic``."""
        partition = self.partition
        sample_documents(
            Documents(
                partition.corpus.stem_ids, partition.clique_start,
                partition.doc_start[:-1][block], self.end[block],
                *words, self.alpha, self.n_topics, self.most,
                self.n_sweeps, self.burn_in, self.key, doc_topic, clique_topic,
            )
        )  # fmt: skip


def _check(
    partition: Partition,
    word_topic: NDArray[np.int32],
    tokens: NDArray[np.int64],
    alpha: NDArray[np.float64],
    beta: float,
    n_sweeps: int,
    burn_in: int,
) -> None:
    n_words, n_topics = word_topic.shape
    if n_words != partition.corpus.n_stems:
        raise InputError(
            f"the topics are made of {n_words:,} words, the documents of {partition.corpus.n_stems:,}: "
            "read new documents with the vocabulary of the model"
        )
    if n_topics < 1 or tokens.shape != (n_topics,) or alpha.shape != (n_topics,):
        raise InputError(
            f"word_topic has {n_topics} topics, tokens has shape {tokens.shape} and alpha {alpha.shape}: "
            "all must have as many topics, and at least one"
        )
    least, most = ALPHA_RANGE
    if not np.all((alpha >= least) & (alpha <= most)):
        raise InputError(f"alpha must be from {least:g} to {most:g} for every topic")
    number("beta", beta, *BETA_RANGE)
    if whole("burn_in", burn_in, 0) >= whole("n_sweeps", n_sweeps, 1):
        raise InputError(f"burn_in must be from 0 to below n_sweeps, which is {n_sweeps}, not {burn_in}")


@bare_kernel
def _fill(
    share: NDArray[np.float32],
    word_topic: NDArray[np.int32],
    words: NDArray[np.int32],
    inverse: NDArray[np.float32],
    beta: float,
) -> None:
    """Write phi of some words, row by row."""
    for i in range(words.size):
        for k in range(word_topic.shape[1]):
            share[i * inverse.size + k] = (np.float32(beta) + np.float32(word_topic[words[i], k])) * inverse[
                k
            ]
