"""Variants: phrases that say the same, tied for display and counted together.

Tied are phrases with the same stems in another order (*analysis of variance*, *variance analysis*), and those
that differ only by stop words or hyphens (*multi-document*, *multi document*, *multidocument*). Scripts
written without spaces keep their order: there a token is a character, and 会社 is not 社会. Where fewer than
two words would be left, stop words tell phrases apart: *on-line* is not *off-line*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus
from topminer.text.rules import TextRules, fold
from topminer.text.scan.classes import ALONE, KIND, classes

HYPHENS = re.compile("[-\u2010\u2011\u058a\u05be]")

Key = tuple[str, ...]


def tied(partition: Partition) -> NDArray[np.int64]:
    """Return the group of each phrase type; types of one group are variants of each other.

    Groups are numbered by their first type. A single word is tied to others only by its hyphens.

    >>> corpus = Corpus.from_texts(["Data mining.", "Mining of data.", "Iron, zinc, lead, gold."] * 20)
    >>> from topminer.phrases.miner import PhraseMiner
    >>> partition = PhraseMiner(significance=2, quality=None).fit(corpus).transform(corpus)
    >>> partition.surfaces(), tied(partition).tolist()
    (['Data mining', 'Mining of data'], [0, 1, 2, 3, 4, 5, 6, 6])
    """
    n_stems = partition.corpus.n_stems
    words = _Words(partition.corpus)
    groups = np.arange(partition.n_types)
    first_with: dict[Key, int] = {}
    for stem in sorted(words.parts):
        groups[stem] = first_with.setdefault(words.key([stem]), stem)
    for i, (start, stop) in enumerate(pairwise(partition.type_start[n_stems:].tolist()), n_stems):
        groups[i] = first_with.setdefault(words.key(partition.type_stems[start:stop].tolist()), i)
    return np.unique(groups, return_inverse=True)[1]


class _Words:
    """The vocabulary, with hyphenated words in parts (*e-mail*), and the same without hyphens (*email*)."""

    def __init__(self, corpus: Corpus) -> None:
        self.stems: list[str] = corpus.vocabulary["stem"].to_list()
        self.parts = _parts(corpus, self.stems)
        self._ordered, self._dropped = _ordered(self.stems), _stop_stems(corpus)

    def key(self, stems: list[int]) -> Key:
        """Return what variants have in common: stems, hyphens opened, without stop words, in any order."""
        parts = self._opened(stem for stem in stems if stem not in self._dropped)
        if len(parts) < 2:
            return ("", *self._opened(stems))
        return ("", *parts) if any(self._ordered[stem] for stem in stems) else tuple(sorted(parts))

    def _opened(self, stems: Iterable[int]) -> list[str]:
        return [part for stem in stems for part in self.parts.get(stem) or [self.stems[stem]]]


def _parts(corpus: Corpus, stems: list[str]) -> dict[int, list[str]]:
    """Return the stems of the parts of hyphenated words; numbers with hyphens are no words."""
    hyphenated = [i for i, stem in enumerate(stems) if HYPHENS.search(stem) and any(map(str.isalpha, stem))]
    surfaces = corpus.vocabulary["surface"].gather(hyphenated).to_list()
    opened = [HYPHENS.sub(" ", surface) for surface in surfaces]
    rules = replace(corpus.rules, numbers=True)
    skipping = _read(corpus, replace(rules, stop_word_policy="skip"), opened)
    every = _read(corpus, replace(rules, stop_words=()), opened)
    # Stop words are left out between other words, as in a phrase: state-of-the-art, but non-normal-form.
    chosen = (
        some if len(some) > 1 and (some[0], some[-1]) == (whole[0], whole[-1]) else whole
        for some, whole in zip(skipping, every, strict=True)
    )
    parts = {stem: some for stem, some in zip(hyphenated, chosen, strict=True) if len(some) > 1}
    id_of = {stem: i for i, stem in enumerate(stems)}
    for stem in list(parts):
        if (closed := id_of.get(HYPHENS.sub("", stems[stem]))) is not None:  # e-mail, email
            parts.setdefault(closed, parts[stem])
    return parts


def _read(corpus: Corpus, rules: TextRules, texts: list[str]) -> list[list[str]]:
    return replace(corpus, rules=rules).encode(texts).to_lists()


def _stop_stems(corpus: Corpus) -> set[int]:
    """Return the stems of stop words, if those were kept: *mine* is one, and not the stem of *mining*."""
    if corpus.rules.stop_word_policy != "keep":
        return set()
    stop_words = set(corpus.rules.stop_words)
    return {i for i, word in enumerate(corpus.vocabulary["surface"]) if fold(word) in stop_words}


def _ordered(stems: list[str]) -> NDArray[np.bool_]:
    """Return which stems are characters of a script without spaces."""
    kinds = classes().of_char
    return np.array([kinds[ord(stem[0])] & KIND == ALONE for stem in stems], np.bool_)
