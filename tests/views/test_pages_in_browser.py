"""A page of every template in a real browser: quiet, harmless, and readable on any screen."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import pytest
from browsing import HARM, Browser, Tab, Visit, faults, needs_chromium, poor_contrasts, visiting, written
from every_page import NAMES, made

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def visit(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """Opens a page by name; in the end it must have said nothing, and asked for nothing but itself."""
    folder = tmp_path_factory.mktemp("pages")

    def visit(name: str, hostile: bool = False, **how: Any) -> AbstractContextManager[Tab]:
        return visiting(browser, written(folder / f"{name} {hostile}.html", made(name, hostile)), **how)

    return visit


@pytest.mark.parametrize("hostile", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_no_text_does_anything(visit: Visit, name: str, hostile: bool) -> None:
    """A violation of the policy would be said on the console, where nothing may be."""
    with visit(name, hostile) as tab:
        assert tab.run(HARM) == []
        assert faults(tab) == []
        for width in (320, 800, 1280):
            tab.widen(width)
            assert tab.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_everything_can_be_read_in_both_schemes_and_on_paper(visit: Visit, name: str, scheme: str) -> None:
    with visit(name, scheme=scheme) as tab:
        ground = "getComputedStyle(document.body).backgroundColor"
        assert tab.run(ground) == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}[scheme]
        assert poor_contrasts(tab) == []
        tab.page.emulate_media(media="print", color_scheme=scheme)
        assert tab.run(ground) == "rgb(255, 255, 255)"


# ---------------------------------------------------------------------- comparison


def test_charts_are_drawn_in_the_colours_of_the_scheme(visit: Visit) -> None:
    for scheme, colour in (("light", "rgb(31, 102, 173)"), ("dark", "rgb(122, 182, 242)")):
        with visit("comparison", scheme=scheme) as tab:
            sizes = "[...document.querySelectorAll('main svg')].map((e) => e.getBoundingClientRect().width)"
            assert len(tab.run(sizes)) == 17 and min(tab.run(sizes)) > 200
            fill = "(all) => all.map((each) => getComputedStyle(each).fill)"
            assert colour in tab.page.eval_on_selector_all("#coherence svg [aria-label]", fill)


def test_links_lead_to_their_sections(visit: Visit) -> None:
    with visit("comparison") as tab:
        tab.page.click("nav >> text=Topics")
        tab.until("Math.abs(document.querySelector('#topics').getBoundingClientRect().top) < 5")


def test_the_best_are_told_from_others_without_colours(visit: Visit) -> None:
    with visit("comparison") as tab:
        weight = "(e) => [getComputedStyle(e).fontWeight, getComputedStyle(e, '::before').content]"
        best: list[Any] = tab.page.eval_on_selector("#times .best", weight)
        assert int(best[0]) >= 700 and "★" in best[1]
        assert " ".join(tab.texts("#times .best")[0].split()) == "8.1 s (best)"


# --------------------------------------------------------------------- explanation


def test_the_merge_tree_of_an_explained_text(visit: Visit) -> None:
    with visit("explanation") as tab:
        assert tab.page.get_by_role("img", name="Merge tree of 4 words").count() == 1
        texts = {"joined.word": ["frequent", "patterns"], "alone.word": ["pattern", "trees"]}
        texts |= {"gap": ["The", "! A", "on"], "score": ["1.66", "0.43"]}
        for kind, expected in texts.items():
            assert tab.page.locator(f".tree .{kind}").all_text_contents() == expected
        assert tab.page.locator(".tree text.threshold").all_text_contents() == ["threshold 1"]
        assert tab.page.locator(".tree line.under").count() == 1
        tab.page.hover(".tree .score")
        assert tab.page.inner_text("#tooltip") == "frequent ⊕ patterns: score 1.66, seen 9, expected 4.03"
