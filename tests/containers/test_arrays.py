"""Indices against NumPy's own, and growing arrays against lists."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.containers.arrays import GrowingArray, choose, ranges

N = 1000
WHOLE = np.arange(N)


@pytest.mark.parametrize(
    "index",
    [
        5,
        -1,
        np.int8(-3),
        np.array([-1, 3], np.int8),  # N does not fit into its bits
        np.array([200, 1], np.uint8),
        np.array([7], np.uint64),
        [3, 3, -N],
        slice(-3, None),
        slice(None, None, -7),
        slice(5, 2),
        WHOLE % 2 == 0,
    ],
)
def test_an_index_selects_the_same_as_of_an_array(index: Any) -> None:
    assert choose(index, N).tolist() == WHOLE[index].reshape(-1).tolist()
    assert choose((index, ...), N).tolist() == choose(index, N).tolist()


def test_no_documents() -> None:
    assert choose([], N).tolist() == choose(slice(0), N).tolist() == []


@pytest.mark.parametrize("index", [N, -N - 1, [0, N], np.array([2**64 - 1], np.uint64), [0.5], "x", [True]])
def test_an_index_outside_the_documents_is_refused(index: Any) -> None:
    with pytest.raises(IndexError):
        choose(index, N)


@pytest.mark.small
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted), max_size=9))
def test_ranges_are_those_of_python(spans: list[list[int]]) -> None:
    starts, stops = (np.array([span[i] for span in spans], np.int64) for i in (0, 1))
    assert ranges(starts, stops).tolist() == [i for start, stop in spans for i in range(start, stop)]


numbers = st.lists(st.integers(-9, 9), max_size=9)


@pytest.mark.small
@given(numbers, st.lists(numbers, max_size=9))
def test_a_growing_array_holds_what_was_added(first: list[int], parts: list[list[int]]) -> None:
    array = GrowingArray(np.int32, first)
    for part in parts:
        array.extend(np.array(part, np.int64))
    assert array.values.dtype == np.int32
    assert array.values.tolist() == first + [number for part in parts for number in part]


@pytest.mark.small
def test_elements_of_a_growing_array_can_be_written() -> None:
    array = GrowingArray(np.int64, [1, 2])
    array.values[0] = 7
    array.extend(np.array([3]))
    assert array.values.tolist() == [7, 2, 3]
