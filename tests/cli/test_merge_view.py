"""Merge trees in the terminal, from small explanations."""

import io
import json
import math

import pytest
from explained import HOSTILE, TEXTS, explained
from rich.cells import cell_len
from rich.console import Console

from topminer.cli.merge_view import as_json, drawn
from topminer.cli.tree_drawing import TreeDrawing
from topminer.phrases.explain import Explanation
from topminer.phrases.quality import INTERCEPT
from topminer.views.numbers import quality_text
from topminer.views.wording import STATISTICS, judged_text

TITLE = "The frequent patterns! A pattern on trees"


def page(told: Explanation, width: int = 80, **more) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, emoji=False, highlight=False, **more)
    console.print(drawn(told, width))
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def tree(told: Explanation, width: int = 80) -> list[str]:
    return [row.plain.rstrip() for row in TreeDrawing(told, width).rows]


@pytest.mark.small
def test_the_whole_page() -> None:
    assert (
        page(explained(TITLE, quality=None))
        == """\
The [frequent patterns]! A pattern on trees

threshold 1 · minimum support 2 · 29 counted tokens in the corpus

Merge tree
  threshold 1  ╌╌╌╌╌╌┐      score  seen  expected
  frequent     ───┬──┊
  patterns! A  ───┘  ┊       1.66     9      4.03
  ╶╶╶                ┊
  pattern on   ──────┊╌╌╌┐
  trees        ──────┊╌╌╌┘   0.43     4      3.14

Merges, in order
     left ⊕ right         f(left)  f(right)  seen  expected  score
  1  frequent ⊕ patterns        9        13     9      4.03   1.66
     ╌╌ threshold 1 ╌╌
  2  pattern ⊕ trees           13         7     4      3.14   0.43

Why the others stay apart
  frequent patterns │ pattern  another chunk: ‘! A’ stands between
  pattern │ trees              scored 0.43, below the threshold of 1: seen
                               together 4 times, expected 3.14"""
    )


@pytest.mark.small
def test_a_tree_goes_on_in_the_row_of_its_first_word() -> None:
    texts = ["ash birch cedar elm"] * 9 + ["ash birch"] * 40 + ["cedar elm"] * 20 + ["fir"] * 99
    told = explained("ash birch cedar elm fir ash", texts)
    assert tree(told) == [
        "───┬───┬──┊",
        "───┘   │  ┊",
        "───┬───┘  ┊",
        "───┘      ┊",
        "──────────┊",
        "──────────┊",
    ]
    beyond = explained("ash birch cedar elm fir ash", texts, significance=99.0)
    assert tree(beyond, 13) == [
        "─────┊╌╌┬╌╌┐",
        "─────┊╌╌┘  ╎",
        "─────┊╌╌┬╌╌┘",
        "─────┊╌╌┘",
        "─────┊",
        "─────┊",
    ]


@pytest.mark.small
def test_what_is_always_whole_has_a_double_line() -> None:
    told = explained("tree of frequent pattern trees", always=["frequent pattern tree"])
    assert tree(told) == [
        "────────┊",
        "═╦──────┊",
        "═╣      ┊",
        "═╝      ┊",
    ]
    assert page(told).count("always") == 2


@pytest.mark.small
def test_a_merge_on_a_merge_beyond_the_threshold() -> None:
    told = explained("frequent pattern tree", ["frequent pattern tree"] * 9 + ["x"] * 30, significance=99.0)
    assert tree(told) == [
        "──────┊╌╌╌┬╌╌╌┐",
        "──────┊╌╌╌┘   ╎",
        "──────┊╌╌╌╌╌╌╌┘",
    ]
    assert tree(told, 8) == [
        "───┊┬┐",
        "───┊┘╎",
        "───┊╌┘",
    ]
    assert tree(told, 4) == []


