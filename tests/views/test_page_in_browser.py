"""The page of invented data in a real browser: every number has its place."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from browsing import Browser, Tab, Visit, needs_chromium, poor_contrasts, visiting, written
from page_fixture import BACKGROUND, page_charts, page_data

from topminer.views.pages import page as page_of

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def visit(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """Opens a page by its number of topics and its route."""
    folder = tmp_path_factory.mktemp("pages")

    @cache
    def address(n_topics: int) -> str:
        data = page_data(n_topics)
        return written(folder / f"{n_topics}.html", page_of(data, page_charts(data)))

    def visit(route: str = "#/", *, n_topics: int = 5, **how: Any) -> AbstractContextManager[Tab]:
        return visiting(browser, address(n_topics) + route, **how)

    return visit


def phrases_of(data: dict[str, Any], k: int, key: Callable[[list[Any], dict[str, Any]], float]) -> list[str]:
    rows = [(row, data["entries"][row[0]]) for row in data["topics"][k]["phrases"]]
    kept = [(row, entry) for row, entry in rows if entry["n"] > 1 and not entry["background"]]
    return [entry["text"] for row, entry in sorted(kept, key=lambda pair: -key(*pair))]


def shown_words(topic: dict[str, Any]) -> list[list[Any]]:
    return [word for word in topic["words"] if not word[3]]


def test_the_map_tells_and_leads(visit: Visit) -> None:
    with visit() as tab:
        tab.page.locator(".map svg a").nth(2).focus()
        assert tab.page.inner_text("#tooltip") == "Topic 2: information retrieval"
        with tab.arriving():
            tab.page.locator(".map svg a").nth(2).press("Enter")
        assert tab.page.inner_text("h1") == "information retrieval"
        assert tab.run("document.activeElement.tagName") == "H1"


def test_relevance_orders_by_its_formula(visit: Visit) -> None:
    data = page_data()
    topic = data["topics"][1]
    n_instances = sum(each["size"] for each in data["topics"])

    def relevance(here: float, overall: float) -> float:
        return weight * math.log(here) + (1 - weight) * math.log(here / overall)

    def of_phrase(row: list[Any], entry: dict[str, Any]) -> float:
        return relevance(row[1] / topic["size"], entry["total"] / n_instances)

    with visit("#/topic/1") as tab:
        tab.page.click("text=Relevance")
        orders = set()
        for weight in (0.0, 0.35, 0.6, 1.0):
            tab.page.fill("#lambda", str(weight))
            assert tab.listed() == phrases_of(data, 1, of_phrase)
            words = sorted(shown_words(topic), key=lambda word: -relevance(word[1], word[2]))
            assert tab.listed("Words") == [word[0] for word in words]
            orders.add(tuple(tab.listed()))
        assert len(orders) > 1


def test_words_of_the_best_order(visit: Visit) -> None:
    """The words that lists leave out come back with the background."""
    topic = page_data()["topics"][1]
    with visit("#/topic/1") as tab:
        for words in (shown_words(topic), topic["words"]):
            tab.page.click("text=Best")
            by_score = sorted(words, key=lambda word: (-word[4], -word[1]))
            assert tab.listed("Words") == [word[0] for word in by_score]
            tab.page.click("text=Frequency")
            assert tab.listed("Words") == [word[0] for word in words]
            tab.page.click("text=Hide background")


def test_switches(visit: Visit) -> None:
    with visit("#/topic/1") as tab:
        tab.page.locator("summary").first.click()
        assert "methods of kernel" in tab.page.locator("details[open]").first.inner_text()
        assert not set(tab.listed()) & set(BACKGROUND)
        tab.page.click("text=Hide background")
        assert set(tab.listed()) >= set(BACKGROUND)
        assert "methods of kernel" not in tab.listed()
        tab.page.click("text=Tie variants")
        assert "methods of kernel" in tab.listed()
        told = tab.texts('[aria-label="Phrases"] .told')[tab.listed().index("methods of kernel")]
        entry = next(each for each in page_data()["entries"] if each["text"] == "kernel methods")
        form = entry["forms"][1]
        here = next(frequency for topic, frequency in form[2] if topic == 1)
        assert re.findall(r"[\d,.]+", told) == [f"{here:,.0f}", f"{form[1]:,}"]
        tab.page.click("text=together")
        assert "fast1" in tab.listed("Words and phrases")


def test_search_finds_a_phrase(visit: Visit) -> None:
    with visit() as tab:
        tab.page.keyboard.press("/")
        assert tab.run("document.activeElement.id") == "search"
        tab.page.keyboard.type("Álignm")
        assert "word alignment\nphrase" in tab.texts(".option")
        tab.page.keyboard.press("ArrowDown")
        with tab.arriving():
            tab.page.keyboard.press("Enter")
        assert tab.run("location.hash").startswith("#/phrase/")
        assert tab.page.inner_text("h1") == "word alignment"
        tab.page.keyboard.press("/")
        tab.page.keyboard.press("Escape")
        assert tab.page.locator("#suggested").is_hidden()
        tab.page.fill("#search", "pattern")
        with tab.arriving():
            tab.page.keyboard.press("Enter")
        assert tab.run("location.hash") == "#/search?q=pattern"
        assert "frequent pattern mining" in tab.texts(".found a bdi")


def test_a_joined_phrase_has_the_topic_of_most_tokens(browser: Browser, tmp_path: Path) -> None:
    data = page_data()
    strength = [None, 9.0, 2.0, 9.0, 9.0]
    data["documents"][0] |= {"text": "a b c d e", "start": [0, 2, 4, 6, 8], "end": [1, 3, 5, 7, 9]}
    data["documents"][0] |= {"strength": strength, "topic": [4, 4, 2, 2, 2]}
    file = written(tmp_path / "joined.html", page_of(data, page_charts(data)))
    with visiting(browser, f"{file}#/document/0") as tab:
        assert tab.brackets() == [("a b", 4), ("c d e", 2)]
        tab.page.fill("#threshold", "0")
        tab.next_frame()
        assert tab.brackets() == [("a b c d e", 2)]
        tab.page.hover(".reading .phrase")
        assert tab.page.inner_text("#tooltip") == "Topic 2 · information retrieval"


UNKNOWN = ["#/topic/99", "#/topic/x", "#/nowhere", "#/document/9999", "#/try"]
UNKNOWN += ["#/phrase/unheard%20of", "#/phrase/%E0%A4%A"]


def test_unknown_places_lead_back(visit: Visit) -> None:
    with visit() as tab:
        for route in UNKNOWN:
            tab.go(route)
            assert tab.page.inner_text("h1") == "Not here"
        with tab.arriving():
            tab.page.click("text=Back to all topics")
        assert tab.page.locator(".topics .card").count() == 5


def test_five_hundred_topics(visit: Visit) -> None:
    with visit(n_topics=500) as tab:
        assert tab.page.locator(".topics .card").count() == 500
        tab.page.fill("#topic-filter", "online5 image")
        assert tab.texts(".topics .label") == ["online5 image segmentation"]
        with tab.arriving():
            tab.page.click(".topics .card a")
        assert tab.page.inner_text("h1") == "online5 image segmentation"
        with tab.arriving():
            tab.page.go_back()
        assert tab.page.locator(".topics .card").count() == 1
        tab.widen(360)
        for route in ("#/topic/1", "#/", "#/documents", "#/background", "#/trends", "#/run", "#/search?q=a"):
            tab.go(route)
            assert tab.run("document.documentElement.scrollWidth") <= 360, route


EVERY_HUE = """() => {
  for (let hue = 0; hue < 360; hue += 5) {
    const badge = document.querySelector(".badge").cloneNode(true);
    badge.style.setProperty("--hue", hue);
    document.querySelector("main").append(badge);
  }
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_hue_can_be_read_in_both_schemes(visit: Visit, scheme: str) -> None:
    with visit(scheme=scheme) as tab:
        dark = tab.run("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
        assert dark == (scheme == "dark")
        tab.run(EVERY_HUE)
        assert poor_contrasts(tab) == []


def test_a_chosen_scheme_holds(visit: Visit) -> None:
    ink = "getComputedStyle(document.querySelector('.map text')).fill"
    colours = f"[getComputedStyle(document.body).backgroundColor, {ink}]"
    with visit() as tab:
        light = tab.run(colours)
        tab.page.click(".theme")
        assert tab.page.get_attribute(".theme", "aria-pressed") == "true"
        dark = tab.run(colours)
        assert light[0] != dark[0] and light[1] != dark[1]
        tab.reload_until("document.querySelector('.theme').getAttribute('aria-pressed') === 'true'")
        assert tab.run(colours) == dark


def test_documents_are_chosen_by_topic_and_text(visit: Visit) -> None:
    data = page_data()
    mine = {one["id"] for one in data["documents"] if 2 in [topic for topic, _ in one["topics"]]}
    with visit("#/documents?topic=2") as tab:
        assert set(tab.texts(".item h3 a")) == mine
        tab.page.fill("#by-text", "relevance feedback")
        tab.until("location.hash.includes('q=relevance')")
        tab.settle()
        held = {one["id"] for one in data["documents"] if "relevance feedback" in one["text"]}
        assert set(tab.texts(".item h3 a")) == held & mine != mine
