"""The page of a comparison: whole, harmless, complete, and honest about who is first."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from copy import deepcopy
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from comparison_fixture import HOSTILE, comparison_data, page_of, with_people

from topminer.views.comparison import comparison_page, curves, scores, tables, times
from topminer.views.comparison.measures import Measure, coherence, every, golds, precisions
from topminer.views.comparison.summary import caveats, findings, headline
from topminer.views.numbers import ratio_text, score_text, seconds_text, share_text

VOID = {"meta", "link", "br"}
SECTIONS = [
    "summary",
    "times",
    "coherence",
    "intrusion",
    "people",
    "quality",
    "perplexity",
    "scaling",
    "topics",
]


class Read(HTMLParser):
    """What a browser would find, every element closed where it should be."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.wrong: list[str] = []
        self.style = ""
        self.words: list[str] = []
        self.feed(html)
        self.close()
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            self.style += data
        else:
            self.words.append(data)

    def ids(self) -> list[str]:
        return [given["id"] or "" for _, given in self.found if "id" in given]

    def sections(self) -> list[str]:
        return [given["id"] or "" for tag, given in self.found if tag == "section"]


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
    nothing = lambda *given, **more: None  # noqa: E731
    for module, name in ((scores, "dots"), (times, "run_times"), (curves, "perplexities")):
        monkeypatch.setattr(module, name, nothing)
    monkeypatch.setattr(curves, "decomposition", nothing)
    monkeypatch.setattr(tables, "to_svg", lambda drawn, title: "<svg ><title>a</title></svg>")
    yield


# ----------------------------------------------------------------- as a file


@pytest.fixture(scope="module")
def page() -> str:
    return page_of("plain")


@pytest.fixture(scope="module")
def hostile() -> str:
    return page_of("hostile")


def test_a_page_is_well_formed(page: str, hostile: str) -> None:
    for html in (page, hostile):
        read = Read(html)
        assert read.wrong == [] and read.open == []
        assert len(read.ids()) == len(set(read.ids()))
        assert read.sections() == SECTIONS
        links = [given["href"] or "" for tag, given in read.found if tag == "a"]
        assert {link[1:] for link in links} <= set(read.ids())
        assert {f"#{anchor}" for anchor in SECTIONS} <= set(links)


