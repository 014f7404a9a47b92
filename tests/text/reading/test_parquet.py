"""Parquet files."""

from datetime import date
from pathlib import Path

import polars as pl
import pytest
from torture.tiny_parquet import tiny_parquet

from topminer.errors import InputError
from topminer.text.reading.reader import Reading


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("a.parquet")


def test_categories_are_text(path: Path) -> None:
    kinds = pl.DataFrame({"text": ["a", None, "b"], "id": ["x", "y", "x"]})
    kinds.cast({"text": pl.Categorical, "id": pl.Enum(["x", "y"])}).write_parquet(path)
    (batch,) = Reading(path)
    assert (batch.texts.to_list(), batch.ids.to_list()) == (["a", "b"], ["x", "x"])


@pytest.mark.parametrize("ids", [[1, None], [1.5, None], [date(1999, 5, 17), None], [True, None]])
def test_ids_of_any_type(ids: list[object], path: Path) -> None:
    pl.DataFrame({"text": ["a", "b"], "id": ids}).write_parquet(path)
    (batch,) = Reading(path)
    assert batch.ids.to_list() == [str(ids[0]).lower(), "2"]


@pytest.mark.parametrize(
    ("role", "values", "message"),
    [
        ("text", [1, 2], "holds Int64 values, expected text"),
        ("text", [["a"], ["b"]], r"holds List\(String\) values, expected text"),
        ("text", [b"a", b"b"], "holds Binary values, expected text"),
        ("id", [["a"], ["b"]], r"holds List\(String\) values, expected text or numbers"),
        ("time", [True, False], "holds Boolean values, expected dates, times or years"),
    ],
)
def test_columns_that_do_not_fit(role: str, values: list[object], message: str, path: Path) -> None:
    pl.DataFrame({"text": ["a", "b"], "x": values}).write_parquet(path)
    with pytest.raises(InputError, match=rf"^a.parquet: column 'x' {message}$"):
        list(Reading(path, **{role: "x"}))  # type: ignore[arg-type]


def test_a_wrong_time(path: Path) -> None:
    pl.DataFrame({"text": ["a", "b"], "time": [1999, 99]}).write_parquet(path)
    with pytest.raises(InputError, match=r"^a.parquet, row 2: '99' is not a time"):
        list(Reading(path, time="time"))


@pytest.mark.parametrize(
    "junk",
    [b"PAR1", b"text,id\none,1\n" * 99, b"PAR1" + bytes(999) + b"PAR1", tiny_parquet([b"a", b"b"])[:-10]],
)
def test_another_kind_of_file(junk: bytes, path: Path) -> None:
    path.write_bytes(junk)
    with pytest.raises(
        InputError, match=r"^a.parquet is not a Parquet file, or is damaged \(.*\)$"
    ) as caught:
        list(Reading(path))
    assert "\n" not in str(caught.value)


def test_damaged_pages(path: Path) -> None:
    pl.DataFrame({"text": [f"text {i}" for i in range(9999)]}).write_parquet(path)
    data = bytearray(path.read_bytes())
    data[50:2000] = bytes(1950)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"^a.parquet is not a Parquet file, or is damaged"):
        list(Reading(path))


def test_batches_are_bounded_and_in_order(path: Path) -> None:
    texts = [f"text {i} " + "words " * (i % 100) for i in range(50_000)]
    pl.DataFrame({"text": texts}).write_parquet(path, row_group_size=7000)
    reading = Reading(path, batch_bytes=100_000)
    seen = []
    for batch in reading:
        assert batch.texts.str.len_bytes().sum() < 200_000
        seen += batch.texts.to_list()
    assert seen == texts
    assert reading.bytes_read == reading.bytes_total


def test_no_permission(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    pl.DataFrame({"text": ["a"]}).write_parquet(path)
    monkeypatch.setattr(pl, "scan_parquet", refuse)
    with pytest.raises(InputError, match=r"^a.parquet: no permission to read it$"):
        list(Reading(path))
