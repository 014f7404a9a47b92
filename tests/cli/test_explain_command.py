"""`topminer explain`, end to end, and its page, drawn from small explanations."""

import io
import json
import math
import sys
from pathlib import Path

import pytest
from explained import HOSTILE, TEXTS, explained
from rich.cells import cell_len
from runs import page_of

from topminer.cli.explanation import ExplanationResult, TreeDrawing
from topminer.phrases.explain import Explanation
from topminer.phrases.quality import INTERCEPT
from topminer.views.numbers import quality_text
from topminer.views.wording import STATISTICS, judged_text

TITLE = "The frequent patterns! A pattern on trees"


@pytest.fixture
def titles(tmp_path: Path) -> str:
    path = tmp_path / "titles.txt"
    path.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    return str(path)


TERMS = ["--min-support", "2", "--significance", "1"]


@pytest.fixture
def told(titles: str, topminer):
    """What `topminer explain` says about a text as JSON."""
    return lambda text, *options: json.loads(topminer("explain", titles, text, *TERMS, *options, "--json")[0])


def texts_of(phrases: list[dict]) -> list[str]:
    return [phrase["text"] for phrase in phrases]


@pytest.mark.parametrize(
    ("format", "shown"),
    [
        ("table", ["The [frequent patterns]! A pattern on trees", "───┬──┊", "scored 0.43"]),
        ("csv", ["order,left,right,f(left),f(right),seen,expected,score,merged\n1,frequent,patterns,9,"]),
        ("markdown", ["## Merges, in order", "## Why the others stay apart", "| 2 | pattern | trees |"]),
        ("json", ["{", '"merges": [', '"threshold": 1.0,']),
    ],
)
def test_every_format(titles: str, topminer, format: str, shown: list[str]) -> None:
    out, err = topminer("explain", titles, TITLE, *TERMS, "--format", format)
    assert out.startswith(shown[0]) and err == ""
    assert [text for text in shown if text not in out] == []


def test_the_options_reach_the_miner(told, tmp_path: Path) -> None:
    never, always = tmp_path / "never.txt", tmp_path / "always.txt"
    never.write_text("frequent pattern\n", encoding="utf-8")
    always.write_text("pattern tree\n", encoding="utf-8")
    options = ["--never", never, "--always", always, "--max-length", "3", "--quality", "0.5"]
    found = told("frequent pattern tree", *options, "--stop-words", never, "--no-stem", "--threads", "1")
    assert texts_of(found["phrases"]) == ["frequent", "pattern tree"]
    assert (found["max_length"], found["cut"], found["min_support"]) == (3, 0.5, 2)


def test_judgements_are_told_unless_nothing_is_judged(told) -> None:
    strict = told(TITLE, "--quality", "100")
    (judged,) = strict["judgements"]
    assert (judged["phrase"]["text"], judged["stays"]) == ("frequent patterns", False)
    assert texts_of(strict["phrases"]) == ["frequent", "patterns", "pattern", "trees"]
    assert "quality" in {pair["reason"] for pair in strict["neighbours"]}
    paper = told(TITLE, "--paper")
    assert (paper["cut"], paper["judgements"], paper["threshold"]) == (None, [], 1.0)
    assert texts_of(paper["phrases"]) == ["frequent patterns", "pattern", "trees"]


@pytest.mark.parametrize(
    ("name", "start"), [("t.svg", b"<svg"), ("t.PNG", b"\x89PNG"), ("t.html", b"<!doctype")]
)
def test_files(titles: str, tmp_path: Path, topminer, name: str, start: bytes) -> None:
    file = tmp_path / name
    drawing = ["explain", titles, TITLE, *TERMS, "--output", file]
    out, err = topminer(*drawing)
    assert "Merge tree" in out and f"Merge tree written to {file}" in err
    before = file.read_bytes()
    assert before.startswith(start)
    file.write_bytes(b"mine")
    assert "--overwrite" in topminer(*drawing, code=2)[1]
    assert file.read_bytes() == b"mine"
    assert topminer(*drawing, "--overwrite", "--quiet") == ("", "")
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["titles.txt", name])


@pytest.mark.parametrize(
    ("name", "why"),
    [("tree.pdf", ".svg, .png or .html"), ("tree", ".svg, .png or .html"), ("absent/tree.svg", "no folder")],
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_read(
    tmp_path, topminer, name, why
) -> None:
    error = topminer("explain", "absent.txt", "text", "--output", tmp_path / name, code=2)[1]
    assert why in error and "absent.txt" not in error
    assert len(error.splitlines()) == 1


def test_a_drawing_that_fails_leaves_the_old_file(titles: str, tmp_path: Path, topminer, monkeypatch) -> None:
    file = tmp_path / "tree.svg"
    file.write_bytes(b"old")
    monkeypatch.setattr("topminer.views.merge_tree.MOST_WORDS", 1)
    err = topminer("explain", titles, TITLE, "--output", file, "--overwrite", code=2)[1]
    assert "a merge tree can be drawn of 1 at most" in err
    assert file.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("which", ["corpus", "text"])
def test_one_of_both_from_standard_input(titles: str, topminer, monkeypatch, which: str) -> None:
    arguments = ["-", TITLE] if which == "corpus" else [titles, "-"]
    given = Path(titles).read_bytes() if which == "corpus" else f"{TITLE}\n".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    told = json.loads(topminer("explain", *arguments, *TERMS, "--json")[0])
    assert (told["text"], told["n_tokens"]) == (TITLE, 29)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("titles.txt", "missing argument 'TEXT'"),
        ("absent.txt text", "absent.txt"),
        ("absent.txt text --significance -1", "greater than or equal to 0"),
        ("- -", "only one of them can be read from standard input"),
    ],
)
def test_bad_usage(topminer, arguments: str, message: str) -> None:
    assert message in topminer("explain", *arguments.split(), code=2)[1]


