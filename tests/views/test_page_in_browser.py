"""The page in a real browser."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from page_fixture import BACKGROUND, HOSTILE, THRESHOLD, page_charts, page_data

from topminer.views.page import page as page_of

CHROMIUM = Path("/usr/bin/chromium")
sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs {CHROMIUM}")

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {"five": page_data(), "many": page_data(500), "hostile": page_data(hostile=True)}
    for name, data in made.items():
        (folder / f"{name}.html").write_text(page_of(data, page_charts(data)), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture
def opened(browser: Any, files: dict[str, Path]) -> Iterator[Open]:
    """Opens a page by name and route, and in the end checks that it was quiet: no errors, no requests."""
    context = browser.new_context()
    noise: list[str] = []
    allowed = set()

    def open_page(name: str = "five", route: str = "#/", width: int = 1200, scheme: str = "light") -> Any:
        shown = context.new_page()
        shown.set_viewport_size({"width": width, "height": 800})
        shown.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        address = files[name].as_uri()
        allowed.add(address)
        shown.on("console", lambda message: noise.append(f"{message.type}: {message.text}"))
        shown.on("pageerror", lambda error: noise.append(f"error: {error}"))
        shown.on("dialog", lambda dialog: (noise.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        shown.on(
            "request",
            lambda request: noise.append(request.url) if request.url.split("#")[0] not in allowed else None,
        )
        shown.goto(address + route)
        shown.wait_for_selector("main h1")
        return shown

    yield open_page
    context.close()
    assert noise == []


def until(shown: Any, condition: str) -> None:
    """Wait for a condition; the page's policy forbids the browser to poll for it."""
    for _ in range(200):
        if shown.evaluate(condition):
            return
        shown.wait_for_timeout(25)
    raise AssertionError(condition)


def texts(shown: Any, selector: str) -> list[str]:
    return [text.strip() for text in shown.locator(selector).all_inner_texts()]


def names(shown: Any, heading: str = "Phrases") -> list[str]:
    return texts(shown, f'[aria-label="{heading}"] .name > a')


def phrases_of(data: dict[str, Any], k: int, key: Callable[[list[Any], dict[str, Any]], float]) -> list[str]:
    rows = [(row, data["entries"][row[0]]) for row in data["topics"][k]["phrases"]]
    kept = [(row, entry) for row, entry in rows if entry["n"] > 1 and not entry["background"]]
    return [entry["text"] for row, entry in sorted(kept, key=lambda pair: -key(*pair))]


def test_overview_shows_every_topic(opened: Open) -> None:
    shown = opened()
    labels = {topic["label"] for topic in page_data()["topics"]}
    assert set(texts(shown, ".topics .label")) == labels
    assert "44,165 documents" in shown.inner_text(".lead")
    assert shown.locator(".map svg a").count() == 5


def test_the_map_tells_and_leads(opened: Open) -> None:
    shown = opened()
    shown.locator(".map svg a").nth(2).focus()
    assert shown.inner_text("#tooltip") == "Topic 2: information retrieval"
    shown.locator(".map svg a").nth(2).press("Enter")
    assert shown.inner_text("h1") == "information retrieval"
    assert shown.evaluate("document.activeElement.tagName") == "H1"


def test_choosing_a_topic_shows_its_phrases(opened: Open) -> None:
    shown = opened()
    shown.click("text=machine translation")
    assert names(shown) == phrases_of(page_data(), 3, lambda row, entry: row[1])
    assert shown.title().startswith("Topic 3: machine translation")
    assert texts(shown, "nav [aria-current]") == ["Topics"]


