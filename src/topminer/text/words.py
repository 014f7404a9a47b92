"""Work that depends on the word alone, done once per distinct surface: folding, roles, stems, the vocabulary.

A folded word is the form in which words are compared; its role says what becomes of it::

    THE U.S. Economy   →   the, u.s, economy   →   SKIP, KEEP, KEEP
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.strings import FEW_BYTES, Strings, StringTable, strings_of
from topminer.text.languages import language_of, stemmer_of
from topminer.text.rules import TextRules
from topminer.text.scan.classes import ALONE, KIND, classes
from topminer.text.scan.keep import DROP, DROP_NUMBER, KEEP, SKIP

_LETTER_OR_ADDRESS = re.compile(rb"[a-z#/:?@]")


def folded(surfaces: Strings) -> list[bytes]:
    """Fold surfaces as :func:`.rules.fold` does, all in one go, which costs much less than one by one."""
    joined = surfaces.joined()
    words = _split(joined.lower())
    others = [i for i, word in enumerate(words) if not word.isascii()]
    if others:
        written = joined.split(b"\0")
        text = b"\0".join([written[i] for i in others] + [b""]).decode()
        text = unicodedata.normalize("NFC", text).lower()
        for char in set(text):
            if unicodedata.category(char) == "Cf":
                text = text.replace(char, "")
        for i, word in zip(others, _split(text.replace("’", "'").replace("＇", "'").encode()), strict=True):
            words[i] = word
    return words


def _split(joined: bytes) -> list[bytes]:
    """Split a text in which a NUL follows each word, and remove a full stop at a word's end."""
    return joined.replace(b".\0", b"\0").split(b"\0")[:-1]


@lru_cache(maxsize=8)
def roles_of(rules: TextRules) -> Roles:
    """Return the roles under some rules. They are kept, since a rule set has hundreds of stop words."""
    return Roles(rules)


class Roles:
    """The roles of folded words."""

    def __init__(self, rules: TextRules) -> None:
        self._keeps_numbers = rules.numbers
        self._stop_words: dict[bytes, int] = {}
        if rules.stop_word_policy != "keep":
            for word in filter(None, rules.stop_words):
                # Skipping a character of a script without spaces would join characters of different words.
                skip = rules.stop_word_policy == "skip" and classes().of_char[ord(word[0])] & KIND != ALONE
                self._stop_words[word.encode("utf-8", "surrogatepass")] = SKIP if skip else DROP

    def of(self, words: list[bytes]) -> NDArray[np.uint8]:
        """Return the role of each word."""
        role = np.full(len(words), KEEP, np.uint8)
        if not self._keeps_numbers:
            role[[i for i, word in enumerate(words) if _is_number(word)]] = DROP_NUMBER
        for i in [i for i, word in enumerate(words) if word in self._stop_words]:
            role[i] = self._stop_words[words[i]]
        return role


def _is_number(word: bytes) -> bool:
    """Return whether a word has no letter and is not an address."""
    return not _LETTER_OR_ADDRESS.search(word) and not any(map(str.isalpha, word.decode()))


class Lexicon(NamedTuple):
    """What becomes of each surface that was found. Arrays are by the id that the surface had when found."""

    role: NDArray[np.uint8]
    stem: NDArray[np.int32]  # the stem's id; -1 where the role is not KEEP
    surface: NDArray[np.int32]  # the id among kept surfaces; -1 where the role is not KEEP
    surfaces: pl.DataFrame  # surface, stem (id), count: the kept surfaces, by first occurrence
    vocabulary: pl.DataFrame  # stem, surface (to be shown), count: the most frequent first
    n_stop_words: int
    n_numbers_dropped: int


class Vocabulary(NamedTuple):
    """The vocabulary of a corpus, and the ids of its stems."""

    table: pl.DataFrame  # stem, surface (to be shown), count
    ids: StringTable


