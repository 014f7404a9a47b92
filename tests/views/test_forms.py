"""The forms as files: blind, self-contained, and with a policy that allows nothing else."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from page_fixture import HOSTILE

from topminer.evaluation.intrusion import Question, questions
from topminer.evaluation.ratings import RatingList, rating_lists
from topminer.methods.contract import Phrase
from topminer.views.forms import intrusion_form, policy, rating_form

METHODS = ["topmine", "lda", "kert", "tng", "turbo", "pdlda"]
TOPICS = [[Phrase(f"word{k} word{i}", (k, i), 1.0) for i in range(10)] for k in range(5)]
TOPICS_OF = dict.fromkeys(METHODS, TOPICS)


class _Read(HTMLParser):
    """What a browser would find: elements with their attributes, scripts and styles, the texts of phrases."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": [], "title": [], "bdi": []}
        self.inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.inside = tag
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_data(self, data: str) -> None:
        if self.inside in self.texts:
            self.texts[self.inside][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def radios(self) -> list[tuple[str, str]]:
        radios = [given for tag, given in self.found if tag == "input" and given.get("type") == "radio"]
        return [(str(given["name"]), str(given["value"])) for given in radios]


def both(topics_of: dict[str, list[list[Phrase]]], title: str = "A study") -> list[str]:
    return [intrusion_form(questions(topics_of), title), rating_form(rating_lists(topics_of), title)]


def test_no_method_is_named() -> None:
    for form in both(TOPICS_OF):
        assert not re.search(r"\b(topminer?|lda|kert|tng|turbo|pdlda)", form, re.IGNORECASE)


def test_nothing_tells_the_intruder() -> None:
    """Where the intruder, the topics or the method were others, the form would be the same, byte for byte."""
    asked = questions(TOPICS_OF)
    other = [
        question._replace(
            method="x", topic=8, other=9, intruder=(question.intruder + 1) % 4, stems=((9,),) * 4
        )
        for question in asked
    ]
    assert intrusion_form(asked, "A study") == intrusion_form(other, "A study")
    lists = rating_lists(TOPICS_OF)
    hidden = [RatingList(each.id, "x", 9, each.phrases) for each in lists]
    assert rating_form(lists, "A study") == rating_form(hidden, "A study")


def test_all_questions_and_options_are_there_in_order() -> None:
    asked = questions(TOPICS_OF, n=3)
    read = _Read(intrusion_form(asked, "A study"))
    assert read.texts["bdi"] == [text for question in asked for text in question.options]
    assert read.radios() == [(f"{question.id} answer", value) for question in asked for value in "abcd?"]
    keys = [given["data-key"] for tag, given in read.found if "data-key" in given]
    assert keys == [*"abcd?"] * len(asked)


def test_all_lists_and_scales_are_there_in_order() -> None:
    lists = rating_lists({"m": TOPICS})
    read = _Read(rating_form(lists, "A study"))
    assert read.texts["bdi"] == [text for each in lists for text in each.phrases]
    scale = [str(value) for value in range(1, 11)]
    expected = [
        (f"{each.id} {name}", n) for each in lists for name in ("coherence", "quality") for n in scale
    ]
    assert read.radios() == expected
    keys = [given["data-key"] for tag, given in read.found if "data-key" in given]
    assert keys == [*"1234567890"] * 2 * len(lists)


def test_each_form_keeps_its_own_answers() -> None:
    def kept(form: str) -> str:
        [given] = [given for tag, given in _Read(form).found if tag == "form"]
        return str(given["data-form"])

    sets = [questions(TOPICS_OF, seed=seed) for seed in (1, 1, 2)]
    one, same, other = (kept(intrusion_form(asked, "A study")) for asked in sets)
    assert one == same != other


def test_policy_names_the_script_and_the_style() -> None:
    for form in both({"m": TOPICS}):
        read = _Read(form)
        [told] = [given["content"] for _, given in read.found if "http-equiv" in given]
        assert told == policy()
        for kind in ("script", "style"):
            [text] = read.texts[kind]
            own = b64encode(sha256(text.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{own}'" in policy()
    assert "default-src 'none'" in policy() and "connect-src" not in policy() and "unsafe" not in policy()


def test_nothing_is_loaded() -> None:
    for form in both({"m": TOPICS}):
        assert not re.search(
            r"https?:|//[a-z]|@import|url\(", re.sub("<script>.*</script>", "", form, flags=re.S)
        )
        for _, given in _Read(form).found:
            assert not given.keys() & {"src", "srcset", "action", "style"}
            assert given.get("href", "data:,") == "data:,"
            assert not [name for name in given if name.startswith("on")]


def test_hostile_texts_are_only_shown() -> None:
    texts = [*HOSTILE, '"><script>alert(1)</script>', "</bdi></label>", "a\u202eb", "a\0b"]
    topics = [[Phrase(text, (k, i), 1.0) for i, text in enumerate(texts[k::2])] for k in range(2)]
    for form, usual in zip(both({"m": topics}, "</title><b>"), both({"m": TOPICS}), strict=True):
        read = _Read(form)
        assert {tag for tag, _ in read.found} <= {tag for tag, _ in _Read(usual).found}
        assert [tag for tag, _ in read.found].count("script") == 1
        assert read.texts["title"] == ["</title><b>"]
        assert not re.search("[\0\u202e]", form)
    asked = [Question("q1", "m", 0, 1, ("a", "<i>", "&amp;", '"'), ((),) * 4, 0)]
    assert _Read(intrusion_form(asked, "x")).texts["bdi"] == ["a", "<i>", "&amp;", '"']


def test_a_form_without_questions_is_still_a_form() -> None:
    for form in (intrusion_form([], "Empty"), rating_form([], "Empty")):
        assert _Read(form).radios() == []
        assert _Read(form).texts["title"] == ["Empty"]
