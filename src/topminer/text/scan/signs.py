"""Which documents may contain something of a kind (kinds.py), found in one pass over the bytes.

Few documents have any of the bytes that kinds are recognised by. So blocks of 64 bytes are tested first, in a
loop without branches that LLVM turns into vector instructions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import bare_kernel, inlined
from topminer.text.scan.tokens import LEFT_OUT, TOKEN_START, TOKEN_STOP

# What a document has: nothing of any kind; perhaps numbers in a row or the header of a mail; a sign.
NOTHING, UNCLEAR, SIGN = 0, 1, 2

SIGNS = b"@#<&`~[/+\n" + bytes((TOKEN_START, TOKEN_STOP, LEFT_OUT))

_BLOCK = 64  # bytes
_IS_SIGN = np.isin(np.arange(256), list(SIGNS))
_IS_BLANK = np.isin(np.arange(256), list(b" \t|"))
_IN_NUMBER = np.isin(np.arange(256), list(b"0123456789.,:/% \t|"))  # or before it
_STARTS_NUMBER = np.isin(np.arange(256), list(b"0123456789+-"))
_AT, _HASH, _LESS, _AND, _GRAVE, _TILDE, _BRACKET, _SLASH, _PLUS = SIGNS[:9]
_BLANK, _BAR, _COLON = (ord(char) for char in " |:")


@inlined
def _needs_a_look(data: NDArray[np.uint8]) -> bool:
    """Return whether any byte of a block, but the first and the last, may be a sign or join numbers."""
    found = np.uint8(0)
    for j in range(np.uint64(1), np.uint64(_BLOCK + 1)):
        before, b, after = data[j - np.uint64(1)], data[j], data[j + np.uint64(1)]
        sign = (b == _AT) | (b == _HASH) | (b == _LESS) | (b == _AND) | (b == _GRAVE) | (b == _TILDE)
        sign |= (b == _BRACKET) | (b == _SLASH) | (b == _PLUS) | (b < _BLANK) | (b == _BAR)
        # Ranges, which are quicker to test than sets: "%" to ":", "+" to "9".
        join = (b == _BLANK) & (before >= 32) & (before <= 58) & (after >= 43) & (after <= 57)
        found |= np.uint8(sign | join)
    return bool(found)


@bare_kernel
def find_signs(data: NDArray[np.uint8], text_start: NDArray[np.int64], found: NDArray[np.uint8]) -> None:
    """Write what each document has: SIGN, UNCLEAR or NOTHING."""
    for d in range(found.size):  # may it begin with a word and a colon, perhaps after white space?
        i, end = text_start[d], text_start[d + 1]
        while i < end and data[i] <= _BLANK:
            i += 1
        # What is not ASCII may be white space, too.
        is_unclear = i < end and (data[i] == 0xC2 or 0xE1 <= data[i] <= 0xE3)
        while i < end and data[i] > _BLANK and data[i] < 0x80 and data[i] != _COLON:
            i += 1
        found[d] = UNCLEAR if is_unclear or (i < end and data[i] == _COLON) else NOTHING
    d = 0
    first, last = text_start[0], text_start[found.size]
    for block in range(first, last, _BLOCK):
        stop = block + _BLOCK if block + _BLOCK < last else last
        if block > first and stop < last and not _needs_a_look(data[block - 1 : block + _BLOCK + 1]):
            continue
        for i in range(block, stop):
            while text_start[d + 1] <= i:
                d += 1
            if _IS_SIGN[data[i]]:
                found[d] = SIGN
            elif (
                found[d] == NOTHING
                and text_start[d] < i < text_start[d + 1] - 1
                and _IS_BLANK[data[i]]  # it may join two numbers, as in "3.14, -2" or "1 | 2"
                and _IN_NUMBER[data[i - 1]]
                and _STARTS_NUMBER[data[i + 1]]
            ):
                found[d] = UNCLEAR
