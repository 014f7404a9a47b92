"""Work that depends on the word alone, done once per distinct surface: folding, roles, stems, the vocabulary.

A folded word is the form in which words are compared; its role says what becomes of it::

    THE U.S. Economy   →   the, u.s, economy   →   SKIP, KEEP, KEEP
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.strings import Strings, StringTable, strings_of
from topminer.text.kinds import CODES, KINDS, kind_of_word
from topminer.text.languages import language_of, stemmer_of
from topminer.text.rules import TextRules, fold
from topminer.text.scan.classes import ALONE, KIND, classes
from topminer.text.scan.keep import DROP, DROP_NUMBER, KEEP, SKIP
from topminer.text.scan.tokens import LEFT_OUT, Marks
from topminer.text.shown_case import Cases

_NUMBER_OF = {kind.name: i for i, kind in enumerate(KINDS, 1)}  # 0: no kind
_OF_MARK = {bytes((LEFT_OUT, ord(code))): name for name, code in CODES.items()}
_ROLE_OF = {"drop": DROP, "skip": SKIP, "keep": KEEP}
_MAY_BE_ADDRESS = re.compile(rb"[/@\x03]|www\.")
_LETTER_OR_ADDRESS = re.compile(rb"[a-z#/:?@]")
_IN_ADDRESS = re.compile(rb"[#/:?@]")  # only addresses contain one of these


def folded(surfaces: Strings) -> list[bytes]:
    """Fold surfaces, which contain no NUL, as :func:`.rules.fold` does; those of ASCII in one go."""
    joined = surfaces.joined()
    words = joined.lower().replace(b".\0", b"\0").split(b"\0")[:-1]
    if not joined.isascii():
        written = joined.split(b"\0")
        for i in [i for i, word in enumerate(words) if not word.isascii()]:
            words[i] = fold(written[i].decode()).encode()
    return words


class Words(NamedTuple):
    """Folded words, and the role and kind of each."""

    folded: list[bytes]
    role: NDArray[np.uint8]
    kind: NDArray[np.uint8]  # a number from 1 on in KINDS; 0: a word


class Roles:
    """Folds words and finds their roles under some rules."""

    def __init__(self, rules: TextRules) -> None:
        self.kinds = rules.kinds
        self._number_role = KEEP if rules.numbers else DROP_NUMBER
        if rules.numbers and rules.kinds is not None and rules.kinds["number"] == "skip":
            self._number_role = SKIP
        self._stop_words: dict[bytes, int] = {}
        if rules.stop_word_policy != "keep":
            for word in filter(None, rules.stop_words):
                # Skipping a character of a script without spaces would join characters of different words.
                skip = rules.stop_word_policy == "skip" and classes().of_char[ord(word[0])] & KIND != ALONE
                self._stop_words[word.encode("utf-8", "surrogatepass")] = SKIP if skip else DROP

    def of(self, surfaces: Strings, marks: Marks = Marks.NONE) -> Words:
        """Fold surfaces, and return the role and kind of each. Tokens that the user found have no kind."""
        words = folded(surfaces)
        role = np.full(len(words), KEEP, np.uint8)
        kind = np.zeros(len(words), np.uint8)
        if self._number_role != KEEP:
            are_numbers = [i for i, word in enumerate(words) if _is_number(word)]
            role[are_numbers], kind[are_numbers] = self._number_role, _NUMBER_OF["number"]
        if self.kinds is not None and marks != Marks.TOKENS:
            for i in _found_in(words, _MAY_BE_ADDRESS):
                if (name := _OF_MARK.get(words[i])) is not None:
                    role[i] = DROP if self.kinds[name] == "drop" else SKIP
                elif (name := kind_of_word(words[i])) is not None:
                    role[i] = _ROLE_OF[self.kinds[name]]
                kind[i] = 0 if name is None else _NUMBER_OF[name]
        for i in [i for i, word in enumerate(words) if word in self._stop_words]:
            role[i] = self._stop_words[words[i]]
        return Words(words, role, kind)


def _found_in(words: list[bytes], pattern: re.Pattern[bytes]) -> list[int]:
    """Return the numbers of the words in which a pattern is found, in one search through all of them."""
    joined = b"\0".join(words)
    places = [found.start() for found in pattern.finditer(joined)]
    if not places:
        return []
    word_ends = np.flatnonzero(np.frombuffer(joined, np.uint8) == 0)
    numbers: list[int] = np.unique(np.searchsorted(word_ends, places)).tolist()
    return numbers


def _is_number(word: bytes) -> bool:
    """Return whether a word has no letter and is not an address."""
    return not _LETTER_OR_ADDRESS.search(word) and not any(map(str.isalpha, word.decode()))


class Lexicon(NamedTuple):
    """What becomes of each surface that was found. Arrays are by the id that the surface had when found."""

    stem: NDArray[np.int32]  # the stem's id; -1 where the surface is not kept
    surface: NDArray[np.int32]  # the id among kept surfaces; -1 where it is not kept
    vocabulary: pl.DataFrame  # stem, surface (to be shown), count: the most frequent first
    n_found: int  # tokens
    n_stop_words: int
    n_numbers_dropped: int
    kinds: dict[str, int]  # how many of each kind were found, if any
    make_surfaces: Callable[[], pl.DataFrame]  # surface, stem (id), count: kept ones, by first occurrence


class Vocabulary(NamedTuple):
    """The vocabulary of a corpus, the ids of its stems, and the roles under its rules."""

    table: pl.DataFrame  # stem, surface (to be shown), count
    ids: StringTable
    roles: Roles


class LexiconBuilder:
    """Finds stems while surfaces are found, and puts stems in their order at the end.

    With a ``known`` vocabulary, stems have the ids that they have there, and unknown stems have -1.
    """

    def __init__(self, rules: TextRules, known: Vocabulary | None = None) -> None:
        self._known = known
        language = language_of(rules.language) if rules.language else None
        self._stem = stemmer_of(language) if language and rules.stem else None
        self._has_possessives = language is not None and language.stemmer == "porter"
        self._role = [np.zeros(0, np.uint8)]  # by surface
        self._kind = [np.zeros(0, np.uint8)]  # by surface
        self._policies = rules.kinds or {}
        self._stem_of = [np.zeros(0, np.int32)]  # by surface
        self._stems = known.ids if known else StringTable()

    def learn(self, words: Words) -> None:
        """Find the stems of the next surfaces."""
        folded, role, kind = words
        kept = np.flatnonzero(role == KEEP)
        stems = strings_of(self._stemmed([folded[i] for i in kept.tolist()]))
        stem_of = np.full(role.size, -1, np.int32)
        stem_of[kept] = self._stems.find_strings(stems) if self._known else self._stems.add_strings(stems)
        self._role.append(role)
        self._kind.append(kind)
        self._stem_of.append(stem_of)

    def _stemmed(self, words: list[bytes]) -> list[bytes]:
        if self._stem is None:
            return words
        bare = words
        if self._has_possessives:
            bare = [word.removesuffix(b"'s").removesuffix(b"'") if b"'" in word else word for word in words]
        stems = self._stem(bare)
        for i in _found_in(words, _IN_ADDRESS):
            stems[i] = words[i]
        if b"" in stems:  # the word was nothing but a suffix
            stems = [stem or word for stem, word in zip(stems, words, strict=True)]
        return stems

    def lexicon(self, surfaces: Strings, counts: NDArray[np.int64]) -> Lexicon:
        """Put stems and surfaces in their final order, given how often each surface occurred."""
        role, stem_of = np.concatenate(self._role), np.concatenate(self._stem_of)
        kept = np.flatnonzero(role == KEEP)
        surface_of = np.full(role.size, -1, np.int32)
        surface_of[kept] = np.arange(kept.size)
        counted = self._counted(role, counts)
        if self._known is None:
            texts = surfaces.to_series(kept)
            names = self._stems.since().to_series()
            vocabulary, rank = in_order(names, stem_of[kept], counts[kept], texts)
            stem_of[kept] = rank[stem_of[kept]]
        else:
            texts, vocabulary = None, self._known.table

        def kept_surfaces() -> pl.DataFrame:
            surface = (surfaces.to_series(kept) if texts is None else texts).alias("surface")
            columns = [surface, pl.Series("stem", stem_of[kept]), pl.Series("count", counts[kept])]
            return pl.DataFrame(columns)  # a list of Series, since a dict takes three times as long

        return Lexicon(stem_of, surface_of, vocabulary, *counted, kept_surfaces)

    def _counted(
        self, role: NDArray[np.uint8], counts: NDArray[np.int64]
    ) -> tuple[int, int, int, dict[str, int]]:
        """Return how many tokens, stop words, numbers left out, and what of each kind, were found."""
        kind = np.concatenate(self._kind)
        n_of_kind = np.bincount(kind, counts, len(KINDS) + 1).astype(np.int64).tolist()
        of_kinds = {name: n_of_kind[i] for name, i in _NUMBER_OF.items() if n_of_kind[i]}
        # The marks of kept kinds count them; they are no tokens.
        is_counter = (kind > 0) & (role == SKIP)
        for name, i in _NUMBER_OF.items():
            is_counter &= (kind != i) | (self._policies.get(name) == "keep")
        n_found = int(counts.sum() - counts[is_counter].sum())
        is_stop_word = ((role == SKIP) | (role == DROP)) & (kind == 0)
        n_numbers = of_kinds.get("number", 0)
        return n_found, int(counts[is_stop_word].sum()), n_numbers, of_kinds


def in_order(
    names: pl.Series, stem_of: NDArray[np.int32], counts: NDArray[np.int64], texts: pl.Series
) -> tuple[pl.DataFrame, NDArray[np.int32]]:
    """Return the vocabulary, the most frequent stems first, and the id of each stem in it.

    The texts of surfaces, their counts and stems are given, and the names of all stems. Stems without a
    surface are left out; their id is -1.
    """
    stem_count = np.bincount(stem_of, counts, len(names)).astype(np.int64)
    # Stems are sorted by name first, then, stably, by how often they occur.
    by_name = names.arg_sort().to_numpy()
    order = by_name[np.argsort(-stem_count[by_name], kind="stable")]
    order = order[stem_count[order] > 0]
    rank = np.full(stem_count.size, -1, np.int32)
    rank[order] = np.arange(order.size)
    shown = texts.gather(Cases(texts, counts).chosen(rank[stem_of], order.size))
    return pl.DataFrame({"stem": names[order], "surface": shown, "count": stem_count[order]}), rank