def test_relevance_orders_by_its_formula(opened: Open) -> None:
    data = page_data()
    topic = data["topics"][1]
    n_instances = sum(each["size"] for each in data["topics"])

    def relevance(here: float, overall: float) -> float:
        return weight * math.log(here) + (1 - weight) * math.log(here / overall)

    def of_phrase(row: list[Any], entry: dict[str, Any]) -> float:
        return relevance(row[1] / topic["size"], entry["total"] / n_instances)

    shown = opened(route="#/topic/1")
    shown.click("text=Relevance")
    orders = set()
    for weight in (0.0, 0.35, 0.6, 1.0):
        shown.fill("#lambda", str(weight))
        assert names(shown) == phrases_of(data, 1, of_phrase)
        words = sorted(topic["words"], key=lambda word: -relevance(word[1], word[2]))
        assert names(shown, "Words") == [word[0] for word in words]
        orders.add(tuple(names(shown)))
    assert len(orders) > 1


def test_kert_orders_by_its_score(opened: Open) -> None:
    shown = opened(route="#/topic/1")
    shown.click("text=KERT")
    assert names(shown) == phrases_of(page_data(), 1, lambda row, entry: row[2])


def test_switches(opened: Open) -> None:
    shown = opened(route="#/topic/1")
    assert not set(names(shown)) & set(BACKGROUND)
    shown.click("text=Hide background")
    assert set(names(shown)) >= set(BACKGROUND)
    assert "methods of kernel" not in names(shown)
    shown.click("text=Tie variants")
    assert "methods of kernel" in names(shown)
    told = texts(shown, '[aria-label="Phrases"] .told')[names(shown).index("methods of kernel")]
    entry = next(each for each in page_data()["entries"] if each["text"] == "kernel methods")
    form = entry["forms"][1]
    here = next(frequency for topic, frequency in form[2] if topic == 1)
    assert re.findall(r"[\d,.]+", told) == [f"{here:,.0f}", f"{form[1]:,}"]
    shown.click("text=together")
    assert "fast1" in names(shown, "Words and phrases")


def test_tied_forms_are_disclosed(opened: Open) -> None:
    shown = opened(route="#/topic/1")
    shown.locator("summary").first.click()
    assert "methods of kernel" in shown.locator("details[open]").first.inner_text()


def test_search_finds_a_phrase(opened: Open) -> None:
    shown = opened()
    shown.keyboard.press("/")
    assert shown.evaluate("document.activeElement.id") == "search"
    shown.keyboard.type("Álignm")
    assert "word alignment\nphrase" in texts(shown, ".option")
    shown.keyboard.press("ArrowDown")
    shown.keyboard.press("Enter")
    until(shown, "location.hash.startsWith('#/phrase/')")
    assert shown.inner_text("h1") == "word alignment"
    shown.keyboard.press("/")
    shown.keyboard.press("Escape")
    assert shown.locator("#suggested").is_hidden()
    shown.fill("#search", "pattern")
    shown.keyboard.press("Enter")
    until(shown, "location.hash === '#/search?q=pattern'")
    assert "frequent pattern mining" in texts(shown, ".found a bdi")


def spans(one: dict[str, Any], threshold: float) -> list[str]:
    """Phrases of several words at a threshold, written another way than the page's."""
    text, runs = one["text"], []
    for start, end, strength in zip(one["start"], one["end"], one["strength"], strict=True):
        if runs and strength is not None and strength >= threshold:
            runs[-1] = (runs[-1][0], end, runs[-1][2] + 1)
        else:
            runs.append((start, end, 1))
    return [text[start:end] for start, end, n in runs if n > 1]


def test_brackets_are_the_documents_phrases(opened: Open) -> None:
    shown = opened()
    documents = page_data()["documents"]
    for row in (0, 2, 24, 25):
        go(shown, f"#/document/{row}")
        assert texts(shown, ".reading .phrase") == spans(documents[row], THRESHOLD)
        assert shown.inner_text(".reading .marked") == documents[row]["text"]


def test_the_slider_cuts_anew(opened: Open) -> None:
    shown = opened(route="#/document/2")
    one = page_data()["documents"][2]
    for step in ("0", "120", "200"):
        shown.fill("#threshold", step)
        until(shown, "document.querySelector('.slider output').textContent !== '4'")
        shown.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        threshold = float(shown.inner_text(".slider output"))
        assert texts(shown, ".reading .phrase") == spans(one, threshold)
    shown.click("text=back to 4")
    assert texts(shown, ".reading .phrase") == spans(one, THRESHOLD)


