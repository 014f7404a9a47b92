"""The explorer of real models in a real browser, served on this machine."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from browsing import (
    ATTACKS,
    HARM,
    N_DOCUMENTS,
    RARE,
    SCRIPT,
    SCRIPTS,
    Browser,
    Tab,
    attacked,
    drawn,
    exploring,
    faults,
    foreign,
    needs_chromium,
    phrase_route,
    poor_contrasts,
    representative,
    serving,
    studies,
    visiting,
)
from clocks import ENOUGH
from directories import bytes_of

from topminer import ToPMine, load
from topminer.views.explorer.explorer import Explorer
from topminer.views.explorer.search import SearchIndex

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("explorers")


@pytest.fixture(scope="module")
def saved(folder: Path) -> Path:
    studies().save(folder / "model")
    return folder / "model"


@pytest.fixture(scope="module")
def model(saved: Path) -> ToPMine:
    return load(saved)


@pytest.fixture(scope="module")
def explorer(saved: Path, model: ToPMine) -> Iterator[Explorer]:
    with closing(Explorer(model, saved)) as explorer:
        yield explorer


@pytest.fixture(scope="module")
def address(explorer: Explorer) -> Iterator[str]:
    with serving(explorer) as address:
        yield address


@pytest.fixture
def tab(browser: Browser, address: str) -> Iterator[Tab]:
    with visiting(browser, address) as tab:
        yield tab


# ----------------------------------------------------------------------- documents


def test_all_documents_are_there_page_by_page(tab: Tab, model: ToPMine) -> None:
    tab.go("#/documents")
    ids = model.corpus_.ids.to_list()
    for n in (10, 20, 30):
        assert tab.texts(".item h3 a") == ids[:n]
        assert f"{n} of {N_DOCUMENTS} shown" in tab.page.inner_text("main")
        tab.page.click("text=Show more")
        tab.until(f"document.querySelectorAll('.item').length === {n + 10}")
        assert tab.run("document.activeElement.textContent") == ids[n]
    tab.go(f"#/document/{N_DOCUMENTS - 1}")
    assert tab.texts("h1") == [ids[-1]]
    assert tab.page.text_content(".reading .marked") == model.corpus_.texts[N_DOCUMENTS - 1]


def test_documents_of_a_topic(tab: Tab, model: ToPMine) -> None:
    ids = model.corpus_.ids
    for topic, rows in enumerate(representative(model, 5)):
        tab.go(f"#/topic/{topic}")
        assert tab.texts(".item h3 a") == [ids[int(row)] for row in rows]
    with tab.arriving():
        tab.page.click("text=All documents of this topic")
    assert tab.page.locator(".item").count() == 10
    assert tab.page.input_value("#by-topic") == "3"


def test_search_finds_what_a_report_does_not_show(tab: Tab, model: ToPMine) -> None:
    shown = {int(row) for rows in representative(model, 8) for row in rows}
    row = min(set(range(N_DOCUMENTS)) - shown)
    word = f"study{row:03}"
    tab.page.keyboard.press("/")
    tab.page.keyboard.type(word.upper())
    with tab.arriving():
        tab.page.keyboard.press("Enter")
    tab.until("document.querySelector('.item')")
    assert tab.texts(".item h3 a") == [model.corpus_.ids[row]]
    assert tab.texts(".item mark") == [word.capitalize()]
    tab.go(f"#/documents?q={quote('zirconium latt')}")
    tab.until("document.querySelector('.item')")
    found = [model.corpus_.ids[row] for row, text in enumerate(model.corpus_.texts) if RARE in text]
    assert sorted(tab.texts(".item h3 a")) == found
    assert set(tab.texts(".item mark")) == {"zirconium", "lattice"}
    tab.page.fill("#by-text", "nowhereatall")
    tab.until("document.querySelector('main').innerText.includes('Nothing found')")


def test_search_waits_for_its_index(
    browser: Browser, saved: Path, model: ToPMine, tmp_path: Path, monkeypatch
) -> None:
    may_go_on = threading.Event()
    write = SearchIndex._write

    def slow(self: SearchIndex, path: Path) -> None:
        may_go_on.wait(ENOUGH)
        write(self, path)

    monkeypatch.setattr(SearchIndex, "_write", slow)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with exploring(browser, model, saved) as tab:
        tab.page.fill("#search", "Study042")
        tab.page.keyboard.press("Enter")
        tab.page.wait_for_selector("progress")
        assert f"of {N_DOCUMENTS}" in tab.page.inner_text("[role=status]")
        assert tab.run("document.querySelector('progress').max") == N_DOCUMENTS
        may_go_on.set()
        tab.until("document.querySelector('.item')")
        assert tab.texts(".item h3 a") == ["S-042"]
        assert tab.page.locator("progress").count() == 0


def test_what_failed_can_be_tried_again(tab: Tab, model: ToPMine) -> None:
    asked = []

    def fail(route: Any) -> None:
        asked.append(route.request.url)
        route.fulfill(status=500, json={})

    tab.page.route("**/api/documents/7", fail)
    tab.run("() => { location.hash = '#/document/7'; }")
    for n in (1, 2):
        tab.page.wait_for_selector("text=Try again")
        assert "(status 500)" in tab.page.inner_text("[role=alert]")
        assert asked == [f"{tab.address}api/documents/7"] * n
        if n == 2:
            tab.page.unroute("**/api/documents/7")
        tab.page.click("text=Try again")
    tab.settle()
    assert tab.texts("h1") == [model.corpus_.ids[7]]
    assert len(tab.noise) == 2 and all("status of 500" in each for each in tab.noise)  # by the browser itself
    tab.noise.clear()


# ------------------------------------------------------------------------- phrases


def support(model: ToPMine, phrase: str) -> int:
    """How often the stems of a phrase stand side by side within chunks."""
    stems, ids = model.corpus_.encode([phrase]).stem_ids, model.corpus_.stem_ids
    chunks = [ids[start:stop] for start, stop in pairwise(model.corpus_.chunk_start.tolist())]
    n = stems.size
    return sum(
        np.array_equal(chunk[at : at + n], stems) for chunk in chunks for at in range(chunk.size - n + 1)
    )


@pytest.mark.parametrize("phrase", [RARE, "mining of frequent patterns", "search engines"])
def test_the_concordance_of_a_phrase(tab: Tab, model: ToPMine, phrase: str) -> None:
    tab.go(phrase_route(phrase))
    shown = tab.texts("article a:has(bdi)")[0] if "Tied with" in tab.page.inner_text("main") else phrase
    total = support(model, shown)
    assert total == support(model, phrase) or shown != phrase
    for _ in range(2):
        n = min(total, tab.page.locator(".kwic").count())
        assert f"{n} of {total} shown" in tab.page.inner_text(".concordance")
        if n < total:
            tab.page.click("text=Show more")
            tab.until(f"document.querySelectorAll('.kwic').length === {min(n + 20, total)}")
    assert {text.lower() for text in tab.texts(".kwic .match")} == {shown}
    with tab.arriving():
        tab.page.locator(".kwic .match").last.click()
    assert shown in tab.page.inner_text(".reading").lower()


TEXT = "Support vector machines and kernel methods 😀, or 𝒳 word alignment? A zirconium lattice; unheard of."


@pytest.mark.parametrize("text", [TEXT, "nothing known here", "?!"])
def test_a_text_of_ones_own(tab: Tab, model: ToPMine, text: str) -> None:
    tab.go("#/try")
    tab.page.fill("textarea", text)
    tab.page.click("text=Find phrases")
    tab.until("document.querySelector('.reading')")
    spans = model.segment([text])[0]
    wanted = [(span.text, span.topic) for span in spans if " " in span.text]
    assert tab.brackets() == wanted
    assert tab.page.text_content(".reading .marked") == text
    words = tab.page.eval_on_selector_all(
        ".reading [data-topic]", "(all) => all.map((each) => [each.textContent, Number(each.dataset.topic)])"
    )
    assert [tuple(pair) for pair in words] == [(span.text, span.topic) for span in spans]
    shares = model.transform([text])[0]
    links = tab.page.eval_on_selector_all(".shares .keys a", "(all) => all.map((each) => each.hash)")
    assert links == [f"#/topic/{k}" for k in np.argsort(-shares, kind="stable")[:5]]
    told = [float(told.rstrip("%")) for told in tab.texts(".shares .keys a + .faint")]
    assert told == pytest.approx(100 * np.sort(shares)[::-1][:5], abs=0.06)


# ------------------------------------------------------------------------- changes


def test_a_topic_gets_another_name(browser: Browser, saved: Path, model: ToPMine, tmp_path: Path) -> None:
    copy = shutil.copytree(saved, tmp_path / "model")
    before = bytes_of(copy)
    name = f"Séarch & {SCRIPT} 検索"
    with exploring(browser, model, copy) as tab:
        tab.go("#/topic/2")
        (automatic,) = tab.texts("h1")
        tab.page.click("text=Rename")
        tab.page.fill("[aria-label='Name of the topic']", "not this")
        tab.page.click("text=Cancel")
        tab.page.click("text=Rename")
        assert tab.page.input_value("[aria-label='Name of the topic']") == automatic
        tab.page.fill("[aria-label='Name of the topic']", f"  {name} ")
        tab.page.keyboard.press("Enter")
        tab.until(f"document.querySelector('h1').textContent === {json.dumps(name)}")
        assert tab.page.title().startswith(f"Topic 2: {name}")
        tab.go("#/")
        assert name in tab.texts(".topics .label")
        assert json.loads((copy / "labels.json").read_text())["labels"] == {"2": name}
        tab.reload()
        assert name in tab.texts(".topics .label")
        tab.page.fill("#search", "séarch &")
        assert any(name in text for text in tab.texts(".option"))
        after = bytes_of(copy)
        assert after.pop("labels.json") and after == before

        tab.go("#/topic/2")
        tab.page.click("text=Rename")
        tab.page.click("text=Automatic name")
        tab.until(f"document.querySelector('h1').textContent === {json.dumps(automatic)}")
        assert bytes_of(copy) == before


def test_why_a_name_was_refused_is_told(browser: Browser, address: str) -> None:
    with browser.tab() as tab:
        tab.visit(f"{address}#/topic/0")
        tab.settle()
        tab.page.click("text=Rename")
        tab.page.fill("[aria-label='Name of the topic']", "\u202eturned")
        tab.page.keyboard.press("Enter")
        alert = tab.page.locator("[role=alert]")
        alert.wait_for()
        assert "without control characters" in alert.inner_text()


# -------------------------------------------------------------------------- access


def test_a_token_is_asked_for(browser: Browser, explorer: Explorer) -> None:
    token = "a-token-of-some-length"
    with serving(explorer, token) as address:
        with browser.tab() as tab:
            for query in ("", "?token=another"):
                assert tab.page.goto(address + query).status == 401
                assert tab.page.inner_text("h1") == "This explorer asks for a token"
            for path in ("api", "api/model", "openapi.json", "api/search?q=a"):
                assert tab.context.request.get(address + path).status == 401
        with visiting(browser, f"{address}?token={token}") as tab:
            assert tab.page.url == address
            tab.go("#/documents")
            assert tab.page.locator(".item").count() == 10
            tab.reload()
            assert tab.page.locator(".item").count() == 10
            assert token not in tab.page.content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_the_api(browser: Browser, address: str, scheme: str) -> None:
    with browser.tab() as tab:
        tab.visit(f"{address}api", scheme=scheme, width=360)
        assert tab.requests == [f"{address}api"]
        told = tab.page.inner_text("main")
        for path in ("GET /api/documents/{row}", "PUT /api/topics/{id}/label", "POST /api/segment"):
            assert path in told
        assert faults(tab) == []
        assert poor_contrasts(tab) == []
        assert tab.run("document.documentElement.scrollWidth") <= 360
        tab.check_quiet(address)
        with tab.arriving():
            tab.page.click("text=The page")
        assert tab.page.url == address


# ----------------------------------------------------------------------- hostility


def test_hostile_texts_are_texts(browser: Browser, tmp_path: Path) -> None:
    model = attacked()
    model.save(tmp_path / "model")
    with exploring(browser, model, tmp_path / "model") as tab:
        tab.go(phrase_route(SCRIPT))
        assert f"20 of {support(model, SCRIPT)} shown" in tab.page.inner_text(".concordance")
        assert set(tab.texts(".kwic .match")) == {SCRIPT}
        for text in ATTACKS[:4]:
            tab.go(f"#/documents?q={quote(text, safe='')}")
            assert tab.run(HARM) == [], text
        tab.go("#/try")
        for text in ("\n".join(ATTACKS), f"{SCRIPT} {{{{7*7}}}} {ATTACKS[10]}"):
            tab.page.fill("textarea", text)
            tab.page.click("text=Find phrases")
            tab.until(f"document.querySelector('.reading')?.textContent === {json.dumps(drawn(text))}")
            assert tab.run(HARM) == [] == faults(tab)
        tab.go("#/topic/1")
        tab.page.click("text=Rename")
        tab.page.fill("[aria-label='Name of the topic']", ATTACKS[1])
        tab.page.keyboard.press("Enter")
        tab.until(f"document.querySelector('h1').textContent === {json.dumps(ATTACKS[1])}")
        tab.reload()
        tab.go("#/")
        assert ATTACKS[1] in tab.texts(".topics .label")


def test_the_focus_follows_into_what_was_asked_for(tab: Tab) -> None:
    keys = tab.page.keyboard
    tab.go(phrase_route("kernel methods"))
    for _ in range(40):
        keys.press("Tab")
        if tab.run("document.activeElement.closest('.kwic, .item') !== null"):
            break
    with tab.arriving():
        keys.press("Enter")
    tab.until("document.activeElement.tagName === 'H1'")
    assert tab.run("location.hash").startswith("#/document/")
    assert tab.page.title().startswith(f"Document {tab.texts('h1')[0]} – ")


# ------------------------------------------------------------------------- scripts


def test_other_scripts(browser: Browser, tmp_path: Path) -> None:
    model = foreign()
    model.save(tmp_path / "scripts")
    with exploring(browser, model, tmp_path / "scripts") as tab:
        for name, phrases in SCRIPTS.items():
            direction = "ltr" if name == "chinese" else "rtl"
            tab.go(phrase_route(phrases[0]))
            assert set(tab.texts(".kwic .match")) == {phrases[0]}
            total = support(model, phrases[0])
            assert f"of {total} shown" in tab.page.inner_text(".concordance")
            tab.go(f"#/documents?q={quote(phrases[1], safe='')}")
            tab.until("document.querySelector('.item mark')")
            marks = "".join(tab.texts(".item mark")).replace(" ", "")
            assert set(marks) == set(phrases[1].replace(" ", ""))
            with tab.arriving():
                tab.page.locator(".item h3 a").first.click()
            assert {text for text, _ in tab.brackets()} <= set(phrases)
            assert tab.run("getComputedStyle(document.querySelector('.marked')).direction") == direction
