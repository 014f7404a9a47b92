"""Bytes in any encoding to UTF-8, keeping count of what could not be decoded."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from topminer.errors import InputError

# The longer marks first: UTF-32's begins with UTF-16's.
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
UNMARKED = {"utf-8": "utf-8", "utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}

# Control characters no text has many of; a twentieth of them means that it is none.
CONTROLS = "".join(chr(c) for c in range(32) if chr(c) not in "\t\n\v\f\r\b\x1b")
JUNK_COUNT, JUNK_SHARE = 32, 0.05


@dataclass
class Skipped:
    """What a reading left out or replaced, so that nothing is lost in silence.

    Attributes
    ----------
    blank_documents : int
        Documents of white space only, or without any text: left out.
    undecodable_bytes : int
        Sequences of bytes that are no text in the encoding: each became one U+FFFD.
    first_undecodable : str or None
        Where the first of them stands: ``"papers.txt, line 3, byte 17"``.
    nul_characters : int
        NUL characters in the texts. They are kept, and act as blanks.
    """

    blank_documents: int = 0
    undecodable_bytes: int = 0
    first_undecodable: str | None = None
    nul_characters: int = 0

    def __add__(self, other: Skipped) -> Skipped:
        """What two readings, one behind the other, left out."""
        return Skipped(
            self.blank_documents + other.blank_documents,
            self.undecodable_bytes + other.undecodable_bytes,
            self.first_undecodable or other.first_undecodable,
            self.nul_characters + other.nul_characters,
        )


def check_encoding(encoding: str, errors: str) -> None:
    """Refuse what Python cannot decode with."""
    if errors not in ("replace", "strict"):
        raise InputError(f"errors is {errors!r}; it must be 'replace' or 'strict'")
    try:
        b" ".decode(encoding, "replace")
    except (LookupError, UnicodeError, ValueError):
        raise InputError(
            f"unknown encoding {encoding!r}; examples are utf-8, utf-16, latin-1, cp1252"
        ) from None


def decoded(
    pieces: Iterable[bytes], name: str, encoding: str, errors: str, skipped: Skipped
) -> Iterator[bytes]:
    """Yield the pieces as valid UTF-8, without a byte order mark.

    Parameters
    ----------
    pieces : iterable of bytes
        The file, cut anywhere.
    name : str
        What messages call the file.
    encoding, errors : str
        As for :meth:`bytes.decode`; a byte order mark is believed against ``"utf-8"``.
    skipped : Skipped
        Told what could not be decoded.
    """
    pieces = iter(pieces)
    head = b""
    while len(head) < 4 and (piece := next(pieces, b"")):
        head += piece
    encoding, mark = _byte_order(head, encoding)
    decoder = _Decoder(name, encoding, errors, skipped, len(mark))
    for i, piece in enumerate(chain([head[len(mark) :]], pieces)):
        text = decoder.decode(piece)
        if i == 0:
            _check_text(text, name, encoding)
        yield text.encode(errors="replace")
    yield decoder.decode(b"", final=True).encode(errors="replace")


def _byte_order(head: bytes, encoding: str) -> tuple[str, bytes]:
    """Find the encoding a byte order mark tells, and the mark."""
    unmarked = UNMARKED.get(codecs.lookup(encoding).name)
    if unmarked is None:
        return encoding, b""
    marks = ((marked, mark) for mark, marked in BYTE_ORDER_MARKS.items() if head.startswith(mark))
    return next(marks, (unmarked, b""))


def _check_text(text: str, name: str, encoding: str) -> None:
    """Refuse a file that is plainly not text."""
    n_controls = sum(map(text.count, CONTROLS))
    if n_controls >= JUNK_COUNT and n_controls > JUNK_SHARE * len(text):
        raise InputError(
            f"{name} does not look like text: {n_controls} of its first {len(text)} characters are "
            f"control characters; expected text in {encoding} (another encoding: --encoding)"
        )


class _Decoder:
    """An incremental decoder that knows line and byte of what it cannot decode."""

    def __init__(self, name: str, encoding: str, errors: str, skipped: Skipped, n_bytes: int) -> None:
        self._name = name
        self._encoding = encoding
        self._errors = errors
        self._skipped = skipped
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")
        self._line = 1
        self._n_bytes = n_bytes  # of the line, so far

    def decode(self, data: bytes, final: bool = False) -> str:
        """Decode the next bytes."""
        before = self._decoder.getstate()
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            if self._skipped.first_undecodable is None:
                self._skipped.first_undecodable = self._place(error, data, before)
            ignored = self._decode_again("ignore", data, before, final)
            text = self._decode_again("replace", data, before, final)
            self._skipped.undecodable_bytes += len(text) - len(ignored)
        self._line, self._n_bytes = self._behind(text)
        return text

    def _decode_again(self, errors: str, data: bytes, before: tuple[bytes, int], final: bool = False) -> str:
        """Decode from the state ``before``, treating errors another way."""
        self._decoder.setstate(before)
        self._decoder.errors = errors
        text = self._decoder.decode(data, final)
        self._decoder.errors = "strict"
        return text

    def _place(self, error: UnicodeDecodeError, data: bytes, before: tuple[bytes, int]) -> str:
        """Name the place of the first error, or refuse it."""
        # The decoder may still hold bytes of the piece before: the error's start counts from those.
        start = max(error.start - (len(error.object) - len(data)), 0)
        line, n_bytes = self._behind(self._decode_again("strict", data[:start], before))
        place = f"{self._name}, line {line}, byte {n_bytes + 1}"
        if self._errors == "strict":
            bad = error.object[error.start : error.end].hex(" ")
            raise InputError(
                f"{place}: {bad} is not {self._encoding}; name the encoding (--encoding latin-1) "
                "or have such bytes replaced (--errors replace)"
            )
        return place

    def _behind(self, text: str) -> tuple[int, int]:
        """Tell the line that is reached behind ``text``, and how many of its bytes."""
        n_lines = text.count("\n")
        n_bytes = len(text[text.rfind("\n") + 1 :].encode(self._encoding, "replace"))
        return self._line + n_lines, n_bytes if n_lines else self._n_bytes + n_bytes
