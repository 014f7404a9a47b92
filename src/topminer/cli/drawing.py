"""What the pages of all commands have in common."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

WIDEST = 110  # characters: longer lines are no pleasure to read


def section(title: str, body: RenderableType) -> Iterator[RenderableType]:
    """A part of a page under its title, or under none."""
    yield Text(f"\n{title}" if title else "", style="bold cyan")
    yield Padding.indent(body, 2)


def percent(share: float) -> str:
    """A share for a person.

    >>> percent(0.2), percent(0.0003)
    ('20.0 %', '< 0.1 %')
    """
    return "< 0.1 %" if 0 < share < 0.001 else f"{share:.1%}".replace("%", " %")
