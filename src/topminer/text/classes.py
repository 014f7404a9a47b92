"""The class of every Unicode code point, made from ``unicodedata`` (docs/text.md lists them).

A class is one byte: what the character is (``KIND``), and whether it can link two parts of a word
(``LINK``: *state-of-the-art*) or of a number (``DIGIT_LINK``: *1,000*).
"""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# What a character is. The order matters to the scanner: up to MARK it goes on with a word, up to DIGIT it
# may start one, and from LINE_END on it ends a chunk.
LETTER, DIGIT, MARK, ALONE, FORMAT, BLANK, NEUTRAL, LINE_END, ENDING, MULTIBYTE = range(10)
KIND, LINK, DIGIT_LINK = 15, 16, 32

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
_ASSIGNED = (0, 0x33480), (0xE0000, 0xE1000)  # all else is private or free
_KIND_OF = {category: LETTER for category in ("Lu", "Ll", "Lt", "Lm", "Lo")}
_KIND_OF |= {category: DIGIT for category in ("Nd", "Nl", "No")}
_KIND_OF |= {category: MARK for category in ("Mn", "Mc", "Me")}
_KIND_OF |= {category: BLANK for category in ("Zs", "Zl", "Zp", "Cc")}
_KIND_OF |= {category: NEUTRAL for category in ("Sc", "Pc", "Co", "Cn", "Cs")}
_KIND_OF |= {category: ENDING for category in ("Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sk", "So")}
_KIND_OF["Cf"] = FORMAT


class Classes(NamedTuple):
    """Classes by byte (MULTIBYTE where a byte is part of a longer character) and by code point."""

    of_byte: NDArray[np.uint8]
    of_char: NDArray[np.uint8]


def _set(of_char: NDArray[np.uint8], chars: str, kind: int) -> None:
    of_char[[ord(char) for char in chars]] = kind


@cache
def classes() -> Classes:
    """Make the tables, once per process."""
    of_char = np.full(sys.maxunicode + 1, NEUTRAL, np.uint8)
    for first, last in _ASSIGNED:
        of_char[first:last] = [_KIND_OF[unicodedata.category(chr(code))] for code in range(first, last)]
    for first, last in _ALONE:
        block = of_char[first : last + 1]
        block[block == LETTER] = ALONE
    _set(of_char, _NEUTRAL, NEUTRAL)
    _set(of_char, _LINE_ENDS, LINE_END)
    for links, bit in ((_LINKS, LINK), (_DIGIT_LINKS, DIGIT_LINK)):
        codes = [ord(char) for char in links]
        of_char[codes] |= bit
    of_byte = np.full(256, MULTIBYTE, np.uint8)
    of_byte[:128] = of_char[:128]
    of_char.flags.writeable = of_byte.flags.writeable = False
    return Classes(of_byte, of_char)
