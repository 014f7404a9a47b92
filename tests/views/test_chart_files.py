"""Charts as files."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from topminer import Corpus, ToPMine
from topminer.errors import InputError
from topminer.views.charts.files import STAGE, write_charts


def model(times: bool) -> ToPMine:
    when = pl.Series("time", [datetime(2001, 1, 1), datetime(2002, 1, 1)] * 20, dtype=pl.Datetime("us"))
    corpus = Corpus.from_texts(["iron ore and zinc", "apple pie and plum"] * 20)
    corpus = replace(corpus, times=when) if times else corpus
    return ToPMine(2, min_support=3, significance=1.0, n_sweeps=5, random_state=0, n_threads=1).fit(corpus)


@pytest.mark.parametrize("times", [False, True])
def test_every_chart_is_written_twice(tmp_path: Path, times: bool) -> None:
    reports: list[tuple[str, int, int | None, str, str]] = []

    def progress(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        reports.append((stage, done, total, unit, note))

    folder = tmp_path / "deep" / "charts"
    written = write_charts(model(times), folder, ["metals <b>", "fruits"], progress)
    names = ["map", *(["trends"] if times else []), "history", "weights", "topic-0", "topic-1"]
    assert written == [folder / f"{name}.{ending}" for name in names for ending in ("svg", "png")]
    assert sorted(folder.iterdir()) == sorted(written)
    assert reports == [(STAGE, i, len(names), "charts", note) for i, note in enumerate([*names, ""])]
    for path in written:
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        else:
            svg = path.read_text(encoding="utf-8")
            assert ElementTree.fromstring(svg).attrib["role"] == "img"
            assert "prefers-color-scheme:dark" in svg
    title = "<title>Phrases of topic 0: metals &lt;b&gt;</title>"
    assert title in (folder / "topic-0.svg").read_text("utf-8")


def test_files_of_an_earlier_run_are_replaced_and_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "map.svg").write_text("old")
    (tmp_path / "other.txt").write_text("mine")
    write_charts(model(times=False), tmp_path)
    assert "<svg" in (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert (tmp_path / "other.txt").read_text() == "mine"
    with pytest.raises(InputError, match="cannot be written"):
        write_charts(model(times=False), tmp_path / "other.txt")
