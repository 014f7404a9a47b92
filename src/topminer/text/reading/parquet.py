"""Parquet files to rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import polars as pl

from topminer.errors import InputError
from topminer.text.reading.columns import Choose, Rows, place
from topminer.text.reading.source import Unit
from topminer.text.reading.stream import compression_of, unreadable

SAMPLE_ROWS = 1000
ROWS_AT_ONCE = 1 << 14
UNIT_BYTES = 8 << 20  # larger files are cut into units of about this size


def parquet_rows(
    path: Path, unit: Unit, size: int, choose: Choose, count: Callable[[int], object]
) -> Iterator[Rows]:
    """Read rows in batches of about ``size`` bytes of text; ``count`` hears how much of the file that is."""
    try:
        if path.stat().st_size == 0:
            return
        yield from _rows(path, unit, size, choose, count)
    except OSError as error:
        raise unreadable(unit.name, error) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        why = " ".join(str(error).split())
        raise InputError(f"{unit.name} is not a Parquet file, or is damaged ({why})") from None


def cut(unit: Unit) -> list[Unit]:
    """Cut a large file into runs of rows."""
    n_bytes = unit.n_bytes or 0
    if not isinstance(unit.file, Path) or compression_of(unit.name) or n_bytes <= UNIT_BYTES:
        return [unit]
    try:
        n_rows = _n_rows(_table(unit.file))
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return [unit]  # whoever reads it will hear why
    n_units = min(-(-n_bytes // UNIT_BYTES), n_rows)
    if n_units < 2:
        return [unit]
    bounds = pairwise(i * n_rows // n_units for i in range(n_units + 1))
    return [
        unit._replace(rows=(start, stop), n_bytes=stop * n_bytes // n_rows - start * n_bytes // n_rows)
        for start, stop in bounds
    ]


def joined(units: Iterable[Unit]) -> list[Unit]:
    """Put runs of rows together again, as far as they belong together: reading them in one go is quicker."""
    whole: list[Unit] = []
    for unit in units:
        before = whole[-1] if whole else None
        if before and before.rows and unit.rows and (before.id, before.rows[1]) == (unit.id, unit.rows[0]):
            n_bytes = (before.n_bytes or 0) + (unit.n_bytes or 0)
            whole[-1] = unit._replace(rows=(before.rows[0], unit.rows[1]), n_bytes=n_bytes)
        else:
            whole.append(unit)
    return whole


def spooled(pieces: Iterable[bytes], read: Callable[[Path], Iterator[Rows]]) -> Iterator[Rows]:
    """Read from a temporary copy: a Parquet file is read from its end, which a stream does not give."""
    with tempfile.TemporaryDirectory(prefix="topminer-") as folder:
        path = Path(folder) / "copy.parquet"
        with path.open("wb") as file:
            file.writelines(pieces)
        yield from read(path)


def _table(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def _n_rows(table: pl.LazyFrame) -> int:
    return int(table.select(pl.len()).collect().item())


def _rows(
    path: Path, unit: Unit, size: int, choose: Choose, count: Callable[[int], object]
) -> Iterator[Rows]:
    """Read rows, trusting that the file is sound."""
    name, table = unit.name, _table(path)
    schema = table.collect_schema()
    strings = [column for column, dtype in schema.items() if _is_text(dtype)]
    first = table.select(pl.col(strings).cast(pl.String)).head(SAMPLE_ROWS)
    further = {column: value for column, value in unit.partition.items() if column not in schema}
    schema.update((column, pl.String()) for column in further)
    columns = choose(schema.names(), lambda: first.collect().get_columns()).by_role()
    taken = [_taken(role, column, schema[column], name) for role, column in columns.items()]

    n_rows, n_bytes, row = _n_rows(table), path.stat().st_size, 1
    if unit.rows:
        start, stop = unit.rows
        table, row = table.slice(start, stop - start), start + 1
    table = table.with_columns(pl.lit(value, pl.String).alias(column) for column, value in further.items())
    for frame in table.select(taken).collect_batches(chunk_size=ROWS_AT_ONCE):
        n_text = int(frame["text"].str.len_bytes().sum())
        for part in frame.iter_slices(max(frame.height * size // max(n_text, 1), 1)):
            series = dict(zip(columns, part, strict=True))
            numbers = pl.int_range(row, row + part.height, eager=True)
            yield Rows(series, numbers, partial(place, name, "row", numbers))
            count((row - 1 + part.height) * n_bytes // n_rows - (row - 1) * n_bytes // n_rows)
            row += part.height


def _taken(role: str, column: str, dtype: pl.DataType, name: str) -> pl.Expr:
    """Take a column by its role, as strings but for dates and times."""
    fits, expected = {
        "text": (_is_text, "text"),
        "id": (_is_name, "text or numbers"),
        "time": (_is_time, "dates, times or years"),
    }[role]
    if not fits(dtype):
        raise InputError(f"{name}: column {column!r} holds {dtype} values, expected {expected}")
    as_it_is = role == "time" and dtype.is_temporal()
    return pl.col(column).cast(dtype if as_it_is else pl.String).alias(role)


def _is_text(dtype: pl.DataType) -> bool:
    """Tell whether a column holds text, or nothing at all."""
    return isinstance(dtype, pl.String | pl.Categorical | pl.Enum | pl.Null)


def _is_name(dtype: pl.DataType) -> bool:
    """Tell whether a column can name documents."""
    return _is_text(dtype) or dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean


def _is_time(dtype: pl.DataType) -> bool:
    """Tell whether a column may hold times."""
    return _is_text(dtype) or dtype.is_numeric() or isinstance(dtype, pl.Date | pl.Datetime)