def test_the_policy_allows_this_style_and_nothing_else(page: str) -> None:
    read = Read(page)
    [policy] = [given["content"] for _, given in read.found if "http-equiv" in given]
    own = b64encode(sha256(read.style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{own}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    tags = {tag for tag, _ in read.found}
    assert not tags & {"script", "img", "iframe", "object", "form", "input", "base"}
    names = {name for _, given in read.found for name in given}
    assert not {name for name in names if name.startswith("on") or name in ("style", "src")}


def test_tables_have_captions_and_scopes(page: str) -> None:
    read = Read(page)
    tags = [tag for tag, _ in read.found]
    assert tags.count("table") == tags.count("caption") > 6
    assert all(given.get("scope") in ("col", "row") for tag, given in read.found if tag == "th")


def test_charts_are_there_and_have_names(page: str) -> None:
    read = Read(page)
    drawn = [given for tag, given in read.found if tag == "svg"]
    assert len(drawn) == 17
    assert all(given["aria-label"] and given["role"] == "img" for given in drawn)


def test_hostile_texts_are_only_texts(hostile: str) -> None:
    read = Read(hostile)
    assert not {tag for tag, _ in read.found} & {"script", "img"}
    assert not re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", hostile)
    assert "safe·txt.exe ·inner·" in read.text
    for text in (HOSTILE[0], HOSTILE[1], HOSTILE[4]):
        assert text in read.text
    names = {name for _, given in read.found for name in given}
    assert not {name for name in names if name.startswith("on")}
    hostile.encode()


def test_a_page_is_the_same_every_time(undrawn: None) -> None:
    assert comparison_page(comparison_data()) == comparison_page(comparison_data())


# ----------------------------------------------------------------- what it shows


def test_what_was_compared_is_said(page: str) -> None:
    text = Read(page).text
    assert "titles_20conf.txt.zst" in text
    assert "ToPMine, LDA, KERT, Turbo Topics, PD-LDA and TNG on 44,165 documents, 262,279 kept tokens" in text
    assert "13,012 stems" in text
    for rule in ("same kept tokens", "same number of sweeps", "Priors stay as they are"):
        assert rule in text
    assert "The time to compile is not counted" in text
    assert "Budget a method10 min" in text and "Sweeps1,000" in text


def test_every_figure_is_shown(page: str) -> None:
    text, data = Read(page).text, with_people()
    for measure in [*(each for _, each in every(data)), *precisions(golds(data)[0])]:
        for value in measure.values.values():
            assert measure.text(value) in text
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
    assert rows["ToPMine"][3] == "mining phrases 0.13 ssampling 8.0 s"


def test_extrapolated_times_and_methods_not_run_are_marked(page: str) -> None:
    rows = rows_of(page, "times")
    assert rows["PD-LDA ~"][:3] == ["~70 min", "~508 ×", "206 ×"]
    assert "sampling ~70 min (measured 10 min, 14 % of it)" in rows["PD-LDA ~"][3]
    assert rows["TNG"][:3] == ["–", "–", "2.25 ×"]
    assert rows["TNG"][3] == "not run: bigram counts need 92.0 GB, 6.1 GB are free: take fewer topics"
    assert "PD-LDA ~" in rows_of(page, "coherence")
    assert "No figures of TNG." in Read(page).text


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
    section = Read(html.split('<section id="intrusion"')[1].split("</section>")[0]).text
    assert "No person answered here." in section and "automatic (NPMI)" in section
    assert rows_of(html, "intrusion")["KERT"] == ["20", "19", "16.5", "★82 %"]
    assert "People" not in html


def test_people_are_told_with_their_agreement(page: str) -> None:
    text = Read(page).text
    assert "answered by anna and ben; means over people. Agreement (Krippendorff’s α): 0.61." in text
    assert "Ratings by 5 experts" in text and "coherence 0.41 and quality 0.52" in text


# ----------------------------------------------------------------- what is missing


def test_bare_methods_leave_no_empty_sections(undrawn: None) -> None:
    bare = {"seconds": 1.0, "extrapolated": False, "topics": []}
    methods = [{"name": "topmine", "title": "ToPMine", **bare}, {"name": "lda", "title": "LDA", **bare}]
    html = comparison_page({"format": 1, "corpus": {"name": "c"}, "settings": {}, "methods": methods})
    read = Read(html)
    assert read.sections() == ["summary", "times"]
    assert [given["href"] for tag, given in read.found if tag == "a"] == [
        "#summary",
        "#summary",
        "#times",
        "#times",
    ]
    assert rows_of(html, "times")["LDA"] == ["★1.0 s", "–", "1.00 ×", "–"]
    assert "None" not in read.text


def test_no_methods_at_all(undrawn: None) -> None:
    read = Read(comparison_page({"format": 1, "corpus": None, "settings": None, "methods": []}))
    assert read.sections() == ["summary"] and read.wrong == []
    assert "No methods." in read.text


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
    read = Read(comparison_page(data))
    gone = {absent} & {"intrusion", "quality"}
    assert read.sections() == [anchor for anchor in SECTIONS if anchor not in gone]
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
    text = Read(html).text
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


# ----------------------------------------------------------------- what the figures say


def told(data: dict[str, Any]) -> dict[str, str]:
    return {found.title: found.sentence for found in findings(data)}


def with_coherence(**values: float | None) -> dict[str, Any]:
    titles = {"topmine": "ToPMine", "lda": "LDA", "kert": "KERT", "tng": "TNG"}
    methods = [
        {"name": name, "title": titles[name], "seconds": None, "coherence": {"npmi_words": value}}
        for name, value in values.items()
    ]
    return {"methods": methods}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"topmine": 0.3, "lda": 0.1}, "ToPMine is first with 0.300, 0.200 ahead of LDA (0.100)."),
        ({"topmine": 0.1, "lda": 0.3}, "LDA is first with 0.300, 0.200 ahead of ToPMine (0.100)."),
        ({"topmine": 0.30004, "lda": 0.29996}, "Both are level at 0.300: ToPMine and LDA."),
        ({"topmine": 0.1, "lda": 0.1, "kert": 0.1}, "All 3 are level at 0.100: ToPMine, LDA and KERT."),
        ({"topmine": 0.1, "lda": None}, "Only ToPMine has a figure: 0.100."),
        (
            {"topmine": 0.2001, "lda": -0.1, "kert": 0.2},
            "ToPMine and KERT are level at 0.200, 0.300 ahead of LDA (−0.100).",
        ),
        (
            {"topmine": 0.1, "lda": 0.3, "kert": 0.2},
            "LDA is first with 0.300, 0.100 ahead of KERT (0.200). ToPMine is third of 3 with 0.100.",
        ),
        (
            {"topmine": 0.1, "lda": 0.3, "kert": 0.2, "tng": 0.1},
            "LDA is first with 0.300, 0.100 ahead of KERT (0.200). "
            "ToPMine shares the third place of 4 with 0.100.",
        ),
    ],
)
def test_sentences_follow_the_figures(values: dict[str, float | None], sentence: str) -> None:
    assert told(with_coherence(**values)) == {"NPMI of words": sentence}


