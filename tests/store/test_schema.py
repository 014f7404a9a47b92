"""Declarations: what they accept, and what they say of what they refuse."""

import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.store.facts import (
    MAX_INT,
    Fact,
    Flag,
    Float,
    Int,
    ListOf,
    Names,
    Null,
    OneOf,
    Record,
    Sizes,
    Text,
    optional,
)
from topminer.store.schema import Array, Column, Format, Range, Relation, Section, Table, stored_name

SIZES = Sizes(items=5, none=0)
HUGE = 10**400  # as JSON may have it: beyond any float

# ---------------------------------------------------------------------------------------------------- facts

PAIR = Record({"a": Int(), "b": Text()}, may_lack=("b",))
GOOD: list[tuple[Fact, list[Any]]] = [
    (Int(), [0, 1, MAX_INT]),
    (Int(-3, 7), [-3, 0, 7]),
    (Int(below="items"), [0, 4]),
    (Int(equals="items"), [5]),
    (Int(high=2**64 - 1), [2**64 - 1]),
    (Float(), [0, -1, 0.5, 1e308, -1e308, MAX_INT, 10**308]),
    (Float(1.0, 2.0), [1, 1.0, 1.5, 2]),
    (Float(0.0, infinite=True), [math.inf, 0.0, 1e308]),
    (Flag(), [True, False]),
    (Text(), ["", "é", "\udcff", "a" * 10**6]),
    (Text(("a", "b")), ["a", "b"]),
    (Null(), [None]),
    (optional(Int()), [None, 3]),
    (OneOf((Text(("auto",)), Int(1), Float(0.0))), ["auto", 1, 0.5]),
    (ListOf(Int()), [[], [1, 2], (3,)]),
    (ListOf(Int(), least=2), [[1, 2]]),
    (ListOf(row=(Int(), Text())), [[1, "a"]]),
    (ListOf(ListOf(Int())), [[], [[]], [[1], []]]),
    (PAIR, [{"a": 1}, {"a": 1, "b": ""}]),
    (Record({}), [{}]),
    (Names(Int()), [{}, {"x": 1, "": 2}]),
]
BAD: list[tuple[Fact, list[Any]]] = [
    (Int(), [-1, MAX_INT + 1, HUGE, 1.0, True, False, None, "1", [1], {}, math.nan, math.inf]),
    (Int(-3, 7), [-4, 8, True]),
    (Int(below="items"), [5, -1, MAX_INT]),
    (Int(below="none"), [0]),
    (Int(equals="items"), [4, 6, 5.0]),
    (Float(), [math.nan, math.inf, -math.inf, HUGE, -HUGE, True, None, "1", [0.5], {}]),
    (Float(1.0, 2.0), [0.999, 2.001, HUGE, -HUGE, math.nan]),
    (Float(0.0, infinite=True), [-math.inf, math.nan, HUGE, -0.1]),
    (Flag(), [0, 1, None, "true", [], math.nan]),
    (Text(), [None, 1, b"a", ["a"], {"a": 1}]),
    (Text(("a", "b")), ["", "c", "A", None]),
    (Null(), [0, False, "", []]),
    (optional(Int()), [-1, False, "", HUGE]),
    (OneOf((Text(("auto",)), Int(1), Float(0.0))), ["no", -1, HUGE, math.nan, True, None]),
    (ListOf(Int()), [None, "12", {}, {0: 1}, [1, -1], [[1]], [True], [None]]),
    (ListOf(Int(), least=2), [[], [1]]),
    (ListOf(row=(Int(), Text())), [[], [1], ["a", 1], [1, "a", 2]]),
    (ListOf(ListOf(Int())), [[1], [[1], 2], [[[1]]]]),
    (PAIR, [None, [], [["a", 1]], {}, {"b": ""}, {"a": 1, "c": 2}, {"a": "1"}, {"a": 1, "b": 2}, {"a": {}}]),
    (Record({}), [{"x": 1}, [], None]),
    (Names(Int()), [[], None, {"x": "1"}, {"x": 1, "y": None}]),
]


