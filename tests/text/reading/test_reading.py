"""Files to documents: what every format has in common, and plain text."""

import gzip
import io
import json
import lzma
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.text.provenance import Skipped
from topminer.text.reading.columns import Columns
from topminer.text.reading.reader import Reading
from topminer.text.reading.zstd import zstd

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}
ROW_TEXTS = ["the first of three texts", 'a "second" one,\twith\nall, sorts of marks', "日本語 and Grüße"]
ROWS = pl.DataFrame({"id": ["a1", "b2", "c3"], "text": ROW_TEXTS, "year": ["1999", "2001-05", None]})
FORMATS = ["txt", "csv", "tsv", "jsonl", "parquet"]
TIMES = [datetime(1999, 1, 1), datetime(2001, 5, 1), None]


def documents(source: Any, **options: Any) -> list[tuple[str, str]]:
    return [
        document
        for batch in Reading(source, **options)
        for document in zip(batch.ids, batch.texts, strict=True)
    ]


def texts_of(reading: Reading) -> list[str]:
    return [text for batch in reading for text in batch.texts]


def parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


def written(format: str, frame: pl.DataFrame = ROWS) -> bytes:
    """A table as a file."""
    if format == "parquet":
        return parquet(frame)
    if format == "jsonl":
        return frame.write_ndjson().encode()
    return frame.write_csv(separator="\t" if format == "tsv" else ",").encode()


def one_text(format: str) -> bytes:
    return b"one text" if format == "txt" else written(format, pl.DataFrame({"text": ["one text"]}))


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str | bytes], str]:
    """Write a file into the current folder, so that messages name it as it was given."""
    monkeypatch.chdir(tmp_path)

    def make(name: str, content: str | bytes) -> str:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return make


