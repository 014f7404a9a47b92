"""Evidence, ties and phrase quality, slowly: from the docstrings of evidence.py, ties.py and quality.py.

A corpus is a list of documents, a document a list of chunks, a chunk a list of tokens. Everything is counted
over lists of atoms; a phrase is a tuple of their stems.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from oracles.phrases import Phrase, all_merges, paper_score


class Token(NamedTuple):
    stem: str
    surface: str
    gap: str  # the text between it and the kept token before it


class Atom(NamedTuple):
    stem: str
    inside: bool  # whether it belongs to the token of the atom before it
    capital: bool
    between: str  # the words between it and the atom before it


Chunk = list[Atom]
Ties = Mapping[str, Phrase]


def ties_of(vocabulary: Mapping[str, int], stop_words: Collection[str]) -> dict[str, Phrase]:
    """The parts of each word with hyphens, if it occurs twice, all parts are known and it has a letter."""
    found = {}
    for word in (word for word, n in vocabulary.items() if n > 1):
        parts = tuple(part for part in word.split("-") if part not in stop_words)
        if len(parts) > 1 and all(part in vocabulary for part in parts) and re.search("[a-z]", word):
            found[word] = parts
    return found


def atoms_of(tokens: list[Token], ties: Ties) -> Chunk:
    atoms = []
    for stem, surface, gap in tokens:
        for i, part in enumerate(ties.get(stem, (stem,))):
            between = "" if i else " ".join(re.sub("-", " ", gap).lower().split())
            atoms.append(Atom(part, i > 0, surface[0].isupper(), between))
    return atoms


def counted(chunks: list[list[Token]], least: int | None) -> list[bool]:
    """Whether each chunk is counted: a long one that repeats an earlier one word for word is not."""
    seen: set[tuple[str, ...]] = set()
    result = []
    for chunk in chunks:
        text = tuple(token.stem for token in chunk)
        result.append(least is None or len(text) < least or text not in seen)
        seen.add(text)
    return result


def places(chunks: list[Chunk], max_length: int) -> Iterator[tuple[Phrase, bool]]:
    """Every sequence of atoms in a chunk, and whether it starts and ends where tokens do."""
    for chunk in chunks:
        for first in range(len(chunk)):
            for behind in range(first + 1, min(len(chunk), first + max_length) + 1):
                whole = not chunk[first].inside and not (behind < len(chunk) and chunk[behind].inside)
                yield tuple(atom.stem for atom in chunk[first:behind]), whole


class Evidence(NamedTuple):
    """Counts over the counted chunks; all chunks for support."""

    n_atoms: int
    mined: set[Phrase]  # frequent if places inside tokens count too
    evidence: Counter[Phrase]
    support: Counter[Phrase]
    min_support: int

    def __contains__(self, phrase: Phrase) -> bool:
        """Whether the phrase may be formed."""
        return phrase in self.mined and self.evidence[phrase] >= self.min_support

    def __getitem__(self, phrase: Phrase) -> int:  # type: ignore[override]
        return self.evidence[phrase]


def count(chunks: list[Chunk], is_counted: list[bool], min_support: int, max_length: int) -> Evidence:
    some = [chunk for chunk, chosen in zip(chunks, is_counted, strict=True) if chosen]
    found = list(places(some, max_length))
    n_all = Counter(phrase for phrase, _ in found)
    return Evidence(
        sum(map(len, some)),
        {phrase for phrase, n in n_all.items() if n >= min_support or len(phrase) == 1},
        Counter(phrase for phrase, whole in found if whole),
        Counter(phrase for phrase, whole in places(chunks, max_length) if whole),
        min_support,
    )


def glued(chunk: Chunk, always: Collection[Phrase]) -> set[int]:
    """Boundaries that cannot be cut: inside tokens, and inside phrases of whole tokens that stay whole."""
    result = {i for i, atom in enumerate(chunk) if atom.inside}
    at = 0
    while at < len(chunk):
        ends = [
            behind
            for behind in range(at + 1, len(chunk) + 1)
            if tuple(atom.stem for atom in chunk[at:behind]) in always
            and not chunk[at].inside
            and not (behind < len(chunk) and chunk[behind].inside)
        ]
        end = max(ends, default=at + 1)
        result |= set(range(at + 1, end))
        at = end
    return result


def finished(chunk: Chunk, known: Evidence, threshold: float, never: Collection[Phrase], fixed: set[int]):
    """The partition of Algorithm 2: pairs of a first atom and one after the last."""
    joined = set(fixed)
    stems = [atom.stem for atom in chunk]
    score = paper_score(known.n_atoms)
    for merge in all_merges([stems], known, score, never, set(fixed)):  # type: ignore[list-item, arg-type]
        if merge.score < threshold:
            break
        joined.add(merge.boundary)
    return list(pairwise(i for i in range(len(chunk) + 1) if i not in joined))


class Judgement(NamedTuple):
    statistics: dict[str, float]
    quality: float
    n_left: int  # 0: it stays


class Judge:
    """The judgement of every phrase that was met."""

    def __init__(
        self,
        known: Evidence,
        cut: float,
        weights: Mapping[str, float],
        intercept: float,
        alone: Callable[[str], bool],
    ) -> None:
        self.known, self.cut, self.alone = known, cut, alone
        self.weights, self.intercept = weights, intercept
        self.judged: dict[Phrase, Judgement] = {}

    def weakest(self, phrase: Phrase) -> tuple[float, int]:
        """The association of the two parts at the weakest split, and the words before it.

        Of equally weak splits the last is taken. A part that only occurs inside tokens has no association.
        """
        f, n = self.known.evidence, self.known.n_atoms
        splits = []
        for i in range(1, len(phrase)):
            product = f[phrase[:i]] * f[phrase[i:]]
            if product and f[phrase]:
                share = f[phrase] / n
                npmi = math.log(f[phrase] * n / product) / -math.log(share) if share < 1 else 1.0
                splits.append((-product if share < 1 else 0, -i, npmi))
        if not splits:
            return 0.0, 0
        _, minus_i, npmi = min(splits)
        return min(npmi, 1.0), -minus_i  # a part may have less evidence than the phrase

    def judge(self, phrase: Phrase, instances: list[tuple[Chunk, int, int]], usual_capitals: float) -> None:
        n = len(instances)
        before = Counter(chunk[first - 1].stem if first else None for chunk, first, _ in instances)
        forms = Counter(
            tuple(atom.between for atom in chunk[first + 1 : behind]) for chunk, first, behind in instances
        )
        n_tokens = [
            sum(not atom.inside for atom in chunk[first:behind]) for chunk, first, behind in instances
        ]
        capitals = sum(
            all(atom.capital for atom in chunk[first:behind]) for chunk, first, behind in instances
        )
        has_blanks = not any(map(self.alone, phrase))
        association, n_left = self.weakest(phrase)
        statistics = {
            "association": association,
            "left_entropy": -sum(c / n * math.log(c / n) for c in before.values()),
            "completeness": n / self.known.evidence[phrase],
            "fixedness": max(forms.values()) / n,
            "capitals": (1 - usual_capitals) * capitals / n,
            "digit": float(any(re.search("[0-9]", stem) for stem in phrase)),
            "three_words": has_blanks * n_tokens.count(3) / n,
            "four_words": has_blanks * sum(t >= 4 for t in n_tokens) / n,
        }
        assert statistics.keys() == self.weights.keys()
        quality = self.intercept + sum(self.weights[name] * value for name, value in statistics.items())
        self.judged[phrase] = Judgement(statistics, quality, n_left if quality < self.cut else 0)

    def pieces(self, chunk: Chunk, first: int, behind: int, fixed: set[int]) -> list[tuple[int, int, bool]]:
        """What is left of an instance, once rejected phrases are split at their weakest boundary.

        The last value says whether a piece is to be judged.
        """
        phrase = tuple(atom.stem for atom in chunk[first:behind])
        n_left = self.judged[phrase].n_left if phrase in self.judged else 0
        if n_left == 0:
            return [(first, behind, True)]
        if first + n_left in fixed:  # it cannot be cut there: it is cut wherever it can be
            bounds = [i for i in range(first, behind + 1) if i in (first, behind) or i not in fixed]
            return [(start, stop, False) for start, stop in pairwise(bounds)]
        middle = first + n_left
        return self.pieces(chunk, first, middle, fixed) + self.pieces(chunk, middle, behind, fixed)

    def judge_all(self, chunks: list[Chunk], finished: list[list[tuple[int, int]]], fixed: list[set[int]]):
        """Judge every phrase of several atoms by its instances, then the parts of what was rejected."""
        n_atoms = sum(map(len, chunks))
        n_capitals = sum(atom.capital for chunk in chunks for atom in chunk)
        usual = n_capitals / n_atoms if n_atoms else 0.0
        left = [(c, *bounds) for c, each in enumerate(finished) for bounds in each]
        while True:
            instances: dict[Phrase, list[tuple[Chunk, int, int]]] = {}
            unjudged = []
            for c, first, behind in left:
                phrase = tuple(atom.stem for atom in chunks[c][first:behind])
                if len(phrase) > 1 and phrase in self.known.mined and phrase not in self.judged:
                    instances.setdefault(phrase, []).append((chunks[c], first, behind))
                    unjudged.append((c, first, behind))
            if not instances:
                return
            for phrase, some in instances.items():
                self.judge(phrase, some, usual)
            left = [
                (c, start, stop)
                for c, first, behind in unjudged
                for start, stop, is_open in self.pieces(chunks[c], first, behind, fixed[c])
                if is_open
            ]
