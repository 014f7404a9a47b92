"""What depends on the word alone: folding, stop words, numbers, stems; done once per distinct surface."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer._jit import kernel
from topminer.text.classes import ALONE, KIND, classes
from topminer.text.interning import SPARE, Interner, as_words
from topminer.text.languages import language_of, stemmer_of
from topminer.text.rules import TextRules, fold

KEEP, SKIP, DROP = 0, 1, 2  # a kept token; one to be shown again inside phrases; one that ends the chunk
_STOP_WORD, _NUMBER = 1, 2  # why a token is not kept
_APOSTROPHE, _ADDRESS = 1, 2  # what a word may hold: an apostrophe; the marks of a URL or an e-mail address


class Lexicon(NamedTuple):
    """What becomes of each surface the scanner found, by the scanner's number for it."""

    role: NDArray[np.uint8]
    stem: NDArray[np.int32]  # -1 where the role is not KEEP, here and below
    surface: NDArray[np.int32]
    surfaces: pl.DataFrame  # surface, stem (id), count: the kept surfaces, by first occurrence
    vocabulary: pl.DataFrame  # stem, surface (to be shown), count: the most frequent first
    n_stop_words: int
    n_numbers_dropped: int


class Words:
    """Learns folded words and their stems while the surfaces come in."""

    def __init__(self, rules: TextRules) -> None:
        self._rules = rules
        self._stop_words = frozenset(rules.stop_words)
        language = language_of(rules.language) if rules.language else None
        self._stem = stemmer_of(language) if language and rules.stem else None
        self._possessives = language is not None and language.stemmer == "porter"
        self._folded = Interner()
        self._folded_of = [np.zeros(0, np.int32)]  # of each surface
        self._n_surfaces = 0
        self._roles = [np.zeros(0, np.uint8)]  # of each folded word, here and below
        self._reasons = [np.zeros(0, np.uint8)]
        self._stems = [pl.Series(dtype=pl.String)]  # only of those that are kept

    def learn(self, surfaces: Interner) -> None:
        """Fold and stem the surfaces that are new since the last time."""
        n_known = len(self._folded)
        bounds = surfaces.bounds[self._n_surfaces :]
        self._n_surfaces = len(surfaces)
        data = surfaces.words.view(np.uint8)
        folded, stops, is_ascii = _fold_ascii(data, bounds)
        number = np.empty(is_ascii.size, np.int32)
        words, starts = folded.view(np.uint64), bounds[:-1] - bounds[0]
        number[is_ascii] = self._folded.add(words, starts[is_ascii], stops[is_ascii])
        others = [data[bounds[i] : bounds[i + 1]].tobytes().decode() for i in np.flatnonzero(~is_ascii)]
        encoded = [fold(word).encode() for word in others]
        cuts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        number[~is_ascii] = self._folded.add(as_words(b"".join(encoded)), cuts[:-1], cuts[1:])
        self._folded_of.append(number)
        new = self._folded.bounds[n_known:]
        if new.size > 1:
            traits = _traits(self._folded.words.view(np.uint8), new)
            self._classify(self._folded.to_series(since=n_known).to_list(), traits)

    def _classify(self, words: list[str], traits: NDArray[np.uint8]) -> None:
        """Say of new folded words what becomes of them, and stem those that are kept."""
        role = np.full(len(words), KEEP, np.uint8)
        reason = np.zeros(len(words), np.uint8)
        if not self._stop_words.isdisjoint(words):
            for i in [i for i, word in enumerate(words) if word in self._stop_words]:
                role[i] = self._stop_role(words[i])
            reason[role != KEEP] = _STOP_WORD
        if not self._rules.numbers:
            is_number = np.array([not any(map(str.isalpha, word)) for word in words], np.bool_)
            is_number &= (role == KEEP) & (traits & _ADDRESS == 0)
            role[is_number], reason[is_number] = DROP, _NUMBER
        kept = role == KEEP
        if not kept.all():
            words, traits = [words[i] for i in np.flatnonzero(kept).tolist()], traits[kept]
        self._stems.append(pl.Series(self._stemmed(words, traits), dtype=pl.String))
        self._roles.append(role)
        self._reasons.append(reason)

    def _stop_role(self, word: str) -> int:
        policy = self._rules.stop_word_policy
        # Taking a character out of a script without spaces would glue strangers together.
        if policy == "skip" and classes().of_char[ord(word[0])] & KIND == ALONE:
            return DROP
        return {"skip": SKIP, "keep": KEEP, "break": DROP}[policy]

    def _stemmed(self, words: list[str], traits: NDArray[np.uint8]) -> list[str]:
        if self._stem is None:
            return words
        bare = list(words)
        if self._possessives:
            for i in np.flatnonzero(traits & _APOSTROPHE).tolist():
                bare[i] = words[i].removesuffix("'s").removesuffix("'")
        stems = self._stem(bare)
        for i in np.flatnonzero(traits & _ADDRESS).tolist():
            stems[i] = words[i]
        if "" in stems:  # nothing but a suffix
            stems = [stem or word for stem, word in zip(stems, words, strict=True)]
        return stems

    def lexicon(self, surfaces: Interner, counts: NDArray[np.int64]) -> Lexicon:
        """Put everything in its final order, given how often each surface occurred."""
        folded_of = np.concatenate(self._folded_of)
        role_of_folded = np.concatenate(self._roles)
        role, reason = role_of_folded[folded_of], np.concatenate(self._reasons)[folded_of]
        kept = np.flatnonzero(role == KEEP)
        number = np.full(role.size, -1, np.int32)
        number[kept] = np.arange(kept.size)
        texts = surfaces.to_series().gather(kept).alias("surface")
        # Stems are numbered by name first, then, stably, by how often they occur.
        stems = pl.concat(self._stems)
        names = stems.unique().sort().alias("stem")
        stem_of_folded = np.full(role_of_folded.size, -1, np.int32)
        stem_of_folded[role_of_folded == KEEP] = stems.cast(pl.Enum(names)).to_physical().to_numpy()
        stem_of = stem_of_folded[folded_of]
        stem_count = np.bincount(stem_of[kept], counts[kept], len(names)).astype(np.int64)
        order = np.argsort(-stem_count, kind="stable")
        rank = np.empty(order.size, np.int32)
        rank[order] = np.arange(order.size)
        stem_of[kept] = rank[stem_of[kept]]
        shown = _most_frequent(stem_of[kept], counts[kept], texts, order.size)
        return Lexicon(
            role,
            stem_of,
            number,
            pl.DataFrame({"surface": texts, "stem": stem_of[kept], "count": counts[kept]}),
            pl.DataFrame({"stem": names.gather(order), "surface": shown, "count": stem_count[order]}),
            int(counts[reason == _STOP_WORD].sum()),
            int(counts[reason == _NUMBER].sum()),
        )


