"""Fields of a dataclass that are made when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Deferred(Generic[Value]):
    """A field that is given as a value, or as a function that is called when the field is first read.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Text:
    ...     words: Deferred[list[str]] = Deferred()
    >>> Text(lambda: "to be or not".split()).words
    ['to', 'be', 'or', 'not']
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, instance: Any, value: Value | Callable[[], Value]) -> None:
        vars(instance)[self._name] = value

    def __get__(self, instance: Any, owner: type) -> Value:
        if instance is None:
            raise AttributeError(self._name)  # so the field has no default
        value: Any = vars(instance)[self._name]
        if callable(value):
            value = vars(instance)[self._name] = value()
        made: Value = value
        return made
