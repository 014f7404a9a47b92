"""Dates, times and years, in any form that tables have them, to one type."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from topminer.errors import InputError

TIME = pl.Datetime("us")
DAY, YEAR_1, YEAR_10000 = 86_400, -62_135_596_800, 253_402_300_800  # in seconds; the years since 1970
TICKS = {"days": 1, "ms": 1000 * DAY, "us": 1_000_000 * DAY}  # of each unit in a day

# 1999, 1999-05, 1999-05-17, 1999-05-17T12:34, then seconds, their fraction, and an offset; also 1999/5/7.
# Many tools write a column of years with missing values as 1999.0.
PATTERN = (
    r"^\s*([1-9][0-9]{3})(?:\.0|[-/]([0-9]{1,2})(?:[-/]([0-9]{1,2})(?:[T ]([0-9]{1,2}):([0-9]{2})"
    r"(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)? ?(Z|[+-][0-9]{2}:?[0-9]{2})?)?)?)?\s*$"
)
# 17-MAY-1999, 17 May 1999. A date of digits only, such as 05/07/1999, is ambiguous and not accepted.
BY_NAME = r"^\s*([0-9]{1,2})[- ]([A-Za-z]{3})[a-z]{0,6}\.?[- ]([1-9][0-9]{3})"
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
DEFAULTS = {"2": "01", "3": "01", "4": "00", "5": "00", "6": "00", "7": "0", "8": "Z"}


def parse_times(values: pl.Series, place: Callable[[int], str]) -> pl.Series:
    """Parse dates, date-times, integer years, or strings such as 1999, 1999-05, 1999/5/17, 17 May 1999.

    Times with an offset become UTC, blank ones null. An error names the place of the value that is no time.

    >>> parse_times(pl.Series(["1999-05-17T12:00+02:00"]), str).to_list()
    [datetime.datetime(1999, 5, 17, 10, 0)]
    """
    if isinstance(values.dtype, pl.Datetime | pl.Date):
        _check_years(values, place)
    if isinstance(values.dtype, pl.Datetime):
        if values.dtype.time_zone:
            values = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return values.cast(TIME)
    if values.dtype == pl.Date:
        return values.cast(TIME)
    given = values.cast(pl.String)
    distinct = given.unique()
    times = given.replace_strict(distinct, _from_strings(distinct)).cast(TIME)
    wrong = times.is_null() & (given.str.strip_chars() != "").fill_null(False)
    if wrong.any():
        i = wrong.arg_max() or 0
        raise InputError(
            f"{place(i)}: {given[i]!r} is not a time; "
            "expected 1999, 1999-05, 1999-05-17 or 1999-05-17T12:34:56"
        )
    _check_years(times, place)
    return times


def _check_years(values: pl.Series, place: Callable[[int], str]) -> None:
    """Raise an error for times that Python cannot represent; nanoseconds only cover 1677 to 2262."""
    unit = values.dtype.time_unit if isinstance(values.dtype, pl.Datetime) else "days"
    if unit == "ns":
        return
    first, after_last = (second * TICKS[unit] // DAY for second in (YEAR_1, YEAR_10000))
    numbers = values.to_physical().cast(pl.Int64)
    wrong = (numbers < first) | (numbers >= after_last)
    if wrong.any():
        raise InputError(f"{place(wrong.arg_max() or 0)}: a time outside the years 1 to 9999")


def _from_strings(given: pl.Series) -> pl.Series:
    """Complete every string to a full date-time and parse that; null where it is not a time."""
    numbers = {f"-{name}-": f"-{number:02}-" for number, name in enumerate(MONTHS, 1)}
    given = given.str.replace(BY_NAME, "${3}-${2}-${1}").str.replace_many(
        numbers, ascii_case_insensitive=True
    )
    parts = given.str.extract_groups(PATTERN).struct.unnest()
    full = pl.format(
        "{}-{}-{} {}:{}:{}.{} {}", "1", *(pl.col(part).fill_null(value) for part, value in DEFAULTS.items())
    )
    times = parts.select(full.str.replace("Z", "+0000").alias("time"))["time"]
    in_utc = times.str.to_datetime("%Y-%m-%d %H:%M:%S%.f %z", time_unit="us", strict=False)
    return in_utc.dt.replace_time_zone(None)
