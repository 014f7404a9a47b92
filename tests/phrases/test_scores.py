"""Equation 1 against its formula."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import many

from topminer.phrases.scores import significance, significances

pytestmark = pytest.mark.small

counts = st.integers(1, 2**40) | st.integers(1, 1000)


def test_worked_example() -> None:
    assert significance(100, 50, 25, 10_000) == 4.9


@many
@given(counts, counts, counts, counts)
def test_equation_1(f1: int, f2: int, f12: int, n_tokens: int) -> None:
    expected = (float(f12) - float(f1) * float(f2) / float(n_tokens)) / math.sqrt(float(f12))
    assert significance(f1, f2, f12, n_tokens) == expected
    assert significance(f2, f1, f12, n_tokens) == expected
    many_at_once = significances(np.array([f1, f2]), np.array([f2, f1]), np.array([f12, f12]), n_tokens)
    assert many_at_once.tolist() == [expected, expected]
