"""`topminer topics`, end to end."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from runs import QUICK, write_corpus

from topminer import load
from topminer.cli import main


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("topics")
    corpus = write_corpus(folder / "titles.txt")
    with corpus.open("a", encoding="utf-8") as file:
        file.write("maschinelles übersetzen\n" * 40)
    assert main(["run", str(corpus), *QUICK, "--output", str(folder / "model"), "--quiet"]) == 0
    return folder / "model"


@pytest.fixture
def topics(model: Path, capsys):
    """Run `topminer topics`, and return what it printed."""

    def run(*arguments: object) -> str:
        assert main(["topics", str(model), *map(str, arguments)]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


def test_a_table(topics) -> None:
    shown = topics()
    assert all(f"Topic {k}" in shown for k in range(3))
    assert "maschinelles übersetzen" in shown


def test_json_is_as_documented(topics, model: Path) -> None:
    found = json.loads(topics("--format", "json"))
    assert list(found) == ["topics"]
    for topic, expected in zip(found["topics"], load(model).topics(), strict=True):
        assert list(topic) == ["id", "weight", "words", "phrases"]
        assert (topic["id"], topic["weight"]) == (expected.id, expected.weight)
        assert [(each["word"], each["p"]) for each in topic["words"]] == list(expected.words)
        assert [(each["phrase"], each["frequency"]) for each in topic["phrases"]] == list(expected.phrases)
    assert sum(topic["weight"] for topic in found["topics"]) == pytest.approx(1)


def test_csv_has_a_row_for_each_word_and_phrase(topics) -> None:
    rows = list(csv.DictReader(io.StringIO(topics("--format", "csv"))))
    assert list(rows[0]) == ["topic", "weight", "kind", "rank", "text", "value"]
    assert {row["kind"] for row in rows} == {"word", "phrase"}
    assert "maschinelles übersetzen" in {row["text"] for row in rows}


def test_markdown(topics) -> None:
    lines = topics("--format", "markdown").splitlines()
    assert lines[0].startswith("|  | Topic 0 (")
    assert {line.count("|") for line in lines} == {5}


@pytest.mark.parametrize(("words", "phrases"), [(2, 1), (0, 3), (3, 0), (0, 0)])
def test_how_many_words_and_phrases(topics, words: int, phrases: int) -> None:
    found = json.loads(topics("--format", "json", "--words", words, "--phrases", phrases))["topics"]
    assert {len(topic["words"]) for topic in found} == {words}
    assert max(len(topic["phrases"]) for topic in found) == phrases
    for format in ("table", "csv", "markdown"):
        assert topics("--format", format, "--words", words, "--phrases", phrases)


@pytest.mark.parametrize("format", ["table", "json", "csv", "markdown"])
def test_quiet_prints_nothing(topics, format: str) -> None:
    assert topics("--format", format, "--quiet") == ""


@pytest.mark.parametrize("format", ["table", "json", "csv", "markdown"])
def test_an_output_that_knows_no_umlaut(model: Path, monkeypatch, format: str) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["topics", str(model), "--format", format]) == 0
    assert b"support vector machines" in written.getvalue()
    assert written.getvalue().isascii()
    if format == "json":  # which can escape what the output lacks
        found = json.loads(written.getvalue())["topics"]
        phrases = [each["phrase"] for topic in found for each in topic["phrases"]]
        assert "maschinelles übersetzen" in phrases


def test_a_process_whose_output_is_ascii(model: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "topminer", "topics", str(model)],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    assert (run.returncode, run.stderr) == (0, b"")


def test_no_model(tmp_path: Path, capsys) -> None:
    assert main(["topics", str(tmp_path)]) == 2
    assert capsys.readouterr() == (
        "",
        f"topminer: error: {tmp_path}: no model here (there is no model.json)\n",
    )


def test_an_unknown_format(model: Path, capsys) -> None:
    assert main(["topics", str(model), "--format", "xml"]) == 2
    assert "invalid value for '--format'" in capsys.readouterr().err
