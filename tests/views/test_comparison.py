"""The page of a comparison: complete, and honest about who is first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from html import unescape
from typing import Any

import pytest
from comparison_fixture import HOSTILE, comparison_data, page_of, with_people
from parsed import Parsed

from topminer.views import comparison
from topminer.views.comparison import Column, Comparison, comparison_page
from topminer.views.numbers import ratio_text, score_text, seconds_text, share_text

SECTIONS = [*("summary", "times", "coherence", "intrusion", "people", "quality", "perplexity", "scaling")]
SECTIONS += ["topics"]


def rows_of(html: str, anchor: str, number: int = 0) -> dict[str, list[str]]:
    """The rows of a table of a section, by the method's title; best figures with a star."""
    section = html.split(f'<section id="{anchor}"')[1].split("</section>")[0]
    table = re.findall(r"<tbody>(.*?)</tbody>", section, re.S)[number]
    rows = {}
    for row in re.findall(r"<tr.*?</tr>", table, re.S):
        starred = re.sub(r'<strong class="best">(.*?)<span.*?</strong>', r"★\1", row)
        cells = re.findall(r"<t[hd].*?>(.*?)</t[hd]>", starred, re.S)
        head, *rest = [" ".join(unescape(re.sub("<.*?>", "", cell)).split()) for cell in cells]
        rows[head] = rest
    return rows


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pages without charts, which are soon made."""
    for name in ("dots", "run_times", "perplexities", "decomposition"):
        monkeypatch.setattr(comparison, name, lambda *given, **more: None)
    monkeypatch.setattr(comparison, "to_svg", lambda drawn, title: "<svg ><title>a</title></svg>")
    yield


# ----------------------------------------------------------------- as a file


@pytest.fixture(scope="module")
def page() -> str:
    return page_of("plain")


def sections(read: Parsed) -> list[str]:
    return [str(given["id"]) for given in read.all("section")]


def test_links_lead_to_all_sections(page: str) -> None:
    for html in (page, page_of("hostile")):
        read = Parsed(html)
        assert sections(read) == SECTIONS
        ids = {given["id"] for _, given in read.found if "id" in given}
        links = {str(given["href"])[1:] for given in read.all("a")}
        assert set(SECTIONS) <= links <= ids


def test_tables_have_captions_and_scopes_and_charts_have_names(page: str) -> None:
    read = Parsed(page)
    assert len(read.all("table")) == len(read.all("caption")) > 7
    assert all(given.get("scope") in ("col", "row") for given in read.all("th"))
    assert len(read.all("svg")) == 17
    assert all(given["aria-label"] and given["role"] == "img" for given in read.all("svg"))


def test_hostile_texts_are_shown_as_they_are() -> None:
    text = Parsed(page_of("hostile")).text
    assert all(each in text for each in (HOSTILE[0], HOSTILE[1], HOSTILE[4], "safe·txt.exe ·inner·"))


# ----------------------------------------------------------------- what it shows


def test_every_figure_is_shown(page: str) -> None:
    text, data = Parsed(page).text, with_people()
    shown = Comparison(data)
    for column in [*(each for _, _, each in shown.summary()), *shown.golds[0].precisions]:
        for name in column.values:
            assert column.cell(name) in text
    for curve in data["perplexity"]["curves"]:
        for sweep, value in curve["points"]:
            assert f"{value:,.0f}" in text and f"{sweep:,}" in text
    for point in data["scaling"]["points"]:
        shown = [f"{point['documents']:,}", f"{point['tokens']:,}"]
        shown += [seconds_text(point["mining"]), seconds_text(point["topics"])]
        assert all(each in text for each in shown)
    for method in data["methods"]:
        for topic in method["topics"]:
            assert all(each in text for each in [*topic["words"], *topic["phrases"]])


def test_run_times_stand_beside_those_of_the_paper(page: str) -> None:
    rows = rows_of(page, "times")
    assert rows["ToPMine"][:3] == ["★8.1 s", "0.98 ×", "1.03 ×"]
    assert rows["LDA"][:3] == ["8.3 s", "1.00 ×", "1.00 ×"]
    assert rows["KERT"][:3] == ["12 s", "1.43 ×", "1.05 ×"]
    assert rows["Turbo Topics"][:3] == ["6.9 min", "50 ×", "370 ×"]
    assert rows["ToPMine"][3] == "mining phrases 0.13 s sampling 8.0 s"


def test_extrapolated_times_and_methods_not_run_are_marked(page: str) -> None:
    rows = rows_of(page, "times")
    assert rows["PD-LDA ~"][:3] == ["~70 min", "~508 ×", "206 ×"]
    assert "sampling ~70 min (measured 10 min, 14 % of it)" in rows["PD-LDA ~"][3]
    assert rows["TNG"][:3] == ["–", "–", "2.25 ×"]
    assert rows["TNG"][3] == "not run: bigram counts need 92.0 GB, 6.1 GB are free: take fewer topics"
    assert "PD-LDA ~" in rows_of(page, "coherence")
    assert "No figures of TNG." in Parsed(page).text


def test_the_best_are_marked_and_so_are_their_equals(page: str) -> None:
    rows = rows_of(page, "coherence")
    assert rows["ToPMine"] == ["0.102", "★0.213", "0.512", "0.488", "★84 %", "★96 %"]
    assert rows["KERT"] == ["★0.108", "★0.213", "★0.530", "★0.521", "★84 %", "71 %"]
    assert rows["LDA"] == ["★0.108", "–", "★0.530", "–", "★84 %", "–"]
    assert rows_of(page, "people")["KERT"][-1] == rows_of(page, "people")["ToPMine"][-1] == "★82 %"
    assert rows_of(page, "people", 1)["KERT"] == ["−0.12", "−0.94"]
    assert rows_of(page, "quality")["ToPMine"] == ["★88 % of 8", "★71 % of 70", "★62 % of 512", "★31 %"]


def test_automatic_answers_are_called_so(undrawn: None) -> None:
    html = comparison_page(comparison_data())
    read = Parsed(html)
    section = read.texts["section"][sections(read).index("intrusion")]
    assert "No person answered here." in section and "automatic (NPMI)" in section
    assert rows_of(html, "intrusion")["KERT"] == ["20", "19", "16.5", "★82 %"]
    assert "People" not in html


def test_people_are_told_with_their_agreement(page: str) -> None:
    text = Parsed(page).text
    assert "answered by anna and ben; means over people. Agreement (Krippendorff’s α): 0.61." in text
    assert "Ratings by 5 experts" in text and "coherence 0.41 and quality 0.52" in text


# ----------------------------------------------------------------- what is missing


def test_bare_methods_leave_no_empty_sections(undrawn: None) -> None:
    bare = {"seconds": 1.0, "extrapolated": False, "topics": []}
    methods = [{"name": "topmine", "title": "ToPMine", **bare}, {"name": "lda", "title": "LDA", **bare}]
    html = comparison_page({"format": 1, "corpus": {"name": "c"}, "settings": {}, "methods": methods})
    read = Parsed(html)
    assert sections(read) == ["summary", "times"]
    assert [given["href"] for given in read.all("a")] == [*["#summary"] * 2, *["#times"] * 2]
    assert rows_of(html, "times")["LDA"] == ["★1.0 s", "–", "1.00 ×", "–"]
    assert "None" not in read.text
    read = Parsed(comparison_page({"format": 1, "corpus": None, "settings": None, "methods": []}))
    assert sections(read) == ["summary"] and "No methods." in read.text


@pytest.mark.parametrize(
    "absent", ["ratio", "stages", "notes", "coherence", "diversity", "intrusion", "quality"]
)
@pytest.mark.parametrize("null", [False, True])
def test_anything_may_be_missing(undrawn: None, absent: str, null: bool) -> None:
    data = with_people()
    for method in data["methods"]:
        method.pop(absent, None)
        if null:
            method[absent] = None
    read = Parsed(comparison_page(data))
    gone = {absent} & {"intrusion", "quality"}
    assert sections(read) == [anchor for anchor in SECTIONS if anchor not in gone]
    assert "None" not in read.text and "nan" not in read.text.split()


def test_phrases_that_are_words_are_not_compared_with_phrases(undrawn: None) -> None:
    data = comparison_data()
    lda = data["methods"][1]
    for topic in lda["topics"]:
        topic["phrases"] = topic["words"]
    lda["coherence"]["npmi_phrases"] = lda["diversity"]["phrases"] = 0.99
    lda["intrusion"] = {"asked": 20, "share": 0.9}
    html = comparison_page(data)
    assert rows_of(html, "coherence")["LDA"] == ["★0.108", "–", "★0.530", "–", "★84 %", "–"]
    text = Parsed(html).text
    assert "Phrases of LDA are single words" in text and "Questions of LDA are of single words." in text
    block = html.split("<h3><bdi>LDA</bdi></h3>")[1].split("<h3>")[0]
    assert block.count("query") == 1 and 'class="phrases"' not in block
    lda["topics"][0]["phrases"] = ["data mining"]
    assert rows_of(comparison_page(data), "coherence")["LDA"][1] == "★0.990"


def test_as_many_phrases_are_shown_as_were_judged(undrawn: None) -> None:
    data = comparison_data()
    data["methods"][0]["topics"] = [{"words": [], "phrases": [f"phrase {i}" for i in range(20)]}]
    assert "phrase 9" in comparison_page(data) and "phrase 10" not in comparison_page(data)
    data["settings"] = None
    assert "phrase 19" in comparison_page(data)


def test_parts_of_figures_may_be_missing(undrawn: None) -> None:
    data = with_people()
    data["methods"][0]["coherence"]["npmi_words"] = None
    data["methods"][2]["quality"][0]["precision"]["100"] = None
    data["methods"][3]["quality"][0]["counted"] = None
    data["people"]["ratings"]["quality"] = None
    data["people"]["alpha"] = None
    data["perplexity"]["curves"][0]["points"] = []
    data["scaling"]["points"][0]["mining"] = None
    html = comparison_page(data)
    assert rows_of(html, "coherence")["ToPMine"][0] == "–"
    assert rows_of(html, "quality")["KERT"] == ["50 % of 8", "–", "38 % of 512", "12 %"]
    assert rows_of(html, "quality")["Turbo Topics"] == ["75 %", "68 %", "57 %", "18 %"]
    assert rows_of(html, "people", 1) == {"ToPMine": ["★0.71"], "KERT": ["−0.12"]}
    assert rows_of(html, "scaling")["5,520"] == ["32,801", "–", "0.92 s", "–"]


def test_people_may_have_answered_for_methods_that_are_not_here(undrawn: None) -> None:
    data = with_people()
    data["people"]["ratings"]["coherence"]["stranger"] = 3.0
    data["people"]["intrusion"]["stranger"] = {"asked": 1, "share": 1.0}
    assert "stranger" not in comparison_page(data)


# ----------------------------------------------------------------- who is first


def test_the_summary_marks_the_best_of_every_measure(page: str) -> None:
    rows = rows_of(page, "summary")
    assert rows["Run time"] == ["★8.1 s", "8.3 s", "12 s", "6.9 min", "~70 min", "–"]
    assert rows["NPMI of phrases"] == ["★0.213", "–", "★0.213", "0.187", "−0.021", "–"]
    assert rows["Recall gold_acl_terms.tsv.zst"] == ["★31 %", "–", "12 %", "18 %", "21 %", "–"]
    assert rows["Coherence as rated by people"] == ["★0.71", "–", "−0.12", "–", "–", "–"]
    assert len(rows) == 13


@pytest.mark.small
@pytest.mark.parametrize(
    ("text", "better", "best"), [(score_text, 1, "123"), (share_text, -1, "4"), (seconds_text, 0, "")]
)
def test_the_best_are_all_that_read_the_same(text: Any, better: int, best: str) -> None:
    values = {str(i): value for i, value in enumerate([0.101, 0.5004, 0.5, 0.4996, 0.0, 0.2])}
    assert Column("", values, text, better).best == set(best)
    assert Column("", {"a": 1.0}, text, better).best == set()  # nobody to be compared with


def test_golds_are_apart(undrawn: None) -> None:
    data = comparison_data()
    other = deepcopy(data["methods"][0]["quality"][0]) | {"gold": "another", "recall": 0.99}
    data["methods"][0]["quality"].append(other)
    html = comparison_page(data)
    assert rows_of(html, "quality", 0)["ToPMine"][-1] == "★31 %"
    assert rows_of(html, "quality", 1) == {"ToPMine": ["88 % of 8", "71 % of 70", "62 % of 512", "99 %"]}
    assert len([gold for _, gold, _ in Comparison(data).summary() if gold == "another"]) == 2


@pytest.mark.small
def test_one_precision_speaks_for_all() -> None:
    def titles(data: dict[str, Any]) -> list[str]:
        return [column.title for anchor, _, column in Comparison(data).summary() if anchor == "quality"]

    data = comparison_data()
    assert titles(data) == ["Precision of the first 1,000", "Recall"]
    data["methods"][2]["quality"][0]["precision"]["1000"] = None
    assert titles(data) == ["Precision of the first 100", "Recall"]
    for method in data["methods"]:
        for found in method.get("quality") or ():
            found |= {"recall": None, "precision": {method["name"]: 0.5, "10": None}}
    assert len(titles(data)) == 1


def test_units_change_where_digits_would_run_out() -> None:
    shown = [seconds_text(each) for each in (0.994, 0.996, 9.96, 99.4, 99.6, 5969, 5971, 170_999, 171_001)]
    assert shown == ["0.99 s", "1.0 s", "10 s", "99 s", "1.7 min", "99 min", "1.7 h", "47 h", "2.0 days"]
    assert [ratio_text(each) for each in (9.994, 9.996)] == ["9.99", "10"]
    assert score_text(-0.00049) == "0.000" and share_text(1) == "100 %"
