"""Where topminer keeps what it may make again."""

import sys
from pathlib import Path

import pytest

from topminer.user_cache import user_cache


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/c"}, "/c/topminer"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/topminer"),
        ("linux", {"LOCALAPPDATA": "/local"}, "/home/me/.cache/topminer"),
        ("darwin", {}, "/home/me/Library/Caches/topminer"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/topminer"),
    ],
)
def test_the_usual_place_of_caches(monkeypatch, platform: str, variables: dict, expected: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, variables.get(name, ""))
    assert user_cache() == Path(expected)
