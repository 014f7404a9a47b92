"""Operations on eight lanes: compiled or not they do the same, bit by bit, and what their names say."""

import ctypes
import importlib.util
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import config
from numpy.typing import NDArray

from topminer.jit import bare_kernel, lanes
from topminer.jit.lanes import (
    WIDTH,
    aligned,
    at_most,
    before,
    bits_of,
    both,
    but_not,
    chosen,
    differ,
    equal,
    every,
    first,
    first_above,
    floats,
    gather,
    lane,
    lane_of,
    last,
    load,
    load_counts,
    lowest_bit,
    number_of,
    only,
    padded,
    prefetch,
    prefix_sum,
    replaced,
    seldom,
    store,
)

pytestmark = pytest.mark.small


def _without_jit() -> ModuleType:
    """The operations as they are when the JIT is off."""
    spec = importlib.util.spec_from_file_location("plain_lanes", lanes.__file__)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    was, config.DISABLE_JIT = config.DISABLE_JIT, 1
    try:
        spec.loader.exec_module(module)
    finally:
        config.DISABLE_JIT = was
    return module


plain = _without_jit()

finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
magnitudes = st.sampled_from([0.0, 1.0, 2.0**-149, 2.0**-126, 1e-30, 0.1, 2.0**24, 3e38])
signed = (
    finite | magnitudes.map(lambda x: float(np.float32(-x))) | magnitudes.map(lambda x: float(np.float32(x)))
)
non_negative = signed.map(abs)
counts = st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3)
indices = st.integers(0, 5)


def array(values: st.SearchStrategy[Any], dtype: Any, size: int = WIDTH) -> st.SearchStrategy[NDArray[Any]]:
    return st.lists(values, min_size=size, max_size=size).map(lambda drawn: np.array(drawn, dtype))


def same(one: NDArray[Any], other: NDArray[Any]) -> None:
    """Every bit, the sign of a zero too."""
    one, other = np.asarray(one), np.asarray(other)
    assert one.dtype == other.dtype and one.tobytes() == other.tobytes(), (one, other)


# ------------------------------------------------------------------------------------ in and out


@bare_kernel
def load_and_store(source: Any, index: int, as_floats: Any, as_counts: Any, back: Any) -> None:
    prefetch(source, index)
    store(as_floats, index, load(source, index))
    store(as_counts, index, load_counts(source, index))
    store(back, index, load_counts(source, index))


@given(st.sampled_from([np.uint16, np.int32]), st.data())
def test_integers_come_and_go(dtype: type[np.integer], data: st.DataObject) -> None:
    """At any index; uint16 counts have no sign."""
    limits = np.iinfo(dtype)
    values = st.integers(int(limits.min), int(limits.max)) | st.sampled_from([0, int(limits.max)])
    source, index = data.draw(array(values, dtype, 13)), data.draw(indices)
    as_floats, as_counts = np.full(13, -7, np.float32), np.full(13, -7, np.int32)
    back = np.full(13, 7, dtype)
    load_and_store(source, index, as_floats, as_counts, back)
    inside = slice(index, index + WIDTH)
    for found, before_it in ((as_floats, -7), (as_counts, -7), (back, 7)):
        same(found[inside], source[inside].astype(found.dtype))
        assert (np.delete(found, np.arange(13)[inside]) == before_it).all()
    same(plain.load(source, index), as_floats[inside])
    same(plain.load_counts(source, index), as_counts[inside])


@bare_kernel
def copy_floats(source: Any, index: int, out: Any) -> None:
    store(out, index, load(source, index))


@given(array(signed, np.float32, 13), indices)
def test_floats_come_and_go(source: NDArray[np.float32], index: int) -> None:
    out = np.zeros(13, np.float32)
    copy_floats(source, index, out)
    same(out[index : index + WIDTH], source[index : index + WIDTH])
    same(plain.load(source, index), source[index : index + WIDTH])


# ------------------------------------------------------------------------------------ arithmetic


