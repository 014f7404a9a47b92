"""The words of a text as search sees them: what is typed and what is written are folded alike.

Letters, digits and the marks on them make words, in any script. Where a script is written without blanks each
character is a word, and a search for some of them is one for a phrase. Case does not count, nor do accents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from topminer.text.scan.classes import ALONE, FORMAT, KIND, MARK, classes

_ACCENTS = re.compile("[\u0300-\u036f]+")
_BLANK = ord(" ")


def fold(text: str) -> str:
    """A text without case, accents and characters that only shape it.

    >>> fold("Éclair, NAÏVE co\u00adoperation")
    'eclair, naive cooperation'
    """
    text = text.lower()
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    text = unicodedata.normalize("NFC", bare).replace("ς", "σ")
    if text.isprintable():
        return text
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


_fold_word = lru_cache(1 << 16)(fold)


def word_bounds(text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where words start and stop in a text.

    >>> [array.tolist() for array in word_bounds("two words, 東京")]
    [[0, 4, 11, 12], [3, 9, 12, 13]]
    """
    _, is_word, starts = _classified(text)
    behind = np.flatnonzero(is_word & ~np.append(is_word[1:], False)) + 1
    first = np.flatnonzero(starts)
    stops = np.append(first[1:], len(text))
    ends = behind[np.searchsorted(behind, first, "right")] if first.size else first
    return first, np.minimum(stops, ends)


def folded_words(text: str) -> list[str]:
    """The words of a text, folded; those of which nothing is left are left out."""
    folded = fold(text)
    starts, stops = word_bounds(folded)
    return [folded[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]


def words_in(text: str) -> tuple[list[int], list[int], list[str]]:
    """The words of a text, folded, with their places in the text as it is."""
    starts, stops = (bounds.tolist() for bounds in word_bounds(text))
    if text.isascii():
        lower = text.lower()
        return starts, stops, [lower[start:stop] for start, stop in zip(starts, stops, strict=True)]
    return starts, stops, [_fold_word(text[start:stop]) for start, stop in zip(starts, stops, strict=True)]


def spaced(texts: Sequence[str]) -> list[str]:
    """Each text as its folded words, with blanks between and nothing else.

    >>> spaced(["Frequent-Pattern Mining.", "東京へ"])
    ['frequent pattern mining ', '東 京 へ']
    """
    folded = [fold(text) for text in texts]
    bounds = np.cumsum([0, *(len(text) + 1 for text in folded)])  # a text ends with a blank of its own
    codes, is_word, starts = _classified(" ".join([*folded, ""]))
    touching = np.flatnonzero(starts[1:] & is_word[:-1]) + 1
    written = np.insert(np.where(is_word, codes, _BLANK), touching, _BLANK)
    whole = written.astype("<u4").tobytes().decode("utf-32-le")
    places = (bounds + np.searchsorted(touching, bounds)).tolist()
    return [whole[start : stop - 1] for start, stop in pairwise(places)]


def _classified(text: str) -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.bool_]]:
    """The characters of a text, whether each belongs to a word, and whether a word starts there."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    kind = classes().of_char[codes] & KIND
    # Marks, and what only shapes the text, belong to what they stand on.
    stands_on = np.where((kind == MARK) | (kind == FORMAT), -1, np.arange(codes.size))
    rides = stands_on < 0
    np.maximum.accumulate(stands_on, out=stands_on)
    base = np.where(stands_on < 0, FORMAT, kind[stands_on]) if codes.size else kind
    is_word = base <= ALONE
    alone = base == ALONE
    before_is_word, before_is_alone = np.zeros(codes.size, np.bool_), np.zeros(codes.size, np.bool_)
    before_is_word[1:], before_is_alone[1:] = is_word[:-1], alone[:-1]
    starts = is_word & ~rides & (~before_is_word | before_is_alone | alone)
    return codes, is_word, starts
