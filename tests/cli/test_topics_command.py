"""`topminer topics`, end to end, and its page, drawn from topics made by hand."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import models
import pytest
from rich.cells import cell_len
from runs import page_of

from topminer import Listing, load
from topminer.cli import main
from topminer.cli.topics import TopicLists
from topminer.topics.results.listing import EVERYTHING
from topminer.topics.results.summary import Summary
from topminer.topics.results.topic import Topic, TopicPhrase, TopicWord

FORMATS = ["table", "json", "csv", "markdown"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(models.stored(), tmp_path_factory.mktemp("topics") / "model"))


@pytest.fixture
def topics(model: Path, topminer):
    """Run `topminer topics`, and return what it printed."""

    def run(*arguments: object, code: int = 0) -> str:
        out, err = topminer("topics", model, *arguments, code=code)
        assert (err == "") == (code == 0)
        return out or err

    return run


def phrases_in(printed: str) -> list[list[tuple[str, float]]]:
    found = json.loads(printed)["topics"]
    return [[(each["phrase"], each["frequency"]) for each in topic["phrases"]] for topic in found]


def test_a_table_is_not_cut_in_a_pipe(topics) -> None:
    shown = topics("--n-phrases", 99, "--all")
    assert all(f"Topic {k}" in shown for k in range(4))
    every = [text for topic in phrases_in(topics("--n-phrases", 99, "--json", "--all")) for text, _ in topic]
    assert [text for text in every if text not in shown] == []
    assert max(map(cell_len, every)) > 24 and "…" not in shown


def test_csv_and_markdown(topics) -> None:
    rows = list(csv.DictReader(io.StringIO(topics("--format", "csv"))))
    assert list(rows[0]) == ["topic", "weight", "kind", "rank", "text", "value"]
    assert {row["kind"] for row in rows} == {"word", "phrase"}
    assert "machine translation" in {row["text"] for row in rows}
    lines = topics("--format", "markdown").splitlines()
    assert lines[0].startswith("|  | Topic 0 (")
    assert {line.count("|") for line in lines} == {6}


@pytest.mark.parametrize(
    ("names", "words", "phrases"),
    [(("--n-words", "--n-phrases"), 2, 1), (("--words", "--phrases"), 0, 3), (("--words", "--top"), 0, 0)],
)
def test_how_many_words_and_phrases(topics, names, words: int, phrases: int) -> None:
    given = [names[0], words, names[1], phrases]
    found = json.loads(topics("--json", *given))["topics"]
    assert {len(topic["words"]) for topic in found} == {words}
    assert max(len(topic["phrases"]) for topic in found) == phrases
    assert all(topics("--format", format, *given) for format in FORMATS)


@pytest.mark.parametrize(
    ("arguments", "listing"),
    [
        ([], {}),
        (["--hide-background", "--tie-variants"], {}),  # once options, now what is usual
        (["--order", "best"], {"order": "best"}),
        (["--order", "frequency"], {"order": "frequency"}),
        (["--order", "kert"], {"order": "kert"}),
        (["--order", "relevance", "--lambda", "0"], {"order": "relevance", "lam": 0}),
        (["--order", "relevance", "--relevance", "1"], {"order": "relevance", "lam": 1}),
        (["--all", "--order", "kert"], {"order": "kert", **EVERYTHING}),
    ],
)
def test_json_is_as_documented(topics, model: Path, arguments: list[str], listing: Any) -> None:
    found = json.loads(topics("--format", "json", *arguments))
    assert list(found) == ["topics"]
    for topic, expected in zip(found["topics"], Summary(load(model)).topics(Listing(**listing)), strict=True):
        assert list(topic) == ["id", "weight", "background", "words", "phrases"]
        assert (topic["id"], topic["weight"]) == (expected.id, expected.weight)
        assert topic["background"] is expected.background
        assert [(each["word"], each["p"]) for each in topic["words"]] == list(expected.words)
        assert [(each["phrase"], each["frequency"]) for each in topic["phrases"]] == list(expected.phrases)


def test_background_phrases_are_hidden_and_variants_counted_together(topics) -> None:
    shown, hidden = (topics("--n-phrases", 99, *more, "--format", "json") for more in (["--all"], []))
    for phrase in models.EVERYWHERE:
        assert phrase in shown and phrase not in hidden
    apart, tied = ({text for topic in phrases_in(each) for text, _ in topic} for each in (shown, hidden))
    forms = {"query optimization", "optimization of queries"}
    assert (len(forms & apart), len(forms & tied)) == (2, 1)


def test_documents_are_read_once_to_find_background_phrases(topics, model: Path, monkeypatch: Any) -> None:
    first = topics()
    assert (model / "names.json").exists()
    monkeypatch.setattr("topminer.loading.keep", None)
    assert topics() == first


@pytest.mark.parametrize(
    "arguments", ["--order lift", "--lambda 1.01", "--lambda much", "--lambda nan", "--format xml"]
)
def test_bad_usage(topics, arguments: str) -> None:
    assert f"invalid value for '{arguments.split()[0]}'" in topics(*arguments.split(), code=2)


@pytest.mark.parametrize("format", FORMATS)
def test_an_output_that_knows_no_astral_letters(topics, model: Path, monkeypatch, format: str) -> None:
    assert topics("--format", format, "--quiet") == ""
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["topics", str(model), "--format", format]) == 0
    shown = written.getvalue().decode("ascii")
    assert "machine translation" in shown
    if format == "json":  # which can escape what the output lacks
        assert any("𝒗ision" in phrase for topic in phrases_in(shown) for phrase, _ in topic)


def test_a_process_whose_output_is_ascii(model: Path) -> None:
    command = [sys.executable, "-m", "topminer", "topics", str(model)]
    run = subprocess.run(command, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True)
    assert (run.returncode, run.stderr) == (0, b"")


def test_no_model(tmp_path: Path, topminer) -> None:
    message = f"topminer: error: {tmp_path}: no model here (there is no model.json)\n"
    assert topminer("topics", tmp_path, code=2) == ("", message)


# The page


def topic(number: int, weight: float, words: list[str], phrases: list[str]) -> Topic:
    phrased = tuple(TopicPhrase(phrase, 9.5) for phrase in phrases)
    return Topic(number, weight, tuple(TopicWord(word, 0.1) for word in words), phrased)


LONG = "mining frequent itemsets in large databases"
MINING = topic(0, 0.32, ["data", "mining", "patterns"], ["data mining", LONG, "association rules"])
LEARNING = topic(1, 0.16, ["learning", "kernel"], ["support vector machines", "machine learning"])
WEB = topic(2, 0.081, ["web", "search", "semantic"], [])
CHINESE = topic(
    3, 0.00002, ["数据挖掘", "图"], ["支持向量机与大规模分布式机器学习系统的研究", "自然语言处理"]
)
ODD = [
    "<script>",
    "a|b",
    "two\nlines",
    "=1+1",
    "\u202eevil\u2066",
    "\x1b[31mred",
    "👩‍🔬",
    "[bold]x[/]",
    ":smile:",
]
HOSTILE = topic(4, 0.01, ODD, ["[/] not markup", "e\u0301" * 60, "🎉" * 40])
EVERY = [MINING, LEARNING, WEB, CHINESE, HOSTILE]


def page(topics: list[Topic], width: int | None = 80, names: dict[int, str] | None = None) -> str:
    return page_of(TopicLists(topics, names or {}), width)


@pytest.mark.small
def test_topics_side_by_side() -> None:
    assert (
        page([MINING, LEARNING, WEB, CHINESE], 76)
        == """\