@bare_kernel
def of_floats(a: Any, b: Any, value: float, out: Any) -> None:
    one, other = load(a, 0), load(b, 0)
    store(out, 0, one + other)
    store(out, 8, one - other)
    store(out, 16, one * other)
    store(out, 24, one / other)
    store(out, 32, prefix_sum(one))
    store(out, 40, before(one))
    store(out, 48, last(one))
    store(out, 56, every(value))
    store(out, 64, every(first(one)))
    store(out, 72, one * other + one)


@given(array(signed, np.float32), array(signed, np.float32), signed)
def test_floats(a: NDArray[np.float32], b: NDArray[np.float32], value: float) -> None:
    """Nothing is fused, reordered or flushed to zero; overflow is infinite."""
    b = np.where(b == 0, np.float32(1), b)
    out = np.zeros(80, np.float32)
    with np.errstate(all="ignore"):
        of_floats(a, b, np.float32(value), out)
        product = a * b
        expected = [
            a + b, a - b, a * b, a / b, plain.prefix_sum(a), plain.before(a), plain.last(a),
            plain.every(value), plain.every(plain.first(a)), product + a,
        ]  # fmt: skip
    for i, wanted in enumerate(expected):
        found = out[8 * i : 8 * i + 8]
        same(
            np.where(np.isnan(found), np.float32(0), found), np.where(np.isnan(wanted), np.float32(0), wanted)
        )
        assert (np.isnan(found) == np.isnan(wanted)).all()
    same(plain.before(a), np.concatenate(([np.float32(0)], a[:-1])))
    same(plain.last(a), np.repeat(a[-1:], WIDTH))
    same(plain.every(value), np.repeat(np.float32(value), WIDTH))


@given(array(non_negative, np.float32))
def test_prefix_sums_never_fall(lanes: NDArray[np.float32]) -> None:
    """Nor do they rise where a lane is zero: a draw cannot fall into it."""
    out = np.zeros(80, np.float32)
    with np.errstate(all="ignore"):
        of_floats(lanes, np.ones(WIDTH, np.float32), np.float32(0), out)
    sums = out[32:40]
    assert (sums[1:] >= sums[:-1]).all()
    assert (sums[1:][lanes[1:] == 0] == sums[:-1][lanes[1:] == 0]).all()
    exact = np.cumsum(lanes.astype(np.float64))
    finite = exact < 3e38
    np.testing.assert_allclose(sums[finite], exact[finite], rtol=4 * 2.0**-24, atol=2.0**-149)


@bare_kernel
def of_counts(a: Any, b: Any, value: int, out: Any, as_floats: Any) -> bool:
    one, other = load_counts(a, 0), load_counts(b, 0)
    store(out, 0, one + other)
    store(out, 8, one - other)
    store(out, 16, only(equal(one, value), 1))
    store(as_floats, 0, floats(one))
    return differ(one, other)


@given(array(counts, np.int32), array(counts, np.int32), counts, st.booleans())
def test_counts(a: NDArray[np.int32], b: NDArray[np.int32], value: int, alike: bool) -> None:
    b = a.copy() if alike else b
    out, as_floats = np.zeros(24, np.int32), np.zeros(8, np.float32)
    assert bool(of_counts(a, b, value, out, as_floats)) == (a.tolist() != b.tolist())
    same(out[:8], (a.astype(np.int64) + b).astype(np.int32))
    same(out[8:16], (a.astype(np.int64) - b).astype(np.int32))
    assert out[16:].tolist() == [int(count == value) for count in a.tolist()]
    same(as_floats, a.astype(np.float32))
    assert plain.differ(a, b) == (a.tolist() != b.tolist())
    assert plain.equal(a, value).tolist() == [count == value for count in a.tolist()]
    same(plain.floats(a), as_floats)


# --------------------------------------------------------------------------------------- truths


