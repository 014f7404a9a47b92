"""Ways to damage a stored array or table: values, order, types, lengths, columns, and the file itself."""

import io
import random
from typing import Any

import numpy as np
import polars as pl
from damage import other_columns, other_heights, other_lengths, other_types
from numpy.typing import NDArray

from torture.extremes import FLOATS, INTEGERS, TEXTS
from torture.mutations import mutated

Array = NDArray[Any]
Damaged = tuple[str, bytes]  # what was done, and the file

# --------------------------------------------------------------------------------------------------- arrays


def damaged_array(array: Array, chance: random.Random) -> Damaged:
    """An array's file with damage of a random kind, and what was done to it."""
    groups = [_values, _values, _values, _order, _type_or_length, _type_or_length, _file]
    return chance.choice(groups)(array, chance)


def npy(array: Array, *, allow_pickle: bool = False) -> bytes:
    """The file of an array."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def _values(array: Array, chance: random.Random) -> Damaged:
    array = array.copy()
    if array.size == 0:
        return "a value where there were none", npy(np.array([_extreme(array, chance)]).astype(array.dtype))
    cell = chance.randrange(len(array))
    where, places = chance.choice(
        [
            ("all values", slice(None)),
            (f"value {cell}", slice(cell, cell + 1)),
            ("the first value", slice(0, 1)),
            ("the last value", slice(len(array) - 1, None)),
            ("half of the values", slice(None, None, 2)),
        ]
    )
    if array.dtype.kind in "iuf" and chance.random() < 0.2:
        step = chance.choice((-1, 1))
        array[places] = array[places] + _wrapped(step, array.dtype)
        return f"{where} {step:+}", npy(array)
    if chance.random() < 0.1:
        some = chance.randbytes(array[places].nbytes)
        array[places] = np.frombuffer(some, array.dtype).reshape(array[places].shape)
        return f"{where} random", npy(array)
    value = _extreme(array, chance)
    array[places] = _wrapped(value, array.dtype)
    return f"{where} = {value}", npy(array)


def _extreme(array: Array, chance: random.Random) -> Any:
    if array.dtype.kind == "f":
        limits = np.finfo(array.dtype)
        return chance.choice((*FLOATS, float(limits.max), float(limits.tiny), float(len(array))))
    if array.dtype.kind not in "iu":
        return 1
    limit = np.iinfo(array.dtype)
    around = [int(array.max()) + 1, int(array.min()) - 1, int(array.max()) * 2] if array.size else []
    return chance.choice((*INTEGERS, int(limit.min), int(limit.max), len(array), len(array) + 1, *around))


def _wrapped(value: Any, dtype: np.dtype[Any]) -> Array:
    """A number as a type can hold it: whole numbers wrap around."""
    if dtype.kind in "iu" and isinstance(value, int):
        value = value % 2 ** (8 * dtype.itemsize)
        return np.array(value, f"u{dtype.itemsize}").astype(dtype)
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)


def _order(array: Array, chance: random.Random) -> Damaged:
    n = len(array)
    at = chance.randrange(max(n - 1, 1))
    swapped = np.arange(n)
    swapped[at : at + 2] = swapped[at : at + 2][::-1]
    orders: dict[str, Any] = {
        "reversed": np.arange(n)[::-1],
        "shuffled": np.array(chance.sample(range(n), n), np.int64),
        "two neighbours swapped": swapped,
        "sorted": np.argsort(array),
        "rotated": np.roll(np.arange(n), -1),
    }
    what = chance.choice(list(orders))
    return what, npy(array[orders[what]])


def _type_or_length(array: Array, chance: random.Random) -> Damaged:
    what, changed = chance.choice([*other_types(array), *other_lengths(array)])
    return what, npy(changed, allow_pickle=True)


def _file(array: Array, chance: random.Random) -> Damaged:
    whole, n = npy(array), len(array)
    kind = np.lib.format.dtype_to_descr(array.dtype)
    shapes = [(10**12,), (2**63 - 1,), (2**70,), (2**32, 2**32), (-1,), (True,), (n + 1,), (max(n - 1, 0),)]
    headers: list[dict[str, Any]] = [
        *({"shape": shape} for shape in shapes),
        *({"descr": descr} for descr in ("x9", "|O", [("a", kind)])),
        {"fortran_order": True},
    ]
    odd = [whole[:6] + b"\x09\x00" + whole[8:], whole[:8] + b"\xff\xff" + whole[10:], b"\x80\x04N."]
    odd += [_with_header("(" * 9000 + ")" * 9000, b""), b"PK\x03\x04" + bytes(26), b"PAR1" + whole]
    way = chance.randrange(3)
    if way == 0:
        change = chance.choice(headers)
        header = {"descr": kind, "fortran_order": False, "shape": array.shape, **change}
        return f"header: {change}", _with_header(repr(header), whole[-array.nbytes :] if n else b"")
    return "another file", chance.choice(odd) if way == 1 else mutated(whole, whole, chance)


def _with_header(header: str, data: bytes) -> bytes:
    text = header.encode("latin-1")
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


# --------------------------------------------------------------------------------------------------- tables

_TYPES: tuple[Any, ...] = (
    *(pl.Int8, pl.Int32, pl.UInt64, pl.Float32, pl.Float64, pl.String, pl.Binary, pl.Boolean, pl.Date),
    *(pl.Categorical, pl.Datetime("ns"), pl.Duration("ms"), pl.Time, pl.Null, pl.List(pl.String)),
    pl.Struct({"a": pl.Int64}),
)


def damaged_table(table: pl.DataFrame, chance: random.Random) -> Damaged:
    """A table's file with damage of a random kind, and what was done to it."""
    if not table.width or not table.height:
        return "a column too many", parquet(table.with_columns(more=pl.lit(1)))
    groups = [_cells, _cells, _column_type, _columns_or_rows, _columns_or_rows, _table_file]
    return chance.choice(groups)(table, chance)


