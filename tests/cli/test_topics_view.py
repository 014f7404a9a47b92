"""Topics in the terminal, from topics made by hand."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from topminer.cli.topics_view import drawn
from topminer.topics.results.topic import Topic, TopicPhrase, TopicWord

pytestmark = pytest.mark.small


def topic(number: int, weight: float, words: list[str], phrases: list[str]) -> Topic:
    return Topic(
        number,
        weight,
        tuple(TopicWord(word, 0.1) for word in words),
        tuple(TopicPhrase(phrase, 9.5) for phrase in phrases),
    )


MINING = topic(
    0,
    0.32,
    ["data", "mining", "patterns"],
    ["data mining", "mining frequent itemsets in large databases", "association rules"],
)
LEARNING = topic(1, 0.16, ["learning", "kernel"], ["support vector machines", "machine learning"])
WEB = topic(2, 0.081, ["web", "search", "semantic"], [])
CHINESE = topic(3, 0.0002, ["数据挖掘", "图"], ["支持向量机与大规模分布式机器学习系统的研究", "自然语言处理"])
HOSTILE = topic(
    4,
    0.01,
    [
        "<script>",
        "a|b",
        "two\nlines",
        "=1+1",
        "\u202eevil\u2066",
        "\x1b[31mred",
        "👩‍🔬",
        "[bold]x[/bold]",
        ":smile:",
    ],
    ["[/] not markup", "e\u0301" * 60, "🎉" * 40],
)
EVERY = [MINING, LEARNING, WEB, CHINESE, HOSTILE]


def page(topics: list[Topic], width: int = 80, **more) -> str:
    console = Console(file=io.StringIO(), width=width, **more)
    console.print(drawn(topics, width))
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n")).rstrip("\n")


def test_topics_side_by_side() -> None:
    assert (
        page([MINING, LEARNING, WEB, CHINESE], 76)
        == """\
Topic 0  32.0 %                        Topic 1  16.0 %
━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━   ━━━━━━━━━━━━━━━━━━──────────────────
data                                   learning
mining                                 kernel
patterns
────────────────────────────────────   ────────────────────────────────────
data mining                            support vector machines
mining frequent itemsets in large d…   machine learning
association rules

Topic 2  8.1 %                         Topic 3  < 0.1 %
━━━━━━━━━───────────────────────────   ────────────────────────────────────
web                                    数据挖掘
search                                 图
semantic
────────────────────────────────────   ────────────────────────────────────
no phrases                             支持向量机与大规模分布式机器学习系…
                                       自然语言处理"""
    )


def test_a_narrow_terminal_shows_one_below_the_other() -> None:
    assert (
        page([LEARNING, CHINESE], 24)
        == """\
Topic 1  16.0 %
━━━━━━━━━━━━━━━━━━━━━━━━
learning
kernel
────────────────────────
support vector machines
machine learning

Topic 3  < 0.1 %
────────────────────────
数据挖掘
图
────────────────────────
支持向量机与大规模分布…
自然语言处理"""
    )


def test_words_alone_need_no_second_rule() -> None:
    assert page([WEB]) == "Topic 2  8.1 %\n━━━━━━━━━━━━━━\nweb\nsearch\nsemantic"


def test_a_topic_with_nothing_in_it() -> None:
    assert page([topic(0, 0.0, [], [])]) == "Topic 0  0.0 %\n──────────────"


def test_no_topics() -> None:
    assert page([]) == "No topics."


@pytest.mark.parametrize(("width", "n_in_block"), [(40, [2, 2, 2, 1]), (80, [4, 3]), (200, [7])])
def test_as_many_side_by_side_as_fit_in_blocks_of_one_size(width: int, n_in_block: list[int]) -> None:
    topics = [topic(i, 1 / 7, ["word"], ["some phrase"]) for i in range(7)]
    heads = [line for line in page(topics, width).split("\n") if "Topic" in line]
    assert [line.count("Topic") for line in heads] == n_in_block


@pytest.mark.parametrize("width", [1, 12, 40, 80, 200])
@pytest.mark.parametrize("topics", [EVERY, EVERY * 20, [HOSTILE], [CHINESE]], ids=len)
def test_no_line_is_too_long(topics: list[Topic], width: int) -> None:
    lines = page(topics, width).split("\n")
    assert max(map(cell_len, lines)) <= width
    if width >= 40:
        assert sum(line.count("Topic ") for line in lines) == len(topics)


def test_any_text_is_shown_as_text() -> None:
    shown = page([HOSTILE], 40).split("\n")
    assert shown[2:12] == [
        "<script>",
        "a|b",
        "two lines",
        "=1+1",
        "·evil·",
        "·[31mred",
        "👩‍🔬",
        "[bold]x[/bold]",
        ":smile:",
        "─" * 40,
    ]
    assert shown[12:] == ["[/] not markup", "e\u0301" * 39 + "…", "🎉" * 19 + "…"]


def test_own_names_stand_below_the_numbers() -> None:
    console = Console(file=io.StringIO(), width=60)
    console.print(drawn([MINING, LEARNING], 60, {1: "Kernels \x1b[31mand all that goes with them"}))
    head, names, *_ = console.file.getvalue().splitlines()
    assert head.split() == ["Topic", "0", "32.0", "%", "Topic", "1", "16.0", "%"]
    assert names.strip().startswith("Kernels ·[31mand all") and names.rstrip().endswith("…")


def test_no_names_take_no_room() -> None:
    console = Console(file=io.StringIO(), width=60)
    console.print(drawn([MINING], 60, {7: "another topic's"}))
    assert "━" in console.file.getvalue().splitlines()[1]
