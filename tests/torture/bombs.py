"""Small files that expand to gigabytes: each gives a result or one clear line, within bounded memory."""

import lzma
import random
import zlib
from collections.abc import Callable
from pathlib import Path

from torture.input_seeds import compressed
from torture.inputs import limit_memory
from torture.processes import in_child
from torture.tiny_parquet import ZSTD, tiny_parquet
from torture.trials import Trials

NAME = "decompression bombs"
WANTED = 40
SECONDS = 300
MEMORY = 6 << 30  # that a child may take beyond what it started with
MIB = 1 << 20
GIB = 1 << 30

Bomb = tuple[str, bytes]  # the name of a file, and what it holds
STARTS = {
    "txt": b"",
    "csv": b'id,text\n1,"',
    "tsv": b"id\ttext\n1\t",
    "jsonl": b'{"text": "',
}


def torture(trials: Trials) -> None:
    """Have each bomb inspected in a child."""
    import topminer.cli.inspect
    import topminer.text.corpus  # noqa: F401

    for chance in trials:
        bomb = chance.choice(BOMBS)
        name, data = bomb(chance)
        path = trials.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        source = path if path.parent == trials.folder else path.parent
        ending = in_child(_inspect, source, seconds=SECONDS)
        if ending.complaint:
            trials.failed(f"{bomb.__name__}, {name} of {len(data):,} bytes: {ending.complaint}")
        path.unlink()


def _inspect(path: Path) -> int:
    from topminer.cli import main

    limit_memory(MEMORY)
    return main(["inspect", str(path), "--quiet"])


def repeated_bytes(chance: random.Random) -> Bomb:
    """A compressed file of the same bytes again and again: up to gigabytes of them, behind a start."""
    format = chance.choice(sorted(STARTS))
    start = STARTS[format]
    piece = chance.choice((b"a", b"word ", "日本".encode(), b"\\n", b'""' if format == "csv" else b" "))
    line, row = b"neural network\n", b'{"text": "neural network"}\n'
    name, start, piece, size = chance.choice(
        [
            *[(f"a.{format}", start, piece, chance.choice((2, 4)) * GIB)] * 3,  # a line, quote or string
            (f"a.{format}", start + b"words of a text " * 9999, b"\0", 4 * GIB),
            ("texts/a.txt", b"", b"word ", 4 * GIB),  # a document in a folder
            ("a.txt", b"", line, 32 * MIB),  # many documents, all legitimate
            ("a.csv", b"text\n", line, 32 * MIB),
            ("a.jsonl", b"", row, 32 * MIB),
            *((f"a.{ending}", b"text\nneural network\n", b"\n", 64 * MIB) for ending in ("txt", "csv")),
            ("a.parquet", b"PAR1", b"\0", GIB),
        ]
    )
    ending = chance.choice([".gz", ".xz", ".zst"])
    member = compressed(piece * (16 * MIB // len(piece)), ending)
    return name + ending, compressed(start, ending) + member * (size // (16 * MIB))


def dense_zstd(chance: random.Random) -> Bomb:
    """128 KiB from every four bytes."""
    block = (1 << 1 | 131072 << 3).to_bytes(3, "little") + b"a"
    return "a.txt.zst", b"\x28\xb5\x2f\xfd\0\x58" + 65536 * block


def long_window(chance: random.Random) -> Bomb:
    """A zstd frame that wants a window of up to terabytes."""
    window = chance.choice((0xA8, 0xB0, 0xF8, 0xFF))
    return "a.txt.zst", b"\x28\xb5\x2f\xfd\0" + bytes([window]) + b"\x0b\0\0a"


def large_dictionary(chance: random.Random) -> Bomb:
    """An xz stream that wants a dictionary of up to 4 GiB."""
    data = bytearray(lzma.compress(b"neural network", check=lzma.CHECK_NONE))
    data[16] = chance.choice((36, 38, 40))
    data[20:24] = zlib.crc32(data[12:20]).to_bytes(4, "little")
    return "a.txt.xz", bytes(data)


def many_rows(chance: random.Random) -> Bomb:
    """Up to two billion rows in a few bytes."""
    n_rows = chance.choice((10**6, 10**7, 10**8, 2**31 - 1))
    return "a.parquet", tiny_parquet([b"neural network"], n_rows=n_rows)


def long_text(chance: random.Random) -> Bomb:
    """One text of a gigabyte, in a page or in a dictionary, in a few kilobytes."""
    n_bytes = chance.choice((GIB // 2, GIB, 2**31 - 100))
    values = n_bytes.to_bytes(4, "little"), b"a", n_bytes
    if chance.random() < 0.5:
        return "a.parquet", tiny_parquet([b""], codec=ZSTD, page=_zstd(*values), page_bytes=n_bytes + 4)
    lies = {"dictionary": _zstd(*values), "dictionary_bytes": n_bytes + 4, "codec": ZSTD}
    return "a.parquet", tiny_parquet([b""], n_rows=100, page=_zstd(b"\x01", b"\xc8\x01\0", 3), **lies)


def lying_page(chance: random.Random) -> Bomb:
    """A page that says it is large, and is not."""
    n_bytes = chance.choice((GIB // 2, GIB - 100, GIB, 2**31 - 1))
    page = _zstd(b"\x0e\0\0\0neural network", b"", 0)
    return "a.parquet", tiny_parquet([b"neural network"], codec=ZSTD, page=page, page_bytes=n_bytes)


def _zstd(start: bytes, repeated: bytes, n: int) -> bytes:
    """A zstd frame of ``start`` and n bytes of ``repeated``, which is never held as a whole."""
    from topminer.text.reading.zstd import zstd

    compressor = zstd.ZstdCompressor()
    data = compressor.compress(start)
    piece = repeated * (MIB // max(len(repeated), 1))
    while n > 0:
        data += compressor.compress(piece[:n])
        n -= len(piece)
    return data + compressor.flush()


BOMBS: list[Callable[[random.Random], Bomb]] = [
    *[repeated_bytes] * 8,
    *(dense_zstd, long_window, large_dictionary, many_rows, long_text, lying_page),
]
