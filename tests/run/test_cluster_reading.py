"""Reading on several workers: what is stored is what one machine stores, byte for byte."""

import gzip
import io
import json
import lzma
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from directories import bytes_of
from hypothesis import given, settings
from hypothesis import strategies as st
from local_workers import local_engine

from topminer import store
from topminer.errors import InputError
from topminer.run import reading_worker as cluster_reading
from topminer.run.reading_worker import read
from topminer.store import writer
from topminer.store.formats import STORED_CORPUS
from topminer.text.corpus import Corpus
from topminer.text.reading import parquet

SENTENCE = (
    "Mining frequent patterns, and the frequent pattern trees of U.S. data (12 of them) -- Grüße an 日本"
)


def text(i: int, n: int = 12) -> str:
    words = SENTENCE.split()
    return " ".join(words[(i * 7 + j * (i % 5 + 1)) % len(words)] for j in range(n)) + f" word{i % 11}"


def rows(start: int, stop: int) -> list[dict[str, Any]]:
    return [{"key": f"k{i}", "year": str(1990 + i % 20), "text": text(i)} for i in range(start, stop)]


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def csv(rows: list[dict[str, Any]]) -> bytes:
    return pl.DataFrame(rows).write_csv().encode()


def table(rows: list[dict[str, Any]], **how: Any) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(rows).write_parquet(file, **how)
    return file.getvalue()