def pairs(table: list[tuple[Fact, list[Any]]]) -> list[Any]:
    return [pytest.param(fact, each, id=f"{fact} {each!r:.30}") for fact, values in table for each in values]


@pytest.mark.parametrize(("fact", "value"), pairs(GOOD))
def test_facts_as_they_are_declared(fact: Fact, value: Any) -> None:
    fact.check(value, SIZES)


@pytest.mark.parametrize(("fact", "value"), pairs(BAD))
def test_facts_that_are_not_as_declared(fact: Fact, value: Any) -> None:
    with pytest.raises(ValueError, match=r"expected|missing") as raised:
        fact.check(value, SIZES)
    assert len(str(raised.value)) < 300
    assert "\n" not in str(raised.value)


EVERY = [fact for fact, _ in GOOD]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda each: st.lists(each) | st.dictionaries(st.text(), each),
)


@given(st.sampled_from(EVERY), JSON)
def test_any_json_is_accepted_or_refused(fact: Fact, value: Any) -> None:
    """Nothing but ValueError is raised."""
    try:
        fact.check(value, SIZES)
    except ValueError as error:
        assert str(error)


@pytest.mark.parametrize("fact", EVERY, ids=str)
def test_json_nested_deep_is_refused(fact: Fact) -> None:
    nested = json.loads("[" * 900 + "]" * 900)
    if not isinstance(fact, ListOf):
        with pytest.raises(ValueError, match="expected"):
            fact.check(nested, SIZES)
    with pytest.raises(ValueError, match="expected"):
        ListOf(ListOf(ListOf(Int()))).check(nested, SIZES)


