"""`topminer demo --keep`: what it leaves behind, and what it does not replace unasked."""

from pathlib import Path

import pytest

from topminer import load
from topminer.cli import demo, main
from topminer.demo import paragraphs


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "N_SWEEPS", 3)


def test_the_corpus_the_model_and_the_report_stay(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--keep", "a folder/demo"]) == 0
    shown = capsys.readouterr().out
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
    model = load(folder / "model")
    assert len(model.corpus_) == len(paragraphs())
    arguments = ["--topics", "8", "--sweeps", "3", "--significance", "2", "--no-report", "--quiet"]
    assert main(["run", str(folder / "reference.txt"), *arguments, "--output", "again"]) == 0
    assert load("again").topics() == model.topics()
    assert not Path("topminer-demo.html").exists()


def test_hardly_any_phrases_are_warned_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("topminer.demo.paragraphs", lambda: ["one red fish", "two blue birds", "green trees"])
    monkeypatch.setattr(demo, "N_TOPICS", 2)
    assert main(["demo"]) == 0
    assert Path("topminer-demo.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    err = " ".join(capsys.readouterr().err.split())
    assert "Warning: Hardly any phrases (none of several words for 2 topics)" in err
    assert main(["demo", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_an_earlier_demo_is_replaced_only_when_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("topminer.demo.paragraphs", lambda: ["one red fish", "two blue birds", "green trees"])
    monkeypatch.setattr(demo, "N_TOPICS", 2)
    Path("demo").mkdir()
    Path("demo/reference.txt").write_text("mine")
    assert main(["demo", "--keep", "demo"]) == 2
    assert "reference.txt: exists already; --overwrite replaces it" in capsys.readouterr().err
    assert [path.name for path in Path("demo").iterdir()] == ["reference.txt"]
    assert main(["demo", "--keep", "demo", "--overwrite", "--quiet"]) == 0
    assert main(["demo", "--keep", "demo", "--overwrite", "--report", "x.html", "--quiet"]) == 0
    assert len(Path("demo/reference.txt").read_text(encoding="utf-8").splitlines()) == 3


def test_a_file_is_no_folder(capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").touch()
    assert main(["demo", "--keep", "file"]) == 2
    assert "file: cannot be made: File exists" in capsys.readouterr().err