Make = Callable[[str, str | bytes], str]


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
class TestTables:
    @pytest.mark.parametrize("ending", COMPRESS)
    def test_every_format_compressed_every_way(self, format: str, ending: str, make: Make) -> None:
        reading = Reading(make(f"a.{format}{ending}", COMPRESS[ending](written(format))), time="year")
        (batch,) = reading
        assert batch.texts.to_list() == ROW_TEXTS
        assert batch.ids.to_list() == ["a1", "b2", "c3"]
        assert batch.times is not None
        assert batch.times.to_list() == TIMES
        assert batch.times.dtype == pl.Datetime("us")
        assert reading.columns == Columns("text", "id", "year")
        assert reading.skipped == Skipped()
        assert reading.bytes_read == reading.bytes_total == Path(f"a.{format}{ending}").stat().st_size
        assert texts_of(reading) == ROW_TEXTS  # it can be read again
        assert reading.bytes_read == reading.bytes_total

    @pytest.mark.parametrize("ending", COMPRESS)
    def test_standard_input(self, format: str, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
        data = COMPRESS[ending](written(format))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        reading = Reading("-", format=format)
        assert texts_of(reading) == ROW_TEXTS
        assert (reading.name, reading.bytes_read, reading.bytes_total) == ("standard input", len(data), None)

    def test_rows_without_an_id_column_are_numbered(self, format: str, make: Make) -> None:
        frame = pl.DataFrame({"text": ["one", " ", "three", None, "five"]})
        reading = Reading(make(f"a.{format}", written(format, frame)))
        (batch,) = reading
        # In a table of one column, a blank line of delimited text is no row.
        last = {"csv": "4", "tsv": "4"}.get(format, "5")
        assert batch.ids.to_list() == ["1", "3", last]
        assert reading.skipped.blank_documents == (2 if last == "5" else 1)
        assert reading.columns == Columns("text", None, None)

    def test_rows_without_an_id_are_numbered(self, format: str, make: Make) -> None:
        frame = pl.DataFrame({"id": ["x", None, ""], "text": ["one", "two", "three"]})
        path = make(f"a.{format}", written(format, frame))
        assert documents(path) == [("x", "one"), ("2", "two"), ("3", "three")]

    def test_no_such_column(self, format: str, make: Make) -> None:
        path = make(f"a.{format}", written(format))
        for role in "text", "id", "time":
            message = rf"^a.{format}: no column 'body'; its columns are 'id', 'text', 'year'$"
            with pytest.raises(InputError, match=message):
                documents(path, **{role: "body"})

    def test_a_folder_of_parts_is_one_table(self, format: str, make: Make) -> None:
        """Rows without an id are numbered within their file."""
        for part in "1", "0":
            make(f"table/{part}.{format}", written(format))
        make(f"table/.hidden.{format}", b"")
        make("table/_SUCCESS", b"")
        reading = Reading("table", id=None)
        assert texts_of(reading) == ROW_TEXTS * 2
        assert reading.bytes_read == reading.bytes_total
        ids = [i for i, _ in documents("table", id="year")]
        assert ids == ["1999", "2001-05", f"0.{format}:3", "1999", "2001-05", f"1.{format}:3"]


class TestGuessedColumns:
    def test_the_only_column_of_texts_is_taken(self, make: Make) -> None:
        path = make("a.csv", "name,abstract,year\nsmith,some words here,1999\njones,and more of them,2000\n")
        reading = Reading(path)
        assert texts_of(reading) == ["some words here", "and more of them"]
        assert reading.columns == Columns("abstract", None, None)

    @pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
    def test_several_columns_of_texts(self, format: str, make: Make) -> None:
        frame = pl.DataFrame({"title": ["a title of words"], "body": ["a body of words"], "n": [5]})
        path = make(f"a.{format}", written(format, frame))
        message = rf"^a.{format}: several columns may hold the texts: 'title', 'body'; name .*--text-column"
        with pytest.raises(InputError, match=message):
            documents(path)
        assert documents(path, text="body") == [("1", "a body of words")]

    @pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
    def test_a_column_without_a_name(self, format: str, make: Make) -> None:
        frame = pl.DataFrame({"n": ["1", "2"], "": ["several words in here", "and also in here"]})
        reading = Reading(make(f"a.{format}", written(format, frame)))
        assert texts_of(reading) == frame[""].to_list()
        assert documents(f"a.{format}", text="", id="") == list(zip(*[frame[""]] * 2, strict=True))

    def test_what_is_guessed_does_not_depend_on_the_batch(self, make: Make) -> None:
        path = make("a.jsonl", '{"a": "x", "b": "y"}\n' + '{"a": "x", "b": "one two three four five six"}\n')
        for size in 1, 1 << 20:
            assert texts_of(Reading(path, batch_bytes=size)) == ["y", "one two three four five six"]

    @pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
    def test_one_column_in_several_roles(self, format: str, make: Make) -> None:
        frame = pl.DataFrame({"n": ["x", "y"], "text": ["17 May 1999", "1999-05-18"]})
        (batch,) = Reading(make(f"a.{format}", written(format, frame)), id="text", time="text")
        assert batch.texts.to_list() == batch.ids.to_list() == ["17 May 1999", "1999-05-18"]
        assert batch.times is not None
        assert batch.times.to_list() == [datetime(1999, 5, 17), datetime(1999, 5, 18)]


class TestPlainText:
    def test_a_document_a_line(self, make: Make) -> None:
        reading = Reading(make("a.txt", "one\r\n\n  \t\u3000\nfour\rand\n\u2028five\x0b\nsix"))
        (batch,) = reading
        assert batch.texts.to_list() == ["one", "four\rand", "\u2028five\x0b", "six"]
        assert batch.ids.to_list() == ["1", "4", "5", "6"]
        assert reading.skipped == Skipped(blank_documents=2)
        assert reading.columns == Columns(None, None, None)

    def test_nul_is_kept_and_counted(self, make: Make) -> None:
        reading = Reading(make("a.txt", "a\0b\0\nc\n"))
        assert texts_of(reading) == ["a\0b\0", "c"]
        assert reading.skipped == Skipped(nul_characters=2)

    def test_undecodable_bytes_are_replaced_and_counted(self, make: Make) -> None:
        reading = Reading(make("a.txt", b"good\ncaf\xe9 au lait \xff\n"), batch_bytes=1)
        assert texts_of(reading) == ["good", "caf\ufffd au lait \ufffd"]
        assert reading.skipped == Skipped(undecodable_bytes=2, first_undecodable="a.txt, line 2, byte 4")
        with pytest.raises(InputError, match=r"^a.txt, line 2, byte 4: e9 is not utf-8"):
            documents("a.txt", errors="strict")
        assert documents("a.txt", encoding="latin-1")[1] == ("2", "café au lait ÿ")

    @pytest.mark.parametrize("ending", COMPRESS)
    def test_a_long_line(self, ending: str, make: Make) -> None:
        line = "word " * (1 << 20)
        path = make(f"a.txt{ending}", COMPRESS[ending](f"first\n{line}\nlast".encode()))
        assert [len(text) for _, text in documents(path)] == [5, len(line), 4]

    def test_batches_are_bounded(self, make: Make) -> None:
        reading = Reading(make("a.txt", "some words\n" * 100_000), batch_bytes=10_000)
        sizes = [batch.texts.str.len_bytes().sum() for batch in reading]
        assert len(sizes) > 50
        assert max(sizes) < 30_000


class TestFolders:
    def test_a_document_a_file(self, make: Make) -> None:
        make("texts/b.txt", b"the second\r\nwith two lines \xff\n")
        make("texts/a/z.txt", "the first")
        make("texts/c.txt.gz", gzip.compress(b"the third"))
        make("texts/blank.txt", " \n")
        make("texts/empty.txt", "")
        for name in ".hidden.txt", ".git/config.txt", "table.csv", "README.md":
            make(f"texts/{name}", "not a document")
        reading = Reading(Path("texts"))
        assert [d for batch in reading for d in zip(batch.ids, batch.texts, strict=True)] == [
            ("a/z.txt", "the first"),
            ("b.txt", "the second\r\nwith two lines \ufffd\n"),
            ("c.txt.gz", "the third"),
        ]
        place = str(Path("texts/b.txt")) + ", line 2, byte 16"
        assert reading.skipped == Skipped(blank_documents=2, undecodable_bytes=1, first_undecodable=place)
        assert reading.bytes_read == reading.bytes_total
        assert reading.name == "texts"

    def test_batches_are_bounded(self, make: Make) -> None:
        for i in range(10):
            make(f"texts/{i}.txt", "words " * 100)
        assert [batch.texts.len() for batch in Reading("texts", batch_bytes=1000)] == [2] * 5

    def test_of_several_formats(self, make: Make) -> None:
        make("tables/a.csv", "text\none\n")
        make("tables/a.jsonl", '{"text": "two"}')
        with pytest.raises(InputError, match=r"^tables: files of several formats \(csv, jsonl\); name one"):
            Reading("tables")
        assert documents("tables", format="csv") == [("a.csv:1", "one")]

    def test_a_format_that_no_ending_tells(self, make: Make) -> None:
        make("mails/1", "first mail")
        make("mails/2", "second mail")
        assert documents("mails", format="txt") == [("1", "first mail"), ("2", "second mail")]


class TestSources:
    def test_open_files(self, make: Make) -> None:
        with open(make("a.csv", "text\none\n"), "rb") as file:
            assert documents(file) == [("1", "one")]
            assert not file.closed
        for content in (b"one\ntwo", gzip.compress(b"one\ntwo")):
            assert documents(io.BytesIO(content)) == [("1", "one"), ("2", "two")]

    def test_the_format_overrides_the_ending(self, make: Make) -> None:
        assert documents(make("a.dat", "text,id\none,x\n"), format="csv") == [("x", "one")]
        assert documents(make("b.csv", "text,id\none,x\n"), format="txt")[1] == ("2", "one,x")
        assert documents(make("c.dat.gz", gzip.compress(b"text,id\none,x\n")), format="csv") == [("x", "one")]

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "shift_jis"])
    @pytest.mark.parametrize("format", ["txt", "csv", "tsv", "jsonl"])
    def test_encodings(self, format: str, encoding: str, make: Make) -> None:
        """A byte order mark tells all but the last."""
        content = {"jsonl": '{"text": "日本語"}\n'}.get(format, "text\n日本語\n")
        how = {"encoding": encoding} if encoding == "shift_jis" else {}
        path = make(f"a.{format}", content.encode(encoding))
        assert documents(path, **how, batch_bytes=3)[-1][1] == "日本語"

    @pytest.mark.parametrize(
        ("name", "how", "message"),
        [
            ("lost.txt", {}, "^lost.txt: no such file or folder$"),
            ("lost/", {}, "^lost/: no such file or folder$"),
            ("a.pdf", {}, r"^a.pdf: unknown ending; known are .txt, .csv.*\.gz.*--format"),
            ("a.gz", {}, "^a.gz: unknown ending"),
            ("blank.txt", {"format": "xml"}, "^unknown format 'xml'; known are txt, csv, tsv, jsonl"),
            ("blank.txt", {"encoding": "utf-9"}, "unknown encoding 'utf-9'"),
            ("blank.txt", {"batch_bytes": 0}, "batch_bytes is 0; it must be at least 1"),
            ("blank.txt", {"text": "body"}, "^blank.txt: column 'body' was asked for, but plain text has no"),
            ("blank.txt", {}, "^no documents in blank.txt: 2 blank"),
            ("junk.txt", {}, "^junk.txt does not look like text"),
            ("names.csv", {}, "^names.csv: none of the columns .*: 'name', 'n'; name the text"),
            ("parts", {}, r"2.csv: no column 'id'; its columns are 'text'"),
            ("pdfs", {}, "^pdfs: no texts in this folder; expected files ending in .txt, .csv"),
            ("texts", {}, "^no documents in texts: 1 blank"),
            ("none", {"format": "txt"}, "no files in this folder"),
            *((f"empty.{format}", {}, f"^empty.{format} is empty$") for format in FORMATS),
            *((os.devnull, {"format": format}, f"^{os.devnull} is empty") for format in FORMATS),
        ],
    )
    def test_refused(self, name: str, how: dict[str, Any], message: str, make: Make) -> None:
        for made in ("a.pdf", "a.gz", "pdfs/a.pdf"):
            make(made, "text")
        for made in ("texts/a.txt", *(f"empty.{format}" for format in FORMATS)):
            make(made, "")
        make("blank.txt", "\ufeff \n\t\r\n")
        make("junk.txt", bytes(range(256)) * 20)
        make("names.csv", "name,n\nsmith,5\n")
        make("parts/1.csv", "id,text\n1,one\n")
        make("parts/2.csv", "text\ntwo\n")
        Path("none").mkdir()
        with pytest.raises(InputError, match=message):
            documents(name, **how)

    @pytest.mark.parametrize("wrong", [io.StringIO("one"), ["one", "two"]])
    def test_what_is_no_source(self, wrong: Any) -> None:
        with pytest.raises(InputError, match="expected a path or a file opened in binary mode"):
            Reading(wrong)


