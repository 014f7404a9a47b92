"""Texts in cells: nothing is lost at any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from topminer.cli.wrapping import wrapped

pytestmark = pytest.mark.small

texts = st.lists(st.text("ab-漢", min_size=1, max_size=9), min_size=1, max_size=8).map(" ".join)


@given(texts, st.integers(2, 40))
def test_every_line_fits_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width).split("\n")
    assert max(map(cell_len, lines)) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert len(lines) == 1 or cell_len(text) > width


def test_by_hand() -> None:
    assert wrapped("senior administration official", 20) == "senior\n  administration\n  official"
    assert wrapped("fits", 4) == "fits"
