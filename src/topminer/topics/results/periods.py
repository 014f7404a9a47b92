"""How topics and phrases come and go over time.

Documents fall into periods: days, months or years, as suits the time they span; or decades and longer, where
years would be too many. Every period between the first and the last is there, also those without documents.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.topics.results.fitted import Fitted

MOST_DAYS = 60
MOST_MONTHS = 36
MOST_PERIODS = 75

Unit = Literal["year", "month", "day"]


class Periods(NamedTuple):
    """Periods of the same length, one behind the other."""

    names: list[str]
    unit: Unit  # of decades and longer periods: year
    of_document: NDArray[np.int32]  # -1 without a time


def periods(times: pl.Series | None) -> Periods | None:
    """Return the periods of documents with these times; None if none of them has one.

    >>> from datetime import datetime
    >>> found = periods(pl.Series([datetime(2001, 1, 1), None, datetime(2003, 1, 1)]))
    >>> found.names, found.of_document.tolist()
    (['2001', '2002', '2003'], [0, -1, 2])
    """
    if times is None or times.null_count() == len(times):
        return None
    dates = times.dt.date()
    unit = _unit(dates.drop_nulls())
    numbers = _numbers(dates, unit)
    lowest, highest = _ends(numbers)
    step = 1
    while unit == "year" and highest // step - lowest // step >= MOST_PERIODS:
        step *= 10
    every = range(lowest // step, highest // step + 1)
    of_document = (numbers // step - every.start).fill_null(-1).to_numpy().astype(np.int32)
    return Periods([_name(number, unit, step) for number in every], unit, of_document)


def _unit(dates: pl.Series) -> Unit:
    """Return the finest unit with few enough periods that the dates have: a bare year is its first day."""
    first_days = bool((dates.dt.day() == 1).all())
    if first_days and bool((dates.dt.month() == 1).all()):
        return "year"
    lowest, highest = _ends(_numbers(dates, "day"))
    if highest - lowest < MOST_DAYS and not first_days:
        return "day"
    lowest, highest = _ends(_numbers(dates, "month"))
    return "month" if highest - lowest < MOST_MONTHS else "year"


def _numbers(dates: pl.Series, unit: Unit) -> pl.Series:
    """Return the number of each date's day, month or year."""
    if unit == "day":
        return dates.dt.epoch("d").cast(pl.Int64)
    years = dates.dt.year().cast(pl.Int64)
    return years if unit == "year" else years * 12 + dates.dt.month() - 1


def _ends(numbers: pl.Series) -> tuple[int, int]:
    known = numbers.drop_nulls().to_numpy()
    return int(known.min()), int(known.max())


def _name(number: int, unit: Unit, step: int) -> str:
    if unit == "day":
        return str(np.datetime64(number, "D"))
    if unit == "month":
        return f"{number // 12}-{number % 12 + 1:02}"
    first = number * step
    if step == 1:
        return f"{first}"
    return f"{first}s" if step == 10 else f"{first}–{first + step - 1}"


def topic_trend(model: Fitted, periods: Periods) -> NDArray[np.float64]:
    """Return the share of each topic among a period's kept tokens, (topics, periods); 0 if there are none."""
    documents, topics, tokens = model.lda_.document_topics()
    counts = _counted(topics, periods.of_document[documents], periods, model.lda_.topic_weight_.size, tokens)
    total = counts.sum(axis=0)
    shares: NDArray[np.float64] = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    return shares


def phrase_trend(
    model: Fitted, periods: Periods, row_of: NDArray[np.int64], n_rows: int
) -> NDArray[np.int64]:
    """Return instances in each period, (rows, periods); ``row_of`` is the row of each phrase type, or -1."""
    partition = model.partition_
    rows = np.append(row_of, -1)[partition.type_ids]  # words never seen have type -1
    of_clique = np.repeat(periods.of_document, np.diff(partition.doc_start))
    counts: NDArray[np.int64] = _counted(rows, of_clique, periods, n_rows).astype(np.int64)
    return counts


def period_sizes(model: Fitted, periods: Periods) -> NDArray[np.int64]:
    """Return the phrase instances in each period, single words included."""
    period, instances = periods.of_document, np.diff(model.partition_.doc_start)
    counts = _counted(np.zeros(period.size, np.int64), period, periods, 1, instances)
    sizes: NDArray[np.int64] = counts[0].astype(np.int64)
    return sizes


def _counted(
    rows: NDArray[np.integer],
    period: NDArray[np.int32],
    periods: Periods,
    n_rows: int,
    weights: NDArray[np.integer] | None = None,
) -> NDArray[np.float64]:
    """Count how often each row meets each period; -1 is no row, or no period."""
    known = (rows >= 0) & (period >= 0)
    n_periods = len(periods.names)
    cells = rows[known].astype(np.int64) * n_periods + period[known]
    chosen = None if weights is None else weights[known]
    counts = np.bincount(cells, chosen, n_rows * n_periods).reshape(n_rows, n_periods)
    return counts.astype(np.float64)