class TestBatchSize:
    """The documents, and what is said about them, do not depend on the size of a batch."""

    JSON = (
        *('{"text": "a"}', '{"text": "b\\u0000"}', '{"text": "\\ud800 c\\ud83d\\ude00", "id": 1.50}'),
        *('{"text": "d", "x": NaN, "id": [1, "\\u00e4"]}', '{"text": null, "text": "e"}', '{"id": 1e400}'),
        *('{"text": "\\\\ud800"}', '{"text": 5}', '{"x": {"text": 5}, "text": "nested"}', '{"text": '),
        *("[]", " ", ""),
    )

    @given(st.text(alphabet="a \r\n\u2028é\0"), st.integers(1, 20))
    def test_lines(self, content: str, size: int) -> None:
        assert self.outcome(content.encode(), "txt", size) == self.outcome(content.encode(), "txt", 1 << 20)

    @given(st.text(alphabet='a,\r\n" '), st.integers(1, 20))
    def test_delimited(self, body: str, size: int) -> None:
        content = ("text,id\n" + body).encode()
        assert self.outcome(content, "csv", size) == self.outcome(content, "csv", 1 << 20)

    @given(st.lists(st.sampled_from(JSON)), st.sampled_from(["\n", "\r\n"]), st.integers(1, 80))
    def test_json_lines(self, lines: list[str], end: str, size: int) -> None:
        content = ('{"text": "first", "id": 7}' + end + end.join(lines)).encode()
        assert self.outcome(content, "jsonl", size) == self.outcome(content, "jsonl", 1 << 20)

    @given(st.lists(st.tuples(st.none() | st.text(max_size=5), st.none() | st.integers()), min_size=1))
    def test_parquet(self, rows: list[tuple[str | None, int | None]]) -> None:
        frame = pl.DataFrame(rows, schema={"text": pl.String, "id": pl.Int128}, orient="row")
        content = parquet(frame.cast({"id": pl.String}))
        assert self.outcome(content, "parquet", 2) == self.outcome(content, "parquet", 1 << 20)

    @staticmethod
    def outcome(content: bytes, format: str, size: int) -> object:
        reading = Reading(io.BytesIO(content), format=format, batch_bytes=size)
        try:
            documents = [d for batch in reading for d in zip(batch.ids, batch.texts, strict=True)]
        except InputError as error:
            return str(error)
        return documents, reading.skipped, reading.columns


