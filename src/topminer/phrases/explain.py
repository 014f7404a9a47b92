"""Why a text is cut into these phrases: its merge tree, the dendrogram of the paper's section 4.2.

Every merge of Algorithm 2 is told with what was seen and what chance would have it, those below the threshold
too. With a threshold of 4::

    Mining    ┐ 7.9: seen 64 times, expected 0.8
    frequent  ┘     ┐ 2.9: seen 9 times, expected 0.2; below the threshold, so it does not happen
    patterns  ──────┘

Between two phrases that stay apart the reason is told as well. Mining keeps no counts of what is rare; such
counts are taken here, from the mined corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from topminer.phrases.miner import PhraseMiner
from topminer.phrases.mining import MAX_LENGTH
from topminer.phrases.segmentation import Merges, occurrences
from topminer.phrases.significance import significance
from topminer.phrases.support import SCORER_NAMES
from topminer.text.corpus import Corpus

Reason = Literal["chunk", "unknown", "rare", "long", "never", "score"]


@dataclass(frozen=True)
class Token:
    """A kept token of the text; it is ``text[start:end]``."""

    text: str
    start: int
    end: int
    stem: str
    count: int  # how often the corpus has the stem; 0: never
    chunk: int  # 0 is the first
    glued: bool  # to the token before it, by a phrase that is always whole


@dataclass(frozen=True)
class Phrase:
    """A run of kept tokens, ``tokens[first:behind]``, as it stands in the text: ``text[start:end]``."""

    first: int
    behind: int
    start: int
    end: int
    text: str
    stems: tuple[str, ...]
    count: int | None  # f(P), how often the corpus has the stems; None: rare, and nobody knows
    always: bool  # one unit from the start, because the user wants it whole

    @property
    def length(self) -> int:
        """The number of its words."""
        return self.behind - self.first


@dataclass(frozen=True)
class Merge:
    """Two neighbours that become one phrase."""

    left: Phrase
    right: Phrase
    made: Phrase
    observed: int  # f(P1 ⊕ P2)
    expected: float  # f(P1) f(P2) / L
    score: float
    strength: float  # the lowest score so far
    happens: bool  # at the threshold


@dataclass(frozen=True)
class Neighbours:
    """Two phrases of the partition that stand side by side, and why they are not one."""

    left: Phrase
    right: Phrase
    reason: Reason
    between: str  # what stands between them in the text
    observed: int | None  # how often the corpus has one behind the other; None: nobody knows, or asks
    expected: float | None
    score: float | None  # None: not frequent, so that it has none


@dataclass(frozen=True)
class Explanation:
    """The merge tree of one text. Its nodes are the units and what each merge made."""

    text: str
    tokens: tuple[Token, ...]
    units: tuple[Phrase, ...]  # what merging starts from: single words, but for what is always whole
    merges: tuple[Merge, ...]  # in the order of Algorithm 2
    phrases: tuple[Phrase, ...]  # the partition at the threshold
    neighbours: tuple[Neighbours, ...]  # of the partition, from left to right
    threshold: float
    scorer: str
    min_support: int
    max_length: int
    n_tokens: int  # kept tokens of the corpus: L

    @property
    def pieces(self) -> Iterator[tuple[Phrase | None, str]]:
        """The whole text in pieces: each phrase of the partition, and (None) what stands around it."""
        at = 0
        for phrase in self.phrases:
            yield None, self.text[at : phrase.start]
            yield phrase, phrase.text
            at = phrase.end
        yield None, self.text[at:]


def explain(miner: PhraseMiner, text: str) -> Explanation:
    """Explain how a fitted miner cuts one text."""
    corpus, merged = miner.merges(text)
    partition = miner.transform(corpus)
    words = [stem for phrase in partition.to_lists()[0] for stem in phrase]
    assert corpus.texts is not None and partition.strength is not None
    reader = _Reader(miner, corpus, corpus.texts[0], words, (partition.strength == np.inf).tolist())
    scorer, _, _, threshold = miner.cutting  # as fitted: parameters may have been set since
    units = reader.units()
    merges = list(reader.tree(units, merged, threshold))
    made = {(phrase.first, phrase.behind): phrase for phrase in [*units, *(merge.made for merge in merges)]}
    phrases = [made[cut] for cut in pairwise(partition.clique_start.tolist())]
    return Explanation(
        text=reader.text,
        tokens=reader.tokens,
        units=tuple(units),
        merges=tuple(merges),
        phrases=tuple(phrases),
        neighbours=tuple(reader.neighbours(left, right) for left, right in pairwise(phrases)),
        threshold=threshold,
        scorer=SCORER_NAMES[scorer],
        min_support=miner.min_support_,
        max_length=reader.max_length,
        n_tokens=reader.mined.n_tokens,
    )


class _Reader:
    """One text beside what was mined."""

    def __init__(
        self, miner: PhraseMiner, corpus: Corpus, text: str, words: list[str], glued: list[bool]
    ) -> None:
        self.text = text
        self.mined = miner._phrases
        self.max_length = miner.max_length or MAX_LENGTH
        self._joins, self._corpus = miner._joins, miner._corpus
        self._stem_ids = corpus.stem_ids
        found = zip(*occurrences(corpus.stem_ids, corpus.chunk_start, self._joins).tolist(), strict=True)
        self._frequent = {(first, first + length): phrase for first, length, phrase in found}
        chunk_of = np.searchsorted(corpus.chunk_start, np.arange(corpus.n_tokens), side="right") - 1
        places = zip(corpus.starts.tolist(), corpus.stops.tolist(), strict=True)
        self.tokens = tuple(
            Token(text[start:end], start, end, words[i], self._n_seen(i), int(chunk_of[i]), glued[i])
            for i, (start, end) in enumerate(places)
        )

    def _n_seen(self, i: int) -> int:
        stem = self._stem_ids[i]
        return int(self.mined.support[stem]) if stem >= 0 else 0

    def _phrase(self, first: int, behind: int, count: int | None) -> Phrase:
        tokens = self.tokens[first:behind]
        start, end = tokens[0].start, tokens[-1].end
        stems = tuple(token.stem for token in tokens)
        always = len(tokens) > 1 and all(token.glued for token in tokens[1:])
        return Phrase(first, behind, start, end, self.text[start:end], stems, count, always)

    def _count(self, first: int, behind: int) -> int | None:
        """How often the mined corpus has the stems of some tokens in one chunk, however rare they are."""
        if (first, behind) in self._frequent:
            return int(self.mined.support[self._frequent[first, behind]])
        corpus, (stem, *more) = self._corpus, self._stem_ids[first:behind].tolist()
        if corpus.n_tokens != self.mined.n_tokens:
            return None
        at = np.flatnonzero(corpus.stem_ids == stem)
        chunk_end = corpus.chunk_start[np.searchsorted(corpus.chunk_start, at, side="right")]
        at = at[at + len(more) < chunk_end]
        for offset, stem in enumerate(more, 1):
            at = at[corpus.stem_ids[at + offset] == stem]
        return at.size

    def units(self) -> list[Phrase]:
        """What merging starts from."""
        starts = [i for i, token in enumerate(self.tokens) if not token.glued]
        units = []
        for first, behind in pairwise([*starts, len(self.tokens)]):
            count = self.tokens[first].count if behind == first + 1 else self._count(first, behind)
            units.append(self._phrase(first, behind, count))
        return units

    def tree(self, units: list[Phrase], merged: Merges, threshold: float) -> Iterator[Merge]:
        """The merges, with the phrases they join and make."""
        starting = {unit.first: unit for unit in units}
        ending = {unit.behind: unit for unit in units}
        support = self.mined.support
        for boundary, f1, f2, f12, score, strength in zip(
            merged.boundary.tolist(),
            support[merged.left].tolist(),
            support[merged.right].tolist(),
            support[merged.joined].tolist(),
            merged.score.tolist(),
            merged.strength.tolist(),
            strict=True,
        ):
            left, right = ending[boundary], starting[boundary]
            made = self._phrase(left.first, right.behind, f12)
            starting[made.first] = ending[made.behind] = made
            expected = f1 * f2 / self.mined.n_tokens
            yield Merge(left, right, made, f12, expected, score, strength, strength >= threshold)

    def neighbours(self, left: Phrase, right: Phrase) -> Neighbours:
        """Why two phrases of the partition are not one."""
        between = self.text[left.end : right.start]
        if self.tokens[left.first].chunk != self.tokens[right.first].chunk:
            return Neighbours(left, right, "chunk", between, None, None, None)
        if any(token.count == 0 for token in self.tokens[left.first : right.behind]):
            return Neighbours(left, right, "unknown", between, 0, None, None)
        observed, expected = self._count(left.first, right.behind), None
        if left.count is not None and right.count is not None:
            expected = left.count * right.count / self.mined.n_tokens
        joined = self._frequent.get((left.first, right.behind))
        if joined is None or observed is None or left.count is None or right.count is None:
            is_too_long = left.length + right.length > self.max_length
            is_rare = observed is not None and observed < self.mined.min_support
            reason: Reason = "long" if is_too_long and not is_rare else "rare"
            return Neighbours(left, right, reason, between, observed, expected, None)
        if self._joins.score[joined] == -np.inf:
            return Neighbours(left, right, "never", between, observed, expected, None)
        n_tokens, scorer = self.mined.n_tokens, self._joins.scorer
        score = significance(left.count, right.count, observed, n_tokens, scorer)
        return Neighbours(left, right, "score", between, observed, expected, score)