def test_the_line_of_the_tree_moves(opened: Open) -> None:
    shown = opened(route="#/document/2")
    before = float(shown.get_attribute(".tree .threshold", "y1"))
    shown.focus("#threshold")
    shown.keyboard.press("End")
    shown.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert float(shown.get_attribute(".tree .threshold", "y1")) > before


def test_a_joined_phrase_has_the_topic_of_most_tokens(
    opened: Open, files: dict[str, Path], tmp_path: Path
) -> None:
    data = page_data()
    strength = [None, 9.0, 2.0, 9.0, 9.0]
    data["documents"][0] |= {"text": "a b c d e", "start": [0, 2, 4, 6, 8], "end": [1, 3, 5, 7, 9]}
    data["documents"][0] |= {"strength": strength, "topic": [4, 4, 2, 2, 2]}
    files["joined"] = tmp_path / "joined.html"
    files["joined"].write_text(page_of(data, {}), encoding="utf-8")
    shown = opened("joined", "#/document/0")
    assert [each.get_attribute("data-topic") for each in shown.locator(".phrase").all()] == ["4", "2"]
    shown.fill("#threshold", "0")
    until(shown, "document.querySelectorAll('.reading .phrase').length === 1")
    assert shown.get_attribute(".reading .phrase", "data-topic") == "2"
    shown.hover(".reading .phrase")
    assert shown.inner_text("#tooltip") == "Topic 2 · information retrieval"


VIEWS = ["#/topic/0", "#/topic/1", "#/document/1", "#/documents", "#/background", "#/run", "#/trends"]
VIEWS += [f"#/{where}{quote(text, safe='')}" for text in HOSTILE for where in ("phrase/", "search?q=")]


def go(shown: Any, route: str) -> None:
    """Follow a link, and wait until its view is there."""
    shown.evaluate("() => { document.querySelector('h1').id = 'before'; }")
    shown.evaluate("(route) => { location.hash = route; }", route)
    until(shown, "!document.getElementById('before')")


def test_hostile_texts_are_texts(opened: Open) -> None:
    shown = opened("hostile")
    for route in VIEWS:
        go(shown, route)
        assert shown.evaluate("window.hacked") is None
        assert shown.locator("img, main script, main [onerror]").count() == 0
        told = shown.inner_text("body") + shown.title()
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", told)


def test_hostile_phrases_are_shown_as_they_are(opened: Open) -> None:
    shown = opened("hostile", "#/topic/0")
    shown.click("text=together")
    told = " ".join(names(shown, "Words and phrases"))
    assert "<script>alert(1)</script>" in told and "{{7*7}} ${7*7}" in told and "·abc·def·" in told


UNKNOWN = ["#/topic/99", "#/topic/x", "#/nowhere", "#/document/9999", "#/try"]
UNKNOWN += ["#/phrase/unheard%20of", "#/phrase/%E0%A4%A"]


def test_unknown_places_lead_back(opened: Open) -> None:
    shown = opened()
    for route in UNKNOWN:
        go(shown, route)
        assert shown.inner_text("h1") == "Not here"
    shown.click("text=Back to all topics")
    assert shown.locator(".topics .card").count() == 5


def test_a_model_without_texts_times_and_phrases(
    opened: Open, files: dict[str, Path], tmp_path: Path
) -> None:
    data = page_data(times=False) | {"threshold": None, "has_texts": False}
    for one in data["documents"]:
        one["text"] = ""
    for topic in data["topics"]:
        topic["phrases"] = [row for row in topic["phrases"] if data["entries"][row[0]]["n"] == 1]
    files["bare"] = tmp_path / "bare.html"
    files["bare"].write_text(page_of(data, {}), encoding="utf-8")
    shown = opened("bare")
    assert "Trends" not in texts(shown, "header nav a")
    assert "fast0" in shown.inner_text(".topics")
    for route in ("#/topic/0", "#/document/0", "#/documents", "#/phrase/fast0", "#/run"):
        go(shown, route)
        assert shown.locator("h1").count() == 1
    go(shown, "#/trends")
    assert shown.inner_text("h1") == "Not here"


