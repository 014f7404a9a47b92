"""What methods are measured by: every figure of the comparison, with who is first, second and so on.

Figures are compared as they are shown. Two that read the same share a place::

    ToPMine 0.2131, KERT 0.2129, LDA 0.108   →   ToPMine and KERT level at 0.213, then LDA
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, NamedTuple

from topminer.views.numbers import ratio_text, score_text, seconds_text, share_text

Kind = Literal["time", "score", "rating", "share"]

OURS = "topmine"  # the name of the method that the others are compared with


@dataclass(frozen=True)
class Measure:
    """One figure of each method that has it."""

    section: str  # of the page, where it is shown
    title: str
    values: Mapping[str, float]  # by the name of the method
    kind: Kind = "score"

    def text(self, value: float) -> str:
        """A figure as it is shown."""
        return _TEXTS[self.kind](value)

    def places(self) -> list[list[str]]:
        """The names of methods, the best first; those that read the same stand together."""
        sign = 1 if self.kind == "time" else -1
        ordered = sorted(self.values, key=lambda name: sign * self.values[name])
        return [list(level) for _, level in groupby(ordered, lambda name: self.text(self.values[name]))]

    def best(self) -> set[str]:
        """Who is first; nobody, if there is nobody to be compared with."""
        return set(self.places()[0]) if len(self.values) > 1 else set()

    def apart(self, better: str, worse: str) -> str:
        """By how much one method is better than another, as the shown figures differ."""
        one, other = self.values[better], self.values[worse]
        if self.kind == "time":
            return f"{ratio_text(other / one)} times" if one > 0 else "many times"
        if self.kind == "share":
            points = round(100 * one) - round(100 * other)
            return f"{points} {'point' if points == 1 else 'points'}"
        digits = 2 if self.kind == "rating" else 3
        return score_text(round(one, digits) - round(other, digits), digits)


_TEXTS: dict[Kind, Callable[[float], str]] = {
    "time": seconds_text,
    "score": score_text,
    "rating": lambda rating: score_text(rating, 2),
    "share": share_text,
}


class Gold(NamedTuple):
    """A list of judged phrases that phrases were held against."""

    name: str
    of: Mapping[str, Mapping[str, Any]]  # by the name of the method

    def cuts(self) -> list[str]:
        """How many of the first phrases were looked at, where some method has a precision."""
        given = [found.get("precision") or {} for found in self.of.values()]
        there = {cut for each in given for cut, value in each.items() if value is not None}
        return sorted(there, key=lambda cut: (len(cut), cut))


COHERENCE = {
    "npmi_words": "NPMI of words",
    "npmi_phrases": "NPMI of phrases",
    "cv_words": "C_V of words",
    "cv_phrases": "C_V of phrases",
}
DIVERSITY = {"words": "diversity of words", "phrases": "diversity of phrases"}


def methods_of(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The methods, in the order given."""
    return list(data.get("methods") or ())


def titles_of(data: Mapping[str, Any]) -> dict[str, str]:
    """What methods are called, by name."""
    return {method["name"]: str(method["title"]) for method in methods_of(data)}


def wordy(data: Mapping[str, Any]) -> list[str]:
    """The names of methods whose phrases are nothing but their words: figures of the two are the same."""
    return [
        method["name"]
        for method in methods_of(data)
        if any(topic.get("phrases") for topic in method.get("topics") or ())
        and all(topic.get("phrases") == topic.get("words") for topic in method["topics"])
    ]


def times(data: Mapping[str, Any]) -> Measure:
    """How long methods take."""
    return Measure("times", "run time", _values(methods_of(data), "seconds"), "time")


def coherence(data: Mapping[str, Any]) -> list[Measure]:
    """How well words, and phrases, of a topic go together."""
    return _inside(data, "coherence", COHERENCE, "score")


def diversity(data: Mapping[str, Any]) -> list[Measure]:
    """How few words, and phrases, topics share."""
    return _inside(data, "diversity", DIVERSITY, "share")


