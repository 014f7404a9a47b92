"""Find tokens and the ends of chunks, in one pass over the UTF-8 bytes of some documents.

docs/text.md states the rules. A small example, where ``|`` is the end of a chunk::

    We don't use U.S. data, e.g. 3.14%.   →   We don't use U.S. data | e.g. 3.14 |

A character is looked up in the tables of classes.py: by its byte if it is ASCII, else by its code point.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined, part
from topminer.text.scan.addresses import AT, COLON, DOT, HASH, PLUS, QUESTION_MARK, SLASH, mail_end, url_end
from topminer.text.scan.characters import char_at, class_at, n_continuations
from topminer.text.scan.classes import (
    ALONE,
    DIGIT,
    DIGIT_LINK,
    FORMAT,
    KIND,
    LETTER,
    LINE_END,
    LINK,
    MARK,
    OPENING,
    Classes,
)

# The bytes that mark what was found elsewhere: a token; or text that is left out, then a byte for its kind.
TOKEN_START, TOKEN_STOP, LEFT_OUT = 1, 2, 3


class Marks(IntEnum):
    """What the marks in a text are around: nothing, all tokens, or the kinds of kinds.py."""

    NONE = 0
    TOKENS = 1
    KINDS = 2


# Eight bytes in one integer, the same number in each byte. Added to a byte of seven bits, _FROM_x sets the
# eighth bit if the byte is at least x, _BEYOND_x if it is more.
_ONE, _U8, _U63 = np.uint64(1), np.uint64(8), np.uint64(63)
_BIT_5, _BIT_7, _SEVEN_BITS = (np.uint64(byte * 0x0101010101010101) for byte in (0x20, 0x80, 0x7F))
_FROM_A, _BEYOND_Z, _FROM_0, _BEYOND_9 = (
    np.uint64((0x80 - byte) * 0x0101010101010101) for byte in (ord("a"), ord("z") + 1, ord("0"), ord("9") + 1)
)
_BYTE_NUMBERS = np.uint64(0x0001020304050607)  # times 256**k: k in the highest byte


class TokenArrays(NamedTuple):
    """Arrays that tokens are written to. They can be used again for the next documents."""

    start: NDArray[np.int32]
    stop: NDArray[np.int32]
    char_start: NDArray[np.int32]
    opens: NDArray[np.bool_]


class Tokens(NamedTuple):
    """Tokens of some documents, in order."""

    start: NDArray[np.int32]  # first byte, in the documents' common buffer
    stop: NDArray[np.int32]  # the byte after the last
    char_start: NDArray[np.int32]  # first code point, in the token's own document
    opens: NDArray[np.bool_]  # whether the token is the first of a chunk
    doc_start: NDArray[np.int64]  # first token of each document, and the number of tokens


def token_arrays(n_bytes: int, n_documents: int) -> TokenArrays:
    """Return arrays for the most tokens possible: adjacent tokens have two bytes or more each."""
    most = n_bytes // 2 + n_documents + 1
    start, stop, char_start = (np.empty(most, np.int32) for _ in range(3))
    return TokenArrays(start, stop, char_start, np.empty(most, np.bool_))


@part
def _ends_in_digit(data: NDArray[np.uint8], i: Int, table: Classes) -> bool:
    """Return whether the character before byte ``i`` is a digit."""
    i -= 1
    while data[i] & 0xC0 == 0x80:
        i -= 1
    return bool(table.of_char[char_at(data, i)[0]] & KIND == DIGIT)


@part
def _link_end(data: NDArray[np.uint8], i: Int, end: Int, table: Classes) -> Int:
    """Return the end of the link at byte ``i``, or ``i`` if no link joins what is before and after it."""
    code, width = char_at(data, i)
    what = np.int64(table.of_char[code])
    after = i + width
    if what & KIND == FORMAT:
        while class_at(data, after, end, table) & KIND == FORMAT:
            after += char_at(data, after)[1]
    elif what & DIGIT_LINK:
        if not _ends_in_digit(data, i, table) or class_at(data, after, end, table) & KIND != DIGIT:
            return i
    elif not what & LINK:
        return i
    return after if class_at(data, after, end, table) & KIND <= DIGIT else i


@part
def _word_end(data: NDArray[np.uint8], start: Int, end: Int, table: Classes) -> Int:
    """Return the end of the word that starts at byte ``start``."""
    i = start
    only_initials = True  # each part so far is one letter, linked by full stops
    n_parts = 0
    while True:
        part = i
        i += char_at(data, part)[1]
        first = i
        while i < end:
            kind = table.of_byte[data[i]]
            if kind <= DIGIT:
                i += 1
            elif data[i] >= 0x80 and class_at(data, i, end, table) & KIND <= MARK:
                i += char_at(data, i)[1]
            else:
                break
        n_parts += 1
        only_initials = only_initials and i == first and class_at(data, part, end, table) == LETTER
        if i == end or data[i] == 32:
            return i
        after = _link_end(data, i, end, table)
        if after == i:
            break
        only_initials = only_initials and data[i] == DOT
        i = after
    if n_parts > 1 and only_initials and data[i] == DOT:
        i += 1
        if i == end:
            return i
    special = data[i]
    if special == COLON or special == SLASH or special == QUESTION_MARK or special == HASH:
        return url_end(data, start, i, end, table)
    if special == AT or special == PLUS:
        return mail_end(data, i, end)
    return i


@part
def _alone_end(data: NDArray[np.uint8], i: Int, end: Int, table: Classes) -> Int:
    """Return the end of the character at byte ``i`` and its marks."""
    i += char_at(data, i)[1]
    while class_at(data, i, end, table) & KIND == MARK:
        i += char_at(data, i)[1]
    return i


@inlined
def _plain_word_end(data: NDArray[np.uint8], words: NDArray[np.uint64], i: Int, end: Int) -> Int:
    """Return the end of an ASCII word that a blank, or one other character and a blank, follows; else 0.

    Nine words in ten are of this kind, and nothing can link them or make them a URL. Eight bytes are tested
    at a time: the highest bit of each is set if the byte is neither a letter nor a digit.
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


