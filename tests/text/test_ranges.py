"""Which documents an index means: the same as NumPy says of an array of so many."""

from typing import Any

import numpy as np
import pytest

from topminer.text.ranges import choose

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
def test_an_index_means_what_it_means_for_an_array(index: Any) -> None:
    assert choose(index, N).tolist() == WHOLE[index].reshape(-1).tolist()
    assert choose((index, ...), N).tolist() == choose(index, N).tolist()


def test_no_documents() -> None:
    assert choose([], N).tolist() == choose(slice(0), N).tolist() == []


@pytest.mark.parametrize("index", [N, -N - 1, [0, N], np.array([2**64 - 1], np.uint64), [0.5], "x", [True]])
def test_what_means_no_document_is_refused(index: Any) -> None:
    with pytest.raises(IndexError):
        choose(index, N)
