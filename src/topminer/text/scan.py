"""The scanner: one walk over the UTF-8 bytes of some documents finds tokens and the ends of chunks.

docs/text.md states the rules. A small example, ``|`` being the end of a chunk::

    We don't use U.S. data, e.g. 3.14%.   →   We don't use U.S. data | e.g. 3.14 |

Everything here is arrays in, arrays out; a character is looked up in the table of classes.py, by its
byte where it is ASCII, by its code point where it is not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined, kernel
from topminer.text.classes import (
    ALONE,
    BLANK,
    DIGIT,
    DIGIT_LINK,
    ENDING,
    FORMAT,
    KIND,
    LETTER,
    LINE_END,
    LINK,
    MARK,
    Classes,
)

TOKEN_START, TOKEN_STOP = 1, 2  # the bytes that mark tokens found by somebody else
ONE_BLANK, OTHER, OPENS = 0, 1, 2

# Eight bytes in one integer: the same number in each byte. Added to a byte of seven bits, _FROM_x sets the
# eighth if the byte is at least x, _BEYOND_x if it is more.
_ONE, _U8, _U63 = np.uint64(1), np.uint64(8), np.uint64(63)
_BIT_5, _BIT_7, _SEVEN_BITS = (np.uint64(byte * 0x0101010101010101) for byte in (0x20, 0x80, 0x7F))
_FROM_A, _BEYOND_Z, _FROM_0, _BEYOND_9 = (
    np.uint64((0x80 - byte) * 0x0101010101010101) for byte in (ord("a"), ord("z") + 1, ord("0"), ord("9") + 1)
)
_BYTE_NUMBERS = np.uint64(0x0001020304050607)  # times 256**k: k in the highest byte
_DOT, _PLUS, _COLON, _AT, _SLASH = 46, 43, 58, 64, 47


class Tokens(NamedTuple):
    """Tokens of some documents, in order."""

    start: NDArray[np.int32]  # first byte, in the documents' common buffer
    stop: NDArray[np.int32]  # the byte behind the last
    char_start: NDArray[np.int32]  # first code point, in the token's own document
    before: NDArray[
        np.uint8
    ]  # what stands between it and the token before: ONE_BLANK, OTHER, or OPENS a chunk
    doc_start: NDArray[np.int64]  # first token of each document, and the number of tokens


class Room(NamedTuple):
    """Where tokens are written; it can be used again once they are done with."""

    start: NDArray[np.int32]
    stop: NDArray[np.int32]
    char_start: NDArray[np.int32]
    before: NDArray[np.uint8]


def room_for(n_bytes: int, n_documents: int) -> Room:
    """Room for all tokens there can be: two stand side by side only where they have two bytes or more."""
    most = n_bytes // 2 + n_documents + 1
    start, stop, char_start = (np.empty(most, np.int32) for _ in range(3))
    return Room(start, stop, char_start, np.empty(most, np.uint8))


@inlined
def _char(data: NDArray[np.uint8], i: Int) -> tuple[Int, Int]:
    """The code point at byte ``i`` and the number of its bytes."""
    b = np.int64(data[i])
    if b < 0x80:
        return b, 1
    if b < 0xE0:
        return (b & 31) << 6 | np.int64(data[i + 1]) & 63, 2
    if b < 0xF0:
        return (b & 15) << 12 | (np.int64(data[i + 1]) & 63) << 6 | np.int64(data[i + 2]) & 63, 3
    high = (b & 7) << 18 | (np.int64(data[i + 1]) & 63) << 12
    return high | (np.int64(data[i + 2]) & 63) << 6 | np.int64(data[i + 3]) & 63, 4


@kernel
def _class_at(data: NDArray[np.uint8], i: Int, end: Int, table: Classes) -> Int:
    """The class of the character at byte ``i``, or that of a line end behind the document's last."""
    if i >= end:
        return LINE_END
    return np.int64(table.of_char[_char(data, i)[0]])


@kernel
def _ends_in_digit(data: NDArray[np.uint8], i: Int, table: Classes) -> bool:
    """Whether the character before byte ``i`` is a digit."""
    i -= 1
    while data[i] & 0xC0 == 0x80:
        i -= 1
    return bool(table.of_char[_char(data, i)[0]] & KIND == DIGIT)


@kernel
def _link_end(data: NDArray[np.uint8], i: Int, end: Int, table: Classes) -> Int:
    """Behind the link at byte ``i``, or ``i`` if there is none that joins what stands around it."""
    code, width = _char(data, i)
    what = np.int64(table.of_char[code])
    after = i + width
    if what & KIND == FORMAT:
        while _class_at(data, after, end, table) & KIND == FORMAT:
            after += _char(data, after)[1]
    elif what & DIGIT_LINK:
        if not _ends_in_digit(data, i, table) or _class_at(data, after, end, table) & KIND != DIGIT:
            return i
    elif not what & LINK:
        return i
    return after if _class_at(data, after, end, table) & KIND <= DIGIT else i


