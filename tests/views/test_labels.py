"""The user's own names of topics."""

import json
from pathlib import Path

import pytest

from topminer import InputError, ToPMine
from topminer.views.labels import LONGEST, Labels

MODEL = "model-0123456789abcdef"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """As much of a model of 5 topics as labels look at."""
    write_model(tmp_path, MODEL)
    return tmp_path


def write_model(directory: Path, data: str, n_topics: object = 5) -> None:
    facts = {"parameters": {"n_topics": n_topics}}
    manifest = {"format": 1, "kind": "model", "facts": facts, "files": {}, "data": data}
    (directory / "model.json").write_text(json.dumps(manifest))


def write_labels(directory: Path, labels: object, **more: object) -> None:
    content = {"format": 1, "model": MODEL, "labels": labels, **more}
    (directory / "labels.json").write_text(json.dumps(content))


def test_no_labels(directory: Path) -> None:
    labels = Labels.read(directory)
    assert (dict(labels.names), labels.foreign, labels.n_topics) == ({}, False, 5)


def test_labels_come_back(directory: Path) -> None:
    labels = Labels.read(directory).renamed(3, "Machine translation").renamed(0, "机器翻译 <b> 'x'\"")
    labels.write()
    assert json.loads((directory / "labels.json").read_text()) == {
        "format": 1,
        "model": MODEL,
        "labels": {"3": "Machine translation", "0": "机器翻译 <b> 'x'\""},
    }
    assert Labels.read(directory) == labels
    assert list(Labels.read(directory).names) == [0, 3]
    assert sorted(path.name for path in directory.iterdir()) == ["labels.json", "model.json"]


def test_renaming_changes_nothing_in_place(directory: Path) -> None:
    first = Labels.read(directory).renamed(1, "one")
    second = first.renamed(1, "uno")
    assert (first.names, second.names) == ({1: "one"}, {1: "uno"})


def test_white_space_is_collapsed(directory: Path) -> None:
    assert Labels.read(directory).renamed(1, " a\t\n b\u3000 c\x85").names == {1: "a b c"}


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_an_empty_text_is_the_automatic_label_again(directory: Path, text: str) -> None:
    labels = Labels.read(directory).renamed(1, "one").renamed(2, "two")
    assert labels.renamed(1, text).names == {2: "two"}
    assert labels.renamed(4, text).names == labels.names


def test_without_labels_there_is_no_file(directory: Path) -> None:
    labels = Labels.read(directory).renamed(1, "one")
    labels.write()
    labels.renamed(1, "").write()
    assert not (directory / "labels.json").exists()
    labels.renamed(1, "").write()  # again: nothing to remove


@pytest.mark.parametrize(
    "bad", ["\x1b", "\0", "\x7f", "\x9b", "\u202e", "\u2066", "\u200f", "\u061c", "\ud800"]
)
def test_characters_that_would_be_obeyed(directory: Path, bad: str) -> None:
    with pytest.raises(InputError, match=rf"without control characters .* U\+{ord(bad):04X}"):
        Labels.read(directory).renamed(1, f"red{bad}[31m")


def test_joiners_of_letters_and_emoji_are_fine(directory: Path) -> None:
    for text in ("می‌خواهم", "👩‍💻 code"):
        assert Labels.read(directory).renamed(1, text).names == {1: text}


@pytest.mark.parametrize("text", ["\u200b", "\u0301", "\u200d\ufeff"])
def test_nothing_to_be_seen(directory: Path, text: str) -> None:
    with pytest.raises(InputError, match="that can be seen"):
        Labels.read(directory).renamed(1, text)


def test_length(directory: Path) -> None:
    assert Labels.read(directory).renamed(1, "x" * LONGEST).names == {1: "x" * LONGEST}
    with pytest.raises(InputError, match="at most 120 characters, not 121"):
        Labels.read(directory).renamed(1, "x" * (LONGEST + 1))


