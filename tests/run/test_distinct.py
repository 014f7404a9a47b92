"""Strings numbered over several workers, against one dictionary."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_workers import local_engine

from topminer.containers.strings import strings_of
from topminer.run.reduce import Distinct, number

pytestmark = pytest.mark.small


class Offering(Distinct):
    """A worker that offers what it was given."""

    def __init__(self, offers: dict[str, dict[bytes, int]]) -> None:
        super().__init__()
        for name, counts in offers.items():
            self.offered[name] = strings_of(list(counts)), np.array(list(counts.values()), np.int64)

    def numbered(self, name: str) -> list[int]:
        assert name not in self.offered
        return self.numbers[name].tolist()


def by_dict(offers: list[dict[bytes, int]], least: int) -> tuple[dict[bytes, int], list[list[int]]]:
    """Counts of the frequent strings by first occurrence, and the numbers of each worker's strings."""
    total = Counter[bytes]()
    for counts in offers:
        total.update(counts)
    met = dict.fromkeys(string for counts in offers for string in counts)
    frequent = {string: total[string] for string in met if total[string] >= least}
    number_of = {string: number for number, string in enumerate(frequent)}
    return frequent, [[number_of.get(string, -1) for string in counts] for counts in offers]


def check(offers: list[dict[bytes, int]], least: int = 1) -> None:
    placed = local_engine(1, n_workers=len(offers)).place(Offering, [({"x": each},) for each in offers])
    strings, counts = number(placed, "x", least)
    expected, numbers = by_dict(offers, least)
    assert dict(zip(strings.to_list(), counts.tolist(), strict=True)) == expected
    assert strings.to_list() == list(expected)
    assert placed.run("numbered", [("x",)] * len(offers)) == numbers


# Few letters and all lengths around the eight bytes that are read at a time: much is met by several workers.
strings = st.one_of(
    st.text("ab", max_size=3).map(str.encode), st.binary(max_size=20), st.integers(0, 40).map(bytes)
)
offers = st.dictionaries(strings, st.integers(0, 5), max_size=12)


@pytest.mark.parametrize("n_workers", [1, 3])
@given(data=st.data(), least=st.integers(0, 7))
def test_numbers_are_those_of_a_dictionary(n_workers: int, data: st.DataObject, least: int) -> None:
    check([data.draw(offers) for _ in range(n_workers)], least)


def test_one_worker_has_all_or_nobody_has_anything() -> None:
    check([{}, {}, {}])
    check([{}, {b"%d" % i: i % 3 for i in range(100)}, {}, {}], least=2)


def test_several_names_do_not_meet() -> None:
    offers = [({"x": {b"a": 1}, "y": {b"b": 1, b"a": 2}},), ({"x": {b"b": 1}, "y": {b"a": 1}},)]
    placed = local_engine(1, n_workers=2).place(Offering, offers)
    assert [each.strings.to_list() for each in (number(placed, "x"), number(placed, "y"))] == [
        [b"a", b"b"],
        [b"b", b"a"],
    ]
    assert placed.run("numbered", [("x",), ("y",)]) == [[0], [1]]


def test_ranges_are_of_about_one_size() -> None:
    """Also for keys that are all alike: two small integers in eight bytes."""
    keys = [((i % 50) << 32 | i // 50).to_bytes(8, "little") for i in range(2000)]
    sizes = np.bincount(strings_of(keys).ranges(7), minlength=7)
    assert sizes.sum() == 2000
    assert sizes.min() > 2000 / 7 * 0.7
    assert sizes.max() < 2000 / 7 * 1.3


@given(st.lists(strings, min_size=1, max_size=20), st.data())
def test_some_strings_in_any_order(strings: list[bytes], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, len(strings) - 1), max_size=30))
    chosen = strings_of(strings).chosen(np.array(numbers, np.int64))
    assert chosen.to_list() == [strings[number] for number in numbers]
    assert strings_of(chosen.to_list()).ranges(5).tolist() == chosen.ranges(5).tolist()
