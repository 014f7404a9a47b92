"""Domains of numeric parameters: what is taken, and the one line that refuses the rest."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from topminer._parameters import ALPHA_RANGE, BETA_RANGE, MOST, number, whole, whole_or_none
from topminer.errors import InputError
from topminer.topics.model.priors import LEAST_ALPHA, LEAST_BETA, MOST_ALPHA, MOST_BETA

pytestmark = pytest.mark.small


@pytest.mark.parametrize("value", [1, np.int8(1), np.uint64(1), 10**18, np.int64(10**18)])
def test_whole_numbers_become_those_of_python(value: Any) -> None:
    found = whole("n", value, 1)
    assert type(found) is int and found == value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "n must be a whole number from 1 on, not 0"),
        (1.0, "n must be a whole number from 1 on, not 1.0"),
        (True, "n must be a whole number from 1 on, not True"),
        (np.True_, "n must be a whole number from 1 on, not np.True_"),
        (None, "n must be a whole number from 1 on, not None"),
        ("5", "n must be a whole number from 1 on, not '5'"),
        (MOST + 1, f"n must be a whole number from 1 to {MOST:,}, not {MOST + 1}"),
        (10**400, f"n must be a whole number from 1 to {MOST:,}, not 1{'0' * 99}…"),
        (math.nan, "n must be a whole number from 1 on, not nan"),
    ],
)
def test_what_is_no_whole_number_in_the_domain(value: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        whole("n", value, 1)
    assert str(raised.value) == said


def test_a_domain_with_an_end_is_named_whole() -> None:
    with pytest.raises(InputError, match=r"^n must be a whole number from 1 to 256, or None, not 0$"):
        whole_or_none("n", 0, 1, 256)
    assert whole_or_none("n", None, 1, 256) is None


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float16(0.5), np.float32(0.25), np.int8(1), Fraction(1, 4)])
def test_numbers_become_those_of_python(value: Any) -> None:
    found = number("x", value, 0, 1)
    assert type(found) is float and found == value


@pytest.mark.parametrize(
    "value", [-1e-300, 1.0000001, math.nan, math.inf, -math.inf, True, None, "0.5", 1j, Decimal("0.5"), [0.5]]
)
def test_what_is_no_number_in_the_domain(value: Any) -> None:
    with pytest.raises(InputError, match=r"^x must be a number from 0 to 1, not "):
        number("x", value, 0, 1)


def test_infinity_may_be_the_end() -> None:
    assert number("x", math.inf, 0, math.inf) == math.inf
    for beyond in (Fraction(10**400, 3), 10**400):
        with pytest.raises(InputError, match=r"^x must be a number from 0 on, not "):
            number("x", beyond, 0, math.inf)


def test_fitted_priors_stay_in_the_domain() -> None:
    assert ALPHA_RANGE[0] <= 1e-6 <= LEAST_ALPHA < MOST_ALPHA <= ALPHA_RANGE[1]
    assert BETA_RANGE[0] <= LEAST_BETA < MOST_BETA <= BETA_RANGE[1]
