"""The kernel for lines of JSON, against Python's json module."""

import json
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.text.reading.jsonlines import _UsualLines

pytestmark = pytest.mark.small

WORDS = st.text(st.sampled_from('ab "\\/\n\t\x7f\u00e9\u4e2d\U0001f600:,{}[]'), max_size=40)
NUMBERS = st.integers(-(10**17), 10**17)
OTHERS = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.decimals(-1000, 1000, places=3).map(float) | WORDS,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.sampled_from(["text", "a", ""]), values),
    max_leaves=6,
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {}, optional={"text": WORDS | st.none(), "id": WORDS | NUMBERS | st.none(), "x": OTHERS, "te": OTHERS}
    ),
    min_size=1,
    max_size=6,
)
COLUMNS = {"text": "text", "id": "id", "time": "id"}


def read(content: str) -> dict[str, pl.Series] | None:
    return _UsualLines(COLUMNS).read(content.encode())


def as_text(value: Any) -> str:
    return "" if value is None else str(value)


@given(ROWS, st.booleans(), st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "  : ")]))
def test_usual_lines(
    rows: list[dict[str, Any]], ensure_ascii: bool, ends: bool, separators: tuple[str, str]
) -> None:
    lines = (json.dumps(row, ensure_ascii=ensure_ascii, separators=separators) for row in rows)
    found = read("\n".join(lines) + "\n" * ends)
    if found is None:  # only numbers with an exponent, or -0, are unusual here
        assert any(mark in json.dumps(rows) for mark in ("e-", "E", "e+", "-0"))
        return
    assert found["text"].to_list() == [as_text(row.get("text")) for row in rows]
    assert found["id"].to_list() == [as_text(row.get("id")) for row in rows]
    assert found["time"].to_list() == found["id"].to_list()


def test_of_equal_keys_the_first_counts() -> None:
    found = read('{"text": null, "text": "b", "x": 1, "id": 7, "id": 8}')
    assert found is not None
    assert (found["text"].to_list(), found["id"].to_list()) == ([""], ["7"])


@given(st.text(st.sampled_from('{}[]":, \\utexid0123nal-.\n'), max_size=30))
def test_whatever_is_taken_is_valid(content: str) -> None:
    """Each prefix, too: no byte after the last one is looked at."""
    line = '{"text": "one", "x": [1, {"id": "\\u00e9"}]}'
    for text in (content, line + content, line.replace("one", content), line[: len(content)]):
        found = read(text) if text else None
        if found is not None:
            rows = [json.loads(each) for each in text.removesuffix("\n").split("\n")]
            assert len(rows) == len(found["text"])
            assert all(isinstance(row, dict) for row in rows)


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "[]",
        '{"text": 5}',
        '{"text": true}',
        '{"text": ["a"]}',
        '{"id": 1.5}',
        '{"id": true}',
        '{"id": {}}',
        '{"id": 01}',
        '{"id": 1e3}',
        '{"id": -0}',
        '{"id": 1234567890123456789}',
        '{"x": NaN}',
        '{"x": [1}',
        '{"x": [1,]}',
        '{"x" 1}',
        '{"x": 1,}',
        '{"x": 1} {}',
        '{"te\\u0078t": "escaped key"}',
        r'{"text": "\u0000"}',
        r'{"text": "\ud800 half"}',
        r'{"text": "\udc00 half"}',
        r'{"x": "\ud800\u0041"}',
        r'{"x": "\u12"}',
        r'{"x": "\q"}',
        '{"text": "a\tb"}',
        '{"text": "open',
        '{"x": ' + "[" * 70 + "]" * 70 + "}",
    ],
)
def test_what_is_unusual_is_left_to_others(line: str) -> None:
    assert read(line + '\n{"text": "a"}') is None
    assert read('{"text": "a"}\n' + line + "\n") is None
