"""The automatic annotator: it finds the option that goes least with the others, and knows when it cannot."""

from __future__ import annotations

import pytest

from topminer.evaluation.annotator import NAME, automatic
from topminer.evaluation.intrusion import Question, questions, scores
from topminer.methods.contract import Phrase, Stems

pytestmark = pytest.mark.small


def question(*stems: Stems) -> Question:
    return Question("q", "m", 0, 1, ("",) * len(stems), stems, 0)


def test_the_least_associated_option_by_hand() -> None:
    value = {(1, 2): 0.5, (1, 3): 0.1, (1, 4): 0.1, (2, 3): 0.4, (2, 4): -0.2, (3, 4): 0.3}

    def association(one: Stems, two: Stems) -> float:
        first, second = sorted((*one, *two))
        return value[first, second]

    # Sums: 1: 0.7, 2: 0.7, 3: 0.8, 4: 0.2.
    assert automatic([question((1,), (2,), (3,), (4,))], association) == {"q": 3}
    assert automatic([question((3,), (4,), (2,), (1,))], association) == {"q": 1}


def test_a_tie_is_unable() -> None:
    assert automatic([question((1,), (2,), (3,), (4,))], lambda one, two: 0.0) == {"q": None}

    # 1: 0.3 + 0.2 + 0.1; 2: 0.3 + 0.1 + 0.2, which rounds otherwise; 3 and 4 have 9 between them.
    value = {(1, 2): 0.3, (1, 3): 0.2, (1, 4): 0.1, (2, 3): 0.1, (2, 4): 0.2, (3, 4): 9.0}
    asked = [question((1,), (2,), (3,), (4,))]
    assert automatic(asked, lambda one, two: value[one[0], two[0]]) == {"q": None}


def test_it_finds_planted_intruders_and_is_scored_under_its_name() -> None:
    topics = [[Phrase(f"{k} {i}", (k, i), 1.0) for i in range(8)] for k in range(4)]
    asked = questions({"planted": topics}, n=20)
    answers = {NAME: automatic(asked, lambda one, two: 1.0 if one[0] == two[0] else -1.0)}
    assert scores(asked, answers)["planted"].share == 1
    assert NAME == "automatic (NPMI)"
    assert automatic([], lambda one, two: 0.0) == {}
