"""Expert ratings, section "Interpretability" of the paper: experts say how good they find lists of phrases.

Experts see each topic of each method as a list of its best phrases, the lists of all methods mixed, and rate
it from 1 to 10, once for its coherence and once for the quality of its phrases. Experts use the scale each in
their own way, so the ratings of each are standardised to z-scores: minus their mean, over their standard
deviation. A method's score is the mean of its lists' z-scores for each expert, averaged over experts.

An expert who rates two lists of one method 8 and 6, and two of another 4 and 2, has mean 5 and deviation √5:
z-scores 1.34 and 0.45, −0.45 and −1.34, and the methods get 0.89 and −0.89.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import fmean
from typing import NamedTuple

from topminer._parameters import whole
from topminer.errors import InputError
from topminer.evaluation.agreement import krippendorff
from topminer.evaluation.intrusion import blind_ids
from topminer.methods.contract import Phrase

LOWEST, HIGHEST = 1, 10  # of the scale

RatingsOf = Mapping[str, Mapping[str, float]]  # expert -> list's id -> rating


@dataclass(frozen=True)
class RatingList:
    """A topic as experts see it."""

    id: str
    method: str
    topic: int
    phrases: tuple[str, ...]


class Rated(NamedTuple):
    """What experts said: expert → list's id → rating. A list that an expert did not rate is not there."""

    coherence: dict[str, dict[str, float]]
    quality: dict[str, dict[str, float]]


class RatingScores(NamedTuple):
    """What one question's ratings say: of coherence, or of quality."""

    methods: dict[str, float | None]  # mean z-scores, 0 being the mean of all; None where nobody rated it
    agreement: float | None  # of the experts: α of the ratings as given, interval


def rating_lists(
    topics_of: Mapping[str, Sequence[Sequence[Phrase]]], n_phrases: int = 10, seed: int = 0
) -> list[RatingList]:
    """Make a list of each topic of each method that has phrases, all in random order, the same for a seed."""
    whole("the number of phrases of a list", n_phrases, 1)
    topics = [
        (method, k, tuple(phrase.text for phrase in phrases[:n_phrases]))
        for method, found in topics_of.items()
        for k, phrases in enumerate(found)
        if phrases
    ]
    Random(f"{seed}").shuffle(topics)
    ids = blind_ids("t", [texts for _, _, texts in topics])
    return [RatingList(id, *topic) for id, topic in zip(ids, topics, strict=True)]


def standardised(ratings: RatingsOf) -> dict[str, dict[str, float]]:
    """The z-scores of each expert's ratings.

    The deviation is that of the ratings themselves, the square root of their mean squared distance from
    their mean. An expert who rates all lists alike prefers none: all z-scores are 0.
    """
    return {expert: _z_scores(expert, own) for expert, own in ratings.items()}


def _z_scores(expert: str, own: Mapping[str, float]) -> dict[str, float]:
    for id, rating in own.items():
        if not LOWEST <= rating <= HIGHEST:
            raise InputError(f"{expert!r} rates list {id!r} {rating}: expected {LOWEST} to {HIGHEST}")
    if not own:
        return {}
    if min(own.values()) == max(own.values()):
        return dict.fromkeys(own, 0.0)
    centre = fmean(own.values())
    deviation = sqrt(fmean((rating - centre) ** 2 for rating in own.values()))
    return {id: (rating - centre) / deviation for id, rating in own.items()}


def method_scores(lists: Sequence[RatingList], ratings: RatingsOf) -> RatingScores:
    """Return the scores of methods, as in the paper.

    An expert who rated none of a method's lists has no part in its score.
    """
    _check(lists, ratings)
    ids_of: dict[str, list[str]] = {}
    for each in lists:
        ids_of.setdefault(each.method, []).append(each.id)
    z_scores = standardised(ratings)
    units = [[own.get(each.id) for own in ratings.values()] for each in lists]
    return RatingScores(
        {method: _over_experts(ids, z_scores) for method, ids in ids_of.items()},
        krippendorff(units, "interval"),
    )


def _over_experts(ids: Sequence[str], scores: RatingsOf) -> float | None:
    """The mean over experts of each one's mean score."""
    rated = [[own[id] for id in ids if id in own] for own in scores.values()]
    means = [fmean(own) for own in rated if own]
    return fmean(means) if means else None


def _check(lists: Sequence[RatingList], ratings: RatingsOf) -> None:
    """Refuse ratings of other lists: they would move the means."""
    known = {each.id for each in lists}
    for expert, own in ratings.items():
        for id in own:
            if id not in known:
                raise InputError(f"{expert!r} rates list {id!r}, which is not among those shown")