# The page


def page(told: Explanation, width: int | None = 80) -> str:
    return page_of(ExplanationResult(told), width)


def tree(told: Explanation, width: int = 80) -> list[str]:
    return [row.plain.rstrip() for row in TreeDrawing(told, width).rows]


def test_a_long_word_is_folded_and_not_cut() -> None:
    long = "pneumonoultramicroscopicsilicovolcanoconiosis"
    shown = page(explained(f"frequent patterns {long}", quality=None), 50)
    assert "…" not in shown
    tree_of = shown.split("Merge tree")[1].split("Merges, in order")[0]
    letters = "".join(character for character in tree_of if character.isalpha())
    assert long in letters.replace("threshold", "")


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
     left               right     f(left)  f(right)  seen  expected  score
  1  frequent           patterns        9        13     9      4.03   1.66
     ╌╌ threshold 1 ╌╌
  2  pattern            trees          13         7     4      3.14   0.43

Why the others stay apart
  left               right    why
  frequent patterns  pattern  another chunk: ‘! A’ stands between
  pattern            trees    scored 0.43, below the threshold of 1: seen
                              together 4 times, expected 3.14"""
    )


def test_a_tree_goes_on_in_the_row_of_its_first_word() -> None:
    texts = ["ash birch cedar elm"] * 9 + ["ash birch"] * 40 + ["cedar elm"] * 20 + ["fir"] * 99
    told = explained("ash birch cedar elm fir", texts)
    assert tree(told) == [
        "───┬───┬──┊",
        "───┘   │  ┊",
        "───┬───┘  ┊",
        "───┘      ┊",
        "──────────┊",
    ]
    beyond = explained("ash birch cedar elm fir", texts, significance=99.0)
    assert tree(beyond, 13) == [
        "─────┊╌╌┬╌╌┐",
        "─────┊╌╌┘  ╎",
        "─────┊╌╌┬╌╌┘",
        "─────┊╌╌┘",
        "─────┊",
    ]


def test_what_is_always_whole_has_a_double_line() -> None:
    told = explained("tree of frequent pattern trees", always=["frequent pattern tree"])
    assert tree(told) == ["────────┊", "═╦──────┊", "═╣      ┊", "═╝      ┊"]
    assert page(told).count("always") == 2


def test_a_merge_on_a_merge_beyond_the_threshold() -> None:
    told = explained("frequent pattern tree", ["frequent pattern tree"] * 9 + ["x"] * 30, significance=99.0)
    assert tree(told) == ["──────┊╌╌╌┬╌╌╌┐", "──────┊╌╌╌┘   ╎", "──────┊╌╌╌╌╌╌╌┘"]
    assert tree(told, 8) == ["───┊┬┐", "───┊┘╎", "───┊╌┘"]
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


def test_nothing_is_cut_without_a_width() -> None:
    long = "pneumonoultramicroscopicsilicovolcanoconiosis" * 4
    shown = page(explained(f"frequent {long} pattern"), None)
    assert "…" not in shown
    assert shown.count(long) == 6  # in the text, the tree, and four times where words stay apart


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


def test_a_tree_too_deep_gives_way_to_the_table() -> None:
    text = " ".join(LONG)
    told = explained(text, [text] * 9 + ["x"] * 99, evidence=None)
    assert "score  seen  expected" in page(told, 120)
    narrow = page(told, 60)
    assert "┬┬┬┬┬" in narrow
    assert "too deep" not in narrow
    assert "too deep for so few columns; --output FILE.svg draws it" in " ".join(page(told, 28).split())


@pytest.mark.parametrize("text", ["", " \n ", "of the"])
def test_nothing_to_merge(text: str) -> None:
    assert page(explained(text)).endswith("No word of this text takes part in mining.")


def test_one_word_has_no_numbers_and_is_not_judged() -> None:
    shown = page(explained("pattern"))
    assert "pattern      ──────┊" in shown
    assert "score" not in shown and "Quality of" not in shown


def test_text_that_controls_the_terminal_is_shown_as_it_is() -> None:
    shown = page(explained(HOSTILE))
    assert "<script>" in shown and not set(shown) & set("\x1b\x07\u202e")


def test_json_holds_everything() -> None:
    told = explained(TITLE)
    plain = json.loads(json.dumps(ExplanationResult(told).data()))
    assert plain["threshold"] == 1.0
    assert texts_of(plain["phrases"]) == ["frequent patterns", "pattern", "trees"]
    left = {"first": 0, "behind": 1, "start": 4, "end": 12, "text": "frequent", "stems": ["frequent"]}
    assert plain["merges"][0]["left"] == left | {"count": 9, "always": False}
    assert [merge["happens"] for merge in plain["merges"]] == [True, False]
    assert [pair["reason"] for pair in plain["neighbours"]] == ["chunk", "score"]
    assert plain["tokens"][1]["stem"] == "pattern"
    assert ExplanationResult(explained("模 pattern", significance=math.inf)).data()["threshold"] is None
