"""Files to pieces of bytes: opened, counted, decompressed, and cut where records end.

Nothing here holds more than one block. A ``.gz``, ``.xz`` or ``.zst`` may consist of several members
behind each other; standard input is recognised by its first bytes.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple, Protocol

import zstandard

from topminer.errors import InputError

# A piece this small keeps a block bounded even where 32 KB of zstd hold a hundred MB of repeated text.
READ_BYTES = 1 << 15

# How much of a table is looked at to find out what its columns hold.
SAMPLE_BYTES = 1 << 18


class Decompressor(Protocol):
    """What zlib, lzma and zstandard agree on: one member of a compressed file."""

    @property
    def eof(self) -> bool:
        """Whether the member has come to its end."""

    @property
    def unused_data(self) -> bytes:
        """What was given beyond that end."""

    def decompress(self, data: bytes, /) -> bytes:
        """Decompress the next bytes."""


class Compression(NamedTuple):
    """A way files are compressed."""

    name: str
    magic: bytes
    decompressor: Callable[[], Decompressor]


COMPRESSIONS = {
    ".gz": Compression("gzip", b"\x1f\x8b", lambda: zlib.decompressobj(wbits=31)),
    ".xz": Compression("xz", b"\xfd7zXZ\0", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)),
    ".zst": Compression(
        "zstd",
        b"\x28\xb5\x2f\xfd",
        lambda: zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj(),
    ),
}


def chunks(file: Path | IO[bytes], name: str, count: Callable[[int], object]) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed, in small pieces.

    Parameters
    ----------
    file : Path or binary file
        A path is opened, and closed when the pieces are used up or given up; an open file stays open.
    name : str
        What messages call the file. An ending such as ``.gz`` says that it is compressed.
    count : callable
        Told how many bytes (still compressed) each read took.
    """
    with _opened(file, name) as stream:
        pieces = _pieces(stream, name, count)
        head = next(pieces, b"")
        if not head:
            return
        pieces = chain([head], pieces)
        compression = compression_of(name, head)
        if compression is None:
            yield from pieces
            return
        try:
            yield from _decompressed(pieces, name, compression)
        except (zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
            what = "is damaged:" if head.startswith(compression.magic) else "is not"
            raise InputError(f"{name} {what} {compression.name} data ({error})") from None


def compression_of(name: str, head: bytes = b"") -> Compression | None:
    """Tell how a file is compressed, by the ending of its name, else by its first bytes."""
    by_ending = COMPRESSIONS.get(Path(name).suffix.lower())
    by_magic = (way for way in COMPRESSIONS.values() if head.startswith(way.magic))
    return by_ending or next(by_magic, None)


def blocks(pieces: Iterable[bytes], size: int, cut: Callable[[bytes], int]) -> Iterator[bytes]:
    """Join pieces to blocks of whole records, each of about ``size`` bytes.

    ``cut`` is given every piece in turn and says where in it the last record ends (0: none does).
    """
    whole: list[bytes] = []
    rest: list[bytes] = []
    held = n_rest = 0
    for piece in (long[i : i + size] for long in pieces for i in range(0, len(long), size)):
        end = cut(piece)
        if not end:
            rest.append(piece)
            n_rest += len(piece)
            continue
        whole += [*rest, piece[:end]]
        held += n_rest + end
        rest, n_rest = [piece[end:]], len(piece) - end
        if held >= size:
            yield b"".join(whole)
            whole, held = [], 0
    if last := b"".join(whole + rest):
        yield last


def line_end(piece: bytes) -> int:
    """Cut blocks of lines."""
    return piece.rfind(b"\n") + 1


def without(pieces: Iterable[bytes], n_bytes: int) -> Iterator[bytes]:
    """Leave out the first bytes."""
    for piece in pieces:
        yield piece[n_bytes:]
        n_bytes = max(n_bytes - len(piece), 0)


def unreadable(name: str, error: OSError | ValueError) -> InputError:
    """Say in a user's words why the system would not let us read."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"{name}: no such file or folder")
    if isinstance(error, PermissionError):
        return InputError(f"{name}: no permission to read it")
    return InputError(f"{name}: cannot be read ({getattr(error, 'strerror', None) or error})")


def _opened(file: Path | IO[bytes], name: str) -> AbstractContextManager[IO[bytes]]:
    """Open a path; leave what is open to whoever opened it."""
    if not isinstance(file, Path):
        return nullcontext(file)
    try:
        return file.open("rb")
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None


def _pieces(stream: IO[bytes], name: str, count: Callable[[int], object]) -> Iterator[bytes]:
    """Read to the end, a little at a time."""
    while True:
        try:
            piece = stream.read(READ_BYTES)
        except OSError as error:
            raise unreadable(name, error) from None
        if not piece:
            return
        count(len(piece))
        yield piece


def _decompressed(pieces: Iterable[bytes], name: str, compression: Compression) -> Iterator[bytes]:
    """Decompress member by member; zeros between members are padding."""
    member: Decompressor | None = None
    n_members = 0
    for piece in pieces:
        data = piece
        while data := data.lstrip(b"\0") if n_members and not member else data:
            if member is None:
                member = compression.decompressor()
                n_members += 1
            yield member.decompress(data)
            data = member.unused_data
            if member.eof:
                member = None
    if member is not None:
        raise InputError(f"{name} is cut off: its {compression.name} data end too early")