def test_the_headline_counts_what_is_behind_too() -> None:
    assert headline(with_people()) == (
        "Of 13 measures, ToPMine is first on 6, shares the first place on 3 and is behind on 4: NPMI of "
        "words, C_V of words, C_V of phrases and intruders found automatically."
    )
    assert headline(with_coherence(topmine=0.1, lda=0.3)) == (
        "Of 1 measure, ToPMine is first on none and is behind on all: NPMI of words."
    )
    assert headline(with_coherence(topmine=0.3, lda=0.1)) == (
        "Of 1 measure, ToPMine is first on all and is behind on none."
    )
    assert headline(with_coherence(lda=0.3, kert=0.1)) == ""
    assert headline(with_coherence(topmine=0.3, kert=None)) == ""


def test_times_are_told_as_ratios() -> None:
    data = comparison_data()
    assert told(data)["run time"] == (
        "ToPMine is the fastest: 8.1 s. LDA takes 8.3 s, 1.02 times as long. PD-LDA takes ~70 min, 520 times "
        "as long. ToPMine needs 0.98 times the time of LDA (in the paper 1.03)."
    )
    data["methods"][0] |= {"seconds": 20.0, "ratio": 2.41}
    assert told(data)["run time"].startswith(
        "LDA is the fastest: 8.3 s. KERT takes 12 s, 1.43 times as long. ToPMine takes 20 s, 2.41 times"
    )
    data["methods"][0] |= {"seconds": 8.32, "ratio": 1.0}
    assert told(data)["run time"].startswith("LDA and ToPMine are equally fast to the digits shown: 8.3 s.")
    for method in data["methods"][1:]:
        method["seconds"] = None
    assert told(data)["run time"].startswith("Only ToPMine was timed: 8.3 s.")


def test_a_method_cut_short_is_marked_in_sentences() -> None:
    data = comparison_data()
    data["methods"][4]["coherence"]["npmi_words"] = 0.5
    assert told(data)["NPMI of words"].startswith("~PD-LDA is first with 0.500")
    said = list(caveats(data))
    assert said[0] == "TNG was not run: bigram counts need 92.0 GB, 6.1 GB are free: take fewer topics."
    assert said[1].startswith(
        "PD-LDA was cut short (~): all sweeps would not fit the budget of 10 min. Its time"
    )
    data["methods"][0]["extrapolated"] = True
    assert list(caveats(data))[1].startswith("ToPMine and PD-LDA were cut short (~)")
    data["methods"][4]["extrapolated"] = data["methods"][0]["extrapolated"] = False
    assert len(list(caveats(data))) == 1


