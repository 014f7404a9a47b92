"""Charts and pages: whole, harmless, the same every time, and at home on dark screens too."""

import math
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from explained import CONTROLS, HOSTILE, explained
from hypothesis import given, settings
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.text.printable import printable
from topminer.views import merge_tree
from topminer.views.charts.parts import text_width
from topminer.views.colours import PALETTE
from topminer.views.merge_layout import Layout
from topminer.views.merge_page import to_html
from topminer.views.merge_tree import to_png, to_svg
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
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


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
    told = explained(HOSTILE)
    for file in (to_svg(told), to_html(told)):
        assert "<script" not in file
        assert "alert" in file
        assert not set(file) & set(CONTROLS.replace("[2J", ""))
        assert not re.search(r'<[^>]*\sonload="y"', re.sub(r'"[^"]*"', '""', file))


def test_nothing_is_loaded() -> None:
    page = to_html(explained(TITLE))
    assert set(re.findall(r"https?://[^\"]*", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not re.search(r"\ssrc=|<link|@import|url\(", page)


class Page(HTMLParser):
    """The elements of a page, checked for balance, and the cells of its tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and set(self.open) & {"td", "th"}:
            self.rows[-1][-1] += data


@pytest.mark.parametrize("text", KINDS)
def test_a_page_is_balanced_and_has_every_number(text: str) -> None:
    told = explained(text, **KINDS[text])
    page = to_html(told)
    read = Page(page)
    assert "script" not in read.elements
    assert read.elements.count("svg") == 1
    merges = [row for row in read.rows if len(row) == 9 and row[0]]
    assert [row[1:3] for row in merges] == [
        [printable(merge.left.text), printable(merge.right.text)] for merge in told.merges
    ]
    assert len([row for row in read.rows if len(row) == 3 and row[2] != "because"]) == len(told.neighbours)
    assert page == to_html(told)


@pytest.mark.parametrize("cut", [-1e6, 1e6])
def test_a_page_has_every_judgement(cut: float) -> None:
    told = explained(TITLE, quality=cut)
    page = to_html(told)
    (judged,) = told.judgements
    heads, row = (row for row in Page(page).rows if len(row) == 3 + len(STATISTICS))
    assert heads == ["phrase", "", "quality", *STATISTICS.values()]
    verdict = "stays" if cut < 0 else "is split"
    assert row[:3] == ["frequent patterns", verdict, judged_text(judged, told)]
    assert row[3:] == [quality_text(judged.parts[name]) for name in STATISTICS]
    assert quality_terms(told) in page
    assert "Quality of the finished phrases" not in to_html(explained(TITLE, quality=None))


def test_a_page_says_where_the_merges_stop() -> None:
    rows = Page(to_html(explained(TITLE))).rows
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


def test_a_text_too_long_to_be_drawn_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(merge_tree, "MOST_WORDS", 3)
    with pytest.raises(InputError, match="has 4 words; a merge tree can be drawn of 3 at most"):
        to_svg(explained("pattern tree pattern tree"))


@pytest.mark.small
def test_words_stand_in_order_with_room_for_each() -> None:
    told = explained("frequent pattern: an extraordinarily long one, of trees 模式树 i")
    layout = Layout.of(told)
    words = [word for word in layout.words if word.token]
    assert [word.text for word in words] == [token.text for token in told.tokens]
    for before, word in pairwise(layout.words):
        assert word.x - before.x >= 13 * (text_width(before.text) + text_width(word.text)) / 2
    assert layout.width >= layout.words[-1].x
    assert len(layout.ends_of_chunks) == 2


@pytest.mark.small
def test_merges_stand_at_their_strength_above_the_middle_of_their_parts() -> None:
    told = explained("frequent pattern tree pattern tree", significance=0.4)
    layout = Layout.of(told)
    assert len(layout.merges) == len(told.merges)
    bars = [line for line in layout.lines if line.y == line.y2 and line.x != line.x2]
    assert [bar.y for bar in bars] == [merge.strength for merge in told.merges]
    assert [(bar.x + bar.x2) / 2 for bar in bars] == [x for x, _ in layout.merges]
    assert layout.bottom > max(bar.y for bar in bars)
    assert layout.top < min(told.threshold, *(bar.y for bar in bars))


@pytest.mark.small
def test_every_phrase_reaches_the_threshold_and_nothing_else_does() -> None:
    told = explained(TITLE)
    layout = Layout.of(told)
    reaching = [line for line in layout.lines if line.y2 == told.threshold and line.kind != "beyond"]
    assert len(reaching) == len(told.phrases)
    for line in layout.lines:
        assert (min(line.y, line.y2) < told.threshold) == (line.kind == "beyond" and line.y2 < told.threshold)


@settings(max_examples=500)
@given(st.text())
def test_what_is_drawable_is_xml(text: str) -> None:
    shown = printable(text)
    root = ElementTree.fromstring(f"<a>{shown.replace('&', '&amp;').replace('<', '&lt;')}</a>".encode())
    assert (root.text or "") == shown
    assert "\n" not in shown
    assert text_width(shown) >= 0


def test_the_libraries_that_draw_are_loaded_when_something_is_drawn() -> None:
    modules = "topminer.views.merge_page, topminer.cli.explain, topminer.cli.explanation"
    check = f"import sys, {modules}; print([m for m in ('altair', 'vl_convert') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
