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
    unit: Unit  # decades and longer are told in years
    of_document: NDArray[np.int32]  # -1 without a time


def periods(times: pl.Series | None) -> Periods | None:
    """The periods of documents with these times; None if none of them has one.

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
    """The finest unit that is not too many, and that the dates tell: a bare year is read as its first day."""
    first_days = bool((dates.dt.day() == 1).all())
    if first_days and bool((dates.dt.month() == 1).all()):
        return "year"
    lowest, highest = _ends(_numbers(dates, "day"))
    if highest - lowest < MOST_DAYS and not first_days:
        return "day"
    lowest, highest = _ends(_numbers(dates, "month"))
    return "month" if highest - lowest < MOST_MONTHS else "year"


def _numbers(dates: pl.Series, unit: Unit) -> pl.Series:
    """The number of each date's day, month or year."""
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
    """Share of each topic among the kept tokens of a period, (topics, periods); 0 where there are none."""
    topics, lengths = model.lda_.clique_topic_, np.diff(model.partition_.clique_start)
    shape = model.lda_.topic_weight_.size, len(periods.names)
    tokens = _counted(topics, _period_of_clique(model, periods), shape, lengths)
    total = tokens.sum(axis=0)
    shares: NDArray[np.float64] = np.divide(tokens, total, out=np.zeros(tokens.shape), where=total > 0)
    return shares


def type_trend(model: Fitted, periods: Periods, types: NDArray[np.int64]) -> NDArray[np.int64]:
    """Instances of phrase types in each period, (types, periods)."""
    partition = model.partition_
    distinct, row_of = np.unique(types, return_inverse=True)
    place_of = np.full(partition.n_types + 1, -1)  # the last is for words never seen, of type -1
    place_of[distinct] = np.arange(distinct.size)
    shape = distinct.size, len(periods.names)
    place = place_of[partition.type_ids]
    counts = _counted(place, _period_of_clique(model, periods), shape)
    return counts.astype(np.int64)[row_of]


def period_sizes(model: Fitted, periods: Periods) -> NDArray[np.int64]:
    """Phrase instances in each period, single words included."""
    period = _period_of_clique(model, periods)
    return np.bincount(period[period >= 0], minlength=len(periods.names))


def _period_of_clique(model: Fitted, periods: Periods) -> NDArray[np.int32]:
    return np.repeat(periods.of_document, np.diff(model.partition_.doc_start))


def _counted(
    rows: NDArray[np.integer],
    columns: NDArray[np.integer],
    shape: tuple[int, int],
    weights: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """How often each row meets each column; what has no row, or no column, is -1."""
    known = (rows >= 0) & (columns >= 0)
    cells = rows[known].astype(np.int64) * shape[1] + columns[known]
    chosen = None if weights is None else weights[known]
    return np.bincount(cells, chosen, shape[0] * shape[1]).reshape(shape).astype(np.float64)
