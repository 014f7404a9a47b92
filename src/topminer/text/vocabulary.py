"""What depends on the word alone: stop words, numbers, stems; done once per distinct surface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.text.folding import DROP_NUMBER, KEEP, Roles, folded
from topminer.text.interning import Interner, strings_of
from topminer.text.languages import language_of, stemmer_of
from topminer.text.rules import TextRules


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
    """Learns roles and stems while the surfaces come in."""

    def __init__(self, rules: TextRules) -> None:
        language = language_of(rules.language) if rules.language else None
        self._stem = stemmer_of(language) if language and rules.stem else None
        self._possessives = language is not None and language.stemmer == "porter"
        self._roles = Roles(rules)
        self._role = [np.zeros(0, np.uint8)]  # of each surface, here and below
        self._stem_of = [np.zeros(0, np.int32)]
        self._n_surfaces = 0
        self._stems = Interner()

    def learn(self, surfaces: Interner) -> None:
        """Fold and stem the surfaces that are new since the last time."""
        words = folded(surfaces.since(self._n_surfaces))
        self._n_surfaces = len(surfaces)
        role = self._roles.of(words)
        kept = role == KEEP
        stem_of = np.full(role.size, -1, np.int32)
        stems = self._stemmed([words[i] for i in np.flatnonzero(kept).tolist()])
        stem_of[kept] = self._stems.add_strings(strings_of(stems))
        self._role.append(role)
        self._stem_of.append(stem_of)

    def _stemmed(self, words: list[bytes]) -> list[bytes]:
        if self._stem is None:
            return words
        bare = list(words)
        if self._possessives:
            for i in _holding(b"'", words):
                bare[i] = words[i].removesuffix(b"'s").removesuffix(b"'")
        stems = self._stem(bare)
        for i in _holding(b"#/:?@", words):  # an address: of these no word has one
            stems[i] = words[i]
        if b"" in stems:  # nothing but a suffix
            stems = [stem or word for stem, word in zip(stems, words, strict=True)]
        return stems

    def lexicon(self, surfaces: Interner, counts: NDArray[np.int64]) -> Lexicon:
        """Put everything in its final order, given how often each surface occurred."""
        role, stem_of = np.concatenate(self._role), np.concatenate(self._stem_of)
        kept = np.flatnonzero(role == KEEP)
        number = np.full(role.size, -1, np.int32)
        number[kept] = np.arange(kept.size)
        texts = surfaces.since().to_series().gather(kept).alias("surface")
        stem_count = np.bincount(stem_of[kept], counts[kept], len(self._stems)).astype(np.int64)
        # Stems are ordered by name first, then, stably, by how often they occur.
        names = self._stems.since().to_series().alias("stem")
        by_name = names.arg_sort().to_numpy()
        order = by_name[np.argsort(-stem_count[by_name], kind="stable")]
        rank = np.empty(order.size, np.int32)
        rank[order] = np.arange(order.size)
        stem_of[kept] = rank[stem_of[kept]]
        shown = _most_frequent(stem_of[kept], counts[kept], texts, order.size)
        n_numbers = int(counts[role == DROP_NUMBER].sum())
        return Lexicon(
            role,
            stem_of,
            number,
            pl.DataFrame({"surface": texts, "stem": stem_of[kept], "count": counts[kept]}),
            pl.DataFrame({"stem": names.gather(order), "surface": shown, "count": stem_count[order]}),
            int(counts[role != KEEP].sum()) - n_numbers,
            n_numbers,
        )


def _holding(chars: bytes, words: list[bytes]) -> Iterator[int]:
    """Which words hold one of some characters."""
    data = np.frombuffer(b"\0".join([*words, b""]), np.uint8)
    wanted = np.zeros(256, np.bool_)
    wanted[list(chars)] = True
    found = np.flatnonzero(wanted[data])
    yield from np.unique(np.searchsorted(np.flatnonzero(data == 0), found)).tolist()


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
