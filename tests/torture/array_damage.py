"""Ways to damage a stored array: values, order, types, lengths and dimensions, and the file itself."""

import io
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_INTEGERS = (
    -1,
    0,
    1,
    2,
    3,
    4,
    5,
    40,
    150,
    255,
    32767,
    65535,
    65536,
    10**8,
    2**31 - 1,
    -(2**31),
    2**32,
    2**53,
)
_FLOATS = (
    float("nan"),
    float("inf"),
    float("-inf"),
    -1.0,
    -0.0,
    0.0,
    1e-300,
    5e-324,
    1e30,
    1e300,
    -1e300,
    65535.5,
)
_TYPES = (
    *(
        "<f2",
        "<f4",
        "<f8",
        "<c8",
        "<c16",
        ">i4",
        ">i8",
        ">f8",
        ">u2",
        "<i2",
        "<i4",
        "<i8",
        "<u2",
        "<u4",
        "<u8",
        "i1",
    ),
    *("u1", "?", "U3", "S4", "M8[s]", "m8[D]", "V4", "V0", "U0"),
)


def damaged_array(array: Array, chance: random.Random) -> tuple[str, bytes]:
    """An array's file with damage of a random kind, and what was done to it."""
    groups: list[Callable[[Array, random.Random], tuple[str, bytes]]]
    groups = [_values, _values, _values, _order, _type, _shape, _file]
    return chance.choice(groups)(array, chance)