@inlined
def _is_alnum(b: Any) -> bool:
    return bool(48 <= b <= 57 or 65 <= b <= 90 or 97 <= b <= 122)


@kernel
def _stops_url(data: NDArray[np.uint8], i: Int, table: Classes) -> bool:
    b = data[i]
    kind = table.of_char[_char(data, i)[0]] & KIND
    if b < 0x80:
        return kind in (BLANK, LINE_END) or b in (34, 60, 62, 92, 94, 96, 123, 124, 125)
    return kind in (BLANK, LINE_END, ENDING, ALONE, FORMAT)


@kernel
def _url_end(data: NDArray[np.uint8], start: Int, i: Int, end: Int, table: Classes) -> Int:
    """The end of the URL whose first word is ``data[start:i]``, or ``i`` if it is none."""
    if data[i] == _COLON and i + 2 < end and data[i + 1] == _SLASH and data[i + 2] == _SLASH:
        floor = i + 3
    elif (
        (data[i] == _SLASH or data[i] == _COLON or data[i] == 63 or data[i] == 35)
        and i - start > 4
        and data[start] | 32 == 119
        and data[start + 1] | 32 == 119
        and data[start + 2] | 32 == 119
        and data[start + 3] == _DOT
    ):
        floor = i
    else:
        return i
    stop = floor
    while stop < end and not _stops_url(data, stop, table):
        stop += _char(data, stop)[1]
    while stop > floor and data[stop - 1] in (33, 39, 41, 42, 44, 46, 58, 59, 63, 93, 95, 126):
        stop -= 1
    return stop if stop > floor else i


@kernel
def _mail_end(data: NDArray[np.uint8], i: Int, end: Int) -> Int:
    """The end of the e-mail address of which a word up to byte ``i`` was read, or ``i`` if it is none."""
    at = i
    while at < end and (_is_alnum(data[at]) or data[at] in (_DOT, _PLUS, 45, 95)):
        at += 1
    if at + 1 >= end or data[at] != _AT or not _is_alnum(data[at + 1]):
        return i
    stop = at + 1
    while stop < end and (_is_alnum(data[stop]) or data[stop] == _DOT or data[stop] == 45):
        stop += 1
    while data[stop - 1] == _DOT or data[stop - 1] == 45:
        stop -= 1
    for j in range(at + 1, stop):
        if data[j] == _DOT:
            return stop
    return i


@kernel
def _word_end(data: NDArray[np.uint8], start: Int, end: Int, table: Classes) -> Int:
    """The end of the word that starts at byte ``start``."""
    i = start
    only_initials = True  # each part so far is one letter, linked by full stops
    n_parts = 0
    while True:
        part = i
        i += _char(data, part)[1]
        first = i
        while i < end:
            kind = table.of_byte[data[i]]
            if kind <= DIGIT:
                i += 1
            elif data[i] >= 0x80 and _class_at(data, i, end, table) & KIND <= MARK:
                i += _char(data, i)[1]
            else:
                break
        n_parts += 1
        only_initials = only_initials and i == first and _class_at(data, part, end, table) == LETTER
        if i == end or data[i] == 32:
            return i
        after = _link_end(data, i, end, table)
        if after == i:
            break
        only_initials = only_initials and data[i] == _DOT
        i = after
    if n_parts > 1 and only_initials and data[i] == _DOT:
        i += 1
        if i == end:
            return i
    special = data[i]
    if special in (_COLON, _SLASH, 63, 35):
        return _url_end(data, start, i, end, table)
    if special in (_AT, _PLUS):
        return _mail_end(data, i, end)
    return i


@kernel
def _alone_end(data: NDArray[np.uint8], i: Int, end: Int, table: Classes) -> Int:
    """Behind the character at byte ``i`` and its marks."""
    i += _char(data, i)[1]
    while _class_at(data, i, end, table) & KIND == MARK:
        i += _char(data, i)[1]
    return i


@kernel
def _n_continuations(data: NDArray[np.uint8], start: Int, stop: Int) -> Int:
    """How many bytes are not the first of their character."""
    n = 0
    for i in range(start, stop):
        n += data[i] & 0xC0 == 0x80
    return n


