"""Merge trees as files and on the page that explains a text: complete, and at home on dark screens too."""

import json
import math
import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from explained import CONTROLS, HOSTILE, explained
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed import Parsed

from topminer.errors import InputError
from topminer.text.printable import printable
from topminer.views import explanation, merge_tree
from topminer.views.charts.parts import text_width
from topminer.views.colours import PALETTE
from topminer.views.explanation import explanation_page
from topminer.views.merge_tree import Layout, to_png, to_svg
from topminer.views.numbers import quality_text
from topminer.views.wording import STATISTICS, judged_text, quality_terms

TITLE = "The frequent patterns! A pattern on trees, and xyzzy"
KINDS: dict[str, dict[str, Any]] = {
    TITLE: {},
    "": {},
    "of the": {},
    "pattern": {},
    "模式树 شجرة 👨‍👩‍👧 pattern": {},
    "frequent pattern tree": {"always": ["pattern tree"], "significance": math.inf},
    "pattern tree ": {"quality": 100.0},
    HOSTILE: {},
}


def texts_of(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    texts = root.iter("{http://www.w3.org/2000/svg}text")
    return [element.text or element[0].tail or "" for element in texts]


@pytest.mark.parametrize("text", KINDS)
def test_an_svg_file_is_well_formed_and_shows_the_text(text: str) -> None:
    told = explained(text, **KINDS[text])
    svg = to_svg(told)
    shown = texts_of(svg)
    assert {printable(token.text) for token in told.tokens} <= set(shown)
    assert {f"{merge.score:.2f}" for merge in told.merges} <= set(shown)
    assert ("threshold 1" in shown) == math.isfinite(told.threshold)
    assert svg == to_svg(told)


def test_what_a_merge_is_about_can_be_heard() -> None:
    svg = to_svg(explained(TITLE))
    assert 'role="img"' in svg.partition(">")[0]
    assert f"<title>Merge tree of “{TITLE}”</title>" in svg
    assert 'aria-label="frequent ⊕ patterns: score 1.66, seen 9, expected 4.03"' in svg


def test_every_colour_has_its_counterpart_on_a_dark_screen() -> None:
    svg = to_svg(explained("frequent pattern tree, frequent pattern", always=["pattern tree"]))
    drawn = svg.partition("</style>")[2]
    colours = set(re.findall(r'(?:fill|stroke)="(#[^"]*)"', drawn))
    assert colours <= {colour.light for colour in PALETTE}
    assert set(re.findall(r'(?:fill|stroke)="([a-z]+)"', drawn)) <= {"none"}
    for colour in PALETTE:
        assert f'[fill="{colour.light}"]{{fill:{colour.dark}}}' in svg


def test_hostile_text_is_only_text() -> None:
    svg = to_svg(explained(HOSTILE))
    assert "<script" not in svg and "alert" in svg
    assert not set(svg) & set(CONTROLS.replace("[2J", ""))
    assert {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()} <= {
        *("svg", "title", "style", "rect", "line", "path", "text")
    }


@pytest.mark.parametrize("text", KINDS)
def test_a_page_has_every_number(text: str) -> None:
    told = explained(text, **KINDS[text])
    read = Parsed(explanation_page(told))
    merges = [row for row in read.rows() if len(row) == 9 and row[0]]
    assert [row[1:3] for row in merges] == [
        [" ".join(printable(part.text).split()) for part in (merge.left, merge.right)]
        for merge in told.merges
    ]
    assert len([row for row in read.rows() if len(row) == 3 and row[2] != "because"]) == len(told.neighbours)
    tree = json.loads(read.texts["script"][0])
    assert tree["text"] == told.text
    assert [tree["strength"][i] for i in tree["order"] if not told.tokens[i].glued] == [
        merge.strength for merge in told.merges
    ]


@pytest.mark.parametrize("cut", [-1e6, 1e6])
def test_a_page_has_every_judgement(cut: float) -> None:
    told = explained(TITLE, quality=cut)
    read = Parsed(explanation_page(told))
    (judged,) = told.judgements
    heads, row = (row for row in read.rows() if len(row) == 3 + len(STATISTICS))
    assert heads == ["phrase", "", "quality", *STATISTICS.values()]
    verdict = "stays" if cut < 0 else "is split"
    assert row[:3] == ["frequent patterns", verdict, judged_text(judged, told)]
    assert row[3:] == [quality_text(judged.parts[name]) for name in STATISTICS]
    assert quality_terms(told) in read.text
    assert "Quality of the finished phrases" not in explanation_page(explained(TITLE, quality=None))


def test_a_page_says_where_the_merges_stop() -> None:
    rows = Parsed(explanation_page(explained(TITLE))).rows()
    assert rows[1] == ["1", "frequent", "patterns", "9", "13", "9", "4.03", "1.66", "1.66"]
    assert rows[2] == ["", "threshold 1"]
    assert rows[3][-2:] == ["0.43", "0.43"]


@pytest.mark.parametrize("text", [TITLE, "", HOSTILE])
def test_a_png_file(text: str) -> None:
    told = explained(text)
    png = to_png(told)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert png == to_png(told)


def test_a_long_text_grows_in_width_alone() -> None:
    def size(text: str) -> tuple[float, float]:
        root = ElementTree.fromstring(to_svg(explained(text)))
        return float(root.attrib["width"]), float(root.attrib["height"])

    short, long = size("frequent pattern"), size("frequent pattern of a tree, " * 60)
    assert long[0] > 60 * 100 > short[0]
    assert long[1] == pytest.approx(short[1], abs=5)  # labels and axis may need a pixel more


def test_a_text_too_long_to_be_drawn_is_refused_and_the_page_says_what_it_leaves_out(monkeypatch) -> None:
    monkeypatch.setattr(merge_tree, "MOST_WORDS", 3)
    with pytest.raises(InputError, match="has 4 words; a merge tree can be drawn of 3 at most"):
        to_svg(explained("pattern tree pattern tree"))
    monkeypatch.setattr(explanation, "MOST_WORDS", 3)
    said = "The tree shows the first 3 of 4 words."
    assert said in Parsed(explanation_page(explained("pattern tree pattern tree"))).text
    assert "The tree shows" not in explanation_page(explained("pattern tree pattern"))


@pytest.mark.small
def test_words_stand_in_order_with_room_for_each() -> None:
    told = explained("frequent pattern: an extraordinarily long one, of trees 模式树 i")
    layout = Layout(told)
    assert [i for _, _, i in layout.pieces if i is not None] == list(range(len(told.tokens)))
    for (x, text, _), (x2, text2, _) in pairwise(layout.pieces):
        assert x2 - x >= 13 * (text_width(text) + text_width(text2)) / 2
    assert layout.width >= layout.pieces[-1][0]
    assert len(layout.ends_of_chunks) == 2


@pytest.mark.small
def test_merges_stand_at_their_strength_above_the_middle_of_their_parts() -> None:
    told = explained("frequent pattern tree pattern tree", significance=0.4)
    layout = Layout(told)
    bars = [line for _, *line in layout.lines() if line[1] == line[3] and line[0] != line[2]]
    assert [y for _, y, _, _ in bars] == [layout.y(merge.strength) for merge in told.merges]
    assert [(x + x2) / 2 for x, _, x2, _ in bars] == [layout.middle[merge.made] for merge in told.merges]
    heights = [layout.y(told.threshold), *(y for _, y, _, _ in bars)]
    assert merge_tree.TOP < min(heights) <= max(heights) < merge_tree.TOP + merge_tree.HEIGHT


@pytest.mark.small
def test_every_phrase_reaches_the_threshold_and_nothing_else_does() -> None:
    told = explained(TITLE)
    layout = Layout(told)
    threshold = layout.y(told.threshold)
    reaching = [line for line in layout.lines() if line[4] == threshold and line[0] != "beyond"]
    assert len(reaching) == len(told.phrases)
    for kind, _, y, _, y2 in layout.lines():
        assert (min(y, y2) < threshold) == (kind == "beyond" and y2 < threshold)


@settings(max_examples=500)
@given(st.text())
def test_what_is_drawable_is_xml(text: str) -> None:
    shown = printable(text)
    root = ElementTree.fromstring(f"<a>{shown.replace('&', '&amp;').replace('<', '&lt;')}</a>".encode())
    assert (root.text or "") == shown
    assert "\n" not in shown
    assert text_width(shown) >= 0
