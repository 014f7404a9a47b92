"""The forms in a real browser: answered by mouse and by keys, kept, saved, and read back."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from browsing import Browser, Tab, Visit, faults, needs_chromium, poor_contrasts, visiting, written

from topminer.evaluation.intrusion import Question, questions, scores
from topminer.evaluation.judgements import read_answers, read_ratings
from topminer.evaluation.ratings import RatingList, method_scores, rating_lists
from topminer.methods.contract import Phrase
from topminer.views.forms import intrusion_form, rating_form

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


def topics_of() -> dict[str, list[list[Phrase]]]:
    topics = [[Phrase(f"word{k} word{i}", (k, i), 1.0) for i in range(10)] for k in range(3)]
    return {"topmine": topics, "kert": topics[::-1]}


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    return questions(topics_of(), n=3)


@pytest.fixture(scope="module")
def lists() -> list[RatingList]:
    return rating_lists(topics_of())


@pytest.fixture(scope="module")
def intrusion(browser: Browser, folder: Path, asked: list[Question]) -> Visit:
    return partial(
        visiting, browser, written(folder / "q.html", intrusion_form(asked, "Which is out of place?"))
    )


@pytest.fixture(scope="module")
def rating(browser: Browser, folder: Path, lists: list[RatingList]) -> Visit:
    return partial(visiting, browser, written(folder / "r.html", rating_form(lists, "How good are they?")))


def saved(tab: Tab, folder: Path) -> Path:
    """Press the button, and give the file that comes."""
    with tab.page.expect_download() as coming:
        tab.page.click("#save")
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def choose(tab: Tab, id: str, column: str, value: str) -> None:
    tab.page.click(f'fieldset[data-id="{id}"][data-column={column}] label:has([value="{value}"])')


def test_what_is_clicked_is_read_back(intrusion: Visit, asked: list[Question], folder: Path) -> None:
    with intrusion() as tab:
        assert tab.page.inner_text("#done") == "0 of 6 answered"
        tab.page.fill("#annotator", " Ann Lee ")
        for question, value in zip(asked, ["a", "d", "?", "b"], strict=False):
            choose(tab, question.id, "answer", value)
        choose(tab, asked[0].id, "answer", "c")  # on second thoughts
        assert tab.page.inner_text("#done") == "4 of 6 answered"
        path = saved(tab, folder)
        assert path.name == "intrusion-Ann_Lee.csv"
        assert tab.page.inner_text("#done") == "Saved; 2 of 6 still open"
    expected = {asked[0].id: 2, asked[1].id: 3, asked[2].id: None, asked[3].id: 1}
    found = read_answers(path)
    assert found == {"Ann Lee": expected}
    assert sum(score.answered for score in scores(asked, found).values()) == 3


def test_keys_answer_and_go_on(intrusion: Visit, asked: list[Question], folder: Path) -> None:
    with intrusion() as tab:
        press = tab.page.keyboard.press
        tab.page.focus("#annotator")
        tab.page.keyboard.type("bad ace")  # letters of options, in a name
        press("Enter")
        for key in ["b", "C", "?", "a", "Shift+Tab", "Delete"]:  # from the fifth back to the fourth
            press(key)
        press("Control+a")  # no answer
        choose(tab, asked[5].id, "answer", "a")
        press("ArrowDown")
        path = saved(tab, folder)
    expected = {asked[0].id: 1, asked[1].id: 2, asked[2].id: None, asked[5].id: 1}
    assert read_answers(path) == {"bad ace": expected}


def test_keys_without_a_focus_answer_the_first_open_question(intrusion: Visit, asked: list[Question]) -> None:
    with intrusion() as tab:
        choose(tab, asked[0].id, "answer", "a")
        tab.run("document.activeElement.blur()")
        tab.page.keyboard.press("d")
        checked = tab.run("[...document.querySelectorAll(':checked')].map((each) => [each.name, each.value])")
        assert checked == [[f"{asked[0].id} answer", "a"], [f"{asked[1].id} answer", "d"]]
        assert tab.run("document.activeElement.name") == f"{asked[2].id} answer"
        for _ in range(4):
            tab.page.keyboard.press("a")
        assert tab.run("document.activeElement.id") == "save"


def test_ratings_are_read_back(rating: Visit, lists: list[RatingList], folder: Path) -> None:
    with rating() as tab:
        tab.page.fill("#annotator", "=Ben")
        choose(tab, lists[0].id, "coherence", "10")
        choose(tab, lists[0].id, "quality", "2")
        choose(tab, lists[2].id, "quality", "7")
        for key in ["Tab", *"901"]:  # on to the fourth list: 9 and 10, and 1 for the fifth
            tab.page.keyboard.press(key)
        assert tab.page.inner_text("#done") == "6 of 12 rated"
        path = saved(tab, folder)
        assert path.name == "ratings-_Ben.csv"
    found = read_ratings(path)
    ids = [each.id for each in lists]
    assert found.coherence == {"=Ben": {ids[0]: 10, ids[3]: 9, ids[4]: 1}}
    assert found.quality == {"=Ben": {ids[0]: 2, ids[2]: 7, ids[3]: 10}}
    assert method_scores(lists, found.coherence).agreement is None


def test_a_name_is_asked_for(intrusion: Visit) -> None:
    with intrusion() as tab:
        tab.page.fill("#annotator", "  ")
        tab.page.click("#save")
        assert tab.page.inner_text("#missing") == "Please type your name first."
        assert tab.run("document.activeElement.id") == "annotator"
        tab.page.keyboard.type("Ann")
        assert tab.page.inner_text("#missing") == ""


def test_answers_are_kept_until_one_starts_again(intrusion: Visit, asked: list[Question]) -> None:
    with intrusion() as tab:
        tab.page.fill("#annotator", "Ann")
        choose(tab, asked[1].id, "answer", "d")
        tab.reload_until("document.querySelector('#annotator').value && document.querySelector(':checked')")
        assert tab.page.input_value("#annotator") == "Ann"
        assert tab.run("document.querySelector(':checked').value") == "d"
        assert tab.page.inner_text("#done") == "1 of 6 answered"
        tab.page.click("#again")
        tab.page.keyboard.press("a")  # no answer while there is a question to be answered first
        tab.page.click("#keep")
        assert tab.page.inner_text("#done") == "1 of 6 answered"
        tab.page.click("#again")
        tab.page.click("#delete")
        assert tab.page.inner_text("#done") == "0 of 6 answered"
        tab.reload_until("document.querySelector('#annotator').value === ''")
        assert tab.page.locator(":checked").count() == 0


BROKEN = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } });"


def test_a_browser_that_keeps_nothing(intrusion: Visit, asked: list[Question], folder: Path) -> None:
    with intrusion() as tab:
        tab.page.add_init_script(BROKEN)
        tab.reload()
        assert not tab.page.is_visible("#unkept")
        tab.page.fill("#annotator", "Cy")
        choose(tab, asked[0].id, "answer", "b")
        assert tab.page.is_visible("#unkept")
        assert read_answers(saved(tab, folder)) == {"Cy": {asked[0].id: 1}}


def test_what_was_kept_may_be_nonsense(intrusion: Visit) -> None:
    place = "`answers ${document.querySelector('form').dataset.form}`"
    with intrusion() as tab:
        for kept in (
            "no JSON",
            "null",
            "7",
            '{"annotator": 1, "answers": 2}',
            '{"answers": [["x", "a"], 3]}',
        ):
            tab.run(f"(kept) => localStorage.setItem({place}, kept)", kept)
            tab.reload_until(f"localStorage.getItem({place}) === {json.dumps(kept)}")
            assert tab.page.inner_text("#done") == "0 of 6 answered"
            assert tab.page.input_value("#annotator") in ("", "1")


def test_forms_can_be_read_by_all_when_answered_and_on_paper(intrusion: Visit, rating: Visit) -> None:
    for visit in (intrusion, rating):
        with visit(width=320) as tab:
            tab.page.click("#save")
            tab.page.click("ol label >> nth=0")
            assert faults(tab) == []
            assert poor_contrasts(tab) == []
            assert tab.run("document.documentElement.scrollWidth") <= 320
            tab.page.emulate_media(media="print")
            assert not tab.page.is_visible("#save") and tab.page.is_visible("#annotator")
