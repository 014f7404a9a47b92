"""A growing array against a list."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.text.growing import Growing

numbers = st.lists(st.integers(-9, 9), max_size=9)


@pytest.mark.small
@given(numbers, st.lists(numbers, max_size=9))
def test_it_holds_what_was_added(first: list[int], parts: list[list[int]]) -> None:
    array = Growing(np.int32, first)
    for part in parts:
        array.extend(np.array(part, np.int64))
    assert array.values.dtype == np.int32
    assert array.values.tolist() == first + [number for part in parts for number in part]


@pytest.mark.small
def test_elements_can_be_written() -> None:
    array = Growing(np.int64, [1, 2])
    array.values[0] = 7
    array.extend(np.array([3]))
    assert array.values.tolist() == [7, 2, 3]
