"""The report of real models in a real browser, opened as a file."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from browsing import (
    BACKGROUND,
    N_DOCUMENTS,
    SCRIPTS,
    VARIANTS,
    Browser,
    Visit,
    foreign,
    needs_chromium,
    phrase_route,
    several,
    shown_rows,
    studies,
    visiting,
    written,
)

from topminer import Listing, Summary, ToPMine
from topminer.phrases.partition import Partition
from topminer.topics.results.summary import ranked_topics
from topminer.views.report_page import report

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def model() -> ToPMine:
    return studies()


@pytest.fixture(scope="module")
def visit(browser: Browser, folder: Path, model: ToPMine) -> Visit:
    return partial(visiting, browser, written(folder / "studies.html", report(model)))


# ------------------------------------------------------------------- what is shown

LINKS = "(all) => all.map((each) => each.getAttribute('href') ?? each.getAttribute('xlink:href'))"


def test_the_overview_shows_every_topic(visit: Visit, model: ToPMine) -> None:
    with visit() as tab:
        assert tab.texts("h1") == ["studies"]
        links = tab.page.eval_on_selector_all(".topics .card > a", "(all) => all.map((each) => each.hash)")
        assert links == [f"#/topic/{topic.id}" for topic in model.topics()]  # the heaviest first
        linked = tab.page.eval_on_selector_all(".map svg a", LINKS)
        assert sorted(set(linked)) == sorted(links)
        weights = [f"{100 * topic.weight:.1f}%" for topic in model.topics()]
        assert tab.texts(".card .told") == weights
        assert f"{N_DOCUMENTS} documents from 2001 to 2010" in tab.page.inner_text(".lead")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_topic_has_its_colour_on_the_map(visit: Visit, model: ToPMine, scheme: str) -> None:
    with visit(scheme=scheme) as tab:
        fills = tab.page.eval_on_selector_all(
            ".map .cell path[fill]", "(all) => all.map((each) => getComputedStyle(each).fill)"
        )
    assert len(set(fills)) == len(model.topics())


def test_a_topic_shows_its_phrases(visit: Visit, model: ToPMine) -> None:
    with visit() as tab:
        as_first = Listing(30, 30, order="frequency", word_order="probability", longest=None, typical=False)
        for topic in Summary(model).topics(as_first):  # the model is as in the paper
            with tab.arriving():
                tab.page.click(f".topics a[href='#/topic/{topic.id}']")
            assert tab.listed() == [phrase.phrase for phrase in topic.phrases]
            assert not {BACKGROUND, *VARIANTS} & set(tab.listed())
            assert tab.listed("Words")[:20] == [word.word for word in topic.words[:20]]
            with tab.arriving():
                tab.page.go_back()


@pytest.mark.parametrize("order", ["best", "relevance"])
@pytest.mark.parametrize("background", [False, True])
def test_words_are_those_of_python(visit: Visit, model: ToPMine, order: str, background: bool) -> None:
    summary = Summary(model)
    words = model.corpus_.vocabulary["surface"].to_list()
    with visit() as tab:
        tab.go("#/topic/0")
        tab.page.check(f"input[value={order}]", force=True)
        tab.page.set_checked("input[name=background]", not background)
        for k, chosen in enumerate(summary.words(Listing(20, 0, order, background=background))):
            tab.go(f"#/topic/{k}")
            assert tab.listed("Words")[:20] == [words[word] for word in chosen]


@pytest.mark.parametrize(("order", "tie"), [("kert", True), ("relevance", True), ("relevance", False)])
def test_other_orders(visit: Visit, model: ToPMine, order: str, tie: bool) -> None:
    with visit() as tab:
        tab.go("#/topic/0")
        tab.page.check(f"input[value={order}]", force=True)
        tab.page.set_checked("input[name=tied]", tie)
        tab.page.set_checked("input[name=background]", False)
        for topic in ranked_topics(model, 0, 30, order=order, tie=tie, background=True):
            tab.go(f"#/topic/{topic.id}")
            wanted = [phrase.phrase for phrase in topic.phrases]
            assert [text for text in tab.listed() if text in wanted] == wanted
            assert (set(VARIANTS) & set(wanted) == set()) or not tie


def test_the_forms_of_a_phrase_and_ids_are_found(visit: Visit, model: ToPMine) -> None:
    with visit() as tab:
        tab.go(phrase_route("frequent pattern mining"))
        assert any(VARIANTS[0] in text for text in tab.texts("main li"))
        tab.go(phrase_route(VARIANTS[0]))
        with tab.arriving():
            tab.page.click("text=Tied with >> a")
        assert tab.texts("h1") == ["frequent pattern mining"]
        for item in tab.page.locator(".item").all():
            assert item.locator(".sought").count() > 0
        tab.go("#/search?q=S-0")
        ids = {model.corpus_.ids[row] for row in shown_rows(model)}
        found = tab.texts(".item h3 a")
        assert found and set(found) <= {id for id in ids if id.startswith("S-0")}


def test_background_phrases_have_their_page(visit: Visit) -> None:
    with visit() as tab:
        tab.go("#/background")
        assert tab.texts("main tbody tr td:first-child")[0] == BACKGROUND


def topics_at(model: ToPMine, partition: Partition, row: int) -> list[int]:
    """The topic that most tokens of each phrase of several words have; of equals the first."""
    of_token = model.lda_.clique_topic_.repeat(np.diff(model.partition_.clique_start)).tolist()
    cliques = range(*partition.doc_start[row : row + 2].tolist())
    tokens = [slice(*partition.clique_start[clique : clique + 2].tolist()) for clique in cliques]
    return [Counter(of_token[here]).most_common(1)[0][0] for here in tokens if here.stop - here.start > 1]


def test_brackets_are_the_phrases_of_the_partition(visit: Visit, model: ToPMine) -> None:
    partition = model.partition_
    with visit() as tab:
        for row in shown_rows(model)[::4]:
            tab.go(f"#/document/{row}")
            wanted = several(partition, row)
            assert tab.brackets() == list(zip(wanted, topics_at(model, partition, row), strict=True))
            assert tab.page.text_content(".reading .marked") == model.corpus_.texts[row]
            assert tab.texts("h1") == [model.corpus_.ids[row]]
            assert tab.texts("article time") == [model.corpus_.times[row].date().isoformat()]
            n = len(model.corpus_[row].stem_ids)
            assert tab.page.get_by_role("img", name=f"Merge tree of {n} words").count() == 1
            words = tab.page.locator(".tree .word").all_text_contents()
            assert len(words) == n and set(words) <= set(re.findall(r"\w+", model.corpus_.texts[row]))


def test_a_phrase_tells_its_topic(visit: Visit, model: ToPMine) -> None:
    with visit() as tab:
        tab.go(f"#/document/{shown_rows(model)[0]}")
        (_, first), *_ = tab.brackets()
        phrase = tab.page.locator(".reading .phrase").first
        phrase.hover()
        assert tab.page.inner_text("#tooltip").startswith(f"Topic {first} · ")
        tab.page.keyboard.press("Escape")
        assert tab.page.locator("#tooltip").is_hidden()
        phrase.focus()
        assert tab.page.inner_text("#tooltip").startswith(f"Topic {first} · ")
        with tab.arriving():
            phrase.press("Enter")
        assert tab.run("location.hash") == f"#/topic/{first}"


# ------------------------------------------------------------------------- scripts


@pytest.mark.parametrize(("script", "direction"), [("chinese", "ltr"), ("arabic", "rtl"), ("hebrew", "rtl")])
def test_documents_run_in_their_direction(
    browser: Browser, folder: Path, script: str, direction: str
) -> None:
    scripts_model = foreign()
    address = written(folder / "scripts.html", report(scripts_model))
    ids = scripts_model.corpus_.ids.to_list()
    row = next(row for row in shown_rows(scripts_model) if ids[row].startswith(script))
    with visiting(browser, address) as tab:
        tab.go(f"#/document/{row}")
        style = "getComputedStyle(document.querySelector('.reading .marked')).direction"
        assert tab.run(style) == direction
        phrases = [text for text, _ in tab.brackets()]
        assert phrases == several(scripts_model.partition_, row)
        assert set(phrases) == set(SCRIPTS[script])
        places = tab.page.eval_on_selector_all(
            ".tree .word", "(all) => all.map((each) => each.getBoundingClientRect().left)"
        )
        assert places == sorted(places, reverse=direction == "rtl")
        with tab.arriving():
            tab.page.locator(".reading .phrase").first.click()
        tab.page.check("input[value=frequency]", force=True)
        assert set(tab.listed()) >= set(SCRIPTS[script])
        phrase = SCRIPTS[script][0]
        isolation = tab.run(
            "(text) => getComputedStyle([...document.querySelectorAll('.name bdi')]"
            ".find((each) => each.textContent === text)).unicodeBidi",
            phrase,
        )
        assert isolation == "isolate"
        tab.page.fill("#search", phrase[:3])
        with tab.arriving():
            tab.page.click(f".option:has-text('{phrase}'):has-text('phrase')")
        assert tab.texts("h1") == [phrase]
