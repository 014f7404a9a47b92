"""`topminer tune`, end to end."""

import json
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from clocks import ENOUGH
from runs import all_files, page_of
from stops import start

from topminer.cli import main
from topminer.cli.tune import Tried, _numbers, _thresholds
from topminer.errors import InputError
from topminer.evaluation.recommend import Point
from topminer.evaluation.tune import Tuning

QUICK = ["--topics", "2,4", "--thresholds", "2", "--sweeps", "20", "--repeats", "2"]


@pytest.fixture
def run(corpus: Path, topminer):
    """Run `topminer tune` on the titles, and return what it printed."""
    return partial(topminer, "tune", corpus, *QUICK)


def test_the_grid_the_reasons_and_what_is_next(run, corpus: Path) -> None:
    shown = run()[0]
    said = ("300 documents", "4 models, 20 sweeps each", "• 2 topics, threshold 2: perplexity ", "▸ 2 ")
    assert [text for text in said if text not in shown] == []
    command = f"  topminer run {corpus} --topics 2 --significance 2 --output titles-model"
    assert shown.splitlines()[-1] == command


def test_the_command_that_is_next_works(run, corpus: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--no-stem", "--min-support", "4", "--seed", "3"]
    command = run(*options)[0].splitlines()[-1].split()
    assert command == [
        *("topminer", "run", str(corpus), "--no-stem", "--topics", "2", "--significance", "2"),
        *("--min-support", "4", "--seed", "3", "--output", "titles-model"),
    ]
    assert main([*command[1:], "--sweeps", "5", "--no-report"]) == 0
    assert (tmp_path / "titles-model").is_dir()


@pytest.mark.parametrize(
    "options", [["--paper"], ["--quality", "-0.5", "--evidence", "none", "--no-ties"], ["--quality", "none"]]
)
def test_how_phrases_are_judged_is_part_of_the_command(run, corpus: Path, options: list[str]) -> None:
    command = run(*options, "--seeds", 1)[0].splitlines()[-1].split()
    start, end = command.index("--significance"), command.index("--output")
    assert command[start:end] == ["--significance", "2", *options]


def test_json_holds_what_is_shown(run) -> None:
    found = json.loads(run("--thresholds", "none,3", "--json")[0])
    assert (found["n_documents"], found["n_sweeps"], found["n_seeds"], found["seed"]) == (300, 20, 2, 0)
    tried = [(each["n_topics"], each["threshold"]) for each in found["points"]]
    assert tried == [(2, 3.0), (2, None), (4, 3.0), (4, None)]
    assert found["recommended"] in found["points"] and found["recommended"]["threshold"] == 3.0
    assert found["points"][1]["phrase_coherence"] is None
    assert "--significance 3" in found["command"]


def test_the_grid_as_csv_and_markdown(run) -> None:
    head, *rows = run("--format", "csv")[0].splitlines()
    assert head.startswith("n_topics,threshold,perplexity,perplexity_error,coherence")
    assert [row.split(",")[0] for row in rows] == ["2", "4"]
    assert run("--format", "markdown")[0].startswith("| topics | threshold | perplexity | ± | coherence |")


def test_words_alone(run) -> None:
    out = run("--thresholds", "none")[0]
    assert "words alone" in out
    assert out.splitlines()[-1].endswith("--topics 2 --no-phrases --output titles-model")


def test_the_files(run, corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "tuning"
    assert f"tune.json, tune.svg, tune.html written to {folder}" in run("--output", folder)[1]
    files = {name: content.decode() for name, content in all_files(folder).items()}
    assert sorted(files) == ["tune.html", "tune.json", "tune.svg"]
    written = json.loads(files["tune.json"])
    assert len(written["points"]) == 2
    assert files["tune.svg"].startswith("<svg")
    assert written["why"][0] in files["tune.html"] and written["command"] in files["tune.html"]
    assert "is a file; expected a directory" in run("--output", corpus, code=2)[1]


def test_files_are_replaced_only_when_told(run, tmp_path: Path) -> None:
    (tmp_path / "tune.svg").write_text("mine", encoding="utf-8")
    assert "tune.svg: exists already; --overwrite replaces it" in run("--output", tmp_path, code=2)[1]
    assert not (tmp_path / "tune.json").exists()
    assert run("--output", tmp_path, "--overwrite", "--quiet") == ("", "")
    assert (tmp_path / "tune.svg").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        *(
            (f"--topics {x}", "--topics must be whole numbers from 1 to 65,535")
            for x in ("5,x", "0", "100000")
        ),
        *((f"--thresholds {x}", "--thresholds must be numbers from 0 on") for x in ("2,-1", "nan")),
        ("--min-support no", "--min-support must be"),
        ("--seeds 0", "repeats"),
    ],
)
def test_what_cannot_be_meant_is_one_line_on_standard_error(run, arguments: str, said: str) -> None:
    out, err = run(*arguments.split(), code=2)
    assert out == "" and err.startswith("topminer: error: ") and said in err


@pytest.mark.small
def test_numbers_and_thresholds_are_sorted_and_each_counts_once() -> None:
    assert _numbers("10, 5,10") == [5, 10]
    assert _thresholds("none,4 ,2.5,4") == [2.5, 4.0, float("inf")]
    for read, nothing in ((_numbers, ""), (_thresholds, "2,,4")):
        with pytest.raises(InputError):
            read(nothing)


@pytest.mark.small
@pytest.mark.parametrize("width", [60, 70, 80, 100, 140])
def test_columns_go_where_there_is_no_room(width: int) -> None:
    points = tuple(Point(k, 2.0, 12_345.6, 12.3, -0.123, -0.456, 0.78, 12_345, 1_234.5) for k in (10, 1000))
    shown = page_of(Tried("x.txt", 1, 2, 3, 4, 5, Tuning(points, points[0], ["Because."]), None), width)
    assert "…" not in shown and "12,345.6" in shown and "0.78" in shown
    assert ("1,234.5" in shown) == (width > 80)
    assert max(map(len, shown.splitlines())) <= width


INTERRUPTED_WHILE_FITTING = """
import os, sys, topminer.evaluation.grid as grid
from topminer.cli import main
fit = grid._fit
def announced(*given):
    os.write(1, b'ready\\n')  # not print(): two threads fit at once
    return fit(*given)
grid._fit = announced
sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_stops_it_cleanly(corpus: Path, tmp_path: Path) -> None:
    arguments = ["tune", corpus, "--topics", "2,3", "--thresholds", "2", "--sweeps", "10000000"]
    with start("-c", INTERRUPTED_WHILE_FITTING, *arguments, "--output", tmp_path / "tuning") as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(ENOUGH) == 130
        assert process.stderr.read().splitlines()[-1] == "topminer: interrupted"
    assert not (tmp_path / "tuning").exists()
