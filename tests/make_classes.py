"""Make the table of Unicode classes that the package ships, from Python's ``unicodedata``.

The command writes ``unicode_classes.txt`` in ``src/topminer/text/scan``::

    python tests/make_classes.py

The table changes with the Unicode version of the Python that runs the command, and then corpora change too.
docs/text.md lists the classes.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path
from textwrap import fill

import numpy as np
from numpy.typing import NDArray

from topminer.text.scan.classes import (
    ALONE,
    BLANK,
    DIGIT,
    DIGIT_LINK,
    ENDING,
    FILE,
    FORMAT,
    LETTER,
    LINE_END,
    LINK,
    MARK,
    NEUTRAL,
)

_CONNECTORS = "_\u203f\u2040\u2054\ufe33\ufe34\ufe4d\ufe4e\ufe4f＿"  # category Pc
_LINKS = "'’＇-\u2010\u2011\u058a\u05be.\u00b7\u0387\u05f3\u05f4" + _CONNECTORS
_DIGIT_LINKS = ",\u066b\u066c"
_LINE_ENDS = "\n\v\f\r\x85\u2028\u2029"
_NEUTRAL = "&@#%‰/\\*+=^~°§·\u0387\u0f0b\u0f0c\u1361"
_ALONE = (  # letters of scripts written without spaces
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # Han radicals
    (0x3005, 0x3007),  # Han iteration marks and zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x303C),  # Kana repeat marks
    (0x3041, 0x312F),  # Hiragana, Katakana, Bopomofo
    (0x31A0, 0x31FF),  # Bopomofo and Katakana extensions
    (0x3400, 0x4DBF),  # Han extension A
    (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),  # Myanmar extension B
    (0xAA60, 0xAA7F),  # Myanmar extension A
    (0xF900, 0xFAFF),  # Han compatibility
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x16FE2, 0x16FE3),  # Old Chinese marks
    (0x1AFF0, 0x1B16F),  # Kana supplements
    (0x20000, 0x3FFFF),  # Han extensions B and later
)
_ASSIGNED = (0, 0x33480), (0xE0000, 0xE1000)  # all other code points are private or not assigned
_KIND_OF = {category: LETTER for category in ("Lu", "Ll", "Lt", "Lm", "Lo")}
_KIND_OF |= {category: DIGIT for category in ("Nd", "Nl", "No")}
_KIND_OF |= {category: MARK for category in ("Mn", "Mc", "Me")}
_KIND_OF |= {category: BLANK for category in ("Zs", "Zl", "Zp", "Cc")}
_KIND_OF |= {category: NEUTRAL for category in ("Sc", "Pc", "Co", "Cn", "Cs")}
_KIND_OF |= {category: ENDING for category in ("Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sk", "So")}
_KIND_OF["Cf"] = FORMAT


def class_of_every_character() -> NDArray[np.uint8]:
    """Return the class of each code point, in the Unicode version of this Python."""
    of_char = np.full(sys.maxunicode + 1, NEUTRAL, np.uint8)
    for first, last in _ASSIGNED:
        of_char[first:last] = [_KIND_OF[unicodedata.category(chr(code))] for code in range(first, last)]
    for first, last in _ALONE:
        block = of_char[first : last + 1]
        block[block == LETTER] = ALONE
    of_char[_codes(_NEUTRAL)] = NEUTRAL
    of_char[_codes(_LINE_ENDS)] = LINE_END
    of_char[_codes(_LINKS)] |= LINK
    of_char[_codes(_DIGIT_LINKS)] |= DIGIT_LINK
    return of_char


def _codes(chars: str) -> list[int]:
    return [ord(char) for char in chars]


def run_lengths(of_char: NDArray[np.uint8]) -> str:
    """Return the table as text: the Unicode version, then ``class:length`` for each run of equal classes."""
    starts = np.flatnonzero(np.diff(of_char, prepend=255))
    lengths = np.diff(starts, append=of_char.size)
    runs = " ".join(f"{kind}:{length}" for kind, length in zip(of_char[starts], lengths, strict=True))
    return f"Unicode {unicodedata.unidata_version}\n{fill(runs, 110)}\n"


if __name__ == "__main__":
    Path(str(FILE)).write_text(run_lengths(class_of_every_character()), "ascii")
