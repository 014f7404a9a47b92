"""Phrase intrusion, section "Interpretability" of the paper: people tell a topic's phrases from another's.

A question shows four phrases: three of the ten best of one topic, and one, the intruder, of the best of
another topic. Annotators choose the intruder, or say that they are unable to. The better a method keeps its
topics apart, the more intruders are found. The idea is from Chang et al., "Reading Tea Leaves" (2009).

    a  query expansion    b  support vector machine    c  search engine    d  relevance feedback

Here b is the intruder. Questions of all methods are mixed, and their ids tell nothing of the method.

Where no person answers, an automatic annotator does: it names the option whose associations with the other
three have the lowest sum. The association is NPMI, with which Lau, Newman and Baldwin, "Machine Reading Tea
Leaves" (2014), find intruding words too, by a model they train. It knows only how phrases occur together in a
corpus, and is no judgement of people, so its name goes wherever its results go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, islice
from math import comb, fsum
from random import Random
from typing import NamedTuple

from topminer._parameters import whole
from topminer.errors import InputError
from topminer.evaluation.agreement import krippendorff
from topminer.methods.contract import Phrase, Stems

N_OWN = 3  # phrases of the topic itself that a question shows
LETTERS = "abcd"  # how the options are called
AUTOMATIC = "automatic (NPMI)"  # the annotator that is no person

Answers = Mapping[str, Mapping[str, int | None]]  # annotator -> question's id -> option, or None: unable


class Question(NamedTuple):
    """Four phrases, one of which is out of place."""

    id: str
    method: str
    topic: int  # whose phrases three of the options are
    other: int  # the topic that the intruder comes from
    options: tuple[str, ...]
    stems: tuple[Stems, ...]  # of each option
    intruder: int  # which option it is


@dataclass(frozen=True)
class IntrusionScore:
    """How many intruders of a method's questions were found."""

    asked: int  # questions
    answered: int  # times that an option was chosen, all annotators together; "unable" chooses none
    right: float  # questions answered rightly, the mean of annotators
    share: float | None  # right / asked; None where nobody answered


def questions(
    topics_of: Mapping[str, Sequence[Sequence[Phrase]]], *, n: int = 20, n_top: int = 10, seed: int = 0
) -> list[Question]:
    """Make questions, those of all methods mixed.

    Each method's questions go through its topics in turn, in random order; no question comes twice. A topic
    with fewer than three phrases gives none, and a method with fewer possible questions than ``n`` gives
    those. What a method is asked does not depend on which others there are. The intruder is among the first
    ``n_top`` phrases of another topic, but not of this. The same seed gives the same questions.
    """
    whole("the number of questions", n, 1)
    whole("the number of a topic's top phrases", n_top, N_OWN)  # as many as a question shows
    asked: list[Question] = []
    for method, topics in topics_of.items():
        random = Random(f"{seed} {method}")  # made from the text's hash: the same everywhere
        asked += islice(_of_method(method, topics, n, n_top, random), n)
    Random(f"{seed}").shuffle(asked)
    ids = blind_ids("q", [question.options for question in asked])
    return [question._replace(id=id) for id, question in zip(ids, asked, strict=True)]


def blind_ids(letter: str, shown: Sequence[Sequence[str]]) -> list[str]:
    """Ids in the order shown, with a mark made of what is shown: answers to other questions will not fit.

    >>> blind_ids("q", [["one", "two"], ["three"]])
    ['q1-2106', 'q2-8b5b']
    """
    width = len(str(len(shown)))
    marks = [sha256("\n".join(texts).encode("utf-8", "replace")).hexdigest()[:4] for texts in shown]
    return [f"{letter}{number:0{width}}-{mark}" for number, mark in enumerate(marks, 1)]


def _of_method(
    method: str, topics: Sequence[Sequence[Phrase]], n: int, n_top: int, random: Random
) -> Iterator[Question]:
    """Questions about each topic in turn, until no topic has any left."""
    tops = [_distinct(phrases, n_top) for phrases in topics]
    streams = [_about(k, tops, method, n, random) for k, top in enumerate(tops) if len(top) >= N_OWN]
    random.shuffle(streams)
    waiting = deque(streams)
    while waiting:
        stream = waiting.popleft()
        question = next(stream, None)
        if question is not None:
            yield question
            waiting.append(stream)


