"""Sources read in stretches, as several processes do."""

import gzip
import pickle
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.text.provenance import Skipped
from topminer.text.reading import parquet
from topminer.text.reading.columns import Columns
from topminer.text.reading.reader import Reading
from topminer.text.reading.source import Unit


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parquet, "UNIT_BYTES", 2000)
    Path("in").mkdir()
    return Path("in")


Documents = list[tuple[Any, ...]]


def documents(reading: Reading) -> Documents:
    found = []
    for batch in reading:
        times = [None] * len(batch.ids) if batch.times is None else batch.times.to_list()
        found += list(zip(batch.ids, batch.texts, times, strict=True))
    return found


def in_stretches(reading: Reading, n: int) -> tuple[Documents, Skipped, int]:
    """Everything, read by n processes."""
    reading.settle()
    found, skipped, n_bytes = [], Skipped(), 0
    for stretch in pickle.loads(pickle.dumps(reading.split(n))):
        found += documents(stretch)
        skipped += stretch.skipped
        n_bytes += stretch.bytes_read
        assert stretch.columns == reading.columns
        assert stretch.bytes_read == stretch.bytes_total
    return found, skipped, n_bytes


def check(source: Path, n: int, **how: Any) -> Reading:
    whole = Reading(source, **how)
    expected = documents(whole)
    assert in_stretches(Reading(source, **how), n) == (expected, whole.skipped, whole.bytes_read)
    return whole


contents = st.text("ab \n,é", max_size=20).map(str.encode) | st.sampled_from([b"\xff", b"\xe9 x", b"a\n\x80"])


