"""A page of every template, of usual texts and of hostile ones."""

from __future__ import annotations

import math
from functools import cache

from comparison_fixture import page_of
from explained import HOSTILE as HOSTILE_TEXT
from explained import explained
from page_fixture import HOSTILE as MARKUP
from page_fixture import page_charts, page_data

from topminer.evaluation.intrusion import questions
from topminer.evaluation.ratings import rating_lists
from topminer.evaluation.recommend import Point
from topminer.evaluation.tune import Tuning
from topminer.methods.contract import Phrase
from topminer.views.charts.svg import to_svg
from topminer.views.charts.tuning import TITLE, tuning
from topminer.views.explanation import explanation_page
from topminer.views.forms import intrusion_form, rating_form
from topminer.views.pages import page
from topminer.views.tuning import tuning_page

HOSTILE = [
    *MARKUP,
    '"><script>window.hacked=1</script>',
    "</style></title></textarea></bdi></label>",
    "javascript:window.hacked=2",
    "{% raw %}{{ 7*7 }}",
    "safe\u202etxt.exe \u2066inner\u2069",
    "bell\x07\x1b[31m nul\0 half \ud800",
    "W" * 300,
]
NAMES = ["report", "comparison", "tuning", "explanation", "intrusion", "ratings"]


def grid(why: list[str]) -> Tuning:
    """Six models, the last but one of which is recommended."""
    points = tuple(
        Point(k, threshold, 900.0 - k, 3.0, 0.1, None if math.isinf(threshold) else -0.1, 0.9, 500, 12.3)
        for k in (5, 10, 20)
        for threshold in (2.0, math.inf)
    )
    return Tuning(points, points[-2], why)


@cache
def made(name: str, hostile: bool = False) -> str:
    """A page, made once for all tests."""
    title = " ".join(HOSTILE) if hostile else "A study"
    usual = [f"word{i} word{i + 1}" for i in range(20)]
    texts = HOSTILE if hostile else usual
    topics = [[Phrase(text, (k, i), 1.0) for i, text in enumerate(texts[k::2])] for k in range(2)]
    match name:
        case "report":
            data = page_data(hostile=hostile)
            return page(data, page_charts(data))
        case "comparison":
            return page_of("hostile" if hostile else "plain")
        case "tuning":
            found = grid(texts)
            return tuning_page(found, to_svg(tuning(found), TITLE), title, title)
        case "explanation":
            attacks = " ".join([HOSTILE_TEXT, *HOSTILE])
            return explanation_page(
                explained(attacks if hostile else "The frequent patterns! A pattern on trees")
            )
        case "intrusion":
            return intrusion_form(questions({"m": topics}), title)
        case _:
            return rating_form(rating_lists({"m": topics}), title)