class LexiconBuilder:
    """Finds roles and stems while surfaces are found, and puts stems in their order at the end.

    With a ``known`` vocabulary, stems have the ids that they have there, and unknown stems have -1.
    """

    def __init__(self, rules: TextRules, known: Vocabulary | None = None) -> None:
        self._known = known
        language = language_of(rules.language) if rules.language else None
        self._stem = stemmer_of(language) if language and rules.stem else None
        self._has_possessives = language is not None and language.stemmer == "porter"
        self._roles = roles_of(rules)
        self._role = [np.zeros(0, np.uint8)]  # by surface
        self._stem_of = [np.zeros(0, np.int32)]  # by surface
        self._n_surfaces = 0
        self._stems = StringTable()

    def learn(self, surfaces: StringTable) -> None:
        """Fold and stem the surfaces that are new since the last call."""
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
        if self._has_possessives:
            for i in _containing(b"'", words):
                bare[i] = words[i].removesuffix(b"'s").removesuffix(b"'")
        stems = self._stem(bare)
        for i in _containing(b"#/:?@", words):  # only addresses contain one of these
            stems[i] = words[i]
        if b"" in stems:  # the word was nothing but a suffix
            stems = [stem or word for stem, word in zip(stems, words, strict=True)]
        return stems

    def lexicon(self, surfaces: StringTable, counts: NDArray[np.int64]) -> Lexicon:
        """Put stems and surfaces in their final order, given how often each surface occurred."""
        role, stem_of = np.concatenate(self._role), np.concatenate(self._stem_of)
        kept = np.flatnonzero(role == KEEP)
        surface_of = np.full(role.size, -1, np.int32)
        surface_of[kept] = np.arange(kept.size)
        texts = surfaces.since().to_series()[kept].alias("surface")
        n_numbers = int(counts[role == DROP_NUMBER].sum())
        n_stop_words = int(counts[role != KEEP].sum()) - n_numbers
        if self._known is None:
            vocabulary, id_of = self._in_order(stem_of[kept], counts[kept], texts)
        else:
            vocabulary, id_of = self._known.table, self._known.ids.find_strings(self._stems.since())
        stem_of[kept] = id_of[stem_of[kept]]
        kept_surfaces = pl.DataFrame({"surface": texts, "stem": stem_of[kept], "count": counts[kept]})
        return Lexicon(role, stem_of, surface_of, kept_surfaces, vocabulary, n_stop_words, n_numbers)

    def _in_order(
        self, stem_of: NDArray[np.int32], counts: NDArray[np.int64], texts: pl.Series
    ) -> tuple[pl.DataFrame, NDArray[np.int32]]:
        """Return the vocabulary, the most frequent stems first, and the id of each stem in it."""
        stem_count = np.bincount(stem_of, counts, len(self._stems)).astype(np.int64)
        # Stems are sorted by name first, then, stably, by how often they occur.
        names = self._stems.since().to_series().alias("stem")
        by_name = _alphabetical(names)
        order = by_name[np.argsort(-stem_count[by_name], kind="stable")]
        rank = np.empty(order.size, np.int32)
        rank[order] = np.arange(order.size)
        shown = _most_frequent(rank[stem_of], counts, texts, order.size)
        return pl.DataFrame({"stem": names[order], "surface": shown, "count": stem_count[order]}), rank


def _containing(chars: bytes, words: list[bytes]) -> Iterator[int]:
    """Yield the numbers of the words that contain one of some characters."""
    data = np.frombuffer(b"\0".join([*words, b""]), np.uint8)
    wanted = np.zeros(256, np.bool_)
    wanted[list(chars)] = True
    found = np.flatnonzero(wanted[data])
    yield from np.unique(np.searchsorted(np.flatnonzero(data == 0), found)).tolist()


def _alphabetical(texts: pl.Series) -> NDArray[np.int64]:
    """Return the order of distinct texts by code points."""
    if texts.estimated_size() < FEW_BYTES:
        values = texts.to_list()
        return np.array(sorted(range(len(values)), key=values.__getitem__), np.int64)
    return texts.arg_sort().to_numpy().astype(np.int64)


def _most_frequent(
    stem_of: NDArray[np.int32], count: NDArray[np.int64], texts: pl.Series, n_stems: int
) -> pl.Series:
    """Return the most frequent text of each stem; of equally frequent texts the first by code points."""
    best = np.zeros(n_stems, np.int64)
    np.maximum.at(best, stem_of, count)
    candidates = np.flatnonzero(count == best[stem_of])
    chosen = np.zeros(n_stems, np.int64)
    chosen[stem_of[candidates]] = candidates
    tied = candidates[np.bincount(stem_of[candidates], minlength=n_stems)[stem_of[candidates]] > 1]
    backwards = tied[_alphabetical(texts[tied])][::-1]
    chosen[stem_of[backwards]] = backwards  # NumPy keeps the last value written: the first by code points
    return texts[chosen].alias("surface")
