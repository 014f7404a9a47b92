"""What the headers of a Parquet file say, and whether it can be true."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from torture.tiny_parquet import tiny_parquet

from topminer.errors import InputError
from topminer.text.reading import parquet, parquet_sizes
from topminer.text.reading.parquet_sizes import row_runs
from topminer.text.reading.reader import Reading

EVERYTHING = (0, 1 << 60)
TEXTS = [b"neural network", b"frequent pattern"]


def written(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "a.parquet"
    path.write_bytes(data)
    return path


def texts(path: Path) -> list[str]:
    return [text for batch in Reading(path) for text in batch.texts]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_sizes_of_row_groups(tmp_path: Path, version: Any, dictionary: bool, compression: Any) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"n": range(10), "text": ["word " * i for i in range(10)], "tags": [["a", "b"]] * 10})
    how = {"compression": compression, "data_page_version": version, "use_dictionary": dictionary}
    pq.write_table(table, path, row_group_size=4, **how)
    groups = list(row_runs(path, ["text"], EVERYTHING))
    assert [(start, stop) for start, stop, _ in groups] == [(0, 4), (4, 8), (8, 10)]
    lengths = [sum(5 * i for i in range(start, stop)) for start, stop, _ in groups]
    assert all(
        length <= group.n_bytes <= length + 1000 for length, group in zip(lengths, groups, strict=True)
    )
    more = list(row_runs(path, ["text", "tags"], EVERYTHING))
    assert all(group.n_bytes < both.n_bytes for group, both in zip(groups, more, strict=True))
    assert list(row_runs(path, ["text"], (5, 8))) == groups[1:2]


@pytest.mark.parametrize("dictionary", [True, False])
def test_a_large_row_group_is_cut_between_pages(
    tmp_path: Path, dictionary: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    rows = [f"{i % 50:03} {'word ' * 20}" for i in range(5000)]
    table = pa.table({"id": [str(i) for i in range(5000)], "text": rows})
    pq.write_table(table, path, use_dictionary=dictionary, data_page_size=1000, write_batch_size=100)
    (whole,) = row_runs(path, ["id", "text"], EVERYTHING)
    assert whole[:2] == (0, 5000)
    monkeypatch.setattr(parquet_sizes, "RUN_BYTES", 20_000)
    monkeypatch.setattr(parquet, "BYTES_AT_ONCE", 1)
    parts = list(row_runs(path, ["text"], EVERYTHING))
    assert len(parts) > 3
    assert parts[0].start == 0
    assert parts[-1].stop == 5000
    assert all(before.stop == after.start for before, after in pairwise(parts))
    assert texts(path) == rows
    monkeypatch.setattr(parquet, "UNIT_BYTES", 1000)
    reading = Reading(path)
    reading.settle()
    assert [text for part in reading.split(3) for batch in part for text in batch.texts] == rows


def test_headers_of_polars(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": [{"text": 1}] * 9, "text": ["words"] * 9}).write_parquet(path, row_group_size=5)
    assert [group[:2] for group in row_runs(path, ["text"], EVERYTHING)] == [(0, 5), (5, 9)]
    assert texts(path) == ["words"] * 9


def test_a_page_header_of_many_kilobytes(tmp_path: Path) -> None:
    """Statistics in a page's header hold the smallest and the largest text."""
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table({"text": ["a" * 50_000, "b" * 50_000]}), path, compression="none", write_page_index=False
    )
    assert [group[:2] for group in row_runs(path, ["text"], EVERYTHING)] == [(0, 2)]


def test_files_made_by_hand_are_read(tmp_path: Path) -> None:
    assert texts(written(tmp_path, tiny_parquet(TEXTS))) == ["neural network", "frequent pattern"]
    assert texts(written(tmp_path, tiny_parquet(TEXTS, n_rows=3))) == ["neural network"] * 3


@pytest.mark.parametrize(
    ("lies", "said"),
    [
        ({"file_rows": 3}, "3 rows, but 2 in its row groups"),
        ({"file_rows": 3, "group_rows": 3}, "2 values of column 'text' for 3 rows"),
        ({"file_rows": -1}, "-1 where a size or a count belongs"),
        ({"page_values": 1}, "1 values of column 'text' for 2 rows"),
        ({"page_values": 2**31 - 1}, "2147483647 values of column 'text' for 2 rows"),
        ({"chunk_values": 2**40}, "2 values of column 'text' for 2 rows"),
        ({"page_bytes": -1}, "-1 where a size or a count belongs"),
        ({"compressed_page_bytes": 2**30}, "2 values of column 'text' for 2 rows"),
        ({"data_offset": 10**9}, "values of column 'text' behind its end"),
        ({"data_offset": -1}, "-1 where a size or a count belongs"),
        ({"compressed_chunk_bytes": 2**62}, "values of column 'text' behind its end"),
        ({"encoding": 99}, "unknown encoding 99"),
        ({"n_children": 2}, ""),
        ({"metadata_bytes": 2**31}, "metadata of 2147483648 bytes in a file of"),
        ({"metadata_bytes": 20}, ""),
    ],
)
def test_headers_that_lie(tmp_path: Path, lies: dict[str, int], said: str) -> None:
    path = written(tmp_path, tiny_parquet(TEXTS, **lies))
    with pytest.raises(InputError, match=rf"a.parquet is not a Parquet file, or is damaged \(.*{said}"):
        texts(path)


@pytest.mark.parametrize(
    "data",
    [
        tiny_parquet([b"neural network"], n_rows=2**31 - 1),
        tiny_parquet(TEXTS * 20, page_bytes=2**31 - 1),
        tiny_parquet(TEXTS * 20, n_rows=5, dictionary_bytes=2**31 - 1),
        tiny_parquet(TEXTS, n_rows=5, dictionary_values=2**31 - 1),
    ],
)
def test_a_page_that_is_too_large(tmp_path: Path, data: bytes) -> None:
    message = "are stored together and take more than 1,024 MiB, the most that can be read at once"
    with pytest.raises(InputError, match=message):
        texts(written(tmp_path, data))


@pytest.mark.parametrize(
    "metadata", [b"\x1c" * 5000, b"\x19" * 5000, b"\xff" * 50, b"\x18\xff\xff\xff\x7f", b""]
)
def test_metadata_that_are_no_metadata(tmp_path: Path, metadata: bytes) -> None:
    data = b"PAR1" + metadata + len(metadata).to_bytes(4, "little") + b"PAR1"
    with pytest.raises(InputError, match=r"a.parquet is not a Parquet file, or is damaged"):
        texts(written(tmp_path, data))
