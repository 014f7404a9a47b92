"""Mined phrases and everything else that it takes to cut documents: ties, own phrases, rejected phrases."""

from __future__ import annotations

from typing import NamedTuple

from topminer.phrases.cliques import find_cliques, split_rejected
from topminer.phrases.mining import Mined
from topminer.phrases.own import glue
from topminer.phrases.phrase_index import PhraseIndex, Stems, find_longest
from topminer.phrases.segmentation import ScoredPhrases, score_phrases, segment
from topminer.phrases.sequence import Floats, Int32s, Sequence
from topminer.phrases.ties import Ties
from topminer.progress import Progress, silent


class Settings(NamedTuple):
    """How documents are segmented, as fitted. Own phrases are given by their atoms."""

    threshold: float
    cut: float | None  # the lowest quality of a phrase; None: phrases are not judged
    always: list[Stems]
    never: list[Stems]


class Segmenter(NamedTuple):
    """Cuts documents into phrases."""

    stem_index: PhraseIndex
    scored: ScoredPhrases
    ties: Ties
    settings: Settings
    n_left: Int32s | None = None  # by phrase: where a rejected one is split (quality.py)

    @classmethod
    def of(cls, mined: Mined, ties: Ties, settings: Settings) -> Segmenter:
        """Prepare mined phrases for segmentation."""
        index = mined.make_index()
        return cls(index, score_phrases(mined, index, settings.never), ties, settings)

    def read(self, tokens: Sequence) -> Sequence:
        """Return tokens as atoms, and glue together what always belongs together."""
        return self.glue(self.ties.expanded(tokens))

    def glue(self, atoms: Sequence) -> Sequence:
        """Glue together what always belongs together."""
        return glue(atoms, self.settings.always, self.stem_index.n_stems)

    def strengths(self, atoms: Sequence, n_threads: int = 1, progress: Progress = silent) -> Floats:
        """Return the strength of the boundary before each atom; -inf inside rejected phrases."""
        longest = find_longest(atoms, self.stem_index, n_threads)
        strength = segment(atoms, longest, self.scored, n_threads, progress)
        if self.n_left is not None:
            cliques = find_cliques(strength, self.settings.threshold, longest, self.scored.tree)
            split_rejected(cliques, self.n_left, longest, self.scored.tree, strength)
        return strength