@inlined
def _plain_word_end(data: NDArray[np.uint8], words: NDArray[np.uint64], i: Int, end: Int) -> Int:
    """The end of an ASCII word that a blank, or one other character and a blank, follows; else 0.

    Nine words in ten are of this kind, and nothing can link them or make them a URL. Eight bytes are looked
    at in one go: the highest bit of each says whether it is a letter or a digit.
    """
    while i + 16 < data.size:
        shift = np.uint64(i & 7) * _U8
        eight = (words[i >> 3] >> shift) | ((words[(i >> 3) + 1] << _ONE) << (_U63 - shift))
        seven_bits = eight & _SEVEN_BITS
        lower = seven_bits | _BIT_5
        letter = (lower + _FROM_A) & ~(lower + _BEYOND_Z)
        digit = (seven_bits + _FROM_0) & ~(seven_bits + _BEYOND_9)
        other = ~((letter | digit) & ~eight) & _BIT_7
        if other == 0:
            i += 8
            continue
        first = (other & (~other + _ONE)) >> np.uint64(7)
        i += np.int64((first * _BYTE_NUMBERS) >> np.uint64(56))
        if i + 1 < end and data[i] < 0x80 and (data[i] == 32 or data[i + 1] == 32):
            return i
        return 0
    return 0


@kernel
def find_tokens(data: NDArray[np.uint8], text_start: NDArray[np.int64], table: Classes, room: Room) -> Tokens:
    """Tokens of the documents ``data[text_start[d]:text_start[d + 1]]``."""
    of_byte, of_char = table
    words = data[: data.size // 8 * 8].view(np.uint64)
    start, stop, char_start, before = room
    doc_start = np.zeros(text_start.size, np.int64)
    n = 0
    for d in range(text_start.size - 1):
        i, end = text_start[d], text_start[d + 1]
        origin = i  # a byte's code point is its distance from here: multi-byte characters push it on
        ended = True
        while i < end:
            kind = of_byte[data[i]] & KIND
            width: Int = 1
            if data[i] >= 0x80:
                code, width = _char(data, i)
                kind = of_char[code] & KIND
            if kind > DIGIT and kind != ALONE:
                ended = ended or kind >= LINE_END
                i += width
                origin += width - 1
                continue
            start[n], char_start[n] = i, i - origin
            if ended:
                before[n] = OPENS
            else:
                before[n] = ONE_BLANK if i - stop[n - 1] == 1 and data[i - 1] == 32 else OTHER
            after = _plain_word_end(data, words, i, end)
            if after == 0:
                alone = kind == ALONE
                after = _alone_end(data, i, end, table) if alone else _word_end(data, i, end, table)
                origin += _n_continuations(data, i, after)
            i = after
            stop[n] = i
            ended = False
            n += 1
        doc_start[d + 1] = n
    return Tokens(start[:n], stop[:n], char_start[:n], before[:n], doc_start)


@kernel
def _has_word_character(data: NDArray[np.uint8], start: Int, stop: Int, table: Classes) -> bool:
    while start < stop:
        code, width = _char(data, start)
        kind = table.of_char[code] & KIND
        if kind <= DIGIT or kind == ALONE:
            return True
        start += width
    return False


@kernel
def find_marked_tokens(
    data: NDArray[np.uint8], text_start: NDArray[np.int64], table: Classes, room: Room
) -> Tokens:
    """Tokens that stand between TOKEN_START and TOKEN_STOP; chunks end as everywhere.

    The marks are no characters of the text. A marked token without a letter or digit is none. One link
    right between two tokens does not end a chunk.
    """
    start, stop, char_start, before = room
    doc_start = np.zeros(text_start.size, np.int64)
    n = 0
    for d in range(text_start.size - 1):
        i, end = text_start[d], text_start[d + 1]
        origin = i
        n_between, n_endings, linked = 1, 1, False  # characters since the last token, and what they do
        while i < end:
            code, width = _char(data, i)
            if code == TOKEN_START:
                origin += 1
                i += 1
                close = i
                while data[close] != TOKEN_STOP:
                    close += 1
                if _has_word_character(data, i, close, table):
                    start[n], stop[n], char_start[n] = i, close, i - origin
                    before[n] = OPENS if n_endings > 0 and not (linked and n_between == 1) else OTHER
                    origin += _n_continuations(data, i, close)
                    n_between, n_endings, linked = 0, 0, False
                    n += 1
                    i = close
            elif code == TOKEN_STOP:
                origin += 1
                i += 1
            else:
                what = table.of_char[code]
                n_between += 1
                n_endings += what & KIND >= LINE_END
                linked = what & LINK != 0
                i += width
                origin += width - 1
        doc_start[d + 1] = n
    return Tokens(start[:n], stop[:n], char_start[:n], before[:n], doc_start)
