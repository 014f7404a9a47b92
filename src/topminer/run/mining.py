"""Algorithm 1 on several workers, each with a run of documents.

The loop over lengths is the one of phrases/mining.py; here is who counts for it. Of each length, the workers
count their candidates roughly, add up the cells, each worker a range of them, and get all ranges. What is
then likely is counted exactly by each, and the counts are reduced by key range: only frequent phrases
come to the driver, and each worker is told what its candidates have become.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import frozen
from topminer.containers.strings import SPARE, Strings
from topminer.engines.contract import Placed, run_alike
from topminer.engines.held import Held
from topminer.errors import InputError
from topminer.phrases.candidates import Blocks, Cells
from topminer.phrases.evidence import are_first, long_chunks
from topminer.phrases.mining import Mined, corrections, mine_with
from topminer.phrases.sequence import Int64s, Sequence
from topminer.phrases.ties import Ties
from topminer.progress import Progress, silent
from topminer.run.reduce import Distinct, Sums, number, summed, total
from topminer.store import AnyReader
from topminer.topics.sampler.exchange import own

_CANDIDATES, _CHUNKS = "candidates", "chunks"


class MiningWorker(Distinct, Sums, Held):
    """The documents from ``first`` to ``last`` of a stored corpus, and their candidates."""

    def __init__(self, reader: AnyReader, first: int, last: int, n_stems: int, n_threads: int) -> None:
        super().__init__()
        self.first, self.last = first, last
        self.n_stems, self.n_threads = n_stems, n_threads
        doc_start = reader.array("doc_start", first, last + 1)
        start, stop = int(doc_start[0]), int(doc_start[-1])
        chunks = reader.lazy_array("chunk_start").searchsorted((start, stop))
        self._first_token, self.doc_start = start, doc_start - start
        # Read-only, as a corpus has them: kernels were compiled for that.
        self.stem_ids = frozen(reader.array("stem_ids", start, stop))
        self.chunk_start = frozen(reader.array("chunk_start", chunks[0], chunks[1] + 1) - start)
        self._check()
        self._blocks: Blocks | None = None

    def _check(self) -> None:
        """Validate the arrays before a kernel indexes with them."""
        n_tokens = self.stem_ids.size
        stems = self.stem_ids if n_tokens else np.zeros(1, np.int32)
        if not (
            (self.chunk_start[0], self.chunk_start[-1]) == (0, n_tokens)
            and np.all(np.diff(self.chunk_start) > 0)
            and np.all(np.diff(self.doc_start) >= 0)
            and (stems.min() >= 0 and stems.max() < self.n_stems)
        ):
            raise InputError("damaged: the tokens of the corpus do not fit its documents or its vocabulary")

    def offer_chunks(self, least: int) -> None:
        """Offer digests of the chunks of at least ``least`` tokens, to find those that are repeated."""
        self._long_chunks, digests = long_chunks(Sequence(self.stem_ids, self.chunk_start), least)
        distinct, first, which, counts = np.unique(
            digests, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first)  # by first occurrence
        number_of = np.empty(order.size, np.int64)
        number_of[order] = np.arange(order.size)
        self._texts = number_of[which]
        self.offered[_CHUNKS] = as_strings(distinct[order]), counts[order]

    def n_texts(self) -> int:
        """Return one more than the highest number of a repeated text here; 0: there is none."""
        return int(self.numbers[_CHUNKS].max(initial=-1)) + 1

    def read_text(self, ties: Ties, n_before: int | None) -> None:
        """Read tokens as atoms. Workers before this one have the repeated texts below ``n_before``.

        None: every chunk is counted.
        """
        is_counted = None
        if n_before is not None:
            is_counted = np.ones(self.chunk_start.size - 1, np.bool_)
            numbers = self.numbers.pop(_CHUNKS)[self._texts].astype(np.int64)
            repeated = numbers >= 0
            is_counted[self._long_chunks[repeated]] = are_first(numbers[repeated], n_before)
        atoms = own(ties).expanded(Sequence(self.stem_ids, self.chunk_start))
        self.text = atoms._replace(is_counted=is_counted)

    def stems(self) -> Int64s:
        """Begin to mine. Return how often each stem occurs here."""
        self._blocks = Blocks(self.text, self.n_stems, self.n_threads)
        return self._blocks.count_stems()

    def corrections(self, mined: Mined) -> Int64s:
        """End mining. Return both corrections of the counts of mined phrases, one after the other."""
        self.longest, self._blocks = self._mined.longest, None
        return np.concatenate(corrections(self.text, self.longest, own(mined)))

    def start(self, frequent: NDArray[np.bool_]) -> int:
        """Make candidates. Return how many there are."""
        self._mined.start(own(frequent))
        return self._mined.n_candidates

    def roughly(self, length: int, n_candidates: int, min_support: int) -> Cells:
        """Count the candidates of one length by cell."""
        return self._mined.count_by_cell(length, n_candidates, min_support)

    def likely(self, length: int, min_support: int, *cells: NDArray[Any]) -> None:
        """Offer the keys of the candidates of one length whose cell has enough, given all ranges of cells."""
        keys, counts = self._mined.count_likely(length, np.concatenate(cells), min_support)
        self.offered[_CANDIDATES] = as_strings(keys), counts

    def advance(self, first_id: int) -> int:
        """Make the candidates of the next length, now that keys have numbers. Return how many there are."""
        numbers = self.numbers.pop(_CANDIDATES)
        self._mined.advance(np.where(numbers >= 0, numbers + np.int32(first_id), np.int32(-1)))
        return self._mined.n_candidates

    @property
    def _mined(self) -> Blocks:
        assert self._blocks is not None
        return self._blocks


def document_runs(reader: AnyReader, weights: list[int]) -> list[tuple[int, int]]:
    """Return ranges of documents of a stored corpus, whose tokens are about proportional to the weights."""
    n_documents, n_tokens = reader.lengths()["doc_start"] - 1, reader.lengths()["stem_ids"]
    wanted = [n_tokens * sum(weights[:w]) // sum(weights) for w in range(1, len(weights))]
    cuts = np.minimum(reader.lazy_array("doc_start").searchsorted(wanted), n_documents).tolist()
    return list(pairwise([0, *cuts, n_documents]))


class _Workers:
    """Counts for Algorithm 1 on all workers."""

    def __init__(self, placed: Placed) -> None:
        self._placed = placed
        self.n_candidates = 0

    def count_stems(self) -> Int64s:
        return total(self._placed, "stems")

    def start(self, frequent: NDArray[np.bool_]) -> None:
        shared = self._placed.engine.share(frequent)
        self.n_candidates = sum(run_alike(self._placed, "start", shared))

    def count(self, length: int, first_id: int, min_support: int) -> tuple[Int64s, Int64s]:
        cells = summed(self._placed, "roughly", length, self.n_candidates, min_support)
        run_alike(self._placed, "likely", length, min_support, *cells)
        del cells
        strings, counts = number(self._placed, _CANDIDATES, least=min_support)
        self.n_candidates = sum(run_alike(self._placed, "advance", first_id))
        return as_keys(strings), counts


def mine(
    placed: Placed,
    ties: Ties,
    least_words: int | None,
    min_support: int,
    max_length: int | None = None,
    progress: Progress = silent,
) -> Mined:
    """Find the frequent phrases of a corpus whose documents lie at workers, as one machine would.

    ``placed`` are :class:`MiningWorker`. The result does not depend on the number of workers.
    """
    n, n_stems = len(placed.engine.threads), ties.start.size - 2
    before: list[int | None] = [None] * n
    if least_words is not None:
        run_alike(placed, "offer_chunks", least_words)
        number(placed, _CHUNKS, least=2)
        n_texts = placed.run("n_texts")
        before = [max(n_texts[:worker], default=0) for worker in range(n)]
    shared = placed.engine.share(ties)
    placed.run("read_text", [(shared, each) for each in before])
    mined = mine_with(_Workers(placed), n_stems, min_support, max_length, progress)
    broken, uncounted = total(placed, "corrections", placed.engine.share(mined)).reshape(2, -1)
    return mined.with_counts(broken, uncounted)


def as_strings(keys: Int64s) -> Strings:
    """Return integers as strings of eight bytes."""
    return Strings(
        np.append(keys.view(np.uint64), np.zeros(SPARE // 8, np.uint64)), 8 * np.arange(keys.size + 1)
    )


def as_keys(strings: Strings) -> Int64s:
    """Return the integers of :func:`as_strings`."""
    first, behind = strings.bounds[[0, -1]] // 8
    return strings.words[first:behind].view(np.int64)
