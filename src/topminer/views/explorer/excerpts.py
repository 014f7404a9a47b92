"""The part of a text in which a search has its hits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from topminer.views.explorer.search import Term
from topminer.views.explorer.words import words_in

BEFORE, AFTER = 60, 180  # characters around the first hit
CUT = "…"
Excerpt = list[tuple[str, bool]]


def excerpt(text: str, terms: list[Term]) -> Excerpt:
    """Pieces of text, one behind the other, and whether each is a hit; cut at words, around the first hit.

    >>> excerpt("Mining frequent patterns", [Term(("pattern",), is_prefix=True)])
    [('Mining frequent ', False), ('patterns', True)]
    """
    starts, stops, words = words_in(text)
    first = next((at for at in range(len(words)) if _length(terms, words, at)), None)
    begin = 0 if first is None else _word_start(starts, starts[first] - BEFORE)
    end = _word_end(stops, begin + BEFORE + AFTER, len(text))
    pieces: Excerpt = [(CUT, False)] if begin > 0 else []
    at, place = bisect_left(starts, begin), begin
    while at < len(words) and stops[at] <= end:
        length = _length(terms, words, at)
        if length and stops[at + length - 1] <= end:
            pieces += [(text[place : starts[at]], False), (text[starts[at] : stops[at + length - 1]], True)]
            place = stops[at + length - 1]
        at += max(length, 1)
    pieces.append((text[place:end], False))
    if end < len(text):
        pieces.append((CUT, False))
    return [piece for piece in pieces if piece[0]]


def _length(terms: list[Term], words: list[str], at: int) -> int:
    """How many words the longest term has that stands here; 0: none does."""
    return max((len(term.words) for term in terms if term.matches(words, at)), default=0)


def _word_start(starts: list[int], place: int) -> int:
    """The first word that starts at a place or behind it; the text's start, where it is near."""
    return 0 if place <= 0 else starts[bisect_left(starts, place)]


def _word_end(stops: list[int], place: int, length: int) -> int:
    """The end of the last word that ends at a place or before it; the text's end, where it is near."""
    if place >= length:
        return length
    at = bisect_right(stops, place)
    return stops[at - 1] if at else place
