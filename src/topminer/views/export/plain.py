"""Tables for formats that know only texts and numbers: times as texts."""

from __future__ import annotations

import polars as pl


def time_format(times: pl.Series | None) -> str:
    """How times are written: days, unless some time of the day is known."""
    if times is None or bool((times.dt.truncate("1d") == times).all()):
        return "%Y-%m-%d"
    return "%Y-%m-%dT%H:%M:%S%.f"


def with_times_as_texts(batch: pl.DataFrame, format: str) -> pl.DataFrame:
    """The same with column ``time``, if there is one, as texts."""
    if "time" not in batch.columns:
        return batch
    return batch.with_columns(pl.col("time").dt.strftime(format))
