"""The share of distinct phrases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.evaluation.diversity import diversity

pytestmark = pytest.mark.small


def test_by_hand() -> None:
    a, b, c, d = (1,), (1, 2), (2, 1), (3,)
    assert diversity([[a, b], [c, d]]) == 1.0
    assert diversity([[a, b], [c, d]], contiguous=False) == 0.75
    assert diversity([[a, b], [a, d]]) == 0.75
    assert diversity([[a, b], [b, a], [a, b], [a, b]]) == 0.25
    assert diversity([[a, b], [a, d]], n=1) == 0.5
    assert diversity([[a, b, c], [a]]) == 0.75


def test_25_phrases_are_looked_at() -> None:
    topic = [(i,) for i in range(26)]
    assert diversity([topic, topic[25:]]) == 1.0
    assert diversity([topic, topic[24:]]) == 26 / 27


def test_without_phrases_there_is_none() -> None:
    assert diversity([]) is None
    assert diversity([[], []]) is None
    with pytest.raises(InputError, match="from 1 on, not 0"):
        diversity([], n=0)


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 5)), unique=True), min_size=1, max_size=5), st.integers(1, 4)
)
def test_never_below_its_bound(topics: list[list[tuple[int]]], n: int) -> None:
    value = diversity(topics, n)
    assert (value is None) == (not any(topics))
    if value is not None:
        assert 1 / len(topics) <= value <= 1
        assert diversity(topics[::-1], n) == value
