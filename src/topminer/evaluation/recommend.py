"""Which point of a grid to take: a rule over the numbers of its table, as they are shown there.

1. The perplexity is at most 5 % above the lowest.
2. Of these, the coherence of words is at most 0.01 below the highest.
3. Of these, the stability is at most 0.05 below the highest.
4. Of these, the fewest topics; then the lowest threshold, which has the most phrases.

::

    topics   perplexity   coherence   stability
        10        812.0       0.090        0.86     perplexity 6 % above the lowest of all
        20        768.0       0.120        0.81     taken
        40        763.0       0.115        0.62     stability 0.19 below the highest of the last two

Words alone (an infinite threshold) are there to compare with, and are taken only if nothing else was tried.
All comparisons are made with the rounded numbers, so what is said is true of what a reader sees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

NEAR = 0.05  # of the lowest perplexity that a perplexity may lie above it
FORMS = {"perplexity": ",.1f", "coherence": ".3f", "stability": ".2f"}  # as the table shows them
SLACK = {"coherence": 0.01, "stability": 0.05}  # below the highest value


@dataclass(frozen=True)
class Point:
    """A number of topics and a threshold, and what models with them are worth: means over repeats.

    None: not defined. Coherence of phrases where there are none, stability and the error with one fit.
    """

    n_topics: int
    threshold: float  # infinity: every word alone
    perplexity: float  # of held-out documents
    perplexity_error: float | None  # the standard error of the mean
    coherence: float | None  # of words
    phrase_coherence: float | None
    stability: float | None
    n_phrases: int  # distinct ones of several words, in the documents learned from
    seconds: float  # of all its fits together


def of_threshold(threshold: float) -> str:
    """Return a threshold in words."""
    return "words alone" if math.isinf(threshold) else f"threshold {threshold:g}"


def named(point: Point) -> str:
    """Return a point in words.

    >>> named(Point(1, 4.0, 9.0, None, None, None, None, 0, 0.0))
    '1 topic, threshold 4'
    """
    topics = "1 topic" if point.n_topics == 1 else f"{point.n_topics:,} topics"
    return f"{topics}, {of_threshold(point.threshold)}"


def text(point: Point, measure: str) -> str:
    """Return a measure of a point as the table shows it."""
    return format(getattr(point, measure), FORMS[measure])


def shown(point: Point, measure: str) -> float | None:
    """Return the number that a reader of the table sees; None where there is none."""
    return None if getattr(point, measure) is None else float(text(point, measure).replace(",", ""))


def recommend(points: Sequence[Point]) -> tuple[Point | None, list[str]]:
    """Return the point to take; and in sentences why, the runner-up, and if it lies at the grid's edge."""
    tried = [point for point in points if math.isfinite(point.threshold)] or list(points)
    if not tried:
        return None, ["Nothing was tried."]
    taken, why = _chosen(tried, "" if len(tried) == len(points) else " of the models with phrases")
    sentences = [f"{named(taken)}: {', '.join(why)}."]
    if rest := [point for point in tried if point is not taken]:
        second, _ = _chosen(rest)
        figures = [f"{each} {text(second, each)}" for each in FORMS if shown(second, each) is not None]
        sentences.append(f"Runner-up: {named(second)}, with {', '.join(figures)}.")
    return taken, [*sentences, *_edge(taken, tried)]


def near_the_lowest(points: Sequence[Point]) -> list[Point]:
    """Return the points whose perplexity is near the lowest."""
    values = [float(f"{point.perplexity:.1f}") for point in points]
    most = min(values) * (1 + NEAR)
    return [point for point, value in zip(points, values, strict=True) if value <= most]


def _chosen(points: Sequence[Point], among: str = "") -> tuple[Point, list[str]]:
    """Return the point that the rule takes, and what each step of the rule says of it."""
    if len(points) == 1:
        return points[0], ["no other model with phrases was tried" if among else "nothing else was tried"]
    steps = [near_the_lowest(points)]
    for measure, slack in SLACK.items():
        known = [value for point in steps[-1] if (value := shown(point, measure)) is not None]
        least = max(known, default=0.0) - slack - 1e-9  # rounding of the difference
        near = [point for point in steps[-1] if (value := shown(point, measure)) is None or value >= least]
        steps.append(near)
    taken = min(steps[-1], key=lambda point: (point.n_topics, point.threshold))
    why = [_about(taken, "perplexity", points, "lowest", f"within {100 * NEAR:.0f} % of", among)]
    for measure, before in zip(SLACK, steps, strict=False):
        if shown(taken, measure) is not None and len(before) > 1:
            within = f"within {SLACK[measure]:g} of"
            why.append(_about(taken, measure, before, "highest", within, " of these"))
    if len(steps[-1]) > 1:
        fewest = [point for point in steps[-1] if point.n_topics == taken.n_topics]
        why.append("the fewest topics of those left" + ", and then the lowest threshold" * (len(fewest) > 1))
    return taken, why


def _about(taken: Point, measure: str, points: Sequence[Point], extreme: str, near: str, among: str) -> str:
    """Say that a measure is the best of some points, or near the best."""
    best = min if extreme == "lowest" else max
    value = best(number for point in points if (number := shown(point, measure)) is not None)
    own = text(taken, measure)
    if shown(taken, measure) == value:
        return f"{measure} {own} is the {extreme}{among}"
    other = next(point for point in points if shown(point, measure) == value)
    return f"{measure} {own} is {near} the {extreme}{among}, {text(other, measure)} ({named(other)})"


def _edge(taken: Point, tried: Sequence[Point]) -> Iterator[str]:
    numbers = {point.n_topics for point in tried}
    if len(numbers) > 1 and taken.n_topics == max(numbers):
        yield "These are the most topics that were tried: more may be better still."
    if len(numbers) > 1 and taken.n_topics == min(numbers) > 2:
        yield "These are the fewest topics that were tried: fewer may be better still."