def _distinct(phrases: Sequence[Phrase], n_top: int) -> dict[str, Phrase]:
    """The best phrases by what a reader would hold for the same text."""
    top: dict[str, Phrase] = {}
    for phrase in phrases:
        if len(top) == n_top:
            break
        key = " ".join(phrase.text.split()).casefold()
        if key:
            top.setdefault(key, phrase)
    return top


def _about(
    k: int, tops: Sequence[Mapping[str, Phrase]], method: str, n: int, random: Random
) -> Iterator[Question]:
    """Up to ``n`` of the possible questions about topic ``k``, in random order."""
    own = list(tops[k].values())
    taken = {phrase.stems for phrase in own}
    strangers = [
        (key, other, phrase)
        for other, top in enumerate(tops)
        for key, phrase in top.items()
        if key not in tops[k] and phrase.stems not in taken
    ]
    random.shuffle(strangers)  # a phrase that several topics share is taken from any of them
    intruders = list({key: (other, phrase) for key, other, phrase in strangers}.values())
    n_trios = comb(len(own), N_OWN)
    n_possible = n_trios * len(intruders)
    for number in random.sample(range(n_possible), min(n, n_possible)):
        other, intruder = intruders[number // n_trios]
        options = [*(own[i] for i in _trio(number % n_trios)), intruder]
        random.shuffle(options)
        texts, stems, _ = zip(*options, strict=True)
        yield Question("", method, k, other, texts, stems, options.index(intruder))


def _trio(number: int) -> Iterator[int]:
    """The three places that a number stands for: all trios of m places are numbered from 0 to C(m, 3) − 1."""
    for size in range(N_OWN, 0, -1):
        place = size - 1
        while comb(place + 1, size) <= number:
            place += 1
        number -= comb(place, size)
        yield place


def scores(questions: Sequence[Question], answers: Answers) -> dict[str, IntrusionScore]:
    """How many intruders were found, by method.

    An annotator is a person who answered at least one question, be it with "unable". What an annotator left
    out, or was unable to answer, is not right.
    """
    _check(questions, answers)
    given = [own for own in answers.values() if own]
    by_method: dict[str, list[Question]] = {}
    for question in questions:
        by_method.setdefault(question.method, []).append(question)
    result = {}
    for method, asked in by_method.items():
        chosen = [(question, own.get(question.id)) for own in given for question in asked]
        n_right = sum(option == question.intruder for question, option in chosen)
        right = n_right / len(given) if given else 0.0
        answered = sum(option is not None for _, option in chosen)
        result[method] = IntrusionScore(len(asked), answered, right, right / len(asked) if given else None)
    return result


def automatic_answers(
    questions: Sequence[Question], association: Callable[[Stems, Stems], float]
) -> dict[str, int | None]:
    """Answer questions by association alone, whichever of two phrases comes first.

    With association 1 within {ski, snow, slope} and 0 to "tax", the sums are 2, 2, 2 and 0: "tax". Where
    several options share the lowest sum, the answer is None: unable to choose.
    """
    return {question.id: _least_associated(question.stems, association) for question in questions}


def _least_associated(stems: Sequence[Stems], association: Callable[[Stems, Stems], float]) -> int | None:
    parts: list[list[float]] = [[] for _ in stems]
    for i, j in combinations(range(len(stems)), 2):
        value = association(stems[i], stems[j])
        parts[i].append(value)
        parts[j].append(value)
    sums = [fsum(part) for part in parts]  # exact: a tie is a tie in whatever order the parts are added
    lowest = min(sums)
    return sums.index(lowest) if sums.count(lowest) == 1 else None


def agreement_of(questions: Sequence[Question], answers: Answers) -> float | None:
    """Krippendorff's α of the annotators' choices, nominal; None where it is not defined.

    "Unable" is a choice of its own: two who are both unable to answer agree on the question. A
    question that was not answered is missing.
    """
    _check(questions, answers)
    unable = len(LETTERS)

    def value(own: Mapping[str, int | None], id: str) -> int | None:
        if id not in own:
            return None
        option = own[id]
        return unable if option is None else option

    return krippendorff([[value(own, question.id) for own in answers.values()] for question in questions])


def _check(questions: Sequence[Question], answers: Answers) -> None:
    """Refuse answers that belong to other questions: they would count as wrong."""
    n_options = {question.id: len(question.options) for question in questions}
    for annotator, own in answers.items():
        for id, option in own.items():
            if id not in n_options:
                raise InputError(f"{annotator!r} answers question {id!r}, which is not among those asked")
            if option is not None and not 0 <= option < n_options[id]:
                raise InputError(f"{annotator!r} chooses option {option} of question {id!r}: there is none")
