"""Comma- and tab-separated values."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.blank import is_blank

from topminer.errors import InputError
from topminer.text.reading.columns import Columns
from topminer.text.reading.delimited import delimited_rows
from topminer.text.reading.reader import Reading

FIELD = st.text(alphabet=st.sampled_from('a b,"\t\r\n;é\0\u2028'), max_size=8)


def documents(content: str, format: str = "csv", **options: Any) -> list[tuple[str, str]]:
    file = io.BytesIO(content.encode())
    file.name = f"a.{format}"  # type: ignore[misc]
    return [d for batch in Reading(file, **options) for d in zip(batch.ids, batch.texts, strict=True)]


@given(
    rows=st.lists(st.tuples(FIELD, FIELD, FIELD)),
    delimiter=st.sampled_from(",\t"),
    terminator=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    size=st.integers(1, 40),
)
def test_what_the_csv_module_writes_is_read_back(
    rows: list[tuple[str, str, str]], delimiter: str, terminator: str, quoting: Any, size: int
) -> None:
    # The writer does not quote a lone carriage return, which then ends the line for its own reader too.
    rows = [(x, t.replace("\r", "\r\n"), y.replace("\r", "\r\n")) for x, t, y in rows] + [
        ("", "last one", "")
    ]
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=terminator, quoting=quoting)
    writer.writerows([("other", "text", "more"), *rows])
    content = file.getvalue()
    assume(10 * content.count("\0") < len(content))  # a file that is full of them is not taken for text
    expected = [(str(i), text) for i, (_, text, _) in enumerate(rows, 1) if not is_blank(text)]
    assert documents(content, "csv" if delimiter == "," else "tsv", batch_bytes=size) == expected


@pytest.mark.small
@given(st.text(alphabet='a,"\n', max_size=30), st.integers(1, 20))
def test_any_text_is_read_as_the_csv_module_reads_it(body: str, size: int) -> None:
    content = "text,id\nfirst,0\n" + body
    try:
        rows = [row for row in csv.reader(io.StringIO(content), strict=True) if row]
    except csv.Error:
        rows = [[]]
    if any(len(row) != 2 for row in rows):
        with pytest.raises(InputError, match=r"^a.csv, line \d+: "):
            documents(content, batch_bytes=size)
    else:
        expected = [
            (name or str(i), text) for i, (text, name) in enumerate(rows[1:], 1) if not is_blank(text)
        ]
        assert documents(content, batch_bytes=size) == expected


@pytest.mark.small
@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("plain", "plain"),
        ('"quoted, with ""quotes"" and\r\nlines"', 'quoted, with "quotes" and\r\nlines'),
        ('a 5" disk', 'a 5" disk'),
        (' "after a blank"', ' "after a blank"'),
        ('a""b', 'a""b'),
        ('""""', '"'),
        ("a\rb", "a\rb"),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_fields(field: str, expected: str, end: str, size: int) -> None:
    content = f"id,text\nx,{field}{end or chr(10)}y,{field}{end}"
    assert documents(content, batch_bytes=size) == [("x", expected), ("y", expected)]


def test_header() -> None:
    assert documents('\n\r\n "id" , text \n\n1,one\n'.replace('"id"', "id")) == [("1", "one")]
    assert documents('"id","te""xt"\n1,one\n', text='te"xt') == [("1", "one")]
    assert documents('"a\nb",text\n1,one\n', id="a\nb") == [("1", "one")]
    with pytest.raises(InputError, match=r"^no documents in a.csv"):
        documents("text,id")


@pytest.mark.small
@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("text,id\none,1\ntwo\nthree,3\n", "line 3: found 1 fields, expected 2"),
        ("text,id\none,1\n\ntwo,2,3\n", "line 4: found 3 fields, expected 2"),
        ('text,id\n"one\nand\nmore",1\n"two\nand",2,3\n', "line 5: found 3 fields, expected 2"),
        ('text,id\n"one\n",1\n"two,2\nthree,3\n', "line 4: the quote that opens here is never closed"),
        ('"text,id\none,1\n', "line 1: the quote that opens here is never closed"),
        ('text,id\none,1\n"two" or so,2\n', "line 3: text after a closing quote"),
        ('text,id\n"one"\rand,1\n', "line 2: text after a closing quote"),
        ('"text"x,id\n"one",1\n', "line 1: text after a closing quote"),
    ],
)
def test_malformed(content: str, message: str, size: int) -> None:
    with pytest.raises(InputError, match=rf"^a.csv, {message}"):
        documents(content, batch_bytes=size)


def test_a_malformed_row_far_after_the_sample() -> None:
    rows = 'some text with a "quote" in it,1\n"a text\nof two lines",2\n' * 20_000
    with pytest.raises(InputError, match=r"^a.csv, line 60002: found 1 fields, expected 2"):
        documents("text,id\n" + rows + "short\n", batch_bytes=100_000)


def test_columns_of_one_name() -> None:
    content = "text,label,label\none,a,b\n"
    assert documents(content) == [("1", "one")]
    with pytest.raises(InputError, match=r"^a.csv: 2 columns are called 'label'"):
        documents(content, id="label")
    with pytest.raises(InputError, match=r"^a.csv: 2 columns are called 'text'"):
        documents("text,text\none,two\n")


def test_a_column_of_numbers_is_no_text() -> None:
    with pytest.raises(InputError, match=r"^a.csv: column 'year' holds numbers \(1999\), expected texts"):
        documents("year,title\n1999,one\n,two\n2000.5,three\n", text="year")
    assert documents("text\n1999 was a year\n1999\n")[1] == ("2", "1999")


def test_a_wrong_time() -> None:
    content = 'text,when\n"one\nand more",1999\n"two",yesterday\n'
    with pytest.raises(InputError, match=r"^a.csv, line 4: 'yesterday' is not a time"):
        documents(content, time="when")


def test_a_stray_quote_does_not_swallow_the_rest() -> None:
    """Guards against cutting blocks by the parity of quotes."""
    content = "id,text\n" + "".join(f'{i},a disk of 5" and more\n' for i in range(9999))
    sizes = [b.texts.len() for b in Reading(io.BytesIO(content.encode()), format="csv", batch_bytes=10_000)]
    assert sum(sizes) == 9999
    assert max(sizes) < 1500


@pytest.mark.parametrize("size", [1 << 10, 1 << 20])
def test_a_quote_that_is_never_closed_is_refused_by_the_line_of_its_record(size: int) -> None:
    """However long the field would go on, no more than the limit is read."""
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        yield b'text,id\n"c\nd",e\n\nf,g\nh,"i\n'
        while True:
            taken += 1 << 20
            yield b"\n" * (1 << 20)

    columns = Columns("text", "id")
    with pytest.raises(InputError, match=r"^a.csv, line 6: a record longer than 64 MiB, the most"):
        list(delimited_rows(endless(), "a.csv", ord(","), size, lambda names, sample: columns))
    assert taken <= (64 << 20) + (2 << 20)