def lines(start: int, stop: int) -> bytes:
    return "\n".join(text(i) for i in range(start, stop)).encode()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: messages name files as they were given."""
    monkeypatch.chdir(tmp_path)
    return Path("in")


@pytest.fixture(autouse=True)
def in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are asked often, and much of what they store lies at two of them."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # for many small files
    monkeypatch.setattr(cluster_reading, "STRETCH_SECONDS", 0.0)
    monkeypatch.setattr(cluster_reading, "SURFACES_AT_ONCE", 5)
    monkeypatch.setattr(parquet, "UNIT_BYTES", 2000)
    monkeypatch.setattr(writer, "PART_SIZE", 70)
    monkeypatch.setattr(writer, "PART_ROWS", 7)


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def on_workers(source: Any, target: Path, n_workers: int = 3, n_threads: int = 1, **how: Any) -> Corpus:
    with store.Writer(target, STORED_CORPUS, overwrite=False) as writer:
        return read(local_engine(n_threads, n_workers), source, how, writer)


def check(source: Path, n_workers: int = 3, n_threads: int = 1, batch_bytes: int = 300, **how: Any) -> Corpus:
    """Read both ways, and give the corpus."""
    how = {"batch_bytes": batch_bytes, **how}
    local = Corpus.read(source, n_threads=1, **how)
    with tempfile.TemporaryDirectory() as made:
        here, there = Path(made, "here"), Path(made, "there")
        local.save(here)
        bare = on_workers(source, there, n_workers, n_threads, **how)
        assert bytes_of(there) == bytes_of(here)
    assert len(bare) == bare.n_tokens == 0
    assert bare.vocabulary.equals(local.vocabulary)
    assert (bare.rules, bare.origin) == (local.rules, local.origin)
    return local


def check_error(source: Any, **how: Any) -> str:
    """Both ways fail alike, and nothing is left."""
    with pytest.raises(InputError) as local:
        Corpus.read(source, n_threads=1, **how)
    with pytest.raises(InputError) as there:
        on_workers(source, Path("out"), **how)
    assert str(there.value) == str(local.value)
    assert not bytes_of(Path("out"))
    return str(local.value)


def numbered(ending: str, *contents: bytes) -> dict[str, bytes]:
    """Files in this order."""
    return {f"{i}.{ending}": content for i, content in enumerate(contents)}


def json_lines() -> dict[str, bytes]:
    return numbered("jsonl", *(jsonl(rows(9 * i, 9 * i + 9)) for i in range(5)))


def empty_files_between() -> dict[str, bytes]:
    some = [jsonl(rows(9 * i, 9 * i + 9)) for i in range(5)]
    return numbered("jsonl", b"", b"", *some[:2], b"", b"", *some[2:], b"")


def undecodable() -> dict[str, bytes]:
    return numbered("txt", lines(0, 9), b"Gr\xfc\xdfe\n and \xff more", lines(9, 14), b"\xfe lost")


FOLDERS: dict[str, Callable[[], dict[str, bytes]]] = {
    "texts": lambda: {f"{i // 4}/{i:02}.txt": text(i, 30).encode() for i in range(13)},
    "lines of JSON": json_lines,
    "compressed": lambda: numbered("csv.gz", *(gzip.compress(csv(rows(9 * i, 9 * i + 9))) for i in range(5))),
    "a compressed table": lambda: {"a.parquet.xz": lzma.compress(table(rows(0, 60)))},
    "Parquet": lambda: numbered("parquet", *(table(rows(40 * i, 40 * i + 40)) for i in range(3))),
    "empty files between": empty_files_between,
    "blank documents": lambda: numbered("txt", b" \n\n", b"\t", lines(0, 5), b"", lines(5, 9), b" "),
    "workers that keep nothing": lambda: numbered("txt", b"and the of", b"cats and dogs", b"the"),
    "undecodable bytes": undecodable,
    "NULs and separators": lambda: numbered(
        "txt", *(f"one\0two / three{i} ... four -- five".encode() for i in range(4))
    ),
}


@pytest.mark.parametrize("make", FOLDERS.values(), ids=FOLDERS)
@pytest.mark.parametrize("n_workers", [1, 3])
def test_a_folder(make: Callable[[], dict[str, bytes]], n_workers: int, folder: Path) -> None:
    write(folder, make())
    check(folder, n_workers)


@pytest.mark.parametrize(
    "how",
    [
        {"id": "key", "time": "year"},
        {"time": "year", "keep_texts": False},
        {"token_pattern": r"\w+"},
        {"stem": False, "stop_words": []},
        {"stop_word_policy": "break", "numbers": False},
        {"stop_word_policy": "keep", "language": None},
    ],
    ids=lambda how: ", ".join(how),
)
def test_options(how: dict[str, Any], folder: Path) -> None:
    write(folder, empty_files_between())
    check(folder, n_threads=2, **how)


def test_workers_without_documents(folder: Path) -> None:
    """They have times all the same; and there may be more workers than files."""
    write(folder, {"0.jsonl": jsonl(rows(0, 20)), "1.jsonl": b"\n" * 999, "2.jsonl": b""})
    check(folder, time="year")
    check(folder / "0.jsonl", n_workers=4)


def test_rows_of_one_file_are_shared(folder: Path) -> None:
    write(folder, {"a.parquet": table(rows(0, 300), row_group_size=70, compression="uncompressed")})
    corpus = check(folder / "a.parquet", time="year")
    assert corpus.ids.to_list() == [str(i) for i in range(1, 301)]
    parts = cluster_reading.Reading(folder / "a.parquet").split(3)
    assert min(sum(len(batch.texts) for batch in part) for part in parts) > 80


def test_partitioned_as_hive_does(folder: Path) -> None:
    made = {
        f"lang=en/year={1990 + i}/part-0.parquet": table([{"text": text(j)} for j in range(9 * i, 9 * i + 9)])
        for i in range(4)
    }
    write(folder, {**made, "_SUCCESS": b"", "_metadata": b"PAR1", "_delta_log/0.checkpoint.parquet": b"PAR1"})
    corpus = check(folder, time="year", id="lang")
    assert corpus.times is not None
    assert corpus.times.dt.year().unique(maintain_order=True).to_list() == [1990, 1991, 1992, 1993]
    assert set(corpus.ids) == {"en"}
    assert check(folder).ids[0] == "lang=en/year=1990/part-0.parquet:1"


# ----------------------------------------------------------------------------------------------- errors


def test_the_first_error_of_the_source(folder: Path) -> None:
    """Though the last worker finds another one much sooner."""
    bad = jsonl(rows(20, 26)) + b"{]\n"
    write(folder, {"0.jsonl": jsonl(rows(0, 20)), "1.jsonl": bad, "2.jsonl": b"{}[]\n" + jsonl(rows(0, 20))})
    assert check_error(folder, batch_bytes=300).startswith("in/1.jsonl, line 7: not valid JSON")


def test_bytes_that_cannot_be_decoded(folder: Path) -> None:
    write(folder, undecodable())
    origin = check(folder).origin
    assert (origin.n_undecodable, origin.first_undecodable) == (4, "in/1.txt, line 1, byte 3")
    assert "line 1, byte 3" in check_error(folder, errors="strict")


@pytest.mark.parametrize(
    ("files", "how"),
    [
        (numbered("csv", csv(rows(0, 9)), csv(rows(0, 9))), {"text": "body"}),
        (numbered("csv", csv(rows(0, 9)), csv(rows(0, 9))), {"time": "key"}),
        (numbered("parquet", table(rows(0, 9)), b"PAR1 or not"), {}),
        (numbered("jsonl", b'{"text": "a text"}\n', b'{"body": "no text"}\n' * 30), {}),
        (numbered("txt", b"", b""), {}),
        (numbered("txt", b" ", b"\n", b"", b" "), {}),
        (numbered("jsonl", b"\n", b""), {}),
        (numbered("txt", b"and the", b"of 17", b"the"), {"numbers": False}),
        (numbered("txt", b"...", b"!"), {}),
        (numbered("txt", b"a", b"b"), {"token_pattern": "("}),
        (numbered("txt", b"a"), {"encoding": "klingon"}),
        (numbered("txt", b"a"), {"language": "klingon"}),
        (numbered("txt", b"a"), {"text": "body"}),
    ],
)
def test_errors_are_those_of_one_machine(files: dict[str, bytes], how: dict[str, Any], folder: Path) -> None:
    write(folder, files)
    check_error(folder, **how)


def test_no_such_folder(folder: Path) -> None:
    assert check_error(folder) == "in: no such file or folder"


def test_standard_input_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"^standard input: .*; give a file or a folder$"):
        on_workers("-", folder)


# ------------------------------------------------------------------------------------------ on the way


def test_progress_goes_to_the_end(folder: Path) -> None:
    files = json_lines()
    write(folder, files)
    told: list[tuple[Any, ...]] = []
    with store.Writer(Path("out"), STORED_CORPUS, overwrite=False) as writer:
        engine = local_engine(1, 3)
        read(engine, folder, {"batch_bytes": 300}, writer, lambda *state: told.append(state))
    reading = [state for state in told if state[0] == "Reading"]
    total = sum(map(len, files.values()))
    assert {state[2:] for state in reading} == {(total, "bytes", "3 workers")}
    assert [state[1] for state in reading] == sorted(state[1] for state in reading)
    assert reading[-1][1] == total
    assert len(reading) > 3


documents = st.text("ab. ,-\n\0'é", max_size=12) | st.sampled_from(
    ["and the", "cat of Cats", "日本", " ", "a\0the"]
)


@settings(max_examples=30)
@given(st.lists(documents, min_size=1, max_size=8), st.integers(1, 4), st.integers(1, 20), st.booleans())
def test_any_small_folder(texts: list[str], n_workers: int, batch_bytes: int, numbers: bool) -> None:
    with tempfile.TemporaryDirectory() as made:
        write(Path(made), {f"{i}.txt": text.encode() for i, text in enumerate([*texts, "one word"])})
        check(Path(made), n_workers, batch_bytes=batch_bytes, numbers=numbers)