def test_five_hundred_topics(opened: Open) -> None:
    shown = opened("many")
    assert shown.locator(".topics .card").count() == 500
    shown.fill("#topic-filter", "online5 image")
    assert texts(shown, ".topics .label") == ["online5 image segmentation"]
    shown.click(".topics .card a")
    assert shown.inner_text("h1") == "online5 image segmentation"
    shown.go_back()
    assert shown.locator(".topics .card").count() == 1


@pytest.mark.parametrize("name", ["five", "many", "hostile"])
def test_a_phone_needs_no_sideways_scroll(opened: Open, name: str) -> None:
    shown = opened(name, width=360)
    routes = ["#/topic/1", "#/topic/0", "#/document/0", "#/document/25", "#/documents", "#/background"]
    for route in ["#/", *routes, "#/trends", "#/run", "#/phrase/kernel%20methods", "#/search?q=a"]:
        if route != "#/":
            go(shown, route)
        assert shown.evaluate("document.documentElement.scrollWidth") <= 360, route


def test_the_keyboard_reaches_topics(opened: Open) -> None:
    shown = opened()
    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.className") == "skip"
    shown.keyboard.press("Enter")
    assert shown.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(16):
        shown.keyboard.press("Tab")
        reached.add(
            shown.evaluate(
                "document.activeElement.closest('.card') && document.activeElement.getAttribute('href')"
            )
        )
    assert reached >= {f"#/topic/{k}" for k in range(5)}


CONTRASTS = """() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour, under) => {
    pen.fillStyle = under; pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const linear = (x) => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  const light = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  const page = getComputedStyle(document.body).backgroundColor;
  const groundOf = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return page;
  };
  const poor = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !e.checkVisibility({ visibilityProperty: true }) || e.closest("svg, script")) continue;
    const under = rgb(groundOf(e), page);
    const [a, b] = [light(rgb(getComputedStyle(e).color, `rgb(${under})`)), light(under)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) poor.push(`${e.className} ${e.textContent.slice(0, 20)} ${contrast.toFixed(2)}`);
  }
  return poor;
}"""

