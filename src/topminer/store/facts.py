"""What a value in JSON may be, and sizes, by which lengths and numbers are compared.

Checks raise ValueError with what was found and what was expected.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

MAX_INT = 2**63 - 1


class Sizes(dict[str, int]):
    """The sizes that are known so far."""

    def bind(self, length: str, found: int, what: str) -> None:
        """Compare a length with its declaration; a size that is not known yet is learned from it."""
        name, _, more = length.partition("+")
        factors = name.split("*")
        if unknown := [factor for factor in factors if factor not in self]:
            known = math.prod(self[factor] for factor in factors if factor in self)
            self[unknown[0]] = (found - int(more or 0)) // max(known, 1)
        if found != (wanted := self.value(length)) or self.get(name, 0) < 0:
            raise ValueError(f"{what} has {found:,} entries; expected {max(wanted, 0):,} ({length})")

    def value(self, length: str) -> int:
        """The number that a declared length stands for."""
        name, _, more = length.partition("+")
        return math.prod(self[factor] for factor in name.split("*")) + int(more or 0)


def plain(value: Any) -> Any:
    """A parameter as JSON has it: NumPy's numbers and arrays as Python's."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return np.asarray(value, None if isinstance(value, np.generic) else np.float64).tolist()


class Fact(Protocol):
    """A value in JSON."""

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""

    def __str__(self) -> str: ...


def _refuse(value: Any, expected: object) -> NoReturn:
    found = repr(value)
    raise ValueError(f"found {found if len(found) <= 60 else found[:57] + '...'}; expected {expected}")


@dataclass(frozen=True)
class Int:
    """A whole number; ``below`` and ``equals`` name sizes. ``equals`` sets a size that is not known yet."""

    low: int = 0
    high: int = MAX_INT
    below: str | None = None
    equals: str | None = None

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""
        if type(value) is not int or not self.low <= value <= self.high:
            _refuse(value, self)
        if self.below is not None and value >= sizes[self.below]:
            _refuse(value, f"a whole number below {sizes[self.below]:,}")
        if self.equals is not None and value != sizes.setdefault(self.equals, value):
            _refuse(value, f"{sizes[self.equals]:,}, the number of {self.equals}")

    def __str__(self) -> str:
        if self.equals is not None:
            return f"the number of {self.equals}"
        if self.below is not None:
            return f"a whole number from {self.low} to below the number of {self.below}"
        return f"a whole number from {self.low:,}" + (f" to {self.high:,}" if self.high < MAX_INT else " on")


@dataclass(frozen=True)
class Float:
    """A number; ``infinite``: also infinity."""

    low: float = -math.inf
    high: float = math.inf
    infinite: bool = False

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""
        if type(value) not in (int, float) or not self.low <= value <= self.high:
            _refuse(value, self)
        if abs(value) > sys.float_info.max and (type(value) is int or not self.infinite):
            _refuse(value, self)

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "a number"
        return f"a number from {self.low:g}" + ("" if math.isinf(self.high) else f" to {self.high:g}")


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""
        if not isinstance(value, bool):
            _refuse(value, self)

    def __str__(self) -> str:
        return "true or false"


@dataclass(frozen=True)
class Text:
    """A string, or one of some."""

    choices: tuple[str, ...] = ()

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""
        if not isinstance(value, str) or (self.choices and value not in self.choices):
            _refuse(value, self)

    def __str__(self) -> str:
        return "one of " + ", ".join(map(repr, self.choices)) if self.choices else "a text"


@dataclass(frozen=True)
class Null:
    """Nothing."""

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""
        if value is not None:
            _refuse(value, self)

    def __str__(self) -> str:
        return "null"


@dataclass(frozen=True)
class OneOf:
    """A value of any of several kinds."""

    kinds: tuple[Fact, ...]

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""
        for kind in self.kinds:
            try:
                return kind.check(value, sizes)
            except ValueError:
                continue
        _refuse(value, self)

    def __str__(self) -> str:
        return ", or ".join(map(str, self.kinds))


def optional(fact: Fact) -> OneOf:
    """A value that may be null."""
    return OneOf((Null(), fact))


@dataclass(frozen=True)
class ListOf:
    """A list of values of one kind, ``least`` of them or more; ``row`` declares a list value by value."""

    each: Fact | None = None
    row: tuple[Fact, ...] = ()
    least: int = 0

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""
        if not isinstance(value, list | tuple) or (self.row and len(value) != len(self.row)):
            _refuse(value, self)
        if len(value) < self.least:
            _refuse(value, self)
        for i, each in enumerate(value):
            fact = self.row[i] if self.row else self.each
            assert fact is not None
            fact.check(each, sizes)

    def __str__(self) -> str:
        n = f" {self.least} or more" if self.least else ""
        return f"a list of{n}: {'; '.join(map(str, self.row)) if self.row else self.each}"


@dataclass(frozen=True)
class Record:
    """An object with declared fields, of which those in ``may_lack`` may be missing."""

    fields: Mapping[str, Fact]
    may_lack: tuple[str, ...] = ()

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""
        if not isinstance(value, Mapping):
            _refuse(value, self)
        if unknown := sorted(map(str, set(value) - set(self.fields))):
            raise ValueError(f"found an unknown field {unknown[0]!r}; expected {self}")
        for name, fact in self.fields.items():
            if name in value:
                try:
                    fact.check(value[name], sizes)
                except ValueError as error:
                    raise ValueError(f"{name}: {error}") from None
            elif name not in self.may_lack:
                raise ValueError(f"{name} is missing")

    def __str__(self) -> str:
        return f"an object with {', '.join(self.fields)}" if self.fields else "an empty object"


@dataclass(frozen=True)
class Names:
    """An object whose fields have any names, and values of one kind."""

    each: Fact

    def check(self, value: Any, sizes: Sizes) -> None:
        """Raise ValueError unless the value is as declared."""
        if not isinstance(value, Mapping):
            _refuse(value, self)
        for each in value.values():
            self.each.check(each, sizes)

    def __str__(self) -> str:
        return f"an object whose values are each {self.each}"
