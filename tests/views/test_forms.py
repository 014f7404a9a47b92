"""The forms as files: blind, and complete."""

from __future__ import annotations

import re

from parsed import Parsed

from topminer.evaluation.intrusion import questions
from topminer.evaluation.ratings import RatingList, rating_lists
from topminer.methods.contract import Phrase
from topminer.views.forms import intrusion_form, rating_form

METHODS = ["topmine", "lda", "kert", "tng", "turbo", "pdlda"]
TOPICS = [[Phrase(f"word{k} word{i}", (k, i), 1.0) for i in range(10)] for k in range(5)]
TOPICS_OF = dict.fromkeys(METHODS, TOPICS)


def radios(read: Parsed) -> list[tuple[str | None, str | None]]:
    found = [given for given in read.all("input") if given.get("type") == "radio"]
    return [(given["name"], given["value"]) for given in found]


def keys(read: Parsed) -> list[str | None]:
    return [given["data-key"] for given in read.all("input") if "data-key" in given]


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
    read = Parsed(intrusion_form(asked, "A study"))
    assert read.texts["bdi"] == [text for question in asked for text in question.options]
    assert radios(read) == [(f"{question.id} answer", value) for question in asked for value in "abcd?"]
    assert keys(read) == [*"abcd?"] * len(asked)


def test_all_lists_and_scales_are_there_in_order() -> None:
    lists = rating_lists({"m": TOPICS})
    read = Parsed(rating_form(lists, "A study"))
    assert read.texts["bdi"] == [text for each in lists for text in each.phrases]
    scale = [str(value) for value in range(1, 11)]
    expected = [
        (f"{each.id} {name}", n) for each in lists for name in ("coherence", "quality") for n in scale
    ]
    assert radios(read) == expected
    assert keys(read) == [*"1234567890"] * 2 * len(lists)


def test_each_form_keeps_its_own_answers() -> None:
    def kept(form: str) -> str:
        [given] = Parsed(form).all("form")
        return str(given["data-form"])

    sets = [questions(TOPICS_OF, seed=seed) for seed in (1, 1, 2)]
    one, same, other = (kept(intrusion_form(asked, "A study")) for asked in sets)
    assert one == same != other


def test_a_form_without_questions_is_still_a_form() -> None:
    for form in (intrusion_form([], "Empty"), rating_form([], "Empty")):
        assert radios(Parsed(form)) == []
        assert Parsed(form).texts["title"] == ["Empty"]