@settings(max_examples=50)
@given(st.lists(contents, min_size=1, max_size=6), st.integers(1, 5), st.integers(1, 30))
def test_stretches_are_the_whole(files: list[bytes], n: int, batch_bytes: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        for i, content in enumerate([*files, b"text"]):
            Path(made, f"{i}.txt").write_bytes(content)
        check(Path(made), n, batch_bytes=batch_bytes)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_parts_of_a_table(n: int, folder: Path) -> None:
    for i in range(5):
        rows = [f"{year},row {j} of {i}" for j, year in enumerate(range(1990, 2000 + i))]
        (folder / f"{i}.csv").write_text("\n".join(["year,text", *rows, "2001, "]), encoding="utf-8")
    (folder / "2b.csv").write_bytes(b"")
    whole = check(folder, n, time="year", batch_bytes=50)
    assert whole.columns == Columns("text", None, "year")


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_rows_of_a_file(n: int, folder: Path) -> None:
    texts, years = [f"text {i} " + "x" * (i % 70) for i in range(500)], [1900 + i % 99 for i in range(500)]
    path, how = folder / "a.parquet", {"row_group_size": 60, "compression": "uncompressed"}
    pl.DataFrame({"text": texts, "year": years}).write_parquet(path, **how)
    check(path, n, time="year", batch_bytes=500)
    units = Reading(path).units()
    assert len(units) == -(-path.stat().st_size // 2000)
    assert sum(unit.n_bytes or 0 for unit in units) == path.stat().st_size
    assert [unit.rows[0] for unit in units[1:] if unit.rows] == [
        unit.rows[1] for unit in units[:-1] if unit.rows
    ]
    check(folder, n, time="year", batch_bytes=500)


def large(path: Path) -> None:
    """A file of several units."""
    frame = pl.DataFrame({"text": [f"text {i}" for i in range(900)]})
    frame.write_parquet(path, compression="uncompressed")


def test_rows_that_belong_together_are_read_in_one_go(folder: Path) -> None:
    for name in "ab":
        large(folder / f"{name}.parquet")
    reading = Reading(folder)
    assert len(reading.units()) > 4
    stretches = [stretch.units() for stretch in reading.split(2)]
    merged = [[unit.id for unit in parquet.merged(units)] for units in stretches]
    assert merged == [["a.parquet"], ["b.parquet"]]


def test_what_is_not_cut(folder: Path) -> None:
    large(folder / "a.parquet")
    data = (folder / "a.parquet").read_bytes()
    (folder / "b.parquet.gz").write_bytes(gzip.compress(data, 0))
    (folder / "c.parquet").write_bytes(data[:-100])
    pl.DataFrame({"text": [], **{f"c{i}": [] for i in range(200)}}).write_parquet(folder / "d.parquet")
    pl.DataFrame({"text": ["long " * 9999]}).write_parquet(folder / "e.parquet", compression="uncompressed")
    whole = ["b.parquet.gz", "c.parquet", "d.parquet", "e.parquet"]
    assert min((folder / name).stat().st_size for name in whole) > 2000
    assert [unit.id for unit in Reading(folder).units() if unit.rows is None] == whole


def test_files_are_found_from_anywhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes have other current folders; messages name a file as it was given."""
    (folder / "a.txt").write_bytes(b"\xff")
    (stretch,) = Reading(folder, errors="strict").split(1)
    monkeypatch.chdir("/")
    with pytest.raises(InputError, match=r"^in/a.txt, line 1, byte 1: ff is not utf-8"):
        documents(stretch)


def test_the_first_file_with_columns_decides(folder: Path) -> None:
    """Also where a further one has an id."""
    lines = b"", b'{"text": "one"}', b'{"text": "two", "id": "x"}', b'{"text": "three"}'
    for number, line in enumerate(lines):
        (folder / f"{number}.jsonl").write_bytes(line + b"\n")
    whole = check(folder, 3)
    assert [id for id, *_ in documents(whole)] == ["1.jsonl:1", "2.jsonl:1", "3.jsonl:1"]
    assert whole.columns == Columns("text", None, None)


def test_columns_are_found_in_the_first_rows(folder: Path) -> None:
    (folder / "a.jsonl").write_bytes(b'{"body": "some words of text"}\n' * 20_000 + b"{]\n")
    reading = Reading(folder / "a.jsonl", batch_bytes=1000)
    reading.settle()
    assert reading.columns == Columns("body", None, None)
    assert reading.bytes_read < 400_000


# ------------------------------------------------------------------------------ tables as clusters write them


@pytest.fixture
def hive(folder: Path) -> Path:
    """As Spark, Hive and others leave a table."""
    for year, month in (1999, 5), (1999, 12), (2001, 1):
        path = folder / f"year={year}" / f"month={month}"
        path.mkdir(parents=True)
        texts = [f"text {i} of {month} in {year}" for i in range(3)]
        pl.DataFrame({"text": texts}).write_parquet(path / "part-0.snappy.parquet")
        (path / ".part-0.snappy.parquet.crc").write_bytes(b"crc")
    (folder / "_SUCCESS").write_bytes(b"")
    (folder / "_metadata").write_bytes(b"PAR1")
    (folder / "_delta_log").mkdir()
    (folder / "_delta_log" / "00.checkpoint.parquet").write_bytes(b"PAR1")
    return folder


@pytest.mark.parametrize("format", [None, "parquet"])
def test_a_partitioned_table(format: str | None, hive: Path) -> None:
    whole = check(hive, 3, format=format)
    found = documents(whole)
    assert [text for _, text, _ in found[2:4]] == ["text 2 of 12 in 1999", "text 0 of 5 in 1999"]
    assert found[0][0] == "year=1999/month=12/part-0.snappy.parquet:1"
    assert whole.bytes_read == whole.bytes_total


def test_files_without_an_ending(hive: Path) -> None:
    for path in hive.rglob("*.snappy.parquet"):
        path.rename(path.with_name("000000_0"))
    assert len(documents(check(hive, 2, format="parquet"))) == 9


def test_folders_are_columns(hive: Path) -> None:
    found = {(id, time) for id, _, time in documents(check(hive, 2, id="month", time="year"))}
    first, later = datetime(1999, 1, 1), datetime(2001, 1, 1)
    assert found == {("12", first), ("5", first), ("1", later)}


def test_a_column_of_the_file_goes_before_the_folder(folder: Path) -> None:
    """And a partition without a value has no time."""
    path = folder / "id=folder" / "year=__HIVE_DEFAULT_PARTITION__"
    path.mkdir(parents=True)
    pl.DataFrame({"text": ["a"], "id": ["file"]}).write_parquet(path / "a.parquet")
    assert documents(Reading(folder, time="year")) == [("file", "a", None)]


@pytest.mark.parametrize(
    ("path", "columns"),
    [
        ("a.parquet", {}),
        ("a=1.parquet", {}),
        ("x/a=1/b=2=3/c.parquet", {"a": "1", "b": "2=3"}),
        ("a=%2F%20b/c.parquet", {"a": "/ b"}),
        ("a=__HIVE_DEFAULT_PARTITION__/c.parquet", {"a": None}),
    ],
)
def test_columns_in_a_path(path: str, columns: dict[str, str | None]) -> None:
    assert Unit(Path(path), path, path, 0).partition == columns
