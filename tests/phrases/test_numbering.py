"""Keys to small numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.phrases.numbering import Numbering

pytestmark = pytest.mark.small


@given(st.lists(st.lists(st.integers(0, 2**62) | st.integers(0, 9))))
def test_numbers_go_by_first_occurrence(batches: list[list[int]]) -> None:
    expected: dict[int, int] = {}
    numbering = Numbering(0)
    for batch in batches:
        numbers = np.empty(len(batch), np.int32)
        numbering.add(np.array(batch, np.int64), numbers)
        assert numbers.tolist() == [expected.setdefault(key, len(expected)) for key in batch]
    assert numbering.keys.tolist() == list(expected)


def test_the_table_grows() -> None:
    keys = np.arange(5000) * 1_000_003
    numbering, numbers = Numbering(0), np.empty(5000, np.int32)
    numbering.add(keys, numbers)
    assert np.array_equal(numbers, np.arange(5000))
    assert np.array_equal(numbering.keys, keys)
