"""Ways to damage the bytes of a file."""

import random
import re
from collections.abc import Callable

NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
EXTREMES = [
    *(b"-1", b"0", b"1e999", b"-1e999", b"2147483648", b"-2147483649", b"9223372036854775808", b"1e-999"),
    *(b"9" * 5000, b"NaN", b"1.7976931348623157e309", b"0x10", b"00001", b"", b"1e400"),
]
# Numbers as binary formats have them: of four or eight bytes, and in bytes of seven bits (Thrift).
BINARY = [
    *(n.to_bytes(4, "little") for n in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF)),
    *(n.to_bytes(8, "little") for n in (0, 1 << 31, (1 << 63) - 1, (1 << 64) - 1)),
    *(b"\xff\xff\xff\xff\x0f", b"\xfe\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\x80" * 9 + b"\x01"),
]
TOKENS = [
    *(b'"', b'""', b"'", b",", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\\", b"{", b"}", b"[", b"]", b":"),
    *(b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf"),
    *(b"\\u0000", b"\\ud800", b"\\uDC00", b"\\x", b"null", b"true", b'{"text": ', b"PAR1", b"\x1f\x8b\x08"),
    b"\xe2\x80\xa8",
    *(b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"\x01", b"\x02", b"[" * 2000, b'{"a":' * 2000, b'"' * 999),
]


def mutated(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Damage some data once or a few times; ``other`` is what parts may be taken from."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        data = chance.choice(WAYS)(data, other, chance)
    return data


def with_length(data: bytes, before: bytes) -> bytes:
    """Let the length of a Parquet file's metadata fit again, if they were damaged."""
    if len(data) < 12 or len(before) < 12:
        return data
    metadata = int.from_bytes(before[-8:-4], "little") + len(data) - len(before)
    return data[:-8] + max(metadata, 0).to_bytes(4, "little") + b"PAR1"


def _place(data: bytes, chance: random.Random) -> int:
    """A place, more often near the ends, where headers are."""
    kind = chance.random()
    if kind < 0.2:
        return min(chance.randrange(64), len(data))
    if kind < 0.5:
        return max(len(data) - chance.randrange(600), 0)
    return chance.randrange(len(data) + 1)


def _flip(data: bytes, other: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 16))):
        if i := min(_place(data, chance), len(data) - 1) + 1:
            changed[i - 1] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _set(data: bytes, other: bytes, chance: random.Random) -> bytes:
    i = _place(data, chance)
    return data[:i] + bytes([chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))]) + data[i + 1 :]


def _insert(data: bytes, other: bytes, chance: random.Random) -> bytes:
    i = _place(data, chance)
    inserted = chance.choice((chance.choice(TOKENS), chance.randbytes(chance.randrange(1, 20))))
    return data[:i] + inserted + data[i:]


def _delete(data: bytes, other: bytes, chance: random.Random) -> bytes:
    i = _place(data, chance)
    return data[:i] + data[i + chance.choice((1, 2, 5, 50, 1000)) :]


def _truncate(data: bytes, other: bytes, chance: random.Random) -> bytes:
    i = _place(data, chance)
    return chance.choice((data[:i], data[i:]))


def _repeat(data: bytes, other: bytes, chance: random.Random) -> bytes:
    i, n = _place(data, chance), chance.choice((1, 4, 30, 300))
    return data[:i] + data[i : i + n] * chance.choice((2, 10, 1000)) + data[i + n :]


def _swap(data: bytes, other: bytes, chance: random.Random) -> bytes:
    i, j, k = sorted(_place(data, chance) for _ in range(3))
    return data[:i] + data[j:k] + data[i:j] + data[k:]


def _splice(data: bytes, other: bytes, chance: random.Random) -> bytes:
    i, j = _place(data, chance), _place(other, chance)
    return data[:i] + other[j : j + chance.choice((10, 200, 10**6))] + data[i:] * chance.randrange(2)


def _text_number(data: bytes, other: bytes, chance: random.Random) -> bytes:
    found = list(NUMBER.finditer(data))
    if not found:
        return data
    number = chance.choice(found)
    return data[: number.start()] + chance.choice(EXTREMES) + data[number.end() :]


def _binary_number(data: bytes, other: bytes, chance: random.Random) -> bytes:
    i, number = _place(data, chance), chance.choice(BINARY)
    return data[:i] + number + data[i + chance.choice((1, 2, len(number))) :]


WAYS: list[Callable[[bytes, bytes, random.Random], bytes]] = [
    *(_flip, _set, _insert, _delete, _truncate, _repeat, _swap, _splice),
    *(_text_number, _binary_number, _binary_number),
]
