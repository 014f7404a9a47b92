"""`topminer label`, end to end."""

import json
from functools import partial
from pathlib import Path

import pytest
from models import topmine
from runs import model_files, texts

from topminer.topics.results import summary
from topminer.topics.results.own_labels import Labels

AUTOMATIC = ["support vector machines", "data streams \x1b[31m", "association rules"]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("label") / "model"
    topmine(3, n_sweeps=5).fit(texts()).save(folder)
    return folder


@pytest.fixture
def model(fitted: Path, monkeypatch):
    monkeypatch.setattr(summary, "names_of", lambda entries, *_: AUTOMATIC[: entries.model.lda_.n_topics])
    yield fitted
    for name in ("labels.json", "names.json"):
        (fitted / name).unlink(missing_ok=True)


@pytest.fixture
def run(model: Path, topminer):
    """Run `topminer label`, and return what it printed and said."""
    return partial(topminer, "label", model)


def lines(shown: str) -> list[str]:
    return [line.rstrip() for line in shown.splitlines()]


def test_automatic_labels(run) -> None:
    out, err = run()
    assert err == ""
    names = ["support vector machines", "data streams ·[31m", "association rules"]
    assert lines(out) == ["topic  label", *(f"    {k}  {name}" for k, name in enumerate(names))]


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("csv", "topic,label,automatic\n2,'=Rules,association rules\n"),
        (
            "markdown",
            "| topic | label | automatic |\n| ---: | --- | --- |\n| 2 | =Rules | association rules |\n",
        ),
        ("json", '{"topics": [{"id": 2, "label": "=Rules", "automatic": "association rules"}]}'),
    ],
)
def test_every_format(run, format: str, expected: str) -> None:
    run(2, "=Rules")
    out = run(2, "--format", format)[0]
    assert json.loads(out) == json.loads(expected) if format == "json" else out == expected


def test_names_are_kept_beside_the_model(run, model: Path, monkeypatch) -> None:
    """So that the documents need not be read again."""
    first = run()
    monkeypatch.setattr("topminer.loading.load", None)
    assert run() == first


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: {**kept, "model": "model-0123456789abcdef"},
        lambda kept: {**kept, "names": kept["names"][:-1]},
        lambda kept: {**kept, "names": [*kept["names"][:-1], 7]},
        lambda kept: {**kept, "names": "data streams"},
        lambda kept: {**kept, "format": 1},  # names were found in another way
        lambda kept: {name: value for name, value in kept.items() if name != "format"},
        lambda kept: {**kept, "topics": [len(kept["names"])]},
        lambda kept: {**kept, "topics": None},
        lambda kept: {**kept, "documents": ["1"]},
        lambda kept: {**kept, "in_topic": [-1.0]},
        lambda kept: {**kept, "in_topic": None},
        lambda kept: [],
    ],
)
def test_names_that_are_not_this_models_are_found_anew(run, model: Path, damage) -> None:
    first, path = run(), model / "names.json"
    whole = path.read_bytes()
    path.write_text(json.dumps(damage(json.loads(whole))))
    assert run() == first and path.read_bytes() == whole


def test_renaming(run, model: Path) -> None:
    before = model_files(model)
    assert run(1, " Streams  of\tdata ") == ("", "Topic 1 is now called Streams of data\n")
    assert json.loads((model / "labels.json").read_text())["labels"] == {"1": "Streams of data"}
    assert lines(run()[0])[2] == "    1  Streams of data          data streams ·[31m"
    assert lines(run(1)[0])[1] == "    1  Streams of data  data streams ·[31m"
    assert model_files(model) == before
    run(2, "Rules", "of", "association", "--quiet")  # words need no quotes
    assert Labels.read(model).names[2] == "Rules of association"


def test_reset(run, model: Path) -> None:
    for number, name in enumerate(("zero", "one", "two")):
        assert run(number, name, "--quiet") == ("", "")
    assert run("--quiet") == ("", "")
    assert run(1, "--reset")[1] == "Topic 1 has its automatic label again\n"
    assert Labels.read(model).names == {0: "zero", 2: "two"}
    assert run(0, "")[1] == "Topic 0 has its automatic label again\n"
    assert Labels.read(model).names == {2: "two"}
    assert run("--reset")[1] == "All topics have their automatic labels again\n"
    assert not (model / "labels.json").exists()
    assert run("--reset", "--quiet") == ("", "")  # nothing to forget


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, "x"), "there is no topic 3; topics are numbered from 0 to 2"),
        ((3,), "there is no topic 3"),
        ((3, "--reset"), "there is no topic 3"),
        (("x",), "should be a valid integer"),
        ((1, "x\x1b[31m"), "without control characters"),
        ((1, "x" * 121), "at most 120 characters"),
        ((1, "x", "--reset"), "--reset forgets a name: give no TEXT with it"),
    ],
)
def test_bad_arguments(run, model: Path, arguments: tuple, message: str) -> None:
    out, err = run(*arguments, code=2)
    assert out == "" and message in err
    assert not (model / "labels.json").exists()


def test_labels_that_are_damaged_or_of_another_model(run, model: Path) -> None:
    (model / "labels.json").write_text("{")
    assert "labels.json: damaged: not JSON" in run(code=2)[1]
    (model / "labels.json").write_text('{"format": 1, "model": "model-x", "labels": {"7": "seven"}}')
    out, err = run()
    assert "seven" not in out and "labels of another model" in err and "do not count" in err
    assert "are forgotten" in run(1, "one")[1]
    assert run()[1] == ""
    assert Labels.read(model).names == {1: "one"}


def test_no_model(tmp_path: Path, topminer) -> None:
    for arguments in ([], ["1", "x"], ["--reset"]):
        assert "no model here" in topminer("label", tmp_path, *arguments, code=2)[1]


def test_topics_and_exports_are_called_so(run, model: Path, topminer) -> None:
    run(2, "Rules of thumb")
    for format in ("table", "markdown"):
        assert "Rules of thumb" in topminer("topics", model, "--format", format)[0]
    for to in ("markdown", "latex"):
        assert "Topic 2: Rules of thumb" in topminer("export", model, "--to", to, "--output", "-")[0]
