"""What a fitted miner holds: mined phrases, how documents are segmented, and the judgement of phrases."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.phrases.instance_counts import Text, WritingTables
from topminer.phrases.mining import Mined
from topminer.phrases.partition import Partition
from topminer.phrases.phrase_index import ids_of
from topminer.phrases.quality import N_STATISTICS, Judge, judge_phrases
from topminer.phrases.segmentation import segment
from topminer.phrases.segmenter import Segmenter, Settings
from topminer.phrases.sequence import Floats, Int32s, Sequence
from topminer.phrases.ties import Ties, no_ties, ties_of
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus


class Judged(NamedTuple):
    """The phrases that were judged, as they are stored."""

    ids: NDArray[np.int32]
    quality: Floats
    statistics: Floats  # (phrases, statistics), in the order of quality.WEIGHTS


class Fitted:
    """Mined phrases, and what it takes to segment documents by them.

    ``corpus`` is the corpus that they were mined from; its documents need not be present. ``tied`` says
    whether words with hyphens are read as several words (ties.py). A stored fit also has what was ``judged``,
    and the ``strength`` of each token in the corpus's partition.
    """

    def __init__(
        self,
        mined: Mined,
        corpus: Corpus,
        settings: Settings,
        *,
        tied: bool,
        ties: Ties | None = None,
        judged: Judged | None = None,
        strength: Floats | None = None,
    ) -> None:
        self.mined, self.corpus, self.settings, self.tied = mined, corpus, settings, tied
        self._ties, self._judged = ties, judged
        self.partition = None if strength is None else self._partition(corpus, strength)

    def _partition(self, corpus: Corpus, strength: Floats) -> Partition:
        return Partition.from_strength(corpus, strength, self.settings.threshold)

    @cached_property
    def ties(self) -> Ties:
        """How words with hyphens are read."""
        if self._ties is not None:
            return self._ties
        return ties_of(self.corpus) if self.tied else no_ties(self.corpus.n_stems)

    @cached_property
    def _unjudging(self) -> Segmenter:
        return Segmenter.of(self.mined, self.ties, self.settings)

    @cached_property
    def segmenter(self) -> Segmenter:
        """Cuts documents as the corpus was cut. A stored model is opened without it."""
        return self._unjudging._replace(n_left=None if self.judge is None else self.judge.n_left)

    @cached_property
    def judge(self) -> Judge | None:
        """The judgement of the phrases; None if nothing is judged."""
        if self.settings.cut is None:
            return None
        judge = self.new_judge(self.settings.cut)
        if self._judged is not None:
            ids, quality, statistics = self._judged
            judge.restore(ids.astype(np.int64), quality, statistics)
        return judge

    def new_judge(self, cut: float) -> Judge:
        """Return a judge that has judged nothing yet."""
        return Judge(self.mined, self._unjudging.stem_index, self.corpus.vocabulary["stem"], cut)

    def take_judge(self, judge: Judge) -> None:
        """Take over a judgement."""
        self.__dict__["judge"] = judge

    @property
    def judged(self) -> Judged:
        """What was judged, to be stored."""
        if "judge" not in self.__dict__ and self._judged is not None:
            return self._judged
        if self.judge is None:
            return Judged(np.zeros(0, np.int32), np.zeros(0), np.zeros((0, N_STATISTICS)))
        ids = self.judge.ids
        return Judged(ids.astype(np.int32), self.judge.quality[ids], self.judge.statistics[ids])

    def release(self) -> None:
        """Forget what is made again when it is needed: the tables that segment, and those that judge."""
        self._judged = self.judged
        for name in ("judge", "segmenter", "_unjudging"):
            self.__dict__.pop(name, None)

    def cut_and_judge(self, text: Sequence, longest: Int32s, n_threads: int, progress: Progress) -> Floats:
        """Segment the corpus, judge the phrases that it is cut into, and split those that are rejected.

        ``longest`` is the longest phrase that starts at each atom of the text. Return the strength of the
        boundary before each token.
        """
        scored, corpus = self._unjudging.scored, self.corpus
        atoms = self._unjudging.glue(text)
        strength = segment(atoms, longest, scored, n_threads, progress)
        if self.settings.cut is not None:
            judge, tree = self.new_judge(self.settings.cut), scored.tree
            del scored
            self.__dict__.pop("_unjudging")  # its tables are long, and made again when they are needed
            tables = WritingTables.of(corpus.gaps, corpus.surfaces["surface"])
            written = Text.of(atoms, tables, corpus.gap_ids, corpus.surface_ids)
            judge_phrases(written, longest, tree, strength, self.settings.threshold, judge)
            self.take_judge(judge)
        return atoms.moved_to_tokens(strength)

    def segment(self, corpus: Corpus, n_threads: int = 1, progress: Progress = silent) -> Partition:
        """Segment documents that have the vocabulary of the mined corpus."""
        atoms = self.segmenter.read(Sequence.of(corpus))
        return self._partition(corpus, atoms.of_tokens(self.segmenter.strengths(atoms, n_threads, progress)))

    def take_strength(self, corpus: Corpus, strength: Floats) -> Partition:
        """Take over the corpus and the strengths of its partition, which were found elsewhere."""
        self.corpus, self.partition = corpus, self._partition(corpus, strength)
        return self.partition

    def forget_documents(self) -> None:
        """Keep only what it takes to segment new documents."""
        self.corpus, self.partition = self.corpus[:0], None

    def with_phrases(self, mined: Mined) -> Fitted:
        """Return the same with more phrases, mined from the same corpus with less support."""
        more = Fitted(mined, self.corpus, self.settings, tied=self.tied, ties=self.ties)
        if self.judge is not None and more.judge is not None:
            old, index = self.judge.ids, more._unjudging.stem_index
            length = self.mined.length_of(old.astype(np.int32))
            for n_words in range(2, self.mined.max_length + 1):
                some = old[length == n_words]
                stems = self.mined.stems_of(n_words)[some - self.mined.length_start[n_words]]
                new = ids_of(index, stems.reshape(-1), n_words * np.arange(some.size + 1))
                more.judge.restore(new, self.judge.quality[some], self.judge.statistics[some])
        return more
