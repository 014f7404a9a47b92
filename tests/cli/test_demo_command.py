"""`topminer demo --keep`: what it leaves behind, and what it does not replace unasked."""

from pathlib import Path

import pytest

from topminer import load
from topminer.cli import demo
from topminer.demo import paragraphs


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "N_SWEEPS", 3)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topminer.demo.paragraphs", lambda: ["one red fish", "two blue birds", "green trees"])
    monkeypatch.setattr(demo, "N_TOPICS", 2)


def test_the_corpus_the_model_and_the_report_stay(topminer) -> None:
    shown = topminer("demo", "--keep", "a folder/demo")[0]
    for text in (
        "The language reference that comes with Python, by paragraphs",
        *("Its phrases", "keyword argument", "Its topics", "Topic 0", "Topic 7"),
        "topminer serve 'a folder/demo/model' --open",
        "topminer run FILE --topics 20 --output DIR",
    ):
        assert text in shown
    folder = Path("a folder/demo")
    assert sorted(path.name for path in folder.iterdir()) == ["model", "reference.txt", "report.html"]
    assert (folder / "reference.txt").read_text(encoding="utf-8").splitlines() == paragraphs()
    arguments = ["--topics", "8", "--sweeps", "3", "--significance", "2", "--no-report", "--quiet"]
    topminer("run", folder / "reference.txt", *arguments, "--output", "again")
    assert load("again").topics() == load(folder / "model").topics()
    assert not Path("topminer-demo.html").exists()


@pytest.mark.usefixtures("tiny")
def test_hardly_any_phrases_are_warned_of(topminer) -> None:
    err = " ".join(topminer("demo")[1].split())
    assert Path("topminer-demo.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "Warning: Hardly any phrases (none of several words for 2 topics)" in err
    assert topminer("demo", "--quiet") == ("", "")


@pytest.mark.usefixtures("tiny")
def test_an_earlier_demo_is_replaced_only_when_asked(topminer) -> None:
    Path("demo").mkdir()
    Path("demo/reference.txt").write_text("mine")
    said = topminer("demo", "--keep", "demo", code=2)[1]
    assert "reference.txt: exists already; --overwrite replaces it" in said
    assert [path.name for path in Path("demo").iterdir()] == ["reference.txt"]
    topminer("demo", "--keep", "demo", "--overwrite", "--quiet")
    topminer("demo", "--keep", "demo", "--overwrite", "--report", "x.html", "--quiet")
    assert len(Path("demo/reference.txt").read_text(encoding="utf-8").splitlines()) == 3
    Path("file").touch()
    assert "file: cannot be made: File exists" in topminer("demo", "--keep", "file", code=2)[1]
