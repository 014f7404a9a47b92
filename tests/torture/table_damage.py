"""Ways to damage a stored table: its values, its columns and their types, its rows, and the file itself."""

import io
import random
from collections.abc import Callable
from typing import Any

import polars as pl

_TEXTS = (
    "",
    " ",
    "\0",
    "a\nb",
    "\u202egnp.exe",
    "=HYPERLINK(1)",
    "<script>alert(1)</script>",
    "\ufeff",
    "é" * 4000,
)
_INTEGERS = (-1, 0, 1, 65535, 2**31 - 1, -(2**31), 10**8, 2**63 - 1, -(2**63))
_FLOATS = (float("nan"), float("inf"), float("-inf"), -1.0, 0.0, 1e300, 5e-324)
_TYPES: tuple[Any, ...] = (
    *(
        pl.Int8,
        pl.Int32,
        pl.UInt64,
        pl.Float32,
        pl.Float64,
        pl.String,
        pl.Binary,
        pl.Boolean,
        pl.Date,
        pl.Categorical,
    ),
    *(pl.Datetime("ns"), pl.Duration("ms"), pl.Time, pl.Null, pl.List(pl.String), pl.Struct({"a": pl.Int64})),
)


def damaged_table(table: pl.DataFrame, chance: random.Random) -> tuple[str, bytes]:
    """A table's file with damage of a random kind, and what was done to it."""
    groups = [_values, _values, _types, _columns, _rows, _file]
    return chance.choice(groups)(table, chance)


def parquet(table: pl.DataFrame, **options: Any) -> bytes:
    """The file of a table."""
    file = io.BytesIO()
    table.write_parquet(file, **options)
    return file.getvalue()


def _values(table: pl.DataFrame, chance: random.Random) -> tuple[str, bytes]:
    if not table.width or not table.height:
        return _columns(table, chance)
    name = chance.choice(table.columns)
    column = table[name]
    values = column.to_list() if chance.random() < 0.2 else [*_extremes(column.dtype), None]
    value = chance.choice(values)
    places = chance.choice(("all", "first", "last", "one"))
    at = {"first": 0, "last": table.height - 1}.get(places, chance.randrange(table.height))
    new = [value if places == "all" or row == at else old for row, old in enumerate(column.to_list())]
    changed = table.with_columns(pl.Series(name, new, column.dtype, strict=False))
    return f"{name}: {places} = {str(value)[:20]!r}", parquet(changed)


def _extremes(dtype: Any) -> list[Any]:
    if dtype == pl.String:
        return list(_TEXTS)
    if dtype.is_integer():
        return list(_INTEGERS)
    if dtype.is_float():
        return list(_FLOATS)
    return [None]


def _types(table: pl.DataFrame, chance: random.Random) -> tuple[str, bytes]:
    if not table.width:
        return _columns(table, chance)
    name, dtype = chance.choice(table.columns), chance.choice(_TYPES)
    try:
        column = table[name].cast(dtype, strict=False)
    except pl.exceptions.PolarsError:
        column = pl.Series(name, [None] * table.height, dtype)
    return f"{name} as {dtype}", parquet(table.with_columns(column))


def _columns(table: pl.DataFrame, chance: random.Random) -> tuple[str, bytes]:
    first = table.columns[0] if table.width else "none"
    changes: list[tuple[str, Callable[[], pl.DataFrame]]] = [
        ("no columns", lambda: pl.DataFrame()),
        ("first column missing", lambda: table.drop(first, strict=False)),
        ("columns reversed", lambda: table.select(reversed(table.columns))),
        ("another column", lambda: table.with_columns(pl.Series("another", [1] * table.height))),
        ("a column without a name", lambda: table.rename({first: ""}, strict=False)),
        ("a column called __index__", lambda: table.rename({first: "__index__"}, strict=False)),
        ("a thousand columns", lambda: table.with_columns(pl.lit(0).alias(f"c{i}") for i in range(1000))),
    ]
    what, make = chance.choice(changes)
    return what, parquet(make())


def _rows(table: pl.DataFrame, chance: random.Random) -> tuple[str, bytes]:
    order = chance.sample(range(table.height), table.height)
    changes: list[tuple[str, Callable[[], pl.DataFrame]]] = [
        ("no rows", lambda: table[:0]),
        ("one row", lambda: table[:1]),
        ("one row less", lambda: table[:-1]),
        ("first row missing", lambda: table[1:]),
        ("one row more", lambda: pl.concat([table, table[-1:]])),
        ("all rows twice", lambda: pl.concat([table, table])),
        ("rows reversed", lambda: table.reverse()),
        ("rows shuffled", lambda: table[order]),
        ("first row everywhere", lambda: pl.concat([table[:1]] * max(table.height, 1))),
    ]
    what, make = chance.choice(changes)
    return what, parquet(make())


def _file(table: pl.DataFrame, chance: random.Random) -> tuple[str, bytes]:
    whole = parquet(table)
    files: list[tuple[str, Callable[[], bytes]]] = [
        ("no file content", lambda: b""),
        ("only the magic string", lambda: b"PAR1"),
        ("two magic strings", lambda: b"PAR1PAR1"),
        ("half of the file", lambda: whole[: len(whole) // 2]),
        ("last byte missing", lambda: whole[:-1]),
        ("footer length 2**32 - 1", lambda: whole[:-8] + b"\xff\xff\xff\xff" + whole[-4:]),
        ("a byte changed in the footer", lambda: _one_changed(whole, len(whole) - 300, chance)),
        ("a byte changed anywhere", lambda: _one_changed(whole, 4, chance)),
        ("another compression", lambda: parquet(table, compression=chance.choice(("gzip", "snappy", "lz4")))),
        ("row groups of one row", lambda: parquet(table, row_group_size=1)),
        ("an array", lambda: b"\x93NUMPY\x01\x00" + bytes(120)),
        ("a CSV file", lambda: b"a,b\n1,2\n"),
    ]
    what, make = chance.choice(files)
    return what, make()


def _one_changed(whole: bytes, start: int, chance: random.Random) -> bytes:
    at = chance.randrange(max(start, 0), len(whole))
    return whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :]
