"""The user's own names of topics."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from topminer import InputError, ToPMine
from topminer.store.file_lock import locked
from topminer.store.files import MAX_JSON
from topminer.topics.results import own_labels as module
from topminer.topics.results.own_labels import LOCK, LONGEST, Labels, update_labels

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


def rename(directory: Path, topic: int, text: str) -> Labels:
    return update_labels(directory, lambda labels: labels.renamed(topic, text))


def write_labels(directory: Path, labels: object, **more: object) -> None:
    content = {"format": 1, "model": MODEL, "labels": labels, **more}
    (directory / "labels.json").write_text(json.dumps(content))


def test_no_labels(directory: Path) -> None:
    labels = Labels.read(directory)
    assert (dict(labels.names), labels.foreign, labels.n_topics) == ({}, False, 5)


def test_labels_come_back(directory: Path) -> None:
    rename(directory, 3, "Machine translation")
    labels = rename(directory, 0, "机器翻译 <b> 'x'\"")
    assert json.loads((directory / "labels.json").read_text()) == {
        "format": 1,
        "model": MODEL,
        "labels": {"3": "Machine translation", "0": "机器翻译 <b> 'x'\""},
    }
    assert Labels.read(directory) == labels
    assert list(Labels.read(directory).names) == [0, 3]
    assert sorted(path.name for path in directory.iterdir()) == ["labels.json", "model.json"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (" a\t\n b\u3000 c\x85", "a b c"),
        ("x" * LONGEST, "x" * LONGEST),
        ("می‌خواهم", "می‌خواهم"),
        ("👩‍💻 code", "👩‍💻 code"),
    ],
)
def test_a_label_is_a_line_of_text(directory: Path, text: str, label: str) -> None:
    first = Labels.read(directory).renamed(1, "one")
    assert first.renamed(1, text).names == {1: label}
    assert first.names == {1: "one"}  # nothing is changed in place


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_an_empty_text_is_the_automatic_label_again(directory: Path, text: str) -> None:
    labels = Labels.read(directory).renamed(1, "one").renamed(2, "two")
    assert labels.renamed(1, text).names == {2: "two"}
    assert labels.renamed(4, text).names == labels.names


def test_without_labels_there_is_no_file(directory: Path) -> None:
    for topic, text in ((1, "one"), (1, ""), (1, "")):  # the last time there is nothing to remove
        rename(directory, topic, text)
    assert not (directory / "labels.json").exists()
    rename(directory, 1, "one")
    update_labels(directory, Labels.cleared)
    assert [path.name for path in directory.iterdir()] == ["model.json"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        *(
            (f"red{bad}[31m", rf"without control characters .* U\+{ord(bad):04X}")
            for bad in "\x1b\0\x7f\x9b\u202e\u2066\u200f\u061c\ud800"
        ),
        *((text, "that can be seen") for text in ("\u200b", "\u0301", "\u200d")),
        ("x" * (LONGEST + 1), "at most 120 characters, not 121"),
    ],
)
def test_labels_that_are_refused(directory: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        rename(directory, 1, text)
    assert [path.name for path in directory.iterdir()] == ["model.json"]  # no lock is left


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
    rename(directory, 4, "four")
    write_model(directory, "model-fedcba9876543210", n_topics=2)
    labels = Labels.read(directory)
    assert (dict(labels.names), labels.foreign) == ({}, True)
    rename(directory, 1, "one")
    again = Labels.read(directory)
    assert (dict(again.names), again.foreign) == ({1: "one"}, False)


@pytest.mark.parametrize(
    "labels",
    [
        *({number: "x"} for number in ("5", "-1", "03", "٣", "three", "9" * 5000)),
        *({"1": label} for label in ("", 7, None, "two  blanks", "\u001b[31m", ["x"], True)),
        *({"1": "x" * n} for n in (121, 1_000_000)),
        *([], "labels", None),
    ],
)
def test_damaged_labels(directory: Path, labels: object) -> None:
    write_labels(directory, labels)
    with pytest.raises(InputError, match=r"labels\.json: damaged: "):
        Labels.read(directory)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        *((content, "damaged: ") for content in (b"", b"{", b"[]", b"3", b"[" * 100_000, b"{}")),
        (b"\xff\xfe", "damaged: not JSON"),
        (b"\0" * (MAX_JSON + 1), r"damaged: longer than \d+ MiB"),
    ],
    ids=range(8),
)
def test_a_damaged_file(directory: Path, content: bytes, complaint: str) -> None:
    (directory / "labels.json").write_bytes(content)
    with pytest.raises(InputError, match=rf"labels\.json: {complaint}"):
        Labels.read(directory)


@pytest.mark.skipif(os.name != "posix", reason="named pipes of POSIX")
@pytest.mark.parametrize("name", ["labels.json", "model.json"])
def test_a_named_pipe_is_refused_without_waiting_for_a_writer(directory: Path, name: str) -> None:
    (directory / name).unlink(missing_ok=True)
    os.mkfifo(directory / name)
    with pytest.raises(InputError, match="is not an ordinary file"):
        Labels.read(directory)


@pytest.mark.parametrize("number", [2, "1", None, 0, -1, True, 1.0, "9" * 5000])
def test_a_newer_format(directory: Path, number: object) -> None:
    write_labels(directory, {}, format=number)
    shown = str(number)[:20]
    with pytest.raises(InputError, match=rf"labels\.json: format {shown}; this topminer reads up to 1"):
        Labels.read(directory)


def test_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no model here"):
        Labels.read(tmp_path)
    (tmp_path / "model.json").write_text("[]")
    with pytest.raises(InputError, match="not written by topminer"):
        Labels.read(tmp_path)


def test_a_folder_in_the_way(directory: Path) -> None:
    (directory / "labels.json").mkdir()
    with pytest.raises(InputError, match=r"labels\.json: "):
        Labels.read(directory)
    with pytest.raises(InputError, match=r"labels\.json: "):
        rename(directory, 1, "one")


def test_labels_that_cannot_be_written(directory: Path, monkeypatch) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("topminer.store.files.write_atomically", full)
    expected = r"^\S*labels\.json: cannot be written: No space left on device$"
    with pytest.raises(InputError, match=expected) as refused:
        rename(directory, 1, "one")
    assert refused.value.reason == "labels.json: cannot be written: No space left on device"
    assert [path.name for path in directory.iterdir()] == ["model.json"]


# ------------------------------------------------------------------------------------------ several writers


def test_a_change_waits_for_the_lock_and_then_gives_up(directory: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "LOCK_TIMEOUT", 0.0)
    with locked(directory / LOCK, 0), pytest.raises(InputError, match="another process"):
        rename(directory, 1, "one")
    assert rename(directory, 1, "one").names == {1: "one"}


@pytest.mark.skipif(os.name != "posix", reason="symbolic links of POSIX")
def test_a_link_in_place_of_the_lock_is_not_followed(directory: Path, tmp_path: Path) -> None:
    (directory / LOCK).symlink_to(tmp_path / "created through the link")
    with pytest.raises(InputError, match=r"labels\.json: cannot be written"):
        rename(directory, 1, "one")
    assert not (tmp_path / "created through the link").exists()


def test_no_change_is_lost_when_many_write_at_once(directory: Path) -> None:
    write_model(directory, MODEL, n_topics=40)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda topic: rename(directory, topic, f"label {topic}"), range(40)))
    assert Labels.read(directory).names == {topic: f"label {topic}" for topic in range(40)}
    assert sorted(path.name for path in directory.iterdir()) == ["labels.json", "model.json"]


def test_beside_a_real_model(tmp_path: Path) -> None:
    texts = ["frequent pattern mining", "neural network weights"] * 20
    model = ToPMine(2, n_sweeps=5, random_state=0).fit(texts)
    model.save(tmp_path / "model")
    rename(tmp_path / "model", 1, "Nets")
    model.save(tmp_path / "model", overwrite=True)  # the same model
    labels = Labels.read(tmp_path / "model")
    assert (labels.names, labels.n_topics) == ({1: "Nets"}, 2)
    ToPMine(2, n_sweeps=5, random_state=1).fit([*texts, "another"]).save(tmp_path / "model", overwrite=True)
    assert Labels.read(tmp_path / "model").foreign
