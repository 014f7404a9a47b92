"""What every page about a model must do in a real browser: the invented page, a report, and an explorer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browsing import (
    ATTACKS,
    BACKGROUND,
    HARM,
    SCRIPT,
    Browser,
    Visit,
    attacked,
    drawn,
    faults,
    foreign,
    needs_chromium,
    partition_at,
    phrase_route,
    planted,
    poor_contrasts,
    read_planted,
    routes_in,
    serving,
    several,
    shown_rows,
    studies,
    visiting,
    written,
)
from page_fixture import page_charts, page_data

from topminer import ToPMine, load
from topminer.views.explorer.explorer import Explorer
from topminer.views.pages import page
from topminer.views.report_page import report

pytestmark = needs_chromium

FOCUSED = "document.activeElement"
PAGES = ["invented", "report", "explorer"]


@dataclass
class Place:
    """A page to visit."""

    visit: Visit
    document: Callable[[int], tuple[str, str]]  # the text and the id in a row
    row: int  # of a document that the page has
    model: ToPMine | None = None


def invented(browser: Browser, folder: Path, hostile: bool) -> Place:
    data = page_data(hostile=hostile)
    file = written(folder / f"invented {hostile}.html", page(data, page_charts(data)))
    documents = data["documents"]
    visit = partial(visiting, browser, file)
    return Place(visit, lambda row: (documents[row]["text"], documents[row]["id"]), 2)


def of_model(browser: Browser, address: str, model: ToPMine) -> Place:
    texts, ids = model.corpus_.texts, model.corpus_.ids
    visit = partial(visiting, browser, address)
    return Place(visit, lambda row: (texts[row], ids[row]), shown_rows(model)[0], model)


TITLES: dict[bool, dict[str, Any]] = {False: {}, True: {"title": f"{SCRIPT}\u202e"}}
LABELS = {0: f"</title></textarea>{SCRIPT}", 1: ATTACKS[1], 2: "$& {{7*7}} \u202eabc"}


@contextmanager
def place_of(kind: str, browser: Browser, folder: Path, model: ToPMine | None = None) -> Iterator[Place]:
    model = model or studies()
    hostile = model is attacked()
    match kind:
        case "invented":
            yield invented(browser, folder, hostile)
        case "report":
            html = report(model, labels=LABELS if hostile else None, **TITLES[hostile])
            yield of_model(browser, written(folder / f"report {hostile}.html", html), model)
        case _:
            texts = {"keep_texts": model.corpus_.texts is not None}
            model.save(folder / f"model {hostile}", **texts)
            explorer = Explorer(model, folder / f"model {hostile}", **TITLES[hostile])
            with closing(explorer), serving(explorer) as address:
                yield of_model(browser, address, model)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module", params=PAGES)
def place(browser: Browser, folder: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    with place_of(request.param, browser, folder) as place:
        yield place


@pytest.fixture(scope="module", params=PAGES)
def hostile_place(browser: Browser, folder: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    with place_of(request.param, browser, folder, attacked()) as place:
        yield place


# ------------------------------------------------------------------------ hostility


def test_hostile_texts_are_texts(hostile_place: Place) -> None:
    with hostile_place.visit() as tab:
        (title,) = tab.texts("h1")
        assert tab.page.title() == title and "<script>" in title
        phrases = list(map(phrase_route, ATTACKS))
        searches = [f"#/search?q={quote(text, safe='')}" for text in ATTACKS[::2]]
        for route in [*routes_in(tab, 16), *searches, *phrases]:
            tab.go(route)
            assert tab.run(HARM) == [], route
            if route.startswith("#/document/"):
                text, id = hostile_place.document(int(route.rpartition("/")[2]))
                assert tab.page.text_content(".reading .marked").removesuffix(" …") == drawn(text)
                assert tab.page.text_content("h1") == drawn(id)


def test_hostile_phrases_lead_to_their_pages(hostile_place: Place) -> None:
    with hostile_place.visit() as tab:
        seen = ""
        for k in range(3):
            tab.go(f"#/topic/{k}")
            for i, name in enumerate(tab.listed()[:8]):
                with tab.arriving():
                    tab.page.locator('[aria-label="Phrases"] .name > a').nth(i).click()
                assert tab.texts("h1") == [name]
                with tab.arriving():
                    tab.page.go_back()
                seen += name
        assert "{{7*7}}" in seen
        tab.page.fill("#search", "<script>")
        with tab.arriving():
            tab.page.keyboard.press("Enter")
        assert tab.texts("h1") == ["Search: <script>"]
        assert any("<script>" in text for text in tab.texts(".found a"))


# -------------------------------------------------------------------------- people


def test_the_keyboard_alone(place: Place) -> None:
    with place.visit() as tab:
        keys = tab.page.keyboard
        keys.press("Tab")
        assert tab.run(f"{FOCUSED}.textContent") == "Skip to the content"
        assert tab.run(f"{FOCUSED}.getBoundingClientRect().top") >= 0
        keys.press("Enter")
        assert tab.run(f"{FOCUSED}.id") == "main"
        keys.press("/")
        assert tab.run(f"{FOCUSED}.id") == "search"
        topics = tab.run("JSON.parse(document.getElementById('data').textContent).topics")
        keys.type(next(topic["label"] for topic in topics if topic["id"] == 2))
        assert tab.run(f"{FOCUSED}.getAttribute('aria-expanded')") == "true"
        keys.press("ArrowDown")
        chosen = tab.run(f"document.getElementById({FOCUSED}.getAttribute('aria-activedescendant')).hash")
        assert chosen == "#/topic/2"
        keys.press("ArrowDown")
        keys.press("ArrowUp")
        with tab.arriving():
            keys.press("Enter")
        assert tab.run("location.hash") == "#/topic/2"
        assert tab.run(f"{FOCUSED}.tagName") == "H1"
        keys.press("/")
        keys.press("Escape")
        assert tab.page.locator("#suggested").is_hidden()
        while tab.run(f"{FOCUSED}.name") != "order":
            keys.press("Tab")
        orders = ["best", "frequency", "kert", "relevance"]
        following = orders[
            orders.index(tab.run("JSON.parse(document.getElementById('data').textContent).order")) + 1
        ]
        keys.press("ArrowRight")
        assert tab.page.locator(f"input[value={following}]").is_checked()
        while tab.run(f"{FOCUSED}.name") != "background":
            keys.press("Tab")
        keys.press("Space")
        assert BACKGROUND in tab.listed()


def test_the_keyboard_moves_the_threshold(place: Place) -> None:
    with place.visit() as tab:
        tab.go(f"#/document/{place.row}")
        before, n_phrases = float(tab.page.get_attribute(".tree line.threshold", "y1")), len(tab.brackets())
        while tab.run(f"{FOCUSED}.id") != "threshold":
            tab.page.keyboard.press("Tab")
        tab.page.keyboard.press("End")
        tab.until("document.querySelector('#threshold').getAttribute('aria-valuetext') !== '4'")
        tab.next_frame()
        threshold = float(tab.run(f"{FOCUSED}.getAttribute('aria-valuetext')"))
        phrases = [text for text, _ in tab.brackets()]
        assert float(tab.page.get_attribute(".tree line.threshold", "y1")) > before
        assert tab.page.locator(".tree line.under").count() == len(phrases) < n_phrases
        if place.model:
            assert phrases == several(place.model.partition_.at(threshold), place.row)
        tab.page.click("text=back to 4")
        assert len(tab.brackets()) == n_phrases


def test_what_has_the_focus_is_seen(place: Place) -> None:
    outlines = (
        "() => [document.activeElement, document.activeElement.nextElementSibling]"
        ".map((each) => each ? getComputedStyle(each).outlineStyle : 'none')"
    )
    with place.visit() as tab:
        for route in ("#/", "#/topic/1"):
            tab.go(route)
            for _ in range(14):
                tab.page.keyboard.press("Tab")
                assert set(tab.run(outlines)) != {"none"}, tab.run(f"{FOCUSED}.outerHTML")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out(place: Place, scheme: str) -> None:
    routes = ["#/", "#/topic/0", "#/documents", "#/run", "#/background", "#/trends"]
    with place.visit(scheme=scheme) as tab:
        for route in [*routes, f"#/document/{place.row}", phrase_route("word alignment")]:
            tab.go(route)
            assert poor_contrasts(tab) == [], route


WIDTH = """() => [...document.querySelectorAll("body *")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".scroll, .chart"))
  .map((each) => each.outerHTML.slice(0, 100)).slice(0, 3)"""


def check_on_a_phone(visit: Visit, n: int) -> None:
    with visit(width=360) as tab:
        for route in [*routes_in(tab, n), "#/search?q=a", "#/documents?q=script"]:
            tab.go(route)
            room = tab.run("[document.documentElement.scrollWidth, innerWidth]")
            assert room[0] <= 360 >= room[1], (route, tab.run(WIDTH))
            assert faults(tab) == [], route


def test_everyone_can_read_it_on_a_phone(place: Place) -> None:
    check_on_a_phone(place.visit, 2)


def test_everyone_can_read_hostile_texts_on_a_phone(hostile_place: Place) -> None:
    check_on_a_phone(hostile_place.visit, 2)


def test_everyone_can_read_other_scripts_on_a_phone(browser: Browser, folder: Path) -> None:
    check_on_a_phone(partial(visiting, browser, written(folder / "scripts.html", report(foreign()))), 3)


# -------------------------------------------------------------------------- slider


def test_the_slider_cuts_as_the_partition_does(place: Place) -> None:
    if not place.model:
        pytest.skip("invented texts have no partition")
    cuts = set()
    with place.visit() as tab:
        tab.go(f"#/document/{place.row}")
        assert [text for text, _ in tab.brackets()] == several(place.model.partition_, place.row)
        for wanted in (0, 2.2, 4.3, 6, 9.5, 1000):
            threshold = tab.slide(wanted)
            phrases = several(partition_at(place.model, threshold), place.row)
            assert [text for text, _ in tab.brackets()] == phrases, threshold
            cuts.add(len(phrases))
    assert len(cuts) > 2


# ---------------------------------------------------------------------- odd models


def texts_of(n: int = 60) -> list[str]:
    return [record["text"] for record in planted()[:n]]


def without_texts(folder: Path) -> ToPMine:
    ToPMine(3, n_sweeps=10, random_state=1).fit(texts_of()).save(folder / "textless", keep_texts=False)
    return load(folder / "textless")


ODD: dict[str, Callable[[Path], ToPMine]] = {
    "without phrases and times": lambda _: ToPMine(3, phrases=False, n_sweeps=10, random_state=1).fit(
        texts_of()
    ),
    "without texts": without_texts,
    "one topic": lambda folder: ToPMine(1, n_sweeps=10, random_state=1).fit(read_planted(folder)),
    "500 topics": lambda _: ToPMine(500, n_sweeps=2, random_state=1).fit(texts_of()),
    "one document": lambda _: ToPMine(2, n_sweeps=5, random_state=1).fit(["gold silver"]),
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("of", ["report", "explorer"])
def test_odd_models(browser: Browser, tmp_path: Path, of: str, kind: str) -> None:
    model = ODD[kind](tmp_path)
    with place_of(of, browser, tmp_path, model) as place, place.visit() as tab:
        n_topics = model.lda_.topic_weight_.size
        assert tab.page.locator(".topics .card").count() == n_topics
        places = tab.page.eval_on_selector_all(
            ".map svg a", "(all) => all.map((each) => each.getAttribute('href'))"
        )
        assert set(places) <= {f"#/topic/{k}" for k in range(n_topics)}
        assert n_topics < 3 or len(set(places)) == n_topics
        if kind == "without phrases and times":  # words tell what phrases would
            assert all(tab.texts(".topics .gist"))
        timeless, textless = model.corpus_.times is None, kind == "without texts"
        absent = {"#/nowhere", *["#/trends"] * timeless}
        absent |= {"#/documents", "#/documents?topic=0", "#/document/0"} if textless else set()
        for route in sorted({*routes_in(tab, 1), *absent, f"#/topic/{n_topics - 1}", "#/search?q=a"}):
            tab.go(route)
            assert tab.texts("h1") != [""]
            assert (tab.texts("h1") == ["Not here"]) == (route in absent)
            assert faults(tab) == []
        assert ("Trends" in tab.texts("header nav a")) == (not timeless)