@pytest.mark.parametrize("topic", [-1, 5, 10**9])
def test_no_such_topic(directory: Path, topic: int) -> None:
    with pytest.raises(InputError, match=rf"no topic {topic}; topics are numbered from 0 to 4"):
        Labels.read(directory).renamed(topic, "x")


@pytest.mark.parametrize("n_topics", [None, "5", [5]])
def test_a_manifest_that_does_not_tell_how_many_topics(tmp_path: Path, n_topics: object) -> None:
    write_model(tmp_path, MODEL, n_topics)
    assert Labels.read(tmp_path).renamed(99, "x").names == {99: "x"}
    with pytest.raises(InputError, match="numbered from 0 on"):
        Labels.read(tmp_path).renamed(-1, "x")


def test_labels_of_another_model(directory: Path) -> None:
    Labels.read(directory).renamed(4, "four").write()
    write_model(directory, "model-fedcba9876543210", n_topics=2)
    labels = Labels.read(directory)
    assert (dict(labels.names), labels.foreign) == ({}, True)
    labels.renamed(1, "one").write()
    again = Labels.read(directory)
    assert (dict(again.names), again.foreign) == ({1: "one"}, False)


@pytest.mark.parametrize(
    "labels",
    [
        {"5": "beyond the last topic"},
        {"-1": "x"},
        {"03": "x"},
        {"٣": "x"},
        {"three": "x"},
        {"9" * 5000: "x"},
        {"1": ""},
        {"1": 7},
        {"1": None},
        {"1": "two  blanks"},
        {"1": "\u001b[31m"},
        {"1": "x" * 121},
        [],
        "labels",
        None,
    ],
)
def test_damaged_labels(directory: Path, labels: object) -> None:
    write_labels(directory, labels)
    with pytest.raises(InputError, match=r"labels\.json: damaged: "):
        Labels.read(directory)


@pytest.mark.parametrize("content", ["", "{", "[]", "3", "[" * 100_000, "{}"])
def test_a_damaged_file(directory: Path, content: str) -> None:
    (directory / "labels.json").write_text(content)
    with pytest.raises(InputError, match=r"labels\.json: damaged: "):
        Labels.read(directory)


def test_bytes_that_are_no_text(directory: Path) -> None:
    (directory / "labels.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"labels\.json: damaged: not JSON"):
        Labels.read(directory)


@pytest.mark.parametrize("number", [2, "1", None])
def test_a_newer_format(directory: Path, number: object) -> None:
    write_labels(directory, {}, format=number)
    with pytest.raises(InputError, match=rf"labels\.json: format {number}; this topminer reads up to 1"):
        Labels.read(directory)


def test_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no model here"):
        Labels.read(tmp_path)
    (tmp_path / "model.json").write_text("[]")
    with pytest.raises(InputError, match="not written by topminer"):
        Labels.read(tmp_path)


def test_a_folder_in_the_way(directory: Path) -> None:
    labels = Labels.read(directory).renamed(1, "one")
    (directory / "labels.json").mkdir()
    with pytest.raises(InputError, match=r"labels\.json: "):
        labels.write()
    with pytest.raises(InputError, match=r"labels\.json: "):
        labels.renamed(1, "").write()
    with pytest.raises(InputError, match=r"labels\.json: "):
        Labels.read(directory)


def test_beside_a_real_model(tmp_path: Path) -> None:
    texts = ["frequent pattern mining", "neural network weights"] * 20
    model = ToPMine(2, n_sweeps=5, random_state=0).fit(texts)
    model.save(tmp_path / "model")
    Labels.read(tmp_path / "model").renamed(1, "Nets").write()
    model.save(tmp_path / "model", overwrite=True)  # the same model
    labels = Labels.read(tmp_path / "model")
    assert (labels.names, labels.n_topics) == ({1: "Nets"}, 2)
    ToPMine(2, n_sweeps=5, random_state=1).fit([*texts, "another"]).save(tmp_path / "model", overwrite=True)
    assert Labels.read(tmp_path / "model").foreign