LONG = [f"word{chr(97 + i)}" for i in range(20)]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (TITLE, TEXTS),
        (HOSTILE, TEXTS),
        ("frequent 模式树 شجرة 👨‍👩‍👧 pattern " * 5, TEXTS),
        (" ".join(LONG), [" ".join(LONG)] * 9 + ["x"] * 99),
        ("pneumonoultramicroscopicsilicovolcanoconiosis" * 4, TEXTS),
        ("", TEXTS),
    ],
)
def test_the_page_fits_its_width(text: str, texts: list[str], width: int) -> None:
    for threshold in (1.0, 99.0):
        shown = page(explained(text, texts, significance=threshold), width)
        assert max(map(cell_len, shown.splitlines())) <= width


@pytest.mark.small
@pytest.mark.parametrize("cut", [-1e6, 1e6])
def test_finished_phrases_are_judged_on_the_page(cut: float) -> None:
    told = explained(TITLE, quality=cut)
    (judged,) = told.judgements
    assert judged.quality == pytest.approx(INTERCEPT + sum(judged.parts.values()))
    shown = page(told).partition("Quality of the finished phrases")[2].partition("Why the others")[0]
    lines = [line.strip() for line in shown.strip().splitlines()]
    assert lines[0].startswith(f"Quality is {quality_text(INTERCEPT)} and what each statistic adds.")
    verdict = "stays" if cut < 0 else "is split"
    assert f"frequent patterns  {judged_text(judged, told)}  {verdict}" in lines
    parts = " · ".join(lines[-2:]).split(" · ")  # what adds most, or takes most, comes first
    for name, value in judged.parts.items():
        assert (f"{STATISTICS[name]} {quality_text(value)}" in parts) == (value != 0)
    assert ("its quality is too low" in page(told)) == (cut > 0)


@pytest.mark.small
def test_nothing_is_judged_where_nothing_is_to_be() -> None:
    assert "Quality of" not in page(explained(TITLE, quality=None))
    assert "Quality of" not in page(explained("trees"))


def test_a_tree_too_deep_gives_way_to_the_table() -> None:
    text = " ".join(LONG)
    told = explained(text, [text] * 9 + ["x"] * 99, evidence=None)
    assert "score  seen  expected" in page(told, 120)
    narrow = page(told, 60)
    assert "┬┬┬┬┬" in narrow
    assert "too deep" not in narrow
    assert "too deep for so few columns; --output FILE.svg draws it" in " ".join(page(told, 28).split())


@pytest.mark.small
@pytest.mark.parametrize("text", ["", " \n ", "of the"])
def test_nothing_to_merge(text: str) -> None:
    assert page(explained(text)).endswith("No word of this text takes part in mining.")


@pytest.mark.small
def test_one_word_has_no_numbers() -> None:
    shown = page(explained("pattern"))
    assert "pattern      ──────┊" in shown
    assert "score" not in shown


@pytest.mark.small
def test_text_that_controls_the_terminal_is_shown_as_it_is() -> None:
    shown = page(explained(HOSTILE))
    assert "<script>" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown


@pytest.mark.small
def test_colour_says_what_happens() -> None:
    shown = page(explained(TITLE), force_terminal=True, color_system="standard")
    assert "\x1b[32m───┬──" in shown
    assert "\x1b[2m╌╌╌┘" in shown


@pytest.mark.small
def test_json_holds_everything() -> None:
    told = explained(TITLE)
    plain = json.loads(as_json(told))
    assert plain["threshold"] == 1.0
    assert [phrase["text"] for phrase in plain["phrases"]] == ["frequent patterns", "pattern", "trees"]
    assert plain["merges"][0]["left"] == {
        "first": 0,
        "behind": 1,
        "start": 4,
        "end": 12,
        "text": "frequent",
        "stems": ["frequent"],
        "count": 9,
        "always": False,
    }
    assert [merge["happens"] for merge in plain["merges"]] == [True, False]
    assert [pair["reason"] for pair in plain["neighbours"]] == ["chunk", "score"]
    assert plain["tokens"][1]["stem"] == "pattern"


@pytest.mark.small
def test_json_knows_no_infinity_and_is_ascii_where_nothing_else_can_be_printed() -> None:
    told = explained("模 pattern", significance=math.inf)
    assert json.loads(as_json(told))["threshold"] is None
    assert "模" in as_json(told)
    assert as_json(told, "latin-1").isascii()
