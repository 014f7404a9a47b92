"""Parquet files to rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import TypeVar

import polars as pl

from topminer.errors import InputError
from topminer.text.reading.columns import Choose, Rows, place, slice_bounds
from topminer.text.reading.parquet_sizes import MAGIC, TooLong, check_metadata, row_runs
from topminer.text.reading.source import Unit, printable
from topminer.text.reading.stream import compression_of, too_long, unreadable

T = TypeVar("T")

SAMPLE_ROWS = 1000
UNIT_BYTES = 8 << 20  # larger files are split into units of about this size
BYTES_AT_ONCE = 32 << 20  # row groups are decoded together as long as they take no more
MAX_BYTES_AT_ONCE = 1 << 30  # the most that one page and one dictionary may take


def parquet_rows(
    path: Path, unit: Unit, size: int, choose: Choose, count: Callable[[int], object]
) -> Iterator[Rows]:
    """Read rows in batches of about ``size`` bytes of text; report the file's bytes to ``count``."""
    with _explained(unit.name):
        if path.stat().st_size > 0:
            check_metadata(path)
            yield from _rows(path, unit, size, choose, count)


def parquet_tables(
    path: Path, name: str, choose: Callable[[list[str]], Sequence[str]]
) -> Iterator[pl.DataFrame]:
    """Read the columns that ``choose`` selects from the names of all columns, with their own types."""
    with _explained(name):
        check_metadata(path)
        table = _table(path)
        columns = choose(table.collect_schema().names())
        for start, stop in _runs(path, name, columns, (0, _n_rows(table))):
            yield _decoded(table.select(columns), start, stop)


