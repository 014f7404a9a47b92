"""`topminer topics` in other orders, without background phrases, with variants together."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from topminer import load
from topminer.cli import main
from topminer.topics.results.summary import ranked_topics

THEMES = (
    ["data mining", "mining of data", "association rules", "itemsets"],
    ["machine translation", "e-mail filters", "email filters", "grammars"],
    ["optical flow", "flow of optics", "face detection", "pixels"],
)
EVERYWHERE = ("experimental results", "case study")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, random = tmp_path_factory.mktemp("orders"), Random(2)
    lines = []
    for i in range(240):
        parts = [random.choice(THEMES[i % 3]) for _ in range(6)]
        parts += [each for each in EVERYWHERE if random.random() < 0.7]
        random.shuffle(parts)
        lines.append(", ".join(parts))
    (folder / "texts.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = ["run", str(folder / "texts.txt"), "--topics", "3", "--sweeps", "60", "--significance", "2"]
    assert main([*run, "--seed", "1", "--no-report", "--quiet", "--output", str(folder / "model")]) == 0
    return folder / "model"


@pytest.fixture
def topics(model: Path, capsys: pytest.CaptureFixture[str]):
    """Run `topminer topics`, and return what it printed."""

    def run(*arguments: object, code: int = 0) -> str:
        assert main(["topics", str(model), *map(str, arguments)]) == code
        out, err = capsys.readouterr()
        assert (err == "") == (code == 0)
        return str(out if code == 0 else err)

    return run


def phrases_in(printed: str) -> list[list[tuple[str, float]]]:
    found = json.loads(printed)["topics"]
    return [[(each["phrase"], each["frequency"]) for each in topic["phrases"]] for topic in found]


@pytest.mark.parametrize(
    ("arguments", "ranked"),
    [
        ([], {}),
        (["--hide-background", "--tie-variants"], {}),  # once options, now what is usual
        (["--order", "kert"], {"order": "kert"}),
        (["--order", "relevance", "--relevance", "0"], {"order": "relevance", "weight": 0}),
        (["--all"], {"background": True, "tie": False}),
        (["--all", "--order", "kert"], {"order": "kert", "background": True, "tie": False}),
    ],
)
def test_json_is_what_the_view_gives(topics, model: Path, arguments: list[str], ranked: Any) -> None:
    expected = ranked_topics(load(model), **ranked)
    printed = topics("--format", "json", *arguments)
    assert phrases_in(printed) == [[tuple(phrase) for phrase in topic.phrases] for topic in expected]
    words = json.loads(printed)["topics"]
    assert [[each["word"] for each in topic["words"]] for topic in words] == [
        [word.word for word in topic.words] for topic in expected
    ]
    if not ranked:
        assert expected == load(model).topics()


def test_documents_are_read_once_to_find_background_phrases(topics, model: Path, monkeypatch: Any) -> None:
    first = topics()
    assert (model / "names.json").exists()
    monkeypatch.setattr("topminer.loading.keep", None)
    assert topics() == first


def test_background_phrases_are_hidden_and_variants_counted_together(topics) -> None:
    shown, hidden = topics("--all", "--format", "json"), topics("--format", "json")
    for phrase in EVERYWHERE:
        assert phrase in shown and phrase not in hidden
    apart, tied = ({text for topic in phrases_in(each) for text, _ in topic} for each in (shown, hidden))
    for forms in (("data mining", "mining of data"), ("e-mail filters", "email filters")):
        assert len(set(forms) & apart) == 2
        assert len(set(forms) & tied) == 1


@pytest.mark.parametrize("order", ["frequency", "kert", "relevance"])
@pytest.mark.parametrize("format", ["table", "markdown", "csv"])
def test_every_order_in_every_format(topics, order: str, format: str) -> None:
    assert "machine translation" in topics("--order", order, "--format", format)


def test_relevance_of_one_is_frequency(topics) -> None:
    by_relevance = topics("--order", "relevance", "--relevance", "1", "--format", "json")
    for one, other in zip(phrases_in(by_relevance), phrases_in(topics("--format", "json")), strict=True):
        assert [frequency for _, frequency in one] == [frequency for _, frequency in other]


@pytest.mark.parametrize(
    "arguments",
    [["--order", "lift"], ["--relevance", "1.01"], ["--relevance", "-0.1"], ["--relevance", "much"]],
)
def test_what_is_no_order(topics, arguments: list[str]) -> None:
    said = topics(*arguments, code=2)
    assert arguments[0] in said
    assert "Traceback" not in said


def test_relevance_that_is_no_number(topics) -> None:
    assert "Traceback" not in topics("--order", "relevance", "--relevance", "nan", code=2)