def find_tokens(
    words: NDArray[np.uint64],
    text_start: NDArray[np.int64],
    table: Classes,
    arrays: TokenArrays,
    marked: bool = False,
) -> Tokens:
    """Find the tokens of documents. Document d is the bytes ``text_start[d]`` to ``text_start[d + 1]``.

    With ``marked`` all tokens have marks around them.
    """
    doc_start = np.zeros(text_start.size, np.int64)
    find = _find_marked if marked else _find
    find(words, words.view(np.uint8), text_start, table, arrays, doc_start)
    start, stop, char_start, opens = arrays
    n = doc_start[-1]
    return Tokens(start[:n], stop[:n], char_start[:n], opens[:n], doc_start)


@bare_kernel
def _find(
    words: NDArray[np.uint64],
    data: NDArray[np.uint8],
    text_start: NDArray[np.int64],
    table: Classes,
    arrays: TokenArrays,
    doc_start: NDArray[np.int64],
) -> None:
    """Write tokens and the first one of each document; ``words`` and ``data`` are the same bytes.

    With the table of marked texts, what is marked is one token. Marks are not characters of the text.
    """
    of_byte, of_char = table
    start, stop, char_start, opens = arrays
    n = 0
    for d in range(text_start.size - 1):
        i, end = text_start[d], text_start[d + 1]
        origin = i  # i - origin is the code point at byte i: multi-byte characters move the origin
        ended = True
        while i < end:
            kind = of_byte[data[i]] & KIND
            width: Int = 1
            if data[i] >= 0x80:
                code, width = char_at(data, i)
                kind = of_char[code] & KIND
            if kind > DIGIT and kind != ALONE:
                if kind == OPENING:
                    close = i
                    while close < end and data[close] != TOKEN_STOP:
                        close += 1
                    n_marks = 1 if data[i] == TOKEN_START else 2
                    kept = n_marks == 1
                    # What is left out has its mark and its kind as surface.
                    start[n] = i + 1 if kept else i
                    stop[n] = close if kept else i + 2
                    char_start[n], opens[n] = i - origin, ended
                    origin += n_marks + n_continuations(data, i, close) + 1
                    i = close + 1
                    ended = False
                    n += 1
                    continue
                ended = ended or kind >= LINE_END
                i += width
                origin += width - 1
                continue
            start[n], char_start[n] = i, i - origin
            opens[n] = ended
            after = _plain_word_end(data, words, i, end)
            if after == 0:
                alone = kind == ALONE
                after = _alone_end(data, i, end, table) if alone else _word_end(data, i, end, table)
                origin += n_continuations(data, i, after)
            i = after
            stop[n] = i
            ended = False
            n += 1
        doc_start[d + 1] = n


@part
def _has_word_character(data: NDArray[np.uint8], start: Int, stop: Int, table: Classes) -> bool:
    while start < stop:
        code, width = char_at(data, start)
        kind = table.of_char[code] & KIND
        if kind <= DIGIT or kind == ALONE:
            return True
        start += width
    return False


@bare_kernel
def _find_marked(
    words: NDArray[np.uint64],
    data: NDArray[np.uint8],
    text_start: NDArray[np.int64],
    table: Classes,
    arrays: TokenArrays,
    doc_start: NDArray[np.int64],
) -> None:
    """Write the tokens between TOKEN_START and TOKEN_STOP; chunks end as in :func:`_find`.

    The marks do not count as characters of the text. A marked token without a letter or digit is not a token.
    A single link between two tokens does not end a chunk.
    """
    start, stop, char_start, opens = arrays
    n = 0
    for d in range(text_start.size - 1):
        i, end = text_start[d], text_start[d + 1]
        origin = i
        n_between, n_endings, linked = 1, 1, False  # of the characters since the last token
        while i < end:
            code, width = char_at(data, i)
            if code == TOKEN_START:
                origin += 1
                i += 1
                close = i
                while data[close] != TOKEN_STOP:
                    close += 1
                if _has_word_character(data, i, close, table):
                    start[n], stop[n], char_start[n] = i, close, i - origin
                    opens[n] = n_endings > 0 and not (linked and n_between == 1)
                    origin += n_continuations(data, i, close)
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
