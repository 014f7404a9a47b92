"""Strings in lines of JSON objects, found and unescaped in one pass over the bytes (RFC 8259).

Nearly all files hold nothing unusual: each line is an object, and the wanted values are strings, whole
numbers or null. The kernel reads such blocks. It refuses a block with anything else; :mod:`.jsonlines` then
reads that block in another way, and says what is wrong with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined, part

UNUSUAL = -1  # returned in place of a place, or of the number of lines

QUOTE, BACKSLASH, SLASH, NEWLINE, MINUS, ZERO, DOT = (ord(char) for char in '"\\/\n-0.')
COMMA, COLON, SMALL_N, SMALL_U = (ord(char) for char in ",:nu")
OBJECT, OBJECT_END, ARRAY, ARRAY_END = (ord(char) for char in "{}[]")
MOST_DIGITS = 18  # of a number: Python and Polars read longer ones differently, or not at all
MOST_DEPTH = 60  # of objects and arrays in each other: one bit each

IS_BLANK = np.isin(np.arange(256), list(b" \t\r"))
IS_DIGIT = np.isin(np.arange(256), list(b"0123456789"))
# What an escape stands for, by the letter after the backslash; 0: there is no such escape.
ESCAPED = np.zeros(256, np.uint8)
ESCAPED[list(b'"\\/bfnrt')] = list(b'"\\/\b\f\n\r\t')
HEX_DIGIT = np.full(256, -1, np.int64)
HEX_DIGIT[list(b"0123456789abcdef")] = range(16)
HEX_DIGIT[list(b"ABCDEF")] = range(10, 16)
LITERALS = tuple(np.frombuffer(word, np.uint8) for word in (b"null", b"true", b"false"))

# What may come next in an object or an array.
ITEM_OR_END, ITEM, COMMA_OR_END = range(3)

# Eight bytes in one integer, the same number in each.
_SEVEN_BITS, _BIT_7, _QUOTES, _BACKSLASHES, _FROM_BLANK = (
    np.uint64(byte * 0x0101010101010101) for byte in (0x7F, 0x80, QUOTE, BACKSLASH, 0x80 - ord(" "))
)
_BYTE_NUMBERS = np.uint64(0x0001020304050607)  # times 256**k: k in the highest byte
_ALL, _ONE, _U7, _U8, _U56 = np.uint64(0xFFFFFFFFFFFFFFFF), *(np.uint64(i) for i in (1, 7, 8, 56))


@inlined
def _special(eight: Any) -> Any:
    """Set the highest bit of each byte that is a quote, a backslash or a control character."""
    quote, backslash = eight ^ _QUOTES, eight ^ _BACKSLASHES
    ordinary = ((quote & _SEVEN_BITS) + _SEVEN_BITS) | quote
    ordinary &= ((backslash & _SEVEN_BITS) + _SEVEN_BITS) | backslash
    ordinary &= ((eight & _SEVEN_BITS) + _FROM_BLANK) | eight
    return ~ordinary & _BIT_7


@inlined
def _plain_end(data: NDArray[np.uint8], words: NDArray[np.uint64], i: Int) -> Int:
    """Return the first quote, backslash or control character from byte ``i`` on."""
    k = i >> 3
    if k < words.size:
        special = _special(words[k]) & (_ALL << (np.uint64(i & 7) * _U8))
        while special == 0:
            k += 1
            if k == words.size:
                break
            special = _special(words[k])
        if special != 0:
            first = (special & (~special + _ONE)) >> _U7
            return (k << 3) + np.int64((first * _BYTE_NUMBERS) >> _U56)
        i = k << 3
    while data[i] != QUOTE and data[i] != BACKSLASH and data[i] >= 32:
        i += 1
    return i


@part
def _hex(data: NDArray[np.uint8], i: Int) -> Int:
    """Return the number that four hexadecimal digits stand for, or a negative one."""
    code = np.int64(0)
    for j in range(i, i + 4):
        digit = HEX_DIGIT[data[j]]
        if digit < 0:
            return UNUSUAL
        code = code << 4 | digit
    return code


@part
def _escape_end(data: NDArray[np.uint8], i: Int, out: NDArray[np.uint8], at: Int) -> tuple[Int, Int]:
    """Write the character that is escaped at byte ``i``. Return where the escape and the character end."""
    letter = data[i + 1]
    if letter != SMALL_U:
        out[at] = ESCAPED[letter]
        return (i + 2 if ESCAPED[letter] else UNUSUAL), at + 1
    code = _hex(data, i + 2)
    i += 6
    if 0xD800 <= code < 0xE000:  # one half of a surrogate pair
        if code >= 0xDC00 or data[i] != BACKSLASH or data[i + 1] != SMALL_U:
            return UNUSUAL, at
        low = _hex(data, i + 2)
        if low < 0xDC00 or low >= 0xE000:
            return UNUSUAL, at
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        i += 6
    if code <= 0:  # no number, or NUL
        return UNUSUAL, at
    if code < 0x80:
        out[at] = code
        return i, at + 1
    width = 2 if code < 0x800 else 3 if code < 0x10000 else 4
    for j in range(width - 1, 0, -1):
        out[at + j] = 0x80 | code & 63
        code >>= 6
    out[at] = (0xF00 >> width) & 0xFF | code
    return i, at + width


@part
def _string_end(
    data: NDArray[np.uint8], words: NDArray[np.uint64], i: Int, out: NDArray[np.uint8], at: Int
) -> tuple[Int, Int]:
    """Write the string whose first byte is ``i``. Return the byte after its quote, and where ``out`` ends."""
    while True:
        stop = _plain_end(data, words, i)
        for j in range(stop - i):
            out[at + j] = data[i + j]
        at += stop - i
        if data[stop] == QUOTE:
            return stop + 1, at
        if data[stop] != BACKSLASH:
            return UNUSUAL, at
        i, at = _escape_end(data, stop, out, at)
        if i == UNUSUAL:
            return UNUSUAL, at


@part
def _number_end(data: NDArray[np.uint8], start: Int) -> tuple[Int, bool]:
    """Return the end of the number at byte ``start``, and whether it is whole."""
    i = start + (data[start] == MINUS)
    first = i
    while IS_DIGIT[data[i]]:
        i += 1
    if i == first or i - first > MOST_DIGITS or (data[first] == ZERO and (i > first + 1 or first > start)):
        return UNUSUAL, False
    if data[i] != DOT:
        return i, True
    point = i
    i += 1
    while IS_DIGIT[data[i]]:
        i += 1
    return (UNUSUAL if i == point + 1 or i - first > MOST_DIGITS else i), False


@part
def _literal_end(data: NDArray[np.uint8], i: Int) -> Int:
    """Return the end of the ``null``, ``true`` or ``false`` at byte ``i``."""
    for word in LITERALS:
        n = 0
        while n < word.size and data[i + n] == word[n]:
            n += 1
        if n == word.size:
            return i + n
    return UNUSUAL


@inlined
def _skip_blanks(data: NDArray[np.uint8], i: Int) -> Int:
    while IS_BLANK[data[i]]:
        i += 1
    return i


@part
def _key_number(
    data: NDArray[np.uint8], start: Int, length: Int, keys: NDArray[np.uint8], key_start: NDArray[np.int64]
) -> Int:
    """Return which of ``keys`` is at byte ``start``; -1: none of them."""
    for c in range(key_start.size - 1):
        if key_start[c + 1] - key_start[c] == length:
            n = 0
            while n < length and data[start + n] == keys[key_start[c] + n]:
                n += 1
            if n == length:
                return c
    return -1


@bare_kernel
def read_lines(
    data: NDArray[np.uint8],
    words: NDArray[np.uint64],
    keys: NDArray[np.uint8],
    key_start: NDArray[np.int64],
    out: NDArray[np.uint8],
    ends: NDArray[np.int64],
) -> Int:
    """Write the values of some keys in all lines of ``data``. Return the number of lines.

    ``data`` ends with a line end; ``words`` are the same bytes, without the last few. The value of key c in
    line n becomes the bytes ``ends[c, n]`` to ``ends[c, n + 1]`` of ``out``, none if it is null or missing.
    The first key is that of the texts, which may not be numbers.
    """
    n_keys = key_start.size - 1
    for c in range(n_keys):
        ends[c, 0] = c * data.size
    n = 0
    i: Int = 0
    while i < data.size:
        if n + 1 == ends.shape[1]:
            return UNUSUAL
        for c in range(n_keys):
            ends[c, n + 1] = ends[c, n]
        i = _skip_blanks(data, i)
        if data[i] != OBJECT:
            return UNUSUAL
        i += 1
        depth, in_object, expected = 1, 1, ITEM_OR_END  # the last bit of in_object is for the innermost
        found: Int = 0  # a bit for each key that has a value: of equal keys, the first counts
        while depth > 0:
            i = _skip_blanks(data, i)
            byte = data[i]
            if byte == OBJECT_END or byte == ARRAY_END:
                if expected == ITEM or (byte == OBJECT_END) != (in_object & 1):
                    return UNUSUAL
                depth -= 1
                in_object >>= 1
                expected = COMMA_OR_END
                i += 1
                continue
            if expected == COMMA_OR_END:
                if byte != COMMA:
                    return UNUSUAL
                expected = ITEM
                i += 1
                continue
            expected = COMMA_OR_END
            key: Int = -1
            if in_object & 1:
                if byte != QUOTE:
                    return UNUSUAL
                stop = _plain_end(data, words, i + 1)
                if data[stop] != QUOTE:
                    return UNUSUAL
                if depth == 1:
                    key = _key_number(data, i + 1, stop - i - 1, keys, key_start)
                    if key >= 0:
                        key = -1 if found >> key & 1 else key
                        found |= 1 << key if key >= 0 else 0
                i = _skip_blanks(data, stop + 1)
                if data[i] != COLON:
                    return UNUSUAL
                i = _skip_blanks(data, i + 1)
                byte = data[i]
            if byte == QUOTE:
                # Values that are not wanted are written after all others, over each other.
                at = ends[key, n] if key >= 0 else n_keys * data.size
                i, at = _string_end(data, words, i + 1, out, at)
                if key >= 0:
                    ends[key, n + 1] = at
            elif byte == OBJECT or byte == ARRAY:
                if key >= 0 or depth == MOST_DEPTH:
                    return UNUSUAL
                depth += 1
                in_object = in_object << 1 | (byte == OBJECT)
                expected = ITEM_OR_END
                i += 1
            elif byte == MINUS or IS_DIGIT[byte]:
                start = i
                i, is_whole = _number_end(data, start)
                if key >= 0:
                    if key == 0 or not is_whole:
                        return UNUSUAL
                    at = ends[key, n]
                    for j in range(i - start):
                        out[at + j] = data[start + j]
                    ends[key, n + 1] = at + i - start
            else:
                if key >= 0 and byte != SMALL_N:
                    return UNUSUAL
                i = _literal_end(data, i)
            if i == UNUSUAL:
                return UNUSUAL
        i = _skip_blanks(data, i)
        if data[i] != NEWLINE:
            return UNUSUAL
        i += 1
        n += 1
    return n