Topic 0  32 %                          Topic 1  16 %
━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━   ━━━━━━━━━━━━━━━━━━──────────────────
data                                   learning
mining                                 kernel
patterns
────────────────────────────────────   ────────────────────────────────────
data mining                            support vector machines
mining frequent itemsets in large      machine learning
  databases
association rules

Topic 2  8.1 %                         Topic 3  < 0.01 %
━━━━━━━━━───────────────────────────   ────────────────────────────────────
web                                    数据挖掘
search                                 图
semantic
────────────────────────────────────   ────────────────────────────────────
no phrases                             支持向量机与大规模分布式机器学习系
                                         统的研究
                                       自然语言处理"""
    )


@pytest.mark.small
@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        ([WEB], "Topic 2  8.1 %\n━━━━━━━━━━━━━━\nweb\nsearch\nsemantic"),
        ([topic(0, 0.0, [], [])], "Topic 0  0.0 %\n──────────────"),
        ([], "No topics."),
    ],
)
def test_topics_of_which_there_is_little_to_say(topics: list[Topic], expected: str) -> None:
    assert page(topics) == expected


@pytest.mark.small
@pytest.mark.parametrize(("width", "n_in_block"), [(40, [2, 2, 2, 1]), (80, [4, 3]), (200, [7]), (None, [7])])
def test_as_many_side_by_side_as_fit_in_blocks_of_one_size(width: int, n_in_block: list[int]) -> None:
    topics = [topic(i, 1 / 7, ["word"], ["some phrase"]) for i in range(7)]
    heads = [line for line in page(topics, width).split("\n") if "Topic" in line]
    assert [line.count("Topic") for line in heads] == n_in_block


@pytest.mark.small
@pytest.mark.parametrize("width", [1, 12, 40, 80, 200])
@pytest.mark.parametrize("topics", [EVERY, EVERY * 20, [HOSTILE], [CHINESE]], ids=len)
def test_no_line_is_too_long(topics: list[Topic], width: int) -> None:
    lines = page(topics, width).split("\n")
    assert max(map(cell_len, lines)) <= width
    if width >= 40:
        assert sum(line.count("Topic ") for line in lines) == len(topics)


@pytest.mark.small
def test_nothing_is_cut_without_a_width() -> None:
    shown = page(EVERY, None, {0: "name " * 40})
    assert "…" not in shown
    assert all(text in shown for text in (LONG, CHINESE.phrases[0].phrase, "🎉" * 40, "name " * 39))


@pytest.mark.small
def test_any_text_is_shown_as_text() -> None:
    shown = page([HOSTILE], 40).split("\n")
    words = ["<script>", "a|b", "two lines", "=1+1", "·evil·", "·[31mred", "👩‍🔬", "[bold]x[/]", ":smile:"]
    assert shown[2:12] == [*words, "─" * 40]
    folded = ["e\u0301" * 38, "  " + "e\u0301" * 22, "🎉" * 19, "  " + "🎉" * 19, "  " + "🎉" * 2]
    assert shown[12] == "[/] not markup" and shown[13:] == folded


@pytest.mark.small
def test_own_names_stand_below_the_numbers() -> None:
    own = {1: "Kernels \x1b[31mand all that goes with them"}
    head, first, second, *_ = page([MINING, LEARNING], 60, own).splitlines()
    assert head.split() == ["Topic", "0", "32", "%", "Topic", "1", "16", "%"]
    assert f"{first.strip()} {second.strip()}" == "Kernels ·[31mand all that goes with them"
    assert "━" in page([MINING], 60, {7: "another topic's"}).splitlines()[1]