def test_perplexity_is_compared_at_the_same_sweep() -> None:
    data = {"perplexity": {"curves": [{"model": "A", "points": [[5, 512.0], [10, 128.0]]}]}}
    assert told(data) == {}
    data["perplexity"]["curves"].append({"model": "B", "points": [[5, 256.0]]})
    assert told(data)["held-out perplexity"] == (
        "After 5 sweeps, B predicts words it has not seen best: perplexity 256.0; A 512.0 (100.0 % higher). "
        "That is 8.00 against 9.00 bits per word."
    )
    data["perplexity"]["curves"][1]["points"] = [[5, 256.0], [10, 128.01], [15, 1.0]]
    assert told(data)["held-out perplexity"] == "After 10 sweeps, A and B are level at 128.0."


def test_growth_is_told_for_both_parts() -> None:
    points = [
        {"documents": 100, "tokens": 1, "mining": 0.1, "topics": 4.0},
        {"documents": 800, "tokens": 1, "mining": 0.5, "topics": 40.0},
    ]
    assert told({"scaling": {"points": points}})["growth"] == (
        "From 100 to 800 documents (8.00 times as many), mining takes 5.00 times as long and topic modelling "
        "10 times. Topic modelling takes 40 to 80 times as long as mining (in the paper, about 40)."
    )
    assert told({"scaling": {"points": points[:1]}}) == {}


# ----------------------------------------------------------------- numbers


@pytest.mark.parametrize("kind", ["time", "score", "share"])
def test_levels_are_what_reads_the_same(kind: Any) -> None:
    values = {str(i): value for i, value in enumerate([0.101, 0.5004, 0.5, 0.4996, 0.0, 0.2])}
    measure = Measure("", "", values, kind)
    levels = measure.places()
    assert sorted(name for level in levels for name in level) == sorted(values)
    texts = [{measure.text(values[name]) for name in level} for level in levels]
    assert all(len(each) == 1 for each in texts)
    assert len({next(iter(each)) for each in texts}) == len(levels)
    best = (min if kind == "time" else max)(values.values())
    assert measure.best() == {name for name in values if measure.text(values[name]) == measure.text(best)}


def test_who_is_alone_is_not_the_best() -> None:
    assert Measure("", "", {"a": 1.0}).best() == set()


def test_golds_are_apart(undrawn: None) -> None:
    data = comparison_data()
    other = deepcopy(data["methods"][0]["quality"][0]) | {"gold": "another", "recall": 0.99}
    data["methods"][0]["quality"].append(other)
    html = comparison_page(data)
    assert rows_of(html, "quality", 0)["ToPMine"][-1] == "★31 %"
    assert rows_of(html, "quality", 1) == {"ToPMine": ["88 % of 8", "71 % of 70", "62 % of 512", "99 %"]}
    assert len([found for found in findings(data) if found.against == "another"]) == 2


def test_one_precision_speaks_for_all() -> None:
    data = comparison_data()
    titles = [found.title for found in findings(data) if found.section == "quality"]
    assert titles == ["precision of the first 1,000", "recall"]
    data["methods"][2]["quality"][0]["precision"]["1000"] = None
    assert "precision of the first 100" in told(data)
    for method in data["methods"]:
        for found in method.get("quality") or ():
            found |= {"recall": None, "precision": {method["name"]: 0.5, "10": None}}
    [[_, only]] = [each for each in every(data) if each[0]]
    assert len(only.values) == 1


def test_units_change_where_digits_would_run_out() -> None:
    shown = [seconds_text(each) for each in (0.994, 0.996, 9.96, 99.4, 99.6, 5969, 5971, 170_999, 171_001)]
    assert shown == ["0.99 s", "1.0 s", "10 s", "99 s", "1.7 min", "99 min", "1.7 h", "47 h", "2.0 days"]
    assert [ratio_text(each) for each in (9.994, 9.996)] == ["9.99", "10"]
    assert score_text(-0.00049) == "0.000" and share_text(1) == "100 %"


def test_only_measures_with_figures_are_there() -> None:
    data = comparison_data()
    for method in data["methods"]:
        method["coherence"] = None
    assert coherence(data) == []
