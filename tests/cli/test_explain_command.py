"""`topminer explain`, end to end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from explained import TEXTS

from topminer.cli import explain as explain_module
from topminer.cli import main

TITLE = "The frequent patterns! A pattern on trees"


@pytest.fixture
def titles(tmp_path: Path) -> str:
    path = tmp_path / "titles.txt"
    path.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    return str(path)


TERMS = ["--min-support", "2", "--significance", "1"]


def test_the_tree_is_drawn(titles: str, capsys) -> None:
    assert main(["explain", titles, TITLE, *TERMS]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("The [frequent patterns]! A pattern on trees")
    assert "───┬──┊" in shown
    assert "scored 0.43" in shown


def test_the_options_reach_the_miner(titles: str, tmp_path: Path, capsys) -> None:
    never, always = tmp_path / "never.txt", tmp_path / "always.txt"
    never.write_text("frequent pattern\n", encoding="utf-8")
    always.write_text("pattern tree\n", encoding="utf-8")
    options = ["--never", str(never), "--always", str(always), "--max-length", "3", "--quality", "0.5"]
    words = ["--stop-words", str(never), "--no-stem", "--threads", "1"]
    assert main(["explain", titles, "frequent pattern tree", *TERMS, *options, *words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [phrase["text"] for phrase in told["phrases"]] == ["frequent", "pattern tree"]
    assert (told["max_length"], told["cut"], told["min_support"]) == (3, 0.5, 2)


def test_judgements_are_told_unless_nothing_is_judged(titles: str, capsys) -> None:
    assert main(["explain", titles, TITLE, *TERMS, "--quality", "100", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (judged,) = told["judgements"]
    assert (judged["phrase"]["text"], judged["stays"]) == ("frequent patterns", False)
    assert [phrase["text"] for phrase in told["phrases"]] == ["frequent", "patterns", "pattern", "trees"]
    assert "quality" in {pair["reason"] for pair in told["neighbours"]}
    assert main(["explain", titles, TITLE, *TERMS, "--paper", "--json"]) == 0
    paper = json.loads(capsys.readouterr().out)
    assert (paper["cut"], paper["judgements"], paper["threshold"]) == (None, [], 1.0)
    assert paper["phrases"][0]["text"] == "frequent patterns"


@pytest.mark.parametrize(
    ("name", "start"), [("t.svg", b"<svg"), ("t.PNG", b"\x89PNG"), ("t.html", b"<!doctype")]
)
def test_files(titles: str, tmp_path: Path, capsys, name: str, start: bytes) -> None:
    file = tmp_path / name
    assert main(["explain", titles, TITLE, *TERMS, "--output", str(file)]) == 0
    out, err = capsys.readouterr()
    assert "Merge tree" in out
    assert f"Merge tree written to {file}" in err
    assert file.read_bytes().startswith(start)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["titles.txt", name])

    before = file.read_bytes()
    file.write_bytes(b"mine")
    assert main(["explain", titles, TITLE, *TERMS, "--output", str(file)]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert file.read_bytes() == b"mine"
    assert main(["explain", titles, TITLE, *TERMS, "--output", str(file), "--overwrite", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", ["tree.pdf", "tree", "absent/tree.svg"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path, capsys, name) -> None:
    assert main(["explain", "absent.txt", "text", "--output", str(tmp_path / name)]) == 2
    error = capsys.readouterr().err
    assert name.partition("/")[2] in error
    assert "absent.txt" not in error
    assert ".svg, .png or .html" in error or "no folder" in error
    assert len(error.splitlines()) == 1


def test_a_drawing_that_fails_leaves_the_old_file(titles: str, tmp_path: Path, capsys, monkeypatch) -> None:
    from topminer.views import merge_tree

    file = tmp_path / "tree.svg"
    file.write_bytes(b"old")
    monkeypatch.setattr(merge_tree, "MOST_WORDS", 1)
    assert main(["explain", titles, TITLE, "--output", str(file), "--overwrite"]) == 2
    assert "a merge tree can be drawn of 1 at most" in capsys.readouterr().err
    assert file.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2


def test_the_text_from_standard_input(titles: str) -> None:
    command = [sys.executable, "-m", "topminer", "explain", titles, "-", *TERMS, "--json"]
    run = subprocess.run(command, input=f"{TITLE}\n".encode(), capture_output=True, check=True)
    assert json.loads(run.stdout)["text"] == TITLE


def test_the_corpus_from_standard_input(titles: str) -> None:
    command = [sys.executable, "-m", "topminer", "explain", "-", TITLE, *TERMS, "--json"]
    run = subprocess.run(command, input=Path(titles).read_bytes(), capture_output=True, check=True)
    assert json.loads(run.stdout)["n_tokens"] == 29


def test_not_both_from_standard_input(capsys) -> None:
    assert main(["explain", "-", "-"]) == 2
    assert "only one of them can be read from standard input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["titles.txt"], "missing argument 'TEXT'"),
        (["absent.txt", "text"], "absent.txt"),
        (["absent.txt", "text", "--significance", "-1"], "greater than or equal to 0"),
    ],
)
def test_bad_usage(capsys, arguments: list[str], message: str) -> None:
    assert main(["explain", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_endings_are_those_the_help_names() -> None:
    assert explain_module.OUTPUTS == (".svg", ".png", ".html")
