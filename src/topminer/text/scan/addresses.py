"""URLs and e-mail addresses: each is one token. Both start with a word that the scanner has already read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined, part
from topminer.text.scan.characters import char_at
from topminer.text.scan.classes import ALONE, BLANK, ENDING, FORMAT, KIND, LINE_END, Classes

DOT, PLUS, COLON, AT, SLASH, QUESTION_MARK, HASH = (ord(char) for char in ".+:@/?#")
_MINUS, _SMALL_W = (ord(char) for char in "-w")
_IN_NAME = np.isin(np.arange(256), list(b".+-_"))  # of a mail's recipient, beside letters and digits
_NOT_IN_URL = np.isin(np.arange(256), list(b'"<>\\^`{|}'))
_NOT_LAST = np.isin(np.arange(256), list(b"!')*,.:;?]_~"))  # bytes that a URL does not end with


@inlined
def _is_alnum(b: Any) -> bool:
    return bool(48 <= b <= 57 or 65 <= b <= 90 or 97 <= b <= 122)


@part
def _stops_url(data: NDArray[np.uint8], i: Int, table: Classes) -> bool:
    """Return whether the character at byte ``i`` cannot be part of a URL."""
    b = data[i]
    kind = table.of_char[char_at(data, i)[0]] & KIND
    if kind == BLANK or kind == LINE_END:
        return True
    return bool(_NOT_IN_URL[b]) if b < 0x80 else bool(kind == ENDING or kind == ALONE or kind == FORMAT)


@part
def url_end(data: NDArray[np.uint8], start: Int, i: Int, end: Int, table: Classes) -> Int:
    """Return the end of the URL whose first word is ``data[start:i]``, or ``i`` if there is no URL."""
    if data[i] == COLON and i + 2 < end and data[i + 1] == SLASH and data[i + 2] == SLASH:
        floor = i + 3
    elif (
        (data[i] == SLASH or data[i] == COLON or data[i] == QUESTION_MARK or data[i] == HASH)
        and i - start > 4
        and data[start] | 32 == _SMALL_W
        and data[start + 1] | 32 == _SMALL_W
        and data[start + 2] | 32 == _SMALL_W
        and data[start + 3] == DOT
    ):
        floor = i
    else:
        return i
    stop = floor
    while stop < end and not _stops_url(data, stop, table):
        stop += char_at(data, stop)[1]
    while stop > floor and _NOT_LAST[data[stop - 1]]:
        stop -= 1
    return stop if stop > floor else i


@part
def mail_end(data: NDArray[np.uint8], i: Int, end: Int) -> Int:
    """Return the end of the e-mail address whose first word ends at byte ``i``, or ``i`` if there is none."""
    at = i
    while at < end and (_is_alnum(data[at]) or _IN_NAME[data[at]]):
        at += 1
    if at + 1 >= end or data[at] != AT or not _is_alnum(data[at + 1]):
        return i
    stop = at + 1
    while stop < end and (_is_alnum(data[stop]) or data[stop] == DOT or data[stop] == _MINUS):
        stop += 1
    while data[stop - 1] == DOT or data[stop - 1] == _MINUS:
        stop -= 1
    for j in range(at + 1, stop):
        if data[j] == DOT:
            return stop
    return i
