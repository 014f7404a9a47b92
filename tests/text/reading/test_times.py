"""Times, however they are written."""

from datetime import date, datetime, timedelta, timezone

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.text.reading.times import parse_times


def place(i: int) -> str:
    return f"a.csv, line {i + 2}"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("1999", datetime(1999, 1, 1)),
        ("1999.0", datetime(1999, 1, 1)),
        ("1999-05", datetime(1999, 5, 1)),
        ("1999-05-17", datetime(1999, 5, 17)),
        (" 1999-05-17 ", datetime(1999, 5, 17)),
        ("1999-05-17T12:34", datetime(1999, 5, 17, 12, 34)),
        ("1999-05-17 12:34:56", datetime(1999, 5, 17, 12, 34, 56)),
        ("1999-05-17T12:34:56.5", datetime(1999, 5, 17, 12, 34, 56, 500_000)),
        ("1999-05-17T12:34:56,123456789", datetime(1999, 5, 17, 12, 34, 56, 123_456)),
        ("1999-05-17T12:34:56Z", datetime(1999, 5, 17, 12, 34, 56)),
        ("1999-05-17T12:34:56.25+02:00", datetime(1999, 5, 17, 10, 34, 56, 250_000)),
        ("1999-05-17 23:30:00 -0130", datetime(1999, 5, 18, 1, 0)),
        ("2000-02-29", datetime(2000, 2, 29)),
        ("1999-5-1", datetime(1999, 5, 1)),
        ("1999/5/17", datetime(1999, 5, 17)),
        ("  1999/12/05 7:03", datetime(1999, 12, 5, 7, 3)),
        ("1999-may-17", datetime(1999, 5, 17)),
        ("17-MAY-1999", datetime(1999, 5, 17)),
        ("7-Mar-1999 ", datetime(1999, 3, 7)),
        ("17 September 1999 12:34:56", datetime(1999, 9, 17, 12, 34, 56)),
        ("1 Sept. 1999", datetime(1999, 9, 1)),
        ("", None),
        (" \t", None),
        (None, None),
    ],
)
def test_strings(given: str | None, expected: datetime | None) -> None:
    times = parse_times(pl.Series([given, "2001"], dtype=pl.String), place)
    assert times.dtype == pl.Datetime("us")
    assert times.to_list() == [expected, datetime(2001, 1, 1)]


@pytest.mark.parametrize(
    "wrong",
    [
        *("May 1999", "99", "1999-13", "1999-02-30", "17.05.1999", "05/07/1999", "17-MAI-1999"),
        *("31-JUN-1999", "1999-05-17T25:00", "0000", "19990", "nan"),
    ],
)
def test_what_is_no_time(wrong: str) -> None:
    with pytest.raises(
        InputError, match=rf"^a.csv, line 4: '{wrong}' is not a time; expected 1999, 1999-05,"
    ):
        parse_times(pl.Series(["1999", None, wrong, "also wrong"]), place)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pl.Series([1999, None]), [datetime(1999, 1, 1), None]),
        (pl.Series([1999.0, None]), [datetime(1999, 1, 1), None]),
        (pl.Series([date(1999, 5, 17), None]), [datetime(1999, 5, 17), None]),
        (pl.Series([datetime(1999, 5, 17, 12)], dtype=pl.Datetime("ms")), [datetime(1999, 5, 17, 12)]),
        (pl.Series([datetime(1999, 5, 17, 12)], dtype=pl.Datetime("ns")), [datetime(1999, 5, 17, 12)]),
        (
            pl.Series(
                [datetime(1999, 5, 17, 12, tzinfo=timezone(timedelta(hours=2)))],
                dtype=pl.Datetime("us", "UTC"),
            ),
            [datetime(1999, 5, 17, 10)],
        ),
        (pl.Series(["1999-05", None], dtype=pl.Categorical), [datetime(1999, 5, 1), None]),
        (pl.Series([None, None]), [None, None]),
        (pl.Series([], dtype=pl.String), []),
    ],
)
def test_other_types(values: pl.Series, expected: list[datetime | None]) -> None:
    times = parse_times(values, place)
    assert times.dtype == pl.Datetime("us")
    assert times.to_list() == expected


@given(st.lists(st.datetimes(min_value=datetime(1000, 1, 1))), st.sampled_from("T "))
def test_what_python_writes_is_read_back(written: list[datetime], separator: str) -> None:
    strings = pl.Series([each.isoformat(separator) for each in written], dtype=pl.String)
    assert parse_times(strings, place).to_list() == written


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (253_402_300_800_000_000, pl.Datetime("us")),
        (-62_135_596_800_000_001, pl.Datetime("us", "Europe/Berlin")),
        (253_402_300_800_000, pl.Datetime("ms")),
        (2_932_897, pl.Date),
        (-719_163, pl.Date),
    ],
)
def test_years_that_python_does_not_have(number: int, dtype: pl.DataType) -> None:
    """Guards against times that no chart can show and no model may hold."""
    values = pl.Series([None, number]).cast(dtype)
    with pytest.raises(InputError, match="1: a time outside the years 1 to 9999"):
        parse_times(values, str)
    inside = pl.Series([None, number - 1 if number > 0 else number + 1]).cast(dtype)
    assert parse_times(inside, str)[1].year in (1, 9999)


def test_an_offset_that_leads_into_the_year_10000() -> None:
    with pytest.raises(InputError, match="outside the years 1 to 9999"):
        parse_times(pl.Series(["9999-12-31T23:00:00-05:00"]), str)