class TestTooLong:
    """A record longer than 64 MiB is refused, and no more of it is held."""

    @pytest.mark.parametrize(
        ("name", "ending", "start", "line"),
        [
            ("a.txt", "", "one\n", 2),
            ("a.txt", ".xz", "one\n", 2),
            ("a.csv", "", 'id,text\n1,one\n2,"', 3),
            ("a.tsv", "", "id\ttext\n", 2),
            ("a.jsonl", ".gz", '{"text": "one"}\n{"text": "', 2),
            ("a.csv", ".zst", '"', 1),
        ],
    )
    def test_of_a_file(self, name: str, ending: str, start: str, line: int, make: Make) -> None:
        path = make(name + ending, COMPRESS[ending](start.encode() + b"a" * (70 << 20)))
        with pytest.raises(
            InputError, match=rf"^{name}{ending}, line {line}: a (record|document) longer than 64 MiB"
        ):
            documents(path)

    def test_a_text_in_a_parquet_file(self, make: Make) -> None:
        path = make("a.parquet", parquet(pl.DataFrame({"text": ["one", "a" * (65 << 20), "three"]})))
        with pytest.raises(InputError, match=r"^a.parquet, row 2: a document longer than 64 MiB"):
            documents(path)


class TestOddSources:
    def test_closed_standard_input(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """From the start, which Python shows by None, or later."""
        monkeypatch.setattr(sys, "stdin", None)
        with pytest.raises(InputError, match=r"^standard input is closed; expected a file or a pipe$"):
            Reading("-")
        stdin = io.TextIOWrapper(io.BytesIO(b"text"))
        monkeypatch.setattr(sys, "stdin", stdin)
        reading = Reading("-")
        stdin.close()
        with pytest.raises(InputError, match=r"^standard input: cannot be read"):
            list(reading)
        with pytest.raises(InputError, match=r"^standard input is closed"):
            Reading("-")

    @pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
    def test_a_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        master, terminal = os.openpty()
        with os.fdopen(master, "rb"), os.fdopen(terminal, "rb") as stdin:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stdin))
            with pytest.raises(InputError, match=r"^standard input is a terminal; expected a file or a pipe"):
                Reading("-")

    @pytest.mark.parametrize("name", ["a[1].{}", "a*.{}", "?.{}", "~.{}", "a\nb.{}", "file:a.{}", "{{}}.{}"])
    @pytest.mark.parametrize("format", ["txt", "csv", "parquet"])
    def test_odd_names(self, name: str, format: str, make: Make) -> None:
        """Polars would take some of them for patterns, and the tilde for the home folder."""
        path = make(name.format(format), one_text(format))
        make(f"a1.{format}", one_text(format))
        assert documents(path) == [("1", "one text")]
        assert documents(Path(path).absolute()) == [("1", "one text")]

    @pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
    @pytest.mark.parametrize("format", ["txt", "csv", "parquet"])
    def test_a_name_that_is_no_text(self, format: str, make: Make) -> None:
        path = make(f"texts/caf\udce9.{format}", one_text(format))
        assert documents(path) == [("1", "one text")]
        assert Reading(path).name.endswith(f"caf\\xe9.{format}")
        number = "" if format == "txt" else ":1"
        assert documents("texts") == [(f"caf\\xe9.{format}{number}", "one text")]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs of POSIX")
    def test_a_fifo_in_a_folder(self, make: Make) -> None:
        """Opening it would block until somebody writes."""
        make("texts/a.txt", "one")
        os.mkfifo("texts/b.txt")
        with pytest.raises(InputError, match=r"b.txt: not a regular file; expected files in a folder"):
            Reading("texts")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs of POSIX")
    @pytest.mark.parametrize("format", ["txt", "csv", "jsonl", "parquet"])
    def test_a_fifo(self, format: str, tmp_path: Path) -> None:
        path = tmp_path / f"a.{format}"
        os.mkfifo(path)
        writer = Thread(target=path.write_bytes, args=[one_text(format)])
        writer.start()
        assert documents(path) == [("1", "one text")]
        writer.join()

    @pytest.mark.skipif(not Path("/dev/zero").exists(), reason="devices of Linux")
    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/full"])
    @pytest.mark.parametrize("format", ["txt", "csv", "tsv", "jsonl", "parquet"])
    def test_an_endless_device(self, device: str, format: str) -> None:
        with pytest.raises(InputError, match=rf"^{device} (does not look like text|is not a Parquet file)"):
            documents(device, format=format)

    @pytest.mark.skipif(os.name != "posix", reason="sockets and links of POSIX")
    def test_a_socket_and_loops_of_links(self, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        make("texts/a.txt", "one")
        os.symlink(".", "texts/loop")
        assert documents("texts") == [("a.txt", "one")]
        os.symlink("b.txt", "texts/b.txt")
        with pytest.raises(InputError, match=r"b.txt: cannot be read \(Too many levels of symbolic links\)"):
            documents("texts")
        os.remove("texts/b.txt")
        os.symlink("lost.txt", "texts/c.txt")
        with pytest.raises(InputError, match=r"c.txt: no such file or folder"):
            documents("texts")
        with socket.socket(socket.AF_UNIX) as open_socket:
            open_socket.bind("a.txt")
            with pytest.raises(InputError, match=r"^a.txt: cannot be read"):
                documents("a.txt")

    @pytest.mark.parametrize("format", ["txt", "csv", "jsonl", "parquet"])
    def test_a_file_that_vanishes(self, format: str, make: Make) -> None:
        path = make(f"texts/a.{format}", b"")
        reading = Reading("texts")
        os.remove(path)
        with pytest.raises(InputError, match=rf"a.{format}: no such file or folder"):
            list(reading)


def test_temporary_files_are_removed(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make("a.parquet.gz", gzip.compress(parquet(pl.DataFrame({"text": ["a", "b"]}))))
    make("b.parquet.gz", gzip.compress(b"junk"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    documents(path)
    given_up = iter(Reading(path, batch_bytes=1))
    next(given_up)
    assert list((tmp_path / "tmp").iterdir())
    del given_up
    with pytest.raises(InputError):
        documents("b.parquet.gz")
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["abstracts_acl_arc", "news_2017", "chinese_reviews", "japanese_packages"])
def test_real_corpora_are_read_as_the_json_module_reads_them(name: str, shared_data: Path) -> None:
    path = shared_data / f"{name}.jsonl.zst"
    with zstd.open(path) as file:
        lines = file.read().splitlines()
    rows = [json.loads(line) for line in lines]
    assert documents(path, batch_bytes=100_000) == [(str(row["id"]), row["text"]) for row in rows]