@kernel
def _fold_ascii(
    data: NDArray[np.uint8], bounds: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_]]:
    """Fold what is ASCII; the folded string i starts where string i starts, from the first on."""
    first = bounds[0]
    folded = np.zeros((bounds[-1] - first) // 8 * 8 + 8 + SPARE, np.uint8)
    stops = bounds[1:] - first
    is_ascii = np.ones(stops.size, np.bool_)
    for i in range(stops.size):
        for at in range(bounds[i], bounds[i + 1]):
            byte = data[at]
            if byte >= 0x80:
                is_ascii[i] = False
            folded[at - first] = byte | 32 if 65 <= byte <= 90 else byte
        if bounds[i + 1] > bounds[i] and data[bounds[i + 1] - 1] == 46:
            stops[i] -= 1
    return folded, stops, is_ascii


@kernel
def _traits(data: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.uint8]:
    """What each of some words holds."""
    traits = np.zeros(bounds.size - 1, np.uint8)
    for i in range(traits.size):
        for at in range(bounds[i], bounds[i + 1]):
            if data[at] == 39:
                traits[i] |= _APOSTROPHE
            elif data[at] in (35, 47, 58, 63, 64):  # of these, # / : ? @, no word has one
                traits[i] |= _ADDRESS
    return traits


def _most_frequent(
    kind: NDArray[np.int32], count: NDArray[np.int64], texts: pl.Series, n_kinds: int
) -> pl.Series:
    """The most frequent text of each kind; of equally frequent ones the first by code points."""
    best = np.zeros(n_kinds, np.int64)
    np.maximum.at(best, kind, count)
    candidates = np.flatnonzero(count == best[kind])
    chosen = np.zeros(n_kinds, np.int64)
    chosen[kind[candidates]] = candidates
    tied = candidates[np.bincount(kind[candidates], minlength=n_kinds)[kind[candidates]] > 1]
    backwards = tied[texts.gather(tied).arg_sort(descending=True).to_numpy()]
    chosen[kind[backwards]] = backwards  # the last one written stays: the first by code points
    return texts.gather(chosen).alias("surface")
