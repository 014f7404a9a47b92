"""Files to pieces of bytes: opened, counted, decompressed, and cut where records end.

At most one block, and one record of at most ``MAX_RECORD_BYTES``, is in memory. A ``.gz``, ``.xz`` or
``.zst`` file may consist of several members, with zeros between them. Other data after a member is refused,
and so is a member that is cut off. Each member has its own decompressor, since the standard library's file
objects check less: ``lzma.LZMAFile`` ignores other data after a member and has no limit of memory, and
``ZstdFile`` accepts no zeros between members. The compression of standard input is recognised by its first
bytes.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from topminer.errors import InputError
from topminer.text.reading.zstd import zstd

READ_BYTES = 1 << 15
NEWLINE = ord("\n")

# The most bytes that one step of decompression returns.
PIECE_BYTES = 1 << 18

# The longest window that a decompressor may need; xz -9 uses 64 MiB, zstd --long=31 would use 2 GiB.
MAX_WINDOW_LOG = 30
MAX_WINDOW = 1 << MAX_WINDOW_LOG

# The longest line, record of a table, JSON object, or file that is one document.
MAX_RECORD_BYTES = 64 << 20

# How much of a table is read to find out what its columns hold.
SAMPLE_BYTES = 1 << 18

# Yields the decompressed bytes of some data, and returns the data after the member's end.
Steps = Generator[bytes, None, bytes]


class Compression(NamedTuple):
    """A way in which files are compressed."""

    name: str
    magic: bytes
    member: Callable[[], Any]  # makes a decompressor for one member
    steps: Callable[[Any, bytes], Steps]


def _gzip_steps(member: Any, data: bytes) -> Steps:
    while data and not member.eof:  # after the end, unused data may be called unconsumed too
        yield member.decompress(data, PIECE_BYTES)
        data = member.unconsumed_tail
    return bytes(member.unused_data)


def _buffered_steps(member: Any, data: bytes) -> Steps:
    """Decompress with the interface that ``lzma`` and ``zstd`` share: the decompressor keeps unread input."""
    yield member.decompress(data, PIECE_BYTES)
    while not (member.needs_input or member.eof):
        yield member.decompress(b"", PIECE_BYTES)
    return bytes(member.unused_data)


def _xz_member() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, MAX_WINDOW)


def _zstd_member() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: MAX_WINDOW_LOG})


COMPRESSIONS = {
    ".gz": Compression("gzip", b"\x1f\x8b", lambda: zlib.decompressobj(wbits=31), _gzip_steps),
    ".xz": Compression("xz", b"\xfd7zXZ\0", _xz_member, _buffered_steps),
    ".zst": Compression("zstd", b"\x28\xb5\x2f\xfd", _zstd_member, _buffered_steps),
}


def chunks(file: Path | IO[bytes], name: str, count: Callable[[int], object]) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed, in small pieces.

    A path is opened, and closed when the iteration ends or is given up; an open file stays open. An ending of
    the name such as ``.gz`` says that the file is compressed. ``count`` is called with the number of bytes,
    still compressed, of each read.
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
            yield from filter(None, _decompressed(pieces, name, compression))
        except (zlib.error, lzma.LZMAError, zstd.ZstdError) as error:
            raise _undecompressed(name, compression, head, error) from None


def compression_of(name: str, head: bytes = b"") -> Compression | None:
    """Return how a file is compressed, by the ending of its name, else by its first bytes."""
    by_ending = COMPRESSIONS.get(Path(name).suffix.lower())
    by_magic = (way for way in COMPRESSIONS.values() if head.startswith(way.magic))
    return by_ending or next(by_magic, None)


def blocks(pieces: Iterable[bytes], size: int, name: str) -> Iterator[bytes]:
    """Join pieces to blocks of whole lines, each of about ``size`` bytes. ``name`` is for errors."""
    parts: list[bytes | memoryview] = []
    n_bytes = n_rest = 0  # of all parts, and of those after the last line end
    line = 1
    for piece in (long[i : i + size] for long in pieces for i in range(0, len(long), size)):
        end = piece.rfind(b"\n") + 1
        n_bytes += len(piece)
        n_rest = len(piece) - end if end else n_rest + len(piece)
        line += count_line_ends(piece)
        if n_rest > MAX_RECORD_BYTES and not end:
            raise too_long(f"{name}, line {line}", "a record")
        if n_bytes - n_rest >= size:
            yield b"".join([*parts, memoryview(piece)[:end]])
            parts, n_bytes = [piece[end:]], n_rest
        else:
            parts.append(piece)
    if n_bytes:
        yield b"".join(parts)


def count_line_ends(data: bytes) -> int:
    """Return how many line ends there are; ``bytes.count`` takes several times as long."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == NEWLINE))


def joined(pieces: Iterable[bytes], name: str) -> bytes:
    """Join the pieces of a file that is one record."""
    parts: list[bytes] = []
    n_bytes = 0
    for piece in pieces:
        parts.append(piece)
        n_bytes += len(piece)
        if n_bytes > MAX_RECORD_BYTES:
            raise too_long(name, "a document")
    return b"".join(parts)


def unreadable(name: str, error: OSError | ValueError) -> InputError:
    """Return the error that tells a user why a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"{name}: no such file or folder")
    if isinstance(error, PermissionError):
        return InputError(f"{name}: no permission to read it")
    return InputError(f"{name}: cannot be read ({getattr(error, 'strerror', None) or error})")


def too_long(place: str, what: str) -> InputError:
    """Return the error about a record that is longer than what can be read."""
    return InputError(
        f"{place}: {what} longer than {MAX_RECORD_BYTES >> 20} MiB, the most that can be read; "
        "cut it into smaller documents"
    )


def _undecompressed(name: str, compression: Compression, head: bytes, error: Exception) -> InputError:
    """Return the error that tells why data could not be decompressed."""
    if "memory" in str(error).lower():
        return InputError(
            f"{name} cannot be decompressed: it needs a window of more than {MAX_WINDOW >> 20} MiB, or more "
            f"memory than there is ({error})"
        )
    what = "is damaged:" if head.startswith(compression.magic) else "is not"
    return InputError(f"{name} {what} {compression.name} data ({error})")


def _opened(file: Path | IO[bytes], name: str) -> AbstractContextManager[IO[bytes]]:
    """Open a path. A file that is open already is not closed at the end."""
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
        except (OSError, ValueError) as error:
            raise unreadable(name, error) from None
        if not piece:
            return
        count(len(piece))
        yield piece


def _decompressed(pieces: Iterable[bytes], name: str, compression: Compression) -> Iterator[bytes]:
    """Decompress member after member, in bounded pieces; zeros between members are skipped."""
    member = None
    n_members = 0
    for data in pieces:
        while data := data.lstrip(b"\0") if n_members and not member else data:
            if member is None:
                member = compression.member()
                n_members += 1
            data = yield from compression.steps(member, data)
            if member.eof:
                member = None
    if member is not None:
        raise InputError(f"{name} is cut off: its {compression.name} data end too early")
