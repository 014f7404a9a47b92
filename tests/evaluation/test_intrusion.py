"""Questions of phrase intrusion: what they show, that nothing tells the method, how answers are scored."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.evaluation.intrusion import (
    AUTOMATIC,
    IntrusionScore,
    Question,
    agreement_of,
    automatic_answers,
    questions,
    scores,
)
from topminer.methods.contract import Phrase, Stems

pytestmark = pytest.mark.small


def topic(*texts: str) -> list[Phrase]:
    return [Phrase(text, tuple(map(ord, text)), float(-rank)) for rank, text in enumerate(texts)]


def planted(n_topics: int, n_phrases: int = 12) -> list[list[Phrase]]:
    return [topic(*(f"phrase {k}-{i}" for i in range(n_phrases))) for k in range(n_topics)]


TEXTS = st.lists(st.sampled_from("abcdefghi"), max_size=6)
TOPICS = st.lists(TEXTS.map(lambda texts: topic(*texts)), max_size=4)


@given(
    st.dictionaries(st.sampled_from(["one", "two", "three"]), TOPICS),
    st.integers(1, 8) | st.just(1000),
    st.integers(3, 5),
)
def test_what_a_question_shows(topics_of: dict[str, list[list[Phrase]]], n: int, n_top: int) -> None:
    asked = questions(topics_of, n=n, n_top=n_top, seed=3)
    assert len({question.id for question in asked}) == len(asked)
    shown = [(question.method, question.topic, frozenset(question.options)) for question in asked]
    for question in asked:
        topics = [
            list(dict.fromkeys(each.text for each in phrases)) for phrases in topics_of[question.method]
        ]
        own, other = topics[question.topic][:n_top], topics[question.other][:n_top]
        assert len(question.options) == len(set(question.options)) == 4
        assert question.stems == tuple((ord(text),) for text in question.options)
        intruder = question.options[question.intruder]
        assert question.other != question.topic
        assert intruder in other and intruder not in own
        assert all(text in own for text in question.options if text != intruder)
    for method, topics in topics_of.items():
        tops = [list(dict.fromkeys(each.text for each in phrases))[:n_top] for phrases in topics]
        possible = {
            (method, k, frozenset([*trio, intruder]))
            for k, own in enumerate(tops)
            for trio in combinations(own, 3)
            for intruder in set().union(*tops) - set(own)
        }
        mine = [each for each in shown if each[0] == method]
        assert len(mine) == len(set(mine)) == min(n, len(possible))
        assert set(mine) <= possible


def test_chance_is_even() -> None:
    asked = questions({"m": planted(6)}, n=3000, seed=1)
    n_of = Counter(question.topic for question in asked)
    assert set(n_of.values()) == {500}  # topics come in turn
    assert all(120 < n < 1000 - 120 for n in Counter(question.other for question in asked).values())
    places = Counter(question.intruder for question in asked)
    assert sorted(places) == [0, 1, 2, 3]
    assert all(abs(n - 750) < 120 for n in places.values())  # five standard deviations
    intruders = Counter(question.options[question.intruder] for question in asked)
    assert len(intruders) == 60  # all of the top ten, none beyond
    own = Counter(text for question in asked for text in question.options) - intruders
    assert len(own) == 60
    assert min(own.values()) > 90 and max(own.values()) < 210


def test_same_seed_same_questions_and_other_methods_do_not_matter() -> None:
    one, two = planted(5), planted(3)
    asked = questions({"one": one, "two": two}, seed=4)
    assert asked == questions({"one": one, "two": two}, seed=4)
    assert asked != questions({"one": one, "two": two}, seed=5)

    def of_one(asked: list[Question]) -> set[tuple[str, ...]]:
        return {question.options for question in asked if question.method == "one"}

    assert len(of_one(asked)) == 20
    assert of_one(asked) == of_one(questions({"one": one}, seed=4))


def test_methods_are_mixed_and_ids_are_blind() -> None:
    asked = questions({"one": planted(5), "two": planted(5)})
    methods = [question.method for question in asked]
    assert Counter(methods) == {"one": 20, "two": 20}
    assert {"one", "two"} == set(methods[:20]) == set(methods[20:])
    assert [question.id[:4] for question in asked] == [f"q{number:02}-" for number in range(1, 41)]
    moved = questions({"three": planted(5), "four": planted(5)})
    assert {question.id for question in asked}.isdisjoint(question.id for question in moved)


def test_texts_that_look_the_same_are_the_same() -> None:
    topics = [topic("Data mining", "data  mining", "b", "c"), topic("DATA MINING", "x")]
    asked = questions({"m": topics}, n=100)
    assert [sorted(question.options) for question in asked] == [["Data mining", "b", "c", "x"]]
    # An intruder that topics share is taken from any of them.
    topics = [topic("a", "b", "c"), topic("x"), topic("x")]
    asked = [questions({"m": topics}, seed=seed) for seed in range(20)]
    assert {len(each) for each in asked} == {1}
    assert {each[0].other for each in asked} == {1, 2}


@pytest.mark.parametrize("topics", [[], [[]], [topic("a", "b", "c")], [topic("a", "b"), topic("c", "d")]])
def test_no_question_where_none_is_possible(topics: list[list[Phrase]]) -> None:
    assert questions({"m": topics}) == []
    for wrong, message in (({"n": 0}, "from 1 on, not 0"), ({"n_top": 2}, "from 3 on, not 2")):
        with pytest.raises(InputError, match=message):
            questions({"m": topics}, **wrong)


# ------------------------------------------------------------------------- scoring

OPTIONS = ("w", "x", "y", "z")
ASKED = [
    Question("1", "a", 0, 1, OPTIONS, ((),) * 4, 2),
    Question("2", "b", 0, 1, OPTIONS, ((),) * 4, 0),
    Question("3", "a", 1, 0, OPTIONS, ((),) * 4, 3),
]


def test_scores_by_hand() -> None:
    answers = {
        "ann": {"1": 2, "2": 1, "3": 3},  # a: 2 right, b: 0
        "ben": {"1": 2, "2": None},  # a: 1 right, b: unable
        "nobody": {},  # handed in an empty sheet
    }
    expected = {"a": IntrusionScore(2, 3, 1.5, 0.75), "b": IntrusionScore(1, 1, 0.0, 0.0)}
    assert scores(ASKED, answers) == expected
    for answers in ({}, {"nobody": {}}):
        assert scores(ASKED, answers)["a"] == IntrusionScore(2, 0, 0.0, None)
    assert scores([], {}) == {}


def test_agreement_by_hand() -> None:
    # Values 2 2, 1 1, 3 0: of 6 values 2, 2, 1, 1, 3, 0. Observed 2 of 6; expected 26 of 30.
    answers = {"ann": {"1": 2, "2": 1, "3": 3}, "ben": {"1": 2, "2": 1, "3": 0}}
    assert agreement_of(ASKED, answers) == pytest.approx(1 - (2 / 6) / (26 / 30))


def test_unable_is_a_choice_and_a_gap_is_none() -> None:
    both = {"ann": {"1": 2, "2": None, "3": 0}, "ben": {"1": 2, "2": None}}
    assert agreement_of(ASKED, both) == 1
    one = {"ann": {"1": 2, "2": None}, "ben": {"1": 2, "2": 0}}
    # Values 2 2, unable 0: observed 2 of 4, expected 10 of 12.
    assert agreement_of(ASKED, one) == pytest.approx(1 - (2 / 4) / (10 / 12))
    assert agreement_of(ASKED, {"ann": {"1": 2}}) is None


@pytest.mark.parametrize(("own", "told"), [({"9": 0}, "'ann' answers question '9'"), ({"1": 4}, "option 4")])
def test_answers_to_other_questions_are_refused(own: dict[str, int | None], told: str) -> None:
    for score in (scores, agreement_of):
        with pytest.raises(InputError, match=told):
            score(ASKED, {"ann": own})


# ---------------------------------------------------------------------------- the automatic annotator


def question(*stems: Stems) -> Question:
    return Question("q", "m", 0, 1, ("",) * len(stems), stems, 0)


def test_the_least_associated_option_by_hand() -> None:
    value = {(1, 2): 0.5, (1, 3): 0.1, (1, 4): 0.1, (2, 3): 0.4, (2, 4): -0.2, (3, 4): 0.3}

    def association(one: Stems, two: Stems) -> float:
        first, second = sorted((*one, *two))
        return value[first, second]

    # Sums: 1: 0.7, 2: 0.7, 3: 0.8, 4: 0.2.
    assert automatic_answers([question((1,), (2,), (3,), (4,))], association) == {"q": 3}
    assert automatic_answers([question((3,), (4,), (2,), (1,))], association) == {"q": 1}


def test_the_annotator_is_unable_to_break_a_tie() -> None:
    asked = [question((1,), (2,), (3,), (4,))]
    assert automatic_answers(asked, lambda one, two: 0.0) == {"q": None}
    # 1: 0.3 + 0.2 + 0.1; 2: 0.3 + 0.1 + 0.2, which rounds otherwise; 3 and 4 have 9 between them.
    value = {(1, 2): 0.3, (1, 3): 0.2, (1, 4): 0.1, (2, 3): 0.1, (2, 4): 0.2, (3, 4): 9.0}
    assert automatic_answers(asked, lambda one, two: value[one[0], two[0]]) == {"q": None}


def test_the_annotator_finds_planted_intruders() -> None:
    topics = [[Phrase(f"{k} {i}", (k, i), 1.0) for i in range(8)] for k in range(4)]
    asked = questions({"planted": topics}, n=20)
    answers = automatic_answers(asked, lambda one, two: 1.0 if one[0] == two[0] else -1.0)
    assert scores(asked, {AUTOMATIC: answers})["planted"].share == 1
