"""The colours of charts and pages, each on a light ground and on a dark one."""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """A colour on a light ground, and on a dark one."""

    light: str
    dark: str


GROUND = Colour("#ffffff", "#14181d")
INK = Colour("#1f2933", "#e4e7eb")
FAINT = Colour("#65707c", "#98a4b0")
GRID = Colour("#e3e7eb", "#2b333b")
MERGED = Colour("#16794f", "#54d6a0")
THRESHOLD = Colour("#a9620a", "#f3b54a")
GLUED = Colour("#8a3f92", "#dba6ea")
ACCENT = Colour("#1f66ad", "#7ab6f2")  # what a chart is about
SECOND = Colour("#b0491d", "#f2a27c")  # another series beside it
WHOLE = Colour("#8793a0", "#6b7885")  # the whole that a part is compared with
WASH = Colour("#dbe8f6", "#22384f")  # an area of the accent, to write on

PALETTE = (GROUND, INK, FAINT, GRID, MERGED, THRESHOLD, GLUED, ACCENT, SECOND, WHOLE, WASH)
TEXTS = (INK, FAINT, MERGED, THRESHOLD, GLUED, ACCENT, SECOND)  # dark enough to be read on the ground
MARKS = (*TEXTS, WHOLE)  # dark enough to be seen there


def dark_rules(selector: str) -> str:
    """CSS that gives each colour under ``selector`` its dark counterpart.

    Charts name their colours in ``fill`` and ``stroke``. A viewer that does not know the rules shows the
    light ones.
    """
    return "".join(
        f'{selector} [{attribute}="{colour.light}"]{{{attribute}:{colour.dark}}}'
        for colour in PALETTE
        for attribute in ("fill", "stroke")
    )