def split(unit: Unit) -> list[Unit]:
    """Split a large file into runs of rows."""
    n_bytes = unit.n_bytes or 0
    if not isinstance(unit.file, Path) or compression_of(unit.name) or n_bytes <= UNIT_BYTES:
        return [unit]
    try:
        check_metadata(unit.file)
        n_rows = _n_rows(_table(unit.file))
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return [unit]  # reading it will raise the error
    n_units = min(-(-n_bytes // UNIT_BYTES), n_rows)
    if n_units < 2:
        return [unit]
    bounds = pairwise(i * n_rows // n_units for i in range(n_units + 1))
    return [
        unit._replace(rows=(start, stop), n_bytes=stop * n_bytes // n_rows - start * n_bytes // n_rows)
        for start, stop in bounds
    ]


def merged(units: Iterable[Unit]) -> list[Unit]:
    """Merge adjacent runs of rows of one file: reading them in one go is faster."""
    units_so_far: list[Unit] = []
    for unit in units:
        before = units_so_far[-1] if units_so_far else None
        if before and before.rows and unit.rows and (before.id, before.rows[1]) == (unit.id, unit.rows[0]):
            n_bytes = (before.n_bytes or 0) + (unit.n_bytes or 0)
            units_so_far[-1] = unit._replace(rows=(before.rows[0], unit.rows[1]), n_bytes=n_bytes)
        else:
            units_so_far.append(unit)
    return units_so_far


def can_be_read_in_place(unit: Unit) -> bool:
    """Return whether Polars can read the file without a temporary copy."""
    is_regular = isinstance(unit.file, Path) and unit.n_bytes is not None
    return is_regular and not compression_of(unit.name) and printable(str(unit.file)) == str(unit.file)


def spooled(pieces: Iterator[bytes], name: str, read: Callable[[Path], Iterator[T]]) -> Iterator[T]:
    """Read from a temporary copy: a Parquet file is read from its end, which a stream does not allow."""
    head = b""
    while len(head) < len(MAGIC) and (piece := next(pieces, b"")):
        head += piece
    if head and not head.startswith(MAGIC):
        raise _damaged(name, "it does not begin with PAR1")
    with tempfile.TemporaryDirectory(prefix="topminer-") as folder:
        path = Path(folder) / "copy.parquet"
        try:
            with path.open("wb") as file:
                file.writelines(chain([head], pieces))
        except OSError as error:
            raise InputError(f"{name}: no temporary copy could be made ({error.strerror})") from None
        yield from read(path)


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Turn the errors of a damaged or unreadable file into an InputError that names the file."""
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise unreadable(name, error) from None
    except TooLong as error:
        raise too_long(f"{name}, {error}", "a value") from None
    except pl.exceptions.PanicException:
        raise _damaged(name, "a page that cannot be decoded") from None
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise _damaged(name, str(error)) from None


def _damaged(name: str, why: str) -> InputError:
    return InputError(f"{name} is not a Parquet file, or is damaged ({' '.join(why.split())})")


def _table(path: Path) -> pl.LazyFrame:
    # The path is absolute, since Polars takes "file:a.parquet" for a URL.
    return pl.scan_parquet(path.absolute(), glob=False, hive_partitioning=False)


def _n_rows(table: pl.LazyFrame) -> int:
    return int(table.select(pl.len()).collect().item())


def _rows(
    path: Path, unit: Unit, size: int, choose: Choose, count: Callable[[int], object]
) -> Iterator[Rows]:
    """Read rows; raise the errors of Polars, or ValueError, if the file is damaged."""
    name, table = unit.name, _table(path)
    schema = table.collect_schema()
    strings = [column for column, dtype in schema.items() if _is_text(dtype)]
    further = {column: value for column, value in unit.partition.items() if column not in schema}

    def sample() -> Sequence[pl.Series]:
        for _ in _runs(path, name, strings, (0, SAMPLE_ROWS)):
            pass  # only to check their sizes
        return table.select(pl.col(strings).cast(pl.String)).head(SAMPLE_ROWS).collect().get_columns()

    names = [*schema, *further]
    columns = choose(names, sample).by_role()
    schema.update((column, pl.String()) for column in further)
    taken = [_taken(role, column, schema[column], name) for role, column in columns.items()]
    table = table.with_columns(pl.lit(value, pl.String).alias(column) for column, value in further.items())
    n_rows, n_bytes = _n_rows(table), path.stat().st_size
    stored = sorted({column for column in columns.values() if column not in further})
    for start, stop in _runs(path, name, stored, unit.rows or (0, n_rows)):
        frame, row = _decoded(table.select(taken), start, stop), start + 1
        for part in (frame[first:last] for first, last in slice_bounds(frame["text"], size)):
            series = dict(zip(columns, part, strict=True))
            numbers = pl.int_range(row, row + part.height, eager=True)
            yield Rows(series, numbers, partial(place, name, "row", numbers))
            count((row - 1 + part.height) * n_bytes // n_rows - (row - 1) * n_bytes // n_rows)
            row += part.height


def _runs(path: Path, name: str, columns: Sequence[str], rows: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Split rows into runs that are decoded at once: as many row groups as are small enough together."""
    first, last = rows
    start = stop = first
    n_bytes = 0
    for run in row_runs(path, columns, rows):
        if run.n_bytes > MAX_BYTES_AT_ONCE:
            limit = f"{MAX_BYTES_AT_ONCE >> 20:,} MiB"
            raise InputError(
                f"{name}: rows {run.start + 1:,} to {run.stop:,} are stored together and take more "
                f"than {limit}, the most that can be read at once; write the file with smaller pages"
            )
        if n_bytes and n_bytes + run.n_bytes > BYTES_AT_ONCE and stop > start:
            yield start, stop
            start, n_bytes = stop, 0
        stop, n_bytes = max(min(run.stop, last), first), n_bytes + run.n_bytes
    if start < stop:
        yield start, stop


def _decoded(table: pl.LazyFrame, start: int, stop: int) -> pl.DataFrame:
    frame = table.slice(start, stop - start).collect()
    if frame.height != stop - start:
        raise ValueError(f"{frame.height} rows where its metadata have {stop - start}")
    return frame


def _taken(role: str, column: str, dtype: pl.DataType, name: str) -> pl.Expr:
    """Return the expression that reads a column for a role: as strings, except for dates and times."""
    is_number = dtype.is_numeric()
    fits, expected = {
        "text": (False, "text"),
        "id": (is_number or dtype.is_temporal() or dtype == pl.Boolean, "text or numbers"),
        "time": (is_number or isinstance(dtype, pl.Date | pl.Datetime), "dates, times or years"),
    }[role]
    if not (fits or _is_text(dtype)):
        raise InputError(f"{name}: column {column!r} holds {dtype} values, expected {expected}")
    is_time = role == "time" and dtype.is_temporal()
    return pl.col(column).cast(dtype if is_time else pl.String).alias(role)


def _is_text(dtype: pl.DataType) -> bool:
    """Return whether a column holds text, or only nulls."""
    return isinstance(dtype, pl.String | pl.Categorical | pl.Enum | pl.Null)
