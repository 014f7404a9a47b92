"""The table of integers against a dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.containers.integers import IntegerTable

pytestmark = pytest.mark.small


@given(st.lists(st.lists(st.integers(0, 2**62) | st.integers(0, 9))))
def test_ids_go_by_first_occurrence(batches: list[list[int]]) -> None:
    expected: dict[int, int] = {}
    table = IntegerTable(0)
    for batch in batches:
        ids = np.empty(len(batch), np.int32)
        table.add(np.array(batch, np.int64), ids)
        assert ids.tolist() == [expected.setdefault(key, len(expected)) for key in batch]
    assert table.keys.tolist() == list(expected)


def test_the_table_grows() -> None:
    keys = np.arange(5000) * 1_000_003
    table, ids = IntegerTable(0), np.empty(5000, np.int32)
    table.add(keys, ids)
    assert np.array_equal(ids, np.arange(5000))
    assert np.array_equal(table.keys, keys)