@pytest.mark.parametrize(
    ("fact", "value", "message"),
    [
        (Int(), -1, "found -1; expected a whole number from 0 on"),
        (Int(1, 256), 300, "found 300; expected a whole number from 1 to 256"),
        (Int(below="items"), 7, "found 7; expected a whole number below 5"),
        (Int(equals="items"), 7, "found 7; expected 5, the number of items"),
        (Float(0.0, 1.0), 2, "found 2; expected a number from 0 to 1"),
        (Text(("a", "b")), "c", "found 'c'; expected one of 'a', 'b'"),
        (optional(Flag()), 1, "found 1; expected null, or true or false"),
        (PAIR, {"a": 1, "z": 1}, "found an unknown field 'z'; expected an object with a, b"),
        (PAIR, {"a": None}, "a: found None; expected a whole number from 0 on"),
        (Names(Null()), {"x": "y" * 99}, f"found '{'y' * 56}...; expected null"),
        (Record({"x": PAIR}), {"x": {"a": -1}}, "x: a: found -1; expected a whole number from 0 on"),
        (ListOf(Int(), least=2), [1], "found [1]; expected a list of 2 or more: a whole number from 0 on"),
    ],
)  # fmt: skip
def test_what_is_said(fact: Fact, value: Any, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        fact.check(value, SIZES)
    assert str(raised.value) == message


# ---------------------------------------------------------------------------------------------------- sizes


def test_a_size_is_learned_and_then_compared() -> None:
    sizes = Sizes()
    sizes.bind("documents+1", 4, "starts")
    assert sizes == {"documents": 3}
    sizes.bind("documents", 3, "ids")
    sizes.bind("topics", 2, "alpha")
    sizes.bind("documents*topics", 6, "table")
    assert (sizes.value("documents+1"), sizes.value("documents*topics")) == (4, 6)
    with pytest.raises(ValueError, match=r"texts has 4 entries; expected 3 \(documents\)"):
        sizes.bind("documents", 4, "texts")
    with pytest.raises(ValueError, match=r"table has 7 entries; expected 6 \(documents\*topics\)"):
        sizes.bind("documents*topics", 7, "table")
    with pytest.raises(ValueError, match=r"starts has 3 entries; expected 4 \(documents\+1\)"):
        sizes.bind("documents+1", 3, "starts")
    assert sizes == {"documents": 3, "topics": 2}
    with pytest.raises(ValueError, match=r"starts has 0 entries"):
        Sizes().bind("documents+1", 0, "starts")  # offsets have at least one entry
    (sizes := Sizes()).bind("documents+1", 1, "starts")
    assert sizes == {"documents": 0}


# --------------------------------------------------------------------------------------------------- ranges

FLOATS = [math.nan, math.inf, -math.inf]


@pytest.mark.parametrize(
    ("values", "good", "bad"),
    [
        (Range(), [0, -5, 2**31 - 1, 0.5], FLOATS),
        (Range(low=0), [0, 5], [-1, -(2**31), *FLOATS]),
        (Range(low=-1, below="items"), [-1, 0, 4], [-2, 5, 2**31 - 1, -(2**31), *FLOATS]),
        (Range(low=1e-7, high=1e4), [1e-7, 0.5, 1e4], [0.0, 0.99e-7, 1.01e4, -1.0, *FLOATS]),
        (Range(infinite=True), [math.inf, -math.inf, 0.5], [math.nan]),
        (Range(low=0, infinite=True), [math.inf, 0.5], [math.nan, -math.inf, -0.1]),
        (Range(below="none"), [-1], [0]),
    ],
    ids=str,
)
def test_ranges(values: Range, good: list[float], bad: list[float]) -> None:
    def check(value: float) -> None:
        dtype = np.float64 if isinstance(value, float) else np.int64
        for surrounding in ([], [good[0]]):
            array = np.array([*surrounding, value, *surrounding], dtype)
            values.check(array, SIZES, "x")

    values.check(np.zeros(0), SIZES, "x")
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises(ValueError, match="x has "):
            check(value)


# --------------------------------------------------------------------------------------------------- arrays


def test_arrays_of_one_of_two_types() -> None:
    declared = Array("<u2|<i4", "items")
    for dtype in (np.uint16, np.int32):
        declared.check_type(np.dtype(dtype), (3,), "x")
    for dtype in (np.int16, np.uint32, ">u2"):
        with pytest.raises(ValueError, match=r"expected <u2\|<i4"):
            declared.check_type(np.dtype(dtype), (3,), "x")


@pytest.mark.parametrize(
    ("order", "good", "bad"),
    [
        ("", [[3, 1, 2], []], []),
        ("ascending", [[], [1], [1, 1, 2]], [[2, 1], [1, 3, 2]]),
        ("strict", [[], [1], [1, 2, 5]], [[1, 1], [2, 1], [1, 2, 2]]),
    ],
)
def test_order(order: str, good: list[list[int]], bad: list[list[int]]) -> None:
    """Of signed numbers, and of unsigned ones, whose differences are never below zero."""
    declared = Array("<i8", "items", order=order)
    for dtype in (np.int64, np.uint16):
        for values in good:
            declared.check(np.array(values, dtype), SIZES, "x")
            declared.check(np.array(values, dtype), SIZES, "x", before=0, is_first=False)
        for values in bad:
            with pytest.raises(ValueError, match="x does not ascend"):
                declared.check(np.array(values, dtype), SIZES, "x")


@pytest.mark.parametrize(("order", "good", "bad"), [("ascending", 4, 5), ("strict", 3, 4)])
def test_order_from_part_to_part(order: str, good: int, bad: int) -> None:
    declared, part = Array("<i8", "items", order=order), np.array([4, 5])
    declared.check(part, SIZES, "x", before=good, is_first=False)
    with pytest.raises(ValueError, match="x does not ascend"):
        declared.check(part, SIZES, "x", before=bad, is_first=False)


def test_offsets_go_from_0_to_a_size() -> None:
    declared = Array("<i8", "items+1", order="ascending", ends="items")
    declared.check(np.array([0, 3, 5]), SIZES, "x")
    declared.check(np.array([0, 3]), SIZES, "x", is_last=False)
    declared.check(np.array([4, 5]), SIZES, "x", is_first=False)
    with pytest.raises(ValueError, match="x starts at 1; expected 0"):
        declared.check(np.array([1, 5]), SIZES, "x")
    for end in (4, 6):
        with pytest.raises(ValueError, match=rf"x ends at {end}; expected 5 \(items\)"):
            declared.check(np.array([0, end]), SIZES, "x")


# --------------------------------------------------------------------------------------------------- tables

TABLE = Table(
    "items",
    {
        "name": Column(pl.String),
        "n": Column(pl.Int32, Range(low=0, below="items")),
        "score": Column(pl.Float64, Range(low=0.0), nulls=True),
        "time": Column(pl.Datetime("us"), nulls=True, may_lack=True),
    },
)
ROWS = pl.DataFrame(
    {"name": ["a", "b"], "n": [0, 4], "score": [0.5, None]},
    {"name": pl.String, "n": pl.Int32, "score": pl.Float64},
)
WRONG: list[tuple[pl.DataFrame, str]] = [
    (ROWS.drop("n"), "t has the columns name, score; expected name, n, score"),
    (ROWS.select("n", "name", "score"), "t has the columns n, name, score; expected"),
    (ROWS.with_columns(pl.col("name").cast(pl.Categorical)), "t: name is of type Categorical"),
    (ROWS.with_columns(time=pl.lit(None, pl.Datetime("us", "UTC"))), "t: time is of type Dat"),
    (ROWS.with_columns(n=pl.lit(None, pl.Int32)), "t: n has rows without a value"),
    (ROWS.with_columns(n=pl.lit(-1, pl.Int32)), "t: n has values from -1 to -1; expected from 0"),
    (ROWS.with_columns(n=pl.lit(5, pl.Int32)), "t: n has the value 5; expected less than 5"),
    (ROWS.with_columns(score=pl.lit(math.nan)), "t: score has values from nan to nan"),
    (ROWS.with_columns(score=pl.lit(math.inf)), "t: score has values from inf to inf"),
]


def test_tables() -> None:
    def check(table: pl.DataFrame) -> None:
        TABLE.check_type(table.schema, "t")
        TABLE.check(table, SIZES, "t")

    for table in (ROWS, ROWS.clear(), ROWS.with_columns(time=pl.lit(None, pl.Datetime("us")))):
        check(table)
    for table, message in WRONG:
        with pytest.raises(ValueError, match=message):
            check(table)


# -------------------------------------------------------------------------------------------------- formats

FORM = Format(
    "thing",
    {
        "a": Section(Record({"n": Int()}), {"x": Array("<i4", "xs")}, {"t": Table("ts", {})}),
        "b": Section(
            Record({}), {"x": Array("<i8", "xs")}, relations=(Relation("says", ("x",), bool),), may_lack=True
        ),
    },
    facts={"flag": Flag()},
    relations=(Relation("says so", ("a-x", "b-x"), bool),),
)


def test_the_sections_of_a_format() -> None:
    only, both = {"a": {"n": 1}, "flag": True}, {"a": {"n": 1}, "b": {}, "flag": True}
    assert (set(FORM.present(only)), set(FORM.present(both))) == ({"a"}, {"a", "b"})
    assert (list(FORM.arrays(only)), list(FORM.arrays(both))) == (["a-x"], ["a-x", "b-x"])
    assert list(FORM.tables(both)) == ["a-t"]
    assert [relation.of for relation in FORM.all_relations()] == [("a-x", "b-x"), ("b-x",)]
    assert (stored_name("a", "x"), stored_name("", "x")) == ("a-x", "x")
    FORM.check_facts(only, SIZES)
    FORM.check_facts(both, SIZES)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"a": {"n": 1}}, "flag is missing"),
        ({"flag": True}, "a is missing"),
        ({"a": {"n": 1}, "flag": 1}, "flag: found 1; expected true or false"),
        ({"a": {"n": "1"}, "flag": True}, "a: n: found '1'; expected a whole number"),
        ({"a": {"n": 1}, "flag": True, "c": {}}, "found an unknown field 'c'"),
        ({"a": {"n": 1}, "flag": True, "b": {"m": 1}}, "b: found an unknown field 'm'"),
    ],
)
def test_the_facts_of_a_format(facts: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FORM.check_facts(facts, SIZES)
