"""Segmentation and phrase quality on several workers, as phrases/fitted.py does them on one machine.

Each worker segments its own documents and counts over its own instances. Counts are added up; distinct words
before a phrase, and between its words, are counted by ranges of a hash, since several workers may have the
same. The driver judges, and tells every worker which phrases to split. That is repeated until no part of a
split phrase is left to be judged.
"""

from __future__ import annotations

import numpy as np

from topminer.containers.strings import StringTable
from topminer.engines.contract import Placed, run_alike
from topminer.phrases.cliques import Cliques, find_cliques, split_rejected
from topminer.phrases.fitted import Fitted
from topminer.phrases.instance_counts import N_SUMS, Counts, Pairs, Text, WritingTables
from topminer.phrases.mining import Mined
from topminer.phrases.quality import Judge
from topminer.phrases.segmentation import segment
from topminer.phrases.segmenter import Segmenter, Settings
from topminer.phrases.sequence import Bools, Int32s, Int64s, Sequence
from topminer.phrases.ties import Ties
from topminer.progress import Progress
from topminer.run.mining import MiningWorker, as_keys, as_strings
from topminer.run.reduce import Counted, exchanged, total
from topminer.store import AnyReader
from topminer.topics.sampler.exchange import own

_STEP = 1 << 24  # atoms that a worker segments between two reports of progress
_BEFORE, _BETWEEN = "before", "between"


class JudgingWorker(MiningWorker):
    """Documents that can be mined, then segmented and their phrases judged."""

    _segmenter: Segmenter
    _atoms: Sequence
    _text: Text
    _cliques: Cliques  # in counted chunks
    _uncounted: Cliques  # in the others

    def prepare(self, mined: Mined, ties: Ties, settings: Settings) -> int:
        """Prepare to segment, now that mining is over. Return the number of atoms."""
        self._segmenter = Segmenter.of(own(mined), own(ties), settings)
        self._atoms = self._segmenter.glue(self.text)
        self._strength = np.empty(self._atoms.ids.size)
        return self._atoms.ids.size

    def segment(self, step: int) -> int:
        """Segment the chunks that start in one step. Return how many atoms are done."""
        chunk_start = self._atoms.chunk_start
        ends = np.searchsorted(chunk_start, [step * _STEP, (step + 1) * _STEP])
        first, behind = np.minimum(ends, chunk_start.size - 1)
        atoms = slice(chunk_start[first], chunk_start[behind])
        part = self._atoms.chunks(first, behind)
        self._strength[atoms] = segment(part, self.longest[atoms], self._segmenter.scored, self.n_threads)
        return int(atoms.stop)

    def start_judging(self, reader: AnyReader, tables: WritingTables) -> tuple[int, int]:
        """Find the instances in counted chunks. Return how many atoms have a capital, and how many atoms."""
        tokens = slice(self._first_token, self._first_token + self.stem_ids.size)
        gap_ids = reader.array("gap_ids", tokens.start, tokens.stop)
        surface_ids = reader.array("surface_ids", tokens.start, tokens.stop)
        self._text = Text.of(self._atoms, own(tables), gap_ids, surface_ids)
        threshold, tree = self._segmenter.settings.threshold, self._segmenter.scored.tree
        cliques = find_cliques(self._strength, threshold, self.longest, tree)
        self._cliques, self._uncounted = self._text.counted(cliques)
        return self._text.capitals()

    def keep_unjudged(self, is_judged: Bools) -> int:
        """Keep the instances of phrases that were not judged yet. Return how many there are."""
        ids = self._cliques.ids
        self._cliques = self._cliques.chosen((ids >= 0) & ~is_judged[ids])
        return self._cliques.ids.size

    def look(self, n: int) -> Int64s:
        """Count over the instances that are left, and offer the pairs. Return the rows of counts, joined."""
        rows, before, between = self._text.look_at(self._cliques, n)
        for name, pairs in ((_BEFORE, before), (_BETWEEN, between)):
            self.offered[name] = as_strings(pairs.keys), pairs.counts
        return rows.reshape(-1)

    def reduce_pairs(self, name: str, n: int, *pieces: Counted) -> Int64s:
        """Count the pairs of one range on all workers. Return what is needed of them, by phrase."""
        table = StringTable()
        counts = np.zeros(sum(piece.counts.size for piece in pieces), np.int64)
        for piece in pieces:
            counts[table.add_strings(own(piece.strings))] += piece.counts  # distinct on each worker
        pairs = Pairs(as_keys(table.since()), counts[: len(table)])
        return pairs.n_log_n(n) if name == _BEFORE else pairs.most(n)

    def split(self, n_left: Int32s) -> None:
        """Split the instances of phrases that were rejected; keep the pieces."""
        self._cliques = self._cut(self._cliques, own(n_left))

    def _cut(self, cliques: Cliques, n_left: Int32s) -> Cliques:
        return split_rejected(cliques, n_left, self.longest, self._segmenter.scored.tree, self._strength)

    def finish(self, n_left: Int32s | None) -> None:
        """Cut what is rejected in the other chunks, and hold the strengths of the tokens."""
        if n_left is not None:
            self._cut(self._uncounted, own(n_left))
        self._strength = self.held["strength"] = self._atoms.moved_to_tokens(self._strength)
        for name in ("_segmenter", "_atoms", "_text", "_cliques", "_uncounted", "longest", "text"):
            self.__dict__.pop(name, None)


def segment_and_judge(placed: Placed, fitted: Fitted, reader: AnyReader, progress: Progress) -> None:
    """Segment the workers' documents, and judge the phrases. The workers hold ``strength`` afterwards."""
    share = placed.engine.share
    sizes = run_alike(placed, "prepare", share(fitted.mined), share(fitted.ties), fitted.settings)
    for step in range(-(-max(sizes) // _STEP)):
        progress("Segmenting", sum(run_alike(placed, "segment", step)), sum(sizes), "tokens")
    judge = None
    if fitted.settings.cut is not None:
        judge = fitted.new_judge(fitted.settings.cut)
        _judge(placed, judge, reader)
        fitted.take_judge(judge)
    run_alike(placed, "finish", None if judge is None else share(judge.n_left))


def _judge(placed: Placed, judge: Judge, reader: AnyReader) -> None:
    share, n_phrases = placed.engine.share, judge.quality.size
    tables = WritingTables.of(reader.table("gaps")["gap"], reader.table("surfaces")["surface"])
    found = run_alike(placed, "start_judging", share(reader), share(tables))
    judge.set_usual_capitals(*np.sum(found, axis=0).tolist())
    while True:
        if sum(run_alike(placed, "keep_unjudged", share(~np.isnan(judge.quality)))) == 0:
            return
        rows = total(placed, "look", n_phrases).reshape(n_phrases, N_SUMS)
        n_log_n, most_fixed = (_reduced(placed, name, n_phrases) for name in (_BEFORE, _BETWEEN))
        judge.judge(Counts.of(rows, np.sum(n_log_n, axis=0), np.max(most_fixed, axis=0)))
        run_alike(placed, "split", share(judge.n_left))


def _reduced(placed: Placed, name: str, n_phrases: int) -> list[Int64s]:
    """Have each worker count the pairs of one range."""
    pieces = exchanged(placed, "cut_offered", name, len(placed.engine.threads))
    reduced: list[Int64s] = placed.run("reduce_pairs", [(name, n_phrases, *each) for each in pieces])
    return reduced