def intrusion(data: Mapping[str, Any]) -> Measure:
    """How many intruders were found without people."""
    found = [{"name": method["name"], **(method.get("intrusion") or {})} for method in methods_of(data)]
    return Measure("intrusion", "intruders found automatically", _values(found, "share"), "share")


def golds(data: Mapping[str, Any]) -> list[Gold]:
    """The lists of judged phrases, in the order they first appear."""
    of: dict[str, dict[str, Mapping[str, Any]]] = {}
    for method in methods_of(data):
        for found in method.get("quality") or ():
            of.setdefault(str(found["gold"]), {})[method["name"]] = found
    return [Gold(name, found) for name, found in of.items()]


def precisions(gold: Gold) -> list[Measure]:
    """How many of the foremost phrases are good ones, for each number of phrases that has figures."""
    measures = []
    for cut in gold.cuts():
        given = {name: (found.get("precision") or {}).get(cut) for name, found in gold.of.items()}
        title = f"precision of the first {int(cut):,}" if cut.isdecimal() else f"precision at {cut}"
        measures.append(Measure("quality", title, _known(given, given), "share"))
    return measures


def recall(gold: Gold) -> list[Measure]:
    """How many of the good phrases are found; nothing, if nobody knows."""
    values = _values([{"name": name, **found} for name, found in gold.of.items()], "recall")
    return [Measure("quality", "recall", values, "share")] if values else []


def telling(gold: Gold) -> list[Measure]:
    """One precision and the recall: the others say nearly the same, and would count it many times over.

    It is the precision of the most phrases of which every method has one, else of the fewest.
    """
    every_one = precisions(gold)
    shared = [measure for measure in every_one if len(measure.values) == len(gold.of)]
    return [*(shared[-1:] or every_one[:1]), *recall(gold)]


def people(data: Mapping[str, Any]) -> list[Measure]:
    """What people said: intruders they found, and ratings, as z-scores, of topics and of phrases."""
    told, known = data.get("people") or {}, titles_of(data).keys()
    ratings, answers = told.get("ratings") or {}, told.get("intrusion") or {}
    found = [{"name": name, **(answers.get(name) or {})} for name in known]
    measures = [
        Measure("people", "intruders found by people", _values(found, "share"), "share"),
        Measure("people", "coherence as rated by people", _known(ratings.get("coherence"), known), "rating"),
        Measure(
            "people", "phrase quality as rated by people", _known(ratings.get("quality"), known), "rating"
        ),
    ]
    return [measure for measure in measures if measure.values]


def every(data: Mapping[str, Any]) -> Iterator[tuple[str, Measure]]:
    """The measures that have figures, each with the name of what it was held against, if anything."""
    plain = [times(data), *coherence(data), *diversity(data), intrusion(data)]
    yield from (("", measure) for measure in plain if measure.values)
    for gold in golds(data):
        yield from ((gold.name, measure) for measure in telling(gold))
    yield from (("", measure) for measure in people(data))


def _inside(data: Mapping[str, Any], key: str, titles: Mapping[str, str], kind: Kind) -> list[Measure]:
    """Figures of words and of phrases; whose phrases are words has none of phrases."""
    found = [{"name": method["name"], **(method.get(key) or {})} for method in methods_of(data)]
    others = [row for row in found if row["name"] not in wordy(data)]
    measures = [
        Measure("coherence", title, _values(others if field.endswith("phrases") else found, field), kind)
        for field, title in titles.items()
    ]
    return [measure for measure in measures if measure.values]


def _values(rows: Sequence[Mapping[str, Any]], field: str) -> dict[str, float]:
    return {row["name"]: float(row[field]) for row in rows if row.get(field) is not None}


def _known(given: Mapping[str, float | None] | None, names: Iterable[str]) -> dict[str, float]:
    """The figures of the methods of these names."""
    values = given or {}
    return {name: float(value) for name in names if (value := values.get(name)) is not None}
