"""Bytes in any encoding to UTF-8, with a count of what could not be decoded.

The error handler puts the bytes that cannot be decoded into the text, as surrogates, which no decoded text
contains in this form. So each piece is decoded once, and errors are found, counted and replaced in the text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

import polars as pl

from topminer.errors import InputError
from topminer.text.provenance import Skipped
from topminer.text.reading.stream import count_line_ends

# The longer marks first: UTF-32's begins with UTF-16's.
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
UNMARKED = {"utf-8": "utf-8", "utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}

# Control characters that are rare in text. A file with JUNK_COUNT of them, and this share, is not text.
CONTROLS = "".join(chr(c) for c in range(32) if chr(c) not in "\t\n\v\f\r\b\x1b")
JUNK_COUNT, JUNK_SHARE = 32, 0.05

# Bytes that cannot be decoded: ERROR, then a surrogate for each byte.
ERROR, FIRST_BYTE = "\udfff", 0xDC00
UNDECODABLE = re.compile("\udfff[\udc00-\udcff]+")
ERROR_HANDLER = "topminer.undecodable"


def _as_surrogates(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.end]
    return ERROR + "".join(chr(FIRST_BYTE + byte) for byte in bad), error.end


codecs.register_error(ERROR_HANDLER, _as_surrogates)


def check_encoding(encoding: str, errors: str) -> None:
    """Raise an error if Python does not know the encoding, or the way to treat errors is unknown."""
    if errors not in ("replace", "strict"):
        raise InputError(f"errors is {errors!r}; it must be 'replace' or 'strict'")
    try:
        b" ".decode(encoding, ERROR_HANDLER)
    except (LookupError, UnicodeError, ValueError):
        raise InputError(
            f"unknown encoding {encoding!r}; examples are utf-8, utf-16, latin-1, cp1252"
        ) from None


def decoded(
    pieces: Iterable[bytes], name: str, encoding: str, errors: str, skipped: Skipped
) -> Iterator[bytes]:
    """Yield the pieces of a file, cut anywhere, as valid UTF-8 without a byte order mark.

    A byte order mark overrides the encoding ``"utf-8"``. What cannot be decoded is counted in ``skipped``.
    """
    pieces = iter(pieces)
    head = b""
    while len(head) < 4 and (piece := next(pieces, b"")):
        head += piece
    encoding, mark = _byte_order(head, encoding)
    decoder = _Decoder(name, encoding, errors, skipped, len(mark))
    first = decoder.utf8(head[len(mark) :])
    _check_text(first.decode(), name, encoding)
    yield first
    yield from map(decoder.utf8, pieces)
    yield decoder.decode(b"", final=True).encode(errors="replace")


def _byte_order(head: bytes, encoding: str) -> tuple[str, bytes]:
    """Return the encoding that a byte order mark stands for, and the mark."""
    unmarked = UNMARKED.get(codecs.lookup(encoding).name)
    if unmarked is None:
        return encoding, b""
    marks = ((marked, mark) for mark, marked in BYTE_ORDER_MARKS.items() if head.startswith(mark))
    return next(marks, (unmarked, b""))


def _check_text(text: str, name: str, encoding: str) -> None:
    """Raise an error if a file is plainly not text."""
    n_controls = sum(map(text.count, CONTROLS))
    if n_controls >= JUNK_COUNT and n_controls > JUNK_SHARE * len(text):
        raise InputError(
            f"{name} does not look like text: {n_controls} of its first {len(text)} characters are "
            f"control characters; expected text in {encoding} (another encoding: --encoding)"
        )


def _whole_characters(data: bytes) -> tuple[bytes, bytes]:
    """Split off the last bytes if they are the beginning of a character of UTF-8."""
    for n in range(1, min(len(data), 3) + 1):
        byte = data[-n]
        if byte >= 0xC0:
            is_begun = n < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4)
            return (data[:-n], data[-n:]) if is_begun else (data, b"")
    return data, b""


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        pl.Series([data]).cast(pl.String)  # in a fifth of the time that Python takes to decode it
    except pl.exceptions.ComputeError:
        return False
    return True


class _Decoder:
    """An incremental decoder that reports the line and byte of what it cannot decode."""

    def __init__(self, name: str, encoding: str, errors: str, skipped: Skipped, n_bytes: int) -> None:
        self._name = name
        self._encoding = encoding
        self._errors = errors
        self._skipped = skipped
        self._decoder = codecs.getincrementaldecoder(encoding)(ERROR_HANDLER)
        self._line = 1
        self._n_bytes = n_bytes  # of the current line, so far

    def utf8(self, data: bytes) -> bytes:
        """Return the next bytes as UTF-8. What is valid UTF-8 already is only checked, which is faster."""
        if self._encoding == "utf-8":
            begun: bytes = self._decoder.getstate()[0]  # the first bytes of a character
            whole, rest = _whole_characters(begun + data)
            if _is_utf8(whole):
                self._decoder.setstate((rest, 0))
                line_end = whole.rfind(b"\n") + 1
                self._line += count_line_ends(whole)
                self._n_bytes = len(whole) - line_end + (0 if line_end else self._n_bytes)
                return whole
        return self.decode(data).encode(errors="replace")

    def decode(self, data: bytes, final: bool = False) -> str:
        """Decode the next bytes."""
        try:
            text = self._decoder.decode(data, final)
        except UnicodeError as error:  # Python's decoder itself gives up, whatever the error handler says
            raise InputError(
                f"{self._name}, line {self._line}: cannot be decoded as {self._encoding}: {error}; "
                "name another encoding (--encoding)"
            ) from None
        if ERROR in text and (first := UNDECODABLE.search(text)):
            self._report(first)
            text, n_errors = UNDECODABLE.subn("\ufffd", text)
            self._skipped.undecodable_bytes += n_errors
        self._line, self._n_bytes = self._place_after(text)
        return text

    def _report(self, error: re.Match[str]) -> None:
        """Record the place of the first error of the source, or raise it."""
        line, n_bytes = self._place_after(error.string[: error.start()])
        place = f"{self._name}, line {line}, byte {n_bytes + 1}"
        if self._errors == "strict":
            bad = bytes(ord(char) - FIRST_BYTE for char in error[0][1:]).hex(" ")
            raise InputError(
                f"{place}: {bad} is not {self._encoding}; name the encoding (--encoding latin-1) "
                "or have such bytes replaced (--errors replace)"
            )
        self._skipped.first_undecodable = self._skipped.first_undecodable or place

    def _place_after(self, text: str) -> tuple[int, int]:
        """Return the line that is reached after ``text``, and how many of its bytes are read."""
        n_lines = text.count("\n")
        n_bytes = len(text[text.rfind("\n") + 1 :].encode(self._encoding, "replace"))
        return self._line + n_lines, n_bytes if n_lines else self._n_bytes + n_bytes
