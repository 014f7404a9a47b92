"""What workers hold, stored where it lies: the bytes are those that one process would have written."""

import errno
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from directories import bytes_of
from hypothesis import given, settings
from hypothesis import strategies as st
from local_workers import local_engine
from stored_things import declared

from topminer import InputError, store
from topminer.engines.held import Held, store_held
from topminer.store import writer
from topminer.store.schema import Format

FACTS = {"n": 3}
PART = 4
ONE = declared("thing", (), {"x": np.zeros(0, np.int32)})


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "PART_SIZE", PART)
    monkeypatch.setattr(writer, "PART_ROWS", PART)


def table_of(size: int) -> pl.DataFrame:
    """With nulls here and there, long texts and short ones: what Parquet may store in several ways."""
    words = [None if i % 5 == 0 else "a word of the vocabulary " * (i % 3) for i in range(size)]
    times = [None if 4 <= i < 8 else 10**12 * i for i in range(size)]
    schema = {"word": pl.String, "n": pl.Int64, "at": pl.Datetime("us")}
    return pl.DataFrame([words, range(size), times], schema)


def store_in_pieces(directory: Path, things: dict[str, Any], cuts: Sequence[int]) -> None:
    """Have workers hold what lies between two cuts each, and store it."""
    stretches = list(pairwise(cuts))
    engine = local_engine(1, n_workers=len(stretches))
    pieces = [{f"held {name}": each[a:b] for name, each in things.items()} for a, b in stretches]
    placed = engine.place(Held, [(each,) for each in pieces])
    with store.Writer(directory, form_of(things), overwrite=False) as writer:
        writer.write({"more": np.arange(3)}, {})
        store_held(placed, writer, {name: f"held {name}" for name in things})
        writer.finish(FACTS)


def stored(things: dict[str, Any]) -> store.Stored:
    tables = {name: each for name, each in things.items() if isinstance(each, pl.DataFrame)}
    arrays = {name: each for name, each in things.items() if name not in tables}
    return store.Stored(FACTS, {"more": np.arange(3), **arrays}, tables)


def form_of(things: dict[str, Any]) -> Format:
    return declared("thing", FACTS, stored(things).arrays, stored(things).tables)


@given(st.data())
@settings(max_examples=40)
def test_the_bytes_do_not_tell_who_wrote_them(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    size = data.draw(st.integers(0, 30))
    inner = data.draw(st.lists(st.integers(0, size), max_size=4))
    folder = tmp_path_factory.mktemp("pieces")
    things = {
        "ids": np.arange(size, dtype=np.int32) * 7,
        "words": table_of(size),
        "halves": np.arange(size) / 2,
    }
    store.write(folder / "whole", form_of(things), stored(things), overwrite=False)
    store_in_pieces(folder / "pieces", things, [0, *sorted(inner), size])
    assert bytes_of(folder / "pieces") == bytes_of(folder / "whole")


def test_whoever_has_most_of_a_part_writes_it(tmp_path: Path) -> None:
    """One part of 4: one worker holds 1 of it, another 3; and of the next part, the third holds all."""
    written: list[tuple[int, str, int]] = []

    class Watched(Held):
        def __init__(self, number: int, held: dict[str, Any]) -> None:
            super().__init__(held)
            self.number = number

        def write(self, path: Path, *pieces: Any) -> str:
            written.append((self.number, path.name, len(pieces)))
            return super().write(path, *pieces)

    x = np.arange(8, dtype=np.int32)
    pieces = [{"x": x[:1]}, {"x": x[1:4]}, {"x": x[4:]}]
    placed = local_engine(1, n_workers=3).place(Watched, list(enumerate(pieces)))
    with store.Writer(tmp_path, ONE, overwrite=False) as writer:
        store_held(placed, writer, {"x": "x"})
        writer.finish({})
    assert written == [(1, "x.0000.npy", 2), (2, "x.0001.npy", 1)]
    assert store.read(tmp_path, ONE).arrays["x"].tolist() == x.tolist()


@pytest.mark.parametrize("reason", ["No space left on device", "No such file or directory"])
def test_a_disk_that_is_full_or_not_seen_by_a_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, reason)

    placed = local_engine(1, n_workers=2).place(Held, [({"x": np.arange(3, dtype=np.int32)},)] * 2)
    with (
        pytest.raises(InputError, match=f"cannot write the thing: {reason}"),
        store.Writer(tmp_path, ONE, overwrite=False) as writer,
    ):
        if reason.startswith("No space"):
            monkeypatch.setattr(np, "save", full)
        else:
            writer.folder.rmdir()
        store_held(placed, writer, {"x": "x"})
    assert os.listdir(tmp_path) == []