def npy(array: Array, *, allow_pickle: bool = False) -> bytes:
    """The file of an array."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def _values(array: Array, chance: random.Random) -> tuple[str, bytes]:
    array = array.copy()
    if array.size == 0:
        return "a value where there were none", npy(np.array([_extreme(array, chance)]).astype(array.dtype))
    where, places = _places(array, chance)
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


def _places(array: Array, chance: random.Random) -> tuple[str, Any]:
    cell = chance.randrange(len(array))
    return chance.choice(
        [
            ("all values", slice(None)),
            (f"value {cell}", slice(cell, cell + 1)),
            ("the first value", slice(0, 1)),
            ("the last value", slice(len(array) - 1, None)),
            ("half of the values", slice(None, None, 2)),
        ]
    )


def _extreme(array: Array, chance: random.Random) -> Any:
    if array.dtype.kind == "f":
        limits = np.finfo(array.dtype)
        return chance.choice((*_FLOATS, float(limits.max), float(limits.tiny), float(len(array))))
    if array.dtype.kind not in "iu":
        return 1
    limit = np.iinfo(array.dtype)
    around = [int(array.max()) + 1, int(array.min()) - 1, int(array.max()) * 2] if array.size else []
    return chance.choice((*_INTEGERS, int(limit.min), int(limit.max), len(array), len(array) + 1, *around))


def _wrapped(value: Any, dtype: np.dtype[Any]) -> Array:
    """A number as a type can hold it: whole numbers wrap around."""
    if dtype.kind in "iu" and isinstance(value, int):
        bits = 8 * dtype.itemsize
        value = value % 2**bits
        if dtype.kind == "i" and value >= 2 ** (bits - 1):
            value -= 2**bits
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)


def _order(array: Array, chance: random.Random) -> tuple[str, bytes]:
    order = list(range(len(array)))
    what = chance.choice(("reversed", "shuffled", "two neighbours swapped", "sorted", "rotated"))
    if what == "reversed":
        order.reverse()
    elif what == "shuffled":
        chance.shuffle(order)
    elif what == "rotated":
        order = order[1:] + order[:1]
    elif what == "two neighbours swapped" and len(order) > 1:
        at = chance.randrange(len(order) - 1)
        order[at], order[at + 1] = order[at + 1], order[at]
    return what, npy(np.sort(array) if what == "sorted" else array[np.array(order, np.int64)])


def _type(array: Array, chance: random.Random) -> tuple[str, bytes]:
    kind = chance.choice((*_TYPES, "object", "structured"))
    if kind == "object":
        return "type object", npy(np.array([*array.tolist(), None], object), allow_pickle=True)
    if kind == "structured":
        return "type structured", npy(array.astype([("a", "<i4"), ("b", "<f8")]))
    if kind in ("V4", "V0", "U0"):
        return f"type {kind}", npy(np.zeros(len(array), kind))
    with np.errstate(all="ignore"):
        return f"type {kind}", npy(array.astype(kind))


def _shape(array: Array, chance: random.Random) -> tuple[str, bytes]:
    shapes: list[tuple[str, Callable[[], Array]]] = [
        ("no dimension", lambda: np.array(array[0] if array.size else 0, array.dtype)),
        ("one row", lambda: array[None]),
        ("one column", lambda: array[:, None]),
        ("three dimensions", lambda: array[None, None]),
        ("many dimensions", lambda: array[(None,) * 31]),
        ("empty", lambda: array[:0]),
        ("empty, two dimensions", lambda: np.zeros((0, 4), array.dtype)),
        ("one more", lambda: np.append(array, array[-1:] if array.size else np.zeros(1, array.dtype))),
        ("one more, 0", lambda: np.append(array, np.zeros(1, array.dtype))),
        ("one less", lambda: array[:-1]),
        ("first one missing", lambda: array[1:]),
        ("half", lambda: array[: len(array) // 2]),
        ("twice", lambda: np.concatenate((array, array))),
        ("one value", lambda: array[:1]),
        ("a million more", lambda: np.append(array, np.ones(10**6, array.dtype))),
    ]
    what, make = chance.choice(shapes)
    return what, npy(make())


def _file(array: Array, chance: random.Random) -> tuple[str, bytes]:
    whole = npy(array)
    kind = np.lib.format.dtype_to_descr(array.dtype)
    headers: list[tuple[str, dict[str, Any]]] = [
        ("header: a million million values", {"shape": (10**12,)}),
        ("header: 2**63 - 1 values", {"shape": (2**63 - 1,)}),
        ("header: 2**70 values", {"shape": (2**70,)}),
        ("header: sizes that overflow", {"shape": (2**32, 2**32)}),
        ("header: -1 values", {"shape": (-1,)}),
        ("header: a shape of True", {"shape": (True,)}),
        ("header: no type", {"descr": "x9"}),
        ("header: type object", {"descr": "|O"}),
        ("header: a list as type", {"descr": [("a", kind)]}),
        ("header: Fortran order", {"fortran_order": True}),
        ("header: one more value", {"shape": (len(array) + 1,)}),
        ("header: one value less", {"shape": (max(len(array) - 1, 0),)}),
    ]
    others: list[tuple[str, bytes]] = [
        ("no file content", b""),
        ("half of the file", whole[: len(whole) // 2]),
        ("only the magic string", whole[:6]),
        ("version 9 of the format", whole[:6] + b"\x09\x00" + whole[8:]),
        ("header length 65535", whole[:8] + b"\xff\xff" + whole[10:]),
        ("bytes after the end", whole + b"\0" * 8),
        ("a Parquet file's magic", b"PAR1" + whole),
        ("deep brackets as header", _with_header("(" * 9000 + ")" * 9000, b"")),
        ("random header", _with_header("".join(chance.choices("{}()'\":,0x ", k=118)), b"")),
        ("a pickle", b"\x80\x04N."),
        ("a zip file", b"PK\x03\x04" + bytes(26)),
    ]
    if chance.random() < 0.5:
        what, change = chance.choice(headers)
        header = {"descr": kind, "fortran_order": False, "shape": array.shape, **change}
        return what, _with_header(repr(header), whole[-array.nbytes :] if array.nbytes else b"")
    return chance.choice(others)


def _with_header(header: str, data: bytes) -> bytes:
    text = header.encode("latin-1")
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data
