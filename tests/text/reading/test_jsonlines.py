"""Lines of JSON."""

import io
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.blank import is_blank

from topminer.errors import InputError
from topminer.text.reading.reader import Reading

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda values: (
        st.lists(values, max_size=3) | st.dictionaries(st.sampled_from(["text", "id", "a"]), values)
    ),
    max_leaves=5,
)


def reading(content: str, **options: Any) -> Reading:
    file = io.BytesIO(content.encode())
    file.name = "a.jsonl"  # type: ignore[misc]
    return Reading(file, **options)


def documents(content: str, **options: Any) -> list[tuple[str, str]]:
    return [d for batch in reading(content, **options) for d in zip(batch.ids, batch.texts, strict=True)]


@given(
    rows=st.lists(st.fixed_dictionaries({"text": st.text()}, optional={"other": ANYTHING, "té": ANYTHING})),
    ensure_ascii=st.booleans(),
    size=st.integers(1, 200),
)
def test_what_the_json_module_writes_is_read_back(
    rows: list[dict[str, Any]], ensure_ascii: bool, size: int
) -> None:
    rows.append({"text": "last one"})
    content = "".join(json.dumps(row, ensure_ascii=ensure_ascii) + "\n" for row in rows)
    expected = [(str(i), row["text"]) for i, row in enumerate(rows, 1) if not is_blank(row["text"])]
    assert documents(content, batch_bytes=size) == expected


def test_ids_of_any_type() -> None:
    lines = [
        '{"id": 17, "text": "a"}',
        '{"id": "x", "text": "b"}',
        '{"id": true, "text": "c"}',
        '{"text": "d"}',
    ]
    assert documents("\n".join(lines)) == [("17", "a"), ("x", "b"), ("true", "c"), ("4", "d")]


def test_blank_lines_and_lines_without_text() -> None:
    lines = ['{"text": "one"}', "", "  ", '{"text": null}', "{}", '{"text": " "}', '{"text": NaN}']
    lines.append('{"text": "last"}')
    blank = reading("\r\n".join(lines))
    (batch,) = blank
    assert (batch.ids.to_list(), batch.texts.to_list()) == (["1", "8"], ["one", "last"])
    assert blank.skipped.blank_documents == 4
    with pytest.raises(InputError, match=r"^no documents in a.jsonl"):
        documents("{}\n \n")


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "two"', "not valid JSON .* expected one object a line"),
        ('{"text": "two"} {"text": "three"}', "not valid JSON .*Extra data"),
        ("{'text': 'two'}", "not valid JSON"),
        ('{"text": "two",}', "not valid JSON"),
        ("text", "not valid JSON"),
        ('{"text": "a\0b"}', "not valid JSON .*control character"),
        ('{"text": ' + "[" * 100_000, "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[1, 2]", r"found a list \(\[1, 2\]\), expected a JSON object"),
        ("5", r"found a number \(5\), expected a JSON object"),
        ('"two"', r"found a string \(\"two\"\), expected a JSON object"),
        ("null", r"found a value \(null\), expected a JSON object"),
        ('{"text": 5}', r"'text' holds a number \(5\), expected a string"),
        ('{"text" : -0.5}', r"'text' holds a number \(-0.5\), expected a string"),
        ('{"text": ["a"]}', r"'text' holds a list \(\[\"a\"\]\), expected a string"),
        (
            '{"text": {"a": "' + "b" * 99 + '"}}',
            r"'text' holds an object \(\{\"a\": \"b+\.\.\.\), expected a string",
        ),
        ('{"text": true}', r"'text' holds a truth value \(true\), expected a string"),
        ('{"x": {"text": "nested"}, "text": 5}', r"'text' holds a number \(5\)"),
    ],
)
def test_malformed(line: str, message: str, size: int) -> None:
    content = '{"text": "one"}\n\n' + line + '\n{"text": "four"}\n'
    with pytest.raises(InputError, match=rf"^a.jsonl, line 3: {message}") as caught:
        documents(content, batch_bytes=size)
    assert len(str(caught.value)) < 200


def test_a_malformed_line_far_behind_the_sample() -> None:
    content = '{"text": "some text to fill the line with, over and over"}\n' * 20_000
    with pytest.raises(InputError, match=r"^a.jsonl, line 20001: not valid JSON"):
        documents(content + "{", batch_bytes=100_000)
    with pytest.raises(InputError, match=r"^a.jsonl, line 20001: 'text' holds a number"):
        documents(content + '{"text": 1}', batch_bytes=100_000)


def test_names_with_letters_of_all_kinds() -> None:
    for ensure_ascii in True, False:
        content = json.dumps({'résumé "x"': 5}, ensure_ascii=ensure_ascii)
        with pytest.raises(InputError, match="holds a number"):
            documents(content, text='résumé "x"')


def test_escapes() -> None:
    content = r'{"text": "nul \u0000, pair \ud83d\ude00, halves \ud83d \ude00 \uD83Dx, no escape \\ud83d"}'
    (document,) = documents(content)
    assert document[1] == "nul \0, pair 😀, halves \ufffd \ufffd \ufffdx, no escape \\ud83d"
    counted = reading(content)
    list(counted)
    assert counted.skipped.nul_characters == 1


def test_years_and_other_times() -> None:
    lines = [
        json.dumps({"text": "a", "when": when})
        for when in (1999, "1999-05-17T12:00Z", None, 2000.0, math.nan, " ")
    ]
    (batch,) = reading("\n".join(lines), time="when")
    assert batch.times is not None
    assert [time and time.year for time in batch.times] == [1999, 1999, None, 2000, None, None]
    with pytest.raises(InputError, match=r"^a.jsonl, line 8: 'soon' is not a time"):
        documents("\n".join([*lines, "", '{"text": "b", "when": "soon"}']), time="when")
