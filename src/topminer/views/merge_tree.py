"""The merge tree of one text as a picture: the paper's dendrogram, with its dashed threshold line.

The text runs along the bottom, and phrases grow upwards from its words. A merge is as high as it is weak: its
height is its *strength*, the lowest score so far, with high scores near the bottom. So a line across the
picture at any score cuts the tree into the phrases of that threshold. Merges above the line do not happen,
and are dashed. An SVG file follows the reader's choice of a light or a dark screen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from topminer.errors import InputError
from topminer.memory import require_drawing
from topminer.phrases.explain import Explanation, Merge, Phrase, Token
from topminer.text.printable import printable
from topminer.views.charts.parts import text_width
from topminer.views.charts.svg import FONT, LONGEST_SIDE, SHARPNESS
from topminer.views.colours import FAINT, GLUED, GRID, GROUND, INK, MERGED, THRESHOLD, Colour, dark_rules
from topminer.views.numbers import expected_text, score_beside

MOST_WORDS = 5_000
LONGEST_TITLE = 80  # characters

# Pixels.
FONT_SIZE = 13
HEIGHT = 260.0  # of the tree
LEFT, TOP, RIGHT, BELOW = 64.0, 16.0, 100.0, 56.0  # around the tree; the text stands below it
BLANK, END_OF_CHUNK, LEAST_ROOM = 10.0, 30.0, 36.0  # between words, between chunks, for a word

LONGEST_GAP = 24  # characters between two words that are shown
WIDER = 1.15  # the reader's font may be wider than the one that texts are measured with
MARGIN = 0.15  # of the height, below the first merge and above the last
BEND = 2.0  # the scale of scores is symmetric and logarithmic: log(1 + score / BEND)

_LINES = {
    "beyond": (FAINT, {"stroke-width": "1.2", "stroke-dasharray": "3 3"}),
    "alone": (FAINT, {"stroke-width": "1"}),
    "merged": (MERGED, {"stroke-width": "2.2", "stroke-linecap": "round"}),
}
_TICKS = [0, *(sign * 2**power for sign in (-1, 1) for power in range(21))]


@dataclass(frozen=True)
class MergeTree:
    """The picture of a merge tree, which a notebook shows."""

    explained: Explanation

    def _repr_svg_(self) -> str:
        return to_svg(self.explained)


def merge_tree(explained: Explanation) -> MergeTree:
    """Draw the merge tree of a text."""
    return MergeTree(explained)


def to_svg(explained: Explanation) -> str:
    """Return the picture as an SVG file."""
    root = _drawn(explained)
    style = Element("style")
    style.text = f"@media (prefers-color-scheme:dark){{{dark_rules('.marks')}}}"
    root.insert(1, style)
    return tostring(root, encoding="unicode")


def to_png(explained: Explanation) -> bytes:
    """Return the picture as a PNG file, light."""
    root = _drawn(explained)
    longest = max(float(root.attrib["width"]), float(root.attrib["height"]))
    require_drawing()
    import vl_convert

    svg = tostring(root, encoding="unicode")
    png: bytes = vl_convert.svg_to_png(svg, scale=min(SHARPNESS, LONGEST_SIDE / longest))
    return png


def title_of(explained: Explanation) -> str:
    """Say what is drawn."""
    text = printable(explained.text).strip()
    if len(text) > LONGEST_TITLE:
        text = f"{text[:LONGEST_TITLE]} …"
    return f"Merge tree of “{text}”"


def about_merge(merge: Merge, threshold: float) -> str:
    """Say what is known of a merge."""
    score, strength = (score_beside(value, threshold) for value in (merge.score, merge.strength))
    lowest = "" if score == strength else f", lowest score so far {strength}"
    counts = f"seen {merge.observed:,}, expected {expected_text(merge.expected)}"
    return f"{printable(merge.left.text)} ⊕ {printable(merge.right.text)}: score {score}, {counts}{lowest}"


def about_word(token: Token) -> str:
    """Say what is known of a word."""
    return f"{printable(token.text)}: stem {printable(token.stem)}, {token.count:,} in the corpus"


class Layout:
    """Where the parts of a merge tree stand, in pixels."""

    def __init__(self, explained: Explanation) -> None:
        self._explained = explained
        self.width = LEFT
        self.pieces: list[tuple[float, str, int | None]] = []  # middle, text, and the token that it is
        self.ends_of_chunks: list[float] = []
        self._edges: list[tuple[float, float]] = []  # of each token
        self._set_text()
        self._heights = self._range()
        self.middle = {unit: sum(self.edges(unit)) / 2 for unit in explained.units}
        for merge in explained.merges:
            self.middle[merge.made] = (self.middle[merge.left] + self.middle[merge.right]) / 2

    def edges(self, phrase: Phrase) -> tuple[float, float]:
        """Return where a phrase starts and ends."""
        return self._edges[phrase.first][0], self._edges[phrase.behind - 1][1]

    def y(self, score: float) -> float:
        """Return the place of a score."""
        low, high = self._heights
        return TOP + HEIGHT * (_height(score) - low) / (high - low)

    def ticks(self) -> list[int]:
        """Return the scores that the scale names."""
        return [score for score in _TICKS if TOP <= self.y(score) <= TOP + HEIGHT]

    def lines(self) -> Iterator[tuple[str, float, float, float, float]]:
        """Yield the kind and the ends of each line.

        Lines lead from each phrase up to the merge it is part of, and across it; from a finished phrase up to
        the threshold.
        """
        threshold, middle = self._explained.threshold, self.middle
        at = dict.fromkeys(self._explained.units, TOP + HEIGHT)
        at |= {merge.made: self.y(merge.strength) for merge in self._explained.merges}
        for phrase in self._explained.finished if math.isfinite(threshold) else ():
            x, y = middle[phrase], self.y(threshold)
            yield "merged" if phrase.length > 1 else "alone", x, at[phrase], x, y
            at[phrase] = y  # merges beyond the threshold go on from there
        for merge in self._explained.merges:
            kind, y = "merged" if merge.happens else "beyond", self.y(merge.strength)
            for part in (merge.left, merge.right):
                yield kind, middle[part], at[part], middle[part], y
            yield kind, middle[merge.left], y, middle[merge.right], y

    def _range(self) -> tuple[float, float]:
        """Return the heights at the top and at the bottom, some way behind the last merge and the first."""
        scores = [merge.strength for merge in self._explained.merges]
        scores += [self._explained.threshold] if math.isfinite(self._explained.threshold) else []
        heights = [_height(score) for score in scores or [0.0]]
        margin = MARGIN * (max(heights) - min(heights)) or MARGIN
        return min(heights) - margin, max(heights) + margin

    def _set_text(self) -> None:
        """Set the text in one line."""
        behind, chunk = 0, 0
        for i, token in enumerate(self._explained.tokens):
            self._add_gap(self._explained.text[behind : token.start])
            if token.chunk != chunk:
                self.ends_of_chunks.append(self.width + END_OF_CHUNK / 2)
                self.width += END_OF_CHUNK
            start = self.width
            self._add(printable(token.text), LEAST_ROOM, i)
            self._edges.append((start, self.width))
            behind, chunk = token.end, token.chunk
        self._add_gap(self._explained.text[behind:])

    def _add_gap(self, between: str) -> None:
        gap = printable(between).strip()
        if len(gap) > LONGEST_GAP:
            half = LONGEST_GAP // 2
            gap = f"{gap[:half]} … {gap[-half:]}"
        if gap:
            self.width += BLANK if between[0].isspace() else 1.0
            self._add(gap, 0.0, None)
        self.width += BLANK if between else 0.0

    def _add(self, text: str, least: float, token: int | None) -> None:
        room = max(least, WIDER * FONT_SIZE * text_width(text))
        self.pieces.append((self.width + room / 2, text, token))
        self.width += room


def _height(score: float) -> float:
    return math.copysign(math.log1p(abs(score) / BEND), score)


def _drawn(explained: Explanation) -> Element:
    """Draw the tree as an SVG element, in light colours."""
    if len(explained.tokens) > MOST_WORDS:
        n = len(explained.tokens)
        raise InputError(f"the text has {n:,} words; a merge tree can be drawn of {MOST_WORDS:,} at most")
    layout = Layout(explained)
    end, bottom = max(layout.width, 2 * LEFT), TOP + HEIGHT
    size = {"width": f"{end + RIGHT:.0f}", "height": f"{bottom + BELOW:.0f}"}
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "class": "marks", "role": "img", **size})
    root.attrib |= {"viewBox": f"0 0 {size['width']} {size['height']}", "font-family": FONT}
    SubElement(root, "title").text = title_of(explained)
    SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": GROUND.light})
    _draw_scale(root, layout, end)
    for x in layout.ends_of_chunks:
        _line(root, x, TOP, x, bottom, GRID, {"stroke-width": "2"})
    for kind, (colour, stroke) in _LINES.items():
        lines = [line for of_kind, *line in layout.lines() if of_kind == kind]
        path = "".join(f"M{x:.1f},{y:.1f}L{x2:.1f},{y2:.1f}" for x, y, x2, y2 in lines)
        if path:
            SubElement(root, "path", {"d": path, "fill": "none", "stroke": colour.light, **stroke})
    if math.isfinite(explained.threshold):
        y, stroke = layout.y(explained.threshold), {"stroke-width": "1.5", "stroke-dasharray": "7 4"}
        _line(root, LEFT, y, end, y, THRESHOLD, stroke)
        _text(root, end + 6, y + 4, f"threshold {explained.threshold:g}", THRESHOLD, 12, anchor="start")
    for merge in explained.merges:
        x, y = layout.middle[merge.made], layout.y(merge.strength)
        colour = MERGED if merge.happens else FAINT
        _text(
            root, x + 4, y - 5, score_beside(merge.score, explained.threshold), colour, 11,
            anchor="start", bold=merge.happens, about=about_merge(merge, explained.threshold),
        )  # fmt: skip
    _draw_text(root, layout, explained)
    return root


def _draw_scale(root: Element, layout: Layout, end: float) -> None:
    for score in layout.ticks():
        y = layout.y(score)
        _line(root, LEFT, y, end, y, GRID, {})
        _text(root, LEFT - 8, y + 4, f"{score:,}", FAINT, 11, anchor="end")
    middle = TOP + HEIGHT / 2
    turned = {"transform": f"rotate(-90 20 {middle:g})"}
    _text(root, 20, middle, "significance", FAINT, 11).attrib.update(turned)


def _draw_text(root: Element, layout: Layout, explained: Explanation) -> None:
    """Draw the words, the text between them, and lines below phrases."""
    bottom = TOP + HEIGHT
    several = [phrase for phrase in explained.finished if phrase.length > 1]
    in_phrase = {i for phrase in several for i in range(phrase.first, phrase.behind)}
    for x, text, i in layout.pieces:
        colour = FAINT if i is None else MERGED if i in in_phrase else INK
        about = "" if i is None else about_word(explained.tokens[i])
        _text(root, x, bottom + 20, text, colour, FONT_SIZE, bold=i in in_phrase, about=about)
    glued = [unit for unit in explained.units if unit.always]
    for phrases, colour, below in ((several, MERGED, 27), (glued, GLUED, 32)):
        for left, right in map(layout.edges, phrases):
            _line(root, left, bottom + below, right, bottom + below, colour, {"stroke-width": "2.5"})
    for unit in glued:
        _text(root, layout.middle[unit], bottom + 46, "always", GLUED, 11, about="always whole")


def _line(
    root: Element, x: float, y: float, x2: float, y2: float, colour: Colour, more: dict[str, str]
) -> None:
    ends = {"x1": f"{x:.1f}", "y1": f"{y:.1f}", "x2": f"{x2:.1f}", "y2": f"{y2:.1f}"}
    SubElement(root, "line", {**ends, "stroke": colour.light, **more})


def _text(
    root: Element, x: float, y: float, text: str, colour: Colour, size: int, *,
    anchor: str = "middle", bold: bool = False, about: str = "",
) -> Element:  # fmt: skip
    """Add a text; ``about`` is shown and read out when somebody points there."""
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor, "font-size": f"{size}"}
    element = SubElement(root, "text", {**place, "fill": colour.light})
    element.text = text
    if bold:
        element.set("font-weight", "700")
    if about:
        element.set("aria-label", about)
        title = SubElement(element, "title")
        title.text, title.tail, element.text = about, text, None
    return element
