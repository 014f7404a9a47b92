"""The class of every Unicode code point (docs/text.md lists the classes).

A class is one byte: what the character is (``KIND``), and whether it can link two parts of a word
(``LINK``: *state-of-the-art*) or of a number (``DIGIT_LINK``: *1,000*).

The table is a file of the package, so the tokens of a text do not depend on the Unicode version of Python.
tests/make_classes.py makes it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# What a character is. The scanner uses the order: a word goes on with kinds up to MARK, it may start with
# kinds up to DIGIT, and kinds from LINE_END on end a chunk. OPENING is a mark that begins a token.
LETTER, DIGIT, MARK, ALONE, FORMAT, BLANK, NEUTRAL, LINE_END, ENDING, MULTIBYTE, OPENING = range(11)
KIND, LINK, DIGIT_LINK = 15, 16, 32

FILE = files("topminer.text.scan").joinpath("unicode_classes.txt")


class Classes(NamedTuple):
    """Classes by byte (MULTIBYTE where a byte is part of a longer character) and by code point."""

    of_byte: NDArray[np.uint8]
    of_char: NDArray[np.uint8]


@cache
def classes() -> Classes:
    """Return the tables, read once per process."""
    _, runs = FILE.read_text("ascii").split("\n", 1)
    kind, length = np.array(runs.replace(":", " ").split(), np.int32).reshape(-1, 2).T
    of_char = np.repeat(kind.astype(np.uint8), length)
    of_byte = np.full(256, MULTIBYTE, np.uint8)
    of_byte[:128] = of_char[:128]
    of_char.flags.writeable = of_byte.flags.writeable = False
    return Classes(of_byte, of_char)


@cache
def classes_with_marks() -> Classes:
    """Return the tables of texts in which the bytes TOKEN_START and LEFT_OUT of tokens.py begin a token."""
    plain = classes()
    of_byte = plain.of_byte.copy()
    of_byte[[1, 3]] = OPENING
    of_byte.flags.writeable = False
    return Classes(of_byte, plain.of_char)
