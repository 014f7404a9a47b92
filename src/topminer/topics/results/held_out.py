"""Held-out perplexity by document completion.

Each document is cut in two at the clique boundary nearest to its middle. Its topics are inferred from the
first part (fold_in.py), and the words of the second part are scored one by one::

    perplexity = exp(- mean over scored words of log Σ_k θ_dk φ_kw)

Words that were never seen are left out of both parts. A model of pieces of documents divides the first part
by its own rule, as it does with every new document (phrases/pieces.py). An example with three cliques, whose
middle is after two and a half tokens::

    support vector machine | kernel | trees        cut after "machine": kernel and trees are scored
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges
from topminer.engines.local import map_in_order
from topminer.errors import InputError
from topminer.jit import bare_kernel
from topminer.jit.lanes import WIDTH, aligned, every, first, last, load, prefix_sum
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import NONE, Rule, bounds_inside, divided
from topminer.progress import Progress, silent
from topminer.topics.results.fold_in import BURN_IN, N_SWEEPS, Folding, Words, fold_in_pieces


class HeldOut(NamedTuple):
    """Documents cut in two."""

    partition: Partition
    cut: NDArray[np.int64]  # first clique of the second part of each document

    @property
    def token_cut(self) -> NDArray[np.int64]:
        """First token of the second part of each document."""
        return self.partition.clique_start[self.cut]

    def scored(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the words to score (stem ids) and the document of each."""
        corpus, start = self.partition.corpus, self.token_cut
        stop = corpus.doc_start[1:]
        words = corpus.stem_ids[ranges(start, stop)]
        documents = np.repeat(np.arange(len(self.partition)), stop - start)
        return words[words >= 0], documents[words >= 0]


def hold_out(partition: Partition, like: Partition | None = None) -> HeldOut:
    """Cut each document at the clique boundary nearest to its middle; of two, at the earlier one.

    With ``like``, another partition of the same corpus, documents are cut at the boundaries of ``like``. LDA
    and PhraseLDA score identical words if the words are cut like the phrases.
    """
    if like is None:
        return HeldOut(partition, _middle(partition))
    if not np.array_equal(like.corpus.stem_ids, partition.corpus.stem_ids) or not np.array_equal(
        like.corpus.doc_start, partition.corpus.doc_start
    ):
        raise InputError("both partitions must be of the same corpus")
    tokens = like.clique_start[_middle(like)]
    cut = np.searchsorted(partition.clique_start, tokens)
    if not np.array_equal(partition.clique_start[cut], tokens):
        raise InputError(
            "a document's cut falls into a phrase: cut the words like the phrases, not vice versa"
        )
    return HeldOut(partition, cut)


def _middle(partition: Partition) -> NDArray[np.int64]:
    """Return the clique whose start is nearest to the middle of each document, or one past its last."""
    starts, doc_start = partition.clique_start, partition.corpus.doc_start
    twice_middle = doc_start[:-1] + doc_start[1:]
    behind = np.searchsorted(starts, -(-twice_middle // 2))
    ahead = np.maximum(behind - 1, partition.doc_start[:-1])
    earlier = twice_middle - 2 * starts[ahead] <= 2 * starts[behind] - twice_middle
    return np.where(earlier, ahead, behind)


def perplexity(
    held_out: HeldOut,
    word_topic: NDArray[np.int32],
    tokens: NDArray[np.int64],
    alpha: NDArray[np.float64],
    beta: float,
    *,
    seed: int = 0,
    n_threads: int = 1,
    split: Rule = NONE,
    n_sweeps: int = N_SWEEPS,
    burn_in: int = BURN_IN,
    progress: Progress = silent,
) -> float:
    """Return the perplexity of the second parts: among how many equally likely words a model would guess.

    The parameters are those of :func:`topminer.topics.results.fold_in.fold_in`.
    """
    partition = held_out.partition
    folding = Folding(partition, held_out.cut, word_topic, tokens, alpha, beta, n_sweeps, burn_in, seed)
    clique_topic = np.empty(partition.n_cliques, np.int32)
    start, end = held_out.token_cut, partition.corpus.doc_start[1:]
    from_pieces = _from_pieces(held_out, folding, split, n_threads)

    def run(block: slice) -> tuple[int, float, int]:
        words, doc_topic = folding.words(block), np.empty((block.stop - block.start, len(alpha)))
        if from_pieces is None:
            folding.run(block, words, doc_topic, clique_topic)
        else:
            doc_topic[:] = from_pieces[block]
        row = aligned(folding.n, np.float32)
        return int(block.stop), *_log_likely(words, doc_topic, start[block], end[block], row)

    logs, n_scored = [], 0
    for done, total, number in map_in_order(run, folding.blocks(), n_threads):
        logs.append(total)
        n_scored += number
        progress("scoring documents", done, len(partition), "documents")
    if not n_scored:
        raise InputError("no words to score: no document has a word of the model in its second half")
    return math.exp(-math.fsum(logs) / n_scored)


def _from_pieces(
    held_out: HeldOut, folding: Folding, split: Rule, n_threads: int
) -> NDArray[np.float64] | None:
    """Infer the topics of first parts that are divided into pieces; None: no part is."""
    partition, cut = held_out.partition, held_out.token_cut
    doc_start = partition.corpus.doc_start
    halves = np.append(np.stack((doc_start[:-1], cut), axis=1).ravel(), doc_start[-1])
    bounds = bounds_inside(partition, split, halves)
    document = np.searchsorted(doc_start, bounds, "right") - 1
    bounds = bounds[bounds < cut[document]]
    if not bounds.size:
        return None
    pieces = divided(partition, bounds)
    end = pieces.partition.doc_start[1:].copy()
    end[pieces.first_piece[1:] - 1] = held_out.cut  # a document's last piece also has its second part
    return fold_in_pieces(pieces, folding.of(pieces.partition, end), n_threads)[0]


@bare_kernel
def _log_likely(
    words: Words,
    doc_topic: NDArray[np.float64],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    row: NDArray[np.float32],
) -> tuple[float, int]:
    """Sum log p(word | document) over known tokens from ``start`` to ``end``. Also return their number."""
    rows, offset, phi = words.rows, words.offset, words.phi
    n = row.size
    total, n_scored = 0.0, 0
    for d in range(start.size):
        for k in range(doc_topic.shape[1]):
            row[k] = doc_topic[d, k]
        for i in range(start[d], end[d]):
            if rows[i - offset] < 0:
                continue
            at = rows[i - offset] * n
            likely = every(np.float32(0))
            for v in range(0, n, WIDTH):
                likely = likely + load(row, v) * load(phi, at + v)
            total += math.log(first(last(prefix_sum(likely))))
            n_scored += 1
    return total, n_scored
