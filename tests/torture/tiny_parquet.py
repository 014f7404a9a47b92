"""Parquet files of one column of texts, made by hand, so that every number in them can be a lie."""

from collections.abc import Sequence
from typing import Any

PLAIN, RLE, RLE_DICTIONARY = 0, 3, 8
UNCOMPRESSED, ZSTD = 0, 6
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12

# The numbers that can be set; those left out are true.
NUMBERS = (
    *("page_bytes", "compressed_page_bytes", "page_values", "encoding", "dictionary_bytes"),
    *("dictionary_compressed_bytes", "dictionary_values", "codec", "chunk_values", "chunk_bytes"),
    *("compressed_chunk_bytes", "data_offset", "dictionary_offset", "group_bytes", "group_rows", "file_rows"),
    *("metadata_bytes", "n_children", "type", "page_type", "file_offset"),
)


def tiny_parquet(texts: Sequence[bytes], *, n_rows: int | None = None, **lies: Any) -> bytes:
    """Write a file.

    Parameters
    ----------
    texts : sequence of bytes
        The values; with ``n_rows`` there is a dictionary of them, and the first one stands in all rows.
    lies : int
        Values of ``NUMBERS`` that are not true, and ``page`` and ``dictionary``: other bytes for these pages.
    """
    values = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    is_dictionary = n_rows is not None
    n = len(texts) if n_rows is None else n_rows
    said = lies.get
    dictionary = b""
    if is_dictionary:
        stored = said("dictionary", values)
        header = [(1, I32, 2), (2, I32, said("dictionary_bytes", len(values)))]
        header += [(3, I32, said("dictionary_compressed_bytes", len(stored)))]
        header += [(7, STRUCT, [(1, I32, said("dictionary_values", len(texts))), (2, I32, PLAIN)])]
        dictionary = struct(header) + stored
        values = b"\x01" + varint(n << 1) + b"\0"  # one bit an index, and one run of index 0
    stored = said("page", values)
    about = [(1, I32, said("page_values", n))]
    about += [
        (2, I32, said("encoding", RLE_DICTIONARY if is_dictionary else PLAIN)),
        (3, I32, RLE),
        (4, I32, RLE),
    ]
    header = [(1, I32, said("page_type", 0)), (2, I32, said("page_bytes", len(values)))]
    header += [(3, I32, said("compressed_page_bytes", len(stored))), (5, STRUCT, about)]
    page = struct(header) + stored
    chunk: list[tuple[int, int, Any]] = [
        (1, I32, said("type", 6)),
        (2, LIST, (I32, [PLAIN, RLE])),
        (3, LIST, (BINARY, [b"text"])),
        (4, I32, said("codec", UNCOMPRESSED)),
        (5, I64, said("chunk_values", n)),
        (6, I64, said("chunk_bytes", len(dictionary) + len(page))),
        (7, I64, said("compressed_chunk_bytes", len(dictionary) + len(page))),
        (9, I64, said("data_offset", 4 + len(dictionary))),
    ]
    if is_dictionary:
        chunk.append((11, I64, said("dictionary_offset", 4)))
    group = [(1, LIST, (STRUCT, [[(2, I64, said("file_offset", 4)), (3, STRUCT, chunk)]]))]
    group += [(2, I64, said("group_bytes", len(page))), (3, I64, said("group_rows", n))]
    root = [(4, BINARY, b"schema"), (5, I32, said("n_children", 1))]
    column = [(1, I32, 6), (3, I32, 0), (4, BINARY, b"text"), (6, I32, 0), (10, STRUCT, [(1, STRUCT, [])])]
    metadata = struct(
        [
            (1, I32, 1),
            (2, LIST, (STRUCT, [root, column])),
            (3, I64, said("file_rows", n)),
            (4, LIST, (STRUCT, [group])),
        ]
    )
    n_metadata = said("metadata_bytes", len(metadata)) % (1 << 32)
    return b"PAR1" + dictionary + page + metadata + n_metadata.to_bytes(4, "little") + b"PAR1"


def struct(fields: Sequence[tuple[int, int, Any]]) -> bytes:
    """Write a structure in Thrift's compact encoding."""
    written, before = b"", 0
    for number, kind, value in fields:
        written += bytes([(number - before) << 4 | kind]) + _value(kind, value)
        before = number
    return written + b"\0"


def varint(value: int) -> bytes:
    """Write a number in bytes of seven bits."""
    value %= 1 << 64
    written = b""
    while value > 127:
        written += bytes([value & 127 | 128])
        value >>= 7
    return written + bytes([value])


def _value(kind: int, value: Any) -> bytes:
    if kind in (I32, I64):
        return varint(value << 1 if value >= 0 else (-value << 1) - 1)
    if kind == BINARY:
        return varint(len(value)) + bytes(value)
    if kind == STRUCT:
        return struct(value)
    kind, values = value
    return bytes([min(len(values), 15) << 4 | kind]) + b"".join(_value(kind, each) for each in values)