def parquet(table: pl.DataFrame, **options: Any) -> bytes:
    """The file of a table."""
    file = io.BytesIO()
    table.write_parquet(file, **options)
    return file.getvalue()


def _cells(table: pl.DataFrame, chance: random.Random) -> Damaged:
    name = chance.choice(table.columns)
    column = table[name]
    values = column.to_list() if chance.random() < 0.2 else [*_extremes(column.dtype), None]
    value = chance.choice(values)
    places = chance.choice(("all", "first", "last", "one"))
    at = {"first": 0, "last": table.height - 1}.get(places, chance.randrange(table.height))
    new = [value if places == "all" or row == at else old for row, old in enumerate(column.to_list())]
    changed = table.with_columns(pl.Series(name, new, column.dtype, strict=False))
    return f"{name}: {places} = {str(value)[:20]!r}", parquet(changed)


def _extremes(dtype: Any) -> tuple[Any, ...]:
    if dtype == pl.String:
        return TEXTS
    if dtype.is_integer():
        return INTEGERS
    return FLOATS if dtype.is_float() else (None,)


def _column_type(table: pl.DataFrame, chance: random.Random) -> Damaged:
    name, dtype = chance.choice(table.columns), chance.choice(_TYPES)
    try:
        column = table[name].cast(dtype, strict=False)
    except pl.exceptions.PolarsError:
        column = pl.Series(name, [None] * table.height, dtype)
    return f"{name} as {dtype}", parquet(table.with_columns(column))


def _columns_or_rows(table: pl.DataFrame, chance: random.Random) -> Damaged:
    order = chance.sample(range(table.height), table.height)
    wide = table.with_columns(pl.lit(0).alias(f"c{i}") for i in range(1000))
    first = table.columns[0]
    changes = [
        *(*other_columns(table), *other_heights(table), ("a thousand columns", wide)),
        *((f"{first} is called {name!r}", table.rename({first: name})) for name in ("", "__index__")),
        ("all rows twice", pl.concat([table, table])),
        ("rows reversed", table.reverse()),
        ("rows shuffled", table[order]),
        ("first row everywhere", pl.concat([table[:1]] * table.height)),
    ]
    what, changed = chance.choice(changes)
    return what, parquet(changed)


def _table_file(table: pl.DataFrame, chance: random.Random) -> Damaged:
    whole = parquet(table)
    odd = [whole[:-8] + b"\xff\xff\xff\xff" + whole[-4:], b"\x93NUMPY\x01\x00" + bytes(120), b"a,b\n1,2\n"]
    odd += [b"PAR1", b"PAR1PAR1", parquet(table, row_group_size=1)]
    odd += [parquet(table, compression=codec) for codec in ("gzip", "snappy", "lz4")]
    return "another file", chance.choice([*odd, *(mutated(whole, whole, chance) for _ in range(6))])