@bare_kernel
def of_truths(a: Any, b: Any, number: int, value: int, out: Any) -> None:
    one, other = equal(load_counts(a, 0), 1), equal(load_counts(b, 0), 1)
    store(out, 0, only(lane(number), value))
    store(out, 8, only(one, value))
    store(out, 16, only(both(one, other), 1))
    store(out, 24, only(but_not(one, other), 1))
    out[32] = number_of(one)
    out[33] = number_of(lane(number))
    out[34] = bits_of(one, other)
    out[35] = lowest_bit(bits_of(one, other))
    out[36] = 1 if seldom(number > 3) else 0


@given(array(st.integers(0, 1), np.int32), array(st.integers(0, 1), np.int32), st.integers(-9, 20), counts)
def test_truths(a: NDArray[np.int32], b: NDArray[np.int32], number: int, value: int) -> None:
    out = np.zeros(37, np.int32)
    of_truths(a, b, number, value, out)
    one, other = a == 1, b == 1
    assert out[:8].tolist() == [value if i == number else 0 for i in range(8)]
    assert out[8:16].tolist() == [value if i else 0 for i in a.tolist()]
    assert out[16:24].tolist() == (a & b).tolist()
    assert out[24:32].tolist() == (a & ~b).tolist()
    found = [a.tolist().index(1) if 1 in a.tolist() else None, number if 0 <= number < WIDTH else None]
    for i, lane_number in enumerate(found):
        assert out[32 + i] == lane_number if lane_number is not None else out[32 + i] >= WIDTH
    same(plain.only(plain.lane(number), value), out[:8])
    same(plain.only(plain.both(one, other), 1), out[16:24])
    same(plain.only(plain.but_not(one, other), 1), out[24:32])
    assert plain.number_of(one) == out[32] and plain.number_of(plain.lane(number)) == out[33]
    assert plain.seldom(number > 3) == out[36] == (number > 3)
    assert plain.bits_of(one, other) == out[34]
    assert out[34] == sum(2**i for i in range(16) if [*one, *other][i])
    assert plain.lowest_bit(int(out[34])) == out[35] == next((i for i in range(16) if [*one, *other][i]), 64)


@bare_kernel
def of_bounds(a: Any, b: Any, out: Any) -> None:
    store(out, 0, only(at_most(load(a, 0), load(b, 0)), 1))
    store(out, 8, only(first_above(load(a, 0), load(b, 0)), 1))


