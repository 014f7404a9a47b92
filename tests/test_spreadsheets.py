"""The guard against formulas in CSV files."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer._spreadsheets import with_formula, without_formula, without_formulas

STARTS = ["=", "+", "-", "@", "\t", "\r"]


@pytest.mark.parametrize("start", STARTS)
def test_formulas_get_an_apostrophe_and_nothing_else_changes(start: str) -> None:
    table = pl.DataFrame({"a": [f"{start}1", "x=1", "", None, "\n=1"], "b": [-1.0, 2.0, 3.0, 4.0, 5.0]})
    assert without_formulas(table).to_dict(as_series=False) == {
        "a": [f"'{start}1", "x=1", "", None, "\n=1"],
        "b": [-1.0, 2.0, 3.0, 4.0, 5.0],
    }


@given(st.text("'=+-@\t\r\nx", max_size=5))
def test_every_text_comes_back_and_tables_are_guarded_as_texts_are(text: str) -> None:
    guarded = without_formula(text)
    assert not guarded.startswith(tuple(STARTS))
    assert with_formula(guarded) == text
    assert without_formulas(pl.DataFrame({"a": [text]}))["a"].to_list() == [guarded]
