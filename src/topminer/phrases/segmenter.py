"""Mined phrases and everything else that it takes to cut documents: ties, own phrases, rejected phrases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from topminer.phrases.cliques import find_cliques, split_rejected
from topminer.phrases.evidence import counted_chunks
from topminer.phrases.mining import Mined, mine
from topminer.phrases.own import glue
from topminer.phrases.phrase_index import PhraseIndex, Stems, count_broken, count_phrases
from topminer.phrases.segmentation import ScoredPhrases, score_phrases, segment
from topminer.phrases.sequence import Bools, Floats, Int32s, Int64s, Sequence
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

    scored: ScoredPhrases
    ties: Ties
    settings: Settings
    n_left: Int32s | None = None  # by phrase: where a rejected one is split (quality.py)

    @classmethod
    def of(cls, mined: Mined, ties: Ties, settings: Settings) -> Segmenter:
        """Prepare mined phrases for segmentation."""
        return cls(score_phrases(mined, settings.never), ties, settings)

    def read(self, tokens: Sequence) -> Sequence:
        """Return tokens as atoms, and glue together what always belongs together."""
        return glue(self.ties.expanded(tokens), self.settings.always, self.scored.stem_index.n_stems)

    def strengths(self, atoms: Sequence, n_threads: int = 1, progress: Progress = silent) -> Floats:
        """Return the strength of the boundary before each atom; -inf inside rejected phrases."""
        strength = segment(atoms, self.scored, n_threads, progress)
        self.cut(atoms.ids, strength)
        return strength

    def cut(self, stems: Int32s, strength: Floats) -> None:
        """Cut the instances of rejected phrases."""
        if self.n_left is not None:
            index = self.scored.stem_index
            cliques = find_cliques(stems, strength, self.settings.threshold, index)
            split_rejected(stems, cliques, self.n_left, index, strength)

    def cut_rest(self, text: Counted, strength: Floats, counted_strength: Floats) -> None:
        """Cut all chunks of a text whose counted chunks were cut already."""
        if text.is_counted is not None:
            strength[text.chosen] = counted_strength
            rest, atoms = text.atoms.only(~text.is_counted)
            rest_strength = strength[atoms]
            self.cut(rest.ids, rest_strength)
            strength[atoms] = rest_strength


class Counted(NamedTuple):
    """The text of a corpus, and the part of it that is counted."""

    atoms: Sequence
    counted: Sequence
    is_counted: Bools | None = None  # of each chunk; None: all are
    chosen: Int64s | None = None  # the atoms that are counted; None: all

    @classmethod
    def of(cls, tokens: Sequence, ties: Ties, least_words: int | None) -> Counted:
        """Read tokens as atoms, and find the chunks that are counted."""
        return cls.choose(ties.expanded(tokens), counted_chunks(tokens, least_words))

    @classmethod
    def choose(cls, atoms: Sequence, is_counted: Bools | None) -> Counted:
        """Choose the chunks that are counted; None: all."""
        if is_counted is None:
            return cls(atoms, atoms)
        counted, chosen = atoms.only(is_counted)
        return cls(atoms, counted, is_counted, chosen)

    def mine(
        self, n_stems: int, min_support: int, max_length: int | None, n_threads: int, progress: Progress
    ) -> Mined:
        """Mine the counted chunks, and count the phrases found in all chunks."""
        mined = mine(self.counted, n_stems, min_support, max_length, n_threads, progress)
        return mined.with_counts(*self.corrections(mined.make_index()))

    def corrections(self, index: PhraseIndex) -> tuple[Int64s, Int64s]:
        """Count, by phrase, the places that mining has counted in vain, and those in chunks not counted."""
        broken = count_broken(self.counted, index)
        if self.is_counted is None:
            return broken, np.zeros_like(broken)
        rest, _ = self.atoms.only(~self.is_counted)
        return broken, count_phrases(rest, index) - count_broken(rest, index)