EVERY_HUE = """() => {
  for (let hue = 0; hue < 360; hue += 5) {
    const badge = document.querySelector(".badge").cloneNode(true);
    badge.style.setProperty("--hue", hue);
    document.querySelector("main").append(badge);
  }
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_in_both_schemes(opened: Open, scheme: str) -> None:
    shown = opened(scheme=scheme)
    dark = shown.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    shown.evaluate(EVERY_HUE)
    assert shown.evaluate(CONTRASTS) == []
    for route in ("#/topic/3", "#/document/2", "#/phrase/kernel%20methods", "#/background", "#/run"):
        go(shown, route)
        assert shown.evaluate(CONTRASTS) == [], route


def test_a_chosen_scheme_holds(opened: Open) -> None:
    shown = opened()
    ground = "getComputedStyle(document.body).backgroundColor"
    chart = "getComputedStyle(document.querySelector('.map text')).fill"
    light = shown.evaluate(ground), shown.evaluate(chart)
    shown.click(".theme")
    assert shown.get_attribute(".theme", "aria-pressed") == "true"
    dark = shown.evaluate(ground), shown.evaluate(chart)
    assert light[0] != dark[0] and light[1] != dark[1]
    shown.reload()
    assert (shown.evaluate(ground), shown.evaluate(chart)) == dark


def test_documents_are_chosen_by_topic_and_text(opened: Open) -> None:
    shown = opened(route="#/documents?topic=2")
    data = page_data()
    mine = [one["id"] for one in data["documents"] if 2 in [topic for topic, _ in one["topics"]]]
    assert set(texts(shown, ".item h3 a")) == set(mine)
    shown.fill("#by-text", "relevance feedback")
    until(shown, "location.hash.includes('q=relevance')")
    shown.wait_for_timeout(50)
    held = [
        one["id"] for one in data["documents"] if one["id"] in mine and "relevance feedback" in one["text"]
    ]
    assert set(texts(shown, ".item h3 a")) == set(held) != set(mine)


def test_the_live_page_asks_its_explorer(browser: Any) -> None:
    data = page_data(live=True)
    one = data["documents"][2]
    data |= {"documents": [], "topics": [topic | {"documents": []} for topic in data["topics"]]}
    building = [{"building": {"done": 10, "total": 40}}, {"building": {"done": 30, "total": 40}}]
    asked: list[tuple[str, str, Any]] = []

    def answer(route: Any) -> None:
        request = route.request
        path = request.url.removeprefix("http://explorer.test/")
        asked.append((request.method, path, request.post_data_json))
        if path == "":
            return route.fulfill(
                body=page_of(data, page_charts(data)), content_type="text/html; charset=utf-8"
            )
        if path.startswith("api/search") and building:
            return route.fulfill(status=202, json=building.pop(0))
        if path.startswith("api/documents/7"):
            return route.fulfill(status=500, json={})
        told: dict[str, Any] = {
            "api/topics/3/label": {"id": 3, "label": "my own", "renamed": True},
            "api/documents?topic=3&offset=0&limit=5": {"total": 1, "documents": [one]},
            "api/documents?offset=0&limit=10": {
                "total": 12,
                "documents": [one | {"row": row} for row in range(10)],
            },
            "api/documents?offset=10&limit=10": {"total": 12, "documents": [one, one]},
            "api/documents/2": one,
            "api/search?q=fast&offset=0&limit=10": {
                "total": 1,
                "documents": [
                    {
                        "row": 2,
                        "id": "X",
                        "time": None,
                        "topics": [[0, 1.0]],
                        "excerpt": [["a ", False], ["<b>", True]],
                    }
                ],
            },
            "api/concordance?phrase=kernel+methods&offset=0&limit=20": {
                "total": 1,
                "lines": [
                    {"row": 2, "id": "X", "left": "on", "match": "kernel methods", "right": "of", "topic": 1}
                ],
            },
            "api/segment": one | {"row": -1},
        }
        return route.fulfill(json=json.loads(json.dumps(told[path])))

    context = browser.new_context()
    shown = context.new_page()
    shown.route("**/*", answer)
    errors: list[str] = []
    shown.on("pageerror", lambda error: errors.append(str(error)))
    shown.goto("http://explorer.test/#/documents")
    shown.click("text=Show more")
    until(shown, "document.querySelectorAll('.item').length === 12")
    shown.fill("#by-text", "fast")
    shown.wait_for_selector("progress")
    shown.wait_for_selector(".item mark")
    assert texts(shown, ".item mark") == ["<b>"]
    shown.click(".item h3 a")
    shown.wait_for_selector(".reading")
    assert texts(shown, ".reading .phrase") == spans(one, THRESHOLD)

    go(shown, "#/phrase/kernel%20methods")
    assert shown.inner_text(".kwic .match") == "kernel methods"
    go(shown, "#/topic/3")
    shown.wait_for_selector(".topic .item")
    assert texts(shown, ".topic .item h3 a") == [one["id"]]
    shown.click("text=Rename")
    shown.fill('[aria-label="Name of the topic"]', "my own")
    shown.keyboard.press("Enter")
    until(shown, "document.querySelector('h1').innerText === 'my own'")
    go(shown, "#/try")
    shown.fill("textarea", "some text")
    shown.click("text=Find phrases")
    shown.wait_for_selector(".tree")
    go(shown, "#/document/7")
    shown.click("text=Try again")
    shown.wait_for_selector("text=Try again")
    assert ("PUT", "api/topics/3/label", {"label": "my own"}) in asked
    assert ("POST", "api/segment", {"text": "some text"}) in asked
    assert sum(path == "api/documents/7" for _, path, _ in asked) == 2
    context.close()
    assert errors == []
