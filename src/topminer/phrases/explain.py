"""Why a text is segmented into these phrases: its merge tree, the dendrogram of the paper's section 4.2.

Every merge of Algorithm 2 is listed with the observed and the expected count, also merges below the
threshold. With a threshold of 4::

    Mining    ┐ 7.9: seen 64 times, expected 0.8
    frequent  ┘     ┐ 2.9: seen 9 times, expected 0.2; below the threshold, so it does not happen
    patterns  ──────┘

Phrases that Algorithm 2 has finished are then judged, and split where their quality is too low. For two
neighbouring phrases that stay apart, the reason is given. Mining keeps no counts of rare sequences; they are
counted here, in the mined corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from topminer.phrases.evidence import counted_once, least_words
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.mining import MAX_LENGTH
from topminer.phrases.phrase_index import Stems, find_longest, ids_of, supports_in
from topminer.phrases.quality import WEIGHTS
from topminer.phrases.scores import significance
from topminer.phrases.segmentation import find_merges, phrase_bounds, segment
from topminer.phrases.sequence import Sequence

Reason = Literal["chunk", "unknown", "rare", "long", "never", "score", "quality"]


@dataclass(frozen=True)
class Token:
    """A kept token of the text; it is ``text[start:end]``."""

    text: str
    start: int
    end: int
    stem: str
    count: int  # how often the stem occurs in the corpus
    chunk: int  # 0 is the first
    glued: bool  # whether a phrase that is always whole joins it to the token before it


@dataclass(frozen=True)
class Phrase:
    """The kept tokens ``tokens[first:behind]``, which are ``text[start:end]``."""

    first: int
    behind: int
    start: int
    end: int
    text: str
    stems: tuple[str, ...]
    count: int | None  # f(P), its evidence in the corpus; None: not known, as the corpus is not loaded
    always: bool  # whether it is one unit from the start, because the user wants it whole

    @property
    def length(self) -> int:
        """The number of its words."""
        return self.behind - self.first


@dataclass(frozen=True)
class Merge:
    """Two neighbouring phrases that become one."""

    left: Phrase
    right: Phrase
    made: Phrase
    observed: int  # f(P1 ⊕ P2)
    expected: float  # f(P1) f(P2) / L
    score: float
    strength: float  # the lowest score so far
    happens: bool  # whether the strength reaches the threshold


@dataclass(frozen=True)
class Neighbours:
    """Two neighbouring phrases of the partition, and why they are not merged.

    Algorithm 2 compares finished phrases. So where the reason is "unknown", "rare", "long", "never" or
    "score", a part of a phrase that was split is represented by the whole.
    """

    left: Phrase
    right: Phrase
    reason: Reason
    between: str  # the text between them
    observed: int | None  # how often they occur side by side in the corpus; None: not known, or not asked
    expected: float | None
    score: float | None  # None: together they are not frequent


@dataclass(frozen=True)
class Judgement:
    """The quality of a phrase that Algorithm 2 has finished, or of a part of one that was split."""

    phrase: Phrase
    quality: float | None  # None: it was never judged, and stays
    parts: dict[str, float]  # what each statistic adds to the quality
    stays: bool


@dataclass(frozen=True)
class Explanation:
    """The merge tree of one text. Its nodes are the units and the phrases that merges make."""

    text: str
    tokens: tuple[Token, ...]
    units: tuple[Phrase, ...]  # merging starts from them: single words, and phrases that are always whole
    merges: tuple[Merge, ...]  # in the order of Algorithm 2
    finished: tuple[Phrase, ...]  # the partition of Algorithm 2 at the threshold
    judgements: tuple[Judgement, ...]  # of what is finished, and of the parts of what is split
    phrases: tuple[Phrase, ...]  # the partition
    neighbours: tuple[Neighbours, ...]  # of the partition, from left to right
    threshold: float
    cut: float | None  # the lowest quality of a phrase; None: nothing is judged
    min_support: int
    max_length: int
    n_tokens: int  # counted tokens of the corpus: L

    @property
    def pieces(self) -> Iterator[tuple[Phrase | None, str]]:
        """The whole text in pieces: the phrases of the partition, and the text around them (phrase None)."""
        at = 0
        for phrase in self.phrases:
            yield None, self.text[at : phrase.start]
            yield phrase, phrase.text
            at = phrase.end
        yield None, self.text[at:]


def explain(miner: PhraseMiner, text: str) -> Explanation:
    """Explain how a fitted miner segments one text."""
    reader = _Reader(miner, text)
    units = reader.units()
    merges = list(reader.tree(units))
    made = {(phrase.first, phrase.behind): phrase for phrase in [*units, *(merge.made for merge in merges)]}
    finished = [made[bounds] for bounds in pairwise(reader.finished_start)]
    is_judged = reader.settings.cut is not None
    judgements = [each for phrase in finished for each in reader.judgements(phrase)] if is_judged else []
    made |= {(each.phrase.first, each.phrase.behind): each.phrase for each in judgements}
    phrases = [made[bounds] for bounds in pairwise(reader.clique_start)]
    apart = {right.first: (left, right) for left, right in pairwise(finished)}
    return Explanation(
        text=reader.text,
        tokens=reader.tokens,
        units=tuple(units),
        merges=tuple(merges),
        finished=tuple(finished),
        judgements=tuple(each for each in judgements if each.phrase.length > 1),
        phrases=tuple(phrases),
        neighbours=tuple(
            reader.neighbours(left, right, apart.get(right.first)) for left, right in pairwise(phrases)
        ),
        threshold=reader.settings.threshold,  # as fitted: parameters may have been set since
        cut=reader.settings.cut,
        min_support=miner.min_support_,
        max_length=reader.max_length,
        n_tokens=reader.mined.n_tokens,
    )


class _Reader:
    """One text, and the mined phrases to compare it with."""

    def __init__(self, miner: PhraseMiner, text: str) -> None:
        fitted = self._fitted = miner.fitted
        self.settings, self.mined = fitted.settings, fitted.mined
        self.max_length = miner.max_length or MAX_LENGTH
        self._least_words = least_words(miner.evidence)
        self._scored = fitted.segmenter.scored
        corpus = fitted.corpus.encode([text])
        assert corpus.texts is not None
        self.text = corpus.texts[0]
        self.clique_start = miner.transform(corpus).clique_start.tolist()
        atoms = self._atoms = fitted.segmenter.read(Sequence.of(corpus))
        self._longest = find_longest(atoms, fitted.segmenter.stem_index)
        strength = atoms.of_tokens(segment(atoms, self._longest, self._scored))
        self.finished_start = phrase_bounds(strength, self.settings.threshold).tolist()
        self._first_atom = [*np.flatnonzero(~atoms.flags(atoms.inside)).tolist(), atoms.ids.size]
        glued = atoms.of_tokens(atoms.flags(atoms.glued))
        stems = corpus.stems().to_list()
        often = np.append(fitted.corpus.vocabulary["count"].to_numpy(), 0)
        counts = often[corpus.stem_ids].tolist()
        chunks = np.repeat(np.arange(corpus.n_chunks), np.diff(corpus.chunk_start)).tolist()
        places = zip(corpus.starts.tolist(), corpus.stops.tolist(), strict=True)
        self.tokens = tuple(
            Token(self.text[start:end], start, end, stems[i], counts[i], chunks[i], bool(glued[i]))
            for i, (start, end) in enumerate(places)
        )

    def _phrase(self, first: int, behind: int, count: int | None) -> Phrase:
        tokens = self.tokens[first:behind]
        start, end = tokens[0].start, tokens[-1].end
        stems = tuple(token.stem for token in tokens)
        always = len(tokens) > 1 and all(token.glued for token in tokens[1:])
        return Phrase(first, behind, start, end, self.text[start:end], stems, count, always)

    def _id(self, first: int, behind: int) -> int:
        """Return the frequent phrase that some tokens of a chunk are; -1: none."""
        bounds = np.array([self._first_atom[first], self._first_atom[behind]])
        return int(ids_of(self._fitted.segmenter.stem_index, self._atoms.ids, bounds)[0])

    def _count(self, first: int, behind: int) -> int | None:
        """Return the evidence of some tokens of a chunk; they are a unit, or two neighbours."""
        phrase, stems = self._id(first, behind), self._stems(first, behind)
        if min(stems) < 0:
            return 0
        return int(self.mined.evidence[phrase]) if phrase >= 0 else self._rare.get(stems)

    def _stems(self, first: int, behind: int) -> Stems:
        return tuple(self._atoms.ids[self._first_atom[first] : self._first_atom[behind]].tolist())

    @cached_property
    def _rare(self) -> dict[Stems, int]:
        """How often units and neighbours that are not frequent occur in the corpus, counted in one pass."""
        corpus = self._fitted.corpus
        if corpus.n_tokens == 0:
            return {}
        starts = self.finished_start
        bounds = [*self._unit_bounds(), *zip(starts[:-2], starts[2:], strict=True)]
        rare = {self._stems(*each): 0 for each in bounds if self._id(*each) < 0}
        text = counted_once(Sequence.of(corpus), self._fitted.ties, self._least_words)
        counts = [supports_in(each, rare, corpus.n_stems) for each in (text, text.uncounted())]
        return dict(zip(rare, (counts[0] - counts[1]).tolist(), strict=True))

    def _unit_bounds(self) -> list[tuple[int, int]]:
        starts = [i for i, token in enumerate(self.tokens) if not token.glued]
        return list(pairwise([*starts, len(self.tokens)]))

    def units(self) -> list[Phrase]:
        """Return what merging starts from."""
        return [self._phrase(*bounds, self._count(*bounds)) for bounds in self._unit_bounds()]

    def tree(self, units: list[Phrase]) -> Iterator[Merge]:
        """Yield the merges, with the phrases they join and make."""
        merged = find_merges(self._atoms, self._longest, self._scored)
        token_of = {atom: token for token, atom in enumerate(self._first_atom)}
        starting = {unit.first: unit for unit in units}
        ending = {unit.behind: unit for unit in units}
        counts = (self.mined.evidence[ids].tolist() for ids in (merged.left, merged.right, merged.joined))
        rest = merged.boundary.tolist(), merged.score.tolist(), merged.strength.tolist()
        for f1, f2, f12, atom, score, strength in zip(*counts, *rest, strict=True):
            left, right = ending[token_of[atom]], starting[token_of[atom]]
            made = self._phrase(left.first, right.behind, f12)
            starting[made.first] = ending[made.behind] = made
            expected, happens = f1 * f2 / self.mined.n_tokens, strength >= self.settings.threshold
            yield Merge(left, right, made, f12, expected, score, strength, happens)

    def judgements(self, phrase: Phrase) -> Iterator[Judgement]:
        """Yield the judgement of a finished phrase, and of the parts that it is split into."""
        judge = self._fitted.judge
        id = self._id(phrase.first, phrase.behind)
        cuts = [start for start in self.clique_start if phrase.first < start < phrase.behind]
        if judge is None or id < 0 or np.isnan(judge.quality[id]):
            quality, parts = None, {}
        else:
            quality = float(judge.quality[id])
            parts = {
                name: weight * float(value)
                for (name, weight), value in zip(WEIGHTS.items(), judge.statistics[id], strict=True)
            }
        yield Judgement(phrase, quality, parts, not cuts)
        for first, behind in pairwise([phrase.first, *cuts, phrase.behind] if cuts else []):
            yield from self.judgements(self._phrase(first, behind, self._count(first, behind)))

    def neighbours(self, left: Phrase, right: Phrase, finished: tuple[Phrase, Phrase] | None) -> Neighbours:
        """Find why two phrases of the partition are not merged.

        ``finished`` are the phrases that Algorithm 2 left apart there; None: it had merged the two.
        """
        between = self.text[left.end : right.start]
        if self.tokens[left.first].chunk != self.tokens[right.first].chunk:
            return Neighbours(left, right, "chunk", between, None, None, None)
        if finished is None:
            return Neighbours(left, right, "quality", between, None, None, None)
        left, right = finished
        if any(token.count == 0 for token in self.tokens[left.first : right.behind]):
            return Neighbours(left, right, "unknown", between, 0, None, None)
        observed, expected = self._count(left.first, right.behind), None
        if left.count is not None and right.count is not None:
            expected = left.count * right.count / self.mined.n_tokens
        joined = self._id(left.first, right.behind)
        if joined < 0 or observed is None or left.count is None or right.count is None:
            is_too_long = left.length + right.length > self.max_length
            is_rare = observed is not None and observed < self.mined.min_support
            reason: Reason = "long" if is_too_long and not is_rare else "rare"
            return Neighbours(left, right, reason, between, observed, expected, None)
        if self._scored.score[joined] == -np.inf:
            return Neighbours(left, right, "never", between, observed, expected, None)
        score = significance(left.count, right.count, observed, self.mined.n_tokens)
        return Neighbours(left, right, "score", between, observed, expected, score)
