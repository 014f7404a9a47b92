"""Fields that are made when they are first read."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from topminer.containers.deferred import Deferred


@dataclass(frozen=True)
class Text:
    name: str
    words: Deferred[list[str]] = Deferred()


def test_a_function_is_called_once_when_the_field_is_first_read() -> None:
    calls = []

    def make() -> list[str]:
        calls.append("call")
        return ["to", "be"]

    text = Text("a", make)
    assert calls == []
    assert text.words is text.words == ["to", "be"]
    assert replace(text, name="b").words == ["to", "be"]
    assert calls == ["call"]


def test_a_value_is_the_field() -> None:
    assert Text("a", ["to"]).words == ["to"]


def test_the_field_is_required_and_frozen() -> None:
    with pytest.raises(TypeError, match="words"):
        Text("a")
    with pytest.raises(AttributeError):
        Text("a", []).words = []
