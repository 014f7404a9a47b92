"""The page of a comparison in a real browser: quiet, readable on any screen, without a network."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from browsing import HARM, Browser, Tab, faults, needs_chromium, poor_contrasts, visiting
from comparison_fixture import page_of

pytest.importorskip("playwright.sync_api", reason="needs Playwright")
pytestmark = needs_chromium

TABLE = "document.querySelector('.scroll')"

Visit = Callable[..., AbstractContextManager[Tab]]


@pytest.fixture(scope="module")
def visit(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """Opens a page by name; in the end it must have said nothing, and asked for nothing."""
    folder = tmp_path_factory.mktemp("comparison")

    def visit(name: str, **how: Any) -> AbstractContextManager[Tab]:
        file = folder / f"{name}.html"
        file.write_text(page_of(name), encoding="utf-8")
        return visiting(browser, file.as_uri(), **how)

    return visit


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_only_tables_and_charts_scroll_sideways(visit: Visit, name: str) -> None:
    with visit(name) as tab:
        assert tab.run(HARM) == []
        for width in (320, 380, 800, 1200):
            tab.widen(width)
            assert tab.run("document.documentElement.scrollWidth") <= width
            inside = tab.run("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(" + TABLE + ")")
            assert inside > 0 or width > 380


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read_in_both_schemes(visit: Visit, scheme: str) -> None:
    with visit("plain", scheme=scheme) as tab:
        ground = tab.run("getComputedStyle(document.body).backgroundColor")
        assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}[scheme]
        assert poor_contrasts(tab) == []
        dots = tab.run("getComputedStyle(document.querySelector('#coherence svg path[aria-label]')).fill")
        assert dots == {"light": "rgb(31, 102, 173)", "dark": "rgb(122, 182, 242)"}[scheme]


def test_the_page_has_no_faults(visit: Visit) -> None:
    for name in ("plain", "hostile"):
        with visit(name) as tab:
            assert faults(tab) == []


def test_charts_are_drawn(visit: Visit) -> None:
    with visit("plain") as tab:
        sizes = tab.run(
            "[...document.querySelectorAll('main svg')].map((e) => e.getBoundingClientRect().width)"
        )
        assert len(sizes) == 17 and min(sizes) > 200


def test_links_lead_to_their_sections(visit: Visit) -> None:
    with visit("plain") as tab:
        tab.page.click("nav >> text=Topics")
        tab.until("Math.abs(document.querySelector('#topics').getBoundingClientRect().top) < 5")


def test_the_best_are_told_from_others_without_colours(visit: Visit) -> None:
    with visit("plain") as tab:
        weight = "(e) => [getComputedStyle(e).fontWeight, getComputedStyle(e, '::before').content]"
        best: list[Any] = tab.page.eval_on_selector("#times .best", weight)
        assert int(best[0]) >= 700 and "★" in best[1]
        assert " ".join(tab.texts("#times .best")[0].split()) == "8.1 s (best)"


def test_all_is_there_on_paper(visit: Visit) -> None:
    with visit("plain", scheme="dark") as tab:
        tab.page.emulate_media(media="print", color_scheme="dark")
        assert tab.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert tab.run("getComputedStyle(document.querySelector('nav')).display") == "none"
        assert tab.run("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"
