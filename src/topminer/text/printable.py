r"""Text from outside, as a terminal, a page or a chart can show it.

Control characters could move a terminal's cursor, marks of direction could turn the text around them, and
XML has no place for some others: vl-convert would abort the process on them. Zero-width joiners stay, because
Persian and emoji need them.
"""

from __future__ import annotations

import re

# The same in Python's and, with the flag u, in JavaScript's regular expressions: pages embed it.
UNPRINTABLE = (
    r"[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
_UNPRINTABLE = re.compile(UNPRINTABLE)
_LINE_BREAK = re.compile("[\t-\r\x85\u2028\u2029]+")


def printable(text: str) -> str:
    r"""Return a text on one line, with ``·`` for each character that would be obeyed rather than shown.

    >>> printable("red\x1b[31m\nalert")
    'red·[31m alert'
    """
    return _UNPRINTABLE.sub("·", _LINE_BREAK.sub(" ", text))


def unprintable(text: str) -> str | None:
    r"""Return the first character that cannot be shown, or that would break the line.

    >>> unprintable("red\x1b[31m"), unprintable("red")
    ('\x1b', None)
    """
    found = _UNPRINTABLE.search(text) or _LINE_BREAK.search(text)
    return None if found is None else found[0][0]
