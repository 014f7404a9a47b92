"""One guard against formulas for every CSV file: spreadsheets run a cell that starts like a formula.

Such a text gets an apostrophe before it. So does one that has apostrophes there already, so that a reader
who takes one away gets every text back.
"""

from __future__ import annotations

import re

import polars as pl

_PATTERN = r"'*[=+\-@\t\r]"
_FORMULA = re.compile(_PATTERN)
_GUARDED = re.compile(f"'{_PATTERN}")


def without_formula(text: str) -> str:
    """Return the text, with an apostrophe before it if a spreadsheet would run it as a formula.

    >>> without_formula("=1+1"), without_formula("1=1")
    ("'=1+1", '1=1')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def with_formula(text: str) -> str:
    """Take the apostrophe of :func:`without_formula` away again.

    >>> with_formula("'=1+1"), with_formula("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if _GUARDED.match(text) else text


def without_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with :func:`without_formula` of each text.

    >>> without_formulas(pl.DataFrame({"text": ["=1+1", "1=1"]}))["text"].to_list()
    ["'=1+1", '1=1']
    """
    texts = pl.col(pl.String)
    return table.with_columns(
        pl.when(texts.str.contains(f"^{_PATTERN}")).then("'" + texts).otherwise(texts).name.keep()
    )
