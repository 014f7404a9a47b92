"""Where the parts of a merge tree stand on a chart.

The text runs along the bottom, x in pixels, and phrases grow upwards from its words. A merge is as high as it
is weak: y is its *strength*, the lowest score so far, with high scores near the bottom. So a line across the
chart at any score cuts the tree into the phrases of that threshold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from topminer.phrases.explain import Explanation, Merge, Phrase, Token
from topminer.text.printable import printable
from topminer.views.charts.parts import text_width

FONT_SIZE = 13
BLANK, END_OF_CHUNK, LEAST_ROOM = 9.0, 30.0, 36.0  # between words, between chunks, for a word: pixels
LONGEST_GAP = 24  # characters between two words that are shown
MARGIN = 0.15  # of the height, below the first merge and above the last
BEND = 2.0  # the scale of scores is symmetric and logarithmic: log(1 + score / BEND)

Kind = Literal["merged", "alone", "beyond"]


class Word(NamedTuple):
    """A piece of the text; what is no kept token has none."""

    x: float
    text: str
    token: Token | None
    in_phrase: bool  # of several words


class Line(NamedTuple):
    """A straight line: part of a phrase, a single word's, or beyond the threshold."""

    x: float
    y: float
    x2: float
    y2: float
    kind: Kind


@dataclass(frozen=True)
class Layout:
    """A merge tree, set out."""

    width: float
    bottom: float  # the score at the bottom, where words stand
    top: float
    words: list[Word]
    ends_of_chunks: list[float]
    glued: list[tuple[float, float]]  # from where to where
    several: list[tuple[float, float]]  # phrases of several words
    lines: list[Line]
    merges: list[tuple[float, Merge]]  # where the middle of each is

    @classmethod
    def of(cls, explained: Explanation) -> Layout:
        """Set out a merge tree."""
        setting = _Setting(explained)
        bottom, top = _scores(explained)
        middle = {unit: sum(setting.edges(unit)) / 2 for unit in explained.units}
        for merge in explained.merges:
            middle[merge.made] = (middle[merge.left] + middle[merge.right]) / 2
        return cls(
            width=setting.width,
            bottom=bottom,
            top=top,
            words=setting.words,
            ends_of_chunks=setting.ends_of_chunks,
            glued=[setting.edges(unit) for unit in explained.units if unit.always],
            several=[setting.edges(phrase) for phrase in explained.finished if phrase.length > 1],
            lines=list(_lines(explained, middle, bottom)),
            merges=[(middle[merge.made], merge) for merge in explained.merges],
        )


def _scores(explained: Explanation) -> tuple[float, float]:
    """The scores at the bottom and at the top, some way behind the first merge and the last."""
    scores = [merge.strength for merge in explained.merges]
    scores += [explained.threshold] if math.isfinite(explained.threshold) else []
    heights = [math.copysign(math.log1p(abs(score) / BEND), score) for score in scores or [0.0]]
    margin = MARGIN * (max(heights) - min(heights)) or MARGIN
    ends = max(heights) + margin, min(heights) - margin
    bottom, top = (math.copysign(BEND * math.expm1(abs(end)), end) for end in ends)
    return bottom, top


def _lines(explained: Explanation, middle: dict[Phrase, float], bottom: float) -> Iterator[Line]:
    """From each phrase up to the merge it is part of, and across it; from those that stay, to the line."""
    height = dict.fromkeys(explained.units, bottom)
    for merge in explained.merges:
        height[merge.made] = merge.strength
    for phrase in explained.finished:
        x = middle[phrase]
        if math.isfinite(explained.threshold):
            stays: Kind = "merged" if phrase.length > 1 else "alone"
            yield Line(x, height[phrase], x, explained.threshold, stays)
            height[phrase] = explained.threshold  # what lies beyond goes on from there
    for merge in explained.merges:
        kind: Kind = "merged" if merge.happens else "beyond"
        for part in (merge.left, merge.right):
            yield Line(middle[part], height[part], middle[part], merge.strength, kind)
        yield Line(middle[merge.left], merge.strength, middle[merge.right], merge.strength, kind)


class _Setting:
    """The text, set in one line."""

    def __init__(self, explained: Explanation) -> None:
        self.width = 0.0
        self.words: list[Word] = []
        self.ends_of_chunks: list[float] = []
        self._edges: list[tuple[float, float]] = []
        several = [phrase for phrase in explained.finished if phrase.length > 1]
        in_phrase = {i for phrase in several for i in range(phrase.first, phrase.behind)}
        behind, chunk = 0, 0
        for i, token in enumerate(explained.tokens):
            self._put_gap(explained.text[behind : token.start])
            if token.chunk != chunk:
                self.ends_of_chunks.append(self.width + END_OF_CHUNK / 2)
                self.width += END_OF_CHUNK
            start = self.width
            self._put(printable(token.text), LEAST_ROOM, token, i in in_phrase)
            self._edges.append((start, self.width))
            behind, chunk = token.end, token.chunk
        self._put_gap(explained.text[behind:])

    def edges(self, phrase: Phrase) -> tuple[float, float]:
        """Where a phrase starts and ends."""
        return self._edges[phrase.first][0], self._edges[phrase.behind - 1][1]

    def _put(self, text: str, least: float, token: Token | None = None, in_phrase: bool = False) -> None:
        room = max(least, FONT_SIZE * text_width(text))
        self.words.append(Word(self.width + room / 2, text, token, in_phrase))
        self.width += room

    def _put_gap(self, between: str) -> None:
        gap = printable(between).strip()
        if len(gap) > LONGEST_GAP:
            half = LONGEST_GAP // 2
            gap = f"{gap[:half]} … {gap[-half:]}"
        if gap:
            self.width += BLANK / 2 if between[0].isspace() else 1.0
            self._put(gap, 0.0)
        self.width += BLANK if between else 0.0
