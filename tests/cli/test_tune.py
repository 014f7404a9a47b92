"""`topminer tune`, end to end."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from clocks import ENOUGH
from runs import write_corpus

from topminer.cli import main
from topminer.cli.tune import Tried, _numbers, _thresholds
from topminer.errors import InputError
from topminer.evaluation.recommend import Point
from topminer.evaluation.tune import Tuning

QUICK = ["--topics", "2,4", "--thresholds", "2", "--sweeps", "20", "--repeats", "2"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "titles.txt")


@pytest.fixture
def run(corpus: Path, capsys):
    """Run `topminer tune` on the titles, and return what it printed."""

    def tune(*arguments: object, code: int = 0, quick: bool = True) -> tuple[str, str]:
        given = [*(QUICK if quick else []), *map(str, arguments)]
        assert main(["tune", str(corpus), *given]) == code
        return capsys.readouterr()

    return tune


def test_the_grid_the_reasons_and_what_is_next(run, corpus: Path) -> None:
    shown = run()[0]
    assert "300 documents" in shown
    assert "4 models, 20 sweeps each" in shown
    assert "perplexity" in shown
    assert "• 2 topics, threshold 2: perplexity " in shown
    assert shown.splitlines()[-1] == (
        f"  topminer run {corpus} --topics 2 --significance 2 --output titles-model"
    )


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
    assert [(each["n_topics"], each["threshold"]) for each in found["points"]] == [
        *((2, 3.0), (2, None), (4, 3.0), (4, None)),
    ]
    assert found["recommended"] in found["points"]
    assert found["recommended"]["threshold"] == 3.0
    assert found["points"][1]["phrase_coherence"] is None
    assert "--significance 3" in found["command"]
    assert json.loads(run("--thresholds", "none,3", "--format", "json")[0])["why"] == found["why"]


def test_the_grid_as_csv_and_markdown(run) -> None:
    head, *rows = run("--format", "csv")[0].splitlines()
    assert head.startswith("n_topics,threshold,perplexity,perplexity_error,coherence")
    assert [row.split(",")[0] for row in rows] == ["2", "4"]
    assert run("--format", "markdown")[0].startswith("| topics | threshold | perplexity | ± | coherence |")


def test_words_alone(run) -> None:
    out = run("--thresholds", "none")[0]
    assert "words alone" in out
    assert out.splitlines()[-1].endswith("--topics 2 --no-phrases --output titles-model")


def test_the_files(run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "tuning"
    err = run("--output", folder)[1]
    assert f"tune.json, tune.svg, tune.html written to {folder}" in err
    written = json.loads((folder / "tune.json").read_text(encoding="utf-8"))
    assert len(written["points"]) == 2
    assert (folder / "tune.svg").read_text(encoding="utf-8").startswith("<svg")
    page = (folder / "tune.html").read_text(encoding="utf-8")
    assert written["why"][0] in page
    assert written["command"] in page
    assert sorted(path.name for path in folder.iterdir()) == ["tune.html", "tune.json", "tune.svg"]


def test_files_are_replaced_only_when_told(run, tmp_path: Path) -> None:
    (tmp_path / "tune.svg").write_text("mine", encoding="utf-8")
    assert "tune.svg: exists already; --overwrite replaces it" in run("--output", tmp_path, code=2)[1]
    assert not (tmp_path / "tune.json").exists()
    run("--output", tmp_path, "--overwrite", "--quiet")
    assert (tmp_path / "tune.svg").read_text(encoding="utf-8") != "mine"


def test_a_file_is_no_directory_to_write_to(run, corpus: Path) -> None:
    assert "is a file; expected a directory" in run("--output", corpus, code=2)[1]


def test_quiet_prints_nothing(run) -> None:
    assert run("--quiet") == ("", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--topics", "5,x"], "--topics must be whole numbers from 1 to 65,535"),
        (["--topics", "0"], "--topics must be whole numbers from 1 to 65,535"),
        (["--thresholds", "2,-1"], "--thresholds must be numbers from 0 on"),
        (["--thresholds", "nan"], "--thresholds must be numbers from 0 on"),
        (["--min-support", "no"], "--min-support must be"),
        (["--topics", "100000"], "--topics must be whole numbers from 1 to 65,535"),
        (["--seeds", "0"], "repeats"),
    ],
)
def test_what_cannot_be_meant_is_one_line_on_standard_error(run, arguments: list[str], said: str) -> None:
    out, err = run(*arguments, code=2)
    assert out == ""
    assert err.startswith("topminer: error: ")
    assert said in err


@pytest.mark.small
def test_numbers_and_thresholds_are_sorted_and_each_counts_once() -> None:
    assert _numbers("10, 5,10") == [5, 10]
    assert _thresholds("none,4 ,2.5,4") == [2.5, 4.0, float("inf")]
    with pytest.raises(InputError):
        _numbers("")
    with pytest.raises(InputError):
        _thresholds("2,,4")


@pytest.mark.small
def test_columns_go_where_there_is_no_room(capsys) -> None:
    from rich.console import Console

    points = tuple(Point(k, 2.0, 12_345.6, 12.3, -0.123, -0.456, 0.78, 12_345, 1_234.5) for k in (10, 1000))
    tried = Tried("x.txt", 1, 2, 3, 4, 5, Tuning(points, points[0], ["Because."]), None)
    for width in (60, 70, 80, 100, 140):
        console = Console(width=width, no_color=True)
        console.print(tried.page(width))
        shown = capsys.readouterr().out
        assert "…" not in shown
        assert "12,345.6" in shown
        assert "0.78" in shown
        assert ("1,234.5" in shown) == (width > 80)
        assert max(map(len, shown.splitlines())) <= width


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_stops_it_cleanly(corpus: Path, tmp_path: Path) -> None:
    script = (
        "import os, sys, topminer.evaluation.grid as grid\n"
        "from topminer.cli import main\n"
        "fit = grid._fit\n"
        "def announced(*given):\n"
        "    os.write(1, b'ready\\n')  # not print(): two threads fit at once\n"
        "    return fit(*given)\n"
        "grid._fit = announced\n"
        "sys.exit(main())\n"
    )
    folder = tmp_path / "tuning"
    arguments = ["tune", str(corpus), "--topics", "2,3", "--thresholds", "2", "--sweeps", "10000000"]
    with subprocess.Popen(
        [sys.executable, "-c", script, *arguments, "--output", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(ENOUGH) == 130
        assert process.stderr.read().splitlines()[-1] == b"topminer: interrupted"
    assert not folder.exists()
