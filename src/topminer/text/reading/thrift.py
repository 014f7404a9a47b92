"""Thrift's compact encoding, in which Parquet stores its headers."""

from __future__ import annotations

from typing import Any

MAX_DEPTH = 32  # of structures and lists inside each other


class CompactReader:
    """Reads Thrift's compact encoding; raises EOFError if the data end too early."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def struct(self, depth: int = 1) -> dict[int, Any]:
        """Read a structure; return its values by the numbers of their fields."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            delta, kind = head >> 4, head & 15
            number = number + delta if delta else self._integer()
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10, 12):
            if depth == MAX_DEPTH:
                raise ValueError("metadata that are nested too deeply")
            return self.struct(depth + 1) if kind == 12 else self._list(depth + 1)
        if kind in (1, 2, 3):
            return self._byte()
        if kind == 7:
            return self._bytes(8)
        raise ValueError(f"a value of unknown kind {kind}")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._varint()
        return [self._value(kind, depth) for _ in range(size)]

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _bytes(self, n: int) -> bytes:
        data = self._data[self.at : self.at + n]
        if len(data) < n:
            raise EOFError
        self.at += n
        return data

    def _byte(self) -> int:
        if self.at >= len(self._data):
            raise EOFError
        self.at += 1
        return self._data[self.at - 1]