@given(array(signed, np.float32), array(signed, np.float32), st.data())
def test_bounds(a: NDArray[np.float32], b: NDArray[np.float32], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, 8))
    b[place:] = a[:1] if place == 8 else a[place]  # some are equal
    out = np.zeros(16, np.int32)
    of_bounds(a, b, out)
    assert out[:8].tolist() == [int(x <= y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    same(plain.only(plain.at_most(a, b), 1), out[:8])
    same(plain.only(plain.first_above(a, b), 1), out[8:])


@given(array(non_negative, np.float32), non_negative)
def test_first_above(lanes: NDArray[np.float32], bound: float) -> None:
    """Among sums that never fall: the first one above the bound, if there is one."""
    sums, out = np.sort(lanes), np.zeros(16, np.int32)
    of_bounds(sums, np.full(8, bound, np.float32), out)
    above = [i for i, value in enumerate(sums.tolist()) if value > np.float32(bound)]
    assert np.flatnonzero(out[8:]).tolist() == above[:1]


@bare_kernel
def where_floats(a: Any, b: Any, where: Any, value: Any, of_value: Any, of_two: Any) -> None:
    one = equal(load_counts(where, 0), 1)
    store(of_value, 0, replaced(load(a, 0), one, value))
    store(of_two, 0, chosen(one, load(a, 0), load(b, 0)))


@given(array(signed, np.float32), array(signed, np.float32), array(st.integers(0, 1), np.int32), signed)
def test_replaced_and_chosen(
    a: NDArray[np.float32], b: NDArray[np.float32], where: NDArray[np.int32], value: float
) -> None:
    of_value, of_two = np.zeros(8, np.float32), np.zeros(8, np.float32)
    where_floats(a, b, where, np.float32(value), of_value, of_two)
    same(of_value, np.array([value if w else x for x, w in zip(a, where, strict=True)], np.float32))
    same(of_two, np.array([x if w else y for x, y, w in zip(a, b, where, strict=True)], np.float32))
    same(plain.replaced(a, where == 1, value), of_value)
    same(plain.chosen(where == 1, a, b), of_two)


# --------------------------------------------------------------------------------------- memory


@bare_kernel
def gathered(source: Any, start: int, places: Any, out: Any) -> None:
    store(out, 0, gather(source, start, load_counts(places, 0)))


@given(st.lists(signed, min_size=1, max_size=40), st.data())
def test_gather(values: list[float], data: st.DataObject) -> None:
    source, out = np.array(values, np.float32), np.zeros(8, np.float32)
    start = data.draw(st.integers(0, source.size - 1))
    places = data.draw(array(st.integers(0, source.size - 1 - start), np.int32))
    gathered(source, start, places, out)
    same(out, source[start + places])
    same(plain.gather(source, start, places), source[start + places])


@pytest.mark.skipif(np.intp(0).itemsize < 8, reason="a machine of 32 bits has no such array")
@pytest.mark.parametrize("start", [2**31 - 4, 2**32 - 4, 2**32, 2**33 + 1])
def test_gather_far_into_a_table(start: int) -> None:
    """Guards against places cut to 32 bits: a long document's table has more elements than that.

    Only the elements from ``start`` on are in memory, and no others are touched.
    """
    memory, out = np.arange(16, dtype=np.float32), np.zeros(8, np.float32)
    begin = ctypes.c_float.from_address(memory.ctypes.data - 4 * start)
    table = np.lib.stride_tricks.as_strided(np.frombuffer(begin, np.float32), (start + 16,), (4,))
    places = np.array([3, 0, 15, 7, 8, 1, 2, 14], np.int32)
    gathered(table, start, places, out)
    same(out, memory[places])
    same(plain.gather(table, start, places), memory[places])


@bare_kernel
def picked(source: Any, index: int) -> float:
    return lane_of(load(source, 0), index)


@given(st.lists(signed, min_size=8, max_size=8), st.integers(0, 7))
def test_lane_of(values: list[float], index: int) -> None:
    source = np.array(values, np.float32)
    assert picked(source, index) == source[index] == plain.lane_of(source, index)


@given(st.integers(0, 1000), st.sampled_from([np.uint16, np.int32, np.float32, np.int64]))
def test_aligned(n: int, dtype: type[np.generic]) -> None:
    array = aligned(n, dtype)
    assert array.dtype == dtype and array.shape == (n,) and not array.any()
    assert n == 0 or array.ctypes.data % 64 == 0


@given(st.integers(0, 10**9))
def test_padded(n: int) -> None:
    assert padded(n) % WIDTH == 0 and n <= padded(n) < n + WIDTH
    assert padded(np.array([n]))[0] == padded(n)


@bare_kernel
def worked(alpha: Any, counts: Any, share: Any, u: Any, row: Any) -> int:
    weights = (load(alpha, 0) + load(counts, 0)) * load(share, 0)
    below = prefix_sum(weights)
    drawn = first_above(below, every(u) * last(below))
    store(row, 0, load_counts(row, 0) + only(drawn, 1))
    return number_of(drawn)


@pytest.mark.parametrize(("u", "drawn"), [(0.0, 0), (0.124, 0), (0.125, 2), (0.49, 2), (0.5, 7), (0.999, 7)])
def test_worked_example(u: float, drawn: int) -> None:
    """The example of the module: weights 1 0 3 0 0 0 0 4."""
    alpha, share = np.full(8, 0.5, np.float32), np.array([2, 0, 2, 0, 0, 0, 0, 1], np.float32)
    counts, row = np.array([0, 9, 1, 9, 0, 0, 0, 3.5]).astype(np.int32), np.full(8, 5, np.int32)
    share[7] = 4 / 3.5
    assert worked(alpha, counts, share, np.float32(u), row) == drawn
    assert row.tolist() == [6 if i == drawn else 5 for i in range(8)]
