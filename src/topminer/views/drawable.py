"""Text from outside, as a chart or a page can show it."""

from __future__ import annotations

import re
import unicodedata

# What XML has no place for (vl-convert would abort the process on it), other controls, and the marks that
# turn the direction of the text around them.
_UNDRAWABLE = re.compile(
    "[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)


def drawable(text: str) -> str:
    r"""Return a text on one line, with ``·`` for what would be obeyed, or refused, rather than drawn.

    >>> drawable("red\x1b[31m\nalert")
    'red·[31m alert'
    """
    return _UNDRAWABLE.sub("·", re.sub(r"\s+", " ", text))


def text_width(text: str) -> float:
    """About how wide a text is, in units of the size of its font."""
    width = 0.0
    for char in text:
        if unicodedata.east_asian_width(char) in "WF":
            width += 1.0
        elif unicodedata.category(char) not in ("Mn", "Me", "Cf"):
            width += 0.36 if char in " iljtfrI.,;:'’|!()[]-" else 0.9 if char in "mwMW@%" else 0.62
    return width
